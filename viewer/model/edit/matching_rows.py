"""Rows of a table for which a condition holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from viewer.errors import EditError
from viewer.formats.part import Part
from viewer.model.kinds.registry import MODEL
from viewer.model.query.condition import Condition
from viewer.model.tables.lists import of_list
from viewer.model.tables.model_tables import DECLARED, table_of
from viewer.model.tables.read_model import LazyModel
from viewer.model.tables.source import TableSource
from viewer.model.tables.table import QueryTable
from viewer.translation import _

if TYPE_CHECKING:
    from viewer.model.edit.draft import Draft


def matching_rows(draft: Draft, part: Part, table: str, condition: str) -> list[int]:
    """The rows of a part, in ascending order; raises `EditError` if it has no columns, or `UsageError`."""
    is_chosen = Condition.parse(condition).rows(_query_table(draft, part, table))
    return np.flatnonzero(is_chosen).tolist()


def _query_table(draft: Draft, part: Part, table: str) -> QueryTable:
    """The columns of a part that conditions see; those of a table of a model are the same everywhere."""
    if part.is_list:
        return of_list(part)
    if part.record is None or not isinstance(part.rows, np.ndarray):
        raise EditError(_("conditions need a table of records of equal size"), table=table)
    if draft.kind is MODEL and table in DECLARED:
        found = table_of(TableSource(LazyModel(draft.model, choice=draft.reading)), table)
        # Only if its rows are those of the part: else the numbers found would be those of other rows.
        if found.count == part.count:
            return found.words
    return QueryTable.of_records(part.record, part.rows)
