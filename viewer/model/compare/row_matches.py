"""Which rows of two models' tables are the same, and what is left of a reference that only follows its row.

Each table is matched after those that it refers to: rows are equal if they refer to equal rows, so that a key
that is inserted changes neither the frame map nor the nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tables import TABLES, Table
from viewer.formats.record import Field, Record, Rows
from viewer.model.compare.alignment import by_content, content_of_rows
from viewer.model.compare.matching import Indices, Match, by_index, by_name
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.reading import ReadingChoice, has_name_records

_BY_NAME: Final = {table.name: table for table in TABLES.values() if table.record}
_BEGINNINGS: Final = frozenset({"tri_start", "batch_start", "index_start", "base_vertex", "map_start"})
"""Fields that say where rows begin: if the first of them is removed, they begin with the next one."""
_NOWHERE: Final = -1
"""What refers to a row that is removed."""


class RowMatches:
    """The matches of all tables with records, each made when it is needed.

    Parameters
    ----------
    nodes
        The match of the nodes, if both models have any.
    """

    def __init__(self, a: Model, b: Model, nodes: Match | None) -> None:
        self._models = a, b
        self._known: dict[str, Match | None] = {} if nodes is None else {NODE.name: nodes}

    def of(self, table: Table) -> Match:
        """The match of the rows of a table."""
        if table.name not in self._known:
            self._known[table.name] = None  # while it is being made, for tables that refer to each other
            self._known[table.name] = self._made(table)
        before, after = self._rows(table)
        return self._known[table.name] or by_index(len(before), len(after))

    def follows(self, field: Field, rows: tuple[Rows, Rows], match: Match) -> npt.NDArray[np.bool_]:
        """Pairs whose references in a field are to the same rows, or to none, in both models, (n,) bool."""
        table = _target(field)
        if table is None:
            return np.zeros(len(match.a), np.bool_)
        before, after = (side[field.name].astype(np.int64) for side in rows)
        before, after = before[match.a], after[match.b]
        followed = self._in_b(field, table, before)
        # -1 is also how some fields say none: a reference that was cleared does not follow
        is_same = (followed == after) & ((followed != _NOWHERE) | (before == after))
        follows: npt.NDArray[np.bool_] = is_same.all(axis=tuple(range(1, is_same.ndim)))
        return follows

    def _rows(self, table: Table) -> tuple[Rows, Rows]:
        before, after = (model.rows(table.type_id) for model in self._models)
        return before, after

    def _made(self, table: Table) -> Match:
        before, after = (rows.copy() for rows in self._rows(table))
        for field in table.record.fields if table.record else ():
            target = _target(field)
            if target is not None and target.name == table.name:
                before[field.name], after[field.name] = 0, 0
        if table.record is not None:
            before = self.in_b(table.record, before, but=table.name)
        return by_content(*content_of_rows(before, after))

    def in_b(self, record: Record, rows: Rows, but: str = "") -> Rows:
        """Rows of the first file with their references as the second one would have them, except to `but`."""
        found = rows.copy()
        for field in record.fields:
            target = _target(field)
            if target is not None and target.name != but:
                values = self._in_b(field, target, rows[field.name].astype(np.int64))
                found[field.name] = values.astype(found[field.name].dtype)
        return found

    def _in_b(self, field: Field, target: Table, values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """References of the first model as the second one would have them."""
        match, (before, after) = self.of(target), self._rows(target)
        partners = _next_ones(match, len(before), len(after)) if field.name in _BEGINNINGS else None
        if partners is None:
            partners = np.full(len(before), _NOWHERE, np.int64)
            partners[match.a] = match.b
        is_row = (values >= 0) & (values < len(partners)) & (values != field.none)
        if len(partners):
            values = np.where(is_row, partners[np.where(is_row, values, 0)], values)
        return values


@dataclass(frozen=True, slots=True)
class NodeRows:
    """The nodes of a model in two files, for what numbers them next to it.

    Attributes
    ----------
    match, names
        The nodes that are the same, and their names.
    rows
        The matches of the tables of the model.
    """

    match: Match
    names: tuple[Sequence[str], Sequence[str]]
    rows: RowMatches

    @classmethod
    def of(cls, a: Model, b: Model, requested: ReadingChoice) -> NodeRows:
        """The nodes of two models, matched by their names."""
        names = [it.node_names(from_records=has_name_records(it, requested)) for it in (a, b)]
        match = by_name(*names)
        have_nodes = a.variant is b.variant is Variant.MODEL
        return cls(match, (names[0], names[1]), RowMatches(a, b, match if have_nodes else None))


def _next_ones(match: Match, count_a: int, count_b: int) -> Indices:
    """For each row, and the end of the table, its partner or that of the next row with one, (n + 1,)."""
    partners = np.full(count_a + 1, count_b, np.int64)
    partners[match.a] = match.b
    is_alone = np.zeros(count_a + 1, np.bool_)
    is_alone[match.only_a] = True
    following = np.where(is_alone, count_a, np.arange(count_a + 1))
    following = np.minimum.accumulate(following[::-1])[::-1]
    result: Indices = partners[following]
    return result


def _target(field: Field) -> Table | None:
    """The table with records that a field refers to, with the whole of its bits if it has any."""
    whole = 8 * field.size
    names = [field.refers_to, *(it.refers_to for it in field.bits if it.width == whole)]
    return next((_BY_NAME[name] for name in names if name in _BY_NAME), None)
