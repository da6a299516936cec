"""The frames and the clips above the rows of a dope sheet: dragged to scrub, clicked to play another clip."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from imgui_bundle import ImVec2, imgui
from msgspec.structs import replace

from viewer.model.clips.clip import Clip
from viewer.session.opened.document import Document
from viewer.session.play import playing
from viewer.session.view.view_state import ViewState
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.timeline.axis_parts import Scrubbing, snapped
from viewer.ui.timeline.key_rows import NUMBERS, FrameWindow, SheetFrame, paint_header
from viewer.ui.timeline.play_list import clip_name, pairs
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import tooltip

HEIGHT: Final = 2.4
"""Height of the frames and the clips, font heights."""


class _Press(NamedTuple):
    """The effect of a press before scrubbing, and its tooltip; None if a press only scrubs."""

    hint: str
    begin: Callable[[ViewState], ViewState] | None = None


class SheetHeader:
    """The header; owner: a dope sheet."""

    def __init__(self) -> None:
        self._scrubbing = Scrubbing()

    def draw(self, sheet: SheetFrame, shown: FrameWindow, corner: ImVec2, width: float) -> None:
        """Draw it; a drag scrubs, and what played goes on after it."""
        frame, document = sheet.frame, sheet.document
        imgui.set_cursor_screen_pos(ImVec2(shown.left - theme.em(0.6), corner.y))
        end = ImVec2(corner.x + width, corner.y + theme.em(HEIGHT))
        imgui.invisible_button("frames", ImVec2(end.x - imgui.get_cursor_screen_pos().x, theme.em(HEIGHT)))
        mouse = imgui.get_mouse_pos()
        at = shown.time_of(mouse.x)
        is_on_clips = mouse.y >= corner.y + theme.em(NUMBERS)
        plays_on = self._scrubbing.follow(frame)
        if plays_on is not None:
            press = (
                _press(frame, document, at, is_on_clips=is_on_clips) if imgui.is_item_activated() else None
            )
            begin, time = None if press is None else press.begin, snapped(frame, at)

            def scrub(view: ViewState) -> ViewState:
                begun = view if begin is None else begin(view)
                return replace(playing.at_frame(begun, document, time), is_playing=plays_on)

            frame.change(scrub)
        elif imgui.is_item_hovered():
            tooltip(_press(frame, document, at, is_on_clips=is_on_clips).hint, is_below=True)
        paint_header(frame, document, shown, corner.y, end.y)
        imgui.set_cursor_screen_pos(ImVec2(corner.x, end.y))


def _press(frame: UiContext, document: Document, time: float, *, is_on_clips: bool) -> _Press:
    """The effect of a press at a time: scrub, play the clip there, or show all frames."""
    scrubs = _Press(_("Drag to scrub; Shift: between frames"))
    played = document.controller.clip(frame.view.playback.clip)
    there = _clips_at(document, time)
    if is_on_clips and there and (played is None or played not in there):
        hint = _("Click: play {clip}", clip=clip_name(there[0]))
        return _Press(hint, partial(playing.play_clip, clip=there[0].index))
    if played is None or playing.clip_times(document, played, [time]):
        return scrubs
    hint = _("Click: this frame in all frames; {clip} does not pass it", clip=clip_name(played))
    return _Press(hint, lambda view: playing.play_frames(view, document, None))


def _clips_at(document: Document, time: float) -> list[Clip]:
    """The clips whose bar is at a time, the shortest first: those that lie on others."""
    found = [(sorted(pair), clip) for clip in document.controller.clips for pair in pairs(clip)[:1] if pair]
    inside = [(last - first, clip) for (first, last), clip in found if first <= time <= last]
    return [clip for _length, clip in sorted(inside, key=lambda it: it[0])]
