"""Browser panel: opened folders and archives, their entries, the tables inside a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.control.settings.settings import Settings
from viewer.model.query.names import NameFilter
from viewer.model.store.address import Address
from viewer.options import option_at
from viewer.session.field_text import counted, size_text
from viewer.session.jobs import KINDS
from viewer.session.opened.browser import ROOTS, BrowserArrangement
from viewer.session.opened.browser import BrowserTree as Trees
from viewer.session.opened.comparison import ComparedSide
from viewer.session.opened.entry_list import FOLDER, BrowserEntry, EntryOrder
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.panels import entry_view
from viewer.ui.panels.entry_menu import draw_entry_menu, opening_of
from viewer.ui.panels.entry_view import EntryLine, EntryRow, EntryRows
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.input.filter_field import FilterField
from viewer.ui.widgets.job_progress import MOST_NAMED
from viewer.ui.widgets.table_grid import TallRows, TreeTable, ghost_buttons
from viewer.ui.widgets.widgets import (
    colored,
    empty,
    icon_button,
    text,
    tooltip,
)

MOST_SOUGHT: Final = 1000
"""Rows among which the first hit lies: all before it are containers of it."""
WIDEST_SIZE: Final = 1023_000
"""Bytes whose text is the longest."""
_EXPLANATION: Final = _(
    "The name must contain all words; * and ? are wildcards.\n"
    "Enter opens the first hit, Ctrl+Enter in a new tab."
)
_FOLD_HINT: Final = _("Expand or collapse")
_GAP: Final = 0.2
"""Between the arrow and the name, font heights."""
_FLAGS: Final = imgui.TableFlags_.scroll_y | imgui.TableFlags_.hideable | imgui.TableFlags_.no_saved_settings
# As a number: see `widgets`.
_WHOLE_ROW: Final = int(imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_overlap)


class BrowserPanel:
    """Rows of entries; a click on a model opens it, the arrow of a container lists its entries."""

    id = "browser"
    title = _("Browser")

    def __init__(self) -> None:
        self._trees = Trees()
        self._filter = FilterField("browser_filter", _("Filter entries"), _EXPLANATION)
        self._opened_since: frozenset[Address] = frozenset()
        self._open: frozenset[Address] = frozenset()
        self._closed: frozenset[Address] = frozenset()
        self._asked: frozenset[Address] = frozenset()
        self._rows = EntryRows(self._trees, BrowserArrangement(), self._open)
        self._rows_of, self._tall_rows = Cached(EntryRows), Cached(_tall_rows)
        self._table = TreeTable()
        self._newest: Address | None = None
        self._seen: Address | None = None
        self._is_appearing = True
        self._requested = BrowserArrangement().requested
        self._lines = Cached[dict[int, EntryLine]](dict)

    def draw(self, frame: UiContext) -> None:
        """Draw the filter and the rows on screen."""
        if not frame.state.browser.roots:
            _draw_invitation(frame)
            return
        self._is_appearing = imgui.is_window_appearing()
        self._take(frame)
        self._draw_head(frame)
        made_of = self._trees, frame.state.arrangement, self._open, self._closed
        self._rows = self._rows_of.of(made_of, *made_of)
        _step_with_arrows(frame)
        if self._filter.is_entered and not self._filter.is_empty:
            self._open_first_hit(frame)
        if len(self._rows):
            self._draw_table(self._rows, frame)
        else:
            empty(no_hits_text(frame.state.arrangement))

    def _draw_head(self, frame: UiContext) -> None:
        """Draw the filter, next to it the order and the switch for thumbnails, below it its hits."""
        gap = theme.em(0.3)
        if self._filter.draw(room=2 * (imgui.get_frame_height() + gap)):
            self._opened_since, self._closed = frozenset(), frozenset()
            frame.later(frame.control.browser.filter, self._filter.text)
        imgui.same_line(0, gap)
        draw_order(frame)
        imgui.same_line(0, gap)
        is_on = frame.state.settings.has_thumbnails
        if icon_button(fa.ICON_FA_IMAGE, "thumbnails", _("Thumbnails"), is_on=is_on):
            frame.later(frame.control.settings.turn, option_at(Settings, "has_thumbnails"))
        if not self._filter.is_empty:
            text(hits_text(frame.state.arrangement, self._filter.names), theme.DIM)
            if frame.state.browser.unreadable:
                names = sorted(map(str, frame.state.browser.unreadable))
                tooltip([_("These cannot be read:"), *names[:MOST_NAMED]], is_clear=True)

    def _take(self, frame: UiContext) -> None:
        """Adopt new trees: expand a new root and the path to the document, request missing listings."""
        trees = frame.state.browser
        if trees is not self._trees:
            known = {root.address for root in self._trees.roots}
            self._open |= {root.address for root in trees.roots if entry_view.is_container(root)} - known
            self._opened_since |= {root.address for root in trees.roots} - known
            if trees.current != self._trees.current:
                self._newest = trees.current
                self._open |= trees.containers_above(trees.current)
            self._trees = trees
        roots = {root.address for root in trees.roots}
        here = {address for address in self._open if address in roots or address.container in trees.children}
        unlisted = here - self._asked - trees.children.keys()
        for address in sorted(unlisted, key=str):
            frame.later(frame.control.browser.list_entries, address)
        self._asked = (self._asked & here) | unlisted
        self._forget_filter(frame)

    def _forget_filter(self, frame: UiContext) -> None:
        """Clear a filter that was typed for other files and hides everything in those opened since."""
        found = frame.state.arrangement
        is_done = (
            found.tree is frame.state.browser and found.requested == self._filter.names and not found.unread
        )
        if not self._opened_since or not is_done or found.requested.is_empty:
            return
        roots, shown = found.shown(ROOTS, frame.state.browser.roots)
        if not self._opened_since & {roots.entry(index).address for index in shown.tolist()}:
            self._filter.clear()
            frame.later(frame.control.browser.filter, "")
        self._opened_since = frozenset()

    def _open_first_hit(self, frame: UiContext) -> None:
        """Open the first entry listed that matches the filter itself; with Ctrl in a new tab."""
        for place in range(min(len(self._rows), MOST_SOUGHT)):
            row = self._rows[place]
            if not row.entry.can_open and self._filter.names.matches(row.entry.name):
                self._press(row, frame, in_new_tab=imgui.get_io().key_ctrl)
                return

    def _draw_table(self, rows: EntryRows, frame: UiContext) -> None:
        widest = imgui.calc_text_size(size_text(WIDEST_SIZE)).x + theme.em(0.25)
        sizes = widest + 2 * imgui.get_style().cell_padding.x
        has_sizes = self._table.has_room(rows, sizes)  # names are worth more than sizes
        if not self._table.begin("##entries", 2, _FLAGS, rows, sizes if has_sizes else 0.0):
            return
        imgui.table_setup_column("name", imgui.TableColumnFlags_.width_stretch)
        imgui.table_setup_column("size", imgui.TableColumnFlags_.width_fixed, widest)
        imgui.table_set_column_enabled(1, has_sizes)
        has_thumbnails = frame.state.settings.has_thumbnails
        lines = self._lines.of((rows, frame.state.browser, has_thumbnails, theme.em()))
        heights = (entry_view.row_height(is_tall=is_tall) for is_tall in (False, True))
        measured = rows, has_thumbnails, *heights
        tall_rows = self._tall_rows.of(measured, *measured)
        with ghost_buttons() as buttons:
            for place in tall_rows.on_screen(self._place_to_show(rows, frame.state.arrangement)):
                line = lines.get(place)
                if line is None:
                    line = lines[place] = entry_view.line_of(place, rows[place], frame)
                self._draw_row(line, buttons, frame)
        imgui.end_table()

    def _place_to_show(self, rows: EntryRows, found: BrowserArrangement) -> int | None:
        """Return the first row after another filter, the row of the last opened entry if that is new."""
        if found.requested != self._requested:
            self._requested = found.requested
            return 0
        if self._newest == self._seen or self._is_appearing:
            return None
        place = rows.find(self._newest)
        if place is not None:
            self._seen = self._newest
        return place

    def _is_open(self, entry: BrowserEntry) -> bool:
        return entry.address in (self._open if self._filter.is_empty else self._rows.opened)

    def _draw_row(self, line: EntryLine, buttons: ghost_buttons, frame: UiContext) -> None:
        height = line.height
        imgui.table_next_column()
        x, y = imgui.get_cursor_pos()
        imgui.set_cursor_pos(ImVec2(x + line.indent, y + (height - buttons.height) / 2))
        entry = line.row.entry
        arrow = line.unfolded if self._is_open(entry) else line.folded
        if buttons.fold(arrow, _FOLD_HINT, has_children=entry_view.is_container(entry)):
            self._toggle(entry)
        imgui.same_line(0, theme.em(_GAP))
        imgui.set_cursor_pos_y(y)
        self._draw_entry(line, frame)
        if imgui.table_next_column() and line.size:
            imgui.set_cursor_pos_y(y + entry_view.lower_line(height))
            text(line.size, theme.DIM)

    def _draw_entry(self, line: EntryLine, frame: UiContext) -> None:
        """Draw the clickable part: an icon and a name, or a thumbnail next to two lines."""
        entry, inside, width = line.row.entry, line.inside, line.width
        corner = imgui.get_cursor_screen_pos()
        right = corner.x + imgui.get_content_region_avail().x if inside else 0.0
        thumbnail, facts = None, ""
        if line.is_tall:
            thumbnail, facts, width = entry_view.thumbnail_of(line, frame)
        self._table.widen(line.indent + width)
        is_unsaved = frame.lookups.is_unsaved(entry.address)
        first = frame.state.comparison.first
        is_chosen = first is not None and entry.address == first
        is_marked = line.is_current or imgui.is_popup_open(line.menu)
        color = theme.SELECTION if is_chosen else line.color
        with colored(color):
            is_clicked = imgui.selectable(line.item, is_marked, _WHOLE_ROW, ImVec2(0, line.height))[0]
        entry_view.explain(
            frame,
            entry,
            lambda: _hints(entry, inside, is_unsaved=is_unsaved, is_chosen=is_chosen),
            thumbnail,
        )
        in_new_tab = imgui.is_item_clicked(imgui.MouseButton_.middle)
        if is_clicked or in_new_tab:
            self._press(line.row, frame, in_new_tab=in_new_tab or imgui.get_io().key_ctrl)
        draw_entry_menu(line.menu, entry, line.row.container_kind, frame)
        if inside:
            edge = imgui.internal.get_current_window().inner_rect.max.x - imgui.get_style().scrollbar_size
            right = edge if entry.kind == FOLDER else min(right, edge)  # a folder has no size
            used = line.width + theme.em((1.4 if is_unsaved else 0.8) - entry_view.AROUND)
            entry_view.draw_contents(inside, ImVec2(corner.x + used, corner.y), right)
        if line.is_tall:
            entry_view.draw_two_lines(corner, icon_of(entry.kind), line.name, facts, thumbnail, color)
        if is_unsaved:
            entry_view.draw_unsaved(corner, line.label, line.height)

    def _toggle(self, entry: BrowserEntry) -> None:
        """Fold a container, or unfold it; a filter has unfolded all containers with hits."""
        if self._filter.is_empty:
            self._open ^= {entry.address}
        else:
            self._closed ^= {entry.address}

    def _press(self, row: EntryRow, frame: UiContext, *, in_new_tab: bool) -> None:
        """Show a model or one of its tables, expand a container, open anything else as a resource.

        With Shift an entry is compared with the one that is open, with Alt with the one chosen by Alt before.
        """
        entry, current = row.entry, frame.state.browser.current
        first = frame.state.comparison.first
        if imgui.get_io().key_alt and entry.kind != FOLDER:
            if first is None or first == entry.address:
                frame.later(frame.control.comparing.choose, entry.address if first is None else None)
            else:
                frame.later(frame.control.comparing.compare, ComparedSide(first), ComparedSide(entry.address))
            return
        if imgui.get_io().key_shift and current and entry.kind != FOLDER and entry.address != current:
            frame.later(frame.control.comparing.compare, ComparedSide(current), ComparedSide(entry.address))
            return
        opening = opening_of(entry, row.container_kind, in_new_tab=in_new_tab)
        if opening is None or (entry.can_open and not in_new_tab):
            self._toggle(entry)
        elif entry.address != current:
            opening(frame)


def _tall_rows(rows: EntryRows, has_thumbnails: bool, low: float, tall: float) -> TallRows:
    return TallRows(np.where(rows.kinds(KINDS) & has_thumbnails, tall, low))


def _step_with_arrows(frame: UiContext) -> None:
    """While the panel has the focus, Up and Down open the previous and next entry of the same kind."""
    flags = int(imgui.InputFlags_.route_focused) | int(imgui.InputFlags_.repeat)
    for key, step in ((imgui.Key.up_arrow, -1), (imgui.Key.down_arrow, 1)):
        if imgui.shortcut(int(key), flags):
            frame.later(frame.control.opening.open_neighbour, step)


def _hints(entry: BrowserEntry, inside: Sequence[str], *, is_unsaved: bool, is_chosen: bool) -> list[str]:
    about = entry.kind if entry.kind == FOLDER else f"{entry.kind}, {size_text(entry.size)}"
    states = [_("unsaved changes")] if is_unsaved else []
    if is_chosen:
        states.append(_("chosen: Alt+click another entry to compare both, or Compare in its menu"))
    return [entry.name, about, *inside, str(entry.address), *states]


def _draw_invitation(frame: UiContext) -> None:
    empty(_("Open a model, an archive or a game folder, or drop one on the window."))
    imgui.dummy(ImVec2(0, theme.em(0.5)))
    if controls.button(_("Open file…"), "open_file", width=-1):
        frame.later(frame.control.dialogs.open_file)
    if controls.button(_("Open game folder…"), "open_folder", width=-1):
        frame.later(frame.control.dialogs.open_folder)


ORDERS: Final = {
    EntryOrder.FILE: (fa.ICON_FA_ARROW_DOWN_1_9, _("Order in the file")),
    EntryOrder.NAME: (fa.ICON_FA_ARROW_DOWN_A_Z, _("Name")),
    EntryOrder.KIND: (fa.ICON_FA_SHAPES, _("Kind")),
    EntryOrder.SIZE: (fa.ICON_FA_ARROW_DOWN_WIDE_SHORT, _("Size, largest first")),
}
_POPUP: Final = "orders"


def hits_text(found: BrowserArrangement, requested: NameFilter) -> str:
    """Return the number of hits, and what is still to be read."""
    if found.requested != requested:
        return _("searching…")
    hits = counted(found.hits, "{count} hit", "{count} hits")
    if not found.unread:
        return hits if not found.has_more else _("{hits}; not everything was read", hits=hits)
    if found.read < found.total:
        reading = _("reading {read} of {total} archives…", read=found.read + 1, total=found.total)
    else:
        reading = _("reading folders…")
    return f"{hits}, {reading}"


def no_hits_text(found: BrowserArrangement) -> str:
    """The text in place of rows."""
    if found.unread or found.requested.is_empty:
        return _("Nothing found yet.")
    if found.has_more:
        return _("No entry that was read has such a name.")
    return _("No entry has such a name.")


def draw_order(frame: UiContext) -> None:
    """Draw the button that opens the choice of the order."""
    current = EntryOrder(frame.state.settings.entry_order)
    icon, chosen = ORDERS[current]

    def hint() -> str:
        return _("Order of the entries: {order}", order=chosen)

    if icon_button(icon, "entry_order", hint, is_on=current is not EntryOrder.FILE):
        imgui.open_popup(_POPUP)
    if imgui.begin_popup(_POPUP):
        for order, (icon, title) in ORDERS.items():
            if controls.menu_item(title, f"order_{order.value}", icon=icon, is_on=order is current):
                frame.later(frame.control.browser.sort, order)
        imgui.end_popup()
