"""Hex view: 16 bytes a row, fewer in a narrow panel."""

from __future__ import annotations

from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.translation import _
from viewer.ui.widgets import theme
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import copy_menu, empty, text

ROWS: Final = (16, 8, 4)
"""How many bytes a row may have."""
_PRINTABLE: Final = range(0x20, 0x7F)
_FLAGS = (
    imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.row_bg
    | imgui.TableFlags_.sizing_fixed_fit
    | imgui.TableFlags_.no_saved_settings
)


class HexView:
    """The bytes of one payload, one of which may be marked."""

    def __init__(self) -> None:
        self._marked: int | None = None
        self._is_revealing = False

    def reveal(self, offset: int) -> None:
        """Mark a byte, and bring it into view in the next frame."""
        self._marked, self._is_revealing = offset, True

    def draw(self, data: memoryview) -> None:
        """Draw the visible rows: offset, bytes, ASCII."""
        if not len(data):
            empty(_("It has no bytes."))
            return
        digit, gap = imgui.calc_text_size("0").x, 2 * imgui.get_style().cell_padding.x
        offset = len(offset_text(len(data), len(data)))
        room = imgui.get_content_region_avail()
        columns = row_length((room.x - imgui.get_style().scrollbar_size) / digit, gap / digit, offset)
        if not imgui.begin_table("##bytes", columns + 2, _FLAGS, ImVec2(0, room.y)):
            return
        imgui.table_setup_column("offset", imgui.TableColumnFlags_.width_fixed, offset * digit)
        for place in range(columns):
            imgui.table_setup_column(f"{place:x}", imgui.TableColumnFlags_.width_fixed, 2 * digit)
        # Rounded up: the last row may be short.
        for row in rows_on_screen(-(-len(data) // columns), self._row_to_show(columns)):
            self._draw_row(data, row * columns, columns)
        imgui.end_table()

    def _row_to_show(self, columns: int) -> int | None:
        is_asked, self._is_revealing = self._is_revealing, False
        return self._marked // columns if is_asked and self._marked is not None else None

    def _draw_row(self, data: memoryview, start: int, columns: int) -> None:
        row = bytes(data[start : start + columns])
        imgui.table_next_row()
        imgui.table_next_column()
        words = offset_text(start, len(data))
        text(words, theme.DIM)
        copy_menu(f"copy{words}", row.hex(" "))
        for offset, byte in enumerate(row, start):
            imgui.table_next_column()
            if offset == self._marked:
                imgui.table_set_bg_color(imgui.TableBgTarget_.cell_bg, theme.packed(theme.ACCENT, 0.5))
            text(f"{byte:02x}", theme.TEXT if byte else theme.FAINT)
        imgui.table_set_column_index(columns + 1)
        text(letters(row), theme.DIM)


def row_length(room: float, gap: float, offset: int) -> int:
    """Return the bytes per row, the fewest if none fits.

    Parameters
    ----------
    room, gap
        Width of a row, and the gap between columns, in widths of a digit.
    offset
        Digits of an offset.
    """
    # Two digits and one letter for each byte, and a gap after each column, the offset and the letters.
    return next((count for count in ROWS if offset + count * 3 + (count + 2) * gap <= room), ROWS[-1])


def offset_text(offset: int, size: int) -> str:
    """Return an offset in as many digits as those of `size` bytes take."""
    return f"{offset:0{max(4, len(f'{size:x}'))}x}"


def letters(row: bytes) -> str:
    """Return the printable letters of some bytes, a dot for each of the others."""
    return "".join(chr(byte) if byte in _PRINTABLE else "." for byte in row)
