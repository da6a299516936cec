"""Tables panel: the raw tables of a model; hovering and clicking a row flashes and selects its object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from imgui_bundle import imgui

from viewer.formats.record import Field, Rows
from viewer.formats.text import decode
from viewer.model.mesh.row_tables import RowTable
from viewer.model.store.place import Place
from viewer.session.opened.document import Document
from viewer.session.places import batches_at, is_selectable, places_of, selection_at
from viewer.session.selection import Selection
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.fields.field_view import certainty
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import cell_text, count_text, counted, tooltip_lines
from viewer.ui.widgets.table_grid import GridColumn, draw_grid
from viewer.ui.widgets.widgets import empty, labeled, text


class TablesPanel:
    """A choice of table and its rows; only visible rows are formatted."""

    id = "tables"
    title = Message("Tables")

    def __init__(self) -> None:
        self._document: Document | None = None
        self._name = "nodes"
        self._columns: list[GridColumn] = []
        self._seen = Selection()
        self._asked: Place | None = None
        self._shown: Place | None = None
        self._is_revealing = False

    def draw(self, frame: UiContext) -> None:
        """Draw the choice of table and the rows of the table chosen."""
        document = frame.document
        if document is None:
            empty(_("The tables of the open model appear here."))
            return
        tables = document.model.tables
        self._follow(frame, document)
        if self._name not in tables:
            self._name = next(iter(tables))
        if self._choose(tables) or document is not self._document:
            self._document = document
            self._columns = columns(tables[self._name])
        self._draw_rows(frame, document, tables[self._name])

    def _follow(self, frame: UiContext, document: Document) -> None:
        """Show the table of a place that was just requested and cannot be selected."""
        place = frame.reveal
        if place is None or place is self._asked:
            return
        self._asked = place
        if place.address != document.address or place.table not in document.model.tables:
            return
        self._shown = place
        if not is_selectable(document, place):
            self._name, self._document, self._is_revealing = place.table, None, True

    def _choose(self, tables: Mapping[str, RowTable]) -> bool:
        before = self._name
        imgui.set_next_item_width(theme.em(12))
        if imgui.begin_combo("##table", self._name):
            for name, table in tables.items():
                if imgui.selectable(labeled(name, name), name == self._name)[0]:
                    self._name = name
                imgui.same_line(theme.em(10))
                text(count_text(len(table.rows)), theme.DIM)
            imgui.end_combo()
        imgui.same_line()
        text(counted(len(tables[self._name].rows), "{count} row", "{count} rows"), theme.DIM)
        return self._name != before

    def _draw_rows(self, frame: UiContext, document: Document, table: RowTable) -> None:
        selection = frame.view.selection
        chosen = self._chosen(document, selection, table)
        is_news = self._is_revealing or selection != self._seen
        if not imgui.is_window_appearing():
            self._is_revealing, self._seen = False, selection
        pointed = draw_grid(
            f"##{table.name}",
            len(table.rows),
            self._columns,
            chosen=chosen,
            marked=self._field(document, table.name, chosen),
            scroll_to=chosen if is_news else None,
        )
        if pointed is not None:
            place = Place(document.address, table.name, pointed.row)
            frame.flash(batches_at(document, place))
            if pointed.is_clicked:
                self._press(frame, document, place)

    def _chosen(self, document: Document, selection: Selection, table: RowTable) -> int | None:
        """Return the row to mark: the one shown last, else the one selected; the only one there is."""
        shown = self._shown
        if shown is not None and shown in Place(document.address, table.name):
            row = 0 if len(table.rows) == 1 else shown.row
            if row is not None and not is_selectable(document, replace(shown, field="")):
                return row
        selected = (place for place in places_of(document, selection) if place.table == table.name)
        return next((place.row for place in [*selected][::-1]), None)

    def _field(self, document: Document, table: str, row: int | None) -> str:
        """Return the field to mark in a row."""
        shown = self._shown
        is_shown = shown is not None and shown in Place(document.address, table, shown.row and row)
        return shown.field if shown is not None and is_shown else ""

    def _press(self, frame: UiContext, document: Document, place: Place) -> None:
        self._shown = place
        if is_selectable(document, place):
            self._seen = selection_at(document, place, frame.view.selection)
            frame.change(lambda view: replace(view, selection=selection_at(document, place, view.selection)))


def columns(table: RowTable) -> list[GridColumn]:
    """Return a column for each field of a table; one for texts."""
    rows = table.rows
    if table.record is None or not isinstance(rows, np.ndarray):
        return [GridColumn(_("text"), lambda row: decode(rows[row]))]
    return [
        GridColumn(field.name, partial(_cell, field, rows), (*tooltip_lines(field), certainty(field.status)))
        for field in table.record.fields
    ]


def _cell(field: Field, rows: Rows, row: int) -> str:
    return cell_text(field, rows[field.name][row])
