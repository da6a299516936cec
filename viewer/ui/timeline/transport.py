"""The playback controls of the timeline: buttons, loop, speed, and the current time as text."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.clips import playing
from viewer.model.clips.clip import Clip
from viewer.session.opened.document import Document
from viewer.session.play import timeline
from viewer.session.play.timeline import FRAME, TimeAxis, material_time
from viewer.session.view.view_state import Loop, ViewState
from viewer.translation import Message, _
from viewer.ui.context import UiContext, ViewChange
from viewer.ui.timeline.clip_texts import pairs, seconds_text
from viewer.ui.timeline.ranges import draw_marks
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
    axis = frame.state.axis
    first, last = _end(axis, is_last=False), _end(axis, is_last=True)
    _button(frame, fa.ICON_FA_BACKWARD_FAST, "first", _("First frame") + "\nShift+Home", first)
    _button(frame, fa.ICON_FA_BACKWARD_STEP, "back", _("Previous frame") + "\nLeft", _step(-1, axis))
    is_playing = frame.view.is_playing
    icon = fa.ICON_FA_PAUSE if is_playing else fa.ICON_FA_PLAY
    hint = (_("Pause") if is_playing else _("Play")) + "\nSpace"
    _button(frame, icon, "play", hint, lambda view: timeline.play(view, axis), is_on=is_playing)
    _button(frame, fa.ICON_FA_FORWARD_STEP, "on", _("Next frame") + "\nRight", _step(1, axis))
    _button(frame, fa.ICON_FA_FORWARD_FAST, "last", _("Last frame") + "\nShift+End", last)
    imgui.same_line(0, theme.em(0.8))
    if frame.view.playback.clip is None:
        before, after = (next_time(times, frame.view.time, step) for step in (-1, 1))
        _button(frame, fa.ICON_FA_CARET_LEFT, "previous_key", _("Previous key") + "\nJ", _seek(before, axis))
        _button(frame, fa.ICON_FA_CARET_RIGHT, "next_key", _("Next key") + "\nK", _seek(after, axis))
        imgui.same_line(0, theme.em(0.8))
        if document.animation.is_animated:
            draw_marks(frame)
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
    choices, hints = _now(frame, document)
    room = imgui.get_content_region_avail().x
    words = fitting(choices, room)
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + room - imgui.calc_text_size(words).x)
    imgui.align_text_to_frame_padding()
    text(words, theme.DIM)
    clock = _("Material time {seconds:.2f} s (keeps running when the animation loops)")
    tooltip([*map(str, hints), clock.format(seconds=material_time(frame.view) / 1e3)])


def _now(frame: UiContext, document: Document) -> tuple[tuple[str, ...], tuple[Message, ...]]:
    """The current time as texts from long to short, and what is said of it."""
    clip = document.controller.clip(frame.view.playback.clip)
    if clip is not None:
        return clip_times(document, clip, frame.view.playback.seconds), _FRAME_HINTS
    if document.has_only_materials_moving:
        return material_times(frame.view, document.last_frame), ()
    return _times(frame, document), _FRAME_HINTS


def clip_times(document: Document, clip: Clip, seconds: float) -> tuple[str, ...]:
    """Return the time in a clip and the frames that it shows, as texts from long to short."""
    controller = document.controller
    part, share = playing.position(controller, clip, seconds)
    frames = [
        f"{letter} {pair[0] + share * (pair[1] - pair[0]):.2f}"
        for letter, pair in zip("AB", pairs(part), strict=True)
        if pair is not None
    ]
    end = playing.duration(controller, clip)
    short = _("{now:.2f} s of {end:.2f} s").format(now=seconds, end=end)
    long = _("{time}   frame {frames}").format(time=short, frames="  ".join(frames))
    return long, short, seconds_text(seconds)


def _times(frame: UiContext, document: Document) -> tuple[str, ...]:
    """The time and the frame that the engine shows, from long to short."""
    shown = frame.state.pose.frame if frame.state.pose is not None else 0
    time = f"{frame.view.time:.2f}"
    long = _("time {time}   frame {frame} of 0..{last:g}")
    short = _("{time}   frame {frame}").format(time=time, frame=shown)
    return long.format(time=time, frame=shown, last=document.last_frame), short, time


def material_times(view: ViewState, last: float) -> tuple[str, ...]:
    """Return the material time in seconds as texts from long to short.

    It keeps running when the animation loops, so the position on the axis does not show it.
    """
    now, end = (_("{time:.2f} s").format(time=time / 1e3) for time in (material_time(view), last * FRAME))
    # `past` is the time of the loops before this one, whole multiples of `last`.
    loop = 1 + round(view.past / last)
    words = _("{now} of {end}") if loop == 1 else _("{now} in loop {loop} of {end} each")
    short = words.format(now=now, end=end, loop=loop)
    return _("materials only   {time}").format(time=short), short, now
