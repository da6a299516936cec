"""Effects panel: what a model's controller starts, and the explosions of its nodes, each playable."""

from __future__ import annotations

from functools import partial
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.formats.neighbors.explosion import SURFACES
from viewer.model.clips.started_effects import ON_POINTS, ON_SPHERE, when
from viewer.model.effects.blocks import SOUND
from viewer.model.effects.sounds import sound_lines
from viewer.model.store.place import Place
from viewer.operations.model_effects import ModelEffect
from viewer.session.opened.document import Document
from viewer.session.play.model_effects import playing_rows, rows_of, toggled, with_effects
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.fields.resource_links import draw_link
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import counted
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import empty, ghost_button, icon_button, identified, labeled, text, tooltip

_FLAGS: Final = (
    imgui.TableFlags_.row_bg
    | imgui.TableFlags_.borders_inner_v
    | imgui.TableFlags_.resizable
    | imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.no_saved_settings
)
_SLIDER: Final = imgui.SliderFlags_.always_clamp


class EffectsPanel:
    """The effects of the open model."""

    id = "effects"
    title = _("Effects")

    def draw(self, frame: UiContext) -> None:
        """Draw what drives them, and the list."""
        document = frame.document
        if document is None or not rows_of(document):
            empty(_("The effects of the open model appear here; it has none."))
            return
        playing = playing_rows(document, frame.view)
        _draw_drivers(frame, document, len(playing))
        if not imgui.begin_table("##effects", 3, _FLAGS):
            return
        imgui.table_setup_scroll_freeze(0, 1)
        for title, weight in ((_("Effect"), 0.9), (_("When"), 1.2), (_("Where"), 1.2)):
            imgui.table_setup_column(title, imgui.TableColumnFlags_.width_stretch, weight)
        imgui.table_headers_row()
        rows = rows_of(document)
        for row in rows_on_screen(len(rows)):
            with identified(row):
                _draw_row(frame, document, row, is_playing=row in playing)
        imgui.end_table()


def _draw_drivers(frame: UiContext, document: Document, count: int) -> None:
    """Draw what applies to all effects: whether the clip starts them, their strength, and the surface."""
    effects = frame.view.playback.effects
    changed, is_on = imgui.checkbox(labeled(_("With the clip"), "with_clip"), effects.is_with_clip)
    tooltip(_("Play what is started on loading, by the clip that plays, and by feet on the ground"))
    if changed:
        frame.change(lambda view: with_effects(view, is_with_clip=is_on))
    imgui.same_line()
    hint = _("Stop all effects")
    if icon_button(fa.ICON_FA_STOP, "stop_effects", hint, is_enabled=bool(count)):
        frame.change(lambda view: with_effects(view, started={}, is_with_clip=False))
    imgui.same_line()
    imgui.align_text_to_frame_padding()
    text(counted(count, "{count} plays", "{count} play"), theme.DIM)
    _draw_strength(frame)
    if any(row.is_explosion for row in rows_of(document)):
        _draw_surface(frame)


def _draw_strength(frame: UiContext) -> None:
    """Draw the value from outside; by default it follows from the clip and the channels."""
    strength = frame.view.playback.effects.strength
    changed, is_set = imgui.checkbox("###has_strength", strength is not None)
    tooltip(_("Set what drives the effects; else it is the speed of the clip, or the value of the node"))
    if changed:
        frame.change(lambda view: with_effects(view, strength=1.0 if is_set else None))
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
    if imgui.begin_combo(_("surface"), f"{chosen}: {SURFACES[chosen]}"):
        for number, name in enumerate(SURFACES):
            if imgui.selectable(f"{number}: {name}###surface{number}", number == chosen)[0]:
                frame.change(partial(with_effects, surface=number))
        imgui.end_combo()
    tooltip(_("The surface that explosions are on; machines are 5: mt"))


def _draw_row(frame: UiContext, document: Document, row: int, *, is_playing: bool) -> None:
    effect = rows_of(document)[row]
    imgui.table_next_row()
    if is_playing:
        imgui.table_set_bg_color(imgui.TableBgTarget_.row_bg0, theme.packed(theme.ACCENT, 0.2))
    imgui.table_next_column()
    imgui.begin_disabled(bool(effect.problem))
    icon = fa.ICON_FA_STOP if is_playing else fa.ICON_FA_PLAY
    hint = _("Stop it") if is_playing else _("Play it on the model")
    if ghost_button(icon, f"play{row}", hint, theme.ACCENT if is_playing else theme.TEXT):
        frame.change(partial(toggled, document=document, row=row))
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
    _draw_where(frame, document, effect, row)


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
    """What starts an effect, in words."""
    if effect.started is None:
        return str(_("destroyed"))
    return when(effect.started)
