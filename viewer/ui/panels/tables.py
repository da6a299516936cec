"""The raw tables of a model, row by row; the pointer and a click find what the row is."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from imgui_bundle import imgui

from viewer.formats.msh.tables import TABLES, Table
from viewer.formats.record import Field, Rows
from viewer.session.document import Document
from viewer.session.selection import Selection
from viewer.translation import Message
from viewer.ui.context import UiContext
from viewer.ui.fields.field_view import Place, certainty
from viewer.ui.fields.navigation import batches_at, reaches, selection_at
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import cell_text, count_text, counted, tooltip_lines
from viewer.ui.widgets.table_grid import GridColumn, draw_grid
from viewer.ui.widgets.widgets import empty, text


class TablesPanel:
    """A choice of table and its rows; only what is on screen is formatted."""

    id = "tables"
    title = Message("Tables")

    def __init__(self) -> None:
        self._document: Document | None = None
        self._identity = 0
        self._name = "nodes"
        self._columns: list[GridColumn] = []
        self._seen = Selection()
        self._revealed: Place | None = None
        self._is_revealing = False

    def reaches(self, document: Document, place: Place) -> bool:
        """Tell whether there is such a row."""
        table = shown_tables(document).get(_shown_name(place))
        return table is not None and 0 <= place.row < len(_rows(document, table))

    def reveal(self, place: Place) -> None:
        """Show a row that `reaches` with the next frame."""
        self._name, self._document = _shown_name(place), None
        self._revealed, self._is_revealing = place, True

    def draw(self, frame: UiContext) -> None:
        """Draw the choice of table and the rows of the table chosen."""
        document = frame.document
        if document is None:
            empty("The rows of a model's tables appear here.")
            return
        tables = shown_tables(document)
        if not tables:
            empty("This file has no table that can be shown.")
            return
        if self._name not in tables:
            self._name = next(iter(tables))
        if self._choose(document, tables) or document is not self._document:
            self._show(document)
            self._columns = list(columns(tables[self._name], _rows(document, tables[self._name])))
        self._draw_rows(frame, document, tables[self._name])

    def _show(self, document: Document) -> None:
        """Forget the row that was revealed in another document."""
        if self._identity != document.identity and not self._is_revealing:
            self._revealed = None
        self._document, self._identity = document, document.identity

    def _choose(self, document: Document, tables: dict[str, Table]) -> bool:
        before = self._name
        imgui.set_next_item_width(theme.em(12))
        if imgui.begin_combo("##table", self._name):
            for name, table in tables.items():
                if imgui.selectable(f"{name}###{name}", name == self._name)[0]:
                    self._name = name
                imgui.same_line(theme.em(10))
                text(count_text(len(_rows(document, table))), theme.DIM)
            imgui.end_combo()
        imgui.same_line()
        text(counted(len(_rows(document, tables[self._name])), "{count} row", "{count} rows"), theme.DIM)
        return self._name != before

    def _draw_rows(self, frame: UiContext, document: Document, table: Table) -> None:
        selection = frame.view.selection
        chosen = self._chosen(selection, table)
        is_news = self._is_revealing or selection != self._seen
        if not imgui.is_window_appearing():
            self._is_revealing, self._seen = False, selection
        count = len(_rows(document, table))
        scroll_to = chosen if is_news else None
        pointed = draw_grid(f"##{table.name}", count, self._columns, chosen=chosen, scroll_to=scroll_to)
        if pointed is not None:
            place = Place(table.name, pointed.row)
            frame.flash(batches_at(document, place))
            if pointed.is_clicked:
                self._press(frame, document, place)

    def _chosen(self, selection: Selection, table: Table) -> int | None:
        """Return the row to mark: the selected one, or the one revealed last."""
        row = _row_of(selection, table.name)
        if row is None and self._revealed is not None and _shown_name(self._revealed) == table.name:
            return self._revealed.row
        return row

    def _press(self, frame: UiContext, document: Document, place: Place) -> None:
        self._revealed = place
        if reaches(document, place):
            self._seen = selection_at(document, place, frame.view.selection)
            frame.change(lambda view: replace(view, selection=selection_at(document, place, view.selection)))


def _shown_name(place: Place) -> str:
    return {"vertices": "positions"}.get(place.table, place.table)


def shown_tables(document: Document) -> dict[str, Table]:
    """Return the tables that have rows, by name."""
    return {table.name: table for table in TABLES.values() if table.record and len(_rows(document, table))}


def columns(table: Table, rows: Rows) -> list[GridColumn]:
    """Return a column for each field of a table."""
    fields = table.record.fields if table.record else ()
    return [
        GridColumn(field.name, partial(_cell, field, rows), (*tooltip_lines(field), certainty(field)))
        for field in fields
    ]


def _cell(field: Field, rows: Rows, row: int) -> str:
    return cell_text(field, rows[field.name][row])


def _rows(document: Document, table: Table) -> Rows:
    return document.model.rows(table.type_id)


def _row_of(selection: Selection, table: str) -> int | None:
    return {
        "nodes": selection.node,
        "slots": selection.slot,
        "batches": selection.batch,
        "tri_descriptors": selection.descriptor,
    }.get(table)
