"""Lines of wear tables: texts set, lines added, removed and moved, and the lines with their number."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from viewer.errors import EditError
from viewer.formats import splice, wear
from viewer.formats.msh import strings
from viewer.formats.msh.strings import TABLE
from viewer.formats.msh.tables import STRINGS
from viewer.formats.part import Part
from viewer.formats.record import DECIMAL, Field
from viewer.formats.splice import Splice, Splices, between, moved, ordered
from viewer.formats.text import until_nul
from viewer.formats.wear import LIGHTMAP_COUNT, MATERIAL_COUNT, MATERIALS, MAX_ROWS, Line, Row, Wear
from viewer.model.edit import values
from viewer.model.edit.change import refusal
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows.arrangement import Arrangement, NewRow, in_container, joined, replaced
from viewer.model.kinds.registry import MODEL
from viewer.translation import _

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
    values.refuse_element(field.name, element)
    part = draft.part(table)
    stored: Line | tuple[Row, ...] = getattr(draft.value, table)
    found: list[Splice] = []
    for row in rows if part.is_table else [None]:
        line = stored if isinstance(stored, Line) else stored[row or 0]
        found += _in_line(part, line, row, field, value)
    splices = ordered(found)
    # Another number of rows is meant to read other lines; any other text must leave them alone.
    if field.name != COUNT:
        after = wear.decode(splice.applied(draft.data, splices))
        if _without(draft.value, field.name) != _without(after, field.name):
            raise refusal("other lines would be read differently with {value!r}", value=value)
    draft.splice_readable(splices)


def _without(table: Wear, field: str) -> list[dict[str, bytes]]:
    """The texts of all lines without those of a field."""
    counts = [line for line in (table.material_count, table.lightmap_count) if line is not None]
    lines = (*counts, *table.materials, *table.lightmaps)
    return [wear.texts_of(line) | {field: b""} for line in lines]


def _in_line(part: Part, line: Line, row: int | None, field: Field, value: Any) -> Splices:
    before = wear.texts_of(line)[field.name]
    text = _text(field, value, before)
    if text == before:
        return ()
    try:
        written = wear.with_text(line, field.name, text)
    except ValueError:
        words = "{value!r} would not be read back as the {field}"
        raise refusal(words, "", row, value=value, field=field.name) from None
    return moved(between(line.values.tobytes(), written), part.span(row)[0])


def _text(field: Field, value: Any, before: bytes) -> bytes:
    """The bytes of a text or a decimal number; the digits that are there if they mean the same."""
    if field.encoding != DECIMAL:
        if not isinstance(value, str):
            raise EditError(_("{value!r} is not a text", value=value))
        return values.encoded(value, LONGEST)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise EditError(_("{value!r} is not a whole number", value=value))
    # "007" stays "007": bytes change only if the number does.
    return before if int(before) == int(value) else b"%d" % int(value)


SETTERS: Final = {
    (table, field.name): partial(_set_text, table, field)
    for table, fields in _FIELDS.items()
    for field in fields
}
"""Setters of fields of lines, by table and field."""


NEW_MATERIAL: Final = b"DEFAULT"
"""The material that the game takes for those that it does not find."""
NEW_LIGHTMAP: Final = b"NEW.0"
END: Final = b"\r\n"


def arrange_materials(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of materials; raises `EditError` if none would be left."""
    table: Wear = draft.value
    if not arrangement.items:
        raise EditError(_("a wear table has at least one row"))
    rows = _rows(table.materials, arrangement, NEW_MATERIAL)
    part = draft.part(path)
    if not part.end < len(draft.data):
        rows = _without_end(rows, table.materials)
    return joined(
        _counted(draft.part(MATERIAL_COUNT), table.material_count, arrangement.growth),
        replaced(draft, part.start, part.size, rows),
    )


def arrange_lightmaps(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of lightmaps; their section comes and goes with them."""
    table: Wear = draft.value
    part = draft.part(path)
    rows = _rows(table.lightmaps, arrangement, NEW_LIGHTMAP)
    if table.heading is None or table.lightmap_count is None:
        return _new_section(draft, table, rows, len(arrangement.items))
    if not arrangement.items:
        # Only blank lines go with the section; other text before the heading is nobody's and stays.
        separator = b"" if table.separator.strip() else table.separator
        start = part.start - table.lightmap_count.size - wear.HEADING.size - len(separator)
        return replaced(draft, start, part.end - start, b"")
    if not part.end < len(draft.data):
        rows = _without_end(rows, table.lightmaps)
    return joined(
        _counted(draft.part(LIGHTMAP_COUNT), table.lightmap_count, arrangement.growth),
        replaced(draft, part.start, part.size, rows),
    )


def _new_section(draft: Draft, table: Wear, rows: bytes, count: int) -> Splices:
    """The splices of a section where there was none; raises `EditError` if other text is in its place."""
    if table.tail.strip() or table.heading is not None:
        raise EditError(_("other text follows the materials"))
    start = draft.part(MATERIALS).end
    # The last line of a file may have no end: it gets one, as the section begins with an empty line.
    last = table.materials[-1].values.tobytes() if table.materials else END
    before = b"" if last.endswith(b"\n") else END
    section = before + END + b"LIGHTMAPS" + END + b"%d" % count + END + rows
    return replaced(draft, start, 0, section)


def _counted(part: Part, line: Line, growth: int) -> Splices:
    """The splice of the number of rows; raises `EditError` for too many."""
    if not growth:
        return ()
    count = int(line.text("count")) + growth
    if not 0 < count <= MAX_ROWS:
        words = "{count} rows, at most {limit} are possible"
        raise refusal(words, part.name, None, "count", count=count, limit=MAX_ROWS)
    after = wear.with_text(line, "count", b"%d" % count)
    return moved(between(line.values.tobytes(), after), part.start)


def _rows(rows: Sequence[Row], arrangement: Arrangement, name: bytes) -> bytes:
    """The lines in their new order, each with an end."""
    lines = [_line(rows, index, item, name) for index, item in enumerate(arrangement.items)]
    return b"".join(line if line.endswith(b"\n") else line + END for line in lines)


def _line(rows: Sequence[Row], index: int, item: int | NewRow, name: bytes) -> bytes:
    if isinstance(item, int):
        return rows[item].values.tobytes()
    if item.like is not None:
        return wear.new_row(rows[item.like], index, rows[item.like].name)
    # Written like the last row: with its blanks and the end of its line.
    return wear.new_row(rows[-1] if rows else None, index, name)


def _without_end(lines: bytes, before: Sequence[Row]) -> bytes:
    """The lines without the end of the last one, if the last one had none before."""
    if not before or before[-1].values.tobytes().endswith(b"\n"):
        return lines
    return lines.removesuffix(b"\n").removesuffix(b"\r")


_LENGTH_SIZE: Final = 4


def set_texts(draft: Draft, rows: Sequence[int], value: Any, element: tuple[int, ...]) -> None:
    """Set the texts of nodes; None and an empty text mean none. Raises `EditError`."""
    values.refuse_element("text", element)
    if value is not None and not isinstance(value, str):
        raise EditError(_("{value!r} is not a text", value=value))
    text = values.encoded(value or "", LONGEST)
    part = draft.part(TABLE)
    found = [_in_row(part.children[row], text) for row in rows]
    splices = splice.ordered(it for it in found if it is not None)
    if draft.kind is MODEL and splice.growth(splices):
        splices = in_container(draft, STRINGS, splices)
    draft.splice_readable(splices)


def _in_row(part: Part, text: bytes) -> Splice | None:
    """Splice of a text, with its length and the byte after it."""
    before = bytes(part.stored)
    old = before[_LENGTH_SIZE:-1]
    # What is printed ends at the first NUL: setting it again keeps what is behind it.
    if old == text or (until_nul(old) == text and old):
        return None
    after = strings.build([text])
    if old and text:
        # The byte after a text belongs to neither text, and stays.
        after = after[:-1] + before[-1:]
    return Splice(part.start, before, after)
