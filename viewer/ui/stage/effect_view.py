"""An effect that plays: its image, what drives it, its blocks with their windows, and the curves of one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.errors import Severity
from viewer.formats.fxid import HEADER, TIME_MODES, Effect
from viewer.model.effects.blocks import BOLT
from viewer.model.effects.clock import EffectFlag
from viewer.model.effects.moment import EffectMoment
from viewer.model.effects.program import EffectInputs, EffectProgram, Spawn
from viewer.model.store.place import Place
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.play import timeline
from viewer.session.play.effect_play import EffectCounts, EffectSettings, counts, seconds_of
from viewer.session.view.effect_look import EffectLook, framed, seen_from
from viewer.session.view.view_state import ViewState
from viewer.translation import Text, _, translated
from viewer.ui.context import UiContext
from viewer.ui.fields.row_table import RowColumn
from viewer.ui.stage.command_view import CommandView
from viewer.ui.stage.effect_graphs import draw_graphs, draw_window
from viewer.ui.stage.orbit_image import draw_orbit_image
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import counted
from viewer.ui.widgets.speed_field import draw_speed
from viewer.ui.widgets.widgets import ghost_button, icon_button, labeled, text, tooltip, wrapped

IMAGE_SHARE: Final = 0.42
"""Share of the height that the image takes above the blocks."""
SIDE: Final = 24.0
"""Width of what is next to the image, in font heights."""
MOST_PROBLEMS: Final = 3
LARGEST_SIZE: Final = 100.0
OUTSIDE: Final = {
    0: _("value from outside"), 4: _("value of the node"), 5: _("speed"), 6: _("speed along x"),
    7: _("speed along y"), 8: _("speed along z"), 9: _("spin"), 10: _("spin about x"), 11: _("spin about y"),
    12: _("spin about z"), 13: _("value of the attach point"), 14: _("life that is left"),
    15: _("speed or spin"), 16: _("value of the node"), 17: _("value of the node"),
}  # fmt: skip
"""What the strength is in a time mode."""


class EffectView:
    """One effect, playing; below it its blocks."""

    id = "commands"
    title = _("Effect")

    def __init__(self) -> None:
        self._blocks = CommandView()
        self._settings = EffectSettings()
        self._address = ""
        self._made_of: tuple[object, ...] = ()
        self._program: EffectProgram | None = None
        self._aspect = 1.0

    def reveal(self, opened: OpenedResource, place: Place) -> bool:
        """Show the row of a place; tell whether it is one of a block."""
        return self._blocks.reveal(opened, place)

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the image with its controls, and the blocks below."""
        program, moment = self.draw_stage(frame, opened)
        problems = (it for it in opened.diagnostics if it.severity is not Severity.INFO)
        for problem in islice(problems, MOST_PROBLEMS):
            wrapped(problem.text, theme.WARNING)
        draw_graphs(program.blocks, self._settings.selected, moment)
        columns = self._columns(program, moment, counts(program, moment))
        clicked = self._blocks.draw(frame, opened, columns, self._settings.selected)
        if clicked is not None:
            self._set(selected=clicked)

    def draw_stage(self, frame: UiContext, opened: OpenedResource) -> tuple[EffectProgram, EffectMoment]:
        """Draw the image with its controls, and return what it shows."""
        program = self._program_of(frame, opened)
        settings = self._settings
        seconds = seconds_of(frame.view, program.effect)
        moment = program.at(seen_from(settings.inputs(seconds), frame.view.camera))
        room = imgui.get_content_region_avail()
        height = room.y * IMAGE_SHARE
        side = min(theme.em(SIDE), room.x / 2)
        self._draw_image(frame, opened, program, seconds, ImVec2(room.x - side, height))
        imgui.same_line()
        if imgui.begin_child("controls", ImVec2(0, height)):
            self._draw_controls(frame, program, moment, seconds)
        imgui.end_child()
        return program, moment

    def _program_of(self, frame: UiContext, opened: OpenedResource) -> EffectProgram:
        if opened.address != self._address:
            self._address, self._settings = opened.address, EffectSettings()
            self._made_of = ()
        made_of = opened.value, self._settings.seed
        if self._program is None or made_of != self._made_of:
            is_first = not self._made_of
            self._made_of = made_of
            self._program = EffectProgram.of(opened.value, self._settings.seed)
            if is_first:
                self._frame(frame)
        return self._program

    def _frame(self, frame: UiContext) -> None:
        """Show the whole round."""
        if self._program is not None:
            inputs = self._settings.inputs(0.0)
            frame.change(partial(_framed, program=self._program, inputs=inputs, aspect=self._aspect))

    def _set(self, **values: Any) -> None:
        self._settings = replace(self._settings, **values)

    def _draw_image(
        self, frame: UiContext, opened: OpenedResource, program: EffectProgram, seconds: float, size: ImVec2
    ) -> None:
        if size.x >= 1 and size.y >= 1:
            self._aspect = size.x / size.y
        inputs, hidden = self._settings.inputs(seconds), self._settings.hidden

        def image(pixels: tuple[int, int]) -> int:
            look = EffectLook(program, opened.effect_materials, inputs, frame.view, pixels, hidden)
            return frame.lookups.effect_image(look)

        draw_orbit_image(frame, "effect", size, image, partial(self._frame, frame))

    def _draw_controls(
        self, frame: UiContext, program: EffectProgram, moment: EffectMoment, seconds: float
    ) -> None:
        self._draw_transport(frame, program.effect)
        state = "" if moment.is_alive else _("deleted")
        now = _(
            "t {time:.3f}   lin {age:.3f}   {seconds:.2f} s",
            time=moment.time,
            age=moment.age,
            seconds=seconds,
        )
        text(f"{now}   {state}", theme.DIM)
        self._draw_seed()
        self._draw_mode(program.effect)
        self._draw_numbers(program.effect)

    def _draw_transport(self, frame: UiContext, effect: Effect) -> None:
        is_playing = frame.view.is_playing
        icon = fa.ICON_FA_PAUSE if is_playing else fa.ICON_FA_PLAY
        if icon_button(icon, "play", _("Pause") if is_playing else _("Play"), is_on=is_playing):
            frame.change(lambda view: replace(view, is_playing=not is_playing))
        imgui.same_line(0, theme.em(0.2))
        if icon_button(fa.ICON_FA_BACKWARD_FAST, "restart", _("Start anew")):
            frame.change(lambda view: timeline.at(view, 0.0, past=0.0))
        imgui.same_line(0, theme.em(0.2))
        if icon_button(fa.ICON_FA_EXPAND, "frame", _("Show all of it")):
            self._frame(frame)
        imgui.same_line(0, theme.em(0.2))
        hint = _("Round the clock of the effect down to the game's 10 updates a second")
        if icon_button(fa.ICON_FA_STAIRS, "steps", hint, is_on=self._settings.has_steps):
            self._set(has_steps=not self._settings.has_steps)
        imgui.same_line(0, theme.em(0.2))
        draw_speed(frame, 6.0, has_own_time=True)
        last = frame.state.axis.end
        imgui.set_next_item_width(-1)
        changed, time = imgui.slider_float("###scrubber", timeline.now(frame.view), 0.0, max(last, 1e-3), "")
        tooltip(_("Drag to go to another time of the round"))
        if changed:
            frame.change(lambda view: timeline.at(view, time, past=0.0, is_playing=False))

    def _draw_seed(self) -> None:
        imgui.set_next_item_width(theme.em(7))
        changed, seed = imgui.input_int(_("seed"), self._settings.seed, 0)
        if changed:
            self._set(seed=seed & 0x7FFFFFFF)
        tooltip(_("The same seed gives the same picture; the game seeds from its clock"))
        imgui.same_line()
        if icon_button(fa.ICON_FA_DICE, "new_seed", _("Another seed")):
            self._set(seed=self._settings.seed % 0x7FFFFFFF + 1)
        imgui.same_line()
        is_spread = self._settings.spawn is Spawn.SPREAD
        hint = _("Start the particles of a burst one after the other; what the game does is not known")
        if icon_button(fa.ICON_FA_ARROWS_LEFT_RIGHT, "spread", hint, is_on=is_spread):
            self._set(spawn=Spawn.TOGETHER if is_spread else Spawn.SPREAD)

    def _draw_mode(self, effect: Effect) -> None:
        own, chosen = int(effect.header["time_mode"]), self._settings.mode
        usual = _("mode {mode}: {name}", mode=own, name=Text.of(TIME_MODES.get(own, "?")))
        words = (
            usual
            if chosen is None
            else _("mode {mode}: {name}", mode=chosen, name=Text.of(TIME_MODES[chosen]))
        )
        imgui.set_next_item_width(-1)
        if imgui.begin_combo("###mode", words):
            if imgui.selectable(_("of the header: {words}", words=usual), chosen is None)[0]:
                self._set(mode=None)
            for mode, name in TIME_MODES.items():
                if imgui.selectable(f"{mode}: {translated(name)}###mode{mode}", chosen == mode)[0]:
                    self._set(mode=mode)
            imgui.end_combo()
        tooltip(translated(HEADER.field("time_mode").doc))

    def _draw_numbers(self, effect: Effect) -> None:
        mode = self._settings.mode
        driven = OUTSIDE.get(int(effect.header["time_mode"]) if mode is None else mode)
        if driven:
            imgui.set_next_item_width(theme.em(10))
            changed, strength = imgui.slider_float(f"{driven}###strength", self._settings.strength, 0.0, 1.0)
            if changed:
                self._set(strength=strength)
        imgui.set_next_item_width(theme.em(10))
        flags = imgui.SliderFlags_.logarithmic
        label = _("size")
        changed, size = imgui.slider_float(
            f"{label}###size", self._settings.size, 0.01, LARGEST_SIZE, "%.3g", flags
        )
        if changed:
            self._set(size=size)
        if (effect.opcodes == BOLT).any():
            self._draw_target()
        if int(effect.header["flags"]) & (EffectFlag.HELD_WHILE_CLEAR | EffectFlag.HELD_WHILE_SET):
            self._draw_held()

    def _draw_target(self) -> None:
        imgui.set_next_item_width(theme.em(10))
        changed, distance = imgui.slider_float(
            labeled(_("bolt target"), "target"), self._settings.target_distance, 0.0, LARGEST_SIZE, "%.3g"
        )
        tooltip(_("How far away the target is from which bolts come, along x; our choice"))
        if changed:
            self._set(target_distance=distance)

    def _draw_held(self) -> None:
        changed, is_set = imgui.checkbox(
            labeled(_("day and night: bit 0 set"), "is_set"), self._settings.is_set
        )
        tooltip(_("Flags 0x80 and 0x100 hold the time at 0 while bit 0 of the manager is clear or set"))
        if changed:
            self._set(is_set=is_set)

    def _columns(
        self, program: EffectProgram, moment: EffectMoment, counted_blocks: EffectCounts
    ) -> tuple[RowColumn, ...]:
        """What is shown of a block besides its fields: whether it is drawn, its window, what it draws now."""
        count = len(program.blocks.opcodes)

        def draw_switches(row: int) -> None:
            is_hidden = row in self._settings.hidden
            icon = fa.ICON_FA_EYE_SLASH if is_hidden else fa.ICON_FA_EYE
            color = theme.FAINT if is_hidden else theme.TEXT
            if ghost_button(icon, f"shown{row}", _("Show or hide the block"), color):
                self._settings = self._settings.toggled(row)
            imgui.same_line(0, theme.em(0.2))
            if ghost_button(
                fa.ICON_FA_BULLSEYE, f"alone{row}", _("Show the block alone, or all again"), theme.DIM
            ):
                self._settings = self._settings.alone(row, count)

        def draw_time(row: int) -> None:
            draw_window(program.blocks, row, moment)

        def draw_shown(row: int) -> None:
            sprites, triangles = int(counted_blocks.sprites[row]), int(counted_blocks.triangles[row])
            if sprites:
                text(counted(sprites, "{count} sprite", "{count} sprites"), theme.DIM)
                tooltip(counted(triangles, "{count} triangle", "{count} triangles"))

        return (
            RowColumn(_("Shown"), 3.6, draw_switches),
            RowColumn(_("Window"), 7.0, draw_time),
            RowColumn(_("Now"), 6.0, draw_shown),
        )


def _framed(view: ViewState, program: EffectProgram, inputs: EffectInputs, aspect: float) -> ViewState:
    return replace(view, camera=framed(view.camera, program, inputs, aspect))
