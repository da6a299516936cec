"""Effects panel: what the controllers of a model or a unit start, explosions of nodes, each playable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui
from msgspec import Struct

from viewer.formats.neighbors.explosion import SURFACES
from viewer.model.clips.started_effects import ON_POINTS, ON_SPHERE, when
from viewer.model.effects.blocks import SOUND
from viewer.model.effects.sounds import sound_lines
from viewer.model.store.place import Place
from viewer.operations.effects.model_effects import ModelEffect
from viewer.session.field_text import counted
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.opened.document import Document
from viewer.session.play import unit_posing
from viewer.session.play.model_effects import playing_rows, rows_of, toggled, with_effects, without_effects
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.view_state import ViewState, toggle_overlay
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.fields.resource_links import draw_link
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.table_grid import LIST, rows_on_screen, set_up_columns
from viewer.ui.widgets.widgets import empty, ghost_button, icon_button, identified, text, tooltip

_SURFACES: Final = {number: f"{number}: {name}" for number, name in enumerate(SURFACES)}
_SLIDER: Final = imgui.SliderFlags_.always_clamp


class EffectsOfPart(Struct, frozen=True, eq=False):
    """The effects of the open model, or of a part of the open unit, whose name and component are given."""

    document: Document
    unit: AssembledUnit | None = None
    name: str = ""
    component: int = 0

    def playing(self, view: ViewState) -> Mapping[int, float]:
        """Starts of the effects that play, by row."""
        own = view if self.unit is None else unit_posing.view_of(self.unit, view, self.component)
        return playing_rows(self.document, own)

    def toggled(self, view: ViewState, row: int) -> ViewState:
        """Start or stop the effect of a row."""
        if self.unit is None:
            return toggled(view, self.document, row)
        return unit_posing.with_effect_toggled(self.unit, view, self.component, row)


def parts_of(frame: UiContext) -> list[EffectsOfPart]:
    """The parts with effects of the open model or unit."""
    resource = frame.state.resource
    if frame.document is not None:
        return [EffectsOfPart(frame.document)] if rows_of(frame.document) else []
    if resource is None or resource.unit is None:
        return []
    return [
        EffectsOfPart(document, resource.unit, resource.component_name(it.component), it.component)
        for it in resource.unit.drawn
        if rows_of(document := resource.unit.documents[it.component])
    ]


class EffectsPanel:
    """The effects of the open model, or of the parts of the open unit."""

    id = "effects"
    title = _("Effects")

    def draw(self, frame: UiContext) -> None:
        """Draw the drivers of the effects, and the list."""
        parts = parts_of(frame)
        if not parts:
            empty(_("The effects of the open model appear here; it has none."))
            return
        playing = [it.playing(frame.view) for it in parts]
        _draw_drivers(frame, parts, sum(map(len, playing)))
        if not imgui.begin_table("##effects", 3, LIST):
            return
        set_up_columns({_("Effect"): -0.9, _("When"): -1.2, _("Where"): -1.2}, has_headers=True)
        # Parts of units have a row with their name.
        lines = [
            (number, row)
            for number, it in enumerate(parts)
            for row in range(-1 if it.name else 0, len(rows_of(it.document)))
        ]
        for line in rows_on_screen(len(lines)):
            number, row = lines[line]
            with identified(line):
                _draw_row(frame, parts[number], row, is_playing=row in playing[number])
        imgui.end_table()


def _draw_drivers(frame: UiContext, parts: Sequence[EffectsOfPart], count: int) -> None:
    """Draw what applies to all effects: whether the clip starts them, their strength, and the surface."""
    effects, unit = frame.view.playback.effects, parts[0].unit
    hint = _("Play what is started on loading, by the clip that plays, and by feet on the ground")
    if controls.checkbox(_("With the clip"), "with_clip", hint, is_on=effects.is_with_clip):
        frame.change(lambda view: with_effects(view, is_with_clip=not effects.is_with_clip))
    imgui.same_line()
    hint = _("Stop all effects")
    if icon_button(fa.ICON_FA_STOP, "stop_effects", hint, is_enabled=bool(count)):
        frame.change(without_effects if unit is None else partial(unit_posing.without_effects, unit))
    imgui.same_line(0, theme.em(0.2))
    is_shown = Overlay.TESTED_POINTS in frame.view.overlays
    if icon_button(fa.ICON_FA_DIAMOND, "tested_points", Overlay.TESTED_POINTS.doc.words, is_on=is_shown):
        frame.change(lambda view: toggle_overlay(view, Overlay.TESTED_POINTS))
    imgui.same_line()
    imgui.align_text_to_frame_padding()
    text(counted(count, "{count} plays", "{count} play"), theme.DIM)
    _draw_strength(frame)
    if any(row.is_explosion for it in parts for row in rows_of(it.document)):
        _draw_surface(frame)


def _draw_strength(frame: UiContext) -> None:
    """Draw the value from outside; by default it follows from the clip and the channels."""
    strength = frame.view.playback.effects.strength
    hint = _("Set what drives the effects; else it is the speed of the clip, or the value of the node")
    if controls.checkbox("", "has_strength", hint, is_on=strength is not None):
        frame.change(lambda view: with_effects(view, strength=1.0 if strength is None else None))
    imgui.same_line(0, theme.em(0.3))
    imgui.begin_disabled(strength is None)
    imgui.set_next_item_width(max(theme.em(6), imgui.get_content_region_avail().x - theme.em(5)))
    value = 1.0 if strength is None else strength
    words = "%.2f" if strength is not None else str(_("from the clip"))
    changed, value = imgui.slider_float(_("strength"), value, 0.0, 1.0, words, _SLIDER)
    imgui.end_disabled()
    if changed:
        frame.change(lambda view: with_effects(view, strength=value))


def _draw_surface(frame: UiContext) -> None:
    chosen = frame.view.playback.effects.surface
    imgui.set_next_item_width(max(theme.em(6), imgui.get_content_region_avail().x - theme.em(5)))
    surface = controls.choose(_("surface"), _SURFACES, chosen, prefix="surface")
    if surface != chosen:
        frame.change(partial(with_effects, surface=surface))
    tooltip(_("The surface that explosions are on; machines are 5: mt"))


def _draw_row(frame: UiContext, part: EffectsOfPart, row: int, *, is_playing: bool) -> None:
    imgui.table_next_row()
    if row < 0:
        color = imgui.get_color_u32(imgui.Col_.table_header_bg)
        imgui.table_set_bg_color(imgui.TableBgTarget_.row_bg0, color)
        imgui.table_next_column()
        imgui.internal.table_push_background_channel()  # over the other columns, too
        text(part.name)
        imgui.internal.table_pop_background_channel()
        return
    effect = rows_of(part.document)[row]
    if is_playing:
        imgui.table_set_bg_color(imgui.TableBgTarget_.row_bg0, theme.packed(theme.ACCENT, 0.2))
    imgui.table_next_column()
    imgui.begin_disabled(bool(effect.problem))
    icon = fa.ICON_FA_STOP if is_playing else fa.ICON_FA_PLAY
    hint = _("Stop it") if is_playing else _("Play it on the model")
    if ghost_button(icon, f"play{row}", hint, theme.ACCENT if is_playing else theme.TEXT):
        frame.change(partial(part.toggled, row=row))
    imgui.end_disabled()
    imgui.same_line(0, theme.em(0.4))
    if effect.address:
        draw_link(frame, f"effect{row}", effect.name, Place(effect.address))
    else:
        text(effect.name, theme.WARNING)
    if effect.problem:
        tooltip(effect.problem)
    _draw_sounds(effect, frame.view.playback.effects.surface)
    imgui.table_next_column()
    words = when_text(effect)
    text(words)
    tooltip(words)
    imgui.table_next_column()
    _draw_where(frame, part.document, effect, row)


def _draw_sounds(effect: ModelEffect, surface: int) -> None:
    """Draw a mark at an effect with sounds, which says when they play."""
    loaded = effect.variant(surface)
    if loaded is not None and (loaded.effect.opcodes == SOUND).any():
        imgui.same_line(0, theme.em(0.4))
        text(fa.ICON_FA_MUSIC, theme.DIM)
        tooltip(lambda: sound_lines(loaded.effect))


def _draw_where(frame: UiContext, document: Document, effect: ModelEffect, row: int) -> None:
    """Draw where an effect is: links to its nodes, or the numbers of its control points."""
    started = effect.started
    if started is not None and started.action == ON_SPHERE:
        text(_("sphere of the model"), theme.DIM)
        return
    if started is not None and started.action == ON_POINTS:
        words = ", ".join(map(str, started.where))
        text(counted(len(started.where), "point", "points") + f" {words}", theme.DIM)
        imgui.same_line()
    nodes = effect.anchor.nodes if effect.anchor is not None else ()
    for number, node in enumerate(dict.fromkeys(nodes)):
        if number:
            imgui.same_line(0, theme.em(0.4))
        draw_link(frame, f"where{row}_{node}", document.label(node), Place(document.address, "nodes", node))


def when_text(effect: ModelEffect) -> str:
    """The start of an effect, in words."""
    if effect.started is None:
        return str(_("destroyed"))
    return when(effect.started)
