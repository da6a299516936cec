"""Which panel gets the keyboard focus when a floating window closes."""

from __future__ import annotations

from imgui_bundle import imgui


class KeptFocus:
    """Gives the focus back to the panel that had it before a floating window.

    Dear ImGui would give it to any window, also to a panel behind another tab, which comes to the front then.
    Popups do this on their own.

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


def focused_window() -> imgui.internal.Window | None:
    """Return the window that has the keyboard focus, or the child of one."""
    return imgui.get_current_context().nav_window


def _is_on_screen(panel: str) -> bool:
    window = imgui.internal.find_window_by_name(panel)
    return window is not None and window.active and not window.hidden
