"""Controls of the effect of a stage: time, seed, mode, strength, size, axes, eye, our own choices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui
from msgspec.structs import replace

from viewer.formats.fxid import HEADER, TIME_MODES, Effect
from viewer.model.effects.blocks import BOLT, SOUND, STREAM
from viewer.model.effects.clock import EffectFlag
from viewer.model.effects.moment import EffectMoment
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.options import option_at
from viewer.session.field_text import counted
from viewer.session.play import timeline
from viewer.session.play.effect_play import counts
from viewer.session.play.playback import EffectSettings, Point
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.view_state import ViewState, toggle_overlay
from viewer.translation import Text, _, translated
from viewer.ui.context import UiContext
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.input.speed_field import draw_speed
from viewer.ui.widgets.widgets import icon_button, labeled, text, tooltip

LARGEST_SIZE: Final = 100.0
WIDTH: Final = 10.0
"""Width of a control, in font heights."""
OUTSIDE: Final = {
    0: _("value from outside"), 4: _("value of the node"), 5: _("speed"), 6: _("speed along x"),
    7: _("speed along y"), 8: _("speed along z"), 9: _("spin"), 10: _("spin about x"), 11: _("spin about y"),
    12: _("spin about z"), 13: _("value of the attach point"), 14: _("life that is left"),
    15: _("speed or spin"), 16: _("value of the node"), 17: _("value of the node"),
}  # fmt: skip
"""Meaning of the strength in a time mode."""


def change_stage(frame: UiContext, change: Callable[[EffectSettings], EffectSettings]) -> None:
    """Change how the effect of the active tab plays."""

    def changed(view: ViewState) -> ViewState:
        return replace(view, playback=replace(view.playback, stage=change(view.playback.stage)))

    frame.change(changed)


def set_stage(frame: UiContext, **values: Any) -> None:
    """Set some of how the effect of the active tab plays."""
    change_stage(frame, lambda stage: replace(stage, **values))


def draw_controls(
    frame: UiContext,
    program: EffectProgram,
    moment: EffectMoment,
    seconds: float,
) -> None:
    """Draw all controls of the effect."""
    effect, stage = program.effect, frame.view.playback.stage
    _draw_transport(frame, program, stage)
    state = "" if moment.is_alive else _("deleted")
    now = _(
        "time t {time:.3f}   age lin {age:.3f}   {seconds:.2f} s",
        time=moment.time,
        age=moment.age,
        seconds=seconds,
    )
    drawn = counts(program, moment)
    shown = [row for row in range(len(drawn.sprites)) if row not in stage.hidden]
    particles, triangles = int(drawn.sprites[shown].sum()), int(drawn.triangles[shown].sum())
    text(f"{now}   {state}", theme.DIM)
    text(
        counted(particles, "{count} sprite", "{count} sprites")
        + ", "
        + counted(triangles, "{count} triangle", "{count} triangles"),
        theme.DIM,
    )
    _draw_seed(frame, stage)
    _draw_mode(frame, effect, stage)
    _draw_numbers(frame, effect, stage)


def _draw_transport(frame: UiContext, program: EffectProgram, stage: EffectSettings) -> None:
    effect, is_playing = program.effect, frame.view.is_playing
    icon = fa.ICON_FA_PAUSE if is_playing else fa.ICON_FA_PLAY
    if icon_button(icon, "play", _("Pause") if is_playing else _("Play"), is_on=is_playing):
        frame.change(lambda view: replace(view, is_playing=not is_playing))
    imgui.same_line(0, theme.em(0.2))
    if icon_button(fa.ICON_FA_BACKWARD_FAST, "restart", _("Start anew")):
        frame.change(lambda view: timeline.at(view, 0.0, past=0.0))
    imgui.same_line(0, theme.em(0.2))
    if icon_button(fa.ICON_FA_EXPAND, "frame", _("Show all of it")):
        frame.later(frame.control.camera.frame_all)
    imgui.same_line(0, theme.em(0.2))
    hint = _("Round the clock of the effect down to the game's 10 updates a second")
    if icon_button(fa.ICON_FA_STAIRS, "steps", hint, is_on=stage.has_steps):
        set_stage(frame, has_steps=not stage.has_steps)
    if program.tested_point(EffectInputs(0.0)) is not None:
        imgui.same_line(0, theme.em(0.2))
        is_shown = Overlay.TESTED_POINTS in frame.view.overlays
        if icon_button(fa.ICON_FA_DIAMOND, "tested_point", Overlay.TESTED_POINTS.doc.words, is_on=is_shown):
            frame.change(lambda view: toggle_overlay(view, Overlay.TESTED_POINTS))
    if (effect.opcodes == SOUND).any():
        imgui.same_line(0, theme.em(0.2))
        has_sound = frame.view.playback.has_sound
        icon = fa.ICON_FA_VOLUME_HIGH if has_sound else fa.ICON_FA_VOLUME_XMARK
        if icon_button(icon, "sound", _("Play sounds"), is_on=has_sound):
            frame.change(option_at(ViewState, "playback.has_sound").switched)
    imgui.same_line(0, theme.em(0.2))
    draw_speed(frame, 6.0, has_own_time=True)
    last = frame.state.axis.end
    imgui.set_next_item_width(-1)
    changed, time = imgui.slider_float("###scrubber", timeline.now(frame.view), 0.0, max(last, 1e-3), "")
    tooltip(_("Drag to go to another time of the round"))
    if changed:
        frame.change(lambda view: timeline.at(view, time, past=0.0, is_playing=False))


def _draw_seed(frame: UiContext, stage: EffectSettings) -> None:
    imgui.set_next_item_width(theme.em(7))
    changed, seed = imgui.input_int(_("seed"), stage.seed, 0)
    if changed:
        set_stage(frame, seed=seed & 0x7FFFFFFF)
    tooltip(_("The same seed gives the same picture; the game seeds from its clock"))
    imgui.same_line()
    if icon_button(fa.ICON_FA_DICE, "new_seed", _("Another seed")):
        set_stage(frame, seed=stage.seed % 0x7FFFFFFF + 1)
    imgui.same_line()
    hint = _(
        "Start the particles of a burst one after the other; our choice, as what the game does is not known"
    )
    if icon_button(fa.ICON_FA_ARROWS_LEFT_RIGHT, "spread", hint, is_on=stage.is_spread):
        set_stage(frame, is_spread=not stage.is_spread)


def _draw_mode(frame: UiContext, effect: Effect, stage: EffectSettings) -> None:
    own, chosen = int(effect.header["time_mode"]), stage.mode
    usual = _("mode {mode}: {name}", mode=own, name=Text.of(TIME_MODES.get(own, "?")))
    words = (
        usual if chosen is None else _("mode {mode}: {name}", mode=chosen, name=Text.of(TIME_MODES[chosen]))
    )
    imgui.set_next_item_width(-1)
    if imgui.begin_combo("###mode", words):
        if imgui.selectable(_("of the header: {words}", words=usual), chosen is None)[0]:
            set_stage(frame, mode=None)
        for mode, name in TIME_MODES.items():
            if imgui.selectable(f"{mode}: {translated(name)}###mode{mode}", chosen == mode)[0]:
                set_stage(frame, mode=mode)
        imgui.end_combo()
    tooltip(translated(HEADER.field("time_mode").doc))


def _draw_numbers(frame: UiContext, effect: Effect, stage: EffectSettings) -> None:
    driven = OUTSIDE.get(int(effect.header["time_mode"]) if stage.mode is None else stage.mode)
    if driven:
        imgui.set_next_item_width(theme.em(WIDTH))
        changed, strength = imgui.slider_float(f"{driven}###strength", stage.strength, 0.0, 1.0)
        if changed:
            set_stage(frame, strength=strength)
    imgui.set_next_item_width(theme.em(WIDTH))
    flags = imgui.SliderFlags_.logarithmic
    label = labeled(_("size"), "size")
    changed, size = imgui.slider_float(label, stage.size, 0.01, LARGEST_SIZE, "%.3g", flags)
    if changed:
        set_stage(frame, size=size)
    hint = _("Turn the effect about one direction, as on a control point; else it has the axes of the world")
    _draw_switched(frame, "direction", _("one direction"), stage.direction, (0.0, 0.0, 1.0), hint)
    hint = _("Turn sprites to this point instead of the camera")
    _draw_switched(frame, "eye", _("eye"), stage.eye, (0.0, -10.0, 0.0), hint)
    if (effect.opcodes == BOLT).any():
        hint = _("Where bolts come from: the muzzle; our choice, as no file says where it is")
        _draw_point(frame, "target", _("bolt target"), stage.target, hint)
    if (effect.opcodes == STREAM).any():
        is_on = stage.has_slow_streams
        hint = _(
            "Recordings of the game show ambient streams at about 0.6 of the pace that is read; our choice"
        )
        if controls.checkbox(_("streams at 0.6 of their pace"), "slow_streams", hint, is_on=is_on):
            set_stage(frame, has_slow_streams=not is_on)
    if int(effect.header["flags"]) & (EffectFlag.HELD_WHILE_CLEAR | EffectFlag.HELD_WHILE_SET):
        _draw_held(frame, stage)


def _draw_switched(
    frame: UiContext, name: str, label: str, value: Point | None, usual: Point, hint: str
) -> None:
    """Draw a point that may be left out."""
    if controls.checkbox(label, f"has_{name}", hint, is_on=value is not None):
        set_stage(frame, **{name: usual if value is None else None})
    if value is not None:
        imgui.same_line()
        _draw_point(frame, name, "", value, hint)


def _draw_point(frame: UiContext, name: str, label: str, value: Point, hint: str) -> None:
    imgui.set_next_item_width(theme.em(WIDTH) if label else -1)
    changed, numbers = imgui.drag_float3(f"{label}###{name}", [*value], 0.05, 0.0, 0.0, "%.3g")
    tooltip(hint)
    if changed:
        x, y, z = numbers
        set_stage(frame, **{name: (x, y, z)})


def _draw_held(frame: UiContext, stage: EffectSettings) -> None:
    hint = _("Flags 0x80 and 0x100 hold the time at 0 while bit 0 of the manager is clear or set; ours")
    if controls.checkbox(_("day and night: bit 0 set"), "is_set", hint, is_on=stage.is_set):
        set_stage(frame, is_set=not stage.is_set)
