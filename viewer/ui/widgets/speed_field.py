"""The playback speed: a field to drag, or to type into."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from imgui_bundle import imgui

from viewer.session import timeline
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import tooltip

STEP: Final = 0.25
"""Frames per second for each pixel that the mouse is dragged."""
_HINT: Final = (
    "Speed, in frames per second",
    "Drag, or double-click to type; keys - and +.",
    "The game's own rate is unknown. Materials slow down with it.",
)


def draw_speed(frame: UiContext, width: float) -> None:
    """Draw the field, `width` in font heights."""
    imgui.set_next_item_width(theme.em(width))
    changed, speed = imgui.drag_float(
        "###speed",
        frame.view.speed,
        STEP,
        timeline.SLOWEST,
        timeline.FASTEST,
        "%.4g frames/s",
        imgui.SliderFlags_.always_clamp,
    )
    tooltip(_HINT)
    if changed:
        frame.change(lambda view: replace(view, speed=speed))
