"""Timeline panel: playback controls, what can be played, the time axis, and the channels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.model.clips import playing
from viewer.model.clips.clip import FRAME_RATE, Clip
from viewer.options import option_at
from viewer.session.opened.document import Document
from viewer.session.play import timeline
from viewer.session.play.playing import reach_frame
from viewer.session.play.timeline import FRAME, TimeAxis, TypedTime, material_time
from viewer.session.view.view_state import ViewState
from viewer.translation import Text, _, translated
from viewer.ui.context import PerTab, UiContext, ViewChange
from viewer.ui.display.option_controls import draw_button
from viewer.ui.timeline.blend_fields import begin_blend, begin_fade, draw_blend, draw_fade, draw_part
from viewer.ui.timeline.clip_axis import LEAST, ClipAxis, draw_channels
from viewer.ui.timeline.frame_axis import FrameAxis
from viewer.ui.timeline.play_list import (
    PlayList,
    draw_marks,
    draw_problem,
    draw_range,
    pairs,
    seconds_text,
)
from viewer.ui.timeline.sheet_hints import why_no_time
from viewer.ui.widgets import theme
from viewer.ui.widgets.input.speed_field import draw_speed
from viewer.ui.widgets.kept_windows import KeptWindows
from viewer.ui.widgets.ruler import Times, key_times, next_key
from viewer.ui.widgets.widgets import empty, fitting, icon_button, labeled, text, tooltip

_LOOP: Final = option_at(ViewState, "loop")
SPEED_WIDTH, TIME_WIDTH = 6.5, 4.5
"""Widths of the fields of speed and time, font heights."""
_FRAME_HINTS: Final = (
    _("The engine rounds time - 0.5 to the nearest even: odd whole times show the previous frame."),
    _("Between frames the keys are interpolated."),
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
    backwards = _("Play backwards") + "\n" + translated("Ctrl+Space")
    is_back = frame.view.is_reversed and is_playing
    back = partial(timeline.play_backwards, axis=axis)
    _button(frame, fa.ICON_FA_BACKWARD, "reverse", backwards, back, is_on=is_back)
    _button(frame, icon, "play", hint, lambda view: timeline.play(view, axis), is_on=is_playing)
    _button(frame, fa.ICON_FA_FORWARD_STEP, "on", _("Next frame") + "\nRight", _step(1, axis))
    _button(frame, fa.ICON_FA_FORWARD_FAST, "last", _("Last frame") + "\nShift+End", last)
    imgui.same_line(0, theme.em(0.8))
    before, after = (_seek_key(document, times, step, axis) for step in (-1, 1))
    _button(frame, fa.ICON_FA_CARET_LEFT, "previous_key", _("Previous key") + "\nJ", before)
    _button(frame, fa.ICON_FA_CARET_RIGHT, "next_key", _("Next key") + "\nK", after)
    imgui.same_line(0, theme.em(0.8))
    if document.animation.is_animated:
        draw_marks(frame)
        imgui.same_line(0, theme.em(0.2))
        _draw_blend(frame, document)
        imgui.same_line(0, theme.em(0.8))
    _button(
        frame,
        fa.ICON_FA_MAGNET,
        "snap",
        _("Scrub from frame to frame; Shift does the other"),
        lambda view: replace(view, snaps_to_frames=not view.snaps_to_frames),
        is_on=frame.view.snaps_to_frames,
    )
    draw_button(frame, _LOOP)
    imgui.same_line(0, theme.em(0.2))
    _draw_time(frame, document, axis)
    draw_speed(frame, SPEED_WIDTH)
    _draw_own_rate(frame)
    _draw_now(frame, document)


def _button(
    frame: UiContext,
    icon: str,
    name: str,
    hint: str | Callable[[], str],
    change: ViewChange,
    *,
    is_on: bool = False,
) -> None:
    if icon_button(icon, name, hint, is_on=is_on):
        frame.change(change)
    imgui.same_line(0, theme.em(0.2))


def _draw_blend(frame: UiContext, document: Document) -> None:
    """Draw the button that blends all frames with another time, or a clip with another one."""
    playback, controller = frame.view.playback, document.controller
    if playback.clip is None:
        is_on, begin = playback.blend is not None, begin_blend
        hint = _("Blend with another time, as the engine does")
    else:
        is_on, begin = playback.fade is not None, partial(begin_fade, controller=controller)
        hint = _("Blend with another clip, as the engine blends two times")
    imgui.begin_disabled(playback.clip is not None and len(controller.clips) < 2)
    _button(frame, fa.ICON_FA_CIRCLE_HALF_STROKE, "blend", hint, begin, is_on=is_on)
    imgui.end_disabled()


def _seek(time: float, axis: TimeAxis) -> ViewChange:
    return lambda view: timeline.seek(replace(view, is_playing=False), time, axis)


def _seek_key(document: Document, times: Times, step: int, axis: TimeAxis) -> ViewChange:
    # Looked for once it is pressed: in a clip that goes through all keys.
    return lambda view: _seek(next_key(document, view, times, step), axis)(view)


def _end(axis: TimeAxis, *, is_last: bool) -> ViewChange:
    return lambda view: timeline.seek_end(view, axis, is_last=is_last)


def _step(frames: int, axis: TimeAxis) -> ViewChange:
    return lambda view: timeline.step(view, frames, axis)


def _draw_own_rate(frame: UiContext) -> None:
    """Draw the button that gives the archive a speed of its own."""
    imgui.same_line(0, theme.em(0.2))
    is_own = frame.state.has_own_rate
    hint = _("A speed of its own for this archive, remembered; off: that of all others")
    if icon_button(fa.ICON_FA_THUMBTACK, "own_rate", hint, is_on=is_own):
        frame.later(frame.control.settings.keep_rate, is_own=not is_own)


def _draw_time(frame: UiContext, document: Document, axis: TimeAxis) -> None:
    """Draw a field for the time: in frames, of a clip in seconds, or in the unit that is typed."""
    is_clip, now = frame.view.playback.clip is not None, timeline.now(frame.view)
    shown = _("{seconds:.3f} s", seconds=now / FRAME_RATE) if is_clip else _("{frames:.2f} f", frames=now)
    imgui.set_next_item_width(theme.em(TIME_WIDTH))
    flags = int(imgui.InputTextFlags_.enter_returns_true) | int(imgui.InputTextFlags_.auto_select_all)
    is_entered, words = imgui.input_text("###time", shown, flags)
    hint = _("Time in the clip, seconds") if is_clip else _("Time in frames")
    tooltip(lambda: [hint, _("With a unit also another one: 12 f, 0.5 s, 500 ms")])
    typed = TypedTime.of(words, "s" if is_clip else "f") if is_entered else None
    if typed is not None and typed.is_frame:
        frame.change(lambda view: reach_frame(replace(view, is_playing=False), document, typed.value))
    elif typed is not None:
        frame.change(_seek(typed.value, axis))
    imgui.same_line(0, theme.em(0.2))


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
    tooltip(lambda: [*map(str, hints), clock.format(seconds=material_time(frame.view) / 1e3)])


def _now(frame: UiContext, document: Document) -> tuple[tuple[str, ...], tuple[Text, ...]]:
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
    shown = {
        letter: f"{pair[0] + share * (pair[1] - pair[0]):.2f}"
        for letter, pair in zip("AB", pairs(part), strict=True)
        if pair is not None
    }
    frames = [f"{letter} {frame}" for letter, frame in shown.items()] if len(shown) > 1 else shown.values()
    end = playing.duration(controller, clip)
    # A clip that stands has no end, but what turns by itself goes on.
    short = _("{now:.2f} s of {end:.2f} s", now=seconds, end=end) if end else seconds_text(seconds)
    long = _("{time}   frame {frames}", time=short, frames="  ".join(frames))
    return long, short, seconds_text(seconds)


def _times(frame: UiContext, document: Document) -> tuple[str, ...]:
    """The time and the frame that the engine shows, from long to short."""
    shown = frame.state.pose.frame if frame.state.pose is not None else 0
    time = _("{frames:.2f} f", frames=frame.view.time)
    long = _("time {time}   frame {frame} of 0..{last:g}")
    short = _("{time}   frame {frame}", time=time, frame=shown)
    return long.format(time=time, frame=shown, last=document.last_frame), short, time


def material_times(view: ViewState, last: float) -> tuple[str, ...]:
    """Return the material time in seconds as texts from long to short.

    It keeps running when the animation loops, so the position on the axis does not show it.
    """
    now, end = (_("{time:.2f} s", time=time / 1e3) for time in (material_time(view), last * FRAME))
    # `past` is the time of the loops before this one, whole multiples of `last`.
    loop = 1 + round(view.past / last)
    words = _("{now} of {end}") if loop == 1 else _("{now} in loop {loop} of {end} each")
    short = words.format(now=now, end=end, loop=loop)
    return _("materials only   {time}", time=short), short, now


FIELDS_WIDTH: Final = 32.0
"""Most that the fields of a range or of a blend are wide, in font heights."""
LIST_WIDTH: Final = 25.0
CHANNELS_WIDTH: Final = 24.0
"""Widths of the parts next to the axis, in font heights."""
LEAST_AXIS: Final = 16.0
"""Least width of the axis that has other parts next to it, in font heights."""
LEAST_LIST: Final = 8.0
"""Least height of the parts above the axis, in font heights."""
LEAST_TABS: Final = 7.5
"""Least height of a list with tabs and titles above it, in font heights."""


def _draw_fields(frame: UiContext, document: Document) -> None:
    """Draw a line of what is changed about what plays: its range or part, and what it is blended with."""
    playback, frames = frame.view.playback, frame.view.frames
    is_clip, drawn = playback.clip is not None, dict[str, Callable[[], None]]()
    if frames is not None:
        drawn["range"] = partial(draw_range, frame, document, frames)
    if playback.part is not None:
        drawn["part"] = partial(draw_part, frame, playback.part)
    if playback.blend is not None and not is_clip:
        drawn["blend"] = partial(draw_blend, frame, document, playback.blend)
    if playback.fade is not None and is_clip:
        drawn["fade"] = partial(draw_fade, frame, document, playback.fade)
    gap = theme.em(0.8)
    width = (imgui.get_content_region_avail().x - gap * (len(drawn) - 1)) / max(len(drawn), 1)
    for number, (name, draw) in enumerate(drawn.items()):
        if number:
            imgui.same_line(0, gap)
        imgui.begin_child(name, ImVec2(min(width, theme.em(FIELDS_WIDTH)), imgui.get_frame_height()))
        draw()
        imgui.end_child()


class TimelinePanel:
    """Playback controls above; below, the list, the time axis and the channels.

    Parameters
    ----------
    windows
        Keeps the parts that do not show the time.
    """

    id = "timeline"
    title = _("Timeline")

    def __init__(self, windows: KeptWindows) -> None:
        self._windows = windows
        self._document: Document | None = None
        self._made_of: tuple[object, ...] = ()
        self._times: Times = np.empty(0, np.float32)
        self._shows_channels = False
        self._frames, self._clips, self._lists = PerTab(FrameAxis), PerTab(ClipAxis), PerTab(PlayList)

    def draw(self, frame: UiContext) -> None:
        """Draw the transport, the list, the axis and the channels of the open document."""
        document = frame.document
        if document is None:
            empty(_("The animation of the open model appears here."))
            return
        if document.last_frame == 0 and document.controller.address is None:
            empty(why_no_time(document))
            return
        times = self._times_of(document, frame.view)
        draw_transport(frame, document, times)
        if document.has_only_materials_moving and document.controller.address is None:
            self._draw_axis(frame, document, times, imgui.get_content_region_avail().x)
            return
        _draw_fields(frame, document)
        self._draw_parts(frame, document, times)

    def _draw_parts(self, frame: UiContext, document: Document, times: Times) -> None:
        """Draw the parts side by side; in a narrow and high panel what can be played above the axis."""
        room, spacing = imgui.get_content_region_avail(), imgui.get_style().item_spacing
        is_narrow = room.x < theme.em(LIST_WIDTH + LEAST_AXIS)
        is_stacked = is_narrow and room.y >= theme.em(LEAST_LIST + LEAST)
        has_column = room.x >= theme.em(LIST_WIDTH + LEAST_AXIS + CHANNELS_WIDTH)
        has_column = has_column and bool(document.controller.channels)
        list_size = ImVec2(room.x / 2 if is_narrow else theme.em(LIST_WIDTH), 0)
        # Half of a high panel is left to the axis and its tracks.
        height = max(min(room.y / 2, room.y - theme.em(LEAST) - spacing.y), theme.em(LEAST_LIST))
        size = ImVec2(0, height) if is_stacked else list_size
        is_still = not frame.view.playback.turning  # the values of the channels
        if self._windows.begin_child("playable", size, may_keep=is_still):
            self._draw_playable(frame, document, has_column=has_column)
        imgui.end_child()
        if not is_stacked:
            imgui.same_line()
        width = imgui.get_content_region_avail().x - (
            theme.em(CHANNELS_WIDTH) + spacing.x if has_column else 0.0
        )
        self._draw_axis(frame, document, times, width)
        if has_column:
            imgui.same_line()
            if self._windows.begin_child("channels", ImVec2(0, 0), may_keep=is_still):
                draw_channels(frame, document)
            imgui.end_child()

    def _draw_playable(self, frame: UiContext, document: Document, *, has_column: bool) -> None:
        """Draw the list; the channels are under another tab unless they have a column of their own."""
        if has_column or not document.controller.channels:
            self._draw_list(frame, document)
            return
        if imgui.get_content_region_avail().y < theme.em(LEAST_TABS):
            self._draw_short(frame, document)
            return
        if not imgui.begin_tab_bar("##playable", imgui.TabBarFlags_.draw_selected_overline):
            return
        if imgui.begin_tab_item(labeled(_("Clips"), "clips"))[0]:
            self._draw_list(frame, document)
            imgui.end_tab_item()
        if imgui.begin_tab_item(labeled(_("Channels"), "channels"))[0]:
            draw_channels(frame, document)
            imgui.end_tab_item()
        imgui.end_tab_bar()

    def _draw_short(self, frame: UiContext, document: Document) -> None:
        """Draw the clips or the channels, with buttons instead of tabs next to them."""
        imgui.begin_group()
        for icon, name, hint, shows_channels in (
            (fa.ICON_FA_FILM, "clips", _("Clips"), False),
            (fa.ICON_FA_SLIDERS, "channels", _("Channels"), True),
        ):
            if icon_button(icon, name, hint, is_on=self._shows_channels is shows_channels):
                self._shows_channels = shows_channels
        imgui.end_group()
        imgui.same_line(0, theme.em(0.3))
        imgui.begin_child("short", ImVec2(0, 0))
        if self._shows_channels:
            draw_channels(frame, document)
        else:
            self._draw_list(frame, document)
        imgui.end_child()

    def _draw_list(self, frame: UiContext, document: Document) -> None:
        """Draw the play list."""
        draw_problem(document)
        height = max(imgui.get_content_region_avail().y, theme.em(2.8))
        self._lists.of(frame.state.tabs).draw(frame, document, height)

    def _draw_axis(self, frame: UiContext, document: Document, times: Times, width: float) -> None:
        clip = document.controller.clip(frame.view.playback.clip)
        if clip is not None:
            self._clips.of(frame.state.tabs).draw(frame, document, clip, width)
        elif document.last_frame > 0:
            self._frames.of(frame.state.tabs).draw(frame, document, times, width)
        else:
            imgui.begin_child("still", ImVec2(width, 0))
            empty(why_no_time(document))
            imgui.end_child()

    def _times_of(self, document: Document, view: ViewState) -> Times:
        """Return the key times to mark; computed when selection or materials change."""
        made_of = view.selection.node, view.materials
        if self._document is not document or self._made_of != made_of:
            self._document, self._made_of = document, made_of
            self._times = key_times(document, view)
        return self._times
