"""Rows of bytes of any length, colored by field: only those on screen are formatted and drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from imgui_bundle import ImVec2, imgui
from msgspec import Struct

from viewer.model.references.byte_fields import Span
from viewer.ui.bytes.value_sheet import SHADES
from viewer.ui.widgets import theme
from viewer.ui.widgets.shapes import Colors, add_rects

ROWS: Final = (32, 16, 8, 4)
"""Numbers of bytes that a row may have."""
GROUP: Final = 8
"""Bytes between two wider gaps."""
NARROW: Final = 16
"""Bytes of a row below which the offsets in the file are not shown."""
WHEEL: Final = 3
"""Rows that a step of the wheel scrolls."""
SCROLLBAR, LEAST_GRAB = 0.8, 1.2
"""Width of the scroll bar, and the least height of what is dragged in it, font heights."""
MARKED, FOUND, CHANGED, DAMAGED, SELECTED = 1, 2, 4, 8, 16
"""States of bytes besides their field, as bits."""
_HEX: Final = {
    **{int(imgui.Key.a) + digit: 10 + digit for digit in range(6)},
    **{int(getattr(imgui.Key, f"_{digit}")): digit for digit in range(10)},
    **{int(imgui.Key.keypad0) + digit: digit for digit in range(10)},
}
"""The digit of each key."""
_LETTERS: Final = bytes(
    byte if byte >= 0x20 and byte not in {0x7F, 0x98, 0xA0, 0xAD} else 0x2E for byte in range(256)
)
_FOCUSED: Final = int(imgui.InputFlags_.route_focused) | int(imgui.InputFlags_.repeat)
_FILLS: Final = ((MARKED, theme.TEXT, 0.16), (FOUND, theme.WARNING, 0.5), (SELECTED, theme.SELECTION, 0.4))
_LINES: Final = ((MARKED, theme.ACCENT), (CHANGED, theme.UNSAVED), (DAMAGED, theme.ERROR))

Bits = npt.NDArray[np.uint8]


class HexRows(Struct, frozen=True):
    """The rows that a grid draws.

    Parameters
    ----------
    data
        The bytes.
    shades
        Gives the shade of each byte between two offsets.
    base
        The offset of the first byte in the file; None shows no offsets in the file.
    marks
        Ranges of bytes by what they are, in the order of their offsets.
    bookmarks
        Offsets with a bookmark.
    """

    data: memoryview
    shades: Callable[[int, int], npt.NDArray[np.uint8]]
    base: int | None = None
    marks: Sequence[tuple[int, Iterable[Span]]] = ()
    bookmarks: frozenset[int] = frozenset()


class HexInput(Struct):
    """The input of the user in one frame.

    Attributes
    ----------
    pointed
        The byte under the pointer.
    clicked
        The byte that was clicked, or that the cursor was moved to.
    is_menu
        Whether the menu of the byte under the pointer was asked for.
    written
        An offset, and the new byte there.
    """

    pointed: int | None = None
    clicked: int | None = None
    is_menu: bool = False
    written: tuple[int, int] | None = None


class _Layout(Struct):
    """Layout of a frame: sizes in display pixels, `top` is the first row on screen."""

    corner: ImVec2
    size: ImVec2
    letter: float
    height: float
    columns: int
    digits: int
    has_file: bool
    top: int = 0

    @property
    def rows(self) -> int:
        """Rows that fit below the ruler."""
        return max(1, int(self.size.y / self.height) - 1)

    @property
    def bytes_left(self) -> float:
        """Left edge of the bytes."""
        return self.corner.x + self.letter * ((self.digits + 2) * (2 if self.has_file else 1) + 1)

    @property
    def text_left(self) -> float:
        """Left edge of the letters."""
        return self.bytes_left + self.letter * (_column(self.columns) + 1)

    def corner_of(self, offset: int) -> ImVec2:
        """The upper left corner of the digits of a byte."""
        row, column = divmod(offset - self.top * self.columns, self.columns)
        left = self.bytes_left + self.letter * _column(column)
        return ImVec2(left, self.corner.y + self.height * (row + 1))

    def byte_at(self, x: float, y: float) -> int | None:
        """The byte at a point, in the digits or in the letters; it may lie after the last one."""
        row = int((y - self.corner.y) / self.height) - 1
        if y < self.corner.y + self.height:
            return None
        column = int((x - self.text_left) / self.letter)
        if x < self.text_left - self.letter:
            place = (x - self.bytes_left) / self.letter + 0.5
            column = next((it for it in range(self.columns) if place < _column(it) + 3), self.columns)
        inside = x >= self.bytes_left - self.letter and 0 <= column < self.columns
        return (self.top + row) * self.columns + column if inside else None


def _column(index: int) -> int:
    """Column of a byte in a row, in letters."""
    return 3 * index + index // GROUP


class HexGrid:
    """The rows of one payload, a cursor and a range; owner: a view.

    Attributes
    ----------
    cursor
        The byte at the cursor.
    is_editing
        Whether hexadecimal digits overwrite bytes.
    """

    def __init__(self) -> None:
        self.cursor = 0
        self.is_editing = False
        self._anchor = 0
        self._top = 0
        self._digit: int | None = None
        self._asked: int | None = None
        self._grabbed: float | None = None
        self._on_screen = (0, 0)
        self._layout: _Layout | None = None

    def reveal(self, offset: int) -> None:
        """Move the cursor to a byte, and bring it into view in the next frame."""
        self.move(offset)
        self._asked = offset

    def move(self, offset: int, *, is_range: bool = False) -> None:
        """Move the cursor; with `is_range` the bytes from where it was are selected."""
        self.cursor, self._digit = max(0, offset), None
        if not is_range:
            self._anchor = self.cursor

    def scroll_to(self, offset: int) -> None:
        """Bring a byte into view in the next frame, and leave the cursor."""
        self._asked = offset

    @property
    def on_screen(self) -> tuple[int, int]:
        """The first byte that was drawn last, and the end."""
        return self._on_screen

    @property
    def selected(self) -> Span:
        """The selected bytes, at least that at the cursor."""
        low, high = sorted((self.cursor, self._anchor))
        return low, high - low + 1

    def draw(self, rows: HexRows, size: ImVec2 | None = None) -> HexInput:
        """Draw the rows that fit, by default in all the room; return what the user did."""
        size = imgui.get_content_region_avail() if size is None else size
        done = HexInput()
        theme.push_mono()
        layout = self._lay_out(rows, size)
        imgui.invisible_button("##hex", ImVec2(max(1.0, size.x - theme.em(SCROLLBAR)), max(1.0, size.y)))
        is_hovered, is_active = imgui.is_item_hovered(), imgui.is_item_active()
        self._follow_mouse(rows, layout, done, is_hovered=is_hovered, is_active=is_active)
        self._handle_keys(rows, layout, done)
        self._scroll(rows, layout, is_hovered=is_hovered)
        self._layout, start = layout, layout.top * layout.columns
        self._on_screen = start, min(len(rows.data), start + layout.rows * layout.columns)
        _Painter(rows, layout, self).paint()
        imgui.pop_font()
        self._draw_scrollbar(rows, layout)
        return done

    def _lay_out(self, rows: HexRows, size: ImVec2) -> _Layout:
        letter, height = imgui.calc_text_size("0").x, imgui.get_text_line_height() + theme.em(0.15)
        has_file = bool(rows.base)
        digits = max(4, len(f"{len(rows.data) + (rows.base or 0):x}"))
        room = (size.x - theme.em(SCROLLBAR)) / letter - (digits + 2) * (2 if has_file else 1) - 3
        columns = next((it for it in ROWS if _column(it) + it <= room), ROWS[-1])
        if has_file and columns < NARROW:  # the offset in the file is left to the line above
            has_file, room = False, room + digits + 2
            columns = next((it for it in ROWS if _column(it) + it <= room), ROWS[-1])
        layout = _Layout(imgui.get_cursor_screen_pos(), size, letter, height, columns, digits, has_file)
        self._top = layout.top = min(self._top, self._last(rows, layout))
        return layout

    @staticmethod
    def _last(rows: HexRows, layout: _Layout) -> int:
        """The first row on screen when the end is in view."""
        return max(0, -(-len(rows.data) // layout.columns) - layout.rows)

    def _follow_mouse(
        self, rows: HexRows, layout: _Layout, done: HexInput, *, is_hovered: bool, is_active: bool
    ) -> None:
        if not (is_hovered or is_active):
            return
        mouse = imgui.get_mouse_pos()
        offset = layout.byte_at(mouse.x, mouse.y)
        if offset is None or not 0 <= offset < len(rows.data):
            return
        done.pointed = offset
        if imgui.is_mouse_clicked(imgui.MouseButton_.left) and is_hovered:
            self.move(offset, is_range=imgui.get_io().key_shift)
            done.clicked = offset
        elif is_active and imgui.is_mouse_dragging(imgui.MouseButton_.left):
            self.move(offset, is_range=True)
        if is_hovered and imgui.is_mouse_released(imgui.MouseButton_.right):
            start, count = self.selected
            if not start <= offset < start + count:
                self.move(offset)
            done.is_menu = True

    def _handle_keys(self, rows: HexRows, layout: _Layout, done: HexInput) -> None:
        page = layout.columns * layout.rows
        steps = (
            (imgui.Key.left_arrow, -1),
            (imgui.Key.right_arrow, 1),
            (imgui.Key.up_arrow, -layout.columns),
            (imgui.Key.down_arrow, layout.columns),
            (imgui.Key.page_up, -page),
            (imgui.Key.page_down, page),
        )
        for key, step in steps:
            for chord, is_range in ((int(key), False), (int(key) | int(imgui.Key.mod_shift), True)):
                if imgui.shortcut(chord, _FOCUSED):
                    moved = self.cursor + step
                    if 0 <= moved < len(rows.data):
                        self.move(moved, is_range=is_range)
                        self._asked = done.clicked = moved
        if self.is_editing:
            self._type(rows, done)

    def _type(self, rows: HexRows, done: HexInput) -> None:
        """Overwrite the byte at the cursor by two digits, and go on to the next."""
        for key, digit in _HEX.items():
            if not imgui.shortcut(key, int(imgui.InputFlags_.route_focused)):
                continue
            if self._digit is None:
                self._digit = digit
                return
            done.written = self.cursor, 16 * self._digit + digit
            self.move(min(self.cursor + 1, len(rows.data) - 1))
            self._asked = self.cursor
            return

    @property
    def typed(self) -> int | None:
        """The first digit of a byte that is being typed."""
        return self._digit

    def _scroll(self, rows: HexRows, layout: _Layout, *, is_hovered: bool) -> None:
        wheel = imgui.get_io().mouse_wheel
        if is_hovered and wheel:
            self._top -= round(wheel * WHEEL) or (-1 if wheel < 0 else 1)
        if self._asked is not None:
            row, self._asked = self._asked // layout.columns, None
            if not self._top <= row < self._top + layout.rows:
                self._top = row - layout.rows // 3
        self._top = layout.top = max(0, min(self._top, self._last(rows, layout)))

    def _draw_scrollbar(self, rows: HexRows, layout: _Layout) -> None:
        """Draw the bar and follow it; that of ImGui counts in pixels, too many of a long payload."""
        last = self._last(rows, layout)
        imgui.same_line(0, 0)
        corner, height = imgui.get_cursor_screen_pos(), layout.size.y
        imgui.invisible_button("##scroll", ImVec2(theme.em(SCROLLBAR), max(1.0, height)))
        if not last:
            return
        grab = max(theme.em(LEAST_GRAB), height * layout.rows / (last + layout.rows))
        way = max(1.0, height - grab)
        start = corner.y + way * self._top / last
        mouse = imgui.get_mouse_pos().y
        if imgui.is_item_activated():
            self._grabbed = mouse - start if start <= mouse <= start + grab else grab / 2
        if imgui.is_item_active() and self._grabbed is not None:
            self._top = max(0, min(last, round((mouse - self._grabbed - corner.y) / way * last)))
            start = corner.y + way * self._top / last
        color = imgui.Col_.scrollbar_grab_hovered if imgui.is_item_hovered() else imgui.Col_.scrollbar_grab
        low, high = ImVec2(corner.x + 2, start), ImVec2(corner.x + theme.em(SCROLLBAR) - 2, start + grab)
        imgui.get_window_draw_list().add_rect_filled(low, high, imgui.get_color_u32(color), theme.em(0.3))


def _digits(data: bytes, columns: int) -> str:
    """The digits of rows of bytes, each row as wide as a whole one, without separators between rows."""
    rows = -(-len(data) // columns)
    letters = np.full((rows * columns, 2), 0x20, np.uint8)
    letters[: len(data)] = np.frombuffer(data.hex().encode(), np.uint8).reshape(-1, 2)
    result = np.full((rows, _column(columns) - 1), 0x20, np.uint8)
    at = np.array([_column(index) for index in range(columns)])
    for digit in range(2):
        result[:, at + digit] = letters[:, digit].reshape(rows, columns)
    return result.tobytes().decode()


def _only(value: int, color: int) -> Colors:
    """The colors of `_Painter._fill` in which one value has one."""
    colors = np.zeros(256, np.uint32)
    colors[value] = color
    return colors


_SHADE_COLORS: Final[Colors] = np.array([SHADES.get(value, 0) for value in range(256)], np.uint32)


class _Painter:
    """Draws the rows of one frame."""

    def __init__(self, rows: HexRows, layout: _Layout, grid: HexGrid) -> None:
        self._rows = rows
        self._layout = layout
        self._grid = grid
        self._list = imgui.get_window_draw_list()
        self._start, self._end = grid.on_screen

    def paint(self) -> None:
        """Draw the ruler and the rows."""
        layout = self._layout
        end = ImVec2(layout.corner.x + layout.size.x, layout.corner.y + layout.size.y)
        self._list.push_clip_rect(layout.corner, end, True)
        self._paint_ruler()
        self._fill(self._rows.shades(self._start, self._end), _SHADE_COLORS)
        self._paint_marks()
        self._paint_rows()
        self._paint_cursor()
        self._list.pop_clip_rect()

    def _paint_ruler(self) -> None:
        layout, color = self._layout, theme.packed(theme.FAINT)
        for index in range(layout.columns):
            place = ImVec2(layout.bytes_left + layout.letter * _column(index), layout.corner.y)
            self._list.add_text(place, color, f"{index:02x}")

    def _paint_rows(self) -> None:
        layout, rows, painter = self._layout, self._rows, self._list
        shown = bytes(rows.data[self._start : self._end])
        digits, words = _digits(shown, layout.columns), shown.translate(_LETTERS).decode("cp1251")
        dim, bright, faint = (theme.packed(color) for color in (theme.DIM, theme.TEXT, theme.FAINT))
        booked = {(it - self._start) // layout.columns for it in rows.bookmarks}
        width, left, text_left = _column(layout.columns) - 1, layout.bytes_left, layout.text_left
        file_left = layout.corner.x + layout.letter * (layout.digits + 2)
        for row, first in enumerate(range(0, len(shown), layout.columns)):
            offset, y = self._start + first, layout.corner.y + layout.height * (row + 1)
            color = theme.packed(theme.SELECTION) if row in booked else dim
            painter.add_text((layout.corner.x, y), color, f"{offset:0{layout.digits}x}")
            if layout.has_file:
                in_file = f"{offset + (rows.base or 0):0{layout.digits}x}"
                painter.add_text((file_left, y), faint, in_file)
            painter.add_text((left, y), bright, digits[row * width : (row + 1) * width])
            painter.add_text((text_left, y), dim, words[first : first + layout.columns])

    def _paint_marks(self) -> None:
        bits = np.zeros(self._end - self._start, np.uint8)
        selected = () if self._grid.selected[1] == 1 else (self._grid.selected,)
        for bit, spans in (*self._rows.marks, (SELECTED, selected)):
            for start, size in spans:
                if start < self._end and start + size > self._start:
                    bits[max(0, start - self._start) : max(0, start + size - self._start)] |= bit
        for bit, color, alpha in _FILLS:
            self._fill(bits & np.uint8(bit), _only(bit, theme.packed(color, alpha)))
        for bit, color in _LINES:
            self._fill(bits & np.uint8(bit), _only(bit, theme.packed(color)), is_line=True)

    def _fill(self, values: Bits, colors: Colors, *, is_line: bool = False) -> None:
        """Fill runs of equal values that have a color, in the digits and in the letters.

        `colors` is the packed color of each value, (256,); 0 for none.
        """
        if not values.any():
            return
        layout = self._layout
        is_start = np.append(True, values[1:] != values[:-1]) | (np.arange(len(values)) % layout.columns == 0)
        starts = np.flatnonzero(is_start)
        ends, color = np.append(starts[1:], len(values)), colors[values[starts]]
        has_color = color != 0
        starts, ends, color = starts[has_color], ends[has_color], color[has_color]
        rows, first = np.divmod(starts, layout.columns)
        last = (first + ends - starts - 1).astype(np.float64)
        bottom = layout.corner.y + layout.height * (rows + 2.0)
        top = bottom - (2 if is_line else layout.height)
        half = layout.letter * 0.4
        left = layout.bytes_left - half + layout.letter * (3.0 * first + first // GROUP)
        right = layout.bytes_left + half + layout.letter * (3.0 * last + last // GROUP + 2)
        from_letters = layout.text_left + layout.letter * (first + 0.0)
        to_letters = layout.text_left + layout.letter * (last + 1.0)
        left, right = np.append(left, from_letters), np.append(right, to_letters)
        add_rects(self._list, left, np.tile(top, 2), right, np.tile(bottom, 2), np.tile(color, 2))

    def _paint_cursor(self) -> None:
        layout, cursor = self._layout, self._grid.cursor
        if not self._start <= cursor < self._end:
            return
        corner = layout.corner_of(cursor)
        left, y = corner.x, corner.y
        color = theme.packed(theme.UNSAVED if self._grid.is_editing else theme.SELECTION)
        low, high = ImVec2(left - 2, y), ImVec2(left + 2 * layout.letter + 2, y + layout.height)
        self._list.add_rect(low, high, color, 2.0)
        if self._grid.typed is not None:
            self._list.add_rect_filled(low, high, theme.packed(theme.INK))
            self._list.add_text(ImVec2(left, y), theme.packed(theme.UNSAVED), f"{self._grid.typed:x}_")
