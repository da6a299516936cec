"""Fields that are colors: a swatch that opens a color picker."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from imgui_bundle import ImVec2, ImVec4, imgui

from viewer.formats.record import Field
from viewer.translation import _
from viewer.ui.widgets import theme
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import tooltip

SCALE: Final = 255
POPUP: Final = "##color"
WIDTH: Final = 13.0
"""Width of the picker, font heights."""


def is_color(field: Field) -> bool:
    """Tell whether a field is red, green and blue, a byte each."""
    return field.shape == (3,) and field.scale == SCALE


def color_of(value: Any) -> Color:
    """Return the color of a stored value."""
    red, green, blue = (np.asarray(value, np.float64) / SCALE).tolist()
    return red, green, blue, 1.0


def draw_swatch(name: str, color: Color) -> None:
    """Draw the color; a click opens the picker, which `draw_picker` draws."""
    side = imgui.get_text_line_height()
    flags = imgui.ColorEditFlags_.no_tooltip | imgui.ColorEditFlags_.no_drag_drop
    if imgui.color_button(f"##{name}", ImVec4(*color), int(flags), ImVec2(side * 1.4, side)):
        imgui.open_popup(POPUP)
    tooltip(_("Choose a color"))


def draw_picker(color: Color) -> tuple[int, int, int] | None:
    """Draw the picker while it is open; return the stored color that was chosen in this frame."""
    if not imgui.begin_popup(POPUP):
        return None
    imgui.set_next_item_width(theme.em(WIDTH))
    flags = imgui.ColorEditFlags_.no_side_preview | imgui.ColorEditFlags_.no_alpha
    is_changed, chosen = imgui.color_picker3("##picker", [*color[:3]], int(flags))
    imgui.end_popup()
    red, green, blue = (round(min(max(float(part), 0.0), 1.0) * SCALE) for part in chosen)
    return (red, green, blue) if is_changed else None
