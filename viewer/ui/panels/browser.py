"""The tree of what was opened: folders, archives, their entries, the tables inside a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.library import SEPARATOR
from viewer.session.browser import Browser as Trees
from viewer.session.browser import BrowserEntry
from viewer.ui import theme
from viewer.ui.field_text import size_text
from viewer.ui.icons import icon_of
from viewer.ui.name_filter import NameFilter
from viewer.ui.panel import CopyText, Frame, ListEntries, Open, OpenDialog, OpenNeighbour
from viewer.ui.table_grid import rows_on_screen
from viewer.ui.tree_rows import TreeRow, flatten
from viewer.ui.widgets import coloured, empty, filter_field, ghost_button, readable, text, tooltip

MODELS: Final = ("msh", "terrain")
"""Kinds that the viewport shows."""
_ROOM_FOR_SIZES: Final = 14.0
"""Width in font heights from which sizes stand beside the names."""
_FLAGS = (
    imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.row_bg
    | imgui.TableFlags_.hideable
    | imgui.TableFlags_.no_saved_settings
)
_WHOLE_ROW = imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_overlap


class Browser:
    """Rows of entries; a click on a model shows it, the arrow of a container lists what is inside.

    Parameters
    ----------
    reveal
        Shows a table of the open model by its name.
    """

    title = "Browser"

    def __init__(self, reveal: Callable[[str], None]) -> None:
        self._reveal = reveal
        self._trees = Trees()
        self._kinds: dict[str, str] = {}
        self._filter = NameFilter()
        self._open: frozenset[str] = frozenset()
        self._asked: frozenset[str] = frozenset()
        self._rows: list[TreeRow[BrowserEntry]] | None = None
        self._seen: str | None = None
        self._is_appearing = True

    def draw(self, frame: Frame) -> None:
        """Draw the filter and the rows on screen."""
        if not frame.browser.roots:
            _draw_invitation(frame)
            return
        self._is_appearing = imgui.is_window_appearing()
        self._take(frame)
        words = filter_field("browser filter", self._filter.text, "Filter entries")
        tooltip(["Words that must all be in the name; * and ? stand for anything."])
        if words != self._filter.text:
            self._filter, self._rows = NameFilter(words), None
        if self._rows is None:
            self._rows = rows_of(self._trees, self._open, self._filter)
        _step_with_arrows(frame)
        if self._rows:
            self._draw_table(self._rows, frame)
        else:
            empty("No entry has such a name.")

    def _take(self, frame: Frame) -> None:
        """Take over new trees: open a new root and what leads to the document, ask for what is not listed."""
        if frame.browser is not self._trees:
            known = {root.address for root in self._trees.roots}
            self._open |= {root.address for root in frame.browser.roots if _is_container(root)} - known
            if frame.browser.current != self._trees.current:
                self._open |= frame.browser.way_to(frame.browser.current)
            self._trees, self._rows = frame.browser, None
            everything = (self._trees.roots, *self._trees.children.values())
            self._kinds = {entry.address: entry.kind for rows in everything for entry in rows}
        unlisted = self._open - self._asked - frame.browser.children.keys()
        for address in sorted(unlisted):
            frame.request(ListEntries(address))
        self._asked |= unlisted

    def _draw_table(self, rows: list[TreeRow[BrowserEntry]], frame: Frame) -> None:
        if not imgui.begin_table("##entries", 2, _FLAGS, imgui.get_content_region_avail()):
            return
        imgui.table_setup_column("name", imgui.TableColumnFlags_.width_stretch)
        has_sizes = imgui.get_content_region_avail().x > theme.em(_ROOM_FOR_SIZES)
        imgui.table_setup_column("size", imgui.TableColumnFlags_.width_fixed, theme.em(4.2))
        imgui.table_set_column_enabled(1, has_sizes)
        for place in rows_on_screen(len(rows), self._place_to_show(rows, frame)):
            self._draw_row(place, rows[place], frame)
        imgui.end_table()

    def _place_to_show(self, rows: list[TreeRow[BrowserEntry]], frame: Frame) -> int | None:
        """Return the row of the document where it has just become another one."""
        current = frame.browser.current
        if current == self._seen or self._is_appearing:
            return None
        place = next((place for place, row in enumerate(rows) if row.key.address == current), None)
        if place is not None:
            self._seen = current
        return place

    def _draw_row(self, place: int, row: TreeRow[BrowserEntry], frame: Frame) -> None:
        entry = row.key
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + row.depth * theme.em(0.8))
        self._draw_fold(place, row)
        imgui.same_line(0, theme.em(0.2))
        with coloured(theme.TEXT if entry.kind in MODELS or entry.can_open else theme.DIM):
            words = readable(label_of(entry, self._parent_kind(entry)))
            label = f"{icon_of(entry.kind)}  {words}###entry{place}"
            is_clicked, _ = imgui.selectable(label, _is_shown(entry, frame), _WHOLE_ROW)
        tooltip([entry.name, f"{entry.kind}, {size_text(entry.size)}", entry.address])
        if is_clicked:
            self._press(entry, frame)
        if imgui.begin_popup_context_item(f"menu{place}"):
            if imgui.menu_item_simple("Copy address"):
                frame.request(CopyText(entry.address))
            imgui.end_popup()
        if imgui.table_next_column():
            text("" if entry.kind == "folder" else size_text(entry.size), theme.DIM)

    def _draw_fold(self, place: int, row: TreeRow[BrowserEntry]) -> None:
        if not _is_container(row.key):
            imgui.dummy(ImVec2(imgui.get_text_line_height() * 1.25, imgui.get_text_line_height()))
            return
        icon = fa.ICON_FA_CARET_DOWN if row.key.address in self._open else fa.ICON_FA_CARET_RIGHT
        if ghost_button(icon, f"fold{place}", "Show or hide what is inside", theme.DIM):
            self._toggle(row.key)

    def _toggle(self, entry: BrowserEntry) -> None:
        self._open ^= {entry.address}
        self._rows = None

    def _parent_kind(self, entry: BrowserEntry) -> str | None:
        return self._kinds.get(entry.address.rpartition(SEPARATOR)[0])

    def _press(self, entry: BrowserEntry, frame: Frame) -> None:
        """Show a model or one of its tables, unfold a container, open anything else beside the model."""
        parent = entry.address.rpartition(SEPARATOR)[0]
        if entry.kind in MODELS:
            _show(entry.address, frame)
        elif entry.can_open:
            self._toggle(entry)
        elif self._parent_kind(entry) in MODELS:
            _show(parent, frame)
            self._reveal(entry.kind)
        else:
            frame.request(Open(entry.address))


def label_of(entry: BrowserEntry, parent_kind: str | None) -> str:
    """Return what a row is called: its name; what it is where it is a table, or has only a number."""
    if parent_kind in MODELS:
        return entry.kind
    return f"{entry.kind}  {entry.name}" if entry.name.startswith("#") else entry.name


def _is_shown(entry: BrowserEntry, frame: Frame) -> bool:
    """Whether it is the model in the viewport, or what was opened beside it."""
    beside = frame.resource.address if frame.resource else None
    return entry.address in (frame.browser.current, beside)


def _is_container(entry: BrowserEntry) -> bool:
    """Whether something can be listed below it: archives and folders, and the tables of a model."""
    return entry.can_open or entry.kind in MODELS


def _show(address: str, frame: Frame) -> None:
    if address != frame.browser.current:
        frame.request(Open(address))


def rows_of(trees: Trees, opened: frozenset[str], wanted: NameFilter) -> list[TreeRow[BrowserEntry]]:
    """Return the rows to show; a filter keeps entries that match, among those listed, and what holds them."""

    def children(entry: BrowserEntry) -> tuple[BrowserEntry, ...]:
        return trees.children.get(entry.address, ())

    if wanted.is_empty:
        return flatten(trees.roots, children, lambda entry: entry.address in opened)
    everything = flatten(trees.roots, children, lambda _: True)
    kept: set[str] = set()
    for row in reversed(everything):
        if wanted.matches(row.key.name) or any(child.address in kept for child in children(row.key)):
            kept.add(row.key.address)
    return flatten(
        [root for root in trees.roots if root.address in kept],
        lambda entry: [child for child in children(entry) if child.address in kept],
        lambda _: True,
    )


def _step_with_arrows(frame: Frame) -> None:
    """While the panel has the focus, Up and Down show the model before and after."""
    flags = imgui.InputFlags_.route_focused | imgui.InputFlags_.repeat
    for key, step in ((imgui.Key.up_arrow, -1), (imgui.Key.down_arrow, 1)):
        if imgui.shortcut(int(key), flags):
            frame.request(OpenNeighbour(step))


def _draw_invitation(frame: Frame) -> None:
    empty("Open a model, an archive or a game folder, or drop one on the window.")
    imgui.dummy(ImVec2(0, theme.em(0.5)))
    if imgui.button("Open file…", ImVec2(-1, 0)):
        frame.request(OpenDialog())
    if imgui.button("Open game folder…", ImVec2(-1, 0)):
        frame.request(OpenDialog(is_folder=True))
