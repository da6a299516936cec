"""Fixed-size records, declared once, for readers, tables, tooltips and documentation.

Source: spec/README.md 3 (little-endian, packed).
Status: proven.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from math import prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.errors import FormatError
from viewer.translation import _, quoted, translated

Bytes = bytes | bytearray | memoryview
Rows = npt.NDArray[np.void]
"""A structured array: one element per record, one named column per field."""


class Status(StrEnum):
    """The certainty of the meaning of a field."""

    PROVEN = "proven"
    INFERRED = "inferred"
    HYPOTHESIS = "hypothesis"
    OPEN = "open"


CP1251: Final = "cp1251"
"""The encoding of the game's names and texts."""
ASCII: Final = "ascii"
"""The encoding of four-letter marks and of white space in text files."""
DECIMAL: Final = "decimal"
"""The encoding of integers in text files: decimal digits with or without a sign, in ASCII."""


TEXTURE: Final = "texm"
MATERIAL: Final = "mat0"
LIGHTMAP: Final = "lightmap"
"""A texture in the library of lightmaps."""
ARCHIVE: Final = "archive"
ENTRY: Final = "entry"
"""An entry of the archive that the field before it names."""
UNPLACED: Final = -1
"""The offset of a field that is in no record yet."""


class Bits(Struct, frozen=True):
    """Bits of a word with a meaning of their own.

    Parameters
    ----------
    name, doc
        As for `Field`.
    shift, width
        The lowest bit, and the number of bits.
    values
        Names of values.
    refers_to
        Table whose row index the value is.
    none
        The value that means none.
    element
        Index of their word in an array.
    is_float
        Whether the bits are a binary32 number.
    unit
        Of the value.
    status
        How certain the meaning is.
    reading
        The reading in which the bits have this meaning; empty for all.
    """

    name: str
    shift: int
    width: int
    doc: str
    values: Mapping[int, str] = field(default_factory=dict)
    refers_to: str | None = None
    none: int | None = None
    element: int = 0
    is_float: bool = False
    unit: str = ""
    status: Status = Status.INFERRED
    reading: str = ""

    def __hash__(self) -> int:
        return hash((self.name, self.shift, self.width, self.element))  # names of values have none

    def of(self, value: Any) -> int | float:
        """The value of the bits in a stored value, which is a word or an array of words."""
        word = int(np.asarray(value).ravel()[self.element])
        # - binds before >> before &: shift 4, width 2 of 0x36 is 3.
        bits = word >> self.shift & (1 << self.width) - 1
        # No conversion: the 32 bits are those of the float, 0x3F800000 is 1.0.
        return float(np.uint32(bits).view(np.float32)) if self.is_float else bits

    def of_rows(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Bits in stored values (n,) or (n, k), an array (n,)."""
        # As 64 bits, because the mask of a whole word, 0xFFFFFFFF, has no room in a column of 16 bits or in a
        # signed one of 32. Shift 8, width 8 of 0x0102 and 0xFF04 gives 1 and 255.
        words = (values if values.ndim == 1 else values[:, self.element]).astype(np.int64)
        bits: npt.NDArray[Any] = words >> self.shift & (1 << self.width) - 1
        return bits.astype(np.uint32).view(np.float32) if self.is_float else bits


class Field(Struct, frozen=True):
    """A field of a record.

    Parameters
    ----------
    name
        The term of the specification.
    dtype
        Stored numpy scalar type, little-endian: ``"<u2"``, ``"<f4"``, ``"i1"``, ``"S32"`` ...
    doc
        Its meaning, in one sentence.
    shape
        Array shape, empty for a scalar.
    refers_to
        Table whose row index the value is.
    unit
        Unit of the value, or the scale of a packed value.
    status
        How certain the meaning is.
    none
        The value that means none (0xFFFF in index fields).
    encoding
        Text up to a NUL in this encoding; None for numbers and for bytes.
    flags
        Names of single bits.
    values
        Names of the values of an enumeration.
    bits
        Meanings of groups of bits of the word.
    scale
        The decoded value is the stored one divided by this; None if it is not decoded.
    components
        Names of the elements by reading; the empty key means all readings.
    names
        What the text names in the game folder: `TEXTURE`, `MATERIAL`, `LIGHTMAP`, `ARCHIVE` or `ENTRY`.
    reading
        The reading in which the field is used; empty for all.
    allowed
        The values without which nothing can be read; empty for all.
    offset
        Bytes from the start of the record; set by `Record`.
    """

    name: str
    dtype: str
    doc: str
    shape: tuple[int, ...] = ()
    refers_to: str | None = None
    unit: str | None = None
    status: Status = Status.PROVEN
    none: int | None = None
    encoding: str | None = None
    flags: Mapping[int, str] = field(default_factory=dict)
    values: Mapping[int, str] = field(default_factory=dict)
    bits: tuple[Bits, ...] = ()
    scale: float | None = None
    components: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    names: str | None = None
    reading: str = ""
    allowed: Sequence[int | bytes] = ()
    offset: int = UNPLACED

    def __hash__(self) -> int:
        return hash((self.name, self.dtype, self.shape, self.offset))  # names of flags and values have none

    @property
    def is_text(self) -> bool:
        """Whether the stored bytes are text."""
        return self.encoding is not None

    @property
    def is_bits(self) -> bool:
        """Whether the value is a set of bits rather than a quantity: shown in hexadecimal."""
        return bool(self.flags or self.bits) or (self.status is Status.OPEN and not self.is_float)

    @property
    def is_float(self) -> bool:
        """Whether the value is a floating-point number."""
        return np.dtype(self.dtype).kind == "f"

    @property
    def size(self) -> int:
        """Size of the field, bytes."""
        return np.dtype((self.dtype, self.shape)).itemsize

    @property
    def count(self) -> int:
        """Number of scalars in the field."""
        return prod(self.shape)

    @property
    def type_name(self) -> str:
        """The type as text: ``u16[3]``, ``f32``, ``char[32]``."""
        scalar = np.dtype(self.dtype)
        if scalar.kind in "SV":
            return f"{'char' if self.is_text else 'byte'}[{scalar.itemsize}]"
        letter = {"u": "u", "i": "i", "f": "f"}[scalar.kind]
        return f"{letter}{scalar.itemsize * 8}" + "".join(f"[{n}]" for n in self.shape)


class Record:
    """A packed little-endian record of `size` bytes.

    The fields must fill it exactly, which is checked at import. None is more certain than the `status` of
    the record.
    """

    def __init__(
        self, name: str, size: int, *fields: Field, doc: str = "", status: Status = Status.PROVEN
    ) -> None:
        placed: list[Field] = []
        offset = 0
        for declared in fields:
            is_own = declared.offset == UNPLACED  # else it is that of another record, with its status
            certain = status if is_own and declared.status is Status.PROVEN else declared.status
            placed.append(replace(declared, offset=offset, status=certain))
            offset += declared.size
        if offset != size:
            raise ValueError(f"{name}: fields take {offset} bytes, the record has {size}")
        self.name = name
        self.size = size
        self.doc = doc
        self.fields = tuple(placed)

    @cached_property
    def dtype(self) -> np.dtype[np.void]:
        """The packed structured dtype."""
        return np.dtype([(f.name, f.dtype, f.shape) for f in self.fields])

    @cached_property
    def _by_name(self) -> dict[str, Field]:
        return {declared.name: declared for declared in self.fields}

    def field(self, name: str) -> Field:
        """The field `name`."""
        return self._by_name[name]

    def view(self, data: Bytes, *, offset: int = 0, count: int | None = None) -> Rows:
        """Records in `data` from `offset`, without copying.

        Without `count`, all whole records; trailing bytes are not in the view.
        Raises `FormatError` if `count` records do not fit.
        """
        available = max(0, memoryview(data).nbytes - offset) // self.size
        if count is None:
            count = available
        if not 0 <= count <= available:
            words = "{count} records of {record_size} bytes, {available} present"
            message = _(words, count=count, record_size=self.size, available=available)
            raise FormatError(message, table=self.name)
        if count == 0:
            return np.empty(0, self.dtype)
        return np.frombuffer(data, self.dtype, count, offset)

    def read(self, data: Bytes, *, rule: str = "") -> np.void:
        """The record at the start; raises `FormatError` (with `rule`) if it does not fit."""
        size = memoryview(data).nbytes
        if size < self.size:
            message = _("{size} bytes, a record has {record_size}", size=size, record_size=self.size)
            raise FormatError(message, table=self.name, rule=rule)
        row: np.void = self.view(data, count=1)[0]
        return row

    @cached_property
    def _checked(self) -> tuple[Field, ...]:
        return tuple(it for it in self.fields if len(it.allowed))

    def is_like(self, data: Bytes) -> bool:
        """Whether a record with allowed values is at the start."""
        if memoryview(data).nbytes < self.size:
            return False
        row = self.view(data, count=1)[0]
        return all(row[it.name].item() in it.allowed for it in self._checked)

    def check(self, row: np.void, rule: str, rules: Mapping[str, str]) -> None:
        """Raise `FormatError` for a value that is not allowed, with `rule` or the one for its field."""
        for it in self._checked:
            found, allowed = row[it.name].item(), it.allowed
            if found not in allowed:
                if isinstance(allowed, range):
                    expected = f"{allowed[0]}..{allowed[-1]}"
                else:
                    expected = ", ".join(quoted(it if isinstance(it, bytes) else int(it)) for it in allowed)
                if len(allowed) == 1 and isinstance(allowed[0], int):
                    # One number alone marks the format: it is known by its hexadecimal digits.
                    message = _("{found:#x} is not {expected:#x}", found=found, expected=allowed[0])
                else:
                    message = _("{found!r} is not {expected}", found=found, expected=expected)
                raise FormatError(message, table=self.name, field=it.name, rule=rules.get(it.name, rule))

    def anywhere(self, stored: npt.NDArray[np.uint8]) -> Rows:
        """A view with a record at every offset of bytes, overlapping, to read or write at some."""
        # A stride of one byte: row i begins at byte i, so an array of offsets gathers unaligned records.
        return np.ndarray((len(stored) - self.size + 1,), self.dtype, stored, strides=(1,))

    def new(self, count: int = 1) -> Rows:
        """`count` writable records, all zero."""
        return np.zeros(count, self.dtype)

    def row(self, record: np.void) -> dict[str, Any]:
        """A record as plain Python values by field name; the sentinel becomes None."""
        return {it.name: plain(record[it.name], it.none) for it in self.fields}


def flags_text(value: int, hints: Mapping[int, str]) -> str:
    """Names of the set bits; bits without a name are shown as unknown, never dropped."""
    named = [translated(hint) for bit, hint in hints.items() if value & bit]
    unnamed = value & ~sum(hints)
    if unnamed:
        named.append(_("unknown 0x{bits:04X}", bits=unnamed))
    return ", ".join(named) or _("none set")


def plain(value: Any, none: int | None = None) -> Any:
    """A numpy value as ints, floats, bytes, or nested lists of them, with `none` as None."""
    result = value.tolist() if hasattr(value, "tolist") else value
    return result if none is None else _without(result, none)


def _without(value: Any, none: int) -> Any:
    if isinstance(value, list):
        return [_without(item, none) for item in value]
    return None if value == none else value
