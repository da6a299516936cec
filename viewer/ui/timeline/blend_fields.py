"""Fields below the list of what can be played: a second time or clip to blend with, the part of a clip."""

from __future__ import annotations

from functools import partial
from math import isfinite
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui
from msgspec.structs import replace

from viewer.model.clips import playing
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.clips.controller import Controller
from viewer.session.opened.document import Document
from viewer.session.play.playback import Fade
from viewer.session.play.playing import with_part
from viewer.session.view.view_state import ViewState
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.timeline.play_list import clip_name
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import icon_button, labeled, tooltip

_CLAMP: Final = imgui.SliderFlags_.always_clamp
_NAME_SHARE: Final = 0.4
"""Share of a line that the name of a clip takes."""


def _gap() -> float:
    return theme.em(0.3)


def _width(buttons: int) -> float:
    """The width of a line next to its buttons and the gap between two fields, pixels."""
    return imgui.get_content_region_avail().x - buttons * (imgui.get_frame_height() + _gap()) - _gap()


def _weight(weight: float, width: float, hint: str) -> tuple[bool, float]:
    imgui.set_next_item_width(width)
    found: tuple[bool, float] = imgui.slider_float(
        "###blend_weight", weight, 0.0, 1.0, _("weight %.3f"), _CLAMP
    )
    tooltip(hint)
    imgui.same_line(0, _gap())
    return found


def begin_blend(view: ViewState) -> ViewState:
    """The view blended with its own time, to be moved from there; or no longer blended."""
    return _blended(view, None if view.playback.blend else (view.time, 0.5))


def _blended(view: ViewState, blend: tuple[float, float] | None) -> ViewState:
    return replace(view, playback=replace(view.playback, blend=blend))


def draw_blend(frame: UiContext, document: Document, blend: tuple[float, float]) -> None:
    """Draw the second time that all frames are blended with, its weight, and the button that ends it."""
    width = max(_width(1) / 2, theme.em(3))
    imgui.set_next_item_width(width)
    last = document.last_frame
    is_moved, time = imgui.drag_float("###blend_time", blend[0], 0.05, 0.0, last, _("frame %.2f"), _CLAMP)
    tooltip(_("The time that is blended with"))
    imgui.same_line(0, _gap())
    hint = _("Its weight; 0 shows the time of the axis alone, 1 the other")
    is_weighed, weight = _weight(blend[1], width, hint)
    if is_moved or is_weighed:
        frame.change(lambda view: _blended(view, (time, weight)))
    if icon_button(fa.ICON_FA_XMARK, "end_blend", _("Blend no longer")):
        frame.change(lambda view: _blended(view, None))


def begin_fade(view: ViewState, controller: Controller) -> ViewState:
    """The view whose clip is blended with the next one that moves, or with none any more."""
    count, clip = len(controller.clips), view.playback.clip
    if view.playback.fade is not None or clip is None:
        return _faded(view, None)
    others = [(clip + step) % count for step in range(1, count)]
    moving = [other for other in others if controller.clips[other].moves]
    return _faded(view, Fade((moving or others)[0])) if others else view


def _faded(view: ViewState, fade: Fade | None) -> ViewState:
    return replace(view, playback=replace(view.playback, fade=fade))


def draw_fade(frame: UiContext, document: Document, fade: Fade) -> None:
    """Draw the clip that the one that plays is blended with, its time and weight, and what ends it."""
    controller = document.controller
    clip = controller.clip(fade.clip)
    if clip is None:
        return
    room = _width(2) - _gap()
    imgui.set_next_item_width(max(room * _NAME_SHARE, theme.em(3)))
    chosen = fade
    if imgui.begin_combo("##fade_clip", clip_name(clip)):
        for other in controller.clips:
            if imgui.selectable(labeled(clip_name(other), f"fade{other.index}"), other is clip)[0]:
                chosen = Fade(other.index, 0.0, fade.weight, fade.is_in_step)
        imgui.end_combo()
    tooltip(_("The clip that is blended with, as the engine blends two times"))
    imgui.same_line(0, _gap())
    width = max(room * (1 - _NAME_SHARE) / 2, theme.em(3))
    end = playing.duration(controller, clip)
    imgui.set_next_item_width(width)
    words = _("+%.2f s") if fade.is_in_step else _("%.2f s")
    end = end if isfinite(end) else 0.0
    is_moved, seconds = imgui.drag_float("###fade_time", fade.seconds, 0.005, 0.0, end, words, _CLAMP)
    tooltip(_("How much later it is than in step") if fade.is_in_step else _("Its time"))
    imgui.same_line(0, _gap())
    is_weighed, weight = _weight(fade.weight, width, _("Its weight; 0 shows the clip of the list alone"))
    if is_moved or is_weighed:
        chosen = replace(chosen, seconds=seconds, weight=weight)
    hint = _("In step: as far into its length as the clip of the list; off: frozen at its time")
    if icon_button(fa.ICON_FA_LINK, "fade_in_step", hint, is_on=fade.is_in_step):
        chosen = replace(chosen, is_in_step=not fade.is_in_step, seconds=0.0)
    imgui.same_line(0, _gap())
    if icon_button(fa.ICON_FA_XMARK, "end_fade", _("Blend no longer")):
        frame.change(lambda view: _faded(view, None))
    elif chosen != fade:
        frame.change(partial(_faded, fade=chosen))


def draw_part(frame: UiContext, part: tuple[float, float]) -> None:
    """Draw the first and the last second of the part of a clip that plays, and what plays all of it."""
    axis = frame.state.axis
    imgui.set_next_item_width(max(_width(1), theme.em(3)))
    is_moved, first, last = imgui.drag_float_range2(
        "###part", *part, 0.005, 0.0, axis.end / FRAME_RATE, _("from %.2f s"), _("to %.2f s"), _CLAMP
    )
    tooltip(_("The part of the clip that plays"))
    imgui.same_line(0, _gap())
    if icon_button(fa.ICON_FA_XMARK, "whole_clip", _("Play all of the clip")):
        frame.change(lambda view: with_part(view, axis, 0.0, axis.end))
    elif is_moved and first < last:
        frame.change(lambda view: with_part(view, axis, first * FRAME_RATE, last * FRAME_RATE))
