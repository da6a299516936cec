"""The axis of a clip in seconds, and its channels, which can be moved by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import degrees
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.model.clips import playing
from viewer.model.clips.clip import FRAME_RATE, Channel, Clip, Frames
from viewer.session.opened.document import Document
from viewer.session.play import timeline
from viewer.session.play.playing import (
    at_frame,
    is_turning,
    reset_channel,
    reset_channels,
    shown_value,
    toggle_turning,
    with_part,
)
from viewer.session.play.timeline import TimeAxis
from viewer.session.selection import Selection
from viewer.session.view.view_state import ViewState
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.timeline.axis_parts import (
    Scrubbing,
    bands,
    fade_frame,
    paint_cursor,
    paint_marks,
    paint_span,
    snapped,
)
from viewer.ui.timeline.component_names import drivers_title
from viewer.ui.timeline.play_list import frames_text, pairs, purpose, rate_text
from viewer.ui.timeline.track_lane import TrackLane
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.ruler import Ruler
from viewer.ui.widgets.shapes import Painter, Strokes
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import ghost_button, icon_button, identified, text, tooltip

LEAST: Final = 4.2
"""Least height, font heights."""
_NUMBERS: Final = 1.3
"""Height of the numbers of frames, font heights."""
_BAND: Final = 0.65
"""Height of a pair of frames, font heights."""
_ROW: Final = 0.8
"""From one pair to the next, font heights."""
_SECONDS: Final = 2.3
"""Height of the seconds above tracks, font heights."""


class ClipAxis:
    """The axis of the clip that is played."""

    def __init__(self) -> None:
        self._scrubbing, self._strip_scrubbing, self._lane = Scrubbing(), Scrubbing(), TrackLane()
        self._began: float | None = None
        self._made_of: tuple[Document, Clip] | None = None
        self._stops: Sequence[float] = ()
        self._bands: tuple[list[Frames], ...] = ()
        self._still = Cached(self._paint_still)

    def draw(self, frame: UiContext, document: Document, clip: Clip, width: float) -> None:
        """Draw both parts as high as the room that is left."""
        axis = frame.state.axis
        if self._made_of is None or self._made_of[0] is not document or self._made_of[1] is not clip:
            self._made_of = document, clip
            self._stops = axis.stops() if axis.stops else ()
            self._bands = bands(document.controller, clip)
        # The row of a second pair only for clips that have one.
        missing = 0.0 if self._bands[1] else _ROW
        height = imgui.get_content_region_avail().y
        size = ImVec2(max(width, theme.em(4)), max(height, theme.em(LEAST - missing)))
        corner, bars = imgui.get_cursor_screen_pos(), theme.em(_NUMBERS + _ROW * len(theme.PAIRS) - missing)
        self._lane.fit(frame, document, size.x, size.y - bars - theme.em(_SECONDS))
        start = ImVec2(corner.x + self._lane.names, corner.y)
        end = ImVec2(corner.x + size.x, corner.y + size.y)
        middle = start.y + theme.em(_SECONDS) if self._lane.names else end.y - bars
        self._lane.draw_names(frame, document, ImVec2(corner.x, middle + bars))
        ruler = Ruler(start.x + theme.em(0.8), end.x - start.x - theme.em(1.6), axis.end)
        strip = replace(ruler, last=document.last_frame)
        imgui.set_cursor_screen_pos(start)
        imgui.invisible_button("scrub_clip", ImVec2(end.x - start.x, middle - start.y))
        self._react(frame, ruler, axis)
        imgui.set_cursor_screen_pos(ImVec2(start.x, middle))
        imgui.invisible_button("scrub_strip", ImVec2(end.x - start.x, end.y - middle))
        self._react_to_strip(frame, document, strip)
        painter = imgui.get_window_draw_list()
        painter.push_clip_rect(start, end, True)
        places = *start, *end, middle, theme.em()
        made_of = document.identity, document.revision, clip, ruler, strip.last, places
        self._still.of(made_of, start, end, ruler, strip, middle).paint(painter)
        self._paint_part(frame, ruler, start.y, middle - theme.em(0.2))
        paint_cursor(painter, ruler.x_of(timeline.now(frame.view)), start.y, middle - theme.em(0.2))
        _paint_now(frame, document, clip, strip, middle)
        self._lane.paint(frame, document, strip, middle + bars)
        painter.pop_clip_rect()

    def _react(self, frame: UiContext, ruler: Ruler, axis: TimeAxis) -> None:
        """Scrub the item just drawn, or with Ctrl mark the part that is played."""
        time, plays_on = ruler.time_of(imgui.get_mouse_pos().x), self._scrubbing.follow(frame)
        if imgui.is_item_activated():
            self._began = time if imgui.get_io().key_ctrl else None
        if plays_on is None:
            scrub = _("Drag to scrub the clip; Shift: between frames")
            tooltip([f"{scrub}\n{_('Ctrl+drag: play a part')}"], is_below=True)
        elif self._began is None:
            self._scrub(frame, time, axis, plays_on=plays_on)
        elif imgui.is_item_deactivated():
            ends = sorted((self._snapped(frame, self._began), self._snapped(frame, time)))
            self._began = None
            frame.change(lambda view: with_part(view, axis, *ends))

    def _react_to_strip(self, frame: UiContext, document: Document, strip: Ruler) -> None:
        """Scrub the item just drawn from frame to frame of the model, those that the clip passes."""
        plays_on = self._strip_scrubbing.follow(frame)
        if plays_on is None:
            tooltip(_("Drag to scrub to a frame of the clip"), is_below=True)
            return
        time = snapped(frame, strip.time_of(imgui.get_mouse_pos().x))
        frame.change(lambda view: replace(at_frame(view, document, time), is_playing=plays_on))

    def _snapped(self, frame: UiContext, time: float) -> float:
        """The stop that is nearest to a time, or the time itself, as the view says."""
        if imgui.get_io().key_shift == frame.view.snaps_to_frames:
            return time
        return min(self._stops, key=lambda stop: abs(stop - time), default=time)

    def _paint_part(self, frame: UiContext, ruler: Ruler, top: float, bottom: float) -> None:
        """Paint the part that plays, or the one that is being marked."""
        part = frame.view.playback.part
        ends = None if part is None else tuple(it * FRAME_RATE for it in part)
        if self._began is not None:
            ends = tuple(sorted((self._began, ruler.time_of(imgui.get_mouse_pos().x))))
        if ends is not None:
            left, right = map(ruler.x_of, ends)
            paint_span(imgui.get_window_draw_list(), left, right, top, bottom)

    def _scrub(self, frame: UiContext, at: float, axis: TimeAxis, *, plays_on: bool) -> None:
        time = self._snapped(frame, at)
        frame.change(lambda view: timeline.seek(replace(view, is_playing=plays_on), time, axis))

    def _paint_still(self, start: ImVec2, end: ImVec2, ruler: Ruler, strip: Ruler, middle: float) -> Strokes:
        """Paint what does not move: the seconds, all frames of the model, on them the pairs of the clip."""
        painter = Strokes()
        painter.add_rect_filled(start, end, theme.packed(theme.BACKDROP, 0.6), theme.em(0.25))
        self._paint_time(painter, ruler, start.y, middle - theme.em(0.2))
        paint_marks(painter, strip, middle, end.y)
        for row, color in enumerate(theme.PAIRS):
            for band in self._bands[row]:
                _paint_pair(painter, strip, band, _top_of(row, middle), theme.packed(color, 0.25))
        return painter

    def _paint_time(self, painter: Strokes, ruler: Ruler, top: float, bottom: float) -> None:
        """Paint the seconds, and a tick for each frame if they are apart."""
        color, faint = theme.packed(theme.DIM), theme.packed(theme.FAINT, 0.45)
        seconds = Ruler(ruler.left, ruler.width, ruler.last / FRAME_RATE * 1000)
        for mark in seconds.marks(theme.em(4)):
            x = round(seconds.x_of(mark))
            painter.add_line(ImVec2(x, top + theme.em(1.2)), ImVec2(x, bottom), faint)
            words = _("{seconds:g} s", seconds=mark / 1000)
            place = ImVec2(x - imgui.calc_text_size(words).x / 2, top + theme.em(0.1))
            painter.add_text(place, color, words)
        if len(self._stops) * theme.em(0.2) < ruler.width:
            for stop in self._stops:
                place = ImVec2(ruler.x_of(stop), bottom)
                painter.add_line(ImVec2(place.x, bottom - theme.em(0.4)), place, color)


def _paint_now(frame: UiContext, document: Document, clip: Clip, ruler: Ruler, top: float) -> None:
    """Paint where the pairs of the clip are now."""
    painter = imgui.get_window_draw_list()
    part, share = playing.position(document.controller, clip, frame.view.playback.seconds)
    for row, (color, now) in enumerate(zip(theme.PAIRS, pairs(part), strict=True)):
        if now is not None:
            y = _top_of(row, top)
            _paint_pair(painter, ruler, now, y, theme.packed(color, 0.4))
            x = ruler.x_of(now[0] + share * (now[1] - now[0]))
            painter.add_line(
                ImVec2(x, y - theme.em(0.1)),
                ImVec2(x, y + theme.em(_BAND + 0.1)),
                theme.packed(color),
                theme.em(0.18),
            )
    faded = fade_frame(frame, document)
    if faded is not None:
        x, bottom = ruler.x_of(faded), _top_of(len(theme.PAIRS), top)
        painter.add_line(
            ImVec2(x, top + theme.em(_NUMBERS)), ImVec2(x, bottom), theme.packed(theme.FADE), theme.em(0.18)
        )


def _top_of(row: int, top: float) -> float:
    """The upper edge of a pair below the numbers of the frames."""
    return top + theme.em(_NUMBERS + row * _ROW)


def _paint_pair(painter: Painter, ruler: Ruler, pair: Frames, y: float, color: int) -> None:
    """Paint a pair as a bar, at least wide enough to be seen."""
    left, right = sorted((ruler.x_of(pair[0]), ruler.x_of(pair[1])))
    least = theme.em(0.12)
    start, end = ImVec2(left - least, y), ImVec2(right + least, y + theme.em(_BAND))
    painter.add_rect_filled(start, end, color, theme.em(0.15))


_FLAGS: Final = imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y | imgui.TableFlags_.no_saved_settings


def draw_channels(frame: UiContext, document: Document) -> None:
    """Draw a row for each channel on screen."""
    channels = document.controller.channels
    if not imgui.begin_table("##channels", 2, _FLAGS):
        return
    imgui.table_setup_scroll_freeze(0, 1)
    imgui.table_setup_column(_("Channel"), imgui.TableColumnFlags_.width_stretch, 1)
    imgui.table_setup_column(_("Value"), imgui.TableColumnFlags_.width_stretch, 1.1)
    _draw_heads(frame)
    for row in rows_on_screen(len(channels)):
        imgui.table_next_row()
        with identified(row):
            draw_channel(frame, document, channels[row])
    imgui.end_table()


def _draw_heads(frame: UiContext) -> None:
    """Draw the titles of the columns, and the button that resets all channels above those of the rows."""
    playback = frame.view.playback
    imgui.table_next_row(imgui.TableRowFlags_.headers)
    imgui.table_next_column()
    imgui.table_header(_("Channel"))
    imgui.table_next_column()
    right = imgui.get_cursor_pos_x() + imgui.get_content_region_avail().x
    imgui.table_header(_("Value"))
    if playback.channels or playback.turning:
        imgui.same_line()
        imgui.set_cursor_pos_x(right - theme.em(1.5))
        hint = _("Reset all channels")
        if ghost_button(fa.ICON_FA_ROTATE_LEFT, "reset_all", hint, theme.TEXT):
            frame.change(reset_channels)


def draw_channel(frame: UiContext, document: Document, channel: Channel) -> None:
    """Draw the node of a channel, and in the next column its value, in a table."""
    imgui.table_next_column()
    is_there = 0 <= channel.node < document.model.node_count
    node = document.label(channel.node) if is_there else _("node {node}", node=channel.node)
    guess = purpose(channel, node)
    imgui.align_text_to_frame_padding()
    if imgui.text_link(f"{node}###node") and is_there:
        frame.change(lambda view: replace(view, selection=Selection((channel.node,))))
    tooltip(partial(_hints, channel, guess))
    driver = drivers_title(document.controller.drivers(channel.index))
    if driver:
        imgui.same_line(0, theme.em(0.5))
        text(driver, theme.DIM)
    elif guess:
        imgui.same_line(0, theme.em(0.5))
        text(guess, theme.DIM)
        imgui.same_line(0, theme.em(0.3))
        text(_("guess"), theme.FAINT)
    imgui.table_next_column()
    _draw_value(frame, document, channel)


def _hints(channel: Channel, guess: str) -> Iterator[str]:
    yield _(
        "Channel {index}: frames {frames} of this node",
        index=channel.index,
        frames=frames_text(channel.first, channel.last),
    )
    if guess:
        yield _("Guess: by what the frames do to the node, and by its name.")
    yield _("Rate in the game: {rate}", rate=rate_text(channel))
    if channel.wraps:
        yield _("The value continues at 0 after 1.")
    if channel.inverts:
        yield _("The game drives it the other way.")
    if not channel.is_driven:
        yield _("The game does not drive it.")


def _draw_value(frame: UiContext, document: Document, channel: Channel) -> None:
    playback, controller = frame.view.playback, document.controller
    if channel.follows_previous:
        text(_("as channel {index}", index=channel.index - 1), theme.DIM)
        tooltip(_("It takes the value of the channel before it."))
        return
    value, is_set = shown_value(playback, channel), channel.index in playback.channels
    side, gap = imgui.get_frame_height(), theme.em(0.2)
    imgui.set_next_item_width(max(imgui.get_content_region_avail().x - 2 * (side + gap), theme.em(3)))
    flags = imgui.SliderFlags_.always_clamp
    changed, moved = imgui.slider_float("###value", value, 0.0, 1.0, _value_format(channel, value), flags)
    tooltip(partial(_value_hints, channel, is_set=is_set))
    if changed:
        frame.change(lambda view: with_value(view, channel.index, moved))
    imgui.same_line(0, gap)
    is_on = is_turning(playback, channel)
    icon = fa.ICON_FA_PAUSE if is_on else fa.ICON_FA_PLAY
    if icon_button(icon, "turn", partial(_rate_hint, channel), is_on=is_on):
        frame.change(lambda view: toggle_turning(view, controller, channel.index))
    imgui.same_line(0, gap)
    if icon_button(fa.ICON_FA_ROTATE_LEFT, "reset", _reset_hint, is_enabled=is_set):
        frame.change(partial(reset_channel, index=channel.index))


def _rate_hint(channel: Channel) -> str:
    return _("Move it at its rate: {rate}", rate=rate_text(channel))


def _reset_hint() -> str:
    return _("Reset: the initial value in a clip; in the whole strip the node follows the strip")


def with_value(view: ViewState, channel: int, value: float) -> ViewState:
    """The view with the value of a channel set."""
    return replace(view, playback=view.playback.with_channel(channel, value))


def _value_format(channel: Channel, value: float) -> str:
    """The value, and the angle that it stands for if the file says one."""
    if not channel.span:
        return "%.3f"
    return f"%.3f   {degrees(channel.span) * value:.0f}°"


def _value_hints(channel: Channel, *, is_set: bool) -> Iterator[str]:
    yield _("Value of the channel; the initial one is {initial:.3g}", initial=channel.initial)
    yield _("Ctrl+click: type a value")
    if not is_set:
        yield _("Not set: a clip uses the initial value.") if channel.is_driven else _("Not set.")
