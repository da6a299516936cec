"""Faults of wear tables: stated numbers of rows, empty sections of lightmaps.

Source: spec/materials.md 2.
"""

from __future__ import annotations

import re
from typing import Final

from viewer.formats import splice
from viewer.formats.splice import Splice
from viewer.formats.wear import COUNT, ROW
from viewer.model.edit.draft import Draft

_HEADING: Final = re.compile(rb"(?<!\S)LIGHTMAPS(?!\S)", re.IGNORECASE)


def mend_counts(draft: Draft) -> None:
    """State as many rows as there are, in both sections (W02, W03)."""
    data = bytes(draft.data)
    heading = _HEADING.search(data)
    starts = [0] if heading is None else [0, heading.end()]
    draft.splice(splice.ordered(found for start in starts for found in _mended(data, start)))


def _mended(data: bytes, start: int) -> list[Splice]:
    """What replaces the stated number of a section that has rows."""
    header = COUNT.match(data, start)
    if header is None:
        return []
    rows, end = 0, header.end()
    while (row := ROW.match(data, end)) is not None and row.end() > end:
        rows, end = rows + 1, row.end()
    if not rows or rows == int(header["count"]):
        return []
    return [Splice(header.start("count"), header["count"], b"%d" % rows)]


def mend_lightmaps(draft: Draft) -> None:
    """Remove a section of lightmaps that has no rows, with the blank line before it (W04)."""
    data = bytes(draft.data)
    heading = _HEADING.search(data)
    if heading is None:
        return
    header = COUNT.match(data, heading.end())
    rest = data[heading.end() if header is None else header.end() :]
    if (header is not None and int(header["count"]) > 0) or rest.strip():
        return
    start = len(data[: heading.start()].rstrip(b"\r\n \t"))
    start += len(data[start:]) - len(data[start:].lstrip(b" \t"))
    line_end = re.compile(rb"[ \t\r]*\n|").match(data, start)
    start = line_end.end() if line_end else start
    draft.splice((Splice(start, data[start:], b""),))
