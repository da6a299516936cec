"""The playback speed: a field to drag, or to type into."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from imgui_bundle import imgui

from viewer.session.view import timeline
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import tooltip

STEP: Final = 0.25
"""Frames per second for each pixel that the mouse is dragged."""
_HINT: Final = (
    Message("Playback speed, frames per second"),
    Message("Drag, or double-click to type. Keys: - and +"),
    Message("The game's frame rate is unknown. The speed of materials changes too."),
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
        _("%.4g frames/s"),
        imgui.SliderFlags_.always_clamp,
    )
    tooltip(map(str, _HINT))
    if changed:
        frame.change(lambda view: replace(view, speed=speed))
