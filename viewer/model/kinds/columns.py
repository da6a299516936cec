"""Rows of plain data stored as columns: a table may have millions of rows, most never accessed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import eq
from typing import Any, overload

import numpy as np
import numpy.typing as npt

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
        """One row, 0 being the first."""

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        indices = range(len(self))[index]
        return self.row(indices) if isinstance(indices, int) else [*map(self.row, indices)]

    __eq__ = _equal
    __hash__ = None  # type: ignore[assignment]  # as lists have none


@dataclass(frozen=True, slots=True, eq=False)
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

    length: int
    columns: Mapping[str, Column]

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

    def with_columns(self, **columns: Column) -> Columns:
        """The same rows with more fields appended."""
        return Columns(self.length, {**self.columns, **columns})

    def row(self, index: int) -> dict[str, Any]:
        """One row, 0 being the first."""
        return {name: _cell(values, index) for name, values in self.columns.items()}


def _part(values: Column, start: int, stop: int) -> Column:
    if isinstance(values, PlainRows):
        return values.part(start, stop)
    return None if values is None else values[start:stop]


def _cell(values: Column, index: int) -> Any:
    if values is None or index >= len(values):
        return None
    return values[index : index + 1].tolist()[0] if isinstance(values, np.ndarray) else values[index]


class NullableArray(np.ndarray[Any, np.dtype[Any]]):
    """An array with a value that means none: its plain values are None there, and its `mask` is true.

    ``numpy.ma`` would do as well, but loading it takes a tenth of the start of a verb.
    """

    none: int | None

    @classmethod
    def of(cls, values: npt.NDArray[Any], none: int) -> NullableArray:
        """The same array, in which `none` means none."""
        array = values.view(cls)
        array.none = none
        return array

    def __array_finalize__(self, source: npt.NDArray[Any] | None) -> None:
        self.none = getattr(source, "none", None)

    @property
    def mask(self) -> npt.NDArray[np.bool_]:
        """True where the value means none, bool of the same shape."""
        mask: npt.NDArray[np.bool_] = np.asarray(self) == self.none
        return mask

    def tolist(self) -> Any:
        """The plain values, nested as the array is."""
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
        self._indices = [np.flatnonzero(kinds == kind) for kind in range(len(parts))]

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
        ends = [np.searchsorted(indices, (start, stop)).tolist() for indices in self._indices]
        parts = [part.part(*between) for part, between in zip(self.parts, ends, strict=True)]
        return MixedRows(self.kinds[start:stop], parts)

    def row(self, index: int) -> dict[str, Any]:
        """One row, 0 being the first."""
        kind = int(self.kinds[index])
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
