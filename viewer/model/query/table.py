"""Tables as queries see them: named columns of numbers or texts, whatever their rows are made of.

Rows of a list may have different records: a field that a row does not have is no text, or not a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass, field
from viewer.formats.part import Part, RecordParts
from viewer.formats.record import DECIMAL, Bits, Field, Record, Rows
from viewer.formats.text import decode, until_nul

Numbers = npt.NDArray[Any]
Codes = npt.NDArray[np.int64]

NO_TEXT: Final = -1
"""The code of a row without a text."""
NO_NAMES: Final[Mapping[int, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class ColumnTexts:
    """A text per row: `labels`, and the index of each row's label, (n,) int64, or `NO_TEXT`."""

    codes: Codes
    labels: Sequence[str]

    @classmethod
    def of(cls, texts: Sequence[str]) -> ColumnTexts:
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
        Makes the values: numbers (n, ...) or `ColumnTexts`.
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
        make: Callable[[], Numbers | ColumnTexts],
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
    def values(self) -> Numbers | ColumnTexts:
        """Numbers, (n, ...), or texts."""
        return self._make()

    @cached_property
    def names(self) -> Mapping[int, str]:
        """Names of numbers."""
        return self._make_names()

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shape of a row's value; empty for a scalar or a text."""
        return () if isinstance(self.values, ColumnTexts) else self.values.shape[1:]


@dataclass(frozen=True, slots=True, eq=False)
class QueryTable:
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
    def of_records(cls, record: Record, rows: Rows) -> QueryTable:
        """The stored values of records, (n,)."""
        return cls(record.name, len(rows), {it.name: Column.of_field(it, rows) for it in record.fields})


def _stored_texts(field: Field, values: npt.NDArray[Any]) -> ColumnTexts:
    """Texts up to their NUL; bytes that are not text in hexadecimal."""
    width = values.dtype.itemsize
    # As raw bytes, since "S" drops zeros at the end: a field may hold bytes after its NUL.
    raw = np.ascontiguousarray(values).view(f"V{width}") if width else values
    stored, codes = np.unique(raw, return_inverse=True)
    texts = ColumnTexts.of([_text(field, value.tobytes()) for value in stored])
    return ColumnTexts(texts.codes[codes.reshape(-1)], texts.labels)


def _text(field: Field, raw: bytes) -> str:
    return decode(until_nul(raw)) if field.is_text else raw.hex()


def ordered(column: Column, rows: npt.NDArray[np.int64], *, is_descending: bool = False) -> Codes:
    """`rows` sorted by their values; equal ones keep their order, those without a value are last.

    Texts are compared without case, arrays element by element.
    """
    values = column.values
    if isinstance(values, ColumnTexts):
        key = _ranks(values.labels)[values.codes[rows]]
        is_missing = values.codes[rows] == NO_TEXT
        keys: list[npt.NDArray[Any]] = [key]
    else:
        cells = values[rows].reshape(len(rows), np.prod(values.shape[1:], dtype=np.int64))
        # By the first element, (n,): none, or not a number.
        first = cells[:, 0] if cells.shape[1] else np.zeros(len(cells))
        is_missing = np.isnan(first) if column.none is None else first == column.none
        keys = [*cells.T]
    present = np.flatnonzero(~is_missing)
    order = present[_argsort([key[present] for key in keys], is_descending=is_descending)]
    result: Codes = rows[np.concatenate([order, np.flatnonzero(is_missing)])]
    return result


def _ranks(labels: Sequence[str]) -> Codes:
    """The rank of each label without case, and one for rows without a text; equal labels have equal ranks."""
    folded = np.array([label.casefold() for label in labels], object)
    distinct = {label: rank for rank, label in enumerate(sorted(set(folded)))}
    return np.array([*(distinct[label] for label in folded), 0], np.int64)


def _argsort(keys: Sequence[npt.NDArray[Any]], *, is_descending: bool) -> Codes:
    """The stable order by several keys, the first one weighing most; also stable if it descends."""
    if is_descending:
        backwards = _argsort([key[::-1] for key in keys], is_descending=False)[::-1]
        # Sorting the reversed rows and reversing the result: equal rows are turned twice and keep their
        # order.
        return len(backwards) - 1 - backwards
    if len(keys) == 1:
        return np.argsort(keys[0], kind="stable")
    # The last key of lexsort weighs most.
    order: Codes = np.lexsort([*keys][::-1]) if keys else np.arange(0)
    return order


HEADER: Final = "header"
"""The record whose fields count as those of the part that it is in."""
KIND: Final = "kind"
"""The column with the name of a row's record."""


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Rows with the same record: their indices in the list, (n,), and the records, (n,)."""

    record: Record
    indices: npt.NDArray[np.int64]
    rows: Rows


@dataclass(slots=True)
class _Values:
    """What rows have in a column: the groups with the field, and the meaning of its numbers."""

    field: Field
    bits: Bits | None
    groups: list[tuple[_Group, Field]]


def of_list(part: Part) -> QueryTable:
    """The rows of a list; a list of lists has no columns."""
    groups = [*_groups(part)]
    found: dict[str, _Values] = {}
    for group in groups:
        for declared in group.record.fields:
            for bits in (None, *declared.bits):
                values = found.setdefault((bits or declared).name, _Values(declared, bits, []))
                values.groups.append((group, declared))
    columns = {name: _column(name, values, part.count) for name, values in found.items()}
    columns[KIND] = Column(KIND, partial(_kinds, groups, part.count))
    return QueryTable(part.name, part.count, columns)


def _groups(part: Part) -> Iterator[_Group]:
    if isinstance(part.children, RecordParts):
        yield from (_Group(it.record, it.indices, it.rows) for it in part.children.groups if len(it.rows))
        return
    for index, child in enumerate(part.children):
        one = child if child.record else next((it for it in child.children if it.name == HEADER), child)
        if one.record is not None and isinstance(one.rows, np.void) and one.size == one.record.size:
            yield _Group(one.record, np.array([index]), np.array([one.rows]))


def _kinds(groups: list[_Group], count: int) -> ColumnTexts:
    texts = [""] * count
    for group in groups:
        for index in group.indices.tolist():
            texts[index] = group.record.name
    return ColumnTexts.of(texts)


def _column(name: str, values: _Values, count: int) -> Column:
    declared, bits = values.field, values.bits
    if bits is not None:
        return Column(name, partial(_numbers, values, count), none=bits.none, names=lambda: bits.values)
    if np.dtype(declared.dtype).kind in "SV" and declared.encoding != DECIMAL:
        return Column(name, partial(_texts, values, count))
    make = partial(_numbers, values, count)
    return Column(name, make, none=declared.none, names=lambda: declared.values, bits=declared.flags)


def _texts(values: _Values, count: int) -> ColumnTexts:
    texts = [""] * count
    for group, declared in values.groups:
        stored = group.rows[declared.name]
        raw = (bytes(item) for item in np.frombuffer(stored.tobytes(), f"V{declared.size}").tolist())
        for index, item in zip(group.indices.tolist(), raw, strict=True):
            texts[index] = _text(declared, item)
    return ColumnTexts.of(texts)


def _numbers(values: _Values, count: int) -> Numbers:
    """The numbers of all rows, (count, ...): whole ones if every row has one."""
    found = [(group.indices, _of_group(values, group, declared)) for group, declared in values.groups]
    shape = found[0][1].shape[1:]
    found = [(indices, numbers) for indices, numbers in found if numbers.shape[1:] == shape]
    is_whole = sum(len(indices) for indices, _ in found) == count
    dtype: Any = np.result_type(*(numbers.dtype for _, numbers in found)) if is_whole else np.float64
    column = np.full((count, *shape), 0 if is_whole else np.nan, dtype)
    for indices, numbers in found:
        column[indices] = numbers
    return column


def _of_group(values: _Values, group: _Group, declared: Field) -> Numbers:
    stored: Numbers = group.rows[declared.name]
    if values.bits is not None:
        return values.bits.of_rows(stored)
    if declared.encoding == DECIMAL:
        return np.array([int(item.tobytes()) for item in stored], np.int64)
    return stored
