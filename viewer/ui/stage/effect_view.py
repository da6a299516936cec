"""An effect that plays: its image, what drives it, its blocks with their windows, and the curves of one."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.dataclass import replace
from viewer.errors import Severity
from viewer.model.effects.moment import EffectMoment
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.model.store.place import Place
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.play.effect_play import counts, inputs_of, program_of, seconds_of
from viewer.session.view.effect_look import EffectLook, framed, seen_from
from viewer.session.view.view_state import ViewState
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.fields.row_table import RowColumn
from viewer.ui.stage.command_view import CommandView
from viewer.ui.stage.effect_controls import change_stage, draw_controls, set_stage
from viewer.ui.stage.effect_graphs import draw_graphs, draw_window
from viewer.ui.stage.orbit_image import draw_orbit_image
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import counted
from viewer.ui.widgets.widgets import ghost_button, text, tooltip, wrapped

IMAGE_SHARE: Final = 0.42
"""Share of the height that the image takes above the curves and the blocks."""
SIDE: Final = 24.0
"""Width of what is next to the image, in font heights."""
MOST_PROBLEMS: Final = 3


class EffectView:
    """One effect, playing; below it its blocks."""

    id = "commands"
    title = _("Effect")

    def __init__(self) -> None:
        self._blocks = CommandView()
        self._shown: tuple[object, ...] = ()
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
        # The last block may have been removed.
        selected = min(frame.view.playback.stage.selected, len(program.blocks.opcodes) - 1)
        draw_graphs(program.blocks, selected, moment)
        columns = _columns(frame, program, moment)
        clicked = self._blocks.draw(frame, opened, columns, selected)
        if clicked is not None:
            set_stage(frame, selected=clicked)

    def draw_stage(self, frame: UiContext, opened: OpenedResource) -> tuple[EffectProgram, EffectMoment]:
        """Draw the image with its controls, and return what it shows."""
        settings = frame.view.playback.stage
        program = program_of(opened.value, settings.seed)
        seconds = seconds_of(frame.view, program.effect)
        inputs = inputs_of(settings, seconds)
        moment = program.at(inputs if settings.eye else seen_from(inputs, frame.view.camera))
        shown = frame.state.tabs.active.key, opened.address
        if self._shown != shown:
            self._shown = shown
            self._frame(frame, program)
        room = imgui.get_content_region_avail()
        height = room.y * IMAGE_SHARE
        side = min(theme.em(SIDE), room.x / 2)
        self._draw_image(frame, opened, program, inputs, ImVec2(room.x - side, height))
        imgui.same_line()
        if imgui.begin_child("controls", ImVec2(0, height)):
            draw_controls(frame, program, moment, seconds, partial(self._frame, frame, program))
        imgui.end_child()
        return program, moment

    def _frame(self, frame: UiContext, program: EffectProgram) -> None:
        """Show the whole round."""
        inputs = inputs_of(frame.view.playback.stage, 0.0)
        frame.change(partial(_framed, program=program, inputs=inputs, aspect=self._aspect))

    def _draw_image(
        self,
        frame: UiContext,
        opened: OpenedResource,
        program: EffectProgram,
        inputs: EffectInputs,
        size: ImVec2,
    ) -> None:
        if size.x >= 1 and size.y >= 1:
            self._aspect = size.x / size.y
        settings = frame.view.playback.stage

        def image(pixels: tuple[int, int]) -> int:
            look = EffectLook(
                program,
                opened.effect_materials,
                inputs,
                frame.view,
                pixels,
                settings.hidden,
                keeps_eye=settings.eye is not None,
            )
            return frame.lookups.effect_image(look)

        draw_orbit_image(frame, "effect", size, image, partial(self._frame, frame, program))


def _columns(frame: UiContext, program: EffectProgram, moment: EffectMoment) -> tuple[RowColumn, ...]:
    """What is shown of a block besides its fields: whether it is drawn, its window, what it draws now."""
    count, settings, counted_blocks = (
        len(program.blocks.opcodes),
        frame.view.playback.stage,
        counts(program, moment),
    )

    def draw_switches(row: int) -> None:
        is_hidden = row in settings.hidden
        icon = fa.ICON_FA_EYE_SLASH if is_hidden else fa.ICON_FA_EYE
        color = theme.FAINT if is_hidden else theme.TEXT
        if ghost_button(icon, f"shown{row}", _("Show or hide the block"), color):
            change_stage(frame, lambda stage: stage.toggled(row))
        imgui.same_line(0, theme.em(0.2))
        if ghost_button(
            fa.ICON_FA_BULLSEYE, f"alone{row}", _("Show the block alone, or all again"), theme.DIM
        ):
            change_stage(frame, lambda stage: stage.alone(row, count))

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
