"""Small windows over the viewport, and the space they have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.ui.widgets import theme

MIDDLE: Final = (0.5, 0.45)
UPPER_LEFT: Final = (0.0, 0.0)
LOWER_LEFT: Final = (0.0, 1.0)
LOWER_RIGHT: Final = (1.0, 1.0)
MARGIN: Final = 0.8
PADDING: Final = (0.9, 0.7)
LABELS: Final = 1.4
"""Height of the labels along the lower edge of the viewport; all of these in font heights."""
_FLAGS: Final = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_docking
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_focus_on_appearing
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.always_auto_resize
)


@dataclass(frozen=True, slots=True)
class Area:
    """The area of the viewport on screen, ImGui units."""

    left: float
    top: float
    width: float
    height: float

    @classmethod
    def of_room(cls) -> Area:
        """Return the remaining area of the current window."""
        corner, room = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail()
        return cls(corner.x, corner.y, room.x, room.y)

    @property
    def corners(self) -> tuple[ImVec2, ImVec2]:
        """The upper left and the lower right corner."""
        return ImVec2(self.left, self.top), ImVec2(self.left + self.width, self.top + self.height)

    @property
    def card_room(self) -> tuple[float, float]:
        """Width and height that the content of a card may have."""
        across = self.width - 2 * theme.em(MARGIN + PADDING[0])
        return across, self.height - 2 * theme.em(MARGIN + PADDING[1]) - theme.em(LABELS)


@contextmanager
def card(name: str, area: Area, pivot: tuple[float, float] = MIDDLE) -> Iterator[None]:
    """A small window over the viewport; `pivot` is its corner, (0, 0) upper left to (1, 1) lower right."""
    margin = theme.em(MARGIN)
    x = area.left + margin + (area.width - 2 * margin) * pivot[0]
    y = area.top + margin + (area.height - 2 * margin - theme.em(LABELS)) * pivot[1]
    imgui.set_next_window_pos(ImVec2(x, y), imgui.Cond_.always, ImVec2(*pivot))
    imgui.push_style_var(imgui.StyleVar_.window_padding, ImVec2(*map(theme.em, PADDING)))
    imgui.push_style_color(imgui.Col_.window_bg, theme.BACKDROP)
    imgui.begin(name, None, _FLAGS)
    imgui.pop_style_color()
    imgui.pop_style_var()
    try:
        yield
    finally:
        imgui.end()
