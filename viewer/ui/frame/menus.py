"""The menu bar: every action under its menu, recent files, panels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from imgui_bundle import imgui

from viewer.ui.context import UiContext
from viewer.ui.frame.actions import Action
from viewer.ui.requests import ClearRecent, Open, ResetLayout
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import readable, text

MENUS: Final = ("File", "Select", "View", "Playback", "Window", "Help")
"""The menus from left to right."""

_RECENT_AFTER: Final = "Open the sample"


class PanelSwitches:
    """Which panels are closed; the window menu opens them again."""

    def __init__(self, closed: Iterable[str] = ()) -> None:
        self._closed = set(closed)

    @property
    def closed(self) -> tuple[str, ...]:
        """Titles of the closed panels."""
        return tuple(sorted(self._closed))

    def is_open(self, title: str) -> bool:
        """Tell whether a panel is to be drawn."""
        return title not in self._closed

    def set_open(self, title: str, *, is_open: bool) -> None:
        """Open or close a panel."""
        if is_open:
            self._closed.discard(title)
        else:
            self._closed.add(title)

    def show(self, title: str) -> None:
        """Open a panel and bring it to the front."""
        self._closed.discard(title)
        imgui.set_window_focus(title)

    def bring(self, title: str) -> None:
        """Open a panel and put its tab in front; the keyboard stays with a panel of another place."""
        self._closed.discard(title)
        window, focused = imgui.internal.find_window_by_name(title), _focused_window()
        node = window.dock_node if window else None
        place = focused.root_window.dock_node if focused else None
        if node is None or node.tab_bar is None or (place is not None and place.id_ == node.id_):
            imgui.set_window_focus(title)
        else:
            node.tab_bar.next_selected_tab_id = window.tab_id

    def open_all(self) -> None:
        """Open every panel."""
        self._closed.clear()


def draw_menu_bar(
    actions: Sequence[Action], titles: Sequence[str], switches: PanelSwitches, frame: UiContext
) -> None:
    """Draw the bar and do what is chosen."""
    if not imgui.begin_main_menu_bar():
        return
    for menu in MENUS:
        if imgui.begin_menu(menu):
            _draw_menu(menu, actions, frame)
            if menu == "Window":
                _draw_panels(titles, switches, frame)
            imgui.end_menu()
    _draw_busy(frame)
    imgui.end_main_menu_bar()


def _focused_window() -> imgui.internal.Window | None:
    return imgui.get_current_context().nav_window


def draw_item(action: Action, frame: UiContext) -> None:
    """Draw one action as an item of the menu that is open."""
    is_on = action.is_on is not None and action.is_on(frame)
    shown = action.chords[0].text if action.chords else ""
    if imgui.menu_item(action.text, shown, is_on, action.is_enabled(frame))[0]:
        action.run(frame)


def _draw_menu(menu: str, actions: Sequence[Action], frame: UiContext) -> None:
    """Draw the actions of a menu; those of submenus where the first of them stands."""
    drawn: set[str] = set()
    for action in actions:
        if action.menu == menu:
            if action.begins_group:
                imgui.separator()
            draw_item(action, frame)
            if action.text == _RECENT_AFTER:
                _draw_recent(frame)
        elif action.menu.startswith(f"{menu}/") and action.menu not in drawn:
            drawn.add(action.menu)
            if imgui.begin_menu(action.menu.removeprefix(f"{menu}/")):
                _draw_menu(action.menu, actions, frame)
                imgui.end_menu()


def _draw_recent(frame: UiContext) -> None:
    if not imgui.begin_menu("Open recent", bool(frame.recent)):
        return
    for number, address in enumerate(frame.recent):
        if imgui.menu_item_simple(f"{readable(address)}###recent{number}"):
            frame.request(Open(address))
    imgui.separator()
    if imgui.menu_item_simple("Forget them"):
        frame.request(ClearRecent())
    imgui.end_menu()


def _draw_panels(titles: Sequence[str], switches: PanelSwitches, frame: UiContext) -> None:
    for title in titles:
        is_open = switches.is_open(title)
        if imgui.menu_item_simple(title, "", is_open):
            switches.set_open(title, is_open=not is_open)
    imgui.separator()
    if imgui.menu_item_simple("Reset layout"):
        frame.request(ResetLayout())


def _draw_busy(frame: UiContext) -> None:
    """Say at the right end what is being read."""
    if not frame.busy:
        return
    width = imgui.calc_text_size(readable(frame.busy)).x + theme.em(1)
    imgui.set_cursor_pos_x(max(imgui.get_cursor_pos_x(), imgui.get_window_width() - width))
    text(frame.busy, theme.ACCENT)
