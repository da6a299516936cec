"""What can be played of a model, as a list: all its frames, its clips, and the ranges that were marked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.clips.clip import FRAME_RATE, Clip
from viewer.session.opened.document import Document
from viewer.session.play.playback import FrameRange, Ranges
from viewer.session.play.playing import place_of, play_clip, play_frames
from viewer.session.view.view_state import ViewState
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.timeline.clip_texts import (
    clip_hints,
    clip_name,
    frames_text,
    our_rate,
    pair_texts,
    seconds_text,
)
from viewer.ui.timeline.ranges import range_text
from viewer.ui.widgets import theme
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import labeled, text, tooltip, wrapped

_FLAGS: Final = (
    imgui.TableFlags_.row_bg
    | imgui.TableFlags_.borders_inner_v
    | imgui.TableFlags_.resizable
    | imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.no_saved_settings
)

ROOM_FOR_PAIRS: Final = 20.0
"""Least width of a list that has a column for the second pair of frames, font heights."""


@dataclass(frozen=True, slots=True)
class Playable:
    """Something that can be played.

    Parameters
    ----------
    key
        Its ImGui id.
    name, frames_a, frames_b, seconds
        The texts of its row.
    hints
        Its tooltip.
    choose
        Plays it.
    is_chosen
        Whether a view plays it.
    is_guess
        Whether the name is a guess.
    """

    key: str
    name: str
    frames_a: str
    frames_b: str
    seconds: str
    hints: Iterable[str]
    choose: Callable[[ViewState], ViewState]
    is_chosen: Callable[[ViewState], bool]
    is_guess: bool = False


class PlayList:
    """The list; remembers what was played, to scroll to what is chosen elsewhere."""

    def __init__(self) -> None:
        self._chosen: object = None

    def draw(self, frame: UiContext, document: Document, height: float) -> None:
        """Draw the entries on screen; a click plays one."""
        is_wide = imgui.get_content_region_avail().x >= theme.em(ROOM_FOR_PAIRS)
        has_pairs = bool(document.controller.clips) and is_wide
        if not imgui.begin_table("##entries", 4 if has_pairs else 3, _FLAGS, ImVec2(0, height)):
            return
        _set_up_columns(has_pairs=has_pairs)
        count = 1 + len(document.controller.clips) + len(frame.state.ranges)
        for row in rows_on_screen(count, self._news(frame, document)):
            imgui.table_next_row()
            _draw_entry(frame, entry_at(document, frame.state.ranges, row), has_pairs=has_pairs)
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


def _strip(document: Document) -> Playable:
    last = document.last_frame if document.animation.is_animated else 0
    return Playable(
        "strip",
        _("Whole strip"),
        frames_text(0, last),
        "",
        seconds_text(last / FRAME_RATE),
        (_("Every frame from end to end"), our_rate()),
        partial(play_frames, document=document, frames=None),
        lambda view: view.frames is None and view.playback.clip is None,
    )


def _clip_entry(document: Document, clip: Clip) -> Playable:
    first, second = pair_texts(clip)
    return Playable(
        f"clip{clip.index}",
        clip_name(clip),
        first,
        second,
        _("by stride") if clip.seconds is None else seconds_text(clip.seconds),
        clip_hints(document.controller, clip),
        partial(play_clip, clip=clip.index),
        lambda view: view.playback.clip == clip.index,
        is_guess=clip.is_guess,
    )


def _range_entry(document: Document, marked: FrameRange) -> Playable:
    return Playable(
        f"range{marked.first}_{marked.last}_{marked.name}",
        range_text(marked),
        frames_text(marked.first, marked.last),
        "",
        seconds_text((marked.last - marked.first) / FRAME_RATE),
        (_("Frames that were marked by hand"), our_rate(), *_excess(document, marked)),
        partial(play_frames, document=document, frames=marked),
        lambda view: view.frames == marked,
    )


def _excess(document: Document, marked: FrameRange) -> tuple[str, ...]:
    """What is said of a range that was marked before the file lost frames."""
    if marked.last <= document.last_frame:
        return ()
    return (_("The last frame of this file is {last:g}.").format(last=document.last_frame),)


def draw_problem(document: Document) -> None:
    """Say what is wrong with the controller, if anything is."""
    if document.controller.problem is not None:
        wrapped(translated(document.controller.problem.text), theme.WARNING)


def _set_up_columns(*, has_pairs: bool) -> None:
    imgui.table_setup_scroll_freeze(0, 1)
    frames = ((_("Frames A"), 3), (_("Frames B"), 4)) if has_pairs else ((_("Frames"), 3),)
    for title, weight in ((_("Played"), 6), *frames, (_("Seconds"), 3)):
        imgui.table_setup_column(title, imgui.TableColumnFlags_.width_stretch, weight)
    imgui.table_headers_row()


def _draw_entry(frame: UiContext, entry: Playable, *, has_pairs: bool) -> None:
    is_chosen = entry.is_chosen(frame.view)
    icon = fa.ICON_FA_PLAY if is_chosen else fa.ICON_FA_FILM
    imgui.table_next_column()
    flags = imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_overlap
    if imgui.selectable(labeled(f"{icon}  {entry.name}", entry.key), is_chosen, flags)[0]:
        frame.change(lambda view: replace(entry.choose(view), is_playing=True))
    tooltip(entry.hints)
    if entry.is_guess:
        imgui.same_line(imgui.calc_text_size(f"{icon}  {entry.name}").x + theme.em(0.9))
        text(_("guess"), theme.FAINT)
    columns = (entry.frames_a, theme.PAIRS[0]), (entry.frames_b, theme.PAIRS[1])
    for words, color in columns if has_pairs else columns[:1]:
        imgui.table_next_column()
        text(words, color)
    imgui.table_next_column()
    text(entry.seconds, theme.DIM)
