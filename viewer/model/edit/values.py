"""Values of fields as bytes: from what ``inspect`` prints, and refused if the field cannot hold them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from operator import lt
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from viewer.errors import EditError, FormatError, reason_of, shortened, shown, suggestion
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.vertices import POSITION
from viewer.formats.record import Bits, Field, Record, Rows
from viewer.formats.text import encode, until_nul
from viewer.model.edit.change import refusal, refuse_missing
from viewer.model.tables.table_names import VERTICES
from viewer.translation import Text, _
from viewer.typed_json import COUNT, SPECIAL, made

if TYPE_CHECKING:
    from viewer.model.edit.draft import Draft

_ROW: Final[Any] = Annotated[int, COUNT]
_ROWS: Final[Any] = tuple[_ROW, ...]
# 18 digits fit 64 bits: an index that is too large is refused as an element that there is not.
_FIELD: Final = re.compile(r"([^\[\]]+)((?:\[\d{1,18}\])*)")

Stored = npt.NDArray[Any]
"""Values of a field as they are stored, (..., *shape)."""


def field_path(text: str) -> tuple[str, tuple[int, ...]]:
    """Split ``aabb_min[1]`` into the name of a field and the indices of an element; raises `EditError`."""
    found = _FIELD.fullmatch(text)
    if found is None:
        raise EditError(_("{text!r} is not a field or an element of one", text=text))
    return found[1], tuple(int(index) for index in re.findall(r"\d+", found[2]))


def stored(field: Field, value: Any, before: Stored, element: Sequence[int] = ()) -> Stored:
    """The stored value after `value` is set.

    Parameters
    ----------
    value
        As ``inspect`` prints it: numbers, nested lists of them, None for the value that means none, a name
        of the enumeration, a text, or bytes in hexadecimal.
    before
        The stored values, of the field's type, (..., *shape): of one row or of several.
    element
        Indices of the element to set; empty for the whole field.

    Raises
    ------
    EditError
        If the field cannot hold the value; it says the limits.
    """
    after = np.array(before)
    if np.dtype(field.dtype).kind in "SV":
        refuse_element(field.name, element)
        return _texts(field, value, after)
    inside = len(element) <= len(field.shape) and all(map(lt, element, field.shape))
    if not inside:
        raise EditError(_("{field} has no element {index}", field=field.name, index=[*element]))
    expected = field.shape[len(element) :]
    limits = _Limits(np.dtype(field.dtype), field.none, field.values)
    # Whole numbers stay Python integers until they are checked: 2**40 must be refused, not wrapped.
    numbers = _numbers(limits, value)
    if not numbers.size and 0 in expected:
        return after
    if numbers.shape != expected:
        count = " x ".join(map(str, expected)) or "1"
        raise EditError(_("{count} values are needed, not {value}", count=count, value=shown(value)))
    where: Any = (..., *element, *(slice(None) for _ignored in expected))
    made, kept = numbers.astype(after.dtype), after[where]
    if made.dtype.kind == "f":
        # What is not a number now and stays so keeps its bits.
        made = np.where(np.isnan(made) & np.isnan(kept), kept, made)
    after[where] = made
    return after


def check_number(field: Field, value: float) -> None:
    """Raise `EditError` unless a number is within the limits of a field; it says them."""
    _number(_Limits(np.dtype(field.dtype), field.none, field.values), value)


def check_fields(record: Record, values: Mapping[str, Any], table: str, row: int | None = None) -> None:
    """Raise `FormatError` with its place for the first value that a field of a record cannot hold.

    Parameters
    ----------
    values
        As ``inspect`` prints them, by the names of fields; others are not looked at.
    table, row
        Where they are in their file.
    """
    for declared in record.fields:
        if declared.name in values:
            with in_field(table, row, declared.name):
                stored(declared, values[declared.name], np.zeros(declared.shape, declared.dtype))


@contextmanager
def in_field(table: str, row: int | None, field: str) -> Iterator[None]:
    """Turn what a field cannot hold into a `FormatError` with its place in a file."""
    try:
        yield
    except EditError as error:
        raise FormatError(Text.of(error.message), table=table, index=row, field=field) from None


def refuse_element(field: str, element: Sequence[int]) -> None:
    """Raise `EditError` if an element is named of a field that has none."""
    if element:
        raise refusal("{field} has no elements", field=field)


def stored_bits(bits: Bits, value: Any, before: Stored, count: int = 1) -> Stored:
    """The stored word after `value` is set in some of its bits.

    Parameters
    ----------
    value
        A number, None for the value that means none, or a name of a value.
    before
        The stored words, (..., *shape), of fields of `count` words.

    Raises
    ------
    EditError
        If the bits cannot hold the value; it says the limits.
    """
    after = np.array(before)
    words = after.reshape(-1, count)[:, bits.element]
    mask = (1 << bits.width) - 1
    if bits.is_float:
        number = _number(_Limits(np.dtype("<f4")), value)
        held = int(np.array(number, "<f4").view("<u4"))
    else:
        held = int(_number(_Limits(bits.width, bits.none, bits.values), value))
    old = words.astype(np.int64)
    # Of a word 0xABCD, bits 4 to 7 set to 5: 0xABCD & ~0xF0 | 0x50 is 0xAB5D.
    new = old & ~(mask << bits.shift) | held << bits.shift
    if bits.is_float:
        # A NaN has many bit patterns; setting NaN where there is one keeps its bytes.
        new = np.where(np.isnan(bits.of_rows(old)) & np.isnan(float(number)), old, new)
    words[...] = new.astype(np.uint64).astype(after.dtype)
    return after


class _Limits(Struct, frozen=True):
    """The limits of a number: a stored type or a number of bits, the number for none, and named numbers."""

    type: np.dtype[Any] | int
    none: int | None = None
    values: Mapping[int, str] = field(default_factory=dict)

    @property
    def is_float(self) -> bool:
        return not isinstance(self.type, int) and self.type.kind == "f"

    @property
    def span(self) -> tuple[int, int]:
        """The least and the largest whole number."""
        if isinstance(self.type, int):
            return 0, (1 << self.type) - 1
        return int(np.iinfo(self.type).min), int(np.iinfo(self.type).max)


def _numbers(limits: _Limits, value: Any) -> npt.NDArray[Any]:
    """The numbers of a value, checked against the limits."""
    if isinstance(value, list | tuple):
        items = [_numbers(limits, item) for item in value]
        if len({item.shape for item in items}) > 1:
            raise EditError(_("its rows have different lengths: {value}", value=shown(value)))
        return np.array(items)
    number = _number(limits, value)
    return np.array(number, np.float64 if isinstance(number, float) else object)


def _number(limits: _Limits, value: Any) -> int | float:
    if value is None and limits.none is not None:
        return limits.none
    if isinstance(value, str):
        named = {name: number for number, name in limits.values.items()}
        # A name of the enumeration first, then inf and nan, as JSON has to spell them.
        value = named.get(value, SPECIAL.get(value, value) if limits.is_float else value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise EditError(_("{value} is not a number", value=shown(value)))
    if limits.is_float:
        return _float(limits.type, value)
    if isinstance(value, float) and not (isfinite(value) and value.is_integer()):
        raise EditError(_("{value} is not a whole number", value=value))
    low, high = limits.span
    if not low <= value <= high:
        raise EditError(_("{value} exceeds {low}..{high}", value=shown(int(value)), low=low, high=high))
    return int(value)


def _float(dtype: Any, value: float) -> float:
    """A number that rounds to one of the type."""
    limit = float(np.finfo(dtype).max)
    if abs(value) > limit and value not in SPECIAL.values():
        with np.errstate(over="ignore"):
            # A number slightly above the largest one may still round down to it; twice as large never does.
            is_beyond = abs(value) > 2 * limit or not np.isfinite(np.array(float(value)).astype(dtype))
        if is_beyond:
            raise EditError(_("{value} exceeds {low}..{high}", value=shown(value), low=-limit, high=limit))
    return float(value)


def _texts(field: Field, value: Any, before: Stored) -> Stored:
    """A text or bytes in rows; what lies after the NUL of the text that is there is kept."""
    raw = _bytes(field, value)
    if not field.is_text:
        before[...] = np.frombuffer(raw, before.dtype)[0]
        return before
    old = np.frombuffer(before.tobytes(), f"V{field.size}").tolist()
    new = b"".join(_over(raw, item) for item in old)
    return np.frombuffer(new, before.dtype).reshape(before.shape)


def _over(text: bytes, old: bytes) -> bytes:
    """A field with a text and a NUL; no letter of the old text is left, what follows its NUL is kept."""
    length = len(until_nul(old))
    if text == old[:length]:
        return old
    # "turret\0xyz" with "gun" is "gun\0\0\0\0xyz": the letters of the old text go, what followed its NUL
    # stays.
    end = max(len(text), length)
    return (text.ljust(end + 1, b"\0") + old[end + 1 :])[: len(old)]


def _bytes(field: Field, value: Any) -> bytes:
    """A text without NUL, or bytes in hexadecimal, as wide as the field."""
    if not isinstance(value, str):
        raise EditError(_("{value} is not a text", value=shown(value)))
    if field.is_text:
        return encoded(value, field.size)
    try:
        raw = bytes.fromhex(value)
    except ValueError:
        raise EditError(_("{value!r} is not hexadecimal", value=shortened(value))) from None
    if len(raw) != field.size:
        raise EditError(_("{size} bytes, the field has {limit}", size=len(raw), limit=field.size))
    return raw


def encoded(text: str, limit: int) -> bytes:
    """The bytes of a text; raises `EditError` if it has more than `limit`, or a NUL."""
    try:
        raw = encode(text)
    except ValueError as error:
        raise EditError(reason_of(error)) from None
    if b"\0" in raw:
        raise EditError(_("{value!r} has a NUL, which ends a text", value=shortened(text)))
    if len(raw) > limit:
        words = "{value!r} has {size} bytes, at most {limit} fit"
        raise refusal(words, value=shortened(text), size=len(raw), limit=limit)
    return raw


@contextmanager
def refused_at(table: str, index: int | None = None, field: str | None = None) -> Iterator[None]:
    """Raise what a value is refused with as an `EditError` at this location."""
    try:
        yield
    except FormatError as error:
        raise EditError(error.message, table=table, index=index, field=field) from None


NodeChoice = int | str
"""The number of a node, or its name."""


def node_rows(draft: Draft) -> Rows:
    """The nodes, (n,) `NODE`, a copy to be changed; raises `EditError` if none are known."""
    rows = draft.model.nodes
    if not len(rows):
        raise EditError(_("has no nodes that are known"), table=NODE.name)
    return rows.copy()


def node_of(draft: Draft, node: NodeChoice) -> int:
    """The number of a node; raises `EditError` if there is none, or if several have the name."""
    count = len(node_rows(draft))
    if isinstance(node, int):
        if not 0 <= node < count:
            raise EditError(_("there are {count} nodes", count=count), table=NODE.name, index=node)
        return node
    names = draft.model.node_names(from_records=draft.reading.reading.has_name_records)
    found = [index for index, name in enumerate(names[:count]) if name == node]
    if len(found) > 1:
        text = ", ".join(map(str, found))
        raise EditError(_("nodes {nodes} are named {name!r}", nodes=text, name=node), table=NODE.name)
    if found:
        return found[0]
    # After the names: a node may be called 7.
    if node.isascii() and node.isdigit():
        return node_of(draft, int(node))
    words = _("no node is named {name!r}{hint}", name=node, hint=suggestion(node, names[:count]))
    raise EditError(words, table=NODE.name)


ALL: Final = "*"
ONLY: Final = "0"
"""Name of a record without rows in lists of changes."""
LONGEST: Final = 40
"""Letters of a text that a name shows."""
_RANGE: Final = re.compile(r"(\d{0,18}):(\d{0,18})")
PRINTED: Final = {VERTICES: POSITION.name}
"""Tables that ``inspect`` prints and that are no part, with the part that has as many rows."""


class RowChoice(Struct, frozen=True):
    """Rows of a table, as written; which they are is found in the draft.

    Parameters
    ----------
    text
        A number, a range, ``*``, a condition, or numbers joined by commas; empty for a record without rows.
    """

    text: str = ""

    @classmethod
    def of(cls, *rows: int) -> RowChoice:
        """Rows by their numbers; none for a record without rows."""
        return cls(",".join(map(str, rows)))

    @classmethod
    def from_json(cls, value: object) -> RowChoice:
        """Rows of a text, a number or a list of numbers; raises `FormatError`."""
        if isinstance(value, str):
            return cls(value)
        # Negative rows would count from the end in numpy; a script means no such thing.
        return cls.of(*made(_ROWS, value)) if isinstance(value, list) else cls.of(made(_ROW, value))

    def to_json(self) -> str:
        """The rows as they were written."""
        return self.text

    @property
    def first(self) -> int | None:
        """The first of rows that are written as numbers; None for a record without rows, or a condition."""
        found = re.match(r"\s*(\d{1,18})\s*(?:[,:]|$)", self.text)
        return None if found is None else int(found[1])

    def __str__(self) -> str:
        return shortened(self.text, LONGEST)

    def numbers(self, count: int) -> list[int] | None:
        """The rows of a table of `count` rows, some perhaps after its end; None for a condition."""
        text = self.text.strip()
        if text == ALL:
            return [*range(count)]
        if re.fullmatch(r"\d{1,18}(,\d{1,18})*", text):
            return sorted({int(row) for row in text.split(",")})
        found = _RANGE.fullmatch(text)
        # As slices in Python: 3:7 are 3 to 6, and what lies behind the end is cut.
        return None if found is None else [*range(count)[int(found[1] or 0) : int(found[2] or count)]]

    def rows(self, draft: Draft, table: str) -> list[int]:
        """The rows in ascending order; raises `EditError` for rows that do not exist.

        A condition that holds for no row gives no rows.
        """
        part = draft.part(PRINTED.get(table, table))
        text = self.text.strip()
        if not text:
            if part.is_table:
                raise EditError(_("rows are needed: a number, a range, * or a condition"), table=table)
            return []
        if not part.is_table:
            if text == ONLY:
                return []
            raise EditError(_("has no rows"), table=table)
        numbers = self.numbers(part.count)
        if numbers is not None:
            refuse_missing(numbers, part.count, table)
            return numbers
        from viewer.model.edit.matching_rows import matching_rows  # noqa: PLC0415 most rows are numbers

        return matching_rows(draft, part, table, text)
