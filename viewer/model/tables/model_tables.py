"""The tables of a model with their columns: each is declared once, and everything else follows.

A column that no record has is one line of its table, in `stored_tables`, `computed_tables` or
`neighbor_tables`. Its name and meaning are those of the grid, of JSON and its schema, of TSV and CSV, of
conditions, search and statistics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.msh import vertices
from viewer.formats.msh.guesses import NO_GUESSES, Guess, guess_of
from viewer.formats.msh.tables import POSITIONS, TABLES
from viewer.formats.record import Field, Rows
from viewer.model.tables.column import Column
from viewer.model.tables.computed_tables import COMPUTED_TABLES
from viewer.model.tables.declaration import Declaration
from viewer.model.tables.neighbor_tables import NEIGHBOR_TABLES
from viewer.model.tables.neighbors import NeighborRows
from viewer.model.tables.source import TableSource
from viewer.model.tables.stored_tables import STORED_TABLES
from viewer.model.tables.table import ModelTable
from viewer.model.tables.table_names import VERTICES
from viewer.translation import _

DECLARED: Final[Mapping[str, Declaration]] = MappingProxyType(
    {
        **{it.name: Declaration(it.name, it.record) for it in TABLES.values() if it.record},
        **{it.name: it for it in (*STORED_TABLES, *COMPUTED_TABLES, *NEIGHBOR_TABLES)},
    }
)
"""All tables by name; those of which nothing is computed have the fields of their record."""


def table_names(source: TableSource) -> tuple[str, ...]:
    """The tables of a model that have rows, in their order: vertices before the first of their streams."""
    names = [*source.model.tables]
    first = TABLES[POSITIONS].name
    if first in names:
        # Where a reader of the list expects them: before the positions, of which they are made.
        names.insert(names.index(first), VERTICES)
    return (*names, *source.neighbors.tables)


def row_count(source: TableSource, name: str) -> int:
    """The number of rows of a table; 0 if the model does not have it."""
    declared = DECLARED.get(name)
    if declared is not None and declared.count is not None:
        return declared.count(source)
    found = source.stored(name)
    return 0 if found is None else len(found.rows)


def table_of(source: TableSource, name: str, guesses: Mapping[str, str] = NO_GUESSES) -> ModelTable:
    """A table with stored and computed columns; raises `KeyError` for a name that no table has.

    Parameters
    ----------
    guesses
        What tables of unknown meaning are looked at as.
    """
    declared, stored = DECLARED[name], source.stored(name)
    guess = guess_of(name, guesses)
    if guess is not None:
        type_id = next(it.type_id for it in TABLES.values() if it.name == name)
        rows = guess.record.view(source.model.payload(type_id))
        return ModelTable(name, len(rows), tuple(_guessed(guess, rows, len(rows))))
    record = declared.record if stored is None or stored.record is None else stored.record
    count = row_count(source, name)
    columns: list[Column] = []
    # Nodes of 24 bytes have another record, of which nothing is known.
    if record is declared.record:
        columns = [*_computed(source, declared, count, guesses)]
    if record is not None:
        # A table without rows still has its columns: JSON and conditions know them in every model.
        rows = record.new(0) if stored is None else stored.rows  # type: ignore[assignment]
        columns += declared.stored_columns(source, rows, record)
    address = stored.address if isinstance(stored, NeighborRows) else None
    return ModelTable(name, count, tuple(columns), address)


def computed_texts(source: TableSource, name: str, row: int) -> dict[str, str]:
    """The computed values of a row that cannot be set in it, as texts by the names of the columns."""
    declared, count = DECLARED[name], row_count(source, name)
    columns = [it.column(source, count) for it in declared.computed if it.edited is None and not it.stored]
    return {it.name: it.texts([row])[0] for it in columns if not it.is_absent} if row < count else {}


def _computed(
    source: TableSource, declared: Declaration, count: int, guesses: Mapping[str, str]
) -> Iterator[Column]:
    """The computed columns; streams of the vertices that are looked at as a guess have its fields."""
    done: set[str] = set()
    for column in declared.computed:
        guess = guess_of(column.source, guesses)
        if guess is None:
            yield column.column(source, count)
        # A stream has two columns, decoded and raw; its guess takes the place of both once.
        elif column.source not in done:
            done.add(column.source)
            type_id = next(it.type_id for it in TABLES.values() if it.name == column.source)
            rows = guess.record.view(source.model.payload(type_id))
            yield from _guessed(guess, rows, count, column.source)


def _guessed(guess: Guess, rows: Rows, count: int, table: str = "") -> Iterator[Column]:
    """The columns of a guess: its fields, and the numbers that packed ones stand for."""
    for field in guess.record.fields:
        stored, name = rows[field.name][:count], f"{table}_{field.name}" if table else field.name
        if field.scale is not None:
            yield _decoded(field, f"{name}_decoded", stored, count)
        yield Column(name, partial(np.asarray, stored), field, source=table, count=count, is_guess=True)


def _decoded(field: Field, name: str, stored: npt.NDArray[np.int8], count: int) -> Column:
    doc = _("{doc} Decoded.", doc=field.doc)
    return Column(name, lambda: vertices.decode_normals(stored), doc=doc, count=count)
