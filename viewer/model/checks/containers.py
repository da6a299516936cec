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
import numpy.typing as npt

from viewer.dataclass import replace
from viewer.errors import NAMED_ROWS, Diagnostic, FormatError, Severity
from viewer.formats.archive import rsli
from viewer.formats.archive.nres import ALIGNMENT, ENTRY, NAME_SIZE, Archive, PayloadRanges
from viewer.formats.archive.rsli import LZHUF, MAX_UNPACKED, PackedLibrary
from viewer.formats.findings import Rule
from viewer.formats.text import fold, folded_bytes, names_of
from viewer.model.game.registry import LIBRARIES

_TABLE: Final = ENTRY.name

Indices = npt.NDArray[np.int64]


def check(archive: Archive, *, has_names: bool = True) -> list[Diagnostic]:
    """Diagnostics of a container; `has_names` is False if entries are looked up by type."""
    # All names at once: numpy's S drops the zeros at the end, so the padding is gone.
    names: list[bytes] = folded_bytes(names_of(archive.rows["name"])).view(f"S{NAME_SIZE}").ravel().tolist()
    found = [*archive.diagnostics, *_sort_table(archive, names), *_ranges(archive)]
    return [*found, *_names(archive, names)] if has_names else found


def _names(archive: Archive, names: list[bytes]) -> list[Diagnostic]:
    first = {name: index for index, name in reversed(list(enumerate(names)))}
    is_empty = np.array([not name for name in names], np.bool_)
    is_repeated = np.array([first[name] != index for index, name in enumerate(names)], np.bool_) & ~is_empty
    empty, repeated = (Rule(it, _TABLE, "name", Severity.WARNING) for it in ("N07", "N14"))
    words = "duplicate name {name!r}: entry {other} has it too and is found first"

    def name(row: int) -> str:
        return archive.entry(row).text

    return [
        *empty.in_rows(is_empty, "the name is empty"),
        *repeated.in_rows(is_repeated, words, name=name, other=lambda row: first[names[row]]),
    ]


def _sort_table(archive: Archive, names: list[bytes]) -> list[Diagnostic]:
    stored = archive.rows["sort_index"].astype(np.int64)
    if not np.array_equal(np.sort(stored), np.arange(len(stored))):
        repeats = np.ones(len(stored), np.bool_)
        repeats[np.unique(stored, return_index=True)[1]] = False
        rule = Rule("N08", _TABLE, "sort_index")
        words = "{value} is out of range or repeats an earlier one"
        return rule.in_rows((stored >= len(stored)) | repeats, words, value=stored)
    ordered = [names[index] for index in stored.tolist()]
    is_wrong = np.array([False, *(before > after for before, after in pairwise(ordered))], np.bool_)
    rule = Rule("N09", _TABLE, "sort_index", Severity.WARNING)
    return rule.in_rows(is_wrong[: len(stored)], "{value} is not in name order", value=stored)


def _ranges(archive: Archive) -> Iterator[Diagnostic]:
    """Overlaps, alignment and gaps of the payloads."""
    ranges = PayloadRanges.of(archive)
    is_odd = np.zeros(len(archive.rows), np.bool_)
    is_odd[ranges.entries[ranges.starts % ALIGNMENT != 0]] = True
    rule = Rule("N11", _TABLE, "data_offset", Severity.WARNING)
    words = "{offset} is not a multiple of {alignment}"
    yield from rule.in_rows(is_odd, words, offset=archive.rows["data_offset"], alignment=ALIGNMENT)
    over = overlapping(archive)
    is_over = np.zeros(len(archive.rows), np.bool_)
    is_over[list(over)] = True
    yield from Rule("N10", _TABLE, "data_offset").in_rows(
        is_over,
        "{offset} is inside entry {other}, which ends at {end}",
        offset=archive.rows["data_offset"],
        other=over.__getitem__,
        end=lambda row: archive.entry(over[row]).end,
    )
    yield from _gaps(archive, ranges)


def overlapping(archive: Archive) -> dict[int, int]:
    """Entries whose payload starts inside another one, by directory index, with the index of that one."""
    ranges = PayloadRanges.of(archive)
    before = ranges.reached[:-1]
    is_farthest = ranges.ends > before
    # The number of the range that has reached farthest so far.
    farthest = np.maximum.accumulate(np.where(is_farthest, np.arange(len(before)), 0))
    over = np.flatnonzero((ranges.starts < before) & (np.arange(len(before)) > 0))
    holders = ranges.entries[farthest[over - 1]]
    return dict(zip(ranges.entries[over].tolist(), holders.tolist(), strict=True))


def _gaps(archive: Archive, ranges: PayloadRanges) -> Iterator[Diagnostic]:
    """Padding that is not zero, and bytes that belong to no entry."""
    starts, reached = np.append(ranges.starts, archive.directory_offset), ranges.reached
    sizes = np.maximum(starts - reached, 0)
    # Exactly the bytes up to the next aligned offset, -13 % 8 is 3; a larger gap may hold something.
    is_padding = (sizes > 0) & (sizes == -reached % ALIGNMENT)
    dirty = _not_zero(archive, reached[is_padding], sizes[is_padding])
    padding = Rule("N12", _TABLE, severity=Severity.WARNING)
    for start, size in dirty[:NAMED_ROWS].tolist():
        values = bytes(archive.data[start : start + size]).hex(" ")
        yield padding.finding("padding at {offset} is {bytes}", offset=start, bytes=values)
    if len(dirty) > NAMED_ROWS:
        yield padding.finding("and {count} more paddings like these", count=len(dirty) - NAMED_ROWS)
    unindexed = int(sizes[~is_padding].sum())
    if unindexed:
        rule = Rule("N13", _TABLE, severity=Severity.INFO)
        yield rule.finding("{count} bytes belong to no entry", count=unindexed)


def _not_zero(archive: Archive, starts: Indices, sizes: Indices) -> Indices:
    """Start and size of the paddings that are not zero, (k, 2)."""
    data = np.frombuffer(archive.data, np.uint8)
    is_dirty = np.zeros(len(starts), np.bool_)
    for position in range(ALIGNMENT - 1):
        has = np.flatnonzero(sizes > position)
        is_dirty[has] |= data[starts[has] + position] != 0
    return np.stack((starts[is_dirty], sizes[is_dirty]), axis=1)


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
        return None, (error.finding,)
    return memoryview(unpacked.data), unpacked.diagnostics
