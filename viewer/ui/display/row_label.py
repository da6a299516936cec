"""The label of a row of the display panel."""

from __future__ import annotations

from typing import Final

from imgui_bundle import imgui

from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import text

ROOM: Final = 5.0
"""Width of the labels, font heights."""


def row_label(words: str) -> None:
    """Draw the label of a row, and continue next to it."""
    imgui.align_text_to_frame_padding()
    text(words, theme.DIM)
    imgui.same_line(theme.em(ROOM))
