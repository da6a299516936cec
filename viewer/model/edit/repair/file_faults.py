"""Repairs of containers (mark, version, sort indices, padding, names) and of wear tables.

Source: spec/nres.md 1, 4; spec/materials.md 2.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Final

import numpy as np

from viewer.errors import FormatError
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.archive.nres import ALIGNMENT, ENTRY, HEADER, MAGIC, NAME_SIZE, VERSION
from viewer.formats.splice import Splice
from viewer.formats.wear import COUNT, ROW
from viewer.model.edit.archive.names import order_of
from viewer.model.edit.draft import Draft

_HEADING: Final = re.compile(rb"(?<!\S)LIGHTMAPS(?!\S)", re.IGNORECASE)


def repair_counts(draft: Draft) -> None:
    """State as many rows as there are, in both sections (W02, W03)."""
    data = bytes(draft.data)
    heading = _HEADING.search(data)
    starts = [0] if heading is None else [0, heading.end()]
    draft.splice(splice.ordered(found for start in starts for found in _repaired(data, start)))


def _repaired(data: bytes, start: int) -> list[Splice]:
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


def repair_lightmaps(draft: Draft) -> None:
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


def repair_magic(draft: Draft) -> None:
    """Set mark and version of what has the mark in other letters, or another version (N01)."""
    start = bytes(draft.data[:8])
    if len(start) == 8 and start[:4].upper() == MAGIC.upper():
        draft.write(0, MAGIC + VERSION.to_bytes(4, "little"))


def repair_extent(draft: Draft) -> None:
    """State the size of the file, and as many entries as its last bytes are a directory of (N02 to N04).

    Nothing changes in a container that can be read, or without a directory at its end.
    """
    data = draft.data
    with suppress(FormatError):
        nres.Archive.read(data)
        return
    stated = HEADER.read(data)
    for count in (int(stated["entry_count"]), *range(len(data) // ENTRY.size, 0, -1)):
        if count > 0 and _is_directory(data, len(data) - count * ENTRY.size):
            row = np.array(stated, HEADER.dtype)
            row["entry_count"], row["total_size"] = count, len(data)
            draft.write(0, row.tobytes())
            return


def _is_directory(data: memoryview, start: int) -> bool:
    """Whether the bytes from an offset to the end are entries whose payloads end there."""
    if start < HEADER.size:
        return False
    rows = ENTRY.view(data, offset=start)
    begin, size = rows["data_offset"].astype(np.int64), rows["size"].astype(np.int64)
    is_inside = (begin >= HEADER.size) & (begin + size <= start)
    if not is_inside.all() or start - int((begin + size).max()) >= ALIGNMENT:
        return False
    return sorted(rows["sort_index"].tolist()) == [*range(len(rows))]


def repair_sort_indices(draft: Draft) -> None:
    """Set the sort indices to the order of the names (N08, N09)."""
    archive = nres.Archive.read(draft.data)
    rows = archive.rows.copy()
    rows["sort_index"] = order_of(rows)
    draft.write(archive.directory_offset, rows.tobytes())


def repair_names(draft: Draft) -> None:
    """Set the last byte of names without a NUL to one (N06)."""
    archive = nres.Archive.read(draft.data)
    rows = archive.rows.copy()
    for row in range(len(rows)):
        name = rows["name"][row].tobytes()
        if b"\0" not in name:
            rows["name"][row] = name[: NAME_SIZE - 1]
    draft.write(archive.directory_offset, rows.tobytes())


def repair_padding(draft: Draft) -> None:
    """Set the padding up to the next aligned payload, or to the directory, to zero (N12)."""
    archive = nres.Archive.read(draft.data)
    starts = archive.rows["data_offset"].astype(np.int64)
    ends = starts + archive.rows["size"]
    is_inside = (starts >= HEADER.size) & (ends <= archive.directory_offset) & (ends > starts)
    order = np.argsort(starts[is_inside], kind="stable")
    starts, ends = starts[is_inside][order], ends[is_inside][order]
    reached = np.maximum.accumulate(np.append(HEADER.size, ends))
    after = bytearray(draft.data)
    for start, end in zip(reached.tolist(), [*starts.tolist(), archive.directory_offset], strict=True):
        if 0 < end - start == -start % ALIGNMENT:
            after[start:end] = bytes(end - start)
    draft.splice(splice.between(draft.data, after))
