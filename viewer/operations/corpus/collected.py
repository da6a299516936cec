"""Rows of tables with the same path, collected from many payloads, which are cached by their content."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.formats.record import Bits, Field, Record
from viewer.formats.record import Rows as StoredRows
from viewer.model.kinds.registry import MODEL, by_id
from viewer.model.query.distribution import joined_texts
from viewer.model.references.values import SearchedTable, tables_of
from viewer.model.store.address import Address
from viewer.model.store.item import Item
from viewer.model.store.place import Place
from viewer.model.store.recently_used import RecentlyUsed
from viewer.model.tables.column import NAME, Column, ColumnTexts, column_name
from viewer.model.tables.model_tables import DECLARED
from viewer.model.tables.table_names import VERTICES

MOST_PAYLOADS: Final = 20_000
CAPACITY: Final = 256 << 20
"""Bounds of the payloads whose tables are cached, their number and the bytes of their rows."""
_COMPUTED: Final = frozenset(
    word
    for table in DECLARED.values()
    for column in table.computed
    for word in (column.name, column.name + NAME)
)


def is_computed(words: Iterable[str]) -> bool:
    """Whether one of the words, ``TABLE.FIELD`` or ``FIELD[i]``, may be a column that no record has."""
    names = {word.partition("[")[0].rpartition(".")[2] for word in words}
    return any(name in _COMPUTED or name.endswith(NAME) for name in names)


class TableCache:
    """The tables of payloads by their bytes and what their directory entry states; for several threads.

    They have the columns of their records only: others would keep the whole model in memory.

    A payload that occurs twice, or that has not changed since the last count, is decoded once.
    """

    def __init__(self) -> None:
        self._tables: RecentlyUsed[Hashable, tuple[SearchedTable, ...]] = RecentlyUsed(
            MOST_PAYLOADS, CAPACITY, lambda tables: sum(it.rows.nbytes for it in tables)
        )

    def tables(self, item: Item, kind: str) -> tuple[SearchedTable, ...]:
        """The tables of a payload; raises `FormatError` if it cannot be read."""
        key = kind, by_id(kind).stated(item.nres_entry), item.digest
        found = self._tables.get(key)
        if found is None:
            # Copies: a view would keep the whole file in memory.
            found = tuple(replace(it, rows=it.rows.copy(), source=None) for it in tables_of(item, kind))
            self._tables.put(key, found)
        return found


class CollectedRows(Struct, eq=False, dict=True):
    """The rows of one record in all tables with the same path; joined at the first use, after the last one.

    Attributes
    ----------
    path
        Their path, without row numbers.
    wanted
        A column that is not stored but computed for each table as it is added; empty for none.
    names
        Address and exact path of each table.
    """

    record: Record
    path: str = ""
    wanted: str = ""
    names: list[tuple[Address, str]] = field(default_factory=list)
    _parts: list[tuple[StoredRows, npt.NDArray[np.int64], int]] = field(default_factory=list)
    _made: list[tuple[Column, npt.NDArray[Any] | ColumnTexts]] = field(default_factory=list)

    def add(self, address: Address, found: SearchedTable, chosen: npt.NDArray[np.bool_] | None) -> None:
        """Add the chosen rows of a table; nothing if there are none."""
        numbers = np.full(len(found.rows), -1) if found.indices is None else found.indices
        rows = found.rows
        if chosen is not None:
            rows, numbers = rows[chosen], numbers[chosen]
        if len(rows):
            if self.names[-1:] != [(address, found.path)]:
                self.names.append((address, found.path))
            # A view would keep the whole file in memory.
            own = rows if rows.base is None else rows.copy()
            self._parts.append((own, numbers, len(self.names) - 1))
            if self.wanted and self.wanted not in self.stored and self.wanted in found.columns.columns:
                column = found.columns.columns[self.wanted]
                self._made.append((column, _some(column.values, chosen)))

    @cached_property
    def rows(self) -> StoredRows:
        """All rows, (n,)."""
        return np.concatenate([rows for rows, _, _ in self._parts])

    @cached_property
    def indices(self) -> npt.NDArray[np.int64]:
        """Row numbers of the values, (n,); -1 for a single record."""
        return np.concatenate([numbers for _, numbers, _ in self._parts])

    @cached_property
    def owners(self) -> npt.NDArray[np.int64]:
        """The table of each of them, (n,), as an index of `names`."""
        return np.repeat([it for _, _, it in self._parts], [len(rows) for rows, _, _ in self._parts])

    @cached_property
    def stored(self) -> Mapping[str, tuple[Field, Bits | None]]:
        """The fields of the record, and the bits in them, by the names of their columns."""
        declared = DECLARED.get(self.path)
        found: dict[str, tuple[Field, Bits | None]] = {}
        for it in self.record.fields:
            found[declared.stored_name(it) if declared else it.name] = it, None
            for bits in it.bits:
                found.setdefault(column_name(bits), (it, bits))
        return found

    @property
    def fields(self) -> list[str]:
        """The names of the columns of whole fields."""
        return [name for name, (_field, bits) in self.stored.items() if bits is None]

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        """The stored values of all fields, and of the bits in them, and what was computed, by name."""
        found: dict[str, Column] = {}
        for name, (declared, bits) in self.stored.items():
            if bits is None:
                found[name] = Column.of_field(declared, self.rows, name=name)
            else:
                found[name] = Column.of_bits(bits, declared, self.rows)
        if self._made:
            first = self._made[0][0]
            values = _joined([it for _column, it in self._made])
            found[self.wanted] = Column(self.wanted, lambda: values, none=first.none, doc=first.doc)
        return found

    def place(self, row: int, name: str) -> Place:
        """The place of a field of a row."""
        address, path = self.names[int(self.owners[row])]
        index = int(self.indices[row])
        return Place(address, path, None if index < 0 else index, name)


def _some(values: npt.NDArray[Any] | ColumnTexts, chosen: npt.NDArray[np.bool_] | None) -> Any:
    if chosen is None:
        return values
    if isinstance(values, ColumnTexts):
        return ColumnTexts(values.codes[chosen], values.labels)
    return values[chosen]


def _joined(parts: Sequence[npt.NDArray[Any] | ColumnTexts]) -> npt.NDArray[Any] | ColumnTexts:
    texts = [it for it in parts if isinstance(it, ColumnTexts)]
    return (
        joined_texts(texts) if texts else np.concatenate([it for it in parts if isinstance(it, np.ndarray)])
    )


def table_name(kind: str, path: str) -> str:
    """The name of a table: of a model its path, of others with the kind before it."""
    return path if kind == MODEL.id else f"{kind}.{path}"


_STREAMS: Final = {
    f"{VERTICES}.{it.name}": (it.source, it.stored.name) for it in DECLARED[VERTICES].computed if it.stored
}
"""The table and the field that store a column of the vertices, by its name."""


def tables_with(field: str, known: Collection[str]) -> list[tuple[str, str]]:
    """The tables that ``TABLE.FIELD`` may be in, each with the name of the field, the best one first.

    The kind may be left out, and a stored column of `VERTICES` is also in the table of its stream.
    """
    found: list[tuple[tuple[bool, int], str, str]] = []
    for path in known:
        kindless = path.partition(".")[2]
        aliases = [(True, path), *([(False, kindless)] if kindless else [])]
        for is_whole, alias in aliases:
            if field.startswith(f"{alias}."):
                found.append(((not is_whole, -len(alias)), path, field[len(alias) + 1 :]))
                break
    stream = _STREAMS.get(field.partition("[")[0])
    if stream is not None and stream[0] in known:
        found.append(((False, 0), *stream))
    return [(path, called) for _rank, path, called in sorted(found)]
