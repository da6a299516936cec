"""The declaration of a table: its record, and the columns that are computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct, field

from viewer.formats.record import Bits, Field, Record, Rows
from viewer.model.tables.column import NO_ROW, Column, ColumnTexts, Numbers, column_name
from viewer.model.tables.row_labels import NAMED
from viewer.model.tables.source import TableSource
from viewer.model.tables.table_names import RAW
from viewer.translation import Text

TEXT: Final = "U"
"""The type of a column of texts."""
NUMBER: Final = "<i8"
FLOAT: Final = "<f4"
Values = Numbers | ColumnTexts


def _always(_ignored: TableSource) -> bool:
    return True


class Computed(Struct, frozen=True, eq=False):
    """A column that no record of its table has: one line here is all that a new one needs.

    Parameters
    ----------
    name, doc
        Its name everywhere, and what it is in a sentence.
    values
        Its values, numbers (n, ...) or texts; fewer than the table has rows if the rest has none.
    dtype, shape
        The type of its values: `TEXT`, or a numpy scalar type, and the shape of one.
    none
        The number that means none.
    names
        What its numbers mean; those of rows that it refers to need nothing here.
    refers_to
        The table whose rows its numbers are.
    stored
        The field of another table that it shows as it is stored there.
    source
        The table that it is decoded from or stored in.
    edited
        What may be set in it as it is shown, and stored elsewhere; None if it only follows from other tables.
    exists
        Whether a model has any of it.
    has_gaps
        A value that is not a number is none.
    """

    name: str
    doc: Text | None
    values: Callable[[TableSource], Values]
    dtype: str = NUMBER
    shape: tuple[int, ...] = ()
    none: int | None = None
    names: Callable[[TableSource], Mapping[int, str]] | None = None
    refers_to: str = ""
    stored: Field | None = None
    source: str = ""
    edited: Field | None = None
    exists: Callable[[TableSource], bool] = _always
    has_gaps: bool = False

    @property
    def has_names(self) -> bool:
        """Whether the numbers of the column may have names."""
        return self.names is not None or (self.refers_to in NAMED and not self.shape)

    @property
    def is_optional(self) -> bool:
        """Whether a row may have no value: no text, no number, or none of it in the model."""
        is_text = self.dtype == TEXT and self.stored is None
        return is_text or self.exists is not _always or self.has_gaps

    def column(self, source: TableSource, count: int) -> Column:
        """The column of a model, in a table with so many rows."""
        # Of what the model has nothing the values are not asked for: they would be read from a table that is
        # missing.
        is_there = self.exists(source)
        values = (lambda: self.values(source)) if is_there else (lambda: _nothing(self, count))
        names = self.names or (lambda it: it.names(self.refers_to))
        return Column(
            self.name,
            values,
            self.stored,
            doc=self.doc,
            none=self.none,
            find_names=lambda: names(source),
            target=self.refers_to,
            source=self.source if self.stored else "",
            count=count,
            has_names=self.has_names,
            is_absent=not is_there,
            edited=self.edited,
            has_gaps=self.has_gaps,
        )


def _nothing(declared: Computed, count: int) -> Values:
    if declared.dtype == TEXT:
        return ColumnTexts.of([""] * count)
    # No value for any row: `Column.values` fills the rest.
    return np.empty((0, *declared.shape), np.dtype(declared.dtype))


def text(
    name: str,
    doc: Text,
    make: Callable[[TableSource], Sequence[str]],
    edited: Field | None = None,
    exists: Callable[[TableSource], bool] = _always,
) -> Computed:
    """A column of texts; an empty one counts as none."""
    return Computed(name, doc, lambda it: ColumnTexts.of(make(it)), TEXT, edited=edited, exists=exists)


def number(
    name: str,
    doc: Text,
    make: Callable[[TableSource], Numbers],
    names: Callable[[TableSource], tuple[Text, ...]] | None = None,
) -> Computed:
    """A column of whole numbers, `NO_ROW` for none, with what each of them from 0 means."""
    named = None if names is None else (lambda it: {at: str(word) for at, word in enumerate(names(it))})
    return Computed(name, doc, make, none=NO_ROW, names=named)


def row_of(
    table: str,
    name: str,
    doc: Text,
    make: Callable[[TableSource], Numbers],
    edited: Field | None = None,
) -> Computed:
    """A column of rows of another table, `NO_ROW` for none."""
    return Computed(name, doc, make, none=NO_ROW, refers_to=table, edited=edited)


class Declaration(Struct, frozen=True, eq=False):
    """A table of a model.

    Parameters
    ----------
    name
        Its name everywhere.
    record
        The record of its rows; None if it has none.
    computed
        Columns before those of the record. One with the name of a field holds its decoded values: the stored
        ones are called ``normal_raw`` then.
    count
        Number of rows of a table that is not stored as one.
    nones
        Numbers that mean none besides those that the record declares.
    elements
        What finds the name of an element of an array, by the name of its field.
    scalar
        The column whose values alone are the rows of the table in JSON; empty for rows with all columns.
    is_listed
        Whether the Tables panel lists it. It leaves out ``resources``, the directory again by other names;
        ``engine``, which is a section of the Inspector; and ``fitting_parts``, which reads the registry of
        the game: the Inspector has those of one socket, found in a worker thread.
    """

    name: str
    record: Record | None = None
    computed: tuple[Computed, ...] = ()
    count: Callable[[TableSource], int] | None = None
    nones: Mapping[str, int] = field(default_factory=dict)
    elements: Mapping[str, Callable[[TableSource], Callable[[int], str]]] = field(default_factory=dict)
    scalar: str = ""
    is_listed: bool = True

    @property
    def bits(self) -> Iterator[tuple[Field, Bits]]:
        """The bits with a meaning of their own and their fields; not those that a column has anyway."""
        fields = () if self.record is None else self.record.fields
        # Bits whose meaning has a column of its own, decoded or stored, would be there twice.
        taken = {it.name for it in fields} | {it.name for it in self.computed}
        return ((it, bits) for it in fields for bits in it.bits if column_name(bits) not in taken)

    @property
    def column_names(self) -> list[str]:
        """The names of all columns but those of the row numbers and of the names beside numbers."""
        fields = () if self.record is None else self.record.fields
        own = [self.stored_name(it) for it in fields]
        return [*(it.name for it in self.computed), *own, *(column_name(bits) for _field, bits in self.bits)]

    def stored_name(self, declared: Field) -> str:
        """The name of the column of a field."""
        # "normal" is the decoded column, so the stored bytes are "normal_raw".
        return declared.name + (RAW if any(it.name == declared.name for it in self.computed) else "")

    def stored_columns(self, source: TableSource, rows: Rows, record: Record) -> Iterator[Column]:
        """The columns of a record: its fields, and what some of their bits mean."""
        has_column = {bits.name for _field, bits in self.bits}
        for declared in record.fields:
            options = {"none": self.nones[declared.name]} if declared.name in self.nones else {}
            elements = self.elements.get(declared.name)
            target = _target(source, declared.refers_to or "", declared.reading)
            yield Column.of_field(
                declared,
                rows,
                None if not declared.refers_to else _names(source, target),
                name=self.stored_name(declared),
                target=target,
                has_names=is_labeled(declared.refers_to or "", declared.shape),
                element_name=None if elements is None else elements(source),
                **options,
            )
            for bits in declared.bits:
                if bits.name in has_column:
                    found = _target(source, bits.refers_to or "", bits.reading)
                    named = _names(source, found) if bits.refers_to else None
                    has_names = is_labeled(bits.refers_to or "", ())
                    yield Column.of_bits(bits, declared, rows, named, target=found, has_names=has_names)


def _target(source: TableSource, refers_to: str, reading: str) -> str | Callable[[], str]:
    """The table that numbers refer to; of a field of one reading it is looked up when it is needed."""
    if not reading or not refers_to:
        return refers_to
    # Looked up late: which reading suits a model may take its wear table to find.
    return lambda: refers_to if reading in source.read.choice.reading.choices else ""


def _names(source: TableSource, target: str | Callable[[], str]) -> Callable[[], Mapping[int, str]]:
    return lambda: source.names(target if isinstance(target, str) else target())


def is_labeled(refers_to: str, shape: tuple[int, ...]) -> bool:
    """Whether the names of the rows that a column refers to have a column of their own."""
    return refers_to in NAMED and not shape
