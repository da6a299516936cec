"""The entries of an overview as a grid of pictures of any length: only the cells on screen are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.model.kinds.registry import by_id
from viewer.model.tables.table import ModelTable
from viewer.operations.overview.columns import COLUMNS
from viewer.operations.overview.overview import Overview
from viewer.session.games.overview_choices import LARGEST_THUMBNAIL, SMALLEST_THUMBNAIL
from viewer.session.games.overviews import row_hints
from viewer.session.jobs import KINDS, Thumbnail
from viewer.session.opened.entry_list import BrowserEntry
from viewer.session.tables.table_view import RowSelection, SortedBy
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.games.cell_layout import CellLayout
from viewer.ui.panels.entry_view import explain, fitted
from viewer.ui.table.grid import GridInput, VisibleRows
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.widgets import icon_button, readable, shortened, tooltip

ICON: Final = 0.4
"""Size of the icon of a kind as a share of the side of a picture."""
ICON_STEP: Final = 8
"""Sizes of icons are multiples of it, pixels, as each size has letters of its own."""
SLIDER_WIDTH: Final = 12.0
"""Of the slider for the size of pictures, font heights."""
ORDER_MENU: Final = "overview_orders"
_FLAGS: Final = int(imgui.WindowFlags_.always_vertical_scrollbar)
_CELL_FLAGS: Final = int(imgui.SelectableFlags_.allow_double_click)
_KEY_FLAGS: Final = int(imgui.InputFlags_.route_focused) | int(imgui.InputFlags_.repeat)
_SHIFT: Final = int(imgui.Key.mod_shift)
_PAGE_UP, _PAGE_DOWN = int(imgui.Key.page_up), int(imgui.Key.page_down)
_HOME, _END = int(imgui.Key.home), int(imgui.Key.end)
_ENTER: Final = tuple(map(int, (imgui.Key.enter, imgui.Key.keypad_enter)))


def draw_order(view: ModelTable, by: SortedBy | None) -> SortedBy | None:
    """Draw the button that opens the choice of the order of pictures; return the order chosen then."""
    icon = fa.ICON_FA_ARROW_DOWN_1_9 if by is None else fa.ICON_FA_ARROW_DOWN_A_Z
    if by is not None and by.is_descending:
        icon = fa.ICON_FA_ARROW_DOWN_Z_A
    name = _("Order in the file") if by is None else title_of(by.column)
    if icon_button(
        icon, "overview_order", _("Order of the entries: {order}", order=name), is_on=by is not None
    ):
        imgui.open_popup(ORDER_MENU)
    if imgui.begin_popup(ORDER_MENU):
        if controls.menu_item(_("Order in the file"), "order_file", is_on=by is None):
            by = None
        for column in view.shown:
            is_on = by is not None and by.column == column.name
            if controls.menu_item(title_of(column.name), f"order_{column.name}", is_on=is_on):
                by = SortedBy(column.name, is_descending=column.is_quantity)
        imgui.separator()
        is_descending = by is not None and by.is_descending
        words = _("Descending")
        if controls.menu_item(words, "order_descending", is_on=is_descending, is_enabled=by is not None):
            by = by and replace(by, is_descending=not is_descending)
        imgui.end_popup()
    return by


def title_of(column: str) -> str:
    """The title of a column of the table of an overview."""
    return str(COLUMNS[column].title) if column in COLUMNS else _("Name")


def draw_side(frame: UiContext) -> None:
    """Draw the slider for the size of pictures."""
    side = frame.state.settings.overview.thumbnail_side
    imgui.set_next_item_width(theme.em(SLIDER_WIDTH))
    limits, words = (SMALLEST_THUMBNAIL, LARGEST_THUMBNAIL), _("{side} pixels", side=side)
    clamp = imgui.SliderFlags_.always_clamp
    changed, side = imgui.slider_int("###thumbnail_side", side, *limits, words, clamp)
    tooltip(_("Size of the thumbnails"))
    if changed:
        frame.later(frame.control.overviews.remember, thumbnail_side=side)


class OverviewGrid:
    """Draws the entries of an overview as pictures; owner: its page."""

    def __init__(self) -> None:
        self._layouts = Cached(CellLayout.of)
        self._layout = CellLayout.of(np.arange(0), 1, 1, 1)
        self._key = ""
        self._entries: Cached[dict[int, BrowserEntry]] = Cached(dict)
        self._names: Cached[dict[int, str]] = Cached(dict)

    def draw(self, frame: UiContext, found: Overview, shown: VisibleRows, side: float) -> GridInput:
        """Draw the cells on screen in an order; return what the user did. Keys count as clicks.

        Parameters
        ----------
        side
            Of a picture, pixels.
        """
        done = GridInput()
        if imgui.begin_child("overview_pictures", ImVec2(0, 0), window_flags=_FLAGS):
            room, line = imgui.get_content_region_avail().x, imgui.get_text_line_height()
            # The layout keeps its order, so that no other one has the same identity.
            made_of = id(shown.order), room, side, line
            layout = self._layouts.of(made_of, shown.order, room, side, line)
            self._keep_place(layout, shown.key)
            if len(layout.cells):
                _take_keys(layout, shown.selection, done)
            place = layout.place_of(shown.scroll_to if done.clicked is None else done.clicked)
            if place is not None:
                _bring_into_view(layout, place)
            self._draw_lines(frame, found, layout, shown, done)
            # The last item gives the region its height.
            imgui.set_cursor_pos(ImVec2(0, layout.bottom))
            imgui.dummy(ImVec2(0, 0))
        imgui.end_child()
        return done

    def _keep_place(self, layout: CellLayout, key: str) -> None:
        """Keep the first line on screen in place if the cells get another size; show the first of others."""
        before, self._layout = self._layout, layout
        is_other, self._key = key != self._key, key
        if is_other:
            imgui.set_scroll_y(0)
        elif (layout.columns, layout.height) != (before.columns, before.height):
            line = before.lines_in(imgui.get_scroll_y(), imgui.get_scroll_y()).start
            imgui.set_scroll_y(float(layout.tops[layout.line_of(int(before.bounds[line]))]))

    def _draw_lines(
        self, frame: UiContext, found: Overview, layout: CellLayout, shown: VisibleRows, done: GridInput
    ) -> None:
        top = imgui.get_scroll_y()
        entries = self._entries.of((found,))
        names = self._names.of((found, layout.width, imgui.get_font_size()))
        lines = layout.lines_in(top, top + imgui.get_window_height())
        origin = imgui.get_cursor_screen_pos()
        cells = _Cells(frame, found, layout, entries, names, origin)
        for place in layout.places_in(lines):
            row = int(shown.order[place])
            if row >= 0:
                cells.draw(place, row, shown.selection, done)
            else:
                imgui.set_cursor_pos(ImVec2(*layout.corner_of(place)))
                shown.draw_group(row)
        if cells.is_settled:
            page = len(lines)
            behind, before = range(lines.stop, lines.stop + page), range(lines.start - page, lines.start)
            rows = (int(shown.order[it]) for it in (*layout.places_in(behind), *layout.places_in(before)))
            ahead = (cells.entry(row) for row in rows if row >= 0)
            frame.lookups.read_ahead((it for it in ahead if it.kind in KINDS), layout.side)


def _take_keys(layout: CellLayout, selection: RowSelection, done: GridInput) -> None:
    """Move the selection with the arrows; open it with Enter."""
    if selection.active is not None and any(imgui.shortcut(it, _KEY_FLAGS) for it in _ENTER):
        done.clicked, done.is_twice = selection.active, True
        return
    page = max(1, int(imgui.get_window_height() // layout.height) - 1)
    steps = {
        int(imgui.Key.left_arrow): (-1, 0),
        int(imgui.Key.right_arrow): (1, 0),
        int(imgui.Key.up_arrow): (0, -1),
        int(imgui.Key.down_arrow): (0, 1),
        _PAGE_UP: (0, -page),
        _PAGE_DOWN: (0, page),
        _HOME: (-len(layout.order), 0),
        _END: (len(layout.order), 0),
    }
    pressed = (step for key, step in steps.items() if _is_pressed(key))
    step = next(pressed, None)
    if step is None:
        return
    active = layout.place_of(selection.active)
    place = int(layout.cells[0]) if active is None else layout.moved(active, *step)
    done.clicked = int(layout.order[place])


def _bring_into_view(layout: CellLayout, place: int) -> None:
    """Scroll as little as shows the cell at a place."""
    _x, top = layout.corner_of(place)
    lowest = top + layout.height - imgui.get_window_height()
    imgui.set_scroll_y(min(max(imgui.get_scroll_y(), lowest), top))


def _is_pressed(key: int) -> bool:
    """Whether a key is pressed, alone or with Shift."""
    return imgui.shortcut(key, _KEY_FLAGS) or imgui.shortcut(key | _SHIFT, _KEY_FLAGS)


class _Cells:
    """Draws cells of a grid in one frame.

    Attributes
    ----------
    is_settled
        All thumbnails of the cells drawn so far have been read.
    """

    def __init__(
        self,
        frame: UiContext,
        found: Overview,
        layout: CellLayout,
        entries: dict[int, BrowserEntry],
        names: dict[int, str],
        origin: ImVec2,
    ) -> None:
        self._frame, self._found, self._layout = frame, found, layout
        self._entries, self._names, self._origin = entries, names, origin
        self._paper = imgui.get_window_draw_list()
        self.is_settled = True

    def entry(self, row: int) -> BrowserEntry:
        """The entry of a row."""
        if row not in self._entries:
            address = self._found.addresses[row]
            kind = self._found.kinds[row]
            self._entries[row] = BrowserEntry(address, self._found.names[row] or address.name, kind)
        return self._entries[row]

    def draw(self, place: int, row: int, selection: RowSelection, done: GridInput) -> None:
        """Draw the cell at a place; note what the user did with it."""
        layout, entry = self._layout, self.entry(row)
        x, y = layout.corner_of(place)
        gap = imgui.get_text_line_height() * 0.2
        imgui.set_cursor_pos(ImVec2(x + gap, y + gap))
        size = ImVec2(layout.width - 2 * gap, layout.height - 2 * gap)
        if imgui.selectable(f"##cell{row}", row in selection.rows, _CELL_FLAGS, size)[0]:
            done.clicked = row
            done.is_twice = imgui.is_mouse_double_clicked(imgui.MouseButton_.left)
        thumbnail = None
        if entry.kind in KINDS:
            thumbnail = self._frame.lookups.thumbnail(entry, layout.side)
            self.is_settled &= thumbnail is not None
        if imgui.is_item_hovered():
            if imgui.is_mouse_released(imgui.MouseButton_.right):
                done.opened = row
            explain(self._frame, entry, lambda: [*self._hints(row, entry)], thumbnail)
        corner = ImVec2(self._origin.x + x + (layout.width - layout.side) / 2, self._origin.y + y + 2 * gap)
        self._draw_picture(corner, entry, thumbnail)
        problem = self._found.errors.get(row) or (thumbnail.problem if thumbnail else "")
        if problem:
            self._draw_mark(corner, is_error=row in self._found.errors)
        self._draw_name(row, entry, ImVec2(self._origin.x + x, corner.y + layout.side + gap))

    def _draw_picture(self, corner: ImVec2, entry: BrowserEntry, thumbnail: Thumbnail | None) -> None:
        side = self._layout.side
        if thumbnail is not None and thumbnail.image is not None:
            image = imgui.ImTextureRef(thumbnail.image.texture)
            self._paper.add_image(image, *fitted(thumbnail.image, corner, side))
            return
        icon = icon_of(entry.kind)
        imgui.push_font(imgui.get_font(), max(ICON_STEP * 2, side * ICON // ICON_STEP * ICON_STEP))
        size = imgui.calc_text_size(icon)
        at = ImVec2(corner.x + (side - size.x) / 2, corner.y + (side - size.y) / 2)
        self._paper.add_text(at, theme.packed(theme.FAINT), icon)
        imgui.pop_font()

    def _draw_mark(self, corner: ImVec2, *, is_error: bool) -> None:
        """Draw the mark of a problem in the lower right corner of a picture."""
        icon, side = fa.ICON_FA_TRIANGLE_EXCLAMATION, self._layout.side
        size = imgui.calc_text_size(icon)
        color = theme.ERROR if is_error else theme.WARNING
        at = ImVec2(corner.x + side - size.x, corner.y + side - size.y)
        self._paper.add_text(at, theme.packed(color), icon)

    def _draw_name(self, row: int, entry: BrowserEntry, corner: ImVec2) -> None:
        width = self._layout.width
        if row not in self._names:
            self._names[row] = shortened(readable(entry.name), width - imgui.get_text_line_height() * 0.6)
        name = self._names[row]
        left = corner.x + (width - imgui.calc_text_size(name).x) / 2
        color = theme.ERROR if row in self._found.errors else theme.TEXT
        self._paper.add_text(ImVec2(left, corner.y), theme.packed(color), name)

    def _hints(self, row: int, entry: BrowserEntry) -> Iterator[str]:
        yield entry.name
        yield from row_hints(self._found, row)
        yield str(by_id(entry.kind).title)
        yield str(entry.address)
