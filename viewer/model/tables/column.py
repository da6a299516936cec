"""Columns: a name, a meaning, and values that are read or computed when they are first needed.

Everything that shows, prints, sorts, filters, counts or describes a table reads these: JSON and its schema,
TSV and CSV, conditions, search, statistics, the grid and the inspector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from math import isnan, prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec import field as member

from viewer.formats.record import Bits, Field, Rows, Status
from viewer.formats.text import decode, until_nul
from viewer.model.kinds.explained import explained, own_field
from viewer.translation import Text, _

if TYPE_CHECKING:
    from viewer.model.kinds.own_field import OwnField

Numbers = npt.NDArray[Any]
Codes = npt.NDArray[np.int64]
ChosenRows = Sequence[int] | npt.NDArray[np.int64]

NO_TEXT: Final = -1
"""The code of a row without a text."""
NO_ROW: Final = NO_TEXT
"""The number of a computed reference that leads nowhere."""
NO_NAMES: Final[Mapping[int, str]] = MappingProxyType({})
NONE_IN_ARRAY: Final = "-"
"""Stands for none among the elements of an array."""
BETWEEN: Final = ", "
"""Between the elements of an array."""
BETWEEN_ROWS: Final = " | "
"""Between the rows of a matrix."""
ROWS_AT_ONCE: Final = 1 << 14
"""Rows whose texts are made together, between two checks whether the work was cancelled."""
NAME: Final = "_name"
"""Ends the name of the column that holds the names beside a column of numbers."""


class ColumnTexts(Struct, frozen=True, eq=False):
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
        # A code of -1, no text, takes the last answer: labels a, b that hold as True, False give True, False,
        # False, and codes 1 -1 0 give False, False, True.
        answers: npt.NDArray[np.bool_] = np.array([*holds, False], np.bool_)[self.codes]
        return answers


class Column(Struct, frozen=True, eq=False, dict=True):
    """A column whose values are made when they are first needed.

    Parameters
    ----------
    name
        As conditions, headers and JSON call it.
    make
        Makes the values: numbers (n, ...) or `ColumnTexts`; fewer than there are rows if the rest has none.
    field
        The declared field that it shows as stored; None for a column that is computed.
    doc
        What a computed column is.
    none
        The number that means none.
    find_names
        Finds the names of numbers: the values of an enumeration, or the rows that a reference leads to.
    bits
        Names of single bits.
    target
        The table whose rows its numbers are, or what finds it in the reading in effect; empty for others.
    source
        The table that stores it, if that is another one.
    count
        The number of rows, if there may be fewer values.
    has_names
        Its numbers may have names, which have a column of their own in text and JSON.
    is_guess
        The field is not declared but a way to look at unknown bytes: it can be neither set nor addressed.
    edited
        What may be set in a computed column as it is shown; None if nothing may.
    has_gaps
        A value that is not a number is none.
    is_absent
        The model has nothing of it: every row has none, and a window does not show it.
    element_name
        What an element of an array is, by its number; None if its place says enough.
    """

    name: str
    make: Callable[[], Numbers | ColumnTexts]
    field: Field | None = None
    doc: Text | None = None
    none: int | None = None
    find_names: Callable[[], Mapping[int, str]] = lambda: NO_NAMES
    bits: Mapping[int, str] = member(default_factory=lambda: NO_NAMES)
    target: str | Callable[[], str] = ""
    source: str = ""
    count: int | None = None
    has_names: bool = False
    is_guess: bool = False
    edited: Field | None = None
    has_gaps: bool = False
    is_absent: bool = False
    element_name: Callable[[int], str] | None = None

    @classmethod
    def of_field(
        cls,
        field: Field,
        rows: Rows,
        names: Callable[[], Mapping[int, str]] | None = None,
        *,
        name: str = "",
        **more: Any,
    ) -> Column:
        """The stored values of a field; `names` are those of the rows that it refers to."""
        name = name or field.name
        if np.dtype(field.dtype).kind in "SV":
            return cls(name, lambda: stored_texts(field, rows[field.name]), field, **more)
        options = {
            "none": field.none,
            "find_names": names or (lambda: field.values),
            "bits": field.flags,
            **more,
        }
        return cls(name, lambda: rows[field.name], field, **options)

    @classmethod
    def of_bits(
        cls,
        bits: Bits,
        field: Field,
        rows: Rows,
        names: Callable[[], Mapping[int, str]] | None = None,
        **more: Any,
    ) -> Column:
        """The values of some bits of a field."""
        return cls(
            column_name(bits),
            lambda: bits.of_rows(rows[field.name]),
            doc=Text.of(bits.doc),
            none=bits.none,
            find_names=names or (lambda: bits.values),
            **more,
        )

    @cached_property
    def stored(self) -> Numbers | ColumnTexts:
        """The values that there are, perhaps of fewer rows than the table has."""
        return self.make()

    @cached_property
    def values(self) -> Numbers | ColumnTexts:
        """Numbers, (n, ...), or texts; not a number where there is no value."""
        values = self.stored
        if isinstance(values, ColumnTexts) or self.count in (None, len(values)):
            return values
        # Floats, since whole numbers have nothing that means not a number.
        fitted = np.full((self.count or 0, *values.shape[1:]), np.nan)
        fitted[: len(values)] = values
        return fitted

    @cached_property
    def names(self) -> Mapping[int, str]:
        """Names of numbers."""
        return self.find_names()

    @cached_property
    def refers_to(self) -> str:
        """The table whose rows its numbers are; empty for other columns."""
        return self.target if isinstance(self.target, str) else self.target()

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shape of a row's value; empty for a scalar or a text."""
        return () if isinstance(self.values, ColumnTexts) else self.values.shape[1:]

    @property
    def is_quantity(self) -> bool:
        """Whether its values are numbers that stand for nothing else: neither rows nor names."""
        return not (isinstance(self.values, ColumnTexts) or self.refers_to or self.names)

    @property
    def is_named(self) -> bool:
        """Whether names are shown next to its numbers: of rows, or what a computed number means."""
        return bool(self.names) and (bool(self.refers_to) or self.field is None)

    @property
    def named(self) -> Column:
        """The names beside its numbers as a column of texts."""

        def texts() -> ColumnTexts:
            numbers = np.asarray(self.stored)
            return ColumnTexts.of([self.names.get(number, "") for number in numbers.tolist()])

        return Column(f"{self.name}{NAME}", texts, doc=_("Name of {column}.", column=self.name))

    @property
    def own(self) -> Column | None:
        """The stored numbers as an overlay in use reads their field; None without one."""
        found = own_field(self.field)
        if found is None or isinstance(self.stored, ColumnTexts):
            return None
        if (known := self._made_own.get(id(found))) is not None:
            return known[1]
        names = {int(value): name for value, name in found.values.items()}
        made = Column(
            found.name,
            lambda: found.read(np.asarray(self.stored)),
            doc=Text.of(found.sentence),
            find_names=lambda: names,
            count=self.count,
        )
        self._made_own[id(found)] = found, made
        return made

    @cached_property
    def _made_own(self) -> dict[int, tuple[OwnField, Column]]:
        """The columns of overlays by the identity of their field, which is kept as long."""
        return {}

    @property
    def stored_name(self) -> str:
        """The name in places: that of its field if it shows one as stored."""
        return self.name if self.field is None else self.field.name

    @property
    def explanation(self) -> str:
        """The meaning of the column in one sentence."""
        if self.field is not None:
            return explained(self.field)
        return str(self.doc) if self.doc else ""

    def texts(self, rows: ChosenRows) -> list[str]:
        """The values of some rows as text, names beside numbers."""
        values, which = self.values, np.asarray(rows, np.int64)
        if isinstance(values, ColumnTexts):
            # The code of no text, -1, is the last label.
            labels = (*values.labels, "")
            return [labels[code] for code in values.codes[which].tolist()]
        cells = values[which]
        words = self._distinct_words(cells.reshape(-1), is_alone=cells.ndim == 1)
        if cells.ndim > 1:
            # The last axis first: a row of shape (3, 5) has 15 words, which become 3 of "a, b, c, d, e" and
            # then one with bars. zip over one iterator, repeated, takes so many words in turn.
            for between, count in ((BETWEEN, cells.shape[-1]), (BETWEEN_ROWS, prod(cells.shape[1:-1]))):
                words = [*map(between.join, zip(*[iter(words)] * count, strict=True))]
        return words

    def _distinct_words(self, flat: npt.NDArray[Any], *, is_alone: bool) -> list[str]:
        """The texts of `words`; of very many numbers equal ones, bit by bit, are formatted once."""
        if len(flat) < ROWS_AT_ONCE:
            return self.words(flat, is_alone=is_alone)
        # Bit by bit: NaN equals no NaN, and -0.0 would be shown as 0.0.
        bits = flat.view(f"u{flat.dtype.itemsize}")
        _, first, codes = np.unique(bits, return_index=True, return_inverse=True)
        found: list[str] = np.array(self.words(flat[first], is_alone=is_alone), object)[codes].tolist()
        return found

    def pieces(self, row: int) -> list[tuple[str, int | None]]:
        """The elements of one value as text, each with the row that it refers to, or None."""
        values = self.values
        if isinstance(values, ColumnTexts):
            return [(values[row], None)]
        flat = np.asarray(values[row]).reshape(-1)
        targets = flat.tolist() if self.refers_to else [None] * len(flat)
        missing = self.none
        return [
            (word, None if target == missing else target)
            for word, target in zip(self.words(flat, is_alone=len(flat) == 1), targets, strict=True)
        ]

    def words(self, flat: npt.NDArray[Any], *, is_alone: bool) -> list[str]:
        """Numbers, (n,), as text; those that are alone in their cell have their name beside them."""
        if flat.dtype.kind == "f":
            return self._floats(flat)
        width = 2 * flat.dtype.itemsize
        is_bits = self.field is not None and self.field.is_bits
        if is_bits:
            # The mask makes the two's complement of a negative number: -1 of two bytes is 0xFFFF.
            words = [f"0x{value & (1 << 4 * width) - 1:0{width}X}" for value in flat.tolist()]
        else:
            words = [*map(str, flat.tolist())]
        self._name(words, flat, is_alone=is_alone)
        return words

    def _floats(self, flat: npt.NDArray[Any]) -> list[str]:
        """Stored numbers in their shortest form, decoded ones rounded, nothing for a missing one."""
        if self.field is None or not self.field.is_float:
            return ["" if isnan(value) else f"{value:.4g}" for value in flat.tolist()]
        if self.field.status is Status.OPEN:
            # Of unknown meaning: as bits, since a float of some flags reads as 1.4e-45.
            return [f"0x{bits:08X}" for bits in flat.astype(np.float32).view(np.uint32).tolist()]
        # str of a float32 is the shortest text of its 32 bits, 0.1; of the double that tolist makes it has 17
        # digits.
        return [str(value).removesuffix(".0") for value in flat.astype(np.float32)]

    def _name(self, words: list[str], flat: npt.NDArray[Any], *, is_alone: bool) -> None:
        """Add names to the numbers that have one, and replace the number that means none."""
        names, missing = self.names, self.none
        if missing is None and not self.is_named:
            return
        for index, value in enumerate(flat.tolist()):
            if value == missing:
                words[index] = "" if self.field is None else _("none") if is_alone else NONE_IN_ARRAY
            elif is_alone and self.is_named and value in names:
                words[index] = f"{words[index]} {names[value]}"


def column_name(bits: Bits) -> str:
    """The name of the column of some bits: a word, as conditions need it."""
    return bits.name.replace(" ", "_")


def stored_texts(field: Field, values: npt.NDArray[Any]) -> ColumnTexts:
    """Texts up to their NUL; bytes that are not text in hexadecimal."""
    width = values.dtype.itemsize
    # As raw bytes, since "S" drops zeros at the end: a field may hold bytes after its NUL.
    raw = np.ascontiguousarray(values).view(f"V{width}") if width else values
    stored, codes = np.unique(raw, return_inverse=True)
    texts = ColumnTexts.of([stored_text(field, value.tobytes()) for value in stored])
    return ColumnTexts(texts.codes[codes.reshape(-1)], texts.labels)


def stored_text(field: Field, raw: bytes) -> str:
    """The text of a field, or its bytes in hexadecimal."""
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
        # Not reshape(len(rows), -1): of no rows numpy cannot tell how long each is.
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
    # A row without a text, code -1, takes the last rank; it is sorted apart, so any number does.
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
