"""One location of a payload as plain data: offset, value, meaning."""

from __future__ import annotations

from typing import Any

from viewer.errors import UsageError
from viewer.formats.meaning import meaning
from viewer.formats.part import Part, find, record_at, spot_at
from viewer.model.kinds.plain import part_value
from viewer.model.kinds.record_rows import record_row
from viewer.model.store.place import Place
from viewer.translation import Sentence


def at_offset(root: Part, offset: int) -> Place:
    """Return the place at an offset of a payload; raises `UsageError` if it is outside."""
    if not 0 <= offset < root.size:
        message = Sentence(
            "offset {offset} is outside of the payload of {size} bytes", offset=offset, size=root.size
        )
        raise UsageError(message, source="inspect")
    spot = spot_at(root, offset)
    return Place("", spot.path, spot.row, spot.field.name if spot.field else "")


def describe_spot(root: Part, place: Place) -> dict[str, Any]:
    """Return the content at a place of a payload; raises `UsageError` if there is no such place.

    For a field that is type, stored value, meaning and certainty; for a larger part its children.
    """
    part = find(root, place.table)
    try:
        if part is None:
            raise KeyError(place.table)
        start, size = part.span(place.row, place.field or None)
    except LookupError:
        raise UsageError(Sentence("there is no {spot}", spot=place.spot), source="inspect") from None
    found = record_at(part, place.row)
    where = {"place": place.spot, "offset": start, "size": size}
    if found is None:
        return {**where, "value": part_value(part if place.row is None else part.children[place.row])}
    record, row = found
    if not place.field:
        return {**where, "value": record_row(record, row)}
    field = record.field(place.field)
    return {
        **where,
        "type": field.type_name,
        "value": record_row(record, row)[field.name],
        "bytes": row[field.name].tobytes().hex(),
        "meaning": meaning(field, row[field.name]) or None,
        "doc": field.doc,
        "status": str(field.status),
    }
