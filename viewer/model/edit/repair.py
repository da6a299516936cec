"""Repairs: changes that remove findings of the checks, and what each removes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import Final

import numpy as np
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, MshviewError, Severity, UsageError
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.archive.nres import ALIGNMENT, ENTRY, HEADER, MAGIC, NAME_SIZE, VERSION
from viewer.formats.archive.payload_ranges import PayloadRanges
from viewer.formats.msh.nodes import NONE
from viewer.formats.splice import Splice, Splices
from viewer.formats.wear import COUNT, ROW
from viewer.model.checks import containers
from viewer.model.checks.payload import NOWHERE, Payload, Surroundings
from viewer.model.edit.archive.entries import RecomputeSortIndices
from viewer.model.edit.change import Change, change
from viewer.model.edit.draft import Draft
from viewer.model.edit.faults import CONTAINERS, METHODS, Fault, RepairMethod, repairs
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import ARCHIVE, MODEL
from viewer.progress import checkpoint
from viewer.translation import _

_HEADING: Final = re.compile(rb"(?<!\S)LIGHTMAPS(?!\S)", re.IGNORECASE)


@repairs(Fault.ROW_COUNTS, "state as many rows as there are", ("wear",))
def repair_counts(draft: Draft) -> None:
    """State as many rows as there are, in both sections (W02, W03)."""
    data = bytes(draft.data)
    heading = _HEADING.search(data)
    # Materials begin with the file, lightmaps after their heading.
    starts = [0] if heading is None else [0, heading.end()]
    draft.splice(splice.ordered(found for start in starts for found in _repaired(data, start)))


def _repaired(data: bytes, start: int) -> list[Splice]:
    """Splice of the stated number of a section that has rows."""
    header = COUNT.match(data, start)
    if header is None:
        return []
    rows, end = 0, header.end()
    while (row := ROW.match(data, end)) is not None and row.end() > end:
        rows, end = rows + 1, row.end()
    if not rows or rows == int(header["count"]):
        return []
    return [Splice(header.start("count"), header["count"], b"%d" % rows)]


@repairs(Fault.LIGHTMAPS, "remove a section of lightmaps without rows", ("wear",))
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


@repairs(Fault.MAGIC, "set mark and version of the container", CONTAINERS)
def repair_magic(draft: Draft) -> None:
    """Set mark and version of what has the mark in other letters, or another version (N01)."""
    start = bytes(draft.data[:8])
    # Letters of another case are the mark all the same; any other bytes are another format.
    if len(start) == 8 and start[:4].upper() == MAGIC.upper():
        draft.write(0, MAGIC + VERSION.to_bytes(4, "little"))


@repairs(Fault.EXTENT, "state size and entries of the container", CONTAINERS)
def repair_extent(draft: Draft) -> None:
    """State the size of the file, and as many entries as its last bytes are a directory of (N02 to N04).

    Nothing changes in a container that can be read, or without a directory at its end.
    """
    data = draft.data
    with suppress(FormatError):
        nres.Archive.read(data)
        return
    stated = HEADER.read(data)
    # The stated number first: only if no directory of that size ends the file, others are tried, the largest
    # first.
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
    # A directory follows the last payload and at most 7 bytes of padding; random bytes hardly ever do.
    if not is_inside.all() or start - int((begin + size).max()) >= ALIGNMENT:
        return False
    return sorted(rows["sort_index"].tolist()) == [*range(len(rows))]


@repairs(Fault.SORT_INDICES, "recompute sort indices", CONTAINERS)
def repair_sort_indices(draft: Draft) -> None:
    """Set the sort indices to the order of the names (N08, N09)."""
    RecomputeSortIndices().apply(draft)


@repairs(Fault.NAMES, "end names of entries with a NUL", CONTAINERS)
def repair_names(draft: Draft) -> None:
    """Set the last byte of names without a NUL to one (N06)."""
    archive = nres.Archive.read(draft.data)
    rows = archive.rows.copy()
    for row in range(len(rows)):
        name = rows["name"][row].tobytes()
        if b"\0" not in name:
            # The last letter makes room; numpy fills the field up with zeros.
            rows["name"][row] = name[: NAME_SIZE - 1]
    draft.write(archive.directory_offset, rows.tobytes())


@repairs(Fault.PADDING, "set padding between entries to 0", CONTAINERS)
def repair_padding(draft: Draft) -> None:
    """Set the padding up to the next aligned payload, or to the directory, to zero (N12)."""
    archive = nres.Archive.read(draft.data)
    ranges = PayloadRanges.of(archive)
    after = bytearray(draft.data)
    for start, end in zip(ranges.reached.tolist(), ranges.starts.tolist(), strict=True):
        # Exactly the bytes up to the next aligned offset (-13 % 8 is 3) are padding; a larger gap may hold
        # something.
        if 0 < end - start == -start % ALIGNMENT:
            after[start:end] = bytes(end - start)
    draft.splice(splice.between(draft.data, after))


@change("repair")
class Repair(Change, frozen=True):
    """Repair a fault wherever the payload has it; nothing changes without it.

    Parameters
    ----------
    fault
        What is repaired.
    """

    fault: Fault

    @property
    def words(self) -> str:
        """The repair in words."""
        return self._method.words

    @property
    def is_silent(self) -> bool:
        """Whether no rule may name the fault."""
        return self._method.is_silent

    @property
    def _method(self) -> RepairMethod:
        return METHODS[Fault(self.fault)]

    @classmethod
    def faults(cls, kind: Kind) -> tuple[Fault, ...]:
        """The faults that payloads of a kind may have."""
        return tuple(fault for fault in Fault if kind.id in METHODS[fault].kinds)

    def apply(self, draft: Draft) -> None:
        """Repair the fault; raises `UsageError` for another kind, `FormatError` for an unreadable payload."""
        if draft.kind.id not in self._method.kinds:
            raise UsageError(_("{kind} cannot have this fault", kind=draft.kind.id))
        self._method.apply(draft)


class FoundRepair(Struct, frozen=True):
    """A repair that a payload needs.

    Parameters
    ----------
    words
        What it does, in one sentence.
    change
        The change; it does nothing to a payload that does not have the fault.
    diagnostics
        The findings that it removes; empty for a fault that no rule names, such as a box that does not
        enclose its vertices.
    splices
        What it replaces in the payload after the repairs before it.
    empties
        Whether something that a model holds is empty or gone afterwards, such as a cell, which may have been
        right: an error elsewhere can be why it leads nowhere.
    """

    words: str
    change: Repair
    diagnostics: tuple[Diagnostic, ...]
    splices: Splices
    empties: bool = False

    def is_made(self, named: Collection[Fault]) -> bool:
        """Whether the repair is made if these faults are named; without any, whether it empties nothing."""
        return self.change.fault in named if named else not self.empties


def found_repairs(draft: Draft, name: bytes = b"", around: Surroundings = NOWHERE) -> tuple[FoundRepair, ...]:
    """Possible repairs of a payload as it is now; the draft is not changed.

    Each was tried after those before it, on which it may depend: it removes findings, or a fault that no
    rule names, and adds no error.

    Parameters
    ----------
    name, around
        Name and surroundings of the payload, for the checks.
    """
    current, known = draft, findings(draft, name, around)
    found: list[FoundRepair] = []
    for fault in Repair.faults(draft.kind):
        checkpoint()
        trial, repair = current.fresh(), Repair(fault)
        try:
            repair.apply(trial)
        except MshviewError:
            continue
        if not trial.splices:
            continue
        after = findings(trial, name, around)
        removed = _missing(known, after)
        if (removed or repair.is_silent) and not _is_worse(current, known, after):
            contents = zip(_contents(current), _contents(trial), strict=False)
            empties = any(has < had for had, has in contents)
            found.append(FoundRepair(repair.words, repair, removed, trial.splices, empties))
            # The next is tried on top of it, as it may be possible only now.
            current, known = trial, after
    return tuple(found)


def findings(draft: Draft, name: bytes = b"", around: Surroundings = NOWHERE) -> list[Diagnostic]:
    """The diagnostics of a payload itself, without those of what lies in it."""
    try:
        if draft.kind is ARCHIVE:
            return containers.check(nres.Archive.read(draft.data))
        return draft.kind.check(Payload(draft.data, draft.entry, name, around))
    except FormatError as error:
        return [Diagnostic.of(error)]


def _contents(draft: Draft) -> tuple[int, ...]:
    """Counts of what a repair may empty: cells, ranges, motions, texts, and the bytes of the model."""
    try:
        model = draft.model if draft.kind is MODEL else None
    except FormatError:
        return ()
    if model is None:
        return ()
    filled = (
        model.nodes["slots"] != NONE,
        model.nodes["map_start"] != NONE,
        model.slots["batch_count"] > 0,
        model.slots["tri_count"] > 0,
        model.batches["index_count"] > 0,
    )
    named = sum(map(bool, model.node_names(from_records=True)))
    return (*(int(np.count_nonzero(it)) for it in filled), named, len(draft.data))


def _is_worse(before: Draft, known: Iterable[Diagnostic], after: Iterable[Diagnostic]) -> bool:
    """Whether errors were added to a payload that could be read; what could not be read hid its errors."""
    try:
        _ignored = before.value
    except FormatError:
        return False
    return any(finding.severity is Severity.ERROR for finding in _missing(after, known))


def _missing(some: Iterable[Diagnostic], others: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The findings that others do not have at the same place; what they say may differ."""
    known = {_place(finding) for finding in others}
    return tuple(finding for finding in some if _place(finding) not in known)


def _place(finding: Diagnostic) -> tuple[str, str, int | None, str | None]:
    return finding.rule, finding.table, finding.index, finding.field
