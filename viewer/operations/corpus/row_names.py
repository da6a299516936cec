"""The names of the node and the material that a row of a model belongs to: those of its columns."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from viewer.errors import MshviewError
from viewer.formats.msh.nodes import NODE
from viewer.model.kinds.registry import MODEL, kind_of
from viewer.model.material import selectors
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.model.store.place import Place
from viewer.model.tables.model_tables import DECLARED, table_of
from viewer.model.tables.read_model import LazyModel
from viewer.model.tables.source import TableSource
from viewer.model.tables.table import ModelTable


class RowNames(NamedTuple):
    """The names of what a row belongs to; empty if nothing is known of it."""

    node: str = ""
    material: str = ""


class ModelRows:
    """The rows of a model in the reading that suits it, with the wear table next to it."""

    def __init__(self, store: FileStore, item: Item) -> None:
        model = item.read_model()
        self._source = TableSource(LazyModel(model, lambda: selectors.wears_of(store, item, model.variant)))
        self._tables: dict[str, ModelTable] = {}

    def names_of(self, table: str, row: int) -> RowNames:
        """The node and the material of a row of a table."""
        if table == NODE.name:
            names = self._source.read.names
            return RowNames(names[row] if 0 <= row < len(names) else "")
        if table not in DECLARED:
            return RowNames()
        if table not in self._tables:
            self._tables[table] = table_of(self._source, table)
        return RowNames(self._named(table, row, "node"), self._named(table, row, "wear_row"))

    def _named(self, table: str, row: int, column: str) -> str:
        """The name beside the number of a row in a column; empty without one."""
        found = self._tables[table].column(column)
        if found is None or not 0 <= row < len(found.stored):
            return ""
        return found.names.get(int(found.stored[row]), "")


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
