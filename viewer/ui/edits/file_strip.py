"""A whole file as a strip, with the bytes that a save will change."""

from __future__ import annotations

from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui

from viewer.session.edits.save_sheet import SaveSheet
from viewer.translation import _
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import counted, size_text
from viewer.ui.widgets.widgets import text

HEIGHT: Final = 1.3
"""In font heights."""
LEAST: Final = 2.0
"""Width of the smallest mark, display pixels."""
_TRACK: Final = (0.09, 0.1, 0.115, 1.0)


class FileStrip:
    """Draws the strip; owner: a window."""

    def __init__(self) -> None:
        self._made_of: tuple[object, int] = (None, 0)
        self._marks: list[tuple[int, int]] = []

    def draw(self, sheet: SaveSheet) -> int | None:
        """Draw the strip as wide as the window; return the offset that was clicked."""
        corner, width = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
        height = theme.em(HEIGHT)
        is_clicked = imgui.invisible_button("###strip", ImVec2(max(width, 1.0), height))
        cells = max(int(width / LEAST), 1)
        if self._made_of != (sheet.ranges, cells):
            self._made_of = sheet.ranges, cells
            self._marks = runs(sheet, cells)
        painter = imgui.get_window_draw_list()
        end = ImVec2(corner.x + width, corner.y + height)
        painter.add_rect_filled(corner, end, theme.packed(_TRACK), theme.em(0.2))
        for first, stop in self._marks:
            start = ImVec2(corner.x + first * width / cells, corner.y)
            painter.add_rect_filled(
                start, ImVec2(corner.x + stop * width / cells, end.y), theme.packed(theme.UNSAVED)
            )
        _draw_scale(sheet)
        offset = int((imgui.get_mouse_pos().x - corner.x) / max(width, 1.0) * sheet.size_before)
        return offset if is_clicked else None


def _draw_scale(sheet: SaveSheet) -> None:
    """Draw the offsets of both ends of the file below the strip."""
    text("0", theme.FAINT)
    last = size_text(sheet.size_before)
    imgui.same_line()
    room = imgui.get_content_region_avail().x - imgui.calc_text_size(last).x
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + room)
    text(last, theme.FAINT)


def runs(sheet: SaveSheet, cells: int) -> list[tuple[int, int]]:
    """Return the first and the end of each run of cells with changed bytes."""
    edges = np.diff(np.concatenate([[False], sheet.touched(cells), [False]]).astype(np.int8))
    firsts, stops = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return list(zip(firsts.tolist(), stops.tolist(), strict=True))


def summary(sheet: SaveSheet) -> str:
    """Say how much of a file changes: ``3 ranges, 14 bytes; everything else identical``."""
    ranges = counted(len(sheet.ranges), "{count} range", "{count} ranges")
    touched = counted(sheet.byte_count, "{count} byte", "{count} bytes")
    return _("{ranges}, {bytes}; everything else identical").format(ranges=ranges, bytes=touched)


def growth_text(sheet: SaveSheet) -> str:
    """Say how much longer or shorter a file gets; empty if it keeps its size."""
    growth = sheet.size_after - sheet.size_before
    if growth > 0:
        return counted(growth, "{count} byte longer", "{count} bytes longer")
    if growth < 0:
        return counted(-growth, "{count} byte shorter", "{count} bytes shorter")
    return ""
