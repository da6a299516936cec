"""Panels that are drawn as they are, in frames that change nothing in them."""

from __future__ import annotations

from typing import Final, NamedTuple

from imgui_bundle import imgui

from viewer.session.selection import Selection
from viewer.ui.context import Panel, UiContext
from viewer.ui.panels.display import DisplayPanel
from viewer.ui.panels.inspector import InspectorPanel
from viewer.ui.panels.materials import MaterialsPanel
from viewer.ui.panels.timeline import TimelinePanel

_TIMED: Final = frozenset({MaterialsPanel.id, DisplayPanel.id, TimelinePanel.id})
"""The panels that show the time of an animation, as the Inspector does of what is selected."""
_AVOID_REFRESH: Final = int(imgui.internal.WindowRefreshFlags_.try_to_avoid_refresh)


class Begun(NamedTuple):
    """What became of a window: its content is to be drawn, it was not closed, it is kept."""

    is_shown: bool
    is_open: bool | None
    is_kept: bool = False


class KeptPanels:
    """Lets ImGui draw panels again as it drew them in the last frame; owner: the shell.

    That is its refresh policy for windows, which is experimental: it does not know of docking, so the window
    that holds a docked one has to be told of it here. Panels under the pointer or with the keyboard focus,
    and those that have just lost either, are never kept.
    """

    def __init__(self) -> None:
        self._live: set[int] = set()
        self._touched: set[int] = set()
        self._atlas: object = None
        self._may_keep = False

    def follow(self, *, may_keep: bool) -> None:
        """Take note of the input; once a frame, before the panels are drawn.

        Parameters
        ----------
        may_keep
            Whether nothing has changed but what live panels show.
        """
        context = imgui.get_current_context()
        focused = (context.hovered_window, context.nav_window, context.active_id_window)
        before, self._touched = self._touched, {it.root_window.id_ for it in focused if it is not None}
        self._live = before | self._touched
        # What was drawn refers to the texture of its glyphs, which ImGui frees when a larger one replaces it.
        atlas, self._atlas = self._atlas, imgui.get_io().fonts.tex_data.unique_id
        is_alone = not context.open_popup_stack.size() and not context.drag_drop_active
        self._may_keep = may_keep and is_alone and atlas == self._atlas

    def begin(self, panel: Panel, frame: UiContext, title: str, flags: int) -> Begun:
        """Begin the window of a panel, which has a button that closes it."""
        window = imgui.internal.find_window_by_name(panel.id)
        inside = _neighbors(window)
        if window is None or inside is None:
            return Begun(*imgui.begin(title, True, flags))
        if self._may_keep and window.id_ not in self._live and not _is_timed(panel, frame):
            imgui.internal.set_next_window_refresh_policy(_AVOID_REFRESH)
        # ImGui draws the scroll bar into the window around it, where it would be missing in the frames that
        # keep the panel, unless the window begun before in there overlaps it: here that is the panel itself.
        inside.push_back(window)
        is_shown, is_open = imgui.begin(title, True, flags)
        if not window.skip_refresh:
            inside.pop_back()
        return Begun(is_shown, is_open, window.skip_refresh)


def _is_timed(panel: Panel, frame: UiContext) -> bool:
    """Whether a panel may show the time of an animation."""
    if panel.id == InspectorPanel.id:
        return frame.view.selection != Selection()
    return panel.id in _TIMED


def _neighbors(window: imgui.internal.Window | None) -> imgui.ImVector_Window_ptr | None:
    """The windows that are drawn with the one that a window is docked in."""
    if window is None or window.dock_node is None or window.dock_node.host_window is None:
        return None
    return window.dock_node.host_window.dc.child_windows
