"""The playback speed: a field to drag, or to type into."""

from __future__ import annotations

from typing import Final

from imgui_bundle import imgui
from msgspec.structs import replace

from viewer.model.clips.clip import FRAME_RATE
from viewer.session.play.playback import FASTEST, SLOWEST
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import tooltip

STEP: Final = 0.25
"""Frames per second for each pixel that the mouse is dragged."""
_HINT: Final = (
    _("Playback speed, frames per second"),
    _("Drag, or double-click to type. Keys: - and +"),
    _("The game's frame rate is unknown. The speed of materials changes too."),
)
_OWN_HINT: Final = (_("Speed; 1 is that of the game"), _("Drag, or double-click to type. Keys: - and +"))
_CLIP_HINT: Final = (
    _("Speed of the clip; 1 is the time that its controller states"),
    _("Drag, or double-click to type. Keys: - and +"),
    _("The speed of materials changes too."),
)


def draw_speed(frame: UiContext, width: float, *, has_own_time: bool = False) -> None:
    """Draw the field, `width` in font heights; of what has its own time, as a clip, the factor of that."""
    is_clip = has_own_time or frame.view.playback.clip is not None
    unit = FRAME_RATE if is_clip else 1.0
    imgui.set_next_item_width(theme.em(width))
    changed, speed = imgui.drag_float(
        "###speed",
        frame.view.speed / unit,
        STEP / unit,
        SLOWEST / unit,
        FASTEST / unit,
        _("%.2f x") if is_clip else _("%.4g frames/s"),
        imgui.SliderFlags_.always_clamp,
    )
    tooltip(map(str, _OWN_HINT if has_own_time else _CLIP_HINT if is_clip else _HINT))
    if changed:
        frame.change(lambda view: replace(view, speed=speed * unit))
