"""What can be played of a model, as a list: all its frames, and the ranges that were marked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.clips.clip import FRAME_RATE
from viewer.session.opened.document import Document
from viewer.session.view.frame_range import FrameRange, Ranges
from viewer.session.view.time_axis import play_frames
from viewer.session.view.view_state import ViewState
from viewer.translation import _
from viewer.ui.context import UiContext
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


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that can be played.

    Parameters
    ----------
    key
        Its ImGui id.
    name, frames, seconds
        The texts of its row.
    hints
        Its tooltip.
    choose
        Plays it.
    is_chosen
        Whether a view plays it.
    """

    key: str
    name: str
    frames: str
    seconds: str
    hints: tuple[str, ...]
    choose: Callable[[ViewState], ViewState]
    is_chosen: Callable[[ViewState], bool]


class PlayList:
    """The list; its rows are made when the document or the ranges change."""

    def __init__(self) -> None:
        self._made_of: tuple[Document, Ranges] | None = None
        self._entries: tuple[Entry, ...] = ()

    def draw(self, frame: UiContext, document: Document, height: float) -> None:
        """Draw the entries on screen; a click plays one."""
        if self._made_of is None or self._made_of[0] is not document or self._made_of[1] != frame.ranges:
            self._made_of = document, frame.ranges
            self._entries = entries_of(document, frame.ranges)
        if not imgui.begin_table("##entries", 3, _FLAGS, imgui.ImVec2(0, height)):
            return
        _set_up_columns()
        for row in rows_on_screen(len(self._entries)):
            imgui.table_next_row()
            _draw_entry(frame, self._entries[row])
        imgui.end_table()


def entries_of(document: Document, ranges: Ranges) -> tuple[Entry, ...]:
    """Return what can be played: all frames, then the ranges."""
    last = document.last_frame
    strip = Entry(
        "strip",
        _("Whole strip"),
        frames_text(0, last),
        seconds_text(last / FRAME_RATE),
        (_("Every frame from end to end"), our_rate()),
        partial(play_frames, document=document, frames=None),
        lambda view: view.frames is None,
    )
    return (strip, *(_range_entry(document, marked) for marked in ranges))


def _range_entry(document: Document, marked: FrameRange) -> Entry:
    return Entry(
        f"range{marked.first}_{marked.last}_{marked.name}",
        range_text(marked),
        frames_text(marked.first, marked.last),
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


def our_rate() -> str:
    """Return the sentence about seconds of frames."""
    return _("No file says how fast frames play: {rate:g} frames/s is our rate.").format(rate=FRAME_RATE)


def frames_text(first: float, last: float) -> str:
    """Return the first and the last of some frames."""
    return f"{first:g} - {last:g}"


def seconds_text(seconds: float) -> str:
    """Return a length of time."""
    return _("{seconds:.2f} s").format(seconds=seconds)


def draw_absence() -> None:
    """Say what a model without a controller can play."""
    wrapped(_("Without a controller no file says which frames belong together."), theme.DIM)
    wrapped(_("Whole strip: every frame in turn; 15 frames/s is our rate."), theme.DIM)


def _set_up_columns() -> None:
    imgui.table_setup_scroll_freeze(0, 1)
    for title, weight in ((_("Played"), 4), (_("Frames"), 2), (_("Length"), 2)):
        imgui.table_setup_column(title, imgui.TableColumnFlags_.width_stretch, weight)
    imgui.table_headers_row()


def _draw_entry(frame: UiContext, entry: Entry) -> None:
    is_chosen = entry.is_chosen(frame.view)
    icon = fa.ICON_FA_PLAY if is_chosen else fa.ICON_FA_FILM
    imgui.table_next_column()
    flags = imgui.SelectableFlags_.span_all_columns
    if imgui.selectable(labeled(f"{icon}  {entry.name}", entry.key), is_chosen, flags)[0]:
        frame.change(entry.choose)
    tooltip(entry.hints)
    for words in (entry.frames, entry.seconds):
        imgui.table_next_column()
        text(words, theme.DIM)
