"""Windows that come up in the middle when they are asked for, and lie over the panels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.ui import theme

LARGEST_SHARE: Final = 0.9
"""Of the height of the whole window."""


class Floating:
    """Whether such a window is shown; owner: what draws into it.

    Parameters
    ----------
    title
        Its title, which also identifies it.
    width, height
        Its size when it comes up, in font heights.
    """

    def __init__(self, title: str, width: float, height: float) -> None:
        self._title = title
        self._size = width, height
        self.is_open = False

    def toggle(self) -> None:
        """Show the window, or stop showing it."""
        self.is_open = not self.is_open

    @contextmanager
    def window(self) -> Iterator[bool]:
        """Begin the window, which is open, and end it; gives whether there is anything to be drawn."""
        viewport = imgui.get_main_viewport()
        width, height = (theme.em(side) for side in self._size)
        size = ImVec2(width, min(height, viewport.work_size.y * LARGEST_SHARE))
        imgui.set_next_window_pos(viewport.get_center(), imgui.Cond_.appearing, ImVec2(0.5, 0.5))
        imgui.set_next_window_size(size, imgui.Cond_.appearing)
        is_shown, is_open = imgui.begin(self._title, True, imgui.WindowFlags_.no_docking)
        try:
            yield is_shown
            if imgui.is_window_focused(imgui.FocusedFlags_.root_and_child_windows):
                is_open = is_open and not imgui.is_key_pressed(imgui.Key.escape)
        finally:
            imgui.end()
        self.is_open = self.is_open and bool(is_open)
