"""Bytes as hexadecimal and text, sixteen to a row."""

from __future__ import annotations

from typing import Final

from imgui_bundle import imgui

from viewer.ui import theme
from viewer.ui.table_grid import rows_on_screen
from viewer.ui.widgets import copy_menu, empty, text

ROW: Final = 16
_PRINTABLE: Final = range(0x20, 0x7F)
_FLAGS = (
    imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.row_bg
    | imgui.TableFlags_.sizing_fixed_fit
    | imgui.TableFlags_.no_saved_settings
)


def draw_bytes(data: memoryview) -> None:
    """Draw the rows on screen: offset, bytes, and what they are as letters."""
    if not len(data):
        empty("It has no bytes.")
        return
    if not imgui.begin_table("##bytes", ROW + 2, _FLAGS, imgui.get_content_region_avail()):
        return
    imgui.table_setup_column("offset", imgui.TableColumnFlags_.width_fixed, theme.em(4))
    for place in range(ROW):
        imgui.table_setup_column(f"{place:x}", imgui.TableColumnFlags_.width_fixed, theme.em(1.2))
    for row in rows_on_screen(-(-len(data) // ROW)):
        _draw_row(row * ROW, bytes(data[row * ROW : (row + 1) * ROW]))
    imgui.end_table()


def _draw_row(offset: int, row: bytes) -> None:
    imgui.table_next_row()
    imgui.table_next_column()
    text(f"{offset:08x}", theme.DIM)
    copy_menu(f"copy{offset}", row.hex(" "))
    for byte in row:
        imgui.table_next_column()
        text(f"{byte:02x}", theme.TEXT if byte else theme.FAINT)
    imgui.table_set_column_index(ROW + 1)
    text(letters(row), theme.DIM)


def letters(row: bytes) -> str:
    """Return the printable letters of some bytes, a dot for each of the others."""
    return "".join(chr(byte) if byte in _PRINTABLE else "." for byte in row)
