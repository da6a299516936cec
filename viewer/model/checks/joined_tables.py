"""The directories of containers and the tables of models, joined: what rules are written over.

Calling numpy for each rule of a small model costs more than the arithmetic, so the tables of many models are
joined and each rule is evaluated once. A model by itself is a batch of one, whose tables are not copied.

Source: spec/nres.md 1; spec/msh.md 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from viewer.formats.archive.nres import ENTRY, HEADER, NAME_SIZE, Archive
from viewer.formats.archive.payload_ranges import PayloadRanges
from viewer.formats.msh import slots
from viewer.formats.msh.tables import SLOTS, TABLES
from viewer.formats.record import Rows
from viewer.formats.text import folded_bytes, names_of
from viewer.geometry.transforms import Indices, Mask
from viewer.model.mesh.draws import wide_ranges
from viewer.model.mesh.model import Model

TYPES: Final = max(TABLES) + 1
"""Number of resource types, with the unused 0."""
NO_ROW: Final = -1
TOGETHER: Final = 5 << 19
"""Bytes of models that are joined. The arrays of more are larger than what the allocator keeps: the system
would give them anew each time, page by page, which takes half as long as the rules."""
LARGEST: Final = 4 << 20
"""Bytes of the largest model that is joined with others."""

_RECORDS: Final = {it.type_id: it.record for it in TABLES.values() if it.record}
_Made = TypeVar("_Made")


class Directories:
    """The joined directories of containers.

    Attributes
    ----------
    archives
        The containers.
    rows
        Their entries, `ENTRY` records, (n,).
    counts, limit
        Number of entries and offset of the directory of each container, (m,).
    """

    def __init__(self, archives: Sequence[Archive]) -> None:
        self.archives = archives
        self.counts: Indices = np.array([len(it.rows) for it in archives], np.int64)
        self.limit: Indices = np.array([it.directory_offset for it in archives], np.int64)
        self.rows = _joined([it.rows for it in archives], ENTRY.dtype)

    @cached_property
    def starts(self) -> Indices:
        """Row where each container begins, (m,): directories of 2, 3, 1 entries start at 0, 2, 5."""
        return self.counts.cumsum() - self.counts

    @cached_property
    def owner(self) -> Indices:
        """The container of each entry, (n,)."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @cached_property
    def place(self) -> Indices:
        """The index of each entry in its own directory, (n,)."""
        places: Indices = np.arange(len(self.rows)) - self.of_rows(self.starts)
        return places

    def of_rows(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The value (m,) of the container of each entry, (n,); of one container its only value, (1,)."""
        return values if len(values) == 1 else values[self.owner]

    @cached_property
    def offset(self) -> Indices:
        """The offset of each payload in its own container, (n,)."""
        return self.rows["data_offset"].astype(np.int64)

    @cached_property
    def names(self) -> npt.NDArray[np.bytes_]:
        """The folded name of each entry, (n,), compared as bytes; its padding of zeros is gone."""
        # numpy's S drops the zeros at the end.
        return folded_bytes(names_of(self.rows["name"])).view(f"S{NAME_SIZE}").ravel()

    @cached_property
    def ranges(self) -> PayloadRanges:
        """The payloads by container and offset."""
        return PayloadRanges.joined(self.rows, self.counts, self.limit)


class Tables:
    """The joined tables of models of one variant; a table that a model does not have is empty there.

    Attributes
    ----------
    models
        The models.
    variant
        The variant of all of them.
    directory
        Their directories.
    row_counts
        Number of whole records by resource type and model, (types, m).
    """

    def __init__(self, models: Sequence[Model]) -> None:
        self.models = models
        self.variant = models[0].variant
        self.directory = Directories([it.archive for it in models])
        self.row_counts: Indices = np.zeros((TYPES, len(models)), np.int64)
        self.row_counts[[*_RECORDS]] = [[len(it.rows(type_id)) for it in models] for type_id in _RECORDS]
        # Tables of 2, 3, 1 rows start at 0, 2, 5.
        self._starts = self.row_counts.cumsum(axis=1) - self.row_counts
        self._rows: dict[int, Rows] = {}
        self._owners: dict[int, Indices] = {}
        self._made: dict[object, Any] = {}

    def once(self, make: Callable[[Tables], _Made]) -> _Made:
        """Value that a function derives from the tables, made when the first rule needs it."""
        # Keyed by the function that makes it, or by a table and a prefix; the tables never change, so it is
        # as good as long as they live.
        if make not in self._made:
            self._made[make] = make(self)
        made: _Made = self._made[make]
        return made

    def rows(self, type_id: int) -> Rows:
        """The records of a table, model after model."""
        if type_id not in self._rows:
            pieces = [it.rows(type_id) for it in self.models]
            self._rows[type_id] = _joined(pieces, _RECORDS[type_id].dtype)
        return self._rows[type_id]

    def counts(self, type_id: int) -> Indices:
        """Number of rows in each model, (m,)."""
        counts: Indices = self.row_counts[type_id]
        return counts

    def starts(self, type_id: int) -> Indices:
        """Row where each model begins, (m,)."""
        starts: Indices = self._starts[type_id]
        return starts

    def owner(self, type_id: int) -> Indices:
        """The model of each row; not to be changed, as it is kept."""
        if type_id not in self._owners:
            counts = self.row_counts[type_id]
            self._owners[type_id] = np.repeat(np.arange(len(counts)), counts)
        return self._owners[type_id]

    def place(self, type_id: int) -> Indices:
        """The index of each row in its own model."""
        places: Indices = np.arange(len(self.rows(type_id))) - self.of_rows(self.starts(type_id), type_id)
        return places

    def of_rows(self, values: npt.NDArray[Any], type_id: int) -> npt.NDArray[Any]:
        """The value (m,) of the model of each row, (n,); of one model its only value, (1,), for all rows."""
        return values if len(values) == 1 else values[self.owner(type_id)]

    def sums(self, type_id: int, values: npt.NDArray[Any]) -> Indices:
        """The sum of a whole number of each row by model, (m,)."""
        if len(self.models) == 1:
            whole: Indices = values.sum(dtype=np.int64, keepdims=True)
            return whole
        # Weights are float64, which hold sums up to 2^53 exactly.
        return np.bincount(self.owner(type_id), values, len(self.models)).astype(np.int64)

    def ranges(self, type_id: int, prefix: str, totals: Indices) -> tuple[Indices, Indices]:
        """Starts and ends of ``PREFIX_start``, ``PREFIX_count`` in a joined table, clipped to a model.

        `totals` is the number of rows of that table in each model, (m,).
        """
        start, count = self.wide(type_id, prefix)
        total, first = (self.of_rows(it, type_id) for it in (totals, totals.cumsum() - totals))
        start = np.minimum(start, total)
        return start + first, np.minimum(start + count, total) + first

    def wide(self, type_id: int, prefix: str) -> tuple[Indices, Indices]:
        """Starts and counts of ``PREFIX_start``, ``PREFIX_count``; not to be changed, as they are kept."""
        if (type_id, prefix) not in self._made:
            self._made[type_id, prefix] = wide_ranges(self.rows(type_id), prefix)
        ranges: tuple[Indices, Indices] = self._made[type_id, prefix]
        return ranges

    @cached_property
    def entries(self) -> Indices:
        """The index of the first entry of each resource type in each model, (types, m); else `NO_ROW`."""
        first = [it.archive.find_type for it in self.models]
        found = [[find(type_id) for find in first] for type_id in range(TYPES)]
        return np.array([[NO_ROW if it is None else it for it in row] for row in found], np.int64)

    @cached_property
    def sizes(self) -> Indices:
        """Bytes of each readable table by type and model, (types, m); `NO_ROW` if there is none."""
        has_entry = self.entries != NO_ROW
        # Row 0 stands in for an entry that is missing, and is left out again at the end.
        row = np.where(has_entry, self.entries + self.directory.starts, 0)
        offset, size = self.directory.offset, self.directory.rows["size"].astype(np.int64)
        limit = self.directory.of_rows(self.directory.limit)
        is_readable = (offset >= HEADER.size) & (offset + size <= limit)
        return np.where(has_entry & is_readable[row], size[row], NO_ROW)

    def has(self, type_id: int) -> Mask:
        """Whether each model has a readable table, (m,)."""
        has: Mask = self.sizes[type_id] != NO_ROW
        return has

    @cached_property
    def node_counts(self) -> Indices:
        """Number of whole records of Res1, of any record size, (m,)."""
        return np.array([it.record_count for it in self.models], np.int64)

    @cached_property
    def frames(self) -> Indices:
        """Number of frames of each model, at least 1, (m,)."""
        return np.array([it.frame_count for it in self.models], np.int64)

    @cached_property
    def headers(self) -> tuple[npt.NDArray[np.float32], Mask]:
        """The numbers in the headers of the slots, (m, 35) float32, and which models have one, (m,)."""
        has_header = self.sizes[SLOTS] >= slots.HEADER.size
        heads = [bytes(it.payload(SLOTS)[: slots.HEADER.size]) for it in self.models]
        # A truncated header is filled up to keep the rows of one length; `has_header` says that it does not
        # count.
        joined = b"".join(it.ljust(slots.HEADER.size, b"\0") for it in heads)
        return np.frombuffer(joined, "<f4").reshape(len(heads), -1), has_header


def in_some(is_wrong: Mask) -> Mask:
    """Rows (n,) with any of their values (n, k), mostly none: to look for one row by row takes longer."""
    found: Mask = (
        np.any(is_wrong, axis=1) if np.count_nonzero(is_wrong) else np.zeros(len(is_wrong), np.bool_)
    )
    return found


def _joined(pieces: Sequence[Rows], dtype: np.dtype[Any]) -> Rows:
    # Not np.concatenate, which compares structured types field by field.
    return pieces[0] if len(pieces) == 1 else np.frombuffer(b"".join(it.data for it in pieces), dtype)
