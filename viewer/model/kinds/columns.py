"""Rows of plain data stored as columns: a table may have millions of rows, most never accessed.

Text ends at its NUL, unknown bytes are hexadecimal, sentinels are None. One-line summaries of rows show the
fields that tell the rows apart.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from operator import eq
from typing import Annotated, Any, Final, overload

import numpy as np
import numpy.typing as npt

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.part import Part, RecordParts
from viewer.formats.record import DECIMAL, Field, Record, Rows, Status, plain
from viewer.formats.text import decode, until_nul
from viewer.json_types import JsonObject, described, names_of

Column = npt.NDArray[Any] | Sequence[object] | None


def _equal(left: Sequence[Any], right: object) -> Any:
    """Whether two lists have the same elements, regardless of their type."""
    if not isinstance(right, Sequence) or isinstance(right, str):
        return NotImplemented
    return len(left) == len(right) and all(map(eq, left, right))


class PlainRows(Sequence[Mapping[str, Any]]):
    """Rows by field name, each made on access."""

    __slots__ = ()

    @property
    @abstractmethod
    def names(self) -> Sequence[str]:
        """The fields that any row has."""

    @abstractmethod
    def part(self, start: int, stop: int) -> PlainRows:
        """The rows from `start` to before `stop`."""

    @abstractmethod
    def row(self, index: int) -> dict[str, Any]:
        """The row at an index, 0 being the first."""

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        indices = range(len(self))[index]
        return self.row(indices) if isinstance(indices, int) else [*map(self.row, indices)]

    __eq__ = _equal
    __hash__ = None  # type: ignore[assignment]  # as lists have none


class Columns(PlainRows):
    """Rows with the same fields.

    Parameters
    ----------
    length
        Number of rows.
    columns
        Values by field, row by row: an array (n, ...), a sequence of n values, rows of their own, or None
        for a field that is null in every row. A column that is too short is null in the remaining rows.
    """

    __slots__ = ("columns", "length")

    def __init__(self, length: int, columns: Mapping[str, Column]) -> None:
        self.length = length
        self.columns = columns

    @classmethod
    def of(cls, kind: type[JsonObject], length: int, **columns: Column) -> Columns:
        """Rows that a class describes, by its fields; raises `KeyError` if one is missing."""
        fields = kind.__struct_fields__
        needed = fields[: len(fields) - len(kind.__struct_defaults__)]
        named = zip(names_of(kind), fields, strict=True)
        return cls(length, {name: columns[it] for name, it in named if it in needed or it in columns})

    def __len__(self) -> int:
        return self.length

    @property
    def names(self) -> Sequence[str]:
        """The fields of every row."""
        return tuple(self.columns)

    def part(self, start: int, stop: int) -> Columns:
        """The rows from `start` to before `stop`."""
        start, stop = min(start, self.length), min(stop, self.length)
        return Columns(
            stop - start, {name: _part(values, start, stop) for name, values in self.columns.items()}
        )

    def at(self, indices: Sequence[int]) -> Columns:
        """The columns at some of the rows."""
        columns = {name: _at(values, indices) for name, values in self.columns.items()}
        return Columns(len(indices), columns)

    def with_columns(self, **columns: Column) -> Columns:
        """The rows with more fields appended."""
        return Columns(self.length, {**self.columns, **columns})

    def row(self, index: int) -> dict[str, Any]:
        """The row at an index, 0 being the first."""
        return {name: _cell(values, index) for name, values in self.columns.items()}


def _part(values: Column, start: int, stop: int) -> Column:
    if isinstance(values, PlainRows):
        return values.part(start, stop)
    return None if values is None else values[start:stop]


def _at(values: Column, indices: Sequence[int]) -> Column:
    return values[[*indices]] if isinstance(values, np.ndarray) else values and [values[it] for it in indices]


def _cell(values: Column, index: int) -> Any:
    if values is None or index >= len(values):
        return None
    # A slice and not values[index]: that would be a number of numpy, which knows nothing of the value for
    # none of a NullableArray; a slice is one, and its plain values have None.
    return values[index : index + 1].tolist()[0] if isinstance(values, np.ndarray) else values[index]


class NullableArray(np.ndarray[Any, np.dtype[Any]]):
    """An array with a value that means none: its plain values are None there, and its `mask` is true.

    ``numpy.ma`` would do as well, but loading it takes a tenth of the start of a verb.
    """

    none: int | None

    @classmethod
    def of(cls, values: npt.NDArray[Any], none: int) -> NullableArray:
        """An array in which `none` means none, over the same memory."""
        array = values.view(cls)
        # A view, as a table of a model may have a million rows: nothing is copied before it is shown.
        array.none = none
        return array

    def __array_finalize__(self, source: npt.NDArray[Any] | None) -> None:
        # numpy calls this for every view and slice, without __init__: a slice keeps the value for none. For a
        # plain array, as `of` views it, there is none yet.
        self.none = getattr(source, "none", None)

    @property
    def mask(self) -> npt.NDArray[np.bool_]:
        """True where the value means none, bool of the same shape."""
        mask: npt.NDArray[np.bool_] = np.asarray(self) == self.none
        return mask

    def tolist(self) -> Any:
        """The plain values, nested as the array is."""
        # Only an array of objects can hold None: in one of u16 it would have to be a number again.
        plain = np.asarray(self).astype(object)
        plain[self.mask] = None
        return plain.tolist()


class MixedRows(PlainRows):
    """Rows of several kinds in one order.

    Parameters
    ----------
    kinds
        Which of `parts` each row is from, shape (n,).
    parts
        The rows of each kind, in their order.
    """

    __slots__ = ("_indices", "kinds", "parts")

    def __init__(self, kinds: npt.NDArray[np.integer[Any]], parts: Sequence[PlainRows]) -> None:
        self.kinds = kinds
        self.parts = parts
        # Kinds 1 0 1: the stable order of the rows is 1 | 0 2, so kind 0 has row 1, kind 1 rows 0 and 2, each
        # ascending as `part` and `row` need it to bisect. np.split gives one piece more than ends, which is
        # empty.
        ends = np.cumsum(np.bincount(kinds, minlength=len(parts)))
        self._indices = np.split(np.argsort(kinds, kind="stable"), ends)[: len(parts)]

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def names(self) -> Sequence[str]:
        """The fields that any row has."""
        return [*dict.fromkeys(name for part in self.parts for name in part.names)]

    def with_shared_columns(self) -> Columns:
        """The fields that all kinds have, and ``fields`` with the others of each row, texts first."""
        shared = [name for name in self.names if all(name in part.names for part in self.parts)]
        rows = [*self]
        columns = {name: [row[name] for row in rows] for name in shared}
        others = [[(name, value) for name, value in row.items() if name not in shared] for row in rows]
        fields = [dict(sorted(other, key=lambda item: not isinstance(item[1], str))) for other in others]
        return Columns(len(self), {**columns, "fields": fields})

    def part(self, start: int, stop: int) -> MixedRows:
        """The rows from `start` to before `stop`."""
        # Each kind has the indices of its rows in the list, ascending: rows 2 to 5 of indices 0 3 4 7 are 1
        # to 3.
        ends = [np.searchsorted(indices, (start, stop)).tolist() for indices in self._indices]
        parts = [part.part(*between) for part, between in zip(self.parts, ends, strict=True)]
        return MixedRows(self.kinds[start:stop], parts)

    def row(self, index: int) -> dict[str, Any]:
        """The row at an index, 0 being the first."""
        kind = int(self.kinds[index])
        # A kind with rows 2, 5, 8 of the table: row 5 is its row 1.
        return self.parts[kind].row(int(np.searchsorted(self._indices[kind], index)))


class MadeColumn(Sequence[object]):
    """A column whose values are computed on access, from the plain values of a source."""

    __slots__ = ("_make", "_source")

    def __init__(self, source: Sequence[Any] | npt.NDArray[Any], make: Callable[[Any], object]) -> None:
        self._source = source
        self._make = make

    def __len__(self) -> int:
        return len(self._source)

    def __iter__(self) -> Iterator[object]:
        source = self._source.tolist() if isinstance(self._source, np.ndarray) else self._source
        return map(self._make, source)

    @overload
    def __getitem__(self, index: int) -> object: ...
    @overload
    def __getitem__(self, index: slice) -> MadeColumn: ...
    def __getitem__(self, index: int | slice) -> object:
        if isinstance(index, slice):
            return MadeColumn(self._source[index], self._make)
        # range translates -1 into the last row, and raises IndexError where a list would.
        return self._make(_cell(self._source, range(len(self))[index]))


class PlainArray(Sequence[Any]):
    """An array as a sequence of plain values, converted on access."""

    __slots__ = ("values",)

    def __init__(self, values: npt.NDArray[Any]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: int | slice) -> Any:
        return self.values[index].tolist()

    __eq__ = _equal
    __hash__ = None  # type: ignore[assignment]  # as lists have none


# 18 digits are less than 2^63, which any reader of the JSON can hold; longer ones stay a text.
_DECIMAL: Final = rb"[+-]?\d{1,18}"


def record_row(record: Record, row: np.void) -> dict[str, Any]:
    """The fields of a record by name, as plain data."""
    return {field.name: field_value(field, row[field.name]) for field in record.fields}


def record_columns(record: Record, rows: Rows) -> dict[str, Column]:
    """Columns of records, as views of their bytes."""
    return {field.name: _column(field, rows) for field in record.fields}


def record_rows(record: Record, rows: Rows) -> Columns:
    """Records as rows, each with its index."""
    return Columns(len(rows), {"index": np.arange(len(rows)), **record_columns(record, rows)})


class DiagnosticRow(JsonObject, frozen=True):
    """A finding of a rule."""

    rule: Annotated[str, described("its number in the specification; empty if no rule has one")]
    severity: Severity
    table: str
    index: Annotated[int | None, described("the row, from 0 on")]
    field: str | None
    message: str


def diagnostic_rows(diagnostics: Iterable[Diagnostic]) -> list[DiagnosticRow]:
    """Diagnostics as rows."""
    return [*map(DiagnosticRow.of, diagnostics)]


def field_value(field: Field, value: Any) -> Any:
    """The value of a field as plain data."""
    is_bytes = isinstance(value, np.void | np.bytes_)
    return _text(field, value.tobytes()) if is_bytes else plain(value, field.none)


def _text(field: Field, raw: bytes) -> str | int:
    if field.encoding == DECIMAL and re.fullmatch(_DECIMAL, raw):
        return int(raw)
    return decode(until_nul(raw)) if field.is_text else raw.hex()


def _column(field: Field, rows: Rows) -> Column:
    values = rows[field.name]
    if values.dtype.kind in "SV":
        return MadeColumn(values, partial(_text, field))
    return values if field.none is None else NullableArray.of(values, field.none)


MOST_COMPARED: Final = 2000
"""Rows that are compared; a table may have millions."""
MOST_ITEMS: Final = 16
"""Values of a field that fit a summary."""
TIME_UNITS: Final = ("ms", "s", "frames", "frame")

Order = tuple[Field, ...]
"""The fields of a record that a summary shows, the first ones first."""


def order_of_rows(record: Record, rows: Rows) -> Order:
    """The fields of a table (n,) in the order in which its summaries show them."""
    seen = rows[:MOST_COMPARED]
    return _ordered(record, {it.name for it in record.fields if _varies(seen[it.name])})


def order_of_one(record: Record) -> Order:
    """The fields of a single record in that order."""
    return _ordered(record, {it.name for it in record.fields})


def order_of_parts(parts: Sequence[Part]) -> dict[str, Order]:
    """The order of the columns of single records in a list, by the name of the record."""
    if isinstance(parts, RecordParts):
        return {it.record.name: order_of_rows(it.record, it.rows) for it in parts.groups if len(it.rows)}
    first: dict[str, Record] = {}
    values: dict[tuple[str, str], set[bytes]] = {}
    for part in islice(parts, MOST_COMPARED):
        record, row = part.record, part.rows
        if record is not None and isinstance(row, np.void):
            first.setdefault(record.name, record)
            for name in row.dtype.names or ():
                # By bytes as in `_varies`, as NaN would be a new value in every row.
                values.setdefault((record.name, name), set()).add(row[name].tobytes())
    varying = {key for key, found in values.items() if len(found) > 1}
    return {
        name: _ordered(record, {field for table, field in varying if table == name})
        for name, record in first.items()
    }


def _varies(values: npt.NDArray[Any]) -> bool:
    """Whether a column has more than one value; numbers that are not a number are equal to themselves."""
    if not len(values):
        return False
    # By bytes: a column of which every value is NaN would differ from itself, as NaN equals nothing.
    raw = np.ascontiguousarray(values).view(np.uint8).reshape(len(values), -1)
    return bool((raw != raw[:1]).any())


def _ordered(record: Record, varying: set[str]) -> Order:
    shown = [it for it in record.fields if it.count <= MOST_ITEMS and it.status is not Status.OPEN]
    # False sorts before True: columns with several values come first.
    return tuple(sorted(shown, key=lambda it: (it.name not in varying, _rank(it))))


def _rank(field: Field) -> int:
    """Names first, then other texts, times, numbers."""
    if field.names is not None:
        return 0
    if field.is_text and field.encoding != DECIMAL:
        return 1
    return 2 if field.unit in TIME_UNITS else 3
