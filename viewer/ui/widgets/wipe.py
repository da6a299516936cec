"""A wipe between two images in one place: left of a line the first, right of it the second."""

from __future__ import annotations

from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.translation import _
from viewer.ui.widgets import theme
from viewer.ui.widgets.floating import Area

HANDLE: Final = 1.2
"""Width at which the line is grabbed, font heights."""
GRIP: Final = 0.45
"""Radius of the grip on the line, font heights."""
MIDDLE: Final = 0.5


class Wipe:
    """The line, as a share of the width of the images; owner: a window."""

    def __init__(self) -> None:
        self.share = MIDDLE

    def move(self, name: str, area: Area, *, is_anywhere: bool = False) -> None:
        """Move the line with the mouse; before other items there, which get what it does not.

        Parameters
        ----------
        is_anywhere
            Whether a press next to the line brings it there.
        """
        if area.width <= 0 or area.height <= 0:
            return
        half = area.width if is_anywhere else theme.em(HANDLE / 2)
        left, right = max(self._x(area) - half, area.left), min(self._x(area) + half, area.right)
        before = imgui.get_cursor_pos()
        imgui.set_cursor_screen_pos(ImVec2(left, area.top))
        imgui.invisible_button(name, ImVec2(max(right - left, 1.0), area.height))
        if imgui.is_item_active():
            self.share = min(max((imgui.get_mouse_pos().x - area.left) / area.width, 0.0), 1.0)
        if imgui.is_item_hovered() and imgui.is_mouse_double_clicked(imgui.MouseButton_.left):
            self.share = MIDDLE
        if imgui.is_item_hovered() or imgui.is_item_active():
            imgui.set_mouse_cursor(imgui.MouseCursor_.resize_ew)
        imgui.set_cursor_pos(before)

    def draw_first(self, image: int, area: Area) -> None:
        """Draw the left part of an image, highest row first."""
        start, end = area.corners
        end = ImVec2(self._x(area), end.y)
        reference, uv = imgui.ImTextureRef(image), ImVec2(self.share, 1)
        imgui.get_window_draw_list().add_image(reference, start, end, ImVec2(0, 0), uv)

    def draw_second(self, image: int, area: Area, *, is_flipped: bool = False) -> None:
        """Draw the right part of an image, highest row first, or lowest if it is flipped."""
        start, end = area.corners
        start = ImVec2(self._x(area), start.y)
        top, bottom = (1, 0) if is_flipped else (0, 1)
        reference, uv = imgui.ImTextureRef(image), ImVec2(self.share, top)
        imgui.get_window_draw_list().add_image(reference, start, end, uv, ImVec2(1, bottom))

    def draw_line(self, area: Area) -> None:
        """Draw the line, its grip, and what is on which side."""
        paper, x = imgui.get_window_draw_list(), self._x(area)
        for width, color in ((theme.em(0.25), (0.0, 0.0, 0.0, 0.5)), (theme.em(0.1), theme.SELECTION)):
            paper.add_line(ImVec2(x, area.top), ImVec2(x, area.top + area.height), theme.packed(color), width)
        middle = ImVec2(x, area.top + area.height / 2)
        paper.add_circle_filled(middle, theme.em(GRIP), theme.packed(theme.SELECTION))
        before, after = str(_("Before")), str(_("After"))
        gap = theme.em(0.4)
        sizes = [imgui.calc_text_size(it) for it in (before, after)]
        if sizes[0].x + 3 * gap < x - area.left:
            _draw_label(before, ImVec2(area.left + gap, area.top + gap))
        if sizes[1].x + 3 * gap < area.right - x:
            _draw_label(after, ImVec2(area.right - gap - sizes[1].x, area.top + gap))

    def _x(self, area: Area) -> float:
        return area.left + self.share * area.width


def _draw_label(words: str, corner: ImVec2) -> None:
    """Draw a text on a ground of its own, as the image behind it may have any color."""
    paper, size, edge = imgui.get_window_draw_list(), imgui.calc_text_size(words), theme.em(0.2)
    ground = theme.packed(theme.BACKDROP)
    start, end = ImVec2(corner.x - edge, corner.y), ImVec2(corner.x + size.x + edge, corner.y + size.y)
    paper.add_rect_filled(start, end, ground, edge)
    paper.add_text(corner, theme.packed(theme.TEXT), words)
