"""The light of the Display panel: look, scene color, lights, and the sky that they are of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from imgui_bundle import imgui
from msgspec.structs import replace

from viewer.model.game.skies import sky_title
from viewer.model.sky.clock import LAST_HOUR, clock
from viewer.model.store.address import Address
from viewer.options import option_at
from viewer.session.view.options.lighting import (
    GAME_DAY,
    OF_LIGHTS,
    OF_LOOK,
    OF_SKY,
    ChosenSky,
    LightKind,
    Look,
)
from viewer.session.view.view_state import ViewState
from viewer.translation import Text, _
from viewer.ui.context import UiContext
from viewer.ui.display.option_controls import draw_options
from viewer.ui.display.rows import SLIDER, choices, continue_row
from viewer.ui.widgets import controls
from viewer.ui.widgets.controls import row_label
from viewer.ui.widgets.widgets import text, tooltip

PRESETS: Final[tuple[tuple[str, Text, float | None], ...]] = (
    ("default", _("Default"), None),
    ("game_day", _("Game day"), GAME_DAY),
)
"""Id, title and value of the scene colors to choose from; None is that of the lights."""
SCENE_HINT: Final = (
    _("No surface is darker than its texture in this light; a color of the sky in the game."),
    _("By default the engine's own without a sky; what it is in the constructor is not known."),
)
_KIND: Final = option_at(ViewState, "lighting.kind")


def draw_light(frame: UiContext) -> None:
    """Draw the Light section of the Display panel."""
    draw_options(frame, OF_LOOK)
    imgui.begin_disabled(frame.view.lighting.look is not Look.GAME)
    row_label(_("scene"))
    _draw_scene(frame)
    _draw_lights(frame)
    imgui.end_disabled()


def _draw_scene(frame: UiContext) -> None:
    imgui.set_next_item_width(-1)
    flags = imgui.SliderFlags_.always_clamp
    light = frame.view.lighting
    words = str(_("of the sky")) if light.scene is None and light.kind is LightKind.SKY else "%.3f"
    changed, scene = imgui.slider_float("###scene", max(light.scene_color), 0.0, 1.0, words, flags)
    tooltip([str(line) for line in SCENE_HINT])
    if changed:
        _change(frame, scene=scene)
    row_label("")
    for number, (key, title, value) in enumerate(PRESETS):
        if number:
            padding = 2 * imgui.get_style().frame_padding.x
            continue_row(imgui.calc_text_size(str(title)).x + padding)
        if controls.small_button(title, key, "" if value is None else f"{value:.3f}"):
            _change(frame, scene=value)


def _draw_lights(frame: UiContext) -> None:
    lighting = frame.view.lighting
    draw_options(frame, OF_LIGHTS, _("lights"))
    row_label("")
    imgui.begin_disabled(not lighting.has_lights)
    obstacles = {LightKind.SKY: sky_obstacle(frame)}
    hints = {it.value: it.hint for it in _KIND.option.choices}
    for kind in choices(LightKind, lighting.kind, hints, "light_", obstacles):
        if kind is LightKind.SKY:
            use_sky(frame)
        else:
            _change(frame, kind=kind)
    if lighting.used_sky is not None:
        _draw_sky(frame, lighting.used_sky, _skies(frame))
    imgui.end_disabled()


def sky_obstacle(frame: UiContext) -> str:
    """Return why models cannot be lit with a sky; empty if they can."""
    return "" if _skies(frame) else frame.lookups.skies().problem or _("skies are being looked for")


def use_sky(frame: UiContext) -> None:
    """Light models with the sky that did so before, or with the first one there is."""
    if frame.view.lighting.sky is not None:
        _change(frame, kind=LightKind.SKY)
    else:
        frame.later(frame.control.skies.use, Address.parse(next(iter(_skies(frame)))))


def _skies(frame: UiContext) -> dict[str, str]:
    """The skies to choose from, that in use among them: what they are called by their address."""
    used = frame.view.lighting.sky
    names = {str(it): sky_title(it) for it in frame.lookups.skies().addresses}
    if used is not None and used.name not in names:
        names[used.name] = sky_title(Address.parse(used.name))
    return names


def _draw_sky(frame: UiContext, sky: ChosenSky, skies: Mapping[str, str]) -> None:
    """Draw the list of skies and the hour."""
    row_label(_("sky"))
    if len(skies) > 1:
        names, titles = [*skies], dict(enumerate(skies.values()))
        now = names.index(sky.name)
        chosen = controls.choose("###sky", titles, now, -1, prefix="sky")
        tooltip(sky.name)
        if chosen != now:
            frame.later(frame.control.skies.use, Address.parse(names[chosen]))
    else:
        text(skies[sky.name])
        tooltip(sky.name)
    row_label(_("hour"))
    imgui.set_next_item_width(-1)
    changed, hour = imgui.slider_float("###hour", sky.hour, 0.0, LAST_HOUR, clock(sky.hour), SLIDER)
    tooltip(_("Low certainty: brightening towards the sun is left out"))
    if changed:
        _change(frame, sky=replace(sky, hour=hour))
    draw_options(frame, OF_SKY, _("show"))


def _change(frame: UiContext, **fields: Any) -> None:
    frame.change(lambda view: replace(view, lighting=replace(view.lighting, **fields)))
