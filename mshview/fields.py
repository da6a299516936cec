"""Decoded fields as plain values under the names that `Resource.set` takes, and what differs from them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from viewer.errors import UsageError, shown
from viewer.model.edit.set_field import SETTERS, stored_name
from viewer.model.edit.set_place import set_form, split, steps
from viewer.model.kinds import json_text
from viewer.model.kinds.plain import describe
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.item import Item
from viewer.translation import _

INDEX: Final = "index"
"""Member of a row besides its fields: its number."""
LOCATION: Final = (INDEX, "kind", "offset", "size")
"""Members of a row of records of several kinds besides its fields: its number, its kind, its place."""
_COUNTED: Final = {"length", "text", "end"}
"""The fields of a text with its length before it."""
_INDICES: Final = re.compile(r"\[(\d{1,18})\]")


def fields_of(item: Item) -> dict[str, Any]:
    """Decoded fields of a resource; raises `FormatError` if it cannot be read."""
    kind = promised_kind(item)
    described = describe(kind, item.data, item.nres_entry)
    found: dict[str, Any] = json.loads("".join(json_text.pieces(described)))
    # The name of a value that is printed decoded means the decoded one: what is stored has a name of its own.
    return {table: _renamed(kind.id, table, value) for table, value in found.items()}


def _renamed(kind: str, table: str, rows: Any) -> Any:
    names = {
        name: stored_name(table, name) for other, path, name in SETTERS if (other, path) == (kind, table)
    }
    if all(name == stored for name, stored in names.items()):
        return rows
    return [{names.get(name, name): value for name, value in row.items()} for row in rows]


def row_forms(place: str, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The script forms of setting all fields of a row."""
    return [set_form(f"{place}.{name}", value) for name, value in _content(row).items()]


def _content(row: Mapping[str, Any]) -> dict[str, Any]:
    """The settable fields of a row: the length of a text follows from the text; an empty one has none."""
    ignored = {INDEX, "offset", "size"} if row.keys() >= {*LOCATION} else {INDEX}
    found = {name: value for name, value in row.items() if name not in ignored}
    return (
        {"text": found.get("text", "")}
        if "length" in found and found.keys() - {"kind"} <= _COUNTED
        else found
    )


def differing_forms(fields: Mapping[str, Any], place: str, value: Any) -> list[dict[str, Any]] | None:
    """The script forms of setting what differs from `fields` at a place; None if they have no such place.

    Raises `UsageError` for a list of another length: rows are added and removed by other changes.
    """
    try:
        now = _at(fields, place)
    except LookupError:
        return None
    return [set_form(path, it) for path, it in _differing(place, now, value, is_table=isinstance(now, list))]


def _at(fields: Any, place: str) -> Any:
    """The value at a place; raises `LookupError`."""
    found = fields
    for step in steps(place):
        name, rows = split(step, "[")
        if not isinstance(found, Mapping):
            raise KeyError(name)
        found = found[name]
        indices = "" if rows is None else f"[{rows}"
        if _INDICES.sub("", indices):
            raise KeyError(indices)
        for index in _INDICES.findall(indices):
            if not isinstance(found, list):
                raise KeyError(index)
            found = found[int(index)]
    return found


def _differing(place: str, now: Any, value: Any, *, is_table: bool = False) -> Iterator[tuple[str, Any]]:
    """The places and values of the smallest parts that can be set and differ."""
    if value == now and type(value) is type(now):
        return
    if isinstance(now, Mapping) and isinstance(value, Mapping):
        known = _content(now)
        for name, it in _content(value).items():
            yield from _differing(f"{place}.{name}", known.get(name), it)
    elif isinstance(now, list) and (is_table or any(isinstance(it, Mapping) for it in now)):
        if not isinstance(value, list) or len(value) != len(now):
            words = "{count} rows are needed, not {value}"
            raise UsageError(_(words, count=len(now), value=shown(value)), source=place)
        for index, (old, new) in enumerate(zip(now, value, strict=True)):
            yield from _differing(f"{place}[{index}]", old, new)
    else:
        yield place, value
