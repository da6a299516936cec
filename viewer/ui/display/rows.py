"""Rows of the display panel: a label and what stands next to it, or below it where there is no room."""

from __future__ import annotations

from typing import Final

from imgui_bundle import imgui

from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import labeled, text

LABELS: Final = 5.0
"""Width of the labels, font heights."""
LEAST: Final = 14.0
"""Least width of a panel that has labels and values side by side, font heights."""


def row_label(words: str) -> None:
    """Draw the label of a row, and continue next to it; in a narrow panel below it."""
    is_wide = imgui.get_content_region_avail().x >= theme.em(LEAST)
    if is_wide:
        imgui.align_text_to_frame_padding()
    if is_wide or words:
        text(words, theme.DIM)
    if is_wide:
        imgui.same_line(theme.em(LABELS))


def continue_row(width: float) -> None:
    """Continue next to the item before if a width has room there, in pixels, else in the next line."""
    imgui.same_line()
    if imgui.get_content_region_avail().x < width:
        imgui.new_line()
        row_label("")


def choice(words: str, key: str, *, is_on: bool, is_first: bool) -> bool:
    """Draw one of the choices of a row; return whether it was clicked."""
    if not is_first:
        gap = imgui.get_style().item_inner_spacing.x
        continue_row(imgui.get_frame_height() + gap + imgui.calc_text_size(words).x)
    return imgui.radio_button(labeled(words, key), is_on)
