"""What is replaced in a file, range by range: old and new bytes side by side."""

from __future__ import annotations

from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.formats.splice import Splice, Splices
from viewer.translation import _
from viewer.ui.fields.hex_view import offset_text
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import counted
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import copy_menu, text

LENGTHS: Final = (16, 8, 4)
"""How many old bytes a line may have, and as many new ones."""
_GAP: Final = 2.2
"""Between old and new bytes, font heights."""


class RangeLines:
    """The lines of all ranges one after the other: a head for each, then its bytes.

    Parameters
    ----------
    length
        Old, and new, bytes in a line.
    """

    def __init__(self, ranges: Splices, length: int) -> None:
        self._ranges = ranges
        self._length = length
        longest = np.array([max(len(it.before), len(it.after)) for it in ranges], np.int64)
        self._starts = np.concatenate([[0], np.cumsum(1 - (-longest // length))])

    def __len__(self) -> int:
        return int(self._starts[-1])

    def line(self, number: int) -> tuple[int, int | None]:
        """Return the index of a line's range, and the first byte of the line in it; None for the head."""
        index = int(np.searchsorted(self._starts, number, side="right")) - 1
        inside = number - int(self._starts[index])
        return index, (inside - 1) * self._length if inside else None

    def head(self, index: int) -> int:
        """Return the line of the head of a range."""
        return int(self._starts[index])

    def nearest(self, offset: int) -> int:
        """Return the line of the head of the range at an offset, or before it, or the first one."""
        offsets = [it.offset for it in self._ranges]
        return self.head(max(int(np.searchsorted(offsets, offset, side="right")) - 1, 0))


class ByteRanges:
    """Draws the lines on screen; owner: a window."""

    def __init__(self) -> None:
        self._made_of: tuple[object, int] = (None, 0)
        self._lines = RangeLines((), 1)
        self._asked: int | None = None

    def reveal(self, offset: int) -> None:
        """Bring the range at an offset into view, or the one before it."""
        self._asked = offset

    def draw(self, ranges: Splices, size: int) -> None:
        """Draw ranges of a file of `size` bytes in the rest of the window."""
        digits = imgui.calc_text_size("00").x + theme.em(0.35)
        length = line_length(imgui.get_content_region_avail().x, digits)
        if (ranges, length) != self._made_of:
            self._made_of, self._lines = (ranges, length), RangeLines(ranges, length)
        asked, self._asked = self._asked, None
        for number in rows_on_screen(len(self._lines), None if asked is None else self._lines.nearest(asked)):
            index, start = self._lines.line(number)
            if start is None:
                _draw_head(ranges[index], index, size)
            else:
                _draw_line(ranges[index], start, length, digits)


def line_length(room: float, digits: float) -> int:
    """Return how many old bytes, and new ones, fit into a line; `digits` is the width of one."""
    fitting = (length for length in LENGTHS if theme.em(1 + _GAP) + 2 * length * digits <= room)
    return next(fitting, LENGTHS[-1])


def _draw_head(splice: Splice, index: int, size: int) -> None:
    text(f"0x{offset_text(splice.offset, size).upper()}", theme.ACCENT)
    copy_menu(f"range{index}", f"{splice.offset:#x}: {splice.before.hex(' ')} -> {splice.after.hex(' ')}")
    imgui.same_line(0, theme.em(0.8))
    text(length_text(splice), theme.DIM)


def length_text(splice: Splice) -> str:
    """Say how long a range is, or how much longer or shorter it gets."""
    old, new = len(splice.before), len(splice.after)
    if old == new:
        return counted(new, "{count} byte", "{count} bytes")
    if not old:
        return counted(new, "{count} byte inserted", "{count} bytes inserted")
    if not new:
        return counted(old, "{count} byte removed", "{count} bytes removed")
    return _("{old} bytes become {new}").format(old=old, new=new)


def _draw_line(splice: Splice, start: int, length: int, digits: float) -> None:
    """Draw old bytes and, after an arrow, new ones; those that differ in the colors of old and new."""
    corner = imgui.get_cursor_screen_pos()
    imgui.dummy(ImVec2(1, imgui.get_text_line_height()))
    left = corner.x + theme.em(1)
    right = left + length * digits + theme.em(_GAP)
    old, new = splice.before[start : start + length], splice.after[start : start + length]
    _draw_bytes(ImVec2(left, corner.y), old, new, digits, theme.ERROR)
    _draw_bytes(ImVec2(right, corner.y), new, old, digits, theme.GOOD)
    arrow = ImVec2(right - theme.em(_GAP * 0.8), corner.y)
    imgui.get_window_draw_list().add_text(arrow, theme.packed(theme.FAINT), fa.ICON_FA_ARROW_RIGHT)


def _draw_bytes(corner: ImVec2, shown: bytes, other: bytes, digits: float, color: Color) -> None:
    painter = imgui.get_window_draw_list()
    for index, byte in enumerate(shown):
        is_same = index < len(other) and other[index] == byte
        place = ImVec2(corner.x + index * digits, corner.y)
        painter.add_text(place, theme.packed(theme.DIM if is_same else color), f"{byte:02x}")
