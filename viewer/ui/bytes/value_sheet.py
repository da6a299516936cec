"""The values of the bytes at the cursor in every type, and the colors of the fields on screen."""

from __future__ import annotations

from collections.abc import Sequence
from colorsys import hls_to_rgb
from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.model.references.byte_fields import HUES, LegendLine
from viewer.model.references.byte_values import byte_values, text_at
from viewer.translation import _
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.table_grid import set_up_columns
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import copy_menu, cut, identified, text, tooltip

_FLAGS = imgui.TableFlags_.row_bg | imgui.TableFlags_.no_saved_settings | imgui.TableFlags_.borders_inner_v
_SQUARE: Final = 0.7
"""Side of the color of a field, font heights."""
_STEP: Final = 5
"""Neighboring fields are this many twelfths of the circle apart, so that they differ most."""
_FILLS: Final = (0.34, 0.22)
"""Opacity of fields in even and in odd rows."""


def _color(hue: int) -> Color:
    red, green, blue = hls_to_rgb(hue * _STEP % HUES / HUES + 0.57, 0.55, 0.6)
    return red, green, blue, 1.0


COLORS: Final = tuple(_color(hue) for hue in range(HUES))
SHADES: Final = {
    1 + stripe * HUES + hue: theme.exact(color, _FILLS[stripe])
    for stripe in range(2)
    for hue, color in enumerate(COLORS)
}
"""The packed color of each shade; bytes of no field have none."""


class ValueSheet:
    """Draws values; owner: a view."""

    def __init__(self) -> None:
        self._values = Cached(lambda data, offset: (byte_values(data, offset), text_at(data, offset)))

    def draw(self, data: memoryview, offset: int) -> None:
        """Draw the values at an offset in both byte orders, each of which can be copied."""
        window = bytes(data[offset : offset + 64])
        values, letters = self._values.of((window,), window, 0)
        if not imgui.begin_table("##values", 3, _FLAGS):
            return
        set_up_columns({_("Type"): 5.2, _("Little-endian"): -1, _("Big-endian"): -1}, has_headers=True)
        for value in values:
            with identified(value.name):
                _draw_row(value.name, value.little, value.big if value.size > 1 else "")
        with identified("text"):
            _draw_row("CP1251", letters, "")
        if window:
            with identified("bits"):
                _draw_row(_("bits"), f"{window[0]:08b}", "")
        imgui.end_table()


def _draw_row(name: str, little: str, big: str) -> None:
    imgui.table_next_row()
    imgui.table_next_column()
    text(name, theme.DIM)
    for number, words in enumerate((little, big)):
        imgui.table_next_column()
        if words:
            cut(words)
            copy_menu(f"copy{number}", words)


def draw_legend(lines: Sequence[LegendLine]) -> None:
    """Draw the colors of fields, the name of each table before its fields."""
    table = ""
    for line in lines:
        if line.table != table:
            table = line.table
            text(table, theme.DIM)
        if line.field:
            _draw_square(line.shade)
            imgui.same_line()
            text(line.field)
        elif line.shade:
            _draw_square(line.shade)
        if imgui.is_item_hovered():
            tooltip(f"{line.table}.{line.field}" if line.field else line.table)


def _draw_square(shade: int) -> None:
    side = theme.em(_SQUARE)
    corner = imgui.get_cursor_screen_pos()
    top = corner.y + (imgui.get_text_line_height() - side) / 2
    low, high = ImVec2(corner.x, top), ImVec2(corner.x + side, top + side)
    imgui.dummy(ImVec2(side, imgui.get_text_line_height()))
    color = theme.exact(COLORS[(shade - 1) % len(COLORS)], 0.8)
    imgui.get_window_draw_list().add_rect_filled(low, high, color, 2.0)
