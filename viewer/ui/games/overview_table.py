"""The page of an overview: columns to choose, a filter, the rows as a table or as pictures, their sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.formats.msh.nodes import GROUPS, LODS
from viewer.model.store.address import Address
from viewer.model.tables.table import ModelTable
from viewer.operations.overview.columns import COLUMNS, ENTRY, NAME
from viewer.operations.overview.overview import Overview
from viewer.session.field_text import counted
from viewer.session.games.overview_choices import NARROWEST, WIDEST
from viewer.session.games.overviews import ArrangedOverview, OverviewState, row_hints
from viewer.session.tables.table_view import (
    CopyFormat,
    Order,
    RowQuery,
    RowSelection,
    SortedBy,
)
from viewer.translation import _, count_text, translated
from viewer.ui.context import UiContext
from viewer.ui.fields.field_view import NO_LINKS
from viewer.ui.fields.result_age import draw_age
from viewer.ui.games.overview_grid import SLIDER_WIDTH, OverviewGrid, draw_order, draw_side
from viewer.ui.games.overview_groups import OverviewGroups, draw_group_choice
from viewer.ui.games.overview_menu import SelectedEntries, draw_selected_items, open_entry
from viewer.ui.table.grid import GridInput, TableGrid, VisibleRows
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.input.filter_field import FilterField
from viewer.ui.widgets.job_progress import draw_progress
from viewer.ui.widgets.widgets import cut, empty, icon_button, tooltip, wrapped

MENU: Final = "overview_menu"
COLUMN_MENU: Final = "overview_columns"
_EXPLANATION: Final = _(
    "Words that a row must contain, or a condition: triangles > 600 and kind = msh, clips = none; joined by "
    "and, or, not, parentheses. Columns, shown or not: {names}.",
    names=", ".join((NAME, ENTRY, *COLUMNS)),
)
_CTRL_A, _CTRL_C = (int(imgui.Key.mod_ctrl) | int(key) for key in (imgui.Key.a, imgui.Key.c))


class OverviewTable:
    """The overview of one archive, folder or game after the other; owner: a page."""

    def __init__(self) -> None:
        self._grid, self._pictures = TableGrid(), OverviewGrid()
        self._filter = FilterField("overview_filter", _("Filter rows"), _EXPLANATION)
        self._groups = OverviewGroups()
        self._sorted_by: SortedBy | None = None
        self._is_sorted = False
        self._columns, self._tables = tuple[str, ...](), 0
        self._rows = RowSelection()
        self._addresses, self._widths = tuple[Address, ...](), dict[str, float]()
        self._every: ArrangedOverview | None = None
        self._requested: tuple[RowQuery, str] | None = None
        self._totals = Cached(_totals)
        self._opened: int | None = None
        self._revealed: int | None = None

    def reveal(self, row: int) -> None:
        """Select a row, and bring it into view."""
        self._rows, self._revealed = RowSelection.of(row), row

    def draw(self, frame: UiContext, address: Address) -> None:
        """Draw the overview of what is at an address, which is made when it is first drawn."""
        state = frame.state.overviews.get(address)
        if state is None:
            frame.later(frame.control.overviews.make, address)
            empty(_("Reading…"))
            return
        self._draw_choices(frame, state)
        if state.problem:
            wrapped(translated(state.problem), theme.ERROR)
        if not state.is_running and draw_age(frame, state.read):
            frame.later(frame.control.overviews.make_again, address)
        if state.table is not None and state.found is not None:
            self._draw_table(frame, state, state.found, state.table)

    def _draw_choices(self, frame: UiContext, state: OverviewState) -> None:
        """Draw the choice of columns and of the cell, the filter, and how far the work is."""
        self._draw_look(frame, state)
        if controls.button(f"{fa.ICON_FA_TABLE_COLUMNS}  {_('Columns')}", "choose_columns"):
            imgui.open_popup(COLUMN_MENU)
        self._draw_columns(frame, state)
        imgui.same_line()
        draw_group_choice(frame, frame.state.settings.overview.group_by)
        imgui.same_line()
        if "triangles" in state.columns:
            self._draw_cell(frame, state)
        self._filter.draw(room=theme.em(20) if state.is_running else 0)
        if state.is_running:
            imgui.same_line()
            imgui.align_text_to_frame_padding()
            draw_progress(frame, state.lane, _("Listing the files…"), "cancel_overview")

    def _draw_look(self, frame: UiContext, state: OverviewState) -> None:
        """Draw the choice between a table and pictures, and the order of pictures, which have no headers."""
        is_grid = frame.state.settings.overview.is_grid
        for icon, name, hint, is_on in (
            (fa.ICON_FA_TABLE_LIST, "overview_as_table", _("Table"), not is_grid),
            (fa.ICON_FA_TABLE_CELLS_LARGE, "overview_as_grid", _("Thumbnails"), is_grid),
        ):
            if icon_button(icon, name, hint, is_on=is_on):
                frame.later(frame.control.overviews.remember, is_grid=not is_grid)
            imgui.same_line(0, theme.em(0.2))
        if is_grid and state.table is not None:
            by = draw_order(state.table, self._sorted_by)
            if by != self._sorted_by:
                self._sorted_by = by
                self._grid.sort(state.table, by)
                self._remember_order(frame, by)
            imgui.same_line(0, theme.em(0.2))
        imgui.same_line()

    def _draw_columns(self, frame: UiContext, state: OverviewState) -> None:
        """Draw the list of columns; it stays open while several are chosen."""
        if not imgui.begin_popup(COLUMN_MENU):
            return
        for name, column in COLUMNS.items():
            is_on, hint = name in state.columns, [column.doc, _("Without a value: {none}", none=column.none)]
            if controls.checkbox(str(column.title), f"column_{name}", hint, is_on=is_on):
                frame.later(frame.control.overviews.choose, state.address, _switched(state.columns, name))
        imgui.end_popup()

    def _draw_cell(self, frame: UiContext, state: OverviewState) -> None:
        """Draw the LOD and the group whose triangles are counted."""
        lods = {it: _("LOD {lod}", lod=it) for it in range(LODS)}
        groups = {it: _("group {group}", group=it) for it in range(GROUPS)}
        lod = controls.choose("##overview_lod", lods, state.lod, 5)
        tooltip(COLUMNS["triangles"].doc)
        imgui.same_line()
        group = controls.choose("##overview_group", groups, state.group, 6)
        tooltip(COLUMNS["triangles"].doc)
        imgui.same_line()
        if (lod, group) != (state.lod, state.group):
            frame.later(frame.control.overviews.count_cell, state.address, lod, group)

    def _draw_table(self, frame: UiContext, state: OverviewState, found: Overview, view: ModelTable) -> None:
        if not self._is_sorted and not state.is_running:  # entries that are only listed have few columns
            chosen, self._is_sorted = frame.state.settings.overview, True
            self._sorted_by = SortedBy(chosen.sort, chosen.is_descending) if chosen.sort else None
            self._grid.sort(view, self._sorted_by)
        every = self._every
        if every is None or every.query.view is not view:
            every = self._every = ArrangedOverview(RowQuery(view), np.arange(view.count))
            if found.addresses != self._addresses:
                self._addresses, self._rows = found.addresses, RowSelection()
        arranged = self._arrange(frame, state, every)
        if arranged.problem:
            wrapped(translated(arranged.problem), theme.ERROR)
        footer = imgui.get_frame_height_with_spacing()
        if imgui.begin_child("overview_rows", ImVec2(0, imgui.get_content_region_avail().y - footer)):
            self._handle_keys(frame, view, arranged.rows)
            chosen = frame.state.settings.overview
            if chosen.is_grid:
                side = chosen.thumbnail_side * theme.pixel_scale()
                shown = VisibleRows(
                    view,
                    self._groups.order(arranged),
                    self._rows,
                    scroll_to=self._revealed,
                    key=f"{arranged.group_by} {len(arranged.rows)}",
                    draw_group=partial(self._groups.draw_heading, arranged, view),
                )
                done = self._pictures.draw(frame, found, shown, side)
            else:
                done = self._draw_rows(frame, state, view, arranged)
            self._revealed = None
            self._take(frame, found, self._groups.visible(arranged), done)
            self._draw_menu(frame, found, view, arranged.rows)
        imgui.end_child()
        self._draw_footer(frame, state, found, arranged)

    def _draw_rows(
        self, frame: UiContext, state: OverviewState, view: ModelTable, arranged: ArrangedOverview
    ) -> GridInput:
        """Draw the rows with those of their groups; remember what the user did with the headers."""
        chosen = frame.state.settings.overview
        before = tuple(it.name for it in view.shown if it.name != ENTRY)
        if before != self._columns:
            self._columns, self._tables = before, self._tables + 1
        shown = VisibleRows(
            view,
            self._groups.order(arranged),
            self._rows,
            titles=self._groups.titles(arranged, view),
            widths=chosen.widths,
            key=f"{self._tables}{arranged.group_by}",
            draw_group=partial(self._groups.draw, arranged, view),
            scroll_to=self._revealed,
        )
        done = self._grid.draw(shown, NO_LINKS, lambda: None)
        if done.sorted_by != self._sorted_by:
            self._sorted_by = done.sorted_by
            self._remember_order(frame, done.sorted_by)
        if imgui.is_mouse_down(imgui.MouseButton_.left):
            return done
        widths = {name: _rounded(it) for name, it in done.widths.items()}
        # Only what was resized here since: the table of another tab was given widths of its own meanwhile.
        if resized := dict(widths.items() - self._widths.items()):
            self._widths = widths
            frame.later(frame.control.overviews.remember, widths={**chosen.widths, **resized})
        columns = tuple(it for it in done.columns if it != ENTRY)
        if columns and columns != before:  # moved or hidden by their headers
            others = tuple(it for it in state.columns if it not in before)
            frame.later(frame.control.overviews.choose, state.address, (*columns, *others))
        return done

    def _remember_order(self, frame: UiContext, by: SortedBy | None) -> None:
        is_known = by is not None and (by.column == ENTRY or by.column in COLUMNS)
        name, is_descending = (by.column, by.is_descending) if by is not None and is_known else ("", False)
        frame.later(frame.control.overviews.remember, sort=name, is_descending=is_descending)

    def _arrange(self, frame: UiContext, state: OverviewState, every: ArrangedOverview) -> ArrangedOverview:
        """The rows to show: those of the last answer until a new one arrives, every one before the first."""
        view, by = every.query.view, self._sorted_by
        if by is not None and view.column(by.column) is None:
            by = None
        query, group_by = RowQuery(view, self._filter.text, by), frame.state.settings.overview.group_by
        if query.is_plain and not group_by:
            self._requested = None
            return every
        # In a thread, as words in 6,700 rows take 15 ms; once, not in every frame until the answer is there.
        if (query, group_by) != self._requested:
            self._requested = query, group_by
            frame.later(frame.control.overviews.arrange, state.address, query, group_by)
        arranged = state.arranged
        # Rows of the same entries with other columns are shown meanwhile.
        is_known = arranged is not None and arranged.query.view.count == view.count
        return arranged if arranged is not None and is_known else every

    def _handle_keys(self, frame: UiContext, view: ModelTable, order: Order) -> None:
        focused = imgui.InputFlags_.route_focused
        if imgui.shortcut(_CTRL_C, focused):
            frame.later(frame.control.tables.copy, view, self._rows.shown(order), CopyFormat.TSV)
        if imgui.shortcut(_CTRL_A, focused):
            self._rows = self._rows.all_of(order)

    def _take(self, frame: UiContext, found: Overview, order: Order, done: GridInput) -> None:
        """Select what was clicked; open it at the second click."""
        if done.clicked is not None:
            io = imgui.get_io()
            self._rows = self._rows.clicked(done.clicked, order, is_added=io.key_ctrl, is_range=io.key_shift)
            if done.is_twice:
                open_entry(frame, found.addresses[done.clicked])
        if done.pointed is not None and (words := row_hints(found, done.pointed)):
            tooltip("\n".join(words))
        if done.opened is not None:
            if done.opened not in self._rows.rows:
                self._rows = RowSelection.of(done.opened)
            self._opened = done.opened
            imgui.open_popup(MENU)

    def _draw_menu(self, frame: UiContext, found: Overview, view: ModelTable, order: Order) -> None:
        """Draw the menu of the selected rows."""
        if not imgui.begin_popup(MENU):
            return
        draw_selected_items(frame, self._selected(found, order))
        for form, title, keys in (
            (CopyFormat.TSV, _("Copy as TSV"), translated("Ctrl+C")),
            (CopyFormat.JSON, _("Copy as JSON"), ""),
        ):
            if controls.menu_item(title, f"copy_{form}", keys):
                frame.later(frame.control.tables.copy, view, self._rows.shown(order), form)
        imgui.separator()
        if controls.menu_item(_("Select all rows"), "select_all", translated("Ctrl+A")):
            self._rows = self._rows.all_of(order)
        imgui.end_popup()

    def _selected(self, found: Overview, order: Order) -> SelectedEntries:
        rows = [row for row in self._rows.shown(order).tolist() if row < len(found)]
        kinds = [str(it["type_name"] or "") for it in found.stored.at(rows)]
        return SelectedEntries(tuple(found.addresses[row] for row in rows), tuple(kinds))

    def _draw_footer(
        self, frame: UiContext, state: OverviewState, found: Overview, arranged: ArrangedOverview
    ) -> None:
        """Draw the sums over the rows shown, or over those that are selected, and the size of pictures."""
        is_part = len(self._rows.rows) > 1
        rows = self._rows.shown(arranged.rows) if is_part else arranged.rows
        made_of = found, arranged, self._rows, state.columns
        words = self._totals.of(made_of, found, rows, state.columns)
        prefix = _("selected: {words}", words=words) if is_part else words
        imgui.align_text_to_frame_padding()
        has_slider = frame.state.settings.overview.is_grid
        room = imgui.get_content_region_avail().x - theme.em(SLIDER_WIDTH + 0.5) * has_slider
        cut(prefix, theme.ACCENT if is_part else theme.DIM, room)
        tooltip(prefix)
        if has_slider:
            imgui.same_line(imgui.get_cursor_pos_x() + room)
            draw_side(frame)


def _rounded(width: float) -> float:
    """A width as the settings remember it, font heights."""
    return min(max(round(width, 1), NARROWEST), WIDEST)


def _switched(columns: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The columns without one, or with it as the last."""
    others = tuple(it for it in columns if it != name)
    return others if name in columns else (*others, name)


def _totals(found: Overview, rows: Order, names: Sequence[str]) -> str:
    return "   ".join(_words(found, rows, names))


def _words(found: Overview, rows: Order, names: Sequence[str]) -> Iterator[str]:
    yield counted(len(rows), "{count} entry", "{count} entries")
    columns = [COLUMNS[name] for name in names if name in found.known]
    for name, total in found.totals(rows.tolist(), columns).items():
        yield f"{COLUMNS[name].title} {count_text(total)}"
