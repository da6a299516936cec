"""A part of a texture on screen: places of its pixels, what shows through them, grid, page rectangles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from math import ceil, floor
from typing import Final

import numpy as np
import numpy.typing as npt
from imgui_bundle import ImVec2, imgui
from msgspec import Struct

from viewer.formats.record import Rows
from viewer.ui.widgets import theme

CHECK: Final = 10.0
"""Side of a square of the checkerboard behind transparent pixels, ImGui units."""
MOST_PAGES: Final = 1000
"""Rectangles that are drawn at once."""
_LIGHT, _DARK = (0.46, 0.46, 0.48, 1.0), (0.34, 0.34, 0.36, 1.0)
_LINES: Final = ((0.0, (0.0, 0.0, 0.0, 0.35)), (1.0, (1.0, 1.0, 1.0, 0.18)))
"""Offset and color of the two lines of an outline, one of them visible on any background."""


class TextureViewport(Struct, frozen=True):
    """Position of a texture on screen, and the frame that clips it."""

    left: float
    top: float
    zoom: float
    width: int
    height: int
    frame_min: ImVec2
    frame_max: ImVec2

    def pixel(self, point: ImVec2) -> tuple[int, int] | None:
        """Return the column and row at a point on screen, None outside the texture."""
        x, y = floor((point.x - self.left) / self.zoom), floor((point.y - self.top) / self.zoom)
        return (x, y) if 0 <= x < self.width and 0 <= y < self.height else None

    def place(self, x: float, y: float) -> ImVec2:
        """Return the screen position of the corner of a pixel."""
        return ImVec2(self.left + x * self.zoom, self.top + y * self.zoom)

    @property
    def seen(self) -> tuple[ImVec2, ImVec2]:
        """The part of the frame that the texture covers: two corners on screen."""
        start, end = self.place(0, 0), self.place(self.width, self.height)
        return (
            ImVec2(max(start.x, self.frame_min.x), max(start.y, self.frame_min.y)),
            ImVec2(min(end.x, self.frame_max.x), min(end.y, self.frame_max.y)),
        )


def draw_board(paper: imgui.ImDrawList, start: ImVec2, end: ImVec2) -> None:
    """Draw the board that shows through: a dark ground with light fields on it."""
    paper.add_rect_filled(start, end, theme.packed(_DARK))
    light = theme.packed(_LIGHT)
    for row in range(max(0, ceil((end.y - start.y) / CHECK))):
        top = start.y + row * CHECK
        # Every other field, shifted by one in every other row.
        for column in range(row % 2, max(0, ceil((end.x - start.x) / CHECK)), 2):
            left = start.x + column * CHECK
            corner = ImVec2(min(left + CHECK, end.x), min(top + CHECK, end.y))
            paper.add_rect_filled(ImVec2(left, top), corner, light)


def draw_grid(paper: imgui.ImDrawList, sight: TextureViewport) -> None:
    """Draw lines between the pixels in sight."""
    start, end = sight.seen
    columns, rows = (
        range(ceil((first - origin) / sight.zoom), floor((last - origin) / sight.zoom) + 1)
        for first, last, origin in ((start.x, end.x, sight.left), (start.y, end.y, sight.top))
    )
    for offset, color in _LINES:
        line = theme.packed(color)
        for column in columns:
            x = sight.left + column * sight.zoom + offset
            paper.add_line(ImVec2(x, start.y), ImVec2(x, end.y), line)
        for row in rows:
            y = sight.top + row * sight.zoom + offset
            paper.add_line(ImVec2(start.x, y), ImVec2(end.x, y), line)


def draw_pages(
    paper: imgui.ImDrawList, pages: Rows, level: int, sight: TextureViewport, pointed: Collection[int]
) -> None:
    """Draw the rectangles in sight with their numbers, those that are pointed at with thicker lines."""
    corners = page_corners(pages, level, sight)
    labels: Counter[tuple[float, float]] = Counter()
    for number in in_sight(corners, sight):
        left, top, right, bottom = corners[number].tolist()
        thickness = theme.em(0.16 if number in pointed else 0.07)
        color = theme.packed(theme.SELECTION)
        paper.add_rect(ImVec2(left, top), ImVec2(right, bottom), color, thickness=thickness)
        size = imgui.calc_text_size(str(number))
        width = size.x + theme.em(0.4)
        if number in pointed or (right - left > width and bottom - top > size.y):
            place = max(left, sight.frame_min.x), max(top, sight.frame_min.y)
            # Rectangles with the same corner have their numbers next to each other.
            corner = ImVec2(place[0] + labels[place] * (width + 1), place[1])
            labels[place] += 1
            paper.add_rect_filled(corner, ImVec2(corner.x + width, corner.y + size.y), color)
            paper.add_text(ImVec2(corner.x + theme.em(0.2), corner.y), theme.packed(theme.INK), str(number))


def page_corners(pages: Rows, level: int, sight: TextureViewport) -> npt.NDArray[np.float64]:
    """Return left, top, right and bottom of each rectangle on screen, (n, 4)."""
    scale = sight.zoom * 2.0**-level
    x, y, w, h = (pages[name].astype(np.float64) * scale for name in "xywh")
    return np.stack((sight.left + x, sight.top + y, sight.left + x + w, sight.top + y + h), axis=1)


def in_sight(corners: npt.NDArray[np.float64], sight: TextureViewport) -> list[int]:
    """Return the numbers of the rectangles that touch the frame, of very many the first."""
    left, top, right, bottom = corners.T
    # Width and height may be negative in a file.
    is_seen = (np.maximum(left, right) >= sight.frame_min.x) & (np.minimum(left, right) <= sight.frame_max.x)
    is_seen &= (np.maximum(top, bottom) >= sight.frame_min.y) & (np.minimum(top, bottom) <= sight.frame_max.y)
    numbers: list[int] = np.flatnonzero(is_seen)[:MOST_PAGES].tolist()
    return numbers
