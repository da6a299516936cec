"""The machinery of a model or a unit: its switch, and the speed and the turn that drive it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from imgui_bundle import imgui
from msgspec.structs import replace

from viewer.formats.neighbors.component import AT_REST, MAST, ControllerComponent
from viewer.session.play.machinery import MOST_SPEED, MOST_TURN
from viewer.session.play.stage import documents_of, with_motion
from viewer.translation import Text, _
from viewer.ui.context import UiContext
from viewer.ui.display.option_controls import draw_option
from viewer.ui.widgets import theme
from viewer.ui.widgets.controls import row_label
from viewer.ui.widgets.widgets import text, tooltip

OPEN_MAST: Final = _(
    "A mast goes up and down as its file is read; in the game it was seen to come up once and stay: open."
)


def draw_machinery(frame: UiContext) -> None:
    """Draw the switch, and sliders if components drive anything by the speed or the turn."""
    is_on = frame.view.playback.machinery.is_on
    row_label(_("machinery"))
    components = [*_turning(frame)]
    has_mast = any(it.number == MAST and it.turns for it in components)
    draw_option(frame, "playback.machinery.is_on", *([OPEN_MAST] if has_mast else []))
    if not any(it.takes_motion for it in components):
        return
    imgui.begin_disabled(not is_on)
    motion = frame.view.playback.machinery.motion
    row_label(_("speed"))
    speed = _draw_slider("speed", motion.speed, MOST_SPEED, _("%+.2f of top speed"), SPEED_HINT)
    row_label(_("turn"))
    turn = _draw_slider("turn", motion.turn, MOST_TURN, _("%+.2f rad/s"), TURN_HINT)
    imgui.end_disabled()
    given = replace(motion, speed=speed, turn=turn)
    stage = frame.state.stage
    if given != motion and stage is not None:
        frame.change(partial(with_motion, stage=stage, motion=given))
    if motion != AT_REST and not frame.view.is_playing:
        row_label("")
        text(_("paused: Space plays"), theme.DIM)


SPEED_HINT: Final = _("Speed forward, a share of the top speed: it drives wheels, belts and wings.")
TURN_HINT: Final = _("Turn to the left: belts and wheels of both sides run apart.")
FAST_HINT: Final = _(
    "At more than 1.11 times its rate the game turns a wheel the short way round between its steps, as read "
    "in its code: not imitated."
)


def _draw_slider(name: str, value: float, most: float, words: str, hint: Text) -> float:
    imgui.set_next_item_width(-1)
    flags = imgui.SliderFlags_.always_clamp
    changed, moved = imgui.slider_float(f"###{name}", value, -most, most, words, flags)
    tooltip(lambda: (str(hint), str(FAST_HINT), _("Ctrl+click: type a value; double-click: 0")))
    if imgui.is_item_hovered() and imgui.is_mouse_double_clicked(0):
        return 0.0
    # Near the middle it stands: nobody hits 0 with the mouse.
    return (0.0 if abs(moved) < most * _NEAR_ZERO else moved) if changed else value


_NEAR_ZERO: Final = 0.02


def _turning(frame: UiContext) -> Iterator[ControllerComponent]:
    """The components of what is shown that drive channels by themselves."""
    for document in documents_of(frame.state.stage):
        yield from (it.component for it in document.controller.drives)
