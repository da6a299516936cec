"""The labels of a model table's rows: their number and the name that belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.keys import KEY
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import SLOT
from viewer.model.material.materials import MATERIALS
from viewer.model.tables.read_model import ReadModel
from viewer.model.tables.table_names import WEAR

NAMED: Final = frozenset({NODE.name, SLOT.name, BATCH.name, KEY.name, MATERIALS, WEAR})
"""The tables whose rows may have names."""


class RowLabels:
    """The names of rows by table, made when they are first needed: ``18 pelvis``, ``2 WALKER_JOINT``.

    A node has its own name, a material that of its wear row, a batch that of its material, a slot and a
    key that of the first node that uses them.
    """

    def __init__(self, read: ReadModel) -> None:
        self._read = read
        self._makers: dict[str, Callable[[], Sequence[str]]] = {
            NODE.name: lambda: read.names,
            SLOT.name: lambda: self._slots,
            BATCH.name: lambda: self._batches,
            KEY.name: lambda: self._keys,
            MATERIALS: lambda: self._rows,
            WEAR: lambda: read.materials.wear_names,
        }

    def names(self, table: str) -> Sequence[str]:
        """The name of each row of a table, empty if it has none; an empty sequence if no row has one."""
        maker = self._makers.get(table)
        return () if maker is None else maker()

    def label(self, table: str, row: int) -> str:
        """The number of a row, and its name if it has one."""
        # Materials are numbered by their wear row: two of them, with a lightmap and without, may have the
        # same.
        number = self._read.materials.rows[row].row if table == MATERIALS else row
        names = self.names(table)
        name = names[row] if 0 <= row < len(names) else ""
        return f"{number} {name}" if name else f"{number}"

    @cached_property
    def _rows(self) -> Sequence[str]:
        return [material.name or "" for material in self._read.materials.rows]

    @cached_property
    def _batches(self) -> Sequence[str]:
        return [self._rows[row] for row in self._read.materials.of_batch.tolist()]

    @cached_property
    def _slots(self) -> Sequence[str]:
        users = np.full(len(self._read.model.slots), -1)
        parts = self._read.draws.parts
        is_slot = parts.slot >= 0
        # Backwards, so that of several parts of a slot the first is written last and stays.
        users[parts.slot[is_slot][::-1]] = parts.node[is_slot][::-1]
        return self._named(users)

    @cached_property
    def _keys(self) -> Sequence[str]:
        return self._named(self._read.animation.key_owners)

    def _named(self, nodes: npt.NDArray[np.int64]) -> Sequence[str]:
        """The names of nodes, (n,), -1 for none."""
        # -1, no node, is the last name.
        names = (*self._read.names, "")
        return [names[node] for node in nodes.tolist()]
