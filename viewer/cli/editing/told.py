"""What an edit changes, as JSON and as lines: fields, byte ranges, diagnostics that it adds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from viewer.cli import output, text_table
from viewer.cli.editing.edited import EditedFile
from viewer.formats.splice import Splices
from viewer.model.compare.differences import What
from viewer.model.compare.edit_report import ChangedValue, diagnostic_document
from viewer.model.edit.composites import stored_name

HEX_LIMIT: Final = 64
"""Bytes of a range that are shown."""
SHOWN_CHANGES: Final = 50
"""Fields that a terminal lists unless all are requested."""


@dataclass(frozen=True, slots=True)
class ToldEdit:
    """An edited file, and what is said about it."""

    edited: EditedFile

    @property
    def document(self) -> dict[str, Any]:
        """What the edit changes, as JSON."""
        found = self.edited.report
        return {
            "source": str(self.edited.path),
            "changes": (_printed(value).document for value in found.each_value()),
            "count": found.value_count,
            "summary": [*map(str, found.summary)],
            "renumbered": [*found.renumbered],
            "ranges": [*range_rows(found.ranges)],
            "identical": not self.edited.is_changed,
            "diagnostics": [*map(diagnostic_document, found.added)],
            "mended": [*map(diagnostic_document, found.mended)],
            "made": [*map(str, self.edited.made)],
            "offered": [*map(str, self.edited.offered)],
            "notes": [*map(str, self.edited.notes)],
        }

    @property
    def lines(self) -> Iterator[str]:
        """The same as text."""
        file, found = self.edited, self.edited.report
        if not file.is_changed:
            yield from file.notes
            yield f"{file.path}: no byte changes"
            return
        yield from found.summary
        limit = output.most_shown(SHOWN_CHANGES)
        shown = [*islice(found.each_run(), limit)]
        for value in shown:
            yield change_line(_printed(value), is_inside=value.address != str(file.path))
        if left := found.shown_count - sum(value.count for value in shown):
            yield f"and {left} more; -v lists them all"
        if file.made:
            yield f"with them: {', '.join(file.made)}"
        if file.offered:
            yield f"left as they were: {', '.join(file.offered)}"
        yield from file.notes
        ranges, size = counted(len(found.ranges), "range"), counted(found.byte_count, "byte")
        yield f"{ranges}, {size}; everything else identical"


def _printed(value: ChangedValue) -> ChangedValue:
    """The value under the name that ``inspect`` prints for it as it is stored: ``quaternion_raw``."""
    return replace(value, field=stored_name(value.table, value.field))


def range_rows(splices: Splices) -> Iterator[dict[str, Any]]:
    """Yield the replaced ranges of a file; their bytes are left out above `HEX_LIMIT`."""
    for part in splices:
        size = max(len(part.before), len(part.after))
        shown = {"before": part.before.hex(), "after": part.after.hex()} if size <= HEX_LIMIT else {}
        yield {"offset": part.offset, "size": len(part.before), **shown}


def counted(number: int, thing: str) -> str:
    """Return a number of things."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def change_line(value: ChangedValue, *, is_inside: bool) -> str:
    """Return a changed field as text: ``batches[3].flags: 0 -> 8``."""
    place = f"{value.address}: {value.spot}" if is_inside else value.spot
    name = f" ({value.name})" if value.name else ""
    if not value.field and value.what is not What.CHANGED:
        return f"{place}{name}: {value.what}"
    return f"{place}{name}: {text_table.cell(value.before)} -> {text_table.cell(value.after)}"
