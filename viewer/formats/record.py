"""A fixed-size record, declared once; readers, tables, tooltips and documentation come from the declaration.

Source: spec/README.md 3 (little-endian, packed).
Status: proven.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from viewer.errors import FormatError

Bytes = bytes | bytearray | memoryview
Rows = npt.NDArray[np.void]
"""A structured array: one element per record, one named column per field."""


class Status(StrEnum):
    """How sure we are of a field's meaning."""

    PROVEN = "proven"
    INFERRED = "inferred"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record.

    Parameters
    ----------
    name
        The spec's term.
    dtype
        numpy scalar type on the wire, little-endian: ``"<u2"``, ``"<f4"``, ``"i1"``, ``"S32"`` ...
    doc
        What it means, in one sentence.
    shape
        Array shape, empty for a scalar.
    refers_to
        Table whose rows the value numbers.
    unit
        Unit of the value, or how a packed value scales.
    status
        How sure we are.
    none
        The value that means "nothing" (0xFFFF in index fields).
    offset
        Bytes from the start of the record; filled in by `Record`.
    """

    name: str
    dtype: str
    doc: str
    shape: tuple[int, ...] = ()
    refers_to: str | None = None
    unit: str | None = None
    status: Status = Status.PROVEN
    none: int | None = None
    offset: int = 0

    @property
    def size(self) -> int:
        """Bytes that the field takes."""
        return np.dtype((self.dtype, self.shape)).itemsize

    @property
    def count(self) -> int:
        """Number of scalars in the field."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def type_name(self) -> str:
        """The type as people write it: ``u16[3]``, ``f32``, ``char[32]``."""
        scalar = np.dtype(self.dtype)
        if scalar.kind in "SV":
            return f"char[{scalar.itemsize}]"
        letter = {"u": "u", "i": "i", "f": "f"}[scalar.kind]
        return f"{letter}{scalar.itemsize * 8}" + "".join(f"[{n}]" for n in self.shape)


class Record:
    """A packed little-endian record of `size` bytes.

    The fields must fill it exactly; a declaration that does not add up fails at import.
    """

    def __init__(self, name: str, size: int, *fields: Field) -> None:
        placed: list[Field] = []
        offset = 0
        for field in fields:
            placed.append(replace(field, offset=offset))
            offset += field.size
        if offset != size:
            raise ValueError(f"{name}: fields take {offset} bytes, the record has {size}")
        self.name = name
        self.size = size
        self.fields = tuple(placed)

    @cached_property
    def dtype(self) -> np.dtype[np.void]:
        """The packed structured dtype."""
        return np.dtype([(f.name, f.dtype, f.shape) for f in self.fields])

    @cached_property
    def _by_name(self) -> dict[str, Field]:
        return {field.name: field for field in self.fields}

    def field(self, name: str) -> Field:
        """Return the field called `name`."""
        return self._by_name[name]

    def view(self, data: Bytes, *, offset: int = 0, count: int | None = None) -> Rows:
        """Records lying in `data` from `offset`, zero copy.

        With no `count`, as many whole records as there are; trailing bytes stay out of the view.
        Raises `FormatError` where `count` records do not fit.
        """
        available = max(0, memoryview(data).nbytes - offset) // self.size
        if count is None:
            count = available
        if not 0 <= count <= available:
            raise FormatError(f"{count} records of {self.size} bytes, {available} present", table=self.name)
        if count == 0:
            return np.empty(0, self.dtype)
        return np.frombuffer(data, self.dtype, count, offset)

    def read(self, data: Bytes, *, rule: str = "") -> np.void:
        """Return the record at the start; raises `FormatError` (with `rule`) where it does not fit."""
        size = memoryview(data).nbytes
        if size < self.size:
            raise FormatError(f"{size} bytes, a record has {self.size}", table=self.name, rule=rule)
        row: np.void = self.view(data, count=1)[0]
        return row

    def new(self, count: int = 1) -> Rows:
        """Return `count` writable records, all zero."""
        return np.zeros(count, self.dtype)

    def row(self, record: np.void) -> dict[str, Any]:
        """One record as plain Python values by field name; the sentinel becomes None."""
        return {field.name: plain(record[field.name], field.none) for field in self.fields}


def flags_text(value: int, hints: Mapping[int, str]) -> str:
    """Name the bits that are set; bits without a name are counted as unknown, never dropped."""
    named = [hint for bit, hint in hints.items() if value & bit]
    unnamed = value & ~sum(hints)
    if unnamed:
        named.append(f"unknown 0x{unnamed:04X}")
    return ", ".join(named) or "none set"


def plain(value: Any, none: int | None = None) -> Any:
    """A numpy value as ints, floats, bytes, or nested lists of them, with `none` as None."""
    result = value.tolist() if hasattr(value, "tolist") else value
    return result if none is None else _without(result, none)


def _without(value: Any, none: int) -> Any:
    if isinstance(value, list):
        return [_without(item, none) for item in value]
    return None if value == none else value
