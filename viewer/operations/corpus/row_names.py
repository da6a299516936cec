"""The node and the material that a row of a model belongs to, by name."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from viewer.errors import MshviewError
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.keys import KEY
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.triangles import TRIANGLE
from viewer.formats.text import decode
from viewer.model.kinds.registry import MODEL, kind_of
from viewer.model.material import selectors
from viewer.model.mesh import draw_builder, reading
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.skeleton import Skeleton
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.model.store.place import Place

_RANGES: Final[Mapping[str, tuple[str, str]]] = {
    BATCH.name: ("batch_start", "batch_count"),
    TRIANGLE.name: ("tri_start", "tri_count"),
}
"""The fields of slots that give the first row of a table, and how many there are."""


class RowNames(NamedTuple):
    """The names of what a row belongs to; empty if nothing is known of it."""

    node: str = ""
    material: str = ""


class ModelRows:
    """The rows of a model in the reading that suits it, with the wear table next to it."""

    def __init__(self, store: FileStore, item: Item) -> None:
        self._model = model = item.read_model()
        self._wear = selectors.wears_of(store, item, model.variant)[0]
        self._skeleton, self._draws = Skeleton(model), draw_builder.build(model)
        rows = self._wear.row_count
        self._choice = reading.choose(model, self._skeleton, self._draws, wear_rows=rows)
        self._nodes = model.node_names(from_records=self._choice.reading.has_name_records)

    def names_of(self, table: str, row: int) -> RowNames:
        """The node and the material of a row of a table."""
        node = self._node_of(table, row)
        name = self._nodes[node] if 0 <= node < len(self._nodes) else ""
        return RowNames(name, self._material_of(row) if table == BATCH.name else "")

    def _node_of(self, table: str, row: int) -> int:
        """The first node that a row belongs to; -1 if there is none."""
        if table == NODE.name:
            return row
        if table == SLOT.name:
            return self._at(self._users, row)
        if table == KEY.name:
            return self._at(self._key_owners, row)
        if table not in _RANGES:
            return -1
        first, count = (self._model.slots[it].astype(np.int64) for it in _RANGES[table])
        holding = np.flatnonzero((first <= row) & (row < first + count))
        owners = [node for slot in holding.tolist() if (node := self._at(self._users, slot)) >= 0]
        return min(owners, default=-1)

    def _material_of(self, row: int) -> str:
        """The material of a batch."""
        table, wear = self._wear.table, self._at(self._wear_rows, row)
        if table is None or not 0 <= wear < len(table.materials):
            return ""
        return decode(table.materials[wear].name)

    @staticmethod
    def _at(values: npt.NDArray[np.int64], row: int) -> int:
        return int(values[row]) if 0 <= row < len(values) else -1

    @cached_property
    def _wear_rows(self) -> npt.NDArray[np.int64]:
        return reading.wear_rows_of(self._model.batches, self._choice.reading.material_field)

    @cached_property
    def _key_owners(self) -> npt.NDArray[np.int64]:
        return Animation(self._model, self._skeleton, self._choice.reading.quaternion_order).key_owners

    @cached_property
    def _users(self) -> npt.NDArray[np.int64]:
        """The first node that shows each slot; -1 for none."""
        users = np.full(len(self._model.slots), -1)
        parts = self._draws.parts
        is_slot = parts.slot >= 0
        # Backwards, so that of several parts of a slot the first is written last and stays.
        users[parts.slot[is_slot][::-1]] = parts.node[is_slot][::-1]
        return users


class RowNamer:
    """Names the rows of one payload after the other; owner: a search."""

    def __init__(self, store: FileStore) -> None:
        self._store = store
        self._known: tuple[object, ModelRows | None] = (None, None)

    def names_of(self, place: Place) -> RowNames:
        """The node and the material of the row at a place, if that is a row of a model."""
        if place.row is None or not place.table:
            return RowNames()
        if self._known[0] != place.address:
            self._known = place.address, self._rows(place)
        rows = self._known[1]
        return RowNames() if rows is None else rows.names_of(place.table, place.row)

    def _rows(self, place: Place) -> ModelRows | None:
        with suppress(MshviewError):
            item = self._store.open(place.address)
            if kind_of(item) is MODEL:
                return ModelRows(self._store, item)
        return None
