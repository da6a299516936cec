"""A repair: a fault that is mended wherever a payload has it.

A repair writes what a tolerant reader shows of the damage, or what the rest of the file says it must have
been. What cannot be known stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from viewer.errors import UsageError
from viewer.model.edit.draft import Draft
from viewer.model.edit.repair import (
    animation_faults,
    archive_faults,
    geometry_faults,
    range_faults,
    table_faults,
    wear_faults,
)
from viewer.model.kinds.kind import Kind
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
        _ANY_ARCHIVE, Sentence("set mark and version of the container"), archive_faults.mend_magic
    ),
    Fault.EXTENT: _Way(
        _ANY_ARCHIVE,
        Sentence("state size and entries of the container"),
        archive_faults.mend_extent,
    ),
    Fault.UNUSED_TABLES: _Way(
        _MODEL, Sentence("remove tables that come a second time"), table_faults.remove_repeated
    ),
    Fault.TAILS: _Way(_MODEL, Sentence("cut the bytes after the last whole record"), table_faults.cut_tails),
    Fault.ATTRIBUTES: _Way(
        _MODEL, Sentence("set the counts and sizes that the directory states"), table_faults.mend_attributes
    ),
    Fault.VERTEX_TABLES: _Way(
        _MODEL, Sentence("make the tables of vertices as long as the positions"), table_faults.fit_vertices
    ),
    Fault.TEXTS: _Way(
        _MODEL, Sentence("write the texts of the nodes that can be read again"), table_faults.mend_texts
    ),
    Fault.PARENTS: _Way(
        _MODEL, Sentence("make roots of nodes whose parent cannot be used"), range_faults.mend_parents
    ),
    Fault.CELLS: _Way(_MODEL, Sentence("empty cells with slots that do not exist"), range_faults.mend_cells),
    Fault.BATCH_RANGES: _Way(_MODEL, Sentence("clip batch ranges of slots"), range_faults.clip_batch_ranges),
    Fault.INDEX_COUNTS: _Way(
        _MODEL, Sentence("set index counts to whole triangles"), range_faults.mend_index_counts
    ),
    Fault.INDEX_RANGES: _Way(
        _MODEL, Sentence("mend index ranges of batches"), range_faults.mend_index_ranges
    ),
    Fault.TRIANGLE_RANGES: _Way(
        _MODEL, Sentence("mend descriptor ranges of slots"), range_faults.mend_triangle_ranges
    ),
    Fault.LINKS: _Way(
        _MODEL, Sentence("mend neighbor links that do not fit"), geometry_faults.mend_links, is_silent=True
    ),
    Fault.POSITIONS: _Way(
        _MODEL, Sentence("set positions that are not finite to 0"), geometry_faults.mend_positions
    ),
    Fault.BOUNDS: _Way(
        _MODEL, Sentence("set slot bounds that do not fit"), geometry_faults.mend_bounds, is_silent=True
    ),
    Fault.HEADER: _Way(
        _MODEL, Sentence("set bounds in the header that are not finite"), geometry_faults.mend_header
    ),
    Fault.MAPS: _Way(
        _MODEL, Sentence("make nodes static whose frame map does not exist"), animation_faults.mend_maps
    ),
    Fault.MAP_WORDS: _Way(
        _MODEL, Sentence("set frame map words beyond the fallback key to it"), animation_faults.mend_map_words
    ),
    Fault.KEY_VALUES: _Way(
        _MODEL,
        Sentence("set numbers of keys that are not finite to 0"),
        animation_faults.mend_values,
    ),
    Fault.QUATERNIONS: _Way(
        _MODEL,
        Sentence("set quaternions of length 0 to the identity"),
        animation_faults.mend_quaternions,
    ),
    Fault.NAMES: _Way(_ANY_ARCHIVE, Sentence("end names of entries with a NUL"), archive_faults.mend_names),
    Fault.SORT_INDICES: _Way(
        _ANY_ARCHIVE, Sentence("recompute sort indices"), archive_faults.mend_sort_indices
    ),
    Fault.PADDING: _Way(
        _ANY_ARCHIVE, Sentence("set padding between entries to 0"), archive_faults.mend_padding
    ),
    Fault.ROW_COUNTS: _Way(
        ("wear",),
        Sentence("state as many rows as there are"),
        wear_faults.mend_counts,
    ),
    Fault.LIGHTMAPS: _Way(
        ("wear",), Sentence("remove a section of lightmaps without rows"), wear_faults.mend_lightmaps
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
