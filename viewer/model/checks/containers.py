"""Rules of containers: NRes archives (N05 to N14), and packed libraries (R07: every member is unpacked).

LIB01, without a number in the specification, reports a library of materials or textures of an early build.
N01 to N04, R01 and R02 are errors of the reader; N03 (bytes after the end), N05, N06, R03 to R06 and R08 are
reported by it.

Source: spec/nres.md 4; spec/rsli.md 6; spec/field-notes.md 8.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import numpy as np
from msgspec.structs import replace

from viewer.diagnostics import NAMED_ROWS, Diagnostic
from viewer.errors import FormatError, Severity
from viewer.formats.archive import nres, rsli
from viewer.formats.archive.nres import ALIGNMENT, ENTRY, Archive
from viewer.formats.archive.payload_ranges import PayloadRanges
from viewer.formats.archive.rsli import LZHUF, MAX_UNPACKED, PackedLibrary
from viewer.formats.findings import Findings, Rule
from viewer.formats.text import fold
from viewer.geometry.transforms import Indices
from viewer.model.checks.joined_tables import Directories
from viewer.model.checks.rules import Rules, findings
from viewer.model.game.registry import LIBRARIES

_TABLE: Final = ENTRY.name
CONTAINER: Final = Rules[Directories]()
"""Rules of every container."""
NAMED: Final = Rules[Directories]()
"""Rules of containers whose entries are looked up by name."""


def check(archive: Archive, *, has_names: bool = True) -> list[Diagnostic]:
    """Diagnostics of a container; `has_names` is False if entries are looked up by type."""
    rules = [*CONTAINER.all, *NAMED.all] if has_names else CONTAINER.all
    return findings(rules, Directories([archive]))[0]


@CONTAINER.rule
def bytes_after_container(it: Directories) -> Findings:
    """Bytes after the container (N03)."""
    sizes = ([len(archive.data) for archive in it.archives], [archive.total_size for archive in it.archives])
    return nres.bytes_after(*np.array(sizes, np.int64))


@CONTAINER.rule
def unreadable_entries(it: Directories) -> Findings:
    """Payloads outside the data area and endless names (N05, N06)."""
    return nres.unreadable_entries(it.rows, it.counts, it.limit)


@CONTAINER.rule
def sort_table(it: Directories) -> Findings:
    """Sort tables that are no permutation (N08), or not in the order of the names (N09)."""
    stored = it.rows["sort_index"].astype(np.int64)
    at, is_outside = it.of_rows(it.starts) + stored, stored >= it.of_rows(it.counts)
    is_met = np.zeros(len(stored), np.bool_)
    is_met[at[~is_outside]] = True
    if np.count_nonzero(is_met) < len(stored):
        is_broken = np.zeros(len(it.counts), np.bool_)
        is_broken[it.owner[~is_met]] = True
        # Directory and value in one number, as the same value in two directories is no repetition.
        repeats = np.ones(len(stored), np.bool_)
        repeats[np.unique(it.owner << 32 | stored, return_index=True)[1]] = False
        is_wrong = (is_outside | repeats) & is_broken[it.owner]
        words = "{value} is out of range or repeats an earlier one"
        yield from Rule("N08", _TABLE, "sort_index").in_joined(is_wrong, it.counts, words, value=stored)
        at[is_broken[it.owner]] = 0  # a broken table has no order that could be wrong
    ordered = it.names[at]
    is_wrong = np.zeros(len(stored), np.bool_)
    is_wrong[1:] = (ordered[:-1] > ordered[1:]) & (it.owner[:-1] == it.owner[1:])
    rule = Rule("N09", _TABLE, "sort_index", Severity.WARNING)
    yield from rule.in_joined(is_wrong, it.counts, "{value} is not in name order", value=stored)


@CONTAINER.rule
def alignment(it: Directories) -> Findings:
    """Payloads that are not aligned (N11)."""
    end = it.offset + it.rows["size"]
    is_read = (it.offset >= nres.HEADER.size) & (end <= it.of_rows(it.limit)) & (it.rows["size"] > 0)
    is_odd = is_read & (it.offset % ALIGNMENT != 0)
    rule = Rule("N11", _TABLE, "data_offset", Severity.WARNING)
    words = "{offset} is not a multiple of {alignment}"
    yield from rule.in_joined(is_odd, it.counts, words, offset=it.offset, alignment=ALIGNMENT)


@CONTAINER.rule
def overlaps(it: Directories) -> Findings:
    """Payloads that start inside another one (N10)."""
    over = _holders(it.ranges)
    is_over = np.zeros(len(it.rows), np.bool_)
    is_over[[*over]] = True
    yield from Rule("N10", _TABLE, "data_offset").in_joined(
        is_over,
        it.counts,
        "{offset} is inside entry {other}, which ends at {end}",
        offset=it.offset,
        other=lambda row: it.place[over[row]],
        end=lambda row: it.offset[over[row]] + it.rows["size"][over[row]],
    )


def overlapping(archive: Archive) -> dict[int, int]:
    """Entries whose payload starts inside another one, by directory index, with the index of that one."""
    return _holders(PayloadRanges.of(archive))


def _holders(ranges: PayloadRanges) -> dict[int, int]:
    """The entries that start inside another one, with that one, as rows of the joined directories."""
    before = ranges.reached
    over = np.flatnonzero(ranges.starts < before)
    if not len(over):
        return {}
    # The number of the range that has reached farthest so far.
    farthest = np.maximum.accumulate(np.where(ranges.ends > before, np.arange(len(before)), 0))
    holders = ranges.entries[farthest[over - 1]]
    return dict(zip(ranges.entries[over].tolist(), holders.tolist(), strict=True))


@CONTAINER.rule
def gaps(it: Directories) -> Findings:
    """Padding that is not zero (N12), and bytes that belong to no entry (N13)."""
    reached = it.ranges.reached
    sizes = np.maximum(it.ranges.starts - reached, 0)
    # Exactly the bytes up to the next aligned offset, -13 % 8 is 3; a larger gap may hold something.
    is_padding = (sizes > 0) & (sizes == -reached % ALIGNMENT)
    # The base of a container is that of the last one that begins before the range.
    owner = np.searchsorted(it.ranges.base, reached, side="right") - 1
    start = reached - it.ranges.base[owner]
    padded = np.flatnonzero(is_padding)
    ends = np.searchsorted(owner[padded], np.arange(len(it.counts)), side="right").tolist()
    rule = Rule("N12", _TABLE, severity=Severity.WARNING)
    for subject, (first, behind) in enumerate(pairwise((0, *ends))):
        some = padded[first:behind]
        if len(some):
            archive = it.archives[subject]
            if dirty := _not_zero(archive, start[some], sizes[some]):
                yield subject, _dirty(rule, archive, dirty)
    unindexed = np.bincount(owner[~is_padding], sizes[~is_padding], len(it.counts)).astype(np.int64)
    rule, words = Rule("N13", _TABLE, severity=Severity.INFO), "{count} bytes belong to no entry"
    yield from rule.of_subjects(unindexed > 0, words, count=unindexed)


def _not_zero(archive: Archive, starts: Indices, sizes: Indices) -> list[tuple[int, int]]:
    """Start and size of the paddings that are not zero."""
    paddings = zip(starts.tolist(), sizes.tolist(), strict=True)
    return [(start, size) for start, size in paddings if any(archive.data[start : start + size])]


def _dirty(rule: Rule, archive: Archive, paddings: list[tuple[int, int]]) -> list[Diagnostic]:
    found = []
    for start, size in paddings[:NAMED_ROWS]:
        values = bytes(archive.data[start : start + size]).hex(" ")
        found.append(rule.finding("padding at {offset} is {bytes}", offset=start, bytes=values))
    if len(paddings) > NAMED_ROWS:
        count = len(paddings) - NAMED_ROWS
        found.append(rule.finding("and {count} more paddings like these", count=count))
    return found


@NAMED.rule
def names(it: Directories) -> Findings:
    """Empty names (N07), and names that an earlier entry has (N14)."""
    empty, repeated = (Rule(number, _TABLE, "name", Severity.WARNING) for number in ("N07", "N14"))
    # Directory and name, as the same name in two directories is no repetition.
    named = [*zip(it.owner.tolist(), it.names.tolist(), strict=True)]
    first = {name: row for row, name in reversed([*enumerate(named)])}
    is_empty = it.names == b""
    is_repeated = np.array([first[name] != row for row, name in enumerate(named)], np.bool_) & ~is_empty
    words = "duplicate name {name!r}: entry {other} has it too and is found first"
    yield from empty.in_joined(is_empty, it.counts, "the name is empty")
    yield from repeated.in_joined(
        is_repeated,
        it.counts,
        words,
        name=lambda row: it.archives[int(it.owner[row])].entry(int(it.place[row])).text,
        other=lambda row: it.place[first[named[row]]],
    )


ALLOWANCE: Final = 64 << 20
"""Most bytes that the members of one library may unpack to; further members stay packed."""
TREE_COST: Final = 8
"""Weight of a byte that is decoded with an adaptive tree."""

KNOWN_QUIRK: Final = (b"sprites.lib", b"INTERF8.TEX")
"""The only entry of the game known to extend one byte past the end of its file."""

_LIBRARIES: Final = frozenset(map(fold, LIBRARIES))

Member = tuple[int, memoryview | None, tuple[Diagnostic, ...]]


def members(archive: PackedLibrary) -> Iterator[Member]:
    """Index of every member, the bytes that could be unpacked (or None), and its diagnostics."""
    left = ALLOWANCE
    for entry in archive.entries:
        if entry.unpacked_size <= MAX_UNPACKED:  # else it is refused anyway
            left -= entry.unpacked_size * (TREE_COST if entry.method & LZHUF else 1)
        if left >= 0:
            yield (entry.index, *_unpack(archive, entry.index))
        else:
            rule = Rule("R07", rsli.ENTRY.name, "unpacked_size")
            words = "left packed: the library unpacks to more than {limit} bytes"
            yield entry.index, None, (rule.finding(words, entry.index, limit=ALLOWANCE),)


def accept_known(archive: PackedLibrary, name: bytes) -> list[Diagnostic]:
    """The diagnostics of the reader, with a lower severity for the one known exception (R05), and LIB01.

    `name` is the name of the library's file.
    """
    found = [_soften(finding, archive, name) for finding in archive.diagnostics]
    if fold(name) not in _LIBRARIES:
        return found
    words = "a packed library (RsLi), as in an early build; names are not looked up in it"
    return [Rule("LIB01", severity=Severity.WARNING).finding(words), *found]


def _soften(finding: Diagnostic, archive: PackedLibrary, name: bytes) -> Diagnostic:
    if finding.rule != "R05" or finding.index is None:
        return finding
    entry = archive.entries[finding.index]
    is_known = entry.available is not None and (fold(name), entry.name) == KNOWN_QUIRK
    return replace(finding, severity=Severity.INFO) if is_known else finding


def _unpack(archive: PackedLibrary, index: int) -> tuple[memoryview | None, tuple[Diagnostic, ...]]:
    try:
        unpacked = archive.unpack(index)
    except FormatError as error:
        return None, (Diagnostic.of(error),)
    return memoryview(unpacked.data), unpacked.diagnostics
