"""The playback controls of the timeline: buttons, loop, speed, and the current time as text."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.session.opened.document import Document
from viewer.session.view import timeline
from viewer.session.view.timeline import FRAME, TimeAxis, material_time
from viewer.session.view.view_state import Loop, ViewState
from viewer.translation import Message, _
from viewer.ui.context import UiContext, ViewChange
from viewer.ui.widgets import theme
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.ruler import Times, next_time
from viewer.ui.widgets.speed_field import draw_speed
from viewer.ui.widgets.widgets import fitting, icon_button, text, tooltip

_LOOPS: Final = {
    Loop.LOOP: fa.ICON_FA_REPEAT,
    Loop.ONCE: fa.ICON_FA_ARROW_RIGHT_LONG,
    Loop.PING_PONG: fa.ICON_FA_RIGHT_LEFT,
}
SPEED_WIDTH: Final = 6.5
"""Of its field, in font heights."""
_FRAME_HINTS: Final = (
    Message("The engine rounds time - 0.5 to the nearest even: odd whole times show the previous frame."),
    Message("Between frames the keys are interpolated."),
)


def draw_transport(frame: UiContext, document: Document, times: Times) -> None:
    """Draw the line of controls; `times` are those of the keys that are marked."""
    axis = frame.axis
    _button(
        frame, fa.ICON_FA_BACKWARD_FAST, "first", _("First frame") + "\nShift+Home", _end(axis, is_last=False)
    )
    _button(frame, fa.ICON_FA_BACKWARD_STEP, "back", _("Previous frame") + "\nLeft", _step(-1, axis))
    is_playing = frame.view.is_playing
    icon = fa.ICON_FA_PAUSE if is_playing else fa.ICON_FA_PLAY
    hint = (_("Pause") if is_playing else _("Play")) + "\nSpace"
    _button(frame, icon, "play", hint, lambda view: timeline.play(view, axis), is_on=is_playing)
    _button(frame, fa.ICON_FA_FORWARD_STEP, "on", _("Next frame") + "\nRight", _step(1, axis))
    _button(frame, fa.ICON_FA_FORWARD_FAST, "last", _("Last frame") + "\nShift+End", _end(axis, is_last=True))
    imgui.same_line(0, theme.em(0.8))
    before, after = (next_time(times, frame.view.time, step) for step in (-1, 1))
    _button(frame, fa.ICON_FA_CARET_LEFT, "previous_key", _("Previous key") + "\nJ", _seek(before, axis))
    _button(frame, fa.ICON_FA_CARET_RIGHT, "next_key", _("Next key") + "\nK", _seek(after, axis))
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


def _seek(time: float, axis: TimeAxis) -> ViewChange:
    return lambda view: timeline.seek(replace(view, is_playing=False), time, axis)


def _end(axis: TimeAxis, *, is_last: bool) -> ViewChange:
    return lambda view: timeline.seek_end(view, axis, is_last=is_last)


def _step(frames: int, axis: TimeAxis) -> ViewChange:
    return lambda view: timeline.step(view, frames, axis)


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
