"""Display panel: how models are drawn, with sections for parts, light and motion."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.dataclass import replace
from viewer.model.mesh.shown import COARSEST, THRESHOLDS, CellRule, Cutaway
from viewer.session.opened.document import Document
from viewer.session.play.playback import Root
from viewer.session.play.playing import reset_channels, step_playable
from viewer.session.view.around import AROUND
from viewer.session.view.ghosts import LONGEST_STEP, MOST_GHOSTS, Ghosts, Rgb
from viewer.session.view.lighting import GAME_DAY, SCENE, Look
from viewer.session.view.view_state import (
    LOD_COUNT,
    Overlay,
    ViewState,
    toggle_overlay,
    with_destruction,
    with_drawn,
    with_group,
    with_lod,
    with_rule,
)
from viewer.translation import Text, _
from viewer.ui.context import UiContext
from viewer.ui.timeline.play_list import clip_name, range_text
from viewer.ui.viewport.marks import is_missing
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import (
    GROUP_HINT,
    LIFE_0,
    LOD_HINT,
    count_text,
    counted,
    group_name,
    is_terrain,
    lod_name,
)
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.widgets import icon_button, identified, labeled, section, text, tooltip

_SLIDER: Final = imgui.SliderFlags_.always_clamp | imgui.SliderFlags_.no_input
_GHOST_STEPS: Final = _SLIDER | imgui.SliderFlags_.logarithmic
_SLIDER_ROOM: Final = 4.0
"""Least width of a slider next to something else, font heights."""
RULES: Final = {
    CellRule.GAME: _("A node without the requested LOD or group shows the nearest it has"),
    CellRule.EXACT: _("The requested cell, or nothing"),
}


def draw_parts(frame: UiContext) -> None:
    """Draw the section."""
    row_label(_("cells"))
    draw_rules(frame)
    row_label(_("LOD"))
    _draw_lods(frame)
    row_label(_("group"))
    _draw_groups(frame)
    if is_terrain(frame.document):
        return
    row_label(_("view"))
    changed, is_on = imgui.checkbox(labeled(_("Own view"), "own_view"), frame.view.drawn.is_own_view)
    tooltip(_("As the unit sees itself: group 4 alone, between planes at 0.05 and 10"))
    if changed:
        frame.change(lambda view: with_drawn(view, is_own_view=is_on))
        frame.commands.camera.restore()
    row_label(_("building"))
    _draw_cutaway(frame)
    row_label("")
    _draw_portals(frame)
    _draw_around(frame)


def draw_rules(frame: UiContext) -> None:
    """Draw the ways to choose the cell of a node."""
    for number, rule in enumerate(CellRule):
        is_on = frame.view.drawn.cells is rule
        if choice(name_of(rule), rule.value, is_on=is_on, is_first=not number):
            frame.change(partial(with_rule, rule=rule))
        tooltip(str(RULES[rule]))


def _draw_lods(frame: UiContext) -> None:
    """The LODs of the model, as in the game with the destroyed model after the last one."""
    view, document = frame.view, frame.document
    is_game = view.drawn.cells is CellRule.GAME
    last = LOD_COUNT - 1 if not is_game or document is None else document.chooser.lod_count - 1
    most = last + (is_game and not is_terrain(document))
    chosen = most if view.parts.is_destroyed else min(view.lod, last)
    words = _("destroyed") if chosen > last else lod_name(document, chosen)
    imgui.set_next_item_width(-1)
    changed, chosen = imgui.slider_int("###lod", chosen, 0, most, words, _SLIDER)
    tooltip([str(LOD_HINT), *([str(LIFE_0)] if most > last else [])])
    if changed:
        frame.change(with_destruction if chosen > last else lambda view: with_lod(view, chosen))


def _draw_groups(frame: UiContext) -> None:
    view, reason = frame.view, auto_obstacle(frame)
    imgui.begin_disabled(bool(reason))
    changed, is_on = imgui.checkbox(
        labeled(_("By size"), "auto_detail"), view.drawn.has_auto_detail and not reason
    )
    imgui.end_disabled()
    tooltip([_("Chosen by the size of the model in the image"), reason or detail_hint()])
    if changed:
        frame.change(lambda view: with_drawn(view, has_auto_detail=is_on, is_own_view=False))
    continue_row(theme.em(_SLIDER_ROOM))
    imgui.set_next_item_width(-1)
    group = view.parts.group
    words = group_name(frame.document, group)
    changed, group = imgui.slider_int("###group", min(group, COARSEST), 0, COARSEST, words, _SLIDER)
    tooltip(str(GROUP_HINT))
    if changed:
        frame.change(lambda view: with_group(view, group))


def auto_obstacle(frame: UiContext) -> str:
    """Return why no group is chosen by size, empty if one can be."""
    if is_terrain(frame.document):
        return _("the game chooses the level of each tile of a terrain by its distance")
    is_seed = frame.document is not None and frame.document.is_in_seed_reading
    return _("the seed reading knows no choice by size") if is_seed else ""


def detail_hint() -> str:
    """Return at which sizes the group changes, and who says so."""
    shares = ", ".join(f"1/{round(1 / share)}" for share in reversed(THRESHOLDS))
    words = _(
        "Groups 1, 2, 3 below {shares} of the height. The game's own limits are unknown: these are ours."
    )
    return words.format(shares=shares)


def _draw_cutaway(frame: UiContext) -> None:
    document = frame.document
    imgui.begin_disabled(document is not None and not document.chooser.has_internal)
    for number, cutaway in enumerate(Cutaway):
        is_on = frame.view.drawn.cutaway is cutaway
        if choice(name_of(cutaway), cutaway.value, is_on=is_on, is_first=not number):
            frame.change(partial(with_drawn, cutaway=cutaway))
        tooltip(_("Internal parts are the nodes with flag 0x0001"))
    imgui.end_disabled()


def _draw_portals(frame: UiContext) -> None:
    count = 0 if frame.document is None else frame.document.chooser.portal_count
    imgui.begin_disabled(frame.document is not None and not count)
    changed, _is_on = imgui.checkbox(
        labeled(name_of(Overlay.PORTALS), Overlay.PORTALS.value), Overlay.PORTALS in frame.view.overlays
    )
    imgui.end_disabled()
    words = counted(count, "{count} portal", "{count} portals")
    continue_row(imgui.calc_text_size(words).x)
    text(words, theme.DIM)
    if changed:
        frame.change(lambda view: toggle_overlay(view, Overlay.PORTALS))


def _draw_around(frame: UiContext) -> None:
    """The overlays of what is around the model, those that it has."""
    document = frame.document
    found = [it for it in AROUND.items() if not is_missing(document, it[0])]
    for number, (overlay, table) in enumerate(found):
        row_label("" if number else _("around"))
        is_on = overlay in frame.view.overlays
        if imgui.checkbox(labeled(name_of(overlay), overlay.value), is_on)[0]:
            frame.change(partial(toggle_overlay, overlay=overlay))
        count = count_text(0 if document is None else document.row_count(table))
        continue_row(imgui.calc_text_size(count).x)
        text(count, theme.DIM)


LABELS: Final = 5.0
"""Width of the labels, font heights."""
LEAST: Final = 14.0
"""Least width of a panel that has labels and values side by side, font heights."""


def row_label(words: str) -> None:
    """Draw the label of a row, and continue next to it; in a narrow panel below it."""
    is_wide = imgui.get_content_region_avail().x >= theme.em(LEAST)
    if is_wide:
        imgui.align_text_to_frame_padding()
    if is_wide or words:
        text(words, theme.DIM)
    if is_wide:
        imgui.same_line(theme.em(LABELS))


def continue_row(width: float) -> None:
    """Continue next to the item before if a width has room there, in pixels, else in the next line."""
    imgui.same_line()
    if imgui.get_content_region_avail().x < width:
        imgui.new_line()
        row_label("")


def choice(words: str, key: str, *, is_on: bool, is_first: bool) -> bool:
    """Draw one of the choices of a row; return whether it was clicked."""
    if not is_first:
        gap = imgui.get_style().item_inner_spacing.x
        continue_row(imgui.get_frame_height() + gap + imgui.calc_text_size(words).x)
    return imgui.radio_button(labeled(words, key), is_on)


PRESETS: Final = (
    ("default", _("Default"), SCENE),
    ("game_day", _("Game day"), GAME_DAY),
)
"""Id, title and value of the scene colors to choose from."""
HINTS: Final = {
    Look.GAME: _("Light and blending as the game computes them"),
    Look.PLAIN: _("The display model of earlier versions: a lamp, highlights, alpha as gloss"),
}


def draw_light(frame: UiContext) -> None:
    """Draw the section."""
    row_label(_("look"))
    for number, look in enumerate(Look):
        is_on = frame.view.lighting.look is look
        if choice(name_of(look), look.value, is_on=is_on, is_first=not number):
            _change(frame, look=look)
        tooltip(str(HINTS[look]))
    imgui.begin_disabled(frame.view.lighting.look is not Look.GAME)
    row_label(_("scene"))
    _draw_scene(frame)
    row_label(_("lights"))
    _draw_lights(frame)
    imgui.end_disabled()


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


ROOT_TRAVEL: Final = _("Root travel")


def draw_motion(frame: UiContext) -> None:
    """Draw the section."""
    row_label(_("root"))
    is_on = frame.view.playback.root is Root.TRAVEL
    changed, _is_on = imgui.checkbox(labeled(str(ROOT_TRAVEL), "root_travel"), is_on)
    tooltip(
        (
            _("The first node keeps its stored translation if it has no parent."),
            _("The game leaves it out: there the controller moves the body."),
        )
    )
    if changed:
        frame.change(lambda view: replace(view, playback=view.playback.with_other_root()))
    if frame.document is not None and frame.document.animation.is_animated:
        _draw_played(frame, frame.document)
    if frame.document is not None and frame.document.controller.channels:
        _draw_channels(frame)


def _draw_played(frame: UiContext, document: Document) -> None:
    """Draw what is played, with buttons to the ones before and after it."""
    row_label(_("played"))
    for icon, name, step, hint in (
        (fa.ICON_FA_CARET_LEFT, "previous_clip", -1, _("Previous clip") + "\nShift+Left"),
        (fa.ICON_FA_CARET_RIGHT, "next_clip", 1, _("Next clip") + "\nShift+Right"),
    ):
        if icon_button(icon, name, hint):
            frame.change(partial(step_playable, document=document, ranges=frame.state.ranges, step=step))
        imgui.same_line(0, theme.em(0.2))
    clip = document.controller.clip(frame.view.playback.clip)
    imgui.align_text_to_frame_padding()
    if clip is not None:
        text(clip_name(clip))
        if clip.is_guess:
            imgui.same_line(0, theme.em(0.5))
            text(_("guess"), theme.FAINT)
    else:
        text(_("Whole strip") if frame.view.frames is None else range_text(frame.view.frames))


def _draw_channels(frame: UiContext) -> None:
    row_label(_("channels"))
    playback = frame.view.playback
    imgui.begin_disabled(not (playback.channels or playback.turning))
    if imgui.button(labeled(_("Reset all"), "reset_channels")):
        frame.change(reset_channels)
    imgui.end_disabled()


def draw_ghosts(frame: UiContext) -> None:
    """Draw the section."""
    ghosts = frame.view.ghosts
    row_label(_("show"))
    is_on = Overlay.GHOSTS in frame.view.overlays
    changed, _is_on = imgui.checkbox(labeled(name_of(Overlay.GHOSTS), "ghosts"), is_on)
    tooltip((_("The model before and after the current time"), _("Key: {keys}", keys="Shift+G")))
    if changed:
        frame.change(lambda view: toggle_overlay(view, Overlay.GHOSTS))
    row_label(_("before"))
    before, color_before = _draw_side("before", ghosts.before, ghosts.color_before)
    row_label(_("after"))
    after, color_after = _draw_side("after", ghosts.after, ghosts.color_after)
    row_label(_("step"))
    imgui.set_next_item_width(-1)
    words = counted(ghosts.step, "{count} frame", "{count} frames")
    step = imgui.slider_int("###step", ghosts.step, 1, LONGEST_STEP, words, _GHOST_STEPS)[1]
    chosen = Ghosts(before, after, step, color_before, color_after)
    if chosen != ghosts:
        frame.change(lambda view: replace(view, ghosts=chosen))


def _draw_side(name: str, count: int, color: Rgb) -> tuple[int, Rgb]:
    """Draw how many ghosts there are on a side, and their color; return both as they are then."""
    room = imgui.get_frame_height() + imgui.get_style().item_spacing.x
    imgui.set_next_item_width(max(imgui.get_content_region_avail().x - room, theme.em(_SLIDER_ROOM)))
    count = imgui.slider_int(f"###{name}", count, 0, MOST_GHOSTS, "%d", _SLIDER)[1]
    imgui.same_line()
    flags = imgui.ColorEditFlags_.no_inputs | imgui.ColorEditFlags_.no_label
    changed, chosen = imgui.color_edit3(f"###color_{name}", list(color), flags)
    return count, (chosen[0], chosen[1], chosen[2]) if changed else color


SECTIONS: Final[tuple[tuple[str, Text, Callable[[UiContext], None]], ...]] = (
    ("light", _("Light"), draw_light),
    ("parts", _("Parts"), draw_parts),
    ("motion", _("Motion"), draw_motion),
    ("ghosts", _("Ghosts"), draw_ghosts),
)
"""Id, title and contents of each section."""


class DisplayPanel:
    """What applies to every model alike."""

    id = "display"
    title = _("Display")

    def draw(self, frame: UiContext) -> None:
        """Draw the sections."""
        for key, title, draw in SECTIONS:
            if section(labeled(str(title), key)):
                with identified(key):
                    draw(frame)
