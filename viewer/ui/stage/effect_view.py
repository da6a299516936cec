"""An effect that plays, its blocks and the curves of one; an explosion, with the effects of its slots."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.errors import Severity
from viewer.formats.fxid import OPCODES
from viewer.formats.meaning import meaning
from viewer.formats.neighbors.explosion import HEADER, SLOT, SURFACES, Explosion
from viewer.formats.part import Part
from viewer.formats.text import decode
from viewer.model.effects.blocks import EffectBlocks
from viewer.model.effects.moment import EffectMoment
from viewer.model.effects.program import EffectProgram
from viewer.model.kinds.registry import EFFECT
from viewer.model.store.place import Place
from viewer.session.field_text import cell_text, counted, float_text
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.play.effect_play import (
    POINTS,
    EffectCurve,
    age_of,
    counts,
    curves,
    inputs_of,
    program_of,
    seconds_of,
)
from viewer.session.play.model_effects import slot_of
from viewer.session.selection import Selection
from viewer.session.view.effect_look import seen_from
from viewer.translation import Text, _
from viewer.ui.context import UiContext, ViewChange
from viewer.ui.fields.part_rows import field_of
from viewer.ui.fields.resource_links import ResourceLinks
from viewer.ui.fields.row_table import RowColumn, row_of
from viewer.ui.stage.command_view import CommandView
from viewer.ui.stage.effect_controls import change_stage, draw_controls, set_stage
from viewer.ui.stage.page import TablesPage
from viewer.ui.viewport.stage_view import StageView
from viewer.ui.widgets import theme
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import ghost_button, text, tooltip, wrapped

HEIGHT: Final = 2.6
"""Height of a graph in font heights."""
AXES: Final[tuple[Color, ...]] = (
    (0.86, 0.28, 0.30, 1.0),
    (0.48, 0.74, 0.25, 1.0),
    (0.27, 0.54, 0.94, 1.0),
    theme.TEXT,
)
"""Colors of the components x, y, z, or red, green, blue, and of a fourth."""
IMAGE_SHARE: Final = 0.42
"""Share of the height that the image takes above the curves and the blocks."""
SIDE: Final = 24.0
"""Width of what is next to the image, in font heights."""
MOST_PROBLEMS: Final = 3
HINT: Final = _("The size is the radius times that of the node; on a projectile the radius alone")


class EffectView:
    """A playing effect, and the list of blocks."""

    id = "commands"
    title = _("Effect")

    def __init__(self, stage: StageView) -> None:
        self._stage, self._blocks = stage, CommandView()

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
        selected = min(frame.view.selection.node or 0, len(program.blocks.opcodes) - 1)
        draw_graphs(program.blocks, selected, moment)
        columns = _columns(frame, program, moment)
        clicked = self._blocks.draw(frame, opened, columns, selected)
        if clicked is not None:
            frame.change(_selecting(clicked))

    def draw_stage(self, frame: UiContext, opened: OpenedResource) -> tuple[EffectProgram, EffectMoment]:
        """Draw the image with its controls, and return what it shows."""
        settings = frame.view.playback.stage
        program = program_of(opened.value, settings.seed)
        seconds = seconds_of(frame.view, program.effect)
        inputs = inputs_of(settings, seconds)
        moment = program.at(inputs if settings.eye else seen_from(inputs, frame.view.camera))
        room = imgui.get_content_region_avail()
        height = room.y * IMAGE_SHARE
        side = min(theme.em(SIDE), room.x / 2)
        self._stage.draw_in(frame, ImVec2(room.x - side, height))
        imgui.same_line()
        if imgui.begin_child("controls", ImVec2(0, height)):
            draw_controls(frame, program, moment, seconds)
        imgui.end_child()
        return program, moment


def _selecting(block: int) -> ViewChange:
    """Show the curves of a block; an effect has blocks as a model has nodes."""
    return lambda view: replace(view, selection=Selection((block,)))


def _columns(frame: UiContext, program: EffectProgram, moment: EffectMoment) -> tuple[RowColumn, ...]:
    """The columns of a block besides its fields: visibility, window, and its sprites of now."""
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
            frame.change(_selecting(row))

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


def draw_window(blocks: EffectBlocks, block: int, moment: EffectMoment) -> None:
    """Draw the window of a block as a bar on the time from 0 to 1, with the present time."""
    start, end = float(blocks.start[block]), float(blocks.end[block])
    corner, width = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
    height = imgui.get_text_line_height()
    imgui.dummy(ImVec2(width, height))
    if not np.isfinite(start + end):
        return
    tooltip(
        _("active from {start:g} to {end:g}, p is {p:.3f}", start=start, end=end, p=moment.progress[block])
    )
    painter = imgui.get_window_draw_list()
    middle, half = corner.y + height / 2, height * 0.22
    left, right = (corner.x + min(max(it, 0.0), 1.0) * width for it in (start, end))
    painter.add_rect_filled(
        ImVec2(corner.x, middle - 1), ImVec2(corner.x + width, middle + 1), theme.packed(theme.FAINT, 0.5)
    )
    color = theme.packed(theme.ACCENT if moment.active[block] else theme.FAINT, 0.8)
    painter.add_rect_filled(ImVec2(left, middle - half), ImVec2(max(right, left + 2), middle + half), color)
    _mark_now(corner.x + moment.time * width, corner.y, height)


def _mark_now(x: float, top: float, height: float) -> None:
    line = ImVec2(x, top), ImVec2(x, top + height)
    imgui.get_window_draw_list().add_line(*line, theme.packed(theme.SELECTION), 1.5)


def draw_graphs(blocks: EffectBlocks, block: int, moment: EffectMoment) -> None:
    """Draw the curves of a block side by side, over p or the age of its particles, with a mark at now."""
    if not 0 <= block < len(blocks.opcodes):
        return
    shown = curves(blocks, block)
    if not shown:
        kind = OPCODES[int(blocks.opcodes[block])]
        text(_("block {block}, {kind}, has no curves", block=block, kind=Text.of(kind)), theme.DIM)
        return
    gap = theme.em(0.6)
    width = (imgui.get_content_region_avail().x - gap * (len(shown) - 1)) / len(shown)
    progress = float(moment.progress[block])
    age = age_of(blocks, block, progress)
    for number, curve in enumerate(shown):
        if number:
            imgui.same_line(0, gap)
        imgui.begin_group()
        _draw_graph(curve, age if curve.is_over_age else progress, width)
        imgui.end_group()


def _draw_graph(curve: EffectCurve, now: float | None, width: float) -> None:
    values = curve.values.reshape(POINTS, -1)
    low, high = float(values.min()), float(values.max())
    axis = _("age") if curve.is_over_age else "p"
    words = _("{name} over {axis}: {low:.4g} to {high:.4g}", name=curve.name, axis=axis, low=low, high=high)
    corner, size = imgui.get_cursor_screen_pos(), ImVec2(width, theme.em(HEIGHT))
    painter = imgui.get_window_draw_list()
    painter.push_clip_rect(corner, ImVec2(corner.x + width, corner.y + imgui.get_text_line_height()), True)
    text(words, theme.DIM)
    painter.pop_clip_rect()
    corner = imgui.get_cursor_screen_pos()
    imgui.dummy(size)
    tooltip(words)
    painter.add_rect_filled(
        corner, ImVec2(corner.x + size.x, corner.y + size.y), theme.packed(theme.FAINT, 0.15)
    )
    span = max(high - low, 1e-9)
    xs = corner.x + np.linspace(0, 1, POINTS) * size.x
    margin = size.y * 0.08
    for component, color in zip(values.T, AXES if values.shape[1] > 1 else (theme.ACCENT,), strict=False):
        share = (component - low) / span if high > low else np.full(POINTS, 0.5)
        ys = corner.y + size.y - margin - share * (size.y - 2 * margin)
        for x, y in zip(xs.tolist(), ys.tolist(), strict=True):
            painter.path_line_to(ImVec2(x, y))
        painter.path_stroke(theme.packed(color), thickness=1.5)
    if now is not None and 0 <= now <= 1:
        _mark_now(corner.x + now * size.x, corner.y, size.y)


class ExplosionView(TablesPage):
    """An explosion, playing in one slot, and the list of slots."""

    id = "slots"
    title = _("Explosion")
    tables = (SLOT.name,)

    def __init__(self, stage: StageView) -> None:
        super().__init__()
        self._effect = EffectView(stage)

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw what it does, the effect of the chosen slot, and the slots."""
        explosion: Explosion = opened.value
        wrapped(header_text(explosion), theme.DIM)
        tooltip(str(HINT))
        loaded = slot_of(opened, frame.view)
        if loaded is None:
            text(_("none of its effects can be read"), theme.WARNING)
        else:
            shown = replace(
                opened,
                address=loaded.address,
                kind=EFFECT.id,
                value=loaded.effect,
                effect_materials=loaded.materials,
            )
            self._effect.draw_stage(frame, shown)
        self._draw_table(frame, opened, SLOT.name, partial(self._columns, frame, opened))

    def _columns(
        self, frame: UiContext, opened: OpenedResource, part: Part, links: ResourceLinks
    ) -> tuple[RowColumn, ...]:
        explosion: Explosion = opened.value

        def draw_play(row: int) -> None:
            has_effect = row < len(opened.slots) and opened.slots[row] is not None
            imgui.begin_disabled(not has_effect)
            color = theme.ACCENT if row == frame.view.playback.stage.slot else theme.TEXT
            if ghost_button(fa.ICON_FA_PLAY, f"slot{row}", _("Play the effect of this slot"), color):
                set_stage(frame, slot=row)
                frame.later(frame.control.camera.restore)
            imgui.end_disabled()

        def draw_surface(row: int) -> None:
            text(str(_("default")) if not row else f"{row - 1}: {SURFACES[row - 1]}")

        def draw_field(row: int, field: str) -> None:
            name = explosion.names[row][("archive", "effect").index(field)]
            links.draw_field(field_of(row_of(part, row), field), decode(name), theme.TEXT)

        return (
            RowColumn("", 2, draw_play),
            RowColumn(_("Surface"), 6, draw_surface),
            RowColumn(_("Effect"), 1, lambda row: draw_field(row, "effect"), is_stretched=True),
            RowColumn(_("Archive"), 1, lambda row: draw_field(row, "archive"), is_stretched=True),
        )


def header_text(explosion: Explosion) -> str:
    """Return kind, damage, radius and placement of an explosion, as one line."""
    header = explosion.header
    kind, placement = HEADER.field("kind"), HEADER.field("placement")
    parts = (
        meaning(kind, header["kind"]) or cell_text(kind, header["kind"]),
        _("damage {damage}", damage=float_text(header["damage"])),
        _("radius {radius}", radius=float_text(header["radius"])),
        _("axis: {axis}", axis=meaning(placement, header["placement"])),
    )
    return "  ·  ".join(parts)
