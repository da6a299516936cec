"""Browser panel: opened folders and archives, their entries, the tables inside a model."""

from __future__ import annotations

from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.kinds.registry import MODEL
from viewer.model.query.name_filter import NameFilter
from viewer.model.store.address import SEPARATOR
from viewer.session.opened.browser_tree import FOLDER, BrowserEntry
from viewer.session.opened.browser_tree import BrowserTree as Trees
from viewer.session.thumbnail import KINDS
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.panels.entry_menu import draw_entry_menu, request_of
from viewer.ui.panels.entry_view import draw_two_lines, explain, lower_line, row_height
from viewer.ui.requests import (
    ListEntries,
    OpenDialog,
    OpenNeighbour,
    ShowThumbnails,
)
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import size_text
from viewer.ui.widgets.filter_field import FilterField
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.tall_rows import TallRows
from viewer.ui.widgets.tree_rows import TreeRow, flatten
from viewer.ui.widgets.widgets import (
    colored,
    empty,
    ghost_button,
    icon_button,
    labeled,
    readable,
    text,
)

_ROOM_FOR_SIZES: Final = 14.0
"""Least width of the panel that shows sizes, in font heights."""
WIDEST_SIZE: Final = 1023_000
"""Bytes whose text is the longest."""
_FLAGS = imgui.TableFlags_.scroll_y | imgui.TableFlags_.hideable | imgui.TableFlags_.no_saved_settings
_WHOLE_ROW = imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_overlap


class BrowserPanel:
    """Rows of entries; a click on a model opens it, the arrow of a container lists its entries."""

    id = "browser"
    title = Message("Browser")

    def __init__(self) -> None:
        self._trees = Trees()
        self._kinds: dict[str, str] = {}
        self._filter = FilterField("browser_filter", Message("Filter entries"))
        self._open: frozenset[str] = frozenset()
        self._asked: frozenset[str] = frozenset()
        self._rows: list[TreeRow[BrowserEntry]] | None = None
        self._measured_of: tuple[object, ...] = ()
        self._tall_rows = TallRows(())
        self._newest: str | None = None
        self._seen: str | None = None
        self._is_appearing = True

    def draw(self, frame: UiContext) -> None:
        """Draw the filter and the rows on screen."""
        if not frame.browser.roots:
            _draw_invitation(frame)
            return
        self._is_appearing = imgui.is_window_appearing()
        self._take(frame)
        self._draw_head(frame)
        if self._rows is None:
            self._rows = rows_of(self._trees, self._open, self._filter.names)
        _step_with_arrows(frame)
        if self._rows:
            self._draw_table(self._rows, frame)
        else:
            empty(_("No entry matches the filter."))

    def _draw_head(self, frame: UiContext) -> None:
        """Draw the filter, and the switch for thumbnails next to it."""
        gap = theme.em(0.3)
        if self._filter.draw(room=imgui.get_frame_height() + gap):
            self._rows = None
        imgui.same_line(0, gap)
        is_on = frame.thumbnails is not None
        if icon_button(fa.ICON_FA_IMAGE, "thumbnails", _("Thumbnails"), is_on=is_on):
            frame.request(ShowThumbnails(not is_on))

    def _take(self, frame: UiContext) -> None:
        """Adopt new trees: expand a new root and the path to the document, request missing listings."""
        if frame.browser is not self._trees:
            known = {root.address for root in self._trees.roots}
            self._open |= {root.address for root in frame.browser.roots if _is_container(root)} - known
            if frame.browser.current != self._trees.current:
                self._newest = frame.browser.current
                self._open |= frame.browser.way_to(frame.browser.current)
            self._trees, self._rows = frame.browser, None
            everything = (self._trees.roots, *self._trees.children.values())
            self._kinds = {entry.address: entry.kind for rows in everything for entry in rows}
        unlisted = self._open - self._asked - frame.browser.children.keys()
        for address in sorted(unlisted):
            frame.request(ListEntries(address))
        self._asked |= unlisted

    def _draw_table(self, rows: list[TreeRow[BrowserEntry]], frame: UiContext) -> None:
        if not imgui.begin_table("##entries", 2, _FLAGS, imgui.get_content_region_avail()):
            return
        imgui.table_setup_column("name", imgui.TableColumnFlags_.width_stretch)
        has_sizes = imgui.get_content_region_avail().x > theme.em(_ROOM_FOR_SIZES)
        widest = imgui.calc_text_size(size_text(WIDEST_SIZE)).x + theme.em(0.25)
        imgui.table_setup_column("size", imgui.TableColumnFlags_.width_fixed, widest)
        imgui.table_set_column_enabled(1, has_sizes)
        for place in self._measured(rows, frame).on_screen(self._place_to_show(rows)):
            self._draw_row(place, rows[place], frame)
        imgui.end_table()

    def _measured(self, rows: list[TreeRow[BrowserEntry]], frame: UiContext) -> TallRows:
        """The positions of the rows, measured again only if they may have changed."""
        heights = {is_tall: row_height(is_tall=is_tall) for is_tall in (False, True)}
        made_of = rows, frame.thumbnails is None, heights
        if made_of != self._measured_of:
            self._measured_of = made_of
            self._tall_rows = TallRows([heights[_is_tall(row.key, frame)] for row in rows])
        return self._tall_rows

    def _place_to_show(self, rows: list[TreeRow[BrowserEntry]]) -> int | None:
        """Return the row of the last opened entry if that has just changed, else None."""
        if self._newest == self._seen or self._is_appearing:
            return None
        place = next((place for place, row in enumerate(rows) if row.key.address == self._newest), None)
        if place is not None:
            self._seen = self._newest
        return place

    def _draw_row(self, place: int, row: TreeRow[BrowserEntry], frame: UiContext) -> None:
        entry = row.key
        height = row_height(is_tall=_is_tall(entry, frame)) - 2 * imgui.get_style().cell_padding.y
        imgui.table_next_column()
        x, y = imgui.get_cursor_pos()
        imgui.set_cursor_pos(
            ImVec2(x + row.depth * theme.em(0.8), y + (height - imgui.get_text_line_height()) / 2)
        )
        self._draw_fold(place, row)
        imgui.same_line(0, theme.em(0.2))
        imgui.set_cursor_pos_y(y)
        self._draw_entry(place, entry, height, frame)
        if imgui.table_next_column() and entry.kind != FOLDER:
            imgui.set_cursor_pos_y(y + lower_line(height))
            text(size_text(entry.size), theme.DIM)

    def _draw_entry(self, place: int, entry: BrowserEntry, height: float, frame: UiContext) -> None:
        """Draw the clickable part: an icon and a name, or a thumbnail next to two lines."""
        is_tall, corner = _is_tall(entry, frame), imgui.get_cursor_screen_pos()
        color = theme.TEXT if entry.kind == MODEL.id or entry.can_open or is_tall else theme.DIM
        name = label_of(entry, self._parent_kind(entry))
        label = "" if is_tall else f"{icon_of(entry.kind)}  {readable(name)}"
        with colored(color):
            item, size = labeled(label, f"entry{place}"), ImVec2(0, height)
            is_marked = entry.address == frame.browser.current or imgui.is_popup_open(f"menu{place}")
            is_clicked = imgui.selectable(item, is_marked, _WHOLE_ROW, size)[0]
        thumbnail = frame.thumbnails(entry) if is_tall and frame.thumbnails else None
        explain([entry.name, f"{entry.kind}, {size_text(entry.size)}", entry.address], thumbnail)
        in_new_tab = imgui.is_item_clicked(imgui.MouseButton_.middle)
        if is_clicked or in_new_tab:
            self._press(entry, frame, in_new_tab=in_new_tab or imgui.get_io().key_ctrl)
        draw_entry_menu(f"menu{place}", entry, self._parent_kind(entry), frame)
        if is_tall:
            facts = thumbnail.facts[0] if thumbnail and thumbnail.facts else entry.kind
            draw_two_lines(corner, icon_of(entry.kind), name, facts, thumbnail, color)

    def _draw_fold(self, place: int, row: TreeRow[BrowserEntry]) -> None:
        if not _is_container(row.key):
            imgui.dummy(ImVec2(imgui.get_text_line_height() * 1.25, imgui.get_text_line_height()))
            return
        icon = fa.ICON_FA_CARET_DOWN if row.key.address in self._open else fa.ICON_FA_CARET_RIGHT
        if ghost_button(icon, f"fold{place}", _("Expand or collapse"), theme.DIM):
            self._toggle(row.key)

    def _toggle(self, entry: BrowserEntry) -> None:
        self._open ^= {entry.address}
        self._rows = None

    def _parent_kind(self, entry: BrowserEntry) -> str | None:
        return self._kinds.get(entry.address.rpartition(SEPARATOR)[0])

    def _press(self, entry: BrowserEntry, frame: UiContext, *, in_new_tab: bool) -> None:
        """Show a model or one of its tables, expand a container, open anything else as a resource."""
        request = request_of(entry, self._parent_kind(entry), in_new_tab=in_new_tab)
        if request is None or (entry.can_open and not in_new_tab):
            self._toggle(entry)
        elif entry.address != frame.browser.current:
            frame.request(request)


def _step_with_arrows(frame: UiContext) -> None:
    """While the panel has the focus, Up and Down open the previous and next entry of the same kind."""
    flags = imgui.InputFlags_.route_focused | imgui.InputFlags_.repeat
    for key, step in ((imgui.Key.up_arrow, -1), (imgui.Key.down_arrow, 1)):
        if imgui.shortcut(int(key), flags):
            frame.request(OpenNeighbour(step))


def label_of(entry: BrowserEntry, parent_kind: str | None) -> str:
    """Return the text of a row: its name; its kind for a table, and in front of a mere number."""
    if parent_kind == MODEL.id:
        return entry.kind
    return f"{entry.kind}  {entry.name}" if entry.name.startswith("#") else entry.name


def _is_tall(entry: BrowserEntry, frame: UiContext) -> bool:
    """Whether it has, or may have, a thumbnail."""
    return frame.thumbnails is not None and entry.kind in KINDS


def _is_container(entry: BrowserEntry) -> bool:
    """Whether entries can be listed below it: archives, folders, and models for their tables."""
    return entry.can_open or entry.kind == MODEL.id


def rows_of(trees: Trees, opened: frozenset[str], requested: NameFilter) -> list[TreeRow[BrowserEntry]]:
    """Return the rows to show; a filter keeps the matching entries that are listed, and their containers."""

    def children(entry: BrowserEntry) -> tuple[BrowserEntry, ...]:
        return trees.children.get(entry.address, ())

    if requested.is_empty:
        return flatten(trees.roots, children, lambda entry: entry.address in opened)
    everything = flatten(trees.roots, children, lambda _: True)
    kept: set[str] = set()
    for row in reversed(everything):
        if requested.matches(row.key.name) or any(child.address in kept for child in children(row.key)):
            kept.add(row.key.address)
    return flatten(
        [root for root in trees.roots if root.address in kept],
        lambda entry: [child for child in children(entry) if child.address in kept],
        lambda _: True,
    )


def _draw_invitation(frame: UiContext) -> None:
    empty(_("Open a model, an archive or a game folder, or drop one on the window."))
    imgui.dummy(ImVec2(0, theme.em(0.5)))
    if imgui.button(labeled(_("Open file…"), "open_file"), ImVec2(-1, 0)):
        frame.request(OpenDialog())
    if imgui.button(labeled(_("Open game folder…"), "open_folder"), ImVec2(-1, 0)):
        frame.request(OpenDialog(is_folder=True))
