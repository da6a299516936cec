"""What an edit changes, as JSON and as lines: fields, byte ranges, diagnostics that it adds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from viewer.cli import text_table
from viewer.cli.editing.edited import EditedFile
from viewer.formats.splice import Splices
from viewer.model.compare.differences import What
from viewer.model.compare.edit_report import ChangedValue, diagnostic_document

HEX_LIMIT: Final = 64
"""Bytes of a range that are shown."""
SHOWN_CHANGES: Final = 50
"""Fields that the text lists; ``--json`` has all of them."""


def document(file: EditedFile) -> dict[str, Any]:
    """Return what a file's edit changes, as JSON."""
    found = file.report
    return {
        "source": str(file.path),
        "changes": [value.document for value in found.values],
        "count": found.value_count,
        "ranges": [*range_rows(found.ranges)],
        "identical": not file.is_changed,
        "diagnostics": [*map(diagnostic_document, found.added)],
        "mended": [*map(diagnostic_document, found.mended)],
        "made": [*map(str, file.made)],
        "offered": [*map(str, file.offered)],
        "notes": [*map(str, file.notes)],
    }


def range_rows(splices: Splices) -> Iterator[dict[str, Any]]:
    """Yield the replaced ranges of a file; their bytes are left out above `HEX_LIMIT`."""
    for part in splices:
        size = max(len(part.before), len(part.after))
        shown = {"before": part.before.hex(), "after": part.after.hex()} if size <= HEX_LIMIT else {}
        yield {"offset": part.offset, "size": len(part.before), **shown}


def lines(file: EditedFile) -> Iterator[str]:
    """Yield the same as text."""
    if not file.is_changed:
        yield f"{file.path}: no byte changes"
        return
    found = file.report
    shown = found.values[:SHOWN_CHANGES]
    for value in shown:
        yield change_line(value, is_inside=value.address != str(file.path))
    if found.value_count > len(shown):
        yield f"and {found.value_count - len(shown)} more; --json lists them"
    if file.made:
        yield f"with them: {', '.join(file.made)}"
    if file.offered:
        yield f"left as they were: {', '.join(file.offered)}"
    yield from file.notes
    ranges, size = len(found.ranges), found.byte_count
    yield f"{counted(ranges, 'range')}, {counted(size, 'byte')}; everything else identical"


def counted(number: int, thing: str) -> str:
    """Return a number of things."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def change_line(value: ChangedValue, *, is_inside: bool) -> str:
    """Return a changed field as text: ``batches[3].flags: 0 -> 8``."""
    place = str(value.place) if is_inside else value.place.spot
    name = f" ({value.name})" if value.name else ""
    if not value.field and value.what is not What.CHANGED:
        return f"{place}{name}: {value.what}"
    return f"{place}{name}: {text_table.cell(value.before)} -> {text_table.cell(value.after)}"
