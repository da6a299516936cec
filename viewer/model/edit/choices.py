"""Which nodes and which rows a change is about.

Nodes are given by index or name, rows as ``3``, ``2:8``, ``*``, or a condition: ``index_count > 300``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from viewer.errors import EditError, suggestion
from viewer.formats.msh.nodes import NODE
from viewer.formats.part import Part, find
from viewer.formats.record import Rows
from viewer.model.query.condition import Condition
from viewer.model.query.table import Column, ColumnTexts, QueryTable, of_list
from viewer.translation import Sentence

if TYPE_CHECKING:
    from viewer.model.edit.draft import Draft

NodeChoice = int | str
"""The number of a node, or its name."""


def node_rows(draft: Draft) -> Rows:
    """Return the nodes, (n,) `NODE`, a copy to be changed; raises `EditError` if none are known."""
    rows = draft.model.nodes
    if not len(rows):
        raise EditError(Sentence("has no nodes that are known"), table=NODE.name)
    return rows.copy()


def node_of(draft: Draft, node: NodeChoice) -> int:
    """Return the number of a node; raises `EditError` if there is none, or if several have the name."""
    count = len(node_rows(draft))
    if isinstance(node, int):
        if not 0 <= node < count:
            raise EditError(Sentence("there are {count} nodes", count=count), table=NODE.name, index=node)
        return node
    names = draft.model.node_names(from_records=draft.reading.reading.has_name_records)
    found = [index for index, name in enumerate(names[:count]) if name == node]
    if len(found) > 1:
        text = ", ".join(map(str, found))
        raise EditError(Sentence("nodes {nodes} are named {name!r}", nodes=text, name=node), table=NODE.name)
    if found:
        return found[0]
    if node.isascii() and node.isdigit():
        return node_of(draft, int(node))
    words = Sentence("no node is named {name!r}{hint}", name=node, hint=suggestion(node, names[:count]))
    raise EditError(words, table=NODE.name)


ALL: Final = "*"
ONLY: Final = "0"
"""How lists of changes call a record without rows."""
LONGEST: Final = 40
"""Letters of a text that a name shows."""
_RANGE: Final = re.compile(r"(\d{0,18}):(\d{0,18})")
NAME: Final = "name"
"""The column of node names in conditions on the nodes of a model."""
PRINTED: Final = {"vertices": ("positions", "normals", "uvs")}
"""Tables that ``inspect`` prints and that are no part, with the parts that they join."""


@dataclass(frozen=True, slots=True)
class RowChoice:
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

    @property
    def shown(self) -> str:
        """The text, shortened for the name of a change."""
        return self.text if len(self.text) <= LONGEST else self.text[: LONGEST - 3] + "..."

    def numbers(self, count: int) -> list[int] | None:
        """The rows of a table of `count` rows, some perhaps after its end; None for a condition."""
        text = self.text.strip()
        if text == ALL:
            return [*range(count)]
        if re.fullmatch(r"\d{1,18}(,\d{1,18})*", text):
            return sorted({int(row) for row in text.split(",")})
        found = _RANGE.fullmatch(text)
        return None if found is None else [*range(count)[int(found[1] or 0) : int(found[2] or count)]]

    def rows(self, draft: Draft, table: str) -> list[int]:
        """Return the rows in ascending order; raises `EditError` for rows that do not exist.

        A condition that holds for no row gives no rows.
        """
        part = draft.part(PRINTED.get(table, (table,))[0])
        text = self.text.strip()
        if not text:
            if part.is_table:
                raise EditError(Sentence("rows are needed: a number, a range, * or a condition"), table=table)
            return []
        if not part.is_table:
            if text == ONLY:
                return []
            raise EditError(Sentence("has no rows"), table=table)
        numbers = self.numbers(part.count)
        if numbers is not None:
            return _existing(numbers, part, table)
        is_chosen = Condition.parse(text).rows(_query_table(draft, part, table))
        return np.flatnonzero(is_chosen).tolist()


def _existing(rows: list[int], part: Part, table: str) -> list[int]:
    for row in rows:
        if row >= part.count:
            raise EditError(Sentence("there are {count} rows", count=part.count), table=table, index=row)
    return rows


def _query_table(draft: Draft, part: Part, table: str) -> QueryTable:
    """The columns of a part that conditions see; the nodes of a model have their names too."""
    if part.is_list:
        return of_list(part)
    if part.record is None or not isinstance(part.rows, np.ndarray):
        raise EditError(Sentence("conditions need a table of records of equal size"), table=table)
    rows: Rows = part.rows
    columns = dict(QueryTable.of_records(part.record, rows).columns)
    for other in PRINTED.get(table, ())[1:]:
        more = find(draft.parts, other)
        if more is None or more.record is None or not isinstance(more.rows, np.ndarray):
            continue
        if len(more.rows) == part.count:
            columns |= QueryTable.of_records(more.record, more.rows).columns
    if table == "nodes" and NAME not in columns:
        names = draft.model.node_names(from_records=draft.reading.reading.has_name_records)
        columns[NAME] = Column(NAME, lambda: ColumnTexts.of(names))
    return QueryTable(table, part.count, columns)
