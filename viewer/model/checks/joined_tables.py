"""The directories and tables of many models, joined, with the number of the model beside each row.

Source: spec/nres.md 1; spec/msh.md 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass
from viewer.formats.archive.nres import ENTRY, HEADER
from viewer.formats.msh import slots
from viewer.formats.msh.tables import FRAME_MAP, SLOTS, TABLES
from viewer.formats.record import Rows
from viewer.geometry.transforms import Indices, Mask

TYPES: Final = max(TABLES) + 1
"""Number of resource types, with the unused 0."""


@dataclass(frozen=True, slots=True, eq=False)
class JoinedDirectories:
    """The joined directories of containers.

    Attributes
    ----------
    payloads
        The containers.
    rows, owner
        Their entries, and the container of each, (n,).
    first, count, limit
        First row, number of rows and offset of the directory of each container, (m,).
    """

    payloads: Sequence[memoryview]
    rows: Rows
    owner: Indices
    first: Indices
    count: Indices
    limit: Indices

    @classmethod
    def of(cls, payloads: Sequence[memoryview]) -> JoinedDirectories:
        """The directories of containers with valid headers."""
        counts = [int(HEADER.read(data)["entry_count"]) for data in payloads]
        limits = [len(data) - count * ENTRY.size for data, count in zip(payloads, counts, strict=True)]
        joined = b"".join(data[limit:] for data, limit in zip(payloads, limits, strict=True))
        count = np.array(counts, np.int64)
        owner = np.repeat(np.arange(len(count)), count)
        rows = np.frombuffer(joined, ENTRY.dtype)
        # Directories of 2, 3, 1 entries start at rows 0, 2, 5.
        return cls(payloads, rows, owner, np.cumsum(count) - count, count, np.array(limits, np.int64))

    def only(self, kept: Indices) -> JoinedDirectories:
        """The directories of some containers."""
        return self if len(kept) == len(self.first) else self.of([self.payloads[it] for it in kept])

    def payload(self, row: int) -> memoryview:
        """The bytes of an entry, which are inside the container."""
        start, size = int(self.rows["data_offset"][row]), int(self.rows["size"][row])
        return self.payloads[int(self.owner[row])][start : start + size]


class JoinedTables:
    """The joined tables of models; a table that a model does not have is empty there.

    Attributes
    ----------
    directory
        The directories of the models.
    frames
        Number of frames of each model, (m,).
    headers
        The numbers in the headers of their slots, (m, 35).
    """

    def __init__(self, directory: JoinedDirectories) -> None:
        self.directory = directory
        rows, owner = directory.rows, directory.owner
        models, types = len(directory.first), rows["type_id"]
        holder, start, size_of = (it.tolist() for it in (owner, rows["data_offset"], rows["size"]))
        self._rows: dict[int, Rows] = {}
        self._owners: dict[int, Indices] = {}
        self._places: dict[int, Indices] = {}
        self._counts = np.zeros((TYPES, models), np.int64)
        self._has = np.zeros((TYPES, models), np.bool_)
        self._has[types, owner] = True
        self.headers = np.zeros((models, slots.HEADER.size // 4), "<f4")
        self.frames = np.ones(models, np.int64)
        for type_id, table in TABLES.items():
            if table.record is None:
                continue
            found = np.flatnonzero(types == type_id)
            # Stable: the tables of a model stay in the order of its directory.
            found = found[np.argsort(owner[found], kind="stable")]
            pieces = [
                directory.payloads[holder[row]][start[row] : start[row] + size_of[row]]
                for row in found.tolist()
            ]
            size, ahead = table.record.size, table.header_size
            counts = [max(0, len(piece) - ahead) // size for piece in pieces]
            self._counts[type_id, owner[found]] = counts
            joined = b"".join(
                piece[ahead : ahead + count * size] for piece, count in zip(pieces, counts, strict=True)
            )
            self._rows[type_id] = np.frombuffer(joined, table.record.dtype)
            if type_id == SLOTS:
                heads = b"".join(bytes(piece[:ahead]).ljust(ahead, b"\0") for piece in pieces)
                self.headers[owner[found]] = np.frombuffer(heads, "<f4").reshape(-1, ahead // 4)
            elif type_id == FRAME_MAP:
                self.frames[owner[found]] = np.maximum(1, rows["attr2"][found])

    def only(self, kept: Indices) -> JoinedTables:
        """The tables of some models."""
        return self if len(kept) == len(self.frames) else JoinedTables(self.directory.only(kept))

    def has(self, type_id: int) -> Mask:
        """Whether each model has a table, (m,)."""
        has: Mask = self._has[type_id]
        return has

    def rows(self, type_id: int) -> Rows:
        """The records of a table, model after model."""
        return self._rows[type_id]

    def counts(self, type_id: int) -> Indices:
        """Number of rows in each model, (m,)."""
        counts: Indices = self._counts[type_id]
        return counts

    def starts(self, type_id: int) -> Indices:
        """Row where each model begins, (m,)."""
        return np.cumsum(self.counts(type_id)) - self.counts(type_id)

    def owner(self, type_id: int) -> Indices:
        """The model of each row; not to be changed, as it is kept."""
        if type_id not in self._owners:
            self._owners[type_id] = np.repeat(np.arange(len(self.frames)), self.counts(type_id))
        return self._owners[type_id]

    def place(self, type_id: int) -> Indices:
        """The index of each row in its own model; not to be changed, as it is kept."""
        if type_id not in self._places:
            starts = self.starts(type_id)[self.owner(type_id)]
            self._places[type_id] = np.arange(len(self.rows(type_id))) - starts
        return self._places[type_id]

    def sums(self, type_id: int, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The sum of a value of each row by model, (m,)."""
        # With weights, bincount is a sum by group.
        return np.bincount(self.owner(type_id), values, len(self.frames))

    def global_start(self, type_id: int, field: str, target: int) -> Indices:
        """The row of the joined target where a range in each row begins."""
        starts: Indices = self.rows(type_id)[field] + self.starts(target)[self.owner(type_id)]
        return starts

    def within(self, type_id: int, start: str, count: str, target: int) -> Mask:
        """Whether any row of each model has a range that leaves the target, (m,)."""
        rows, owner = self.rows(type_id), self.owner(type_id)
        end = rows[start].astype(np.int64) + rows[count]
        is_over: Mask = np.zeros(len(self.frames), np.bool_)
        is_over[owner[end > self.counts(target)[owner]]] = True
        return is_over
