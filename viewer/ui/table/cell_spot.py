"""The cells of tables that can be set, and which rows are set with them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any, Final

import numpy as np

from viewer.errors import UsageError
from viewer.formats.msh import strings
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.keys import KEY
from viewer.formats.msh.nodes import NODE
from viewer.formats.record import CP1251, Field
from viewer.formats.text import encode
from viewer.model.edit.choices import ALL, RowChoice
from viewer.model.edit.geometry.slot_changes import AssignMaterial
from viewer.model.edit.geometry.vertex_fields import VERTEX_NORMAL, VERTEX_UV
from viewer.model.query.condition import Condition, is_condition
from viewer.model.query.table import ColumnTexts, QueryTable
from viewer.session.opened.document import Document
from viewer.session.opened.row_labels import WEAR
from viewer.session.places import VERTICES
from viewer.session.tables.table_view import Order, TableColumn, TableView
from viewer.ui.editing.edit_spot import EditSpot

WEAR_ROW: Final = Field("wear_row", "<u2", "", refers_to=WEAR)
"""The row of the wear table that a batch uses, in the field that selects it in the reading in effect."""
_DERIVED: Final[Mapping[tuple[str, str], Field]] = {
    (NODE.name, "name"): Field("name", "S64", "", encoding=CP1251),
    (NODE.name, "takes"): Field("takes", "S64", "", encoding=CP1251),
    (KEY.name, "rotation"): Field("quaternion", "<f4", "", shape=(4,)),
    (VERTICES, "normal"): VERTEX_NORMAL,
    (VERTICES, "uv"): VERTEX_UV,
    (BATCH.name, "wear_row"): WEAR_ROW,
    (strings.TABLE, "text"): Field("text", "S64", "", encoding=CP1251),
}
"""The fields that derived columns show, by table and column."""


def can_edit(view: TableView, column: TableColumn) -> bool:
    """Tell whether the cells of a column can be set."""
    return _field(view, column) is not None


def spot_in(
    document: Document, view: TableView, column: TableColumn, row: int, rows: RowChoice, count: int
) -> EditSpot | None:
    """Return the spot of a cell; None if it shows what is derived from other tables.

    Parameters
    ----------
    rows, count
        The rows that are set, and how many they are.
    """
    field = _field(view, column)
    if field is None:
        return None
    table = column.table or view.name
    value = _value(document, table, column, row)
    if value is None:
        return None
    make = partial(AssignMaterial, rows) if field is WEAR_ROW else None
    return EditSpot(
        document.address, table, rows, field, value, count, is_printed=column.field is None, make=make
    )


def _field(view: TableView, column: TableColumn) -> Field | None:
    return column.field or _DERIVED.get((view.name, column.name))


def _value(document: Document, table: str, column: TableColumn, row: int) -> Any:
    """The stored value of a cell; that of a derived column as it is shown."""
    values = column.column.values
    if column.field is None:
        return encode(values[row]) if isinstance(values, ColumnTexts) else values[row]
    stored = document.model.tables[table].rows
    return stored[column.field.name][row] if isinstance(stored, np.ndarray) and row < len(stored) else None


def rows_array(rows: Collection[int]) -> Order:
    """Return rows in ascending order, (n,)."""
    return np.array(sorted(rows), np.int64)


def chosen_rows(rows: Order, count: int) -> RowChoice:
    """Return some rows of a table with `count` rows in the shortest form: all, a range, numbers."""
    ordered = np.sort(rows)
    if len(ordered) == count:
        return RowChoice(ALL)
    if len(ordered) > 1 and int(ordered[-1] - ordered[0]) == len(ordered) - 1:
        return RowChoice(f"{ordered[0]}:{ordered[-1] + 1}")
    return RowChoice.of(*ordered.tolist())


def shown_rows(document: Document, view: TableView, text: str, rows: Order) -> RowChoice:
    """Return the rows that a filter shows, as its condition if that alone tells them."""
    condition = text.strip()
    stored = document.model.tables.get(view.name)
    if stored is None or stored.record is None or not is_condition(condition):
        return chosen_rows(rows, view.count)
    table = QueryTable.of_records(stored.record, stored.rows)  # type: ignore[arg-type]
    try:
        found = np.flatnonzero(Condition.parse(condition).rows(table))
    except UsageError:
        return chosen_rows(rows, view.count)
    return RowChoice(condition) if np.array_equal(found, np.sort(rows)) else chosen_rows(rows, view.count)
