"""The play list of a model: all frames, clips, and marked ranges, with their changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from math import isfinite, tau
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec import Struct
from msgspec.structs import replace

from viewer.model.clips import playing
from viewer.model.clips.clip import FRAME_RATE, Channel, Clip, Frames, Gait
from viewer.model.clips.conditions import conditions
from viewer.model.clips.controller import Controller
from viewer.session.opened.document import Document
from viewer.session.play.playback import FrameRange, Ranges, with_range, without_range
from viewer.session.play.playing import mark_part, place_of, play_clip, play_frames
from viewer.session.view.view_state import ViewState
from viewer.translation import Text, _, remembered, translated
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.table_grid import LIST, rows_on_screen, set_up_columns
from viewer.ui.widgets.widgets import icon_button, labeled, text, tooltip, wrapped

_REASONS: Final[Mapping[Gait, Text]] = {
    Gait.STAND: _("Guess: the state moves at most 2 m/s along Y and does not turn."),
    Gait.WALK: _("Guess: the state moves forward."),
    Gait.RUN: _("Guess: the state moves forward faster than another one."),
    Gait.BACKWARD: _("Guess: the state moves backward."),
    Gait.TURN: _("Guess: the state turns about Z."),
}
_TURRETS: Final = ("tur", "башн")
"""Parts of names of nodes that are turrets."""
MOST_NAMED: Final = 6
"""Clips of a chain that are named."""


def clip_name(clip: Clip) -> str:
    """Return the guess with its number, or the row of the state."""
    if clip.gait is None:
        return _("state {index}", index=clip.index)
    name = name_of(clip.gait)
    return name if clip.ordinal == 1 else f"{name} {clip.ordinal}"


def clip_hints(controller: Controller, clip: Clip) -> Iterator[str]:
    """Yield what is said of a clip: its state, the reason of its name, its length, what follows it."""
    yield _("State {index} of the controller", index=clip.index)
    if clip.gait is not None:
        yield str(_REASONS[clip.gait])
    yield from conditions(clip)
    if None not in pairs(clip):
        yield _("Frames A and B are blended; the weight of B is {weight:g}.", weight=clip.weight_b)
    if clip.seconds is None:
        words = _(
            "The game plays it by stride and speed; here it takes {seconds:.2f} s at {rate:g} frames/s."
        )
        yield words.format(seconds=clip.length, rate=FRAME_RATE)
    if len(clip.chain) > 1:
        names = ", ".join(clip_name(controller.clips[index]) for index in clip.chain[:MOST_NAMED])
        more = _(" and {count} more", count=len(clip.chain) - MOST_NAMED)
        yield _("Played in a row at no cost: {names}", names=names + more * (len(clip.chain) > MOST_NAMED))
        yield _("{seconds:.2f} s together", seconds=playing.duration(controller, clip))


def pairs(clip: Clip) -> tuple[Frames | None, Frames | None]:
    """Return the frames of both pairs; None for one that the state does not have."""
    is_first = isfinite(sum(clip.frames_a)) and min(clip.frames_a) >= 0
    is_second = clip.frames_b is not None and isfinite(sum(clip.frames_b))
    return clip.frames_a if is_first else None, clip.frames_b if is_second else None


def pair_texts(clip: Clip) -> tuple[str, str]:
    """Return the frames of both pairs; empty for one that the state does not have."""
    first, second = pairs(clip)
    texts = ("" if pair is None else frames_text(*pair) for pair in (first, second))
    words, other = texts
    return words, f"{other}  {clip.weight_b:.0%}" if other else ""


def frames_text(first: float, last: float) -> str:
    """Return the first and the last of some frames."""
    return f"{first:g}" if first == last else f"{first:g} - {last:g}"


def seconds_text(seconds: float) -> str:
    """Return a length of time."""
    return _("{seconds:.2f} s", seconds=seconds)


def our_rate() -> str:
    """Return the sentence about seconds of frames."""
    return _("No file says how fast frames play: {rate:g} frames/s is our rate.", rate=FRAME_RATE)


@remembered
def purpose(channel: Channel, node: str) -> str:
    """Return the guess of what a channel does, by its node's frames and name; may be empty."""
    if channel.movement is None:
        return ""
    movement = name_of(channel.movement)
    if channel.is_gun:
        return _("gun {movement}", movement=movement)
    is_turret = any(part in node.casefold() for part in _TURRETS)
    return _("turret {movement}", movement=movement) if is_turret else movement


def rate_text(channel: Channel) -> str:
    """Return how fast the game changes the value: turns per second of a node that turns round."""
    if not channel.wraps:
        return _("{rate:.3g} per second", rate=channel.rate)
    turns = abs(channel.span) / tau or 1.0
    return _("{rate:.3g} turns/s", rate=channel.rate * turns)


LONGEST_NAME: Final = 80
"""Letters of a name that are kept."""
FRAMES_WIDTH: Final = 7.0
"""Width of the fields of the first and the last frame, in font heights."""


def range_text(frames: FrameRange) -> str:
    """Return the name of a range, or its frames if it has none."""
    return frames.name or _("frames {first} to {last}", first=frames.first, last=frames.last)


def add_range(frame: UiContext, document: Document, added: FrameRange) -> None:
    """Keep a range and play it."""
    frame.later(frame.control.settings.keep_ranges, document.address, with_range(frame.state.ranges, added))
    frame.change(lambda view: play_frames(view, document, added))


def mark(frame: UiContext, *, is_last: bool) -> None:
    """Begin or end the range that is played at the current frame; without one, a new range of the strip.

    Of a clip the part that is played.
    """
    document, axis = frame.document, frame.state.axis
    if document is None or not document.animation.is_animated:
        return
    if frame.view.playback.clip is not None:
        frame.change(partial(mark_part, axis=axis, is_last=is_last))
        return
    last, now = int(document.last_frame), round(frame.view.time)
    old = frame.view.frames
    first, end = (0, last) if old is None else (old.first, old.last)
    ends = (min(first, now), now) if is_last else (now, max(end, now))
    change_range(frame, document, old, FrameRange(*ends, old.name if old else ""))


def change_range(frame: UiContext, document: Document, old: FrameRange | None, new: FrameRange) -> None:
    """Replace a range, at the current time."""
    others = frame.state.ranges if old is None else without_range(frame.state.ranges, old)
    frame.later(frame.control.settings.keep_ranges, document.address, with_range(others, new))
    frame.change(lambda view: replace(view, frames=new))


def remove_range(frame: UiContext, document: Document, removed: FrameRange) -> None:
    """Forget a range; if it is played, all frames are."""

    def change(view: ViewState) -> ViewState:
        return replace(view, frames=None) if view.frames == removed else view

    frame.later(
        frame.control.settings.keep_ranges, document.address, without_range(frame.state.ranges, removed)
    )
    frame.change(change)


def draw_marks(frame: UiContext) -> None:
    """Draw the buttons that begin and end a range at the current frame."""
    is_clip = frame.view.playback.clip is not None
    hint = (
        _("The part of the clip that is played.")
        if is_clip
        else _("A range that is played is changed, else a new one is made.")
    )
    begin = _("Mark start: begin a frame range here") + f"\nShift+I\n{hint}"
    if icon_button(fa.ICON_FA_ARROW_RIGHT_FROM_BRACKET, "mark_start", begin):
        mark(frame, is_last=False)
    imgui.same_line(0, theme.em(0.2))
    end = _("Mark end: end a frame range here") + f"\nShift+O\n{hint}"
    if icon_button(fa.ICON_FA_ARROW_RIGHT_TO_BRACKET, "mark_end", end):
        mark(frame, is_last=True)


def draw_range(frame: UiContext, document: Document, played: FrameRange) -> None:
    """Draw the name and the frames of a marked range, to be changed, and the button that deletes it."""
    side, gap = imgui.get_frame_height(), theme.em(0.3)
    others = theme.em(FRAMES_WIDTH) + imgui.get_style().item_inner_spacing.x + side + 2 * gap
    imgui.set_next_item_width(max(imgui.get_content_region_avail().x - others, theme.em(3)))
    is_renamed, name = imgui.input_text_with_hint("###range_name", _("name of the range"), played.name)
    imgui.same_line(0, gap)
    imgui.set_next_item_width(theme.em(FRAMES_WIDTH))
    last, flags = int(document.last_frame), imgui.SliderFlags_.always_clamp
    is_moved, first, end = imgui.drag_int_range2(
        "###range_frames", played.first, played.last, 0.2, 0, last, "%d", "%d", flags
    )
    tooltip(_("First and last frame"))
    if is_renamed or is_moved:
        ends = (min(first, end), max(first, end)) if is_moved else (played.first, played.last)
        change_range(frame, document, played, FrameRange(*ends, name[:LONGEST_NAME]))
    imgui.same_line(0, gap)
    if icon_button(fa.ICON_FA_TRASH, "remove_range", _("Delete this range")):
        remove_range(frame, document, played)


_WHOLE_ROW: Final = int(imgui.SelectableFlags_.span_all_columns) | int(imgui.SelectableFlags_.allow_overlap)
LEAST_TITLED: Final = 6.0
"""Least height of a list with titles, font heights."""
ROOM_FOR_PAIRS: Final = 20.0
"""Least width of a list that has a column for the second pair of frames, font heights."""


class Playable(Struct, frozen=True):
    """An item of the play list: a clip, an effect or a channel.

    Parameters
    ----------
    key
        Its ImGui id.
    name, frames_a, frames_b, seconds
        The texts of its row.
    label, played
        Its item, and that while it is played.
    hints
        Makes the lines of its tooltip.
    choose
        Plays it.
    is_chosen
        Whether a view plays it.
    is_guess
        Whether the name is a guess.
    """

    key: str
    name: str
    label: str
    played: str
    frames_a: str
    frames_b: str
    seconds: str
    hints: Callable[[], Iterable[str]]
    choose: Callable[[ViewState], ViewState]
    is_chosen: Callable[[ViewState], bool]
    is_guess: bool = False


class PlayList:
    """The list; remembers what was played, to scroll to what is chosen elsewhere."""

    def __init__(self) -> None:
        self._chosen: object = None
        self._entries: Cached[dict[int, Playable]] = Cached(dict)

    def draw(self, frame: UiContext, document: Document, height: float) -> None:
        """Draw the entries on screen, with titles if there is room; a click plays one."""
        is_wide = imgui.get_content_region_avail().x >= theme.em(ROOM_FOR_PAIRS)
        has_pairs = bool(document.controller.clips) and is_wide
        if not imgui.begin_table("##entries", 4 if has_pairs else 3, LIST, ImVec2(0, height)):
            return
        frames = {_("Frames A"): -3, _("Frames B"): -4} if has_pairs else {_("Frames"): -3}
        columns = {_("Played"): -6, **frames, _("Seconds"): -3}
        set_up_columns(columns, has_headers=height >= theme.em(LEAST_TITLED))
        ranges = frame.state.ranges
        count = 1 + len(document.controller.clips) + len(ranges)
        entries = self._entries.of((document.identity, document.revision, ranges))
        for row in rows_on_screen(count, self._news(frame, document)):
            imgui.table_next_row()
            if row not in entries:
                entries[row] = entry_at(document, ranges, row)
            _draw_entry(frame, entries[row], has_pairs=has_pairs)
        imgui.end_table()

    def _news(self, frame: UiContext, document: Document) -> int | None:
        """The row to scroll to: the one that is played, if another was before."""
        chosen = frame.view.playback.clip, frame.view.frames
        if chosen == self._chosen:
            return None
        self._chosen = chosen
        return place_of(frame.view, document, frame.state.ranges)


def entry_at(document: Document, ranges: Ranges, place: int) -> Playable:
    """Return what is at a place of the list: all frames, the clips, then the ranges."""
    clips = document.controller.clips
    if place == 0:
        return _strip(document)
    if place <= len(clips):
        return _clip_entry(document, clips[place - 1])
    return _range_entry(document, ranges[place - 1 - len(clips)])


def _named(key: str, name: str) -> tuple[str, str, str, str]:
    """An id, a name, the label of their item, and that while it is played."""
    return key, name, labeled(f"{fa.ICON_FA_FILM}  {name}", key), labeled(f"{fa.ICON_FA_PLAY}  {name}", key)


def _strip(document: Document) -> Playable:
    last = document.last_frame if document.animation.is_animated else 0
    return Playable(
        *_named("strip", _("Whole strip")),
        frames_text(0, last),
        "",
        seconds_text(last / FRAME_RATE),
        lambda: (_("Every frame from end to end"), our_rate()),
        partial(play_frames, document=document, frames=None),
        lambda view: view.frames is None and view.playback.clip is None,
    )


def _clip_entry(document: Document, clip: Clip) -> Playable:
    first, second = pair_texts(clip)
    return Playable(
        *_named(f"clip{clip.index}", clip_name(clip)),
        first,
        second,
        _("by stride") if clip.seconds is None else seconds_text(clip.seconds),
        partial(clip_hints, document.controller, clip),
        partial(play_clip, clip=clip.index),
        lambda view: view.playback.clip == clip.index,
        is_guess=clip.is_guess,
    )


def _range_entry(document: Document, marked: FrameRange) -> Playable:
    return Playable(
        *_named(f"range{marked.first}_{marked.last}_{marked.name}", range_text(marked)),
        frames_text(marked.first, marked.last),
        "",
        seconds_text((marked.last - marked.first) / FRAME_RATE),
        lambda: (_("Frames that were marked by hand"), our_rate(), *_excess(document, marked)),
        partial(play_frames, document=document, frames=marked),
        lambda view: view.frames == marked,
    )


def _excess(document: Document, marked: FrameRange) -> tuple[str, ...]:
    """The note on a range that was marked before the file lost frames."""
    if marked.last <= document.last_frame:
        return ()
    return (_("The last frame of this file is {last:g}.", last=document.last_frame),)


def draw_problem(document: Document) -> None:
    """Say what is wrong with the controller, if anything is."""
    if document.controller.problem is not None:
        wrapped(translated(document.controller.problem.text), theme.WARNING)


def _draw_entry(frame: UiContext, entry: Playable, *, has_pairs: bool) -> None:
    is_chosen = entry.is_chosen(frame.view)
    imgui.table_next_column()
    label = entry.played if is_chosen else entry.label
    if imgui.selectable(label, is_chosen, _WHOLE_ROW)[0]:
        frame.change(lambda view: replace(entry.choose(view), is_playing=True))
    tooltip(entry.hints)
    if entry.is_guess:
        width = imgui.calc_text_size(label, hide_text_after_double_hash=True).x
        imgui.same_line(width + theme.em(0.9))
        text(_("guess"), theme.FAINT)
    imgui.table_next_column()
    text(entry.frames_a, theme.PAIRS[0])
    if has_pairs:
        imgui.table_next_column()
        text(entry.frames_b, theme.PAIRS[1])
    imgui.table_next_column()
    text(entry.seconds, theme.DIM)
