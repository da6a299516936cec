"""One spot of a payload as plain data: where its bytes are, what they hold, what is known of them."""

from __future__ import annotations

from typing import Any

from viewer.errors import UsageError
from viewer.formats.meaning import meaning
from viewer.formats.part import Part, find, record_at, spot_at
from viewer.model.kinds.plain import part_value
from viewer.model.kinds.record_rows import record_row
from viewer.model.store.place import Place


def at_offset(root: Part, offset: int) -> Place:
    """Return the place in a payload that an offset belongs to; raises `UsageError` if it is outside."""
    if not 0 <= offset < root.size:
        raise UsageError(f"offset {offset} is outside of the payload of {root.size} bytes", source="inspect")
    spot = spot_at(root, offset)
    return Place("", spot.path, spot.row, spot.field.name if spot.field else "")


def describe_spot(root: Part, place: Place) -> dict[str, Any]:
    """Return what is at a place in a payload; raises `UsageError` if there is nothing.

    Of a field there are type, stored value, meaning and certainty; of anything larger what it consists of.
    """
    part = find(root, place.table)
    try:
        if part is None:
            raise KeyError(place.table)
        start, size = part.span(place.row, place.field or None)
    except LookupError:
        raise UsageError(f"there is no {place.spot}", source="inspect") from None
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
