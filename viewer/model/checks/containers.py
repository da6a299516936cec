"""Rules N05 to N14: names, sort table and ranges of a container.

N01 to N04 are errors of the reader; N03 (bytes after the end), N05 and N06 are reported by it.

Source: spec/nres.md 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from viewer.errors import Diagnostic, Severity
from viewer.formats.archive.nres import ALIGNMENT, ENTRY, HEADER, Archive, Entry
from viewer.formats.findings import findings
from viewer.formats.text import fold
from viewer.translation import Sentence

_TABLE = ENTRY.name


def check(archive: Archive, *, has_names: bool = True) -> list[Diagnostic]:
    """Diagnostics of a container; `has_names` is False if entries are looked up by type."""
    found = [*archive.diagnostics, *_sort_table(archive), *_ranges(archive)]
    return [*found, *_names(archive)] if has_names else found


def _names(archive: Archive) -> list[Diagnostic]:
    folded = [fold(entry.name) for entry in archive.entries]
    first = {name: index for index, name in reversed(list(enumerate(folded)))}
    is_empty = np.array([not name for name in folded], np.bool_)
    is_repeated = np.array([first[name] != index for index, name in enumerate(folded)], np.bool_) & ~is_empty
    return [
        *findings("N07", Severity.WARNING, _TABLE, is_empty, lambda _: Sentence("the name is empty"), "name"),
        *findings(
            "N14", Severity.WARNING, _TABLE, is_repeated, lambda row: _repeats(archive, row, first), "name"
        ),
    ]


def _repeats(archive: Archive, row: int, first: dict[bytes, int]) -> str:
    entry = archive.entries[row]
    other = first[fold(entry.name)]
    return Sentence(
        "duplicate name {name!r}: entry {other} has it too and is found first", name=entry.text, other=other
    )


def _sort_table(archive: Archive) -> list[Diagnostic]:
    stored = [entry.sort_index for entry in archive.entries]
    count = len(stored)
    if sorted(stored) != list(range(count)):
        return findings(
            "N08",
            Severity.ERROR,
            _TABLE,
            _breaks_permutation(stored),
            lambda row: Sentence("{value} is out of range or repeats an earlier one", value=int(stored[row])),
            "sort_index",
        )
    names = [fold(archive.entries[index].name) for index in stored]
    is_wrong = np.array([False, *(before > after for before, after in pairwise(names))], np.bool_)[:count]
    return findings(
        "N09",
        Severity.WARNING,
        _TABLE,
        is_wrong,
        lambda row: Sentence("{value} is not in name order", value=int(stored[row])),
        "sort_index",
    )


def _breaks_permutation(stored: list[int]) -> npt.NDArray[np.bool_]:
    order = np.array(stored, np.int64)
    is_wrong = order >= len(order)
    _, first = np.unique(order, return_index=True)
    is_first = np.zeros(len(order), np.bool_)
    is_first[first] = True
    return is_wrong | ~is_first


def _ranges(archive: Archive) -> Iterator[Diagnostic]:
    """Overlaps, alignment and gaps of the payloads."""
    entries = _by_offset(archive)
    is_odd = np.zeros(len(archive.entries), np.bool_)
    is_odd[[entry.index for entry in entries if entry.offset % ALIGNMENT]] = True
    yield from findings(
        "N11", Severity.WARNING, _TABLE, is_odd, lambda row: _offset_text(archive.entries[row]), "data_offset"
    )
    yield from _overlaps(archive)
    yield from _gaps(archive, entries)


def _by_offset(archive: Archive) -> list[Entry]:
    return sorted(
        (entry for entry in archive.entries if not entry.is_damaged and entry.size),
        key=lambda entry: (entry.offset, entry.index),
    )


def _offset_text(entry: Entry) -> str:
    return Sentence("{offset} is not a multiple of {alignment}", offset=entry.offset, alignment=ALIGNMENT)


def overlapping(archive: Archive) -> dict[int, Entry]:
    """Entries whose payload starts inside another one, by directory index, with the other entry."""
    over: dict[int, Entry] = {}
    farthest: Entry | None = None
    for entry in _by_offset(archive):
        if farthest is not None and entry.offset < farthest.end:
            over[entry.index] = farthest
        if farthest is None or entry.end > farthest.end:
            farthest = entry
    return over


def _overlaps(archive: Archive) -> list[Diagnostic]:
    over = overlapping(archive)
    is_over = np.zeros(len(archive.entries), np.bool_)
    is_over[list(over)] = True
    return findings(
        "N10",
        Severity.ERROR,
        _TABLE,
        is_over,
        lambda row: Sentence(
            "{offset} is inside entry {other}, which ends at {end}",
            offset=archive.entries[row].offset,
            other=over[row].index,
            end=over[row].end,
        ),
        "data_offset",
    )


def _gaps(archive: Archive, entries: list[Entry]) -> Iterator[Diagnostic]:
    cursor = HEADER.size
    unindexed = 0
    for start, end in [*((entry.offset, entry.end) for entry in entries), (archive.directory_offset,) * 2]:
        gap = archive.data[cursor:start]
        if gap and len(gap) == -cursor % ALIGNMENT:
            if any(gap):
                yield _gap(
                    "N12",
                    Severity.WARNING,
                    Sentence("padding at {offset} is {bytes}", offset=cursor, bytes=bytes(gap).hex(" ")),
                )
        else:
            unindexed += len(gap)
        cursor = max(cursor, end)
    if unindexed:
        yield _gap("N13", Severity.INFO, Sentence("{count} bytes belong to no entry", count=unindexed))


def _gap(rule: str, severity: Severity, message: str) -> Diagnostic:
    return Diagnostic(rule, severity, message, _TABLE)
