"""Texts of the lines of wear tables, whose fields are as wide as their text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from viewer.errors import EditError
from viewer.formats import splice, wear
from viewer.formats.part import Part
from viewer.formats.record import DECIMAL, Field
from viewer.formats.splice import Splice, Splices, between, moved, ordered
from viewer.formats.wear import Line, Row, Wear
from viewer.model.edit import values
from viewer.model.edit.draft import Draft
from viewer.translation import Sentence

COUNT: Final = "count"
LONGEST: Final = 1 << 16
"""Most bytes of a text; no file has more than some tens."""
_FIELDS: Final = {
    wear.MATERIAL_COUNT: wear.COUNT_FIELDS,
    wear.MATERIALS: wear.ROW_FIELDS,
    wear.LIGHTMAP_COUNT: wear.COUNT_FIELDS,
    wear.LIGHTMAPS: wear.ROW_FIELDS,
}


def _set_text(
    table: str, field: Field, draft: Draft, rows: Sequence[int], value: Any, element: tuple[int, ...]
) -> None:
    """Set a field of lines; raises `EditError` if a line would not be read back with it."""
    if element:
        raise EditError(Sentence("{field} has no elements", field=field.name))
    part = draft.part(table)
    found: list[Splice] = []
    for row in rows if part.is_table else [None]:
        found += _in_line(part, _line(draft.value, table, row), row, field, value)
    splices = ordered(found)
    if field.name != COUNT and not _keeps_others(draft, splices, field.name):
        message = Sentence("other lines would be read differently with {value!r}", value=value)
        raise EditError(message)
    draft.splice_readable(splices)


def _keeps_others(draft: Draft, splices: Splices, field: str) -> bool:
    """Whether all lines are read as before, but for a field of some."""
    after = wear.decode(splice.applied(draft.data, splices))
    return _without(draft.value, field) == _without(after, field)


def _without(table: Wear, field: str) -> list[dict[str, bytes]]:
    """The texts of all lines without those of a field."""
    counts = [line for line in (table.material_count, table.lightmap_count) if line is not None]
    lines = (*counts, *table.materials, *table.lightmaps)
    return [wear.texts_of(line) | {field: b""} for line in lines]


def _line(table: Wear, name: str, row: int | None) -> Line:
    found: Line | tuple[Row, ...] = getattr(table, name)
    return found if isinstance(found, Line) else found[row or 0]


def _in_line(part: Part, line: Line, row: int | None, field: Field, value: Any) -> Splices:
    before = wear.texts_of(line)[field.name]
    text = _text(field, value, before)
    if text == before:
        return ()
    try:
        written = wear.with_text(line, field.name, text)
    except ValueError:
        message = Sentence("{value!r} would not be read back as the {field}", value=value, field=field.name)
        raise EditError(message, index=row) from None
    return moved(between(line.values.tobytes(), written), part.span(row)[0])


def _text(field: Field, value: Any, before: bytes) -> bytes:
    """The bytes of a text or a decimal number; the digits that are there if they mean the same."""
    if field.encoding != DECIMAL:
        if not isinstance(value, str):
            raise EditError(Sentence("{value!r} is not a text", value=value))
        return values.encoded(value, LONGEST)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise EditError(Sentence("{value!r} is not a whole number", value=value))
    return before if int(before) == int(value) else b"%d" % int(value)


SETTERS: Final = {
    (table, field.name): partial(_set_text, table, field)
    for table, fields in _FIELDS.items()
    for field in fields
}
"""What sets a field of lines, by table and field."""
