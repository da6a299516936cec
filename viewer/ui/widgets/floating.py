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
"""Of the space between the bars, in both directions."""


def place_in_middle(width: float, height: float, when: imgui.Cond_ = imgui.Cond_.appearing) -> None:
    """Place the next window in the middle, in font heights; it is smaller where there is no room for it."""
    viewport = imgui.get_main_viewport()
    most = viewport.work_size * LARGEST_SHARE
    size = ImVec2(min(theme.em(width), most.x), min(theme.em(height), most.y))
    imgui.set_next_window_pos(viewport.get_work_center(), imgui.Cond_.appearing, ImVec2(0.5, 0.5))
    imgui.set_next_window_size(size, when)


class Floating:
    """A window that is shown on request; subclasses draw its content.

    Attributes
    ----------
    id
        Its name in every language.
    title
        The text of its title bar.
    size
        Width and height when it opens, in font heights, if there is room.
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
        place_in_middle(*self.size)
        label = labeled(str(self.title), self.id)
        is_shown, is_open = imgui.begin(label, True, imgui.WindowFlags_.no_docking)
        try:
            yield is_shown
            if imgui.is_window_focused(imgui.FocusedFlags_.root_and_child_windows):
                is_open = is_open and not imgui.is_key_pressed(imgui.Key.escape)
        finally:
            imgui.end()
        self.is_open = self.is_open and bool(is_open)
