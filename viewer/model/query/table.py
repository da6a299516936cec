"""Tables as queries see them: named columns of numbers or texts, whatever their rows are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.formats.record import Field, Record, Rows
from viewer.formats.text import decode, until_nul

Numbers = npt.NDArray[Any]
Codes = npt.NDArray[np.int64]

NO_TEXT: Final = -1
"""The code of a row without a text."""
NO_NAMES: Final[Mapping[int, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A text per row: `labels`, and the index of each row's label, (n,) int64, or `NO_TEXT`."""

    codes: Codes
    labels: Sequence[str]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        """The texts of rows; an empty one counts as none."""
        numbers: dict[str, int] = {}
        codes = [numbers.setdefault(text, len(numbers)) if text else NO_TEXT for text in texts]
        return cls(np.array(codes, np.int64), tuple(numbers))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str:
        code = int(self.codes[row])
        return "" if code == NO_TEXT else self.labels[code]

    def where(self, holds: Iterable[bool]) -> npt.NDArray[np.bool_]:
        """The rows whose label holds, (n,) bool, given the answer for each label."""
        answers: npt.NDArray[np.bool_] = np.array([*holds, False], np.bool_)[self.codes]
        return answers


class Column:
    """One column; its values are made when they are first needed.

    Parameters
    ----------
    name
        As conditions and headers call it.
    make
        Makes the values: numbers (n, ...) or `Texts`.
    none
        The number that means none.
    names
        Names of numbers: the values of an enumeration, or the rows that a reference leads to.
    bits
        Names of single bits.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], Numbers | Texts],
        *,
        none: int | None = None,
        names: Callable[[], Mapping[int, str]] = lambda: NO_NAMES,
        bits: Mapping[int, str] = NO_NAMES,
    ) -> None:
        self.name = name
        self.none = none
        self.bits = bits
        self._make = make
        self._make_names = names

    @classmethod
    def of_field(
        cls, field: Field, rows: Rows, names: Callable[[], Mapping[int, str]] | None = None
    ) -> Column:
        """The stored values of a field; `names` are those of the rows that it refers to."""
        if np.dtype(field.dtype).kind in "SV":
            return cls(field.name, lambda: _stored_texts(field, rows[field.name]))
        named = names or (lambda: field.values)
        return cls(field.name, lambda: rows[field.name], none=field.none, names=named, bits=field.flags)

    @cached_property
    def values(self) -> Numbers | Texts:
        """Numbers, (n, ...), or texts."""
        return self._make()

    @cached_property
    def names(self) -> Mapping[int, str]:
        """Names of numbers."""
        return self._make_names()

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shape of a row's value; empty for a scalar or a text."""
        return () if isinstance(self.values, Texts) else self.values.shape[1:]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows with columns by name.

    Parameters
    ----------
    name
        Its name in places.
    count
        Number of rows.
    columns
        In their order.
    """

    name: str
    count: int
    columns: Mapping[str, Column] = field(default_factory=dict)

    @classmethod
    def of_records(cls, record: Record, rows: Rows) -> Table:
        """The stored values of records, (n,)."""
        return cls(record.name, len(rows), {it.name: Column.of_field(it, rows) for it in record.fields})


def _stored_texts(field: Field, values: npt.NDArray[Any]) -> Texts:
    """Texts up to their NUL; bytes that are not text in hexadecimal."""
    width = values.dtype.itemsize
    raw = np.ascontiguousarray(values).view(f"V{width}") if width else values
    stored, codes = np.unique(raw, return_inverse=True)
    texts = Texts.of([_text(field, value.tobytes()) for value in stored])
    return Texts(texts.codes[codes.reshape(-1)], texts.labels)


def _text(field: Field, raw: bytes) -> str:
    return decode(until_nul(raw)) if field.is_text else raw.hex()
