"""Timeline panel: playback controls, and the time axis with the keys of the selected node."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.session.opened.document import Document
from viewer.session.selection import Selection
from viewer.session.view import timeline
from viewer.session.view.timeline import FRAME, material_time
from viewer.session.view.view_state import Loop, ViewState
from viewer.translation import Message, _
from viewer.ui.context import UiContext, ViewChange
from viewer.ui.widgets import theme
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.ruler import Ruler, Times, key_at, key_times, next_time
from viewer.ui.widgets.speed_field import draw_speed
from viewer.ui.widgets.widgets import empty, fitting, icon_button, text, tooltip

_LOOPS: Final = {
    Loop.LOOP: fa.ICON_FA_REPEAT,
    Loop.ONCE: fa.ICON_FA_ARROW_RIGHT_LONG,
    Loop.PING_PONG: fa.ICON_FA_RIGHT_LEFT,
}
KEY_REACH: Final = 0.45
"""Distance at which a click hits a key, in font heights."""
SPEED_WIDTH: Final = 6.5
"""Of its field, in font heights."""
_FRAME_HINTS: Final = (
    Message("The engine rounds time - 0.5 to the nearest even: odd whole times show the previous frame."),
    Message("Between frames the keys are interpolated."),
)


class TimelinePanel:
    """Playback controls above, the time axis below."""

    id = "timeline"
    title = Message("Timeline")

    def __init__(self) -> None:
        self._document: Document | None = None
        self._made_of: tuple[object, ...] = ()
        self._times: Times = np.empty(0, np.float32)

    def draw(self, frame: UiContext) -> None:
        """Draw the transport and the axis of the open document."""
        document = frame.document
        if document is None:
            empty(_("The animation of the open model appears here."))
            return
        if document.last_frame == 0:
            empty(_("No animation: a single frame and no animated materials."))
            return
        times = self._times_of(document, frame.view)
        _draw_transport(frame, document, times)
        _draw_axis(frame, document, times)

    def _times_of(self, document: Document, view: ViewState) -> Times:
        """Return the key times to mark; computed when selection or materials change."""
        made_of = view.selection.node, view.materials
        if self._document is not document or self._made_of != made_of:
            self._document, self._made_of = document, made_of
            self._times = key_times(document, view)
        return self._times


def _draw_transport(frame: UiContext, document: Document, times: Times) -> None:
    last = document.last_frame
    _button(frame, fa.ICON_FA_BACKWARD_FAST, "first", _("First frame") + "\nShift+Home", _seek(0, last))
    _button(frame, fa.ICON_FA_BACKWARD_STEP, "back", _("Previous frame") + "\nLeft", _step(-1, last))
    is_playing = frame.view.is_playing
    icon = fa.ICON_FA_PAUSE if is_playing else fa.ICON_FA_PLAY
    hint = (_("Pause") if is_playing else _("Play")) + "\nSpace"
    _button(frame, icon, "play", hint, lambda view: timeline.play(view, last), is_on=is_playing)
    _button(frame, fa.ICON_FA_FORWARD_STEP, "on", _("Next frame") + "\nRight", _step(1, last))
    _button(frame, fa.ICON_FA_FORWARD_FAST, "last", _("Last frame") + "\nShift+End", _seek(last, last))
    imgui.same_line(0, theme.em(0.8))
    before, after = (next_time(times, frame.view.time, step) for step in (-1, 1))
    _button(frame, fa.ICON_FA_CARET_LEFT, "previous_key", _("Previous key") + "\nJ", _seek(before, last))
    _button(frame, fa.ICON_FA_CARET_RIGHT, "next_key", _("Next key") + "\nK", _seek(after, last))
    imgui.same_line(0, theme.em(0.8))
    _draw_loop(frame)
    draw_speed(frame, SPEED_WIDTH)
    _draw_now(frame, document)


def _button(
    frame: UiContext,
    icon: str,
    name: str,
    hint: str,
    change: ViewChange,
    *,
    is_on: bool = False,
) -> None:
    if icon_button(icon, name, hint, is_on=is_on):
        frame.change(change)
    imgui.same_line(0, theme.em(0.2))


def _seek(time: float, last: float) -> ViewChange:
    return lambda view: timeline.seek(replace(view, is_playing=False), time, last)


def _step(frames: int, last: float) -> ViewChange:
    return lambda view: timeline.step(view, frames, last)


def _draw_loop(frame: UiContext) -> None:
    modes = list(Loop)
    following = modes[(modes.index(frame.view.loop) + 1) % len(modes)]
    now, after = name_of(frame.view.loop), name_of(following)
    hint = _("Playback mode: {now}\nClick: {next}. {key}: toggle ping-pong").format(
        now=now, next=after, key="P"
    )
    _button(frame, _LOOPS[frame.view.loop], "loop", hint, lambda view: replace(view, loop=following))


def _draw_now(frame: UiContext, document: Document) -> None:
    """The time and the frame, right-aligned, shortened to the space available."""
    imgui.same_line(0, theme.em(0.8))
    is_still = document.has_only_materials_moving
    choices = material_times(frame.view, document.last_frame) if is_still else _times(frame, document)
    room = imgui.get_content_region_avail().x
    words = fitting(choices, room)
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + room - imgui.calc_text_size(words).x)
    imgui.align_text_to_frame_padding()
    text(words, theme.DIM)
    seconds = material_time(frame.view) / 1e3
    clock = _("Material time {seconds:.2f} s (keeps running when the animation loops)")
    tooltip([*([] if is_still else map(str, _FRAME_HINTS)), clock.format(seconds=seconds)])


def _times(frame: UiContext, document: Document) -> tuple[str, ...]:
    """The time and the frame that the engine shows, from long to short."""
    shown = frame.pose.frame if frame.pose is not None else 0
    time = f"{frame.view.time:.2f}"
    long = _("time {time}   frame {frame} of 0..{last:g}")
    short = _("{time}   frame {frame}").format(time=time, frame=shown)
    return long.format(time=time, frame=shown, last=document.last_frame), short, time


def material_times(view: ViewState, last: float) -> tuple[str, ...]:
    """Return the material time in seconds as texts from long to short.

    It keeps running when the animation loops, so the position on the axis does not show it.
    """
    now, end = (_("{time:.2f} s").format(time=time / 1e3) for time in (material_time(view), last * FRAME))
    loop = 1 + round(view.past / last)
    words = _("{now} of {end}") if loop == 1 else _("{now} in loop {loop} of {end} each")
    short = words.format(now=now, end=end, loop=loop)
    return _("materials only   {time}").format(time=short), short, now


def _draw_axis(frame: UiContext, document: Document, times: Times) -> None:
    room = imgui.get_content_region_avail()
    size = ImVec2(max(room.x, theme.em(4)), max(room.y, theme.em(2.6)))
    origin = imgui.get_cursor_screen_pos()
    imgui.invisible_button("scrub", size)
    ruler = Ruler(origin.x + theme.em(0.8), size.x - theme.em(1.6), document.last_frame)
    if imgui.is_item_activated():
        _select_key(frame, document, ruler)
    if imgui.is_item_active():
        _scrub(frame, ruler, document.last_frame)
    painter = imgui.get_window_draw_list()
    end = ImVec2(origin.x + size.x, origin.y + size.y)
    painter.push_clip_rect(origin, end, True)
    painter.add_rect_filled(origin, end, theme.packed(theme.BACKDROP, 0.6), theme.em(0.25))
    _paint_marks(painter, ruler, origin.y, end.y)
    is_chosen = frame.view.selection.node is not None
    _paint_keys(painter, ruler.places_of(times), end.y, is_chosen=is_chosen)
    if frame.view.selection.key is not None and frame.view.selection.key < len(document.model.keys):
        _paint_key(painter, ruler.x_of(float(document.model.keys["time"][frame.view.selection.key])), end.y)
    if document.has_only_materials_moving:
        place = ImVec2(ruler.left, end.y - theme.em(2))
        painter.add_text(place, theme.packed(theme.DIM), _("No node animation: these are material phases."))
    _paint_cursor(painter, ruler.x_of(frame.view.time), origin.y, end.y)
    painter.pop_clip_rect()
    if not imgui.is_item_active():
        tooltip([_("Drag to scrub; Shift: between frames"), _("Click a key of the selected node: select it")])


def _select_key(frame: UiContext, document: Document, ruler: Ruler) -> None:
    """Select the key of the active node that was clicked."""
    node = frame.view.selection.node
    if node is None or document.has_only_materials_moving:
        return
    key = key_at(document.animation, node, ruler, imgui.get_mouse_pos().x, theme.em(KEY_REACH))
    if key is not None:
        frame.change(lambda view: replace(view, selection=Selection((node,), key=key)))


def _scrub(frame: UiContext, ruler: Ruler, last: float) -> None:
    time = ruler.time_of(imgui.get_mouse_pos().x)
    requested = time if imgui.get_io().key_shift else float(round(time))
    frame.change(lambda view: timeline.seek(replace(view, is_playing=False), requested, last))


def _paint_marks(painter: imgui.ImDrawList, ruler: Ruler, top: float, bottom: float) -> None:
    color, faint = theme.packed(theme.DIM), theme.packed(theme.FAINT, 0.45)
    for mark in ruler.marks(theme.em(3)):
        x = round(ruler.x_of(mark))
        painter.add_line(ImVec2(x, top + theme.em(1.2)), ImVec2(x, bottom), faint)
        words = str(mark)
        painter.add_text(ImVec2(x - imgui.calc_text_size(words).x / 2, top + theme.em(0.1)), color, words)


def _paint_keys(
    painter: imgui.ImDrawList, places: npt.NDArray[np.float64], bottom: float, *, is_chosen: bool
) -> None:
    """Ticks at the keys of the active node; dimmed ticks of all nodes if none is selected."""
    color = theme.packed(theme.SELECTION if is_chosen else theme.FAINT)
    top, foot = bottom - theme.em(0.8), bottom - theme.em(0.15)
    for x in places.tolist():
        painter.add_line(ImVec2(x, top), ImVec2(x, foot), color, theme.em(0.12))


def _paint_key(painter: imgui.ImDrawList, x: float, bottom: float) -> None:
    """Mark the selected key."""
    half = theme.em(0.3)
    painter.add_circle_filled(ImVec2(x, bottom - theme.em(0.8)), half, theme.packed(theme.SELECTION))


def _paint_cursor(painter: imgui.ImDrawList, x: float, top: float, bottom: float) -> None:
    color, half = theme.packed(theme.ACCENT), theme.em(0.35)
    painter.add_line(ImVec2(x, top), ImVec2(x, bottom), color, theme.em(0.1))
    painter.add_triangle_filled(
        ImVec2(x - half, top), ImVec2(x + half, top), ImVec2(x, top + half * 1.3), color
    )
