"""Rows of wear tables: lines of text, and the lines with their number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from viewer.errors import EditError
from viewer.formats import wear
from viewer.formats.part import Part
from viewer.formats.splice import Splices, between, moved
from viewer.formats.wear import (
    LIGHTMAP_COUNT,
    MATERIAL_COUNT,
    MATERIALS,
    MAX_ROWS,
    Line,
    Row,
    Wear,
)
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows.arrangement import Arrangement, NewRow, joined, replaced
from viewer.translation import Sentence

NEW_MATERIAL: Final = b"DEFAULT"
"""The material that the game takes for those that it does not find."""
NEW_LIGHTMAP: Final = b"NEW.0"
END: Final = b"\r\n"


def arrange_materials(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of materials; raises `EditError` if none would be left."""
    table: Wear = draft.value
    if not arrangement.items:
        raise EditError(Sentence("a wear table has at least one row"))
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
        raise EditError(Sentence("other text follows the materials"))
    start = draft.part(MATERIALS).end
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
        message = Sentence("{count} rows, at most {limit} are possible", count=count, limit=MAX_ROWS)
        raise EditError(message, table=part.name, field="count")
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
    return wear.new_row(rows[-1] if rows else None, index, name)


def _without_end(lines: bytes, before: Sequence[Row]) -> bytes:
    """The lines without the end of the last one, if the last one had none before."""
    if not before or before[-1].values.tobytes().endswith(b"\n"):
        return lines
    return lines.removesuffix(b"\n").removesuffix(b"\r")
