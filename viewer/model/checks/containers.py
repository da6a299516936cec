"""Rules N05 to N14: names, sort table and ranges of a container.

N01 to N04 are errors of the reader; N03 (bytes after the end), N05 and N06 are reported by it.

Source: spec/nres.md 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from viewer.errors import NAMED_ROWS, Diagnostic, Severity
from viewer.formats.archive.nres import ALIGNMENT, ENTRY, HEADER, NAME_SIZE, Archive
from viewer.formats.findings import findings
from viewer.formats.text import folded_bytes, names_of
from viewer.translation import Sentence

_TABLE = ENTRY.name

Indices = npt.NDArray[np.int64]


def check(archive: Archive, *, has_names: bool = True) -> list[Diagnostic]:
    """Diagnostics of a container; `has_names` is False if entries are looked up by type."""
    names: list[bytes] = folded_bytes(names_of(archive.rows["name"])).view(f"S{NAME_SIZE}").ravel().tolist()
    found = [*archive.diagnostics, *_sort_table(archive, names), *_ranges(archive)]
    return [*found, *_names(archive, names)] if has_names else found


def _names(archive: Archive, names: list[bytes]) -> list[Diagnostic]:
    first = {name: index for index, name in reversed(list(enumerate(names)))}
    is_empty = np.array([not name for name in names], np.bool_)
    is_repeated = np.array([first[name] != index for index, name in enumerate(names)], np.bool_) & ~is_empty
    return [
        *findings("N07", Severity.WARNING, _TABLE, is_empty, lambda _: Sentence("the name is empty"), "name"),
        *findings(
            "N14",
            Severity.WARNING,
            _TABLE,
            is_repeated,
            lambda row: Sentence(
                "duplicate name {name!r}: entry {other} has it too and is found first",
                name=archive.entry(row).text,
                other=first[names[row]],
            ),
            "name",
        ),
    ]


def _sort_table(archive: Archive, names: list[bytes]) -> list[Diagnostic]:
    stored = archive.rows["sort_index"].astype(np.int64)
    if not np.array_equal(np.sort(stored), np.arange(len(stored))):
        return findings(
            "N08",
            Severity.ERROR,
            _TABLE,
            _breaks_permutation(stored),
            lambda row: Sentence("{value} is out of range or repeats an earlier one", value=int(stored[row])),
            "sort_index",
        )
    ordered = [names[index] for index in stored.tolist()]
    is_wrong = np.array([False, *(before > after for before, after in pairwise(ordered))], np.bool_)
    return findings(
        "N09",
        Severity.WARNING,
        _TABLE,
        is_wrong[: len(stored)],
        lambda row: Sentence("{value} is not in name order", value=int(stored[row])),
        "sort_index",
    )


def _breaks_permutation(stored: Indices) -> npt.NDArray[np.bool_]:
    is_wrong = stored >= len(stored)
    _, first = np.unique(stored, return_index=True)
    is_first = np.zeros(len(stored), np.bool_)
    is_first[first] = True
    return is_wrong | ~is_first


@dataclass(frozen=True, slots=True)
class _Ranges:
    """The payloads that are inside the container and not empty, by their offsets, (n,) int64."""

    entries: Indices
    starts: Indices
    ends: Indices

    @classmethod
    def of(cls, archive: Archive) -> _Ranges:
        """Return the ranges of an archive; of two with the same offset the first entry is first."""
        starts = archive.rows["data_offset"].astype(np.int64)
        ends = starts + archive.rows["size"]
        is_inside = (starts >= HEADER.size) & (ends <= archive.directory_offset) & (ends > starts)
        kept = np.flatnonzero(is_inside)
        order = kept[np.argsort(starts[kept], kind="stable")]
        return cls(order, starts[order], ends[order])

    @property
    def reached(self) -> Indices:
        """The end of all data before each range, and after the last, (n + 1,)."""
        return np.maximum.accumulate(np.append(HEADER.size, self.ends))


def _ranges(archive: Archive) -> Iterator[Diagnostic]:
    """Overlaps, alignment and gaps of the payloads."""
    ranges = _Ranges.of(archive)
    is_odd = np.zeros(len(archive.rows), np.bool_)
    is_odd[ranges.entries[ranges.starts % ALIGNMENT != 0]] = True
    yield from findings(
        "N11",
        Severity.WARNING,
        _TABLE,
        is_odd,
        lambda row: Sentence(
            "{offset} is not a multiple of {alignment}", offset=archive.entry(row).offset, alignment=ALIGNMENT
        ),
        "data_offset",
    )
    yield from _overlaps(archive)
    yield from _gaps(archive, ranges)


def overlapping(archive: Archive) -> dict[int, int]:
    """Entries whose payload starts inside another one, by directory index, with the index of that one."""
    ranges = _Ranges.of(archive)
    before = ranges.reached[:-1]
    is_farthest = ranges.ends > before
    farthest = np.maximum.accumulate(np.where(is_farthest, np.arange(len(before)), 0))
    over = np.flatnonzero((ranges.starts < before) & (np.arange(len(before)) > 0))
    holders = ranges.entries[farthest[over - 1]]
    return dict(zip(ranges.entries[over].tolist(), holders.tolist(), strict=True))


def _overlaps(archive: Archive) -> list[Diagnostic]:
    over = overlapping(archive)
    is_over = np.zeros(len(archive.rows), np.bool_)
    is_over[list(over)] = True
    return findings(
        "N10",
        Severity.ERROR,
        _TABLE,
        is_over,
        lambda row: Sentence(
            "{offset} is inside entry {other}, which ends at {end}",
            offset=archive.entry(row).offset,
            other=over[row],
            end=archive.entry(over[row]).end,
        ),
        "data_offset",
    )


def _gaps(archive: Archive, ranges: _Ranges) -> Iterator[Diagnostic]:
    """Padding that is not zero, and bytes that belong to no entry."""
    starts, reached = np.append(ranges.starts, archive.directory_offset), ranges.reached
    sizes = np.maximum(starts - reached, 0)
    is_padding = (sizes > 0) & (sizes == -reached % ALIGNMENT)
    dirty = _not_zero(archive, reached[is_padding], sizes[is_padding])
    for start, size in dirty[:NAMED_ROWS].tolist():
        values = bytes(archive.data[start : start + size]).hex(" ")
        yield _gap(
            "N12", Severity.WARNING, Sentence("padding at {offset} is {bytes}", offset=start, bytes=values)
        )
    if len(dirty) > NAMED_ROWS:
        more = Sentence("and {count} more paddings like these", count=len(dirty) - NAMED_ROWS)
        yield _gap("N12", Severity.WARNING, more)
    unindexed = int(sizes[~is_padding].sum())
    if unindexed:
        yield _gap("N13", Severity.INFO, Sentence("{count} bytes belong to no entry", count=unindexed))


def _not_zero(archive: Archive, starts: Indices, sizes: Indices) -> Indices:
    """Start and size of the paddings that are not zero, (k, 2)."""
    data = np.frombuffer(archive.data, np.uint8)
    is_dirty = np.zeros(len(starts), np.bool_)
    for position in range(ALIGNMENT - 1):
        has = np.flatnonzero(sizes > position)
        is_dirty[has] |= data[starts[has] + position] != 0
    return np.stack((starts[is_dirty], sizes[is_dirty]), axis=1)


def _gap(rule: str, severity: Severity, message: str) -> Diagnostic:
    return Diagnostic(rule, severity, message, _TABLE)
