"""The section about light: the look, the scene color, the lights."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from imgui_bundle import imgui

from viewer.session.view.lighting import GAME_DAY, SCENE, Look
from viewer.session.view.view_state import ViewState
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.display.parts import choice, continue_row, row_label
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.widgets import labeled, tooltip

PRESETS: Final = (
    ("default", Message("Default"), SCENE),
    ("game_day", Message("Game day"), GAME_DAY),
)
"""Id, title and value of the scene colors to choose from."""
HINTS: Final = {
    Look.GAME: Message("Light and blending as the game computes them"),
    Look.PLAIN: Message("The display model of earlier versions: a lamp, highlights, alpha as gloss"),
}


def draw(frame: UiContext) -> None:
    """Draw the section."""
    row_label(_("look"))
    _draw_looks(frame)
    imgui.begin_disabled(frame.view.lighting.look is not Look.GAME)
    row_label(_("scene"))
    _draw_scene(frame)
    row_label(_("lights"))
    _draw_lights(frame)
    imgui.end_disabled()


def _draw_looks(frame: UiContext) -> None:
    for number, look in enumerate(Look):
        is_on = frame.view.lighting.look is look
        if choice(name_of(look), look.value, is_on=is_on, is_first=not number):
            _change(frame, look=look)
        tooltip(str(HINTS[look]))


def _draw_scene(frame: UiContext) -> None:
    imgui.set_next_item_width(-1)
    flags = imgui.SliderFlags_.always_clamp
    changed, scene = imgui.slider_float("###scene", frame.view.lighting.scene, 0.0, 1.0, "%.3f", flags)
    tooltip(_("The grey light that reaches every surface; a color of the sky in the game"))
    if changed:
        _change(frame, scene=scene)
    row_label("")
    for number, (key, title, value) in enumerate(PRESETS):
        if number:
            padding = 2 * imgui.get_style().frame_padding.x
            continue_row(imgui.calc_text_size(str(title)).x + padding)
        if imgui.small_button(labeled(str(title), key)):
            _change(frame, scene=value)
        tooltip(f"{value:.3f}")


def _draw_lights(frame: UiContext) -> None:
    lighting = frame.view.lighting
    changed, is_on = imgui.checkbox(labeled(_("Sun, counter light"), "lights"), lighting.has_lights)
    if changed:
        _change(frame, has_lights=is_on)
    row_label("")
    imgui.begin_disabled(not lighting.has_lights)
    changed, is_on = imgui.checkbox(labeled(_("Head light"), "head_light"), lighting.has_head_light)
    tooltip(_("Another light, from the camera"))
    if changed:
        _change(frame, has_head_light=is_on)
    imgui.end_disabled()


def _change(frame: UiContext, **fields: Any) -> None:
    def change(view: ViewState) -> ViewState:
        return replace(view, lighting=replace(view.lighting, **fields))

    frame.change(change)
