"""The menu bar: every action under its menu, recent files, panels; the focus after a floating window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from imgui_bundle import imgui

from viewer.translation import Text, _
from viewer.ui.actions.actions import Action, always
from viewer.ui.context import Panel, UiContext
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.widgets import labeled, readable, tooltip

MENUS: Final[Mapping[str, Text]] = {
    "file": _("File"),
    "file.game": _("Game and materials"),
    "file.tabs": _("Tabs"),
    "file.picture": _("Pictures"),
    "file.new_effect": _("New effect"),
    "edit": _("Edit"),
    "edit.recompute": _("Recompute"),
    "select": _("Select"),
    "select.neighbor": _("Neighbor triangle"),
    "view": _("View"),
    "view.camera": _("Camera"),
    "view.shading": _("Shading"),
    "view.light": _("Light"),
    "view.textures": _("Textures"),
    "view.overlays": _("Overlays"),
    "view.cell": _("LOD and group"),
    "view.section": _("Section"),
    "view.background": _("Background"),
    "go": _("Go"),
    "playback": _("Playback"),
    "game": _("Game"),
    "window": _("Window"),
    "help": _("Help"),
}
"""Titles of menus by id, in order; a menu ``a.b`` lies inside ``a``."""

_PANEL: Final = "panel."
"""Begins the ids of actions that bring a panel; the menu has a switch for each instead."""
_RECENT_AFTER: Final = "file.open_sample"
_INSTALLS_AFTER: Final = "file.use_game"


class PanelSwitches:
    """Closed panels, by id; the window menu opens them again."""

    def __init__(self, closed: Iterable[str] = ()) -> None:
        self._closed = set(closed)

    @property
    def closed(self) -> tuple[str, ...]:
        """Ids of the closed panels."""
        return tuple(sorted(self._closed))

    def is_open(self, panel: str) -> bool:
        """Tell whether a panel is to be drawn."""
        return panel not in self._closed

    def set_open(self, panel: str, *, is_open: bool) -> None:
        """Open or close a panel."""
        if is_open:
            self._closed.discard(panel)
        else:
            self._closed.add(panel)

    def show(self, panel: str) -> None:
        """Open a panel and bring it to the front."""
        self._closed.discard(panel)
        imgui.set_window_focus(panel)

    def bring(self, panel: str) -> None:
        """Open a panel and select its tab; the keyboard focus stays unless it is in the same dock."""
        self._closed.discard(panel)
        window, focused = imgui.internal.find_window_by_name(panel), focused_window()
        node = window.dock_node if window else None
        dock = focused.root_window.dock_node if focused else None
        if node is None or node.tab_bar is None or (dock is not None and dock.id_ == node.id_):
            imgui.set_window_focus(panel)
        else:
            node.tab_bar.next_selected_tab_id = window.tab_id

    def is_behind_unfocused(self, panel: str) -> bool:
        """Tell whether an open panel is hidden by another tab that does not have the focus."""
        window, focused = imgui.internal.find_window_by_name(panel), focused_window()
        if panel in self._closed or window is None or window.dock_node is None or not window.hidden:
            return False
        dock = focused.root_window.dock_node if focused else None
        return dock is None or bool(dock.id_ != window.dock_node.id_)

    def reset(self, closed: Iterable[str]) -> None:
        """Open every panel but some."""
        self._closed = set(closed)


def draw_menu_bar(
    actions: Sequence[Action], panels: Sequence[Panel], switches: PanelSwitches, frame: UiContext
) -> None:
    """Draw the bar and run what is chosen."""
    if not imgui.begin_main_menu_bar():
        return
    for menu in MENUS:
        if "." not in menu and _begin_menu(menu):
            _draw_menu(menu, actions, frame)
            if menu == "window":
                _draw_panels(panels, switches, frame)
            imgui.end_menu()
    imgui.end_main_menu_bar()


def path_text(menu: str) -> str:
    """Return the titles that lead to a menu: ``View / Camera``."""
    names = menu.split(".")
    return " / ".join(str(MENUS[".".join(names[: depth + 1])]) for depth in range(len(names)))


def draw_item(action: Action, frame: UiContext) -> None:
    """Draw one action as an item of the current menu."""
    is_on = action.is_on is not None and action.is_on(frame)
    shown = action.first_keys if action.keys else ""
    reason = action.reason(frame)
    words = f"{action.icon}  {action.text(frame)}" if action.icon else action.text(frame)
    if imgui.menu_item(labeled(words, action.id), shown, is_on, not reason)[0]:
        action.run(frame)
    if reason:
        tooltip(reason)


def _begin_menu(menu: str) -> bool:
    return imgui.begin_menu(labeled(str(MENUS[menu]), menu))


def _draw_menu(menu: str, actions: Sequence[Action], frame: UiContext) -> None:
    """Draw the actions of a menu; a submenu stands where its first action does."""
    drawn: set[str] = set()
    for action in actions:
        if action.menu == menu and not action.id.startswith(_PANEL):
            if action.begins_group:
                imgui.separator()
            draw_item(action, frame)
            if action.id == _RECENT_AFTER:
                _draw_recent(frame)
            if action.id == _INSTALLS_AFTER:
                _draw_installs(frame)
        elif action.menu.startswith(f"{menu}.") and action.menu not in drawn:
            drawn.add(action.menu)
            if _begin_menu(action.menu):
                _draw_menu(action.menu, actions, frame)
                imgui.end_menu()


def _draw_recent(frame: UiContext) -> None:
    if not imgui.begin_menu(labeled(_("Open recent"), "file.recent"), bool(frame.state.settings.recent)):
        return
    for number, address in enumerate(frame.state.settings.recent):
        if imgui.menu_item_simple(labeled(readable(str(address)), f"recent{number}")):
            frame.later(frame.control.opening.open, address)
    imgui.separator()
    if imgui.menu_item_simple(labeled(_("Clear recent files"), "clear_recent")):
        frame.later(frame.control.settings.clear_recent)
    imgui.end_menu()


def _draw_installs(frame: UiContext) -> None:
    """Draw the games found on this computer; one that is chosen becomes the game folder and is opened."""
    installs = frame.state.installs
    if imgui.begin_menu(labeled(_("Use found game"), "file.installs"), bool(installs)):
        for number, install in enumerate(installs):
            words = readable(f"{install.folder}  ({name_of(install.launcher)})")
            if imgui.menu_item_simple(labeled(words, f"install{number}")):
                frame.later(frame.control.installs.use, install.folder)
        imgui.end_menu()


def panel_actions(panels: Iterable[Panel], switches: PanelSwitches) -> Iterator[Action]:
    """Yield an action for each panel that opens it and brings it to the front."""
    for panel in panels:
        run = partial(_bring, switches, panel.id)
        yield always(f"{_PANEL}{panel.id}", panel.title, run, menu="window")


def _bring(switches: PanelSwitches, panel: str, _ignored: UiContext) -> None:
    switches.bring(panel)


def _draw_panels(panels: Sequence[Panel], switches: PanelSwitches, frame: UiContext) -> None:
    for panel in panels:
        is_open = switches.is_open(panel.id)
        if imgui.menu_item_simple(labeled(str(panel.title), panel.id), "", is_open):
            switches.set_open(panel.id, is_open=not is_open)
    imgui.separator()
    if imgui.menu_item_simple(labeled(_("Reset layout"), "reset_layout")):
        frame.later(frame.control.panels.reset_layout)


class KeptFocus:
    """Gives the focus back to the panel that had it before a floating window.

    Dear ImGui would give it to any window, also to a panel behind another tab, which comes to the front then.
    Popups do this on their own; menus of the menu bar give it to what had it last, which to ImGui are windows
    that are new.

    Parameters
    ----------
    fallback
        Id of the panel that gets the focus if the one that had it is not on screen.
    """

    def __init__(self, fallback: str) -> None:
        self._fallback = self._panel = fallback

    def follow(self) -> None:
        """Take note of the panel that has the focus; once a frame, after all windows but popups."""
        focused = focused_window()
        if focused is None:
            return
        root = focused.root_window
        if root.flags & imgui.WindowFlags_.popup:
            return
        if not root.active:
            panel = next(filter(_is_on_screen, (self._panel, self._fallback)), "")
            if panel:
                imgui.set_window_focus(panel)
        elif root.dock_node is not None:
            self._panel = root.name
            imgui.internal.bring_window_to_focus_front(root)


def focused_window() -> imgui.internal.Window | None:
    """Return the window that has the keyboard focus, or the child of one."""
    return imgui.get_current_context().nav_window


def _is_on_screen(panel: str) -> bool:
    window = imgui.internal.find_window_by_name(panel)
    return window is not None and window.active and not window.hidden
