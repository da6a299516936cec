"""The cell of a table that is being edited: of one row, of the selected rows, or of all that are shown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, Final

import numpy as np
from imgui_bundle import imgui
from msgspec import Struct

from viewer.errors import UsageError
from viewer.formats.part import find
from viewer.formats.record import Field
from viewer.formats.text import decode, encode, until_nul
from viewer.model.edit.geometry.slot_changes import AssignMaterial
from viewer.model.edit.values import ALL, RowChoice
from viewer.model.kinds.registry import MODEL
from viewer.model.query.condition import Condition, is_condition
from viewer.model.tables.column import Column, ColumnTexts
from viewer.model.tables.set_fields import WEAR_ROW
from viewer.model.tables.table import ModelTable, QueryTable
from viewer.session.field_text import cell_text
from viewer.session.opened.document import Document
from viewer.session.tables.table_view import Order, RowSelection
from viewer.translation import _, count_text
from viewer.ui.context import UiContext
from viewer.ui.editing.editable_field import EditableField
from viewer.ui.editing.field_editor import FieldEditor, draw_below
from viewer.ui.editing.value_box import ValueStyle
from viewer.ui.inspector.sheet import choices_in
from viewer.ui.table.grid import Cell
from viewer.ui.widgets import controls, key_focus, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.widgets import text


class TableFrame(Struct, frozen=True, eq=False):
    """The table in a frame.

    Parameters
    ----------
    order
        The rows that are shown, in their order.
    condition
        The text of the filter.
    """

    frame: UiContext
    document: Document
    view: ModelTable
    order: Order
    condition: str

    @property
    def chosen(self) -> RowChoice:
        """The rows that are shown, as the condition of the filter if that alone tells them."""
        stored, condition = self.document.model.tables.get(self.view.name), self.condition.strip()
        if stored is not None and stored.record is not None and is_condition(condition):
            table = QueryTable.of_records(stored.record, stored.rows)  # type: ignore[arg-type]
            with suppress(UsageError):
                found = np.flatnonzero(Condition.parse(condition).rows(table))
                if np.array_equal(found, np.sort(self.order)):
                    return RowChoice(condition)
        return _chosen_rows(self.order, self.view.count)


def can_edit(view: ModelTable, column: Column) -> bool:
    """Tell whether the cells of a column can be set."""
    return _field(view, column) is not None


def _field(view: ModelTable, column: Column) -> Field | None:
    if view.address or column.is_guess:
        return None
    return column.field or column.edited


def _value(document: Document, table: str, column: Column, row: int) -> Any:
    """The stored value of a cell; that of a derived column as it is shown."""
    values = column.values
    if column.field is None:
        return encode(values[row]) if isinstance(values, ColumnTexts) else values[row]
    stored = document.model.tables[table].rows
    return stored[column.field.name][row] if isinstance(stored, np.ndarray) and row < len(stored) else None


def _chosen_rows(rows: Order, count: int) -> RowChoice:
    """Text of the selected rows of a table with `count` rows in the shortest form: all, a range, numbers."""
    ordered = np.sort(rows)
    if len(ordered) == count:
        return RowChoice(ALL)
    if len(ordered) > 1 and int(ordered[-1] - ordered[0]) == len(ordered) - 1:
        return RowChoice(f"{ordered[0]}:{ordered[-1] + 1}")
    return RowChoice.of(*ordered.tolist())


class _Edited(Struct):
    """A cell, and the rows that are set with it.

    Attributes
    ----------
    element
        Index of the element of the value with which editing begins.
    key
        Key of its field, once it was drawn.
    is_left
        Whether an array, whose elements are edited one after the other, is shown as a whole again.
    """

    table: str
    cell: Cell
    rows: RowChoice
    count: int
    element: int = 0
    key: Hashable = None
    is_left: bool = False


class CellEditing:
    """Edits one cell at a time; owner: a panel."""

    def __init__(self) -> None:
        self._editor = FieldEditor()
        self._edited: _Edited | None = None
        self._column = ""
        self._parts = Cached(MODEL.parts)

    def cell(self, view: ModelTable) -> Cell | None:
        """The cell of a table that is being edited, or whose value was refused."""
        it = self._edited
        if it is None or it.table != view.name:
            return None
        # A refused value keeps its cell, which shows the reason.
        is_over = it.is_left and it.key is not None and self._editor.is_at_rest(it.key)
        return None if is_over else it.cell

    @property
    def is_typing(self) -> bool:
        """Whether a value is being typed."""
        return self._edited is not None and self._editor.is_typing

    def end(self) -> None:
        """Edit no cell any more."""
        self._edited = None

    def leave(self) -> None:
        """Show the cell as before; of a value that is yet to be set the reason if it is refused."""
        if self._edited is not None and self._edited.key is None:
            self._edited = None
        elif self._edited is not None:
            self._edited.is_left = True

    def changes_of(self, shown: TableFrame) -> Callable[[int], bool]:
        """Return what tells whether a row of a table differs from the saved file."""
        document, view = shown.document, shown.view
        changed = shown.frame.lookups.changed(document.address)
        if not changed:
            return lambda _ignored: False
        parts = self._parts.of((document.identity, document.revision), document.model)
        tables = dict.fromkeys(column.source or view.name for column in view.shown)
        found = [part for part in (find(parts, table) for table in tables) if part is not None]
        return lambda row: any(changed.touches(*part.span(row)) for part in found if row < part.count)

    def begin(self, view: ModelTable, row: int, name: str, selected: RowSelection, element: int = 0) -> str:
        """Edit an element of a cell, of the other selected rows too if its row is one; return its column.

        Without the name of a column it is the one that was edited last, or the first that can be.
        """
        name = name or self._named(view, None) or next((it.name for it in view.shown), "")
        is_one = row not in selected.rows or len(selected.rows) < 2
        self._begin(view, (row, name), {row} if is_one else selected.rows, element)
        return name

    def _named(self, view: ModelTable, column: int | None) -> str | None:
        """The name of a column that can be edited."""
        if column is not None:
            columns = view.shown[column : column + 1]
        else:
            last = view.column(self._column)
            columns = ((last,) if last else ()) + view.shown
        return next((it.name for it in columns if can_edit(view, it)), None)

    def _begin(
        self,
        view: ModelTable,
        cell: Cell,
        rows: Collection[int],
        element: int,
        chosen: RowChoice | None = None,
    ) -> None:
        self._column = cell[1]
        chosen = chosen or _chosen_rows(np.array([*rows], np.int64), view.count)
        self._edited = _Edited(view.name, cell, chosen, len(rows), element)

    def draw(self, shown: TableFrame) -> None:
        """Draw the cell that is being edited."""
        it, document, view = self._edited, shown.document, shown.view
        column = view.column(it.cell[1]) if it else None
        if it is None or column is None:
            return
        target = _target(document, view, column, it)
        if target is None:
            # Who asked to edit the cell types on: the letters would run actions.
            key_focus.lock_letters()
            text(column.texts([it.cell[0]])[0])
            draw_below(_reason(view, column), theme.WARNING)
            return
        # Only in the first frame, which is the one before the cell has its key.
        elements = [*islice(target.elements, it.element + 1)]
        begin = elements[-1] if elements and it.key is None else None
        is_array = target.field.count > 1
        it.is_left |= not is_array or imgui.is_key_pressed(imgui.Key.escape)
        it.key = target.key
        choices = partial(choices_in, document)
        readings = document.choice.reading.choices
        self._editor.draw(shown.frame, target, _STYLE, choices=choices, readings=readings, begin=begin)

    def draw_menu(
        self, shown: TableFrame, cell: tuple[int, int | None], selected: RowSelection, element: int
    ) -> None:
        """Draw the entries of a context menu that edit the value under the pointer.

        Parameters
        ----------
        cell
            Row, and index of the column.
        element
            The element under the pointer.
        """
        row, column = cell
        view, order = shown.view, shown.order
        name = self._named(view, column) if column is not None else None
        if name is None:
            return
        count = len(selected.rows)
        if controls.menu_item(_("Edit value"), "edit_value", "F2"):
            self._begin(view, (row, name), {row}, element)
        if count > 1:
            words = _("Set {column} in {count} selected rows", column=name, count=count_text(count))
            if controls.menu_item(words, "set_selected"):
                self._begin(view, (row, name), selected.rows, element)
        if len(order) > 1:
            words = _("Set {column} in all {count} rows shown", column=name, count=count_text(len(order)))
            if controls.menu_item(words, "set_shown"):
                self._begin(view, (row, name), order.tolist(), element, shown.chosen)
        imgui.separator()


def _target(document: Document, view: ModelTable, column: Column, edited: _Edited) -> EditableField | None:
    """The editable field of a cell; None if it shows what is derived from other tables."""
    field, table, rows = _field(view, column), column.source or view.name, edited.rows
    value = None if field is None else _value(document, table, column, edited.cell[0])
    if field is None or value is None:
        return None
    make = partial(AssignMaterial, rows) if field is WEAR_ROW else None
    return EditableField(
        document.address,
        table,
        rows,
        field,
        value,
        edited.count,
        column.field is None,
        make,
        element_name=column.element_name,
    )


def _reason(view: ModelTable, column: Column) -> str:
    """Reason for which a cell cannot be edited."""
    if can_edit(view, column):
        return _("The file stores no value here.")
    if view.address:
        return _("It is set in the Inspector, or in {name}.", name=view.address.name)
    words = _("It follows from other tables and cannot be set here.")
    if column.is_guess:
        words = _("It is a guess: what is stored can be set as it is declared.")
    return f"{column.explanation} {words}".strip()


_STYLE: Final = ValueStyle(
    # As the cells of a table: texts without quotes.
    text_of=lambda field, value: decode(until_nul(bytes(value))) if field.is_text else cell_text(field, value)
)
