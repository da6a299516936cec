"""A unit assembled: its image, what its chassis plays, and its parts with their objects and channels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.formats.units import COMPONENT
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.game.assembly import MountedPart
from viewer.model.game.sockets import fits
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.play import timeline
from viewer.session.play.playback import MOST_APART
from viewer.session.play.unit_posing import view_of, with_playback
from viewer.session.selection import Selection
from viewer.session.view.view_state import ViewState, hide, isolate, show, show_all
from viewer.translation import _, translated
from viewer.ui.context import UiContext, ViewChange
from viewer.ui.timeline.clip_axis import draw_channel
from viewer.ui.timeline.play_list import Playable, entry_at
from viewer.ui.viewport.stage_view import StageView
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.widgets import ghost_button, icon_button, identified, labeled, text, tooltip, wrapped

SIDE: Final = 24.0
"""Width of what is next to the image, in font heights."""
MOST_LISTED: Final = 64
"""Parts whose channels are listed."""
_CHANNELS: Final = imgui.TableFlags_.row_bg | imgui.TableFlags_.no_saved_settings


class AssemblyView:
    """The image of one unit and its controls."""

    def __init__(self, stage: StageView) -> None:
        self._stage = stage
        self._choices: Cached[dict[int, dict[str, str]]] = Cached(dict)

    def draw(self, frame: UiContext, opened: OpenedResource, height: float) -> None:
        """Draw the image and, next to it, what plays and the parts."""
        unit = opened.unit
        assert unit is not None
        room = imgui.get_content_region_avail()
        side = min(theme.em(SIDE), room.x / 2)
        self._stage.draw_in(frame, ImVec2(room.x - side, height))
        imgui.same_line()
        if imgui.begin_child("controls", ImVec2(0, height)):
            _draw_transport(frame)
            _draw_clips(frame, unit)
            _draw_distance(frame)
            if unit.problem:
                wrapped(translated(unit.problem), theme.WARNING)
            for part in list(unit.drawn)[:MOST_LISTED]:
                with identified(part.component):
                    self._draw_part(frame, opened, unit, part)
        imgui.end_child()

    def _draw_part(
        self, frame: UiContext, opened: OpenedResource, unit: AssembledUnit, part: MountedPart
    ) -> None:
        """Draw a part: its name, the object that it is, and its channels."""
        row, document = part.component, unit.documents[part.component]
        is_selected = row in frame.view.selection.nodes
        imgui.separator()
        imgui.align_text_to_frame_padding()
        width = theme.em(9)
        name = labeled(opened.component_name(row), "part")
        if imgui.selectable(name, is_selected, imgui.SelectableFlags_.none, ImVec2(width, 0))[0]:
            frame.change(_selecting(None if is_selected else row))
        tooltip([*filter(None, (part.called, part.key)), str(document.address)])
        imgui.same_line(width + theme.em(0.6))
        if row < len(opened.value.components):
            self._draw_object(frame, opened, unit, part)
        else:
            text(part.key, theme.WARNING)
            tooltip(_("tried on, not in the file"))
        channels = document.controller.channels
        if not channels or not imgui.begin_table("##channels", 2, _CHANNELS):
            return
        own = replace(frame, view=view_of(unit, frame.view, row), change=_of_part(frame, unit, row))
        for channel in channels:
            imgui.table_next_row()
            with identified(channel.index):
                draw_channel(own, document, channel)
        imgui.end_table()

    def _draw_object(
        self, frame: UiContext, opened: OpenedResource, unit: AssembledUnit, part: MountedPart
    ) -> None:
        """Draw the list of objects that may take the place of a part."""
        imgui.set_next_item_width(-1)
        is_open = imgui.begin_combo("###object", part.key)
        label = unit.label(part.component)
        hint = _("Another object of the registry in its place; one undo step")
        tooltip([hint, _("the socket accepts {label}", label=label)] if label else hint)
        if not is_open:
            return
        known = self._choices.of((unit,))
        if part.component not in known:
            known[part.component] = unit.choices(part.component)
        for key, called in known[part.component].items():
            color = theme.TEXT if not label or fits(label, key) else theme.FAINT
            imgui.push_style_color(imgui.Col_.text, theme.vector(color))
            words = labeled(f"{key}   {called}" if called else key, key)
            if imgui.selectable(words, key == part.key)[0] and key != part.key:
                change = SetField(COMPONENT.name, RowChoice.of(part.component), "key", key)
                frame.later(frame.control.edits.edit, opened.address, (change,))
            imgui.pop_style_color()
        imgui.end_combo()


def draw_switches(frame: UiContext, unit: AssembledUnit, component: int) -> None:
    """Draw the buttons that hide, isolate and select a part with all that hangs on it."""
    if component not in unit.documents or not unit.parts[component].is_drawn:
        return
    view, below, gap = frame.view, unit.below(component), theme.em(0.2)
    is_hidden = component in view.hidden
    icon, color = (fa.ICON_FA_EYE_SLASH, theme.FAINT) if is_hidden else (fa.ICON_FA_EYE, theme.DIM)
    words = _("Show with all that hangs on it") if is_hidden else _("Hide with all that hangs on it")
    if ghost_button(icon, f"eye{component}", words, color):
        frame.change(lambda view: show(view, below) if is_hidden else hide(view, below))
    imgui.same_line(0, gap)
    is_isolated = view.isolated is not None and component in view.isolated
    words = _("Isolate with all that hangs on it; again: show all")
    color = theme.SELECTION if is_isolated else theme.FAINT
    if ghost_button(fa.ICON_FA_CROSSHAIRS, f"isolate{component}", words, color):
        frame.change(lambda view: isolate(view, () if is_isolated else below))
    imgui.same_line(0, gap)
    is_selected = component in view.selection.nodes
    color = theme.ACCENT if is_selected else theme.FAINT
    if ghost_button(fa.ICON_FA_ARROW_POINTER, f"select{component}", _("Select it in the image"), color):
        frame.change(_selecting(None if is_selected else component))


def _selecting(part: int | None) -> ViewChange:
    return lambda view: replace(view, selection=Selection(() if part is None else (part,)))


def _of_part(frame: UiContext, unit: AssembledUnit, component: int) -> Callable[[ViewChange], None]:
    """Queues changes of the view of one part: of what it plays; a node that is chosen chooses the part."""

    def change(make: ViewChange) -> None:
        def changed(view: ViewState) -> ViewState:
            before = replace(view_of(unit, view, component), selection=Selection())
            after = make(before)
            view = with_playback(unit, view, component, after.playback)
            return view if after.selection == before.selection else _selecting(component)(view)

        frame.change(changed)

    return change


def _draw_transport(frame: UiContext) -> None:
    is_playing, gap = frame.view.is_playing, theme.em(0.2)
    icon = fa.ICON_FA_PAUSE if is_playing else fa.ICON_FA_PLAY
    if icon_button(icon, "play", _("Pause") if is_playing else _("Play"), is_on=is_playing):
        frame.change(lambda view: replace(view, is_playing=not is_playing))
    imgui.same_line(0, gap)
    if icon_button(fa.ICON_FA_EXPAND, "frame", _("Show all of it")):
        frame.later(frame.control.camera.frame_all)
    imgui.same_line(0, gap)
    is_whole = not frame.view.hidden and frame.view.isolated is None
    if icon_button(fa.ICON_FA_EYE, "show_all", _("Show all parts"), is_enabled=not is_whole):
        frame.change(show_all)
    imgui.same_line(0, gap)
    if icon_button(fa.ICON_FA_PUZZLE_PIECE, "parts", _("Try on parts that fit its sockets…")):
        frame.later(frame.control.panels.show_parts)
    imgui.same_line(0, gap)
    if icon_button(fa.ICON_FA_FILE_EXPORT, "export", _("Export the assembled unit…")):
        frame.later(frame.control.exporting.show)
    imgui.same_line(0, gap)
    imgui.set_next_item_width(-1)
    last = frame.state.axis.end
    changed, time = imgui.slider_float("###scrubber", timeline.now(frame.view), 0.0, max(last, 1e-3), "%.1f")
    tooltip(_("Frames of what the chassis plays"))
    if changed:
        frame.change(lambda view: timeline.at(view, time, past=0.0, is_playing=False))


def _draw_clips(frame: UiContext, unit: AssembledUnit) -> None:
    """Draw the clips of the chassis."""
    chassis = unit.chassis
    if chassis is None:
        return
    clips = len(chassis.controller.clips)
    entries = [entry_at(chassis, (), place) for place in range(1 + clips)]
    chosen = next((it.name for it in entries if it.is_chosen(frame.view)), entries[0].name)
    imgui.set_next_item_width(-1)
    if imgui.begin_combo("###clip", chosen):
        for entry in entries:
            if imgui.selectable(labeled(entry.name, entry.key), entry.is_chosen(frame.view))[0]:
                frame.change(partial(_playing, entry=entry))
            tooltip(entry.hints)
        imgui.end_combo()
    tooltip(_("What the chassis plays; the parts on it follow their sockets"))


def _playing(view: ViewState, entry: Playable) -> ViewState:
    return replace(entry.choose(view), is_playing=True)


def _draw_distance(frame: UiContext) -> None:
    imgui.set_next_item_width(-1)
    explode = frame.view.unit.explode
    words = _("apart {factor}", factor=f"{explode:.2f}") if explode else _("assembled")
    changed, value = imgui.slider_float(
        "###explode", explode, 0.0, MOST_APART, words.replace("%", "%%"), imgui.SliderFlags_.always_clamp
    )
    tooltip(_("Moves each part away from the part that it hangs on; the camera shows all of it"))
    if changed:
        frame.change(lambda view: replace(view, unit=replace(view.unit, explode=value)))
        frame.later(frame.control.camera.frame_all)
