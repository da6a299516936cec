"""Repairs: changes that remove findings of the checks, and what each removes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from viewer.errors import Diagnostic, FormatError, MshviewError, Severity, UsageError
from viewer.formats.archive import nres
from viewer.formats.splice import Splices
from viewer.model.checks import containers
from viewer.model.checks.payload import NOWHERE, Payload, Surroundings
from viewer.model.edit.draft import Draft
from viewer.model.edit.repair import faults, file_faults
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import ARCHIVE
from viewer.progress import checkpoint
from viewer.translation import Sentence


class Fault(StrEnum):
    """What can be mended; the values are those of scripts and of the command line."""

    MAGIC = "magic"
    EXTENT = "extent"
    UNUSED_TABLES = "unused-tables"
    TAILS = "tails"
    ATTRIBUTES = "attributes"
    VERTEX_TABLES = "vertex-tables"
    TEXTS = "texts"
    PARENTS = "parents"
    CELLS = "cells"
    BATCH_RANGES = "batch-ranges"
    INDEX_COUNTS = "index-counts"
    INDEX_RANGES = "index-ranges"
    TRIANGLE_RANGES = "triangle-ranges"
    LINKS = "links"
    POSITIONS = "positions"
    BOUNDS = "bounds"
    HEADER = "header"
    MAPS = "maps"
    MAP_WORDS = "map-words"
    KEY_VALUES = "key-values"
    QUATERNIONS = "quaternions"
    NAMES = "names"
    SORT_INDICES = "sort-indices"
    PADDING = "padding"
    ROW_COUNTS = "row-counts"
    LIGHTMAPS = "lightmaps"


class _Way(NamedTuple):
    """How a fault is mended: of which kinds, in which words, by what."""

    kinds: tuple[str, ...]
    words: str
    apply: Callable[[Draft], None]
    is_silent: bool = False


_MODEL: Final = ("msh",)
_ARCHIVE: Final = ("nres",)
_ANY_ARCHIVE: Final = ("msh", "nres")
WAYS: Final[Mapping[Fault, _Way]] = {
    Fault.MAGIC: _Way(
        _ANY_ARCHIVE, Sentence("set mark and version of the container"), file_faults.mend_magic
    ),
    Fault.EXTENT: _Way(
        _ANY_ARCHIVE,
        Sentence("state size and entries of the container"),
        file_faults.mend_extent,
    ),
    Fault.UNUSED_TABLES: _Way(
        _MODEL, Sentence("remove tables that come a second time"), faults.remove_repeated
    ),
    Fault.TAILS: _Way(_MODEL, Sentence("cut the bytes after the last whole record"), faults.cut_tails),
    Fault.ATTRIBUTES: _Way(
        _MODEL, Sentence("set the counts and sizes that the directory states"), faults.mend_attributes
    ),
    Fault.VERTEX_TABLES: _Way(
        _MODEL, Sentence("make the tables of vertices as long as the positions"), faults.fit_vertices
    ),
    Fault.TEXTS: _Way(
        _MODEL, Sentence("write the texts of the nodes that can be read again"), faults.mend_texts
    ),
    Fault.PARENTS: _Way(
        _MODEL, Sentence("make roots of nodes whose parent cannot be used"), faults.mend_parents
    ),
    Fault.CELLS: _Way(_MODEL, Sentence("empty cells with slots that do not exist"), faults.mend_cells),
    Fault.BATCH_RANGES: _Way(_MODEL, Sentence("clip batch ranges of slots"), faults.clip_batch_ranges),
    Fault.INDEX_COUNTS: _Way(
        _MODEL, Sentence("set index counts to whole triangles"), faults.mend_index_counts
    ),
    Fault.INDEX_RANGES: _Way(_MODEL, Sentence("mend index ranges of batches"), faults.mend_index_ranges),
    Fault.TRIANGLE_RANGES: _Way(
        _MODEL, Sentence("mend descriptor ranges of slots"), faults.mend_triangle_ranges
    ),
    Fault.LINKS: _Way(
        _MODEL, Sentence("mend neighbor links that do not fit"), faults.mend_links, is_silent=True
    ),
    Fault.POSITIONS: _Way(_MODEL, Sentence("set positions that are not finite to 0"), faults.mend_positions),
    Fault.BOUNDS: _Way(
        _MODEL, Sentence("set slot bounds that do not fit"), faults.mend_bounds, is_silent=True
    ),
    Fault.HEADER: _Way(_MODEL, Sentence("set bounds in the header that are not finite"), faults.mend_header),
    Fault.MAPS: _Way(_MODEL, Sentence("make nodes static whose frame map does not exist"), faults.mend_maps),
    Fault.MAP_WORDS: _Way(
        _MODEL, Sentence("set frame map words beyond the fallback key to it"), faults.mend_map_words
    ),
    Fault.KEY_VALUES: _Way(
        _MODEL,
        Sentence("set numbers of keys that are not finite to 0"),
        faults.mend_values,
    ),
    Fault.QUATERNIONS: _Way(
        _MODEL,
        Sentence("set quaternions of length 0 to the identity"),
        faults.mend_quaternions,
    ),
    Fault.NAMES: _Way(_ANY_ARCHIVE, Sentence("end names of entries with a NUL"), file_faults.mend_names),
    Fault.SORT_INDICES: _Way(_ANY_ARCHIVE, Sentence("recompute sort indices"), file_faults.mend_sort_indices),
    Fault.PADDING: _Way(_ANY_ARCHIVE, Sentence("set padding between entries to 0"), file_faults.mend_padding),
    Fault.ROW_COUNTS: _Way(
        ("wear",),
        Sentence("state as many rows as there are"),
        file_faults.mend_counts,
    ),
    Fault.LIGHTMAPS: _Way(
        ("wear",), Sentence("remove a section of lightmaps without rows"), file_faults.mend_lightmaps
    ),
}
"""In the order in which they are made; the earlier ones make the later ones possible."""


@dataclass(frozen=True, slots=True)
class Repair:
    """Mend a fault wherever the payload has it; nothing changes without it.

    Parameters
    ----------
    fault
        What is mended.
    """

    fault: Fault

    @property
    def words(self) -> str:
        """What is done."""
        return self._way.words

    @property
    def is_silent(self) -> bool:
        """Whether no rule may name the fault."""
        return self._way.is_silent

    @property
    def _way(self) -> _Way:
        return WAYS[Fault(self.fault)]

    @classmethod
    def faults(cls, kind: Kind) -> tuple[Fault, ...]:
        """The faults that payloads of a kind may have."""
        return tuple(fault for fault, way in WAYS.items() if kind.id in way.kinds)

    def apply(self, draft: Draft) -> None:
        """Mend it; raises `UsageError` for a payload of another kind, `FormatError` if it cannot be read."""
        if draft.kind.id not in self._way.kinds:
            raise UsageError(Sentence("{kind} cannot have this fault", kind=draft.kind.id))
        self._way.apply(draft)


@dataclass(frozen=True, slots=True)
class Mend:
    """One thing that can be mended.

    Parameters
    ----------
    words
        What it does, in one sentence.
    change
        The change; it does nothing to a payload that does not have the fault.
    diagnostics
        The findings that it takes away; empty for a fault that no rule names, such as a box that does not
        enclose its vertices.
    splices
        What it replaces in the payload after the mends before it.
    """

    words: str
    change: Repair
    diagnostics: tuple[Diagnostic, ...]
    splices: Splices


def mends(draft: Draft, name: bytes = b"", around: Surroundings = NOWHERE) -> tuple[Mend, ...]:
    """Return what can be mended of a payload as it is now; the draft is not changed.

    Each was tried after those before it, on which it may depend: it takes away findings, or a fault that no
    rule names, and adds no error.

    Parameters
    ----------
    name, around
        Name and surroundings of the payload, for the checks.
    """
    current, known = draft, findings(draft, name, around)
    found: list[Mend] = []
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
        mended = _missing(known, after)
        if (mended or repair.is_silent) and not _is_worse(current, known, after):
            found.append(Mend(repair.words, repair, mended, trial.splices))
            current, known = trial, after
    return tuple(found)


def findings(draft: Draft, name: bytes = b"", around: Surroundings = NOWHERE) -> list[Diagnostic]:
    """The diagnostics of a payload itself, without those of what lies in it."""
    try:
        if draft.kind is ARCHIVE:
            return containers.check(nres.Archive.read(draft.data))
        return draft.kind.check(Payload(draft.data, draft.entry, name, around))
    except FormatError as error:
        return [error.finding]


def _is_worse(before: Draft, known: Iterable[Diagnostic], after: Iterable[Diagnostic]) -> bool:
    """Whether errors were added to a payload that could be read; what could not be read hid its errors."""
    try:
        _ = before.value
    except FormatError:
        return False
    return any(finding.severity is Severity.ERROR for finding in _missing(after, known))


def _missing(some: Iterable[Diagnostic], others: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Those findings that others do not have at the same place; what they say may differ."""
    known = {_place(finding) for finding in others}
    return tuple(finding for finding in some if _place(finding) not in known)


def _place(finding: Diagnostic) -> tuple[str, str, int | None, str | None]:
    return finding.rule, finding.table, finding.index, finding.field
