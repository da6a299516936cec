"""A table of any length: only the rows on screen are formatted and drawn; columns fit their content."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import accumulate
from types import MappingProxyType
from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.formats.msh.guesses import is_color
from viewer.model.store.place import Place
from viewer.model.tables.column import BETWEEN, BETWEEN_ROWS, Column
from viewer.model.tables.table import ROW, ModelTable
from viewer.session.field_text import tooltip_lines
from viewer.session.tables.table_view import Order, RowSelection, SortedBy
from viewer.translation import _, translated
from viewer.ui.fields.field_view import FieldLinks, certainty
from viewer.ui.fields.guess_choice import draw_bgra
from viewer.ui.table.column_widths import ColumnWidths
from viewer.ui.widgets import theme
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import colored, identified, labeled, text, tooltip

_FLAGS: Final = (
    imgui.TableFlags_.row_bg
    | imgui.TableFlags_.borders_inner_v
    | imgui.TableFlags_.no_borders_in_body
    | imgui.TableFlags_.resizable
    | imgui.TableFlags_.hideable
    | imgui.TableFlags_.reorderable
    | imgui.TableFlags_.sortable
    | imgui.TableFlags_.sort_tristate
    | imgui.TableFlags_.scroll_x
    | imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.sizing_fixed_fit
    | imgui.TableFlags_.no_saved_settings
)
_ROW_FLAGS: Final = (
    imgui.SelectableFlags_.span_all_columns
    | imgui.SelectableFlags_.allow_overlap
    | imgui.SelectableFlags_.allow_double_click
)


Cell = tuple[int, str]
"""A row, and the name of a column."""
NO_PROBLEMS: Final[Mapping[Cell, Diagnostic]] = MappingProxyType({})


class VisibleRows(Struct, frozen=True, eq=False):
    """The rows that a grid draws.

    Parameters
    ----------
    order
        The rows to show in their order.
    active
        The row whose thing is selected in the document.
    marked
        Name of the column to highlight in that row.
    scroll_to
        A row to bring into view in this frame.
    edited
        Row and column of the cell that is being edited.
    cursor
        The column of the cell cursor, in the last selected row; empty if there is none.
    is_changed
        Whether a row differs from the saved file.
    problems
        What is wrong with cells, and with whole rows, whose column is empty.
    titles
        What the headers call columns, and other texts that have to fit; their names without one.
    widths
        Widths that the user gave columns by their names, font heights; the others fit their content.
    key
        Another one makes another table of the same name, of whose order and widths ImGui knows nothing.
    draw_group
        Draws the cells of a row that stands for a group: numbers of the order below zero, -1 for the first.
    """

    view: ModelTable
    order: Order
    selection: RowSelection
    active: int | None = None
    marked: str = ""
    scroll_to: int | None = None
    edited: Cell | None = None
    cursor: str = ""
    is_changed: Callable[[int], bool] = lambda _ignored: False
    problems: Mapping[Cell, Diagnostic] = field(default_factory=lambda: NO_PROBLEMS)
    titles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    widths: Mapping[str, float] = field(default_factory=dict)
    key: str = ""
    draw_group: Callable[[int], None] = lambda _ignored: None

    @property
    def table(self) -> str:
        """The id of the table."""
        return f"##{self.view.name}{self.key}"


class GridInput(Struct):
    """The input of the user in one frame.

    Attributes
    ----------
    pointed
        The row that the pointer rests on.
    clicked, opened
        The row that was clicked with the left button, or whose menu is open.
    is_twice
        Whether it was a double click.
    followed
        What the link leads to that was clicked twice, or with Ctrl held.
    column
        Index of the column under the pointer, among those of the view.
    element
        Index of the element of the value that was clicked; 0 for a value of one element.
    columns
        Names of the columns that are not hidden, from left to right.
    sorted_by
        The order that the headers show.
    widths
        Widths that the user has given columns, font heights.
    """

    pointed: int | None = None
    clicked: int | None = None
    opened: int | None = None
    is_twice: bool = False
    followed: Place | None = None
    column: int | None = None
    element: int = 0
    columns: tuple[str, ...] = ()
    sorted_by: SortedBy | None = None
    widths: Mapping[str, float] = field(default_factory=dict)

    def click_link(self, row: int, place: Place) -> None:
        """Take a click on a link as one on its cell; follow it if it was the second, or Ctrl is held."""
        io = imgui.get_io()
        self.clicked = self.pointed = row
        self.is_twice = io.mouse_clicked_last_count[0] > 1
        self.followed = place if self.is_twice or io.key_ctrl else None

    def point_at_link(self, row: int, links: FieldLinks, place: Place) -> None:
        """Take the pointer over a link: what it leads to flashes, the right button opens the menu."""
        links.point(place)
        tooltip(_("Ctrl+click or double click: go to {place}", place=f"{place.table} {place.row}"))
        if imgui.is_mouse_released(imgui.MouseButton_.right):
            self.pointed = self.opened = row


class TableGrid:
    """Draws one table after another; keeps widths and orders of each by its name."""

    def __init__(self) -> None:
        self._widths = ColumnWidths()
        self._sorted: dict[str, SortedBy | None] = {}
        self._to_sort: set[str] = set()
        self._tables: dict[str, tuple[str, float]] = {}

    def sorted_by(self, view: ModelTable) -> SortedBy | None:
        """The order that a table was left in."""
        return self._sorted.get(view.name)

    def sort(self, view: ModelTable, by: SortedBy | None) -> None:
        """Sort a table as if one of its headers had been clicked."""
        self._sorted[view.name] = by
        self._to_sort.add(view.name)

    def draw(self, shown: VisibleRows, links: FieldLinks, draw_edited: Callable[[], None]) -> GridInput:
        """Draw the rows on screen, the row number first; return what the user did.

        `draw_edited` draws the cell that is being edited.
        """
        view, table = shown.view, shown.table
        done = GridInput(sorted_by=self._sorted.get(view.name))
        room = imgui.get_content_region_avail()
        if not imgui.begin_table(table, len(view.shown) + 1, _FLAGS, room):
            return done
        imgui.table_setup_scroll_freeze(1, 1)
        self._widths.set_up(view, table, shown.titles, shown.widths)
        self._keep_place(view, table)
        done.columns = self._draw_headers(shown)
        if view.name in self._to_sort:
            self._to_sort.discard(view.name)
            _sort(view, done.sorted_by)
        done.sorted_by = self._sorted[view.name] = _sorted_by(view, done.sorted_by)
        place = _place(shown.order, shown.scroll_to)
        for number in rows_on_screen(len(shown.order), place):
            _draw_row(int(shown.order[number]), shown, links, done, draw_edited)
        hovered = imgui.table_get_hovered_column()
        done.column = hovered - 1 if hovered > 0 else None
        done.widths = self._widths.given(view)
        imgui.end_table()
        return done

    def _keep_place(self, view: ModelTable, table: str) -> None:
        """Keep order and place in another table of the name."""
        before, scroll = self._tables.get(view.name, (table, 0.0))
        if before != table:
            self._to_sort.add(view.name)
            imgui.set_scroll_y(scroll)
        self._tables[view.name] = table, scroll if before != table else imgui.get_scroll_y()

    def _draw_headers(self, shown: VisibleRows) -> tuple[str, ...]:
        """Draw the headers; return the names of those that are not hidden, from left to right."""
        imgui.table_next_row(imgui.TableRowFlags_.headers)
        imgui.table_next_column()
        imgui.table_header("#")
        places = []
        for index, column in enumerate(shown.view.shown):
            is_on_screen = imgui.table_next_column()
            if imgui.table_get_column_flags() & imgui.TableColumnFlags_.is_enabled:
                places.append((imgui.get_cursor_screen_pos().x, column.name))
            if is_on_screen:
                self._widths.watch(shown.view, index)
                titles = shown.titles.get(column.name)
                imgui.table_header(labeled(titles[0], column.name) if titles else column.name)
                tooltip(partial(_explanation, column))
        return tuple(name for left, name in sorted(places))


def _explanation(column: Column) -> list[str]:
    if column.field is not None:
        return [*tooltip_lines(column.field), certainty(column.field.status)]
    return [column.name, column.explanation]


def _sort(view: ModelTable, by: SortedBy | None) -> None:
    """Show an order in the headers of the table just begun, and no other."""
    names = (ROW, *(it.name for it in view.shown))
    index, direction = 0, imgui.SortDirection.none
    if by is not None and by.column in names:
        index = names.index(by.column)
        direction = imgui.SortDirection.descending if by.is_descending else imgui.SortDirection.ascending
    # Each call ends the order by any other column.
    imgui.internal.table_set_column_sort_direction(index, direction, False)


def _sorted_by(view: ModelTable, before: SortedBy | None) -> SortedBy | None:
    """The order that the headers show, if it has just changed, else the one before."""
    specs = imgui.table_get_sort_specs()
    if specs is None or not specs.specs_dirty:
        return before
    # ImGui reports the same order in every frame until this is reset.
    specs.specs_dirty = False
    if not specs.specs_count:
        return None
    spec = specs.get_specs(0)
    # Column 0 has the row numbers.
    name = view.shown[spec.column_index - 1].name if spec.column_index else ROW
    return SortedBy(name, spec.get_sort_direction() == imgui.SortDirection.descending)


def _place(order: Order, row: int | None) -> int | None:
    """The place of a row in the order shown, or None."""
    if row is None:
        return None
    found = np.flatnonzero(order == row)
    return int(found[0]) if len(found) else None


def _draw_row(
    row: int, shown: VisibleRows, links: FieldLinks, done: GridInput, draw_edited: Callable[[], None]
) -> None:
    imgui.table_next_row()
    imgui.table_next_column()
    if row < 0:
        imgui.table_set_bg_color(imgui.TableBgTarget_.row_bg0, theme.packed(theme.ACCENT, 0.12))
        shown.draw_group(row)
        return
    is_active = row == shown.active
    with identified(row):
        is_chosen = is_active or row in shown.selection.rows
        with colored(theme.UNSAVED if shown.is_changed(row) else theme.TEXT):
            name = labeled(f"{row}", f"row{row}")
            is_pressed = imgui.selectable(name, is_chosen, _ROW_FLAGS, ImVec2(0, 0))[0]
        if is_pressed:
            done.clicked = done.pointed = row
            done.is_twice = imgui.is_mouse_double_clicked(imgui.MouseButton_.left)
        if imgui.is_item_hovered():
            done.pointed = row
            if imgui.is_mouse_released(imgui.MouseButton_.right):
                done.opened = row
        _draw_problem(shown.problems.get((row, "")))
        links = replace(
            links, follow=partial(done.click_link, row), point=partial(done.point_at_link, row, links)
        )
        for column in shown.view.shown:
            is_on_screen = imgui.table_next_column()
            is_cursor = (row, column.name) == (shown.selection.active, shown.cursor)
            is_marked = is_active and column.stored_name == shown.marked
            if row == shown.scroll_to and (is_cursor if shown.cursor else is_marked):
                _scroll_here(is_on_screen=is_on_screen)
            if not is_on_screen:
                continue
            if is_cursor:
                _outline(theme.TEXT)
            if (row, column.name) == shown.edited:
                draw_edited()
                continue
            problem = shown.problems.get((row, column.stored_name))
            _draw_value(column, row, links, done, problem, is_marked=is_marked)


def _draw_value(
    column: Column,
    row: int,
    links: FieldLinks,
    done: GridInput,
    problem: Diagnostic | None,
    *,
    is_marked: bool,
) -> None:
    """Draw a value with what is wrong with it; note the element of it that was clicked."""
    if problem is not None:
        _outline(theme.SEVERITIES[problem.severity])
    left, mouse = imgui.get_cursor_screen_pos().x, imgui.get_mouse_pos().x
    right = left + imgui.get_content_region_avail().x
    draw_cell(column, row, links, theme.SELECTION if is_marked else theme.TEXT)
    _draw_problem(problem)
    if row in (done.clicked, done.opened) and left <= mouse < right:
        done.element = _element_at(column, row, mouse - left)


def _scroll_here(*, is_on_screen: bool) -> None:
    """Scroll sideways to the cell that begins here unless all of it is on screen."""
    drawn, left = imgui.get_window_draw_list(), imgui.get_cursor_screen_pos().x
    right = left + imgui.get_content_region_avail().x
    is_whole = drawn.get_clip_rect_min().x <= left and right <= drawn.get_clip_rect_max().x
    if not (is_on_screen and is_whole):
        imgui.set_scroll_from_pos_x(left - imgui.get_window_pos().x, 0.5)


def _outline(color: theme.Color) -> None:
    """Draw a frame around the cell that begins here, which shows in a selected row too."""
    start, pad = imgui.get_cursor_screen_pos(), imgui.get_style().cell_padding
    end = ImVec2(
        start.x + imgui.get_content_region_avail().x + pad.x, start.y + imgui.get_text_line_height() + pad.y
    )
    imgui.get_window_draw_list().add_rect(ImVec2(start.x - pad.x, start.y - pad.y), end, theme.packed(color))


def _draw_problem(problem: Diagnostic | None) -> None:
    """Color the cell just drawn if something is wrong with it, and say what on hovering."""
    if problem is not None:
        color = theme.packed(theme.SEVERITIES[problem.severity], 0.3)
        imgui.table_set_bg_color(imgui.TableBgTarget_.cell_bg, color)
        tooltip([f"{problem.rule} {translated(problem.message)}".strip()])


def draw_cell(column: Column, row: int, links: FieldLinks, color: Color) -> None:
    """Draw a value; each number that leads to a row is a link."""
    if not column.refers_to:
        if column.field is not None and is_color(column.field):
            draw_bgra(f"color{row}{column.name}", column.values[row])
        text(column.texts([row])[0], color)
        return
    width = column.shape[-1] if column.shape else 1
    for number, (words, target) in enumerate(column.pieces(row)):
        if number:
            imgui.same_line(0, 0)
            text(BETWEEN if number % width else BETWEEN_ROWS, color)
            imgui.same_line(0, 0)
        place = None if target is None else Place(links.address, column.refers_to, target)
        if place is not None and links.reaches(place):
            links.draw(labeled(words, f"{column.name}{row}.{number}"), place)
        else:
            text(words, color)
        if column.element_name is not None and imgui.is_item_hovered():
            tooltip(column.element_name(number))


def _element_at(column: Column, row: int, x: float) -> int:
    """The element of a value at a distance from where the value begins; the last one behind its end."""
    pieces = [words + BETWEEN for words, _target in column.pieces(row)]
    ends = accumulate(imgui.calc_text_size(words).x for words in pieces)
    # As many elements as end at or before the distance come before the one that is meant.
    return min(sum(end <= x for end in ends), len(pieces) - 1)
