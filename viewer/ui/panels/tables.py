"""Tables panel: the tables of a model with names next to numbers, sorted, filtered, selected, copied."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np
from imgui_bundle import imgui
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.msh.guesses import GUESSES, NO_GUESSES
from viewer.formats.msh.nodes import NODE
from viewer.model.store.place import Place
from viewer.model.tables.column import Column, ColumnTexts
from viewer.model.tables.model_tables import row_count, table_names, table_of
from viewer.model.tables.neighbors import NeighborRows
from viewer.model.tables.table import ModelTable
from viewer.model.tables.table_names import VERTICES
from viewer.session.field_text import counted
from viewer.session.jobs import TableFilter
from viewer.session.opened.document import Document
from viewer.session.places import STREAM_NAMES, batches_at, is_selectable, places_of, selection_at
from viewer.session.selection import Selection
from viewer.session.tables.table_view import ArrangedRows, CopyFormat, Order, RowQuery, RowSelection, SortedBy
from viewer.translation import _, count_text, translated
from viewer.ui.context import UiContext
from viewer.ui.editing.field_menu import draw_field_menu
from viewer.ui.editing.model_menu import ModelMenu, has_entries
from viewer.ui.fields.field_view import FieldLinks
from viewer.ui.fields.guess_choice import draw_guess_choice
from viewer.ui.inspector.sheet import links_of
from viewer.ui.table.cell_editing import CellEditing, TableFrame
from viewer.ui.table.grid import Cell, GridInput, TableGrid, VisibleRows
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.input.filter_field import FilterField
from viewer.ui.widgets.widgets import empty, identified, labeled, text, wrapped

EXPLANATION: Final = _(
    "Words that a row must contain, or a condition: index_count > 300, name = tur*, flags & 8, "
    "position[2] < 0, parent = none; joined by and, or, not, parentheses."
)
MENU: Final = "row_menu"
_CTRL_A, _CTRL_C = (int(imgui.Key.mod_ctrl) | int(key) for key in (imgui.Key.a, imgui.Key.c))


class TablesPanel:
    """A choice of table, a filter and the rows; only visible rows are formatted."""

    id = "tables"
    title = _("Tables")

    def __init__(self) -> None:
        self._document: Document | None = None
        self._name = NODE.name
        self._guesses = NO_GUESSES
        self._view: ModelTable | None = None
        self._natural: Order = np.arange(0)
        self._grid = TableGrid()
        # Each table has its own, as their fields differ.
        make = partial(FilterField, "table_filter", _("Filter rows"), EXPLANATION)
        self._filters = defaultdict[str, FilterField](make)
        self._sorted_by: SortedBy | None = None
        self._requested: RowQuery | None = None
        self._rows = RowSelection()
        self._cell: tuple[int, int | None] = (0, None)
        self._cursor = ""
        self._element = 0
        self._columns: tuple[str, ...] = ()
        self._problems = Cached(problems_in)
        self._seen = Selection()
        self._before = Selection()
        self._asked: Place | None = None
        self._shown: Place | None = None
        self._filtering: TableFilter | None = None
        self._is_revealing = False
        self._is_new = False
        self._is_link_pointed = False
        self._editing, self._menu = CellEditing(), ModelMenu()

    def draw(self, frame: UiContext) -> None:
        """Draw the choice of table, the filter and the rows of the table chosen."""
        document = frame.document
        if document is None:
            empty(_("The tables of the open model appear here."))
            return
        names = table_names(document.tables)
        self._follow(frame, document, names)
        if self._name not in names:
            self._name = names[0]
        self._choose(document, names)
        if self._name in GUESSES:
            imgui.same_line()
            draw_guess_choice(frame, self._name)
        view = self._take(document, frame.view.guesses)
        arranged = self._arrange(frame, view)
        self._draw_filter(view, arranged)
        shown = TableFrame(frame, document, view, arranged.rows, self._filters[view.name].text)
        self._handle_keys(shown)
        self._draw_rows(shown)

    def _follow(self, frame: UiContext, document: Document, names: tuple[str, ...]) -> None:
        """Show the table of a place that was just requested and cannot be selected.

        Another selection ends the mark of such a place.
        """
        if frame.view.selection != self._before:
            self._before, self._shown = frame.view.selection, None
        filtering = frame.state.filtering
        if filtering is not None and filtering is not self._filtering and filtering.table in names:
            self._name = filtering.table
            self._filters[filtering.table].put(filtering.text)
        self._filtering = filtering
        place = frame.state.reveal
        if place is None or place is self._asked:
            return
        self._asked = place
        if place.address != document.address or place.table not in names:
            return
        self._shown = place
        if not is_selectable(document, place):
            self._name, self._is_revealing = place.table, True

    def _choose(self, document: Document, names: tuple[str, ...]) -> None:
        imgui.set_next_item_width(theme.em(10))
        if imgui.begin_combo("##table", self._name, imgui.ComboFlags_.height_large):
            for name in names:
                if imgui.selectable(labeled(name, name), name == self._name)[0]:
                    self._name = name
                imgui.same_line(theme.em(10))
                text(count_text(row_count(document.tables, name)), theme.DIM)
            imgui.end_combo()

    def _take(self, document: Document, guesses: Mapping[str, str]) -> ModelTable:
        """The view of the chosen table, made again for another table or document, or other guesses."""
        view = self._view
        is_same = document is self._document and guesses == self._guesses
        if view is None or not is_same or view.name != self._name:
            self._is_new, self._guesses = document is not self._document, guesses
            before, view = view, table_of(document.tables, self._name, guesses)
            # The same rows after an edit stay selected.
            is_known = self._document is not None and self._document.identity == document.identity
            is_table = before is not None and (before.name, before.count) == (view.name, view.count)
            self._document, self._view = document, view
            self._rows = self._rows if is_known and is_table else RowSelection()
            self._natural = np.arange(view.count)
            self._sorted_by = self._grid.sorted_by(view)
        return view

    def _arrange(self, frame: UiContext, view: ModelTable) -> ArrangedRows:
        """The rows to show: those of the last answer until a new one arrives."""
        query = RowQuery(view, self._filters[view.name].text, self._sorted_by)
        if query.is_plain:
            return ArrangedRows(query, self._natural)
        # Asked for once, not in every frame until the answer is there.
        if query != self._requested:
            self._requested = query
            frame.later(frame.control.tables.arrange, query)
        arranged = frame.state.arranged
        if arranged is None or arranged.query.view is not view:
            return ArrangedRows(query, self._natural)
        if self._is_new and arranged.query == query:
            self._is_new = False
            # A filter that was left from another document would hide all rows of this one.
            if not len(arranged.rows) or arranged.problem:
                self._filters[view.name].clear()
        return arranged

    def _draw_filter(self, view: ModelTable, arranged: ArrangedRows) -> None:
        field, shown = self._filters[view.name], len(arranged.rows)
        words = counted(view.count, "{count} row", "{count} rows")
        if shown < view.count:
            words = _("{shown} of {rows}", shown=count_text(shown), rows=words)
        if len(self._rows.rows) > 1:
            words = f"{words}, {_('{count} selected', count=count_text(len(self._rows.rows)))}"
        imgui.same_line()
        field.draw(room=imgui.calc_text_size(words).x + 2 * imgui.get_style().item_spacing.x)
        imgui.same_line()
        imgui.align_text_to_frame_padding()
        text(words, theme.DIM)
        if arranged.problem:
            wrapped(translated(arranged.problem), theme.ERROR)

    def _handle_keys(self, shown: TableFrame) -> None:
        """Copy, select and move with the keys, while the panel has the focus and no value is typed."""
        view, order = shown.view, shown.order
        if self._editing.is_typing:  # the keys are those of the text
            return
        focused = imgui.InputFlags_.route_focused
        if imgui.shortcut(_CTRL_C, focused):
            shown.frame.later(shown.frame.control.tables.copy, view, self._rows.shown(order), CopyFormat.TSV)
        if imgui.shortcut(_CTRL_A, focused):
            self._rows = self._rows.all_of(order)
        for key, step in ((imgui.Key.up_arrow, -1), (imgui.Key.down_arrow, 1)):
            if imgui.shortcut(int(key), focused | imgui.InputFlags_.repeat):
                self._rows = self._rows.stepped(step, order)
                self._is_revealing = True
                self._editing.leave()
                self._select(shown)
        self._cursor = self._cursor if self._cursor in self._columns else ""
        if imgui.shortcut(int(imgui.Key.f2), focused) and self._rows.active is not None:
            self._cursor = self._editing.begin(
                view, self._rows.active, self._cursor, self._rows, self._element
            )
            self._is_revealing = True
        if self._cursor:
            self._move_cursor(self._columns)

    def _move_cursor(self, names: Sequence[str]) -> None:
        """Move the cell cursor with the keys; Esc removes it."""
        place = names.index(self._cursor)
        for key, step in ((imgui.Key.left_arrow, -1), (imgui.Key.right_arrow, 1)):
            if imgui.shortcut(int(key), imgui.InputFlags_.route_focused | imgui.InputFlags_.repeat):
                self._cursor, self._element = names[min(max(place + step, 0), len(names) - 1)], 0
                self._is_revealing = True
                self._editing.leave()
        if imgui.shortcut(int(imgui.Key.escape), imgui.InputFlags_.route_focused):
            self._cursor = ""
            self._editing.end()

    def _draw_rows(self, shown: TableFrame) -> None:
        frame, document, view, selection = shown.frame, shown.document, shown.view, shown.frame.view.selection
        active = self._active(document, selection, view)
        is_news = self._is_revealing or selection != self._seen
        if selection != self._seen:
            self._rows = RowSelection.of(active)
        # While the panel appears it cannot scroll: the row is shown again in the next frame.
        if not imgui.is_window_appearing():
            self._is_revealing, self._seen = False, selection
        rows = VisibleRows(
            view,
            shown.order,
            self._rows,
            active=active,
            marked=self._field(document, view.name, active),
            scroll_to=self._rows.active if is_news and self._cursor else active if is_news else None,
            edited=self._editing.cell(view),
            cursor=self._cursor,
            problems=self._problems.of((document.identity, document.revision, view.name), document, view),
            is_changed=self._editing.changes_of(shown),
            # ImGui would show the columns of an overlay last, as it knows the others already.
            key=" ".join(it.name for it in view.own.values()),
        )
        self._is_link_pointed = False
        links = self._links(frame, document)
        # Of another guess the columns have other widths.
        with identified(self._guesses.get(view.name, "")):
            done = self._grid.draw(rows, links, partial(self._editing.draw, shown))
        self._sorted_by, self._columns = done.sorted_by, done.columns
        if done.followed is not None:
            links.follow(done.followed)
            return
        self._take_input(shown, done)
        self._draw_menu(shown)

    def _links(self, frame: UiContext, document: Document) -> FieldLinks:
        """Links whose target flashes in place of the row that they are in."""
        links = links_of(frame, document)

        def point(place: Place) -> None:
            self._is_link_pointed = True
            links.point(place)

        return replace(links, point=point)

    def _take_input(self, shown: TableFrame, done: GridInput) -> None:
        document, view = shown.document, shown.view
        if done.pointed is not None and not self._is_link_pointed:
            shown.frame.flash(batches_at(document, Place(document.address, view.name, done.pointed)))
        if done.clicked is not None:
            io = imgui.get_io()
            if not done.is_twice or done.clicked not in self._rows.rows:
                is_added, is_range = io.key_ctrl, io.key_shift
                self._rows = self._rows.clicked(
                    done.clicked, shown.order, is_added=is_added, is_range=is_range
                )
            self._select(shown)
            self._editing.leave()
            self._cursor = "" if done.column is None else view.shown[done.column].name
            self._element = done.element
            self._mark_bytes(shown)
            if done.is_twice and self._cursor:
                self._editing.begin(view, done.clicked, self._cursor, self._rows, self._element)
        if done.opened is not None:
            if done.opened not in self._rows.rows:
                self._rows = RowSelection.of(done.opened)
                self._select(shown)
            self._cell, self._element = (done.opened, done.column), done.element
            imgui.open_popup(MENU)

    def _mark_bytes(self, shown: TableFrame) -> None:
        """Mark the bytes of the field at the cell cursor, else those of the row, in the Bytes panel."""
        view = shown.view
        if view.address:
            return
        column = view.column(self._cursor) if self._cursor else None
        table = view.name if column is None else column.source or view.name
        name = "" if column is None or column.is_guess else column.stored_name
        place = Place(shown.document.address, table, self._rows.active, name)
        shown.frame.later(shown.frame.control.panels.show_bytes, place, is_brought=False)

    def _draw_menu(self, shown: TableFrame) -> None:
        """The context menu of the selected rows, and of the value under the pointer."""
        if not imgui.begin_popup(MENU):
            return
        frame, document, view = shown.frame, shown.document, shown.view
        self._editing.draw_menu(shown, self._cell, self._rows, self._element)
        for form, title, keys in (
            (CopyFormat.TSV, _("Copy as TSV"), translated("Ctrl+C")),
            (CopyFormat.JSON, _("Copy as JSON"), ""),
        ):
            if controls.menu_item(title, f"copy_{form}", keys):
                frame.later(frame.control.tables.copy, view, self._rows.shown(shown.order), form)
        row, index = self._cell
        is_there = row < view.count
        column = view.shown[index] if index is not None and index < len(view.shown) and is_there else None
        if column is not None:
            _draw_link(frame, document, column, row)
        if view.address and is_there:
            place = _stored(document, view.name, row)
            words = _("Go to {place}", place=f"{place.address.name}: {place.in_file}")
            if controls.menu_item(words, "go_to_neighbor"):
                frame.later(frame.control.opening.go_to, place)
        if column is not None:
            self._draw_value_menu(shown, row, column)
        if is_there and has_entries(document, view.name, row):
            # The row under the pointer is the last.
            self._menu.draw(frame, document, view.name, (*sorted(self._rows.rows - {row}), row))
        imgui.separator()
        if controls.menu_item(_("Select all rows"), "select_all", translated("Ctrl+A")):
            self._rows = self._rows.all_of(shown.order)
        imgui.end_popup()

    def _draw_value_menu(self, shown: TableFrame, row: int, column: Column) -> None:
        """The entries about the value under the pointer, and its field; a derived column has none."""
        if controls.menu_item(_("Copy value"), "copy_value"):
            shown.frame.later(shown.frame.control.window.copy_text, column.texts([row])[0])
        values = column.values
        if column.field is None or column.is_guess or isinstance(values, ColumnTexts):
            return
        value = values[row]
        element = np.unravel_index(self._element, value.shape) if value.ndim else ()
        place = _stored(shown.document, column.source or shown.view.name, row)
        where = place.address, place.table, place.row
        draw_field_menu(shown.frame, *where, column.field, value, [*map(int, element)])

    def _active(self, document: Document, selection: Selection, view: ModelTable) -> int | None:
        """Return the row to mark: the one shown last, else the one selected; the only one there is."""
        shown = self._shown
        if shown is not None and shown in Place(document.address, view.name):
            row = 0 if view.count == 1 else shown.row
            if row is not None and not is_selectable(document, replace(shown, field="")):
                return row
        name = VERTICES if view.name in STREAM_NAMES else view.name
        selected = (place for place in places_of(document, selection) if place.table == name)
        return next((place.row for place in [*selected][::-1]), None)

    def _field(self, document: Document, table: str, row: int | None) -> str:
        """Return the field to mark in a row."""
        shown = self._shown
        is_shown = shown is not None and shown in Place(document.address, table, shown.row and row)
        return shown.field if shown is not None and is_shown else ""

    def _select(self, shown: TableFrame) -> None:
        """Select in the document what the active row is; of nodes all selected rows."""
        if self._rows.active is None:
            return
        document, frame = shown.document, shown.frame
        place = self._shown = Place(document.address, shown.view.name, self._rows.active)
        if not is_selectable(document, place):
            return
        chosen = selection_at(document, place, frame.view.selection)
        if shown.view.name == NODE.name:
            chosen = Selection((*sorted(self._rows.rows - {self._rows.active}), self._rows.active))
        self._seen = chosen
        frame.change(lambda view: replace(view, selection=chosen))


def problems_in(document: Document, view: ModelTable) -> Mapping[Cell, Diagnostic]:
    """Return what is wrong with cells of a table, the worst of each.

    The number of a row, the cell without a name, has the worst of its cells, which may be out of sight.
    """
    found = [it for it in document.findings if it.table == view.name and it.index is not None]
    # Errors last, of the whole row at the end: the last finding of a cell stays in the dict.
    found.sort(key=lambda it: (it.severity is Severity.ERROR, not it.field))
    cells: dict[Cell, Diagnostic] = {}
    for it in found:
        # position[2] is shown in the column position.
        row, name = it.index or 0, (it.field or "").partition("[")[0]
        cells[row, name] = cells[row, ""] = it
    return cells


def _draw_link(frame: UiContext, document: Document, column: Column, row: int) -> None:
    """Draw the entry that goes to the row that a value names."""
    pieces = column.pieces(row) if column.refers_to else []
    places = [Place(document.address, column.refers_to, it) for _words, it in pieces if it is not None]
    links = links_of(frame, document)
    if len(places) == 1 and links.reaches(places[0]):
        words = _("Go to {place}", place=f"{column.refers_to} {pieces[0][0]}")
        if controls.menu_item(words, "follow"):
            links.follow(places[0])


def _stored(document: Document, table: str, row: int) -> Place:
    """The place of a row, which may be in a neighbor of the model."""
    found = document.table(table)
    return found.place(row) if isinstance(found, NeighborRows) else Place(document.address, table, row)
