"""Statistics of fields over all payloads of files, archives and folders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.errors import UsageError, suggestion
from viewer.formats.record import Record
from viewer.model.kinds.registry import ARCHIVES, KINDS, kind_of
from viewer.model.query.condition import Condition
from viewer.model.query.distribution import Distribution, Numbers, Value, directions, joined_texts, same
from viewer.model.references.values import SearchedTable, steps_left_out, tables_of
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.model.store.place import Place
from viewer.model.tables.column import Column, ColumnTexts
from viewer.operations.corpus.collected import (
    CollectedRows,
    TableCache,
    is_computed,
    table_name,
    tables_with,
)
from viewer.operations.corpus.many import FoundItem, ItemFinder, read_each
from viewer.progress import Progress, checkpoint, working
from viewer.translation import _, quoted

MOST_OUTLIERS: Final = 100
"""Outliers that are listed."""
_READ: Final = frozenset(kind.id for kind in KINDS) - ARCHIVES
_RAW: Final = "bytes"
"""The field of data without records, such as pixels; a summary leaves it out."""


class StatisticsOptions(Struct, frozen=True):
    """The options of the statistics of a field.

    Parameters
    ----------
    addresses
        Files, folders, archives, entries; also with wildcards.
    field
        ``TABLE.FIELD``, or an element of it: ``keys.position[2]``; the tables of other resources than models
        have their kind before them: ``mat0.phases.power``. Empty for all fields of all tables.
    where
        The rows that count, or None for all; tables without the fields of the condition do not count.
    """

    addresses: tuple[Address, ...]
    field: str = ""
    where: Condition | None = None


class Outlier(Struct, frozen=True):
    """A value that stands out, and its place."""

    place: Place
    value: Value


class FieldStatistics(Struct, frozen=True):
    """The statistics of the values of a field.

    Attributes
    ----------
    field
        ``TABLE.FIELD``.
    rows, models
        Rows that were counted, and payloads that have any.
    values
        The values in these rows, which are more if the field is an array.
    distinct
        Different values; none and not-a-number count as one each.
    least, greatest
        The ends of the range, infinities included and NaN left out; None for texts or if there is no number.
    histogram, bin_width
        As in `Distribution`.
    outliers, outlier_count
        The most unusual values, at most `MOST_OUTLIERS`, and all of them.
    invariants
        What holds for all rows, in words.
    """

    field: str
    rows: int
    models: int
    values: int
    distinct: int
    least: Value
    greatest: Value
    histogram: tuple[tuple[Value, int], ...]
    bin_width: float | None
    outliers: tuple[Outlier, ...]
    outlier_count: int
    invariants: tuple[str, ...]


class Corpus:
    """The tables of all payloads that were read, joined by their paths.

    Attributes
    ----------
    unreadable
        What could not be read, and why.
    """

    def __init__(self, tables: Mapping[str, Sequence[CollectedRows]], unreadable: Mapping[str, str]) -> None:
        self._tables = tables
        self.unreadable = unreadable

    @property
    def fields(self) -> list[str]:
        """All fields, ``TABLE.FIELD``, those of models first; without the bits of words."""
        names = (
            f"{path}.{name}"
            for path in sorted(self._tables, key=lambda path: "." in path)
            for group in self._tables[path]
            for name in group.fields
            if name != _RAW
        )
        return [*dict.fromkeys(names)]

    def statistics(self, name: str) -> FieldStatistics:
        """The statistics of ``TABLE.FIELD`` or an element of it; raises `UsageError` if there is none."""
        path, called, element = self._found(name)
        groups = [it for it in self._tables[path] if called in it.columns]
        return _Counting(name, called, element, groups).result()

    def summary(self, progress: Progress) -> Iterator[FieldStatistics]:
        """Yield the statistics of all fields."""
        for name in progress.over(self.fields, str):
            yield self.statistics(name)

    def _found(self, name: str) -> tuple[str, str, tuple[int, ...]]:
        """The table, the field and the index of the element."""
        plain, bracket, rest = name.replace(" ", "_").partition("[")
        element = tuple(int(it) for it in rest.removesuffix("]").split("][") if it.isdecimal())
        if bracket and len(element) != rest.count("[") + 1:
            raise UsageError(_("{name} is not TABLE.FIELD or TABLE.FIELD[i]", name=quoted(name)))
        found = [
            (path, called)
            for path, called in tables_with(plain, self._tables)
            if any(called in group.columns for group in self._tables[path])
        ]
        if len(found) > 1 and "." in found[0][0] and not plain.startswith(f"{found[0][0]}."):
            names = ", ".join(f"{path}.{called}" for path, called in found)
            raise UsageError(_("{name} is in several formats: {names}", name=quoted(plain), names=names))
        if not found:
            hint = suggestion(plain, self.fields)
            raise UsageError(_("there is no field {name}{hint}", name=quoted(name), hint=hint))
        return (*found[0], element)


class _Counting(Struct, frozen=True, eq=False):
    """The statistics of one field of some groups of rows, of which each has it."""

    name: str
    field: str
    element: tuple[int, ...]
    groups: Sequence[CollectedRows]

    def result(self) -> FieldStatistics:
        """The statistics of the collected values."""
        columns = [group.columns[self.field] for group in self.groups]
        cells = [self._cells(column) for column in columns]
        distribution = Distribution(_joined(cells), columns[0].none)
        least, greatest = distribution.ends
        outliers = distribution.outliers
        return FieldStatistics(
            self.name,
            sum(len(group.rows) for group in self.groups),
            len({group.names[it][0] for group in self.groups for it in np.unique(group.owners).tolist()}),
            sum(map(len, map(_flat, cells))),
            distribution.distinct,
            least,
            greatest,
            tuple(distribution.histogram),
            distribution.bin_width,
            tuple(self._outliers(distribution, cells, outliers[:MOST_OUTLIERS])),
            len(outliers),
            tuple(self._invariants(distribution, cells, columns)),
        )

    def _cells(self, column: Column) -> Numbers | ColumnTexts:
        """The values of rows, (n, ...), or of one element of them, (n,)."""
        values = column.values
        if isinstance(values, ColumnTexts):
            if self.element:
                raise UsageError(_("{field} is a text, without elements or bits", field=self.name))
            return values
        for at in self.element:
            if values.ndim < 2 or at >= values.shape[1]:
                raise UsageError(_("there is no field {name}{hint}", name=quoted(self.name), hint=""))
            values = values[:, at]
        return values

    def _outliers(
        self,
        distribution: Distribution,
        cells: Sequence[Numbers | ColumnTexts],
        chosen: npt.NDArray[np.int64],
    ) -> Iterator[Outlier]:
        starts = np.cumsum([0, *(len(_flat(it)) for it in cells)])
        stored = self._stored
        for index in chosen.tolist():
            # The values of all groups stand one after the other: groups of 4 and 3 start at 0 and 4.
            number = int(np.searchsorted(starts, index, "right")) - 1
            group, values = self.groups[number], _flat(cells[number])
            # A field with 3 elements a row has 3 values a row: value 7 is in row 2.
            row = (index - int(starts[number])) // max(1, len(values) // len(group.rows))
            value = values[index - int(starts[number])]
            plain = value if isinstance(value, str) else value.item()
            yield Outlier(group.place(row, stored), None if plain == distribution.none else plain)

    @property
    def _stored(self) -> str:
        """The field that is stored, for bits the one of their word; a computed column has its own name."""
        found = self.groups[0].stored.get(self.field)
        return self.field if found is None else found[0].name

    def _invariants(
        self,
        distribution: Distribution,
        cells: Sequence[Numbers | ColumnTexts],
        columns: Sequence[Column],
    ) -> Iterator[str]:
        """The properties shared by all rows; none for fewer than two."""
        if sum(len(group.rows) for group in self.groups) < 2:
            return
        if distribution.distinct == 1:
            yield _("constant")
        elif distribution.divisor > 1:
            yield _("multiple of {number}", number=distribution.divisor)
        yield from self._orders(distribution, cells)
        if not self.element:
            yield from self._equal(columns)

    def _orders(self, distribution: Distribution, cells: Sequence[Numbers | ColumnTexts]) -> Iterator[str]:
        numbers = [it for it in cells if isinstance(it, np.ndarray) and it.ndim == 1]
        if len(numbers) < len(cells) or distribution.distinct == 1:
            return
        found = [directions(it, group.owners) for it, group in zip(numbers, self.groups, strict=True)]
        rises, never_falls, falls, never_rises = (all(it) for it in zip(*found, strict=True))
        if all(same(it, group.indices) for it, group in zip(numbers, self.groups, strict=True)):
            yield _("equal to the row number")
        elif rises:
            yield _("sorted: rises from row to row")
        elif never_falls:
            yield _("sorted: never falls from row to row")
        elif falls:
            yield _("sorted down: falls from row to row")
        elif never_rises:
            yield _("sorted down: never rises from row to row")

    def _equal(self, columns: Sequence[Column]) -> Iterator[str]:
        """The other fields of the record with the same numbers in every row."""
        numbers = [it.values for it in columns if isinstance(it.values, np.ndarray)]
        if len(numbers) < len(columns):
            return
        for name in _names(self.groups[0].record):
            is_same = name != self._stored and all(
                name in _names(group.record) and same(group.rows[name], values)
                for group, values in zip(self.groups, numbers, strict=True)
            )
            if is_same:
                yield _("equal to {field}", field=name)


def _names(record: Record) -> list[str]:
    return [declared.name for declared in record.fields]


def _flat(cells: Numbers | ColumnTexts) -> Numbers | ColumnTexts:
    return cells if isinstance(cells, ColumnTexts) else cells.reshape(-1)


def _joined(cells: Sequence[Numbers | ColumnTexts]) -> Numbers | ColumnTexts:
    """All values of several groups, (n,)."""
    texts = [it for it in cells if isinstance(it, ColumnTexts)]
    if texts:
        return joined_texts(texts)
    return np.concatenate([it.reshape(-1) for it in cells if isinstance(it, np.ndarray)])


def collect(
    store: FileStore, options: StatisticsOptions, progress: Progress, known: TableCache | None = None
) -> Corpus:
    """Read the tables of everything at the addresses that hold the field.

    Parameters
    ----------
    known
        The tables that were read before, which are not decoded again; those read now are added.

    Raises `AddressError` if there is nothing that has fields, `UsageError` if no table has the fields of the
    condition. What cannot be read is noted, and the next one follows.
    """
    with working(progress):
        words = {options.field, *(options.where.fields if options.where else ())}
        read = partial(tables_of, store=store) if known is None or is_computed(words) else known.tables
        found = ItemFinder(store, _READ, _("resource with fields")).find(options.addresses)
        groups: dict[str, dict[Any, CollectedRows]] = {}
        fields: set[str] = set()
        unreadable = read_each(
            store, found, progress, lambda it: _add(store, options, it, groups, read, fields)
        )
        filled = {path: [it for it in some.values() if it.names] for path, some in groups.items()}
        tables = {path: some for path, some in filled.items() if some}
        if options.where is not None and not tables:
            message = options.where.unknown(fields) or _("no row fulfills the condition")
            raise UsageError(message, source="--where")
        return Corpus(MappingProxyType(tables), unreadable)


def _add(
    store: FileStore,
    options: StatisticsOptions,
    item: FoundItem,
    groups: dict[str, dict[Any, CollectedRows]],
    read: Callable[[Item, str], Iterable[SearchedTable]],
    fields: set[str],
) -> None:
    """Add the tables of a payload, and the names that their fields have in conditions."""
    opened = store.open(item.address)
    kind = kind_of(opened).id
    for searched in read(opened, kind):
        checkpoint()
        path = table_name(kind, steps_left_out(searched.path))
        is_raw = [it.name for it in searched.record.fields] == [_RAW]
        wanted = tables_with(options.field.replace(" ", "_"), [path]) if options.field else []
        if not wanted if options.field else is_raw or not searched.record.fields:
            continue
        chosen = None
        if options.where is not None:
            columns = searched.columns
            fields.update(columns.columns)
            try:
                chosen = options.where.rows(columns)
            except UsageError:
                continue
        key = searched.record.name, searched.record.dtype
        column = wanted[0][1].partition("[")[0] if wanted else ""
        group = groups.setdefault(path, {}).setdefault(key, CollectedRows(searched.record, path, column))
        group.add(item.address, searched, chosen)
    opened.made.clear()
