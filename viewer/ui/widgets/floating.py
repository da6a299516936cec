"""Windows that open on request in the middle, over the panels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar, Final

from imgui_bundle import ImVec2, imgui

from viewer.translation import Message
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import labeled

LARGEST_SHARE: Final = 0.9
"""Of the height of the whole window."""


class Floating:
    """A window that is shown on request; subclasses draw its content.

    Attributes
    ----------
    id
        Its name in every language.
    title
        The text of its title bar.
    size
        Width and height when it opens, in font heights.
    """

    id: ClassVar[str]
    title: ClassVar[Message]
    size: ClassVar[tuple[float, float]]

    def __init__(self) -> None:
        self.is_open = False

    def toggle(self) -> None:
        """Show the window, or hide it."""
        self.is_open = not self.is_open

    @contextmanager
    def window(self) -> Iterator[bool]:
        """Begin and end the window if it is open; gives whether its content is visible."""
        if not self.is_open:
            yield False
            return
        viewport = imgui.get_main_viewport()
        width, height = map(theme.em, self.size)
        size = ImVec2(width, min(height, viewport.work_size.y * LARGEST_SHARE))
        imgui.set_next_window_pos(viewport.get_center(), imgui.Cond_.appearing, ImVec2(0.5, 0.5))
        imgui.set_next_window_size(size, imgui.Cond_.appearing)
        label = labeled(str(self.title), self.id)
        is_shown, is_open = imgui.begin(label, True, imgui.WindowFlags_.no_docking)
        try:
            yield is_shown
            if imgui.is_window_focused(imgui.FocusedFlags_.root_and_child_windows):
                is_open = is_open and not imgui.is_key_pressed(imgui.Key.escape)
        finally:
            imgui.end()
        self.is_open = self.is_open and bool(is_open)
