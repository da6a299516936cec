"""Lists of parts as tables: rows may have different records.

A field that a row does not have is no text, or not a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.part import Part, RecordParts
from viewer.formats.record import DECIMAL, Bits, Field, Record, Rows
from viewer.model.tables.column import Column, ColumnTexts, Numbers, stored_text
from viewer.model.tables.table import QueryTable

HEADER: Final = "header"
"""The record whose fields count as those of the part that it is in."""
KIND: Final = "kind"
"""The column with the name of a row's record."""


class _Group(Struct, frozen=True, eq=False):
    """Rows with the same record: their indices in the list, (n,), and the records, (n,)."""

    record: Record
    indices: npt.NDArray[np.int64]
    rows: Rows


class _Values(Struct):
    """The values of a column: the groups with the field, and the meaning of its numbers."""

    field: Field
    bits: Bits | None
    groups: list[tuple[_Group, Field]]


def of_list(part: Part) -> QueryTable:
    """The rows of a list; a list of lists has no columns."""
    groups = [*_groups(part)]
    found: dict[str, _Values] = {}
    for group in groups:
        # Records of one list share columns by the name of the field: the first one says what the numbers
        # mean.
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
        # A part with tables of its own, as a block of a material with keys, is a row by its header.
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
        return Column(name, partial(_numbers, values, count), none=bits.none, find_names=lambda: bits.values)
    if np.dtype(declared.dtype).kind in "SV" and declared.encoding != DECIMAL:
        return Column(name, partial(_texts, values, count))
    make = partial(_numbers, values, count)
    return Column(name, make, none=declared.none, find_names=lambda: declared.values, bits=declared.flags)


def _texts(values: _Values, count: int) -> ColumnTexts:
    texts = [""] * count
    for group, declared in values.groups:
        stored = group.rows[declared.name]
        # As V and not S, which drops zeros at the end: a field of bytes, in hexadecimal, has all of them.
        raw = (bytes(item) for item in np.frombuffer(stored.tobytes(), f"V{declared.size}").tolist())
        for index, item in zip(group.indices.tolist(), raw, strict=True):
            texts[index] = stored_text(declared, item)
    return ColumnTexts.of(texts)


def _numbers(values: _Values, count: int) -> Numbers:
    """The numbers of all rows, (count, ...): whole ones if every row has one."""
    found = [(group.indices, _of_group(values, group, declared)) for group, declared in values.groups]
    shape = found[0][1].shape[1:]
    # Records may call fields of different shapes by one name; those unlike the first have no place in the
    # column.
    found = [(indices, numbers) for indices, numbers in found if numbers.shape[1:] == shape]
    # A row without the field is NaN, which only floats have: 32 bits fit into a double exactly.
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
