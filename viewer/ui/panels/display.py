"""Display panel: how models are drawn, with sections for parts, light and motion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui
from msgspec.structs import replace

from viewer.model.mesh.portals import KINDS, PortalKind
from viewer.model.mesh.shown import COARSEST, CellRule
from viewer.operations.reading_options import OF_GROUND
from viewer.session import field_text
from viewer.session.opened.document import Document
from viewer.session.play.material_play import clan_count
from viewer.session.play.playback import LONGEST_STEP, MOST_GHOSTS, Ghosts, Rgb, Root
from viewer.session.play.playing import reset_channels, step_playable
from viewer.session.play.stage import documents_of
from viewer.session.view import view_state
from viewer.session.view.around import AROUND
from viewer.session.view.options.drawn_parts import OF_BUILDING, OF_CELLS, OF_EYE, OF_PORTALS
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.textures import OF_TERRAIN
from viewer.session.view.view_state import LOD_COUNT
from viewer.translation import Text, _, count_text
from viewer.ui.context import UiContext
from viewer.ui.display.background import draw_background
from viewer.ui.display.light import draw_light
from viewer.ui.display.option_controls import draw_option, draw_options
from viewer.ui.display.rows import SLIDER, continue_row
from viewer.ui.display.section import draw_section
from viewer.ui.timeline.machinery_fields import draw_machinery
from viewer.ui.timeline.play_list import clip_name, range_text
from viewer.ui.viewport.obstacles import is_missing
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.controls import row_label
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.widgets import icon_button, identified, labeled, section, text, tooltip

_GHOST_STEPS: Final = SLIDER | imgui.SliderFlags_.logarithmic
_SLIDER_ROOM: Final = 4.0
"""Least width of a slider next to something else, font heights."""


def draw_parts(frame: UiContext) -> None:
    """Draw the Parts section of the Display panel."""
    draw_options(frame, OF_CELLS)
    row_label(_("LOD"))
    _draw_lods(frame)
    row_label(_("group"))
    _draw_groups(frame)
    if field_text.is_terrain(frame.document):
        _draw_ground(frame)
        return
    draw_options(frame, OF_EYE, _("view"))
    draw_options(frame, OF_BUILDING)
    row_label("")
    _draw_portals(frame)
    _draw_clan(frame)
    _draw_around(frame)


def _draw_lods(frame: UiContext) -> None:
    """The LODs of the model, as in the game with the destroyed model after the last one."""
    view, document = frame.view, frame.document
    is_game = view.drawn.cells is CellRule.GAME
    last = LOD_COUNT - 1 if not is_game or document is None else document.chooser.lod_count - 1
    last = max(last, view.lod)  # keys and the toolbar choose any row, also one that the model leaves empty
    most = last + (is_game and not field_text.is_terrain(document))
    chosen = most if view.parts.is_destroyed else view.lod
    words = _("destroyed") if chosen > last else field_text.lod_name(document, chosen)
    imgui.set_next_item_width(-1)
    changed, chosen = imgui.slider_int("###lod", chosen, 0, most, words, SLIDER)
    tooltip([str(field_text.LOD_HINT), *([str(field_text.LIFE_0)] if most > last else [])])
    if changed:
        frame.change(
            view_state.with_destruction if chosen > last else lambda view: view_state.with_lod(view, chosen)
        )


def _draw_groups(frame: UiContext) -> None:
    view = frame.view
    draw_option(frame, "drawn.has_auto_detail")
    continue_row(theme.em(_SLIDER_ROOM))
    imgui.set_next_item_width(-1)
    group = view.parts.group
    words = field_text.group_name(frame.document, group)
    most = max(COARSEST, group)  # keys and the toolbar choose the group of the own view too
    changed, group = imgui.slider_int("###group", group, 0, most, words, SLIDER)
    tooltip(str(field_text.GROUP_HINT))
    if changed:
        frame.change(lambda view: view_state.with_group(view, group))


def _draw_ground(frame: UiContext) -> None:
    """The reading of the materials of a terrain, and what of them is shown."""
    draw_options(frame, OF_GROUND)
    draw_options(frame, OF_TERRAIN, _("show"))
    row_label(_("water"))
    text(_("texture times light"), theme.DIM)
    tooltip(_("Low certainty: the game mirrors the scene in it through a bump map"))


def _draw_portals(frame: UiContext) -> None:
    found = documents_of(frame.state.stage)
    total: Counter[PortalKind] = Counter()
    for document in found:
        total.update(document.chooser.portal_counts())
    counts = {kind: total[kind] for kind in KINDS if total[kind]}
    words = ", ".join(field_text.portal_count(kind, count) for kind, count in counts.items()) or _("none")
    _draw_overlay(frame, Overlay.PORTALS, words, is_enabled=not found or bool(counts))
    if counts:
        draw_options(frame, OF_PORTALS)


def _draw_clan(frame: UiContext) -> None:
    """The clan of the object, if any material has a block for each."""
    count = max((clan_count(it.materials.rows) for it in documents_of(frame.state.stage)), default=0)
    if not count:
        return
    row_label(_("clan"))
    imgui.set_next_item_width(-1)
    play = frame.view.materials
    changed, clan = imgui.slider_int("###clan", min(play.clan, count - 1), 0, count - 1, "%d", SLIDER)
    tooltip(
        [
            _("A material of several blocks shows the block of the clan, past its last one block 0."),
            _("In a single-player game clan i shows block i; in others the numbers are not known."),
        ]
    )
    if changed:
        frame.change(lambda view: replace(view, materials=view.materials.of_clan(clan)))


def _draw_around(frame: UiContext) -> None:
    """The overlays of what is around the model, those that it has."""
    document = frame.document
    found = [it for it in AROUND.items() if not is_missing(document, it[0])]
    for number, (overlay, table) in enumerate(found):
        row_label("" if number else _("around"))
        _draw_overlay(frame, overlay, count_text(0 if document is None else document.row_count(table)))


def _draw_overlay(frame: UiContext, overlay: Overlay, count: str, *, is_enabled: bool = True) -> None:
    """Draw the switch of an overlay, and how many things it shows."""
    is_on = overlay in frame.view.overlays
    if controls.checkbox(name_of(overlay), overlay.value, is_on=is_on, is_enabled=is_enabled):
        frame.change(partial(view_state.toggle_overlay, overlay=overlay))
    continue_row(imgui.calc_text_size(count).x)
    text(count, theme.DIM)


ROOT_TRAVEL: Final = _("Root travel")


def draw_motion(frame: UiContext) -> None:
    """Draw the Motion section of the Display panel."""
    row_label(_("root"))
    hint = (
        _("The first node keeps its stored translation if it has no parent."),
        _("The game leaves it out: there the controller moves the body."),
    )
    is_on = frame.view.playback.root is Root.TRAVEL
    if controls.checkbox(ROOT_TRAVEL, "root_travel", hint, is_on=is_on):
        frame.change(lambda view: replace(view, playback=view.playback.with_other_root()))
    draw_machinery(frame)
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
    is_moved = bool(frame.view.playback.channels or frame.view.playback.turning)
    if controls.button(_("Reset all"), "reset_channels", is_enabled=is_moved):
        frame.change(reset_channels)


def draw_ghosts(frame: UiContext) -> None:
    """Draw the Ghosts section of the Display panel."""
    ghosts = frame.view.ghosts
    row_label(_("show"))
    is_on = Overlay.GHOSTS in frame.view.overlays
    hint = _("The model before and after the current time"), _("Key: {keys}", keys=Overlay.GHOSTS.doc.keys)
    if controls.checkbox(name_of(Overlay.GHOSTS), "ghosts", hint, is_on=is_on):
        frame.change(partial(view_state.toggle_overlay, overlay=Overlay.GHOSTS))
    row_label(_("before"))
    before, color_before = _draw_side("before", ghosts.before, ghosts.color_before)
    row_label(_("after"))
    after, color_after = _draw_side("after", ghosts.after, ghosts.color_after)
    row_label(_("step"))
    imgui.set_next_item_width(-1)
    words = field_text.counted(ghosts.step, "{count} frame", "{count} frames")
    step = imgui.slider_int("###step", ghosts.step, 1, LONGEST_STEP, words, _GHOST_STEPS)[1]
    chosen = Ghosts(before, after, step, color_before, color_after)
    if chosen != ghosts:
        frame.change(lambda view: replace(view, ghosts=chosen))


def _draw_side(name: str, count: int, color: Rgb) -> tuple[int, Rgb]:
    """Draw how many ghosts there are on a side, and their color; return both as they are then."""
    room = imgui.get_frame_height() + imgui.get_style().item_spacing.x
    imgui.set_next_item_width(max(imgui.get_content_region_avail().x - room, theme.em(_SLIDER_ROOM)))
    count = imgui.slider_int(f"###{name}", count, 0, MOST_GHOSTS, "%d", SLIDER)[1]
    imgui.same_line()
    flags = imgui.ColorEditFlags_.no_inputs | imgui.ColorEditFlags_.no_label
    changed, chosen = imgui.color_edit3(f"###color_{name}", list(color), flags)
    return count, (chosen[0], chosen[1], chosen[2]) if changed else color


SECTIONS: Final[tuple[tuple[str, Text, Callable[[UiContext], None]], ...]] = (
    ("light", _("Light"), draw_light),
    ("parts", _("Parts"), draw_parts),
    ("motion", _("Motion"), draw_motion),
    ("ghosts", _("Ghosts"), draw_ghosts),
    ("section", _("Section"), draw_section),
    ("background", _("Background"), draw_background),
)
"""Id, title and contents of each section."""


class DisplayPanel:
    """The settings that apply to every model alike."""

    id = "display"
    title = _("Display")

    def draw(self, frame: UiContext) -> None:
        """Draw the sections of the Display panel."""
        for key, title, draw in SECTIONS:
            if section(labeled(str(title), key)):
                with identified(key):
                    draw(frame)
