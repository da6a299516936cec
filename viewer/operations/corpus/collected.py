"""Rows of tables with the same path, collected from many payloads, which are cached by their content."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property, partial
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass, field, replace
from viewer.formats.record import Record
from viewer.formats.record import Rows as StoredRows
from viewer.model.kinds.registry import MODEL, by_id
from viewer.model.query.table import Column
from viewer.model.references.values import SearchedTable, tables_of
from viewer.model.store.address import Address
from viewer.model.store.item import Item
from viewer.model.store.place import Place
from viewer.model.store.recently_used import RecentlyUsed

MOST_PAYLOADS: Final = 20_000
CAPACITY: Final = 256 << 20
"""Bounds of the payloads whose tables are cached, their number and the bytes of their rows."""
_VERTICES: Final = "vertices"
STREAMS: Final = ("positions", "normals", "uvs")
"""The tables that `vertices` stands for, as in ``inspect --table vertices``."""


class TableCache:
    """The tables of payloads by their bytes and what their directory entry states; for several threads.

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
            found = tuple(replace(it, rows=it.rows.copy()) for it in tables_of(item, kind))
            self._tables.put(key, found)
        return found


@dataclass(eq=False)
class CollectedRows:
    """The rows of one record in all tables with the same path; joined at the first use, after the last one.

    Attributes
    ----------
    names
        Address and exact path of each table.
    """

    record: Record
    names: list[tuple[Address, str]] = field(default_factory=list)
    _parts: list[tuple[StoredRows, npt.NDArray[np.int64], int]] = field(default_factory=list)

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

    @cached_property
    def rows(self) -> StoredRows:
        """All rows, (n,)."""
        return np.concatenate([rows for rows, _, _ in self._parts])

    @cached_property
    def indices(self) -> npt.NDArray[np.int64]:
        """Their row numbers, (n,); -1 for a single record."""
        return np.concatenate([numbers for _, numbers, _ in self._parts])

    @cached_property
    def owners(self) -> npt.NDArray[np.int64]:
        """The table of each of them, (n,), as an index of `names`."""
        return np.repeat([it for _, _, it in self._parts], [len(rows) for rows, _, _ in self._parts])

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        """The stored values of all fields, and of the bits in them, by name."""
        found: dict[str, Column] = {}
        for declared in self.record.fields:
            found[declared.name] = Column.of_field(declared, self.rows)
            for bits in declared.bits:
                make = partial(bits.of_rows, self.rows[declared.name])
                found.setdefault(bits.name, Column(bits.name, make, none=bits.none))
        return found

    def place(self, row: int, name: str) -> Place:
        """The place of a field of a row."""
        address, path = self.names[int(self.owners[row])]
        index = int(self.indices[row])
        return Place(address, path, None if index < 0 else index, name)


def table_name(kind: str, path: str) -> str:
    """What a table is called: that of a model by its path, others with their kind before it."""
    return path if kind == MODEL.id else f"{kind}.{path}"


def tables_with(field: str, known: Iterable[str]) -> list[tuple[str, str]]:
    """The tables that ``TABLE.FIELD`` may be in, each with the name of the field, the best one first.

    The kind may be left out, and `vertices` stands for all of `STREAMS`.
    """
    found: list[tuple[tuple[bool, int], str, str]] = []
    for path in known:
        kindless = path.partition(".")[2]
        aliases = [(True, path), *([(False, kindless)] if kindless else [])]
        aliases += [(True, _VERTICES)] if path in STREAMS else []
        for is_whole, alias in aliases:
            if field.startswith(f"{alias}."):
                found.append(((not is_whole, -len(alias)), path, field[len(alias) + 1 :]))
                break
    return [(path, called) for _rank, path, called in sorted(found)]
