"""Marking frame ranges, and changing those that are marked."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.session.opened.document import Document
from viewer.session.view.frame_range import FrameRange, with_range, without_range
from viewer.session.view.time_axis import play_frames
from viewer.session.view.view_state import ViewState
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.requests import KeepRanges
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import icon_button, labeled, tooltip

LONGEST_NAME: Final = 80
"""Letters of a name that are kept."""


def range_text(frames: FrameRange) -> str:
    """Return the name of a range, or its frames if it has none."""
    return frames.name or _("frames {first} to {last}").format(first=frames.first, last=frames.last)


def add_range(frame: UiContext, document: Document, added: FrameRange) -> None:
    """Keep a range and play it."""
    frame.request(KeepRanges(document.address, with_range(frame.ranges, added)))
    frame.change(lambda view: play_frames(view, document, added))


def mark(frame: UiContext, *, is_last: bool) -> None:
    """Begin or end the range that is played at the current frame; without one, a new range of the strip."""
    document = frame.document
    if document is None or not document.animation.is_animated:
        return
    last, now = int(document.last_frame), round(frame.view.time)
    old = frame.view.frames
    first, end = (0, last) if old is None else (old.first, old.last)
    ends = (min(first, now), now) if is_last else (now, max(end, now))
    change_range(frame, document, old, FrameRange(*ends, old.name if old else ""))


def change_range(frame: UiContext, document: Document, old: FrameRange | None, new: FrameRange) -> None:
    """Replace a range, at the current time."""
    others = frame.ranges if old is None else without_range(frame.ranges, old)
    frame.request(KeepRanges(document.address, with_range(others, new)))
    frame.change(lambda view: replace(view, frames=new))


def remove_range(frame: UiContext, document: Document, removed: FrameRange) -> None:
    """Forget a range; if it is played, all frames are."""

    def change(view: ViewState) -> ViewState:
        return replace(view, frames=None) if view.frames == removed else view

    frame.request(KeepRanges(document.address, without_range(frame.ranges, removed)))
    frame.change(change)


def draw_marking(frame: UiContext, document: Document) -> None:
    """Draw the buttons that mark, and the name and the frames of the range that is played."""
    if imgui.button(labeled(_("Mark start"), "mark_start")):
        mark(frame, is_last=False)
    tooltip([_("Begin a range at the current frame"), _("A range that is played is changed."), "Shift+I"])
    imgui.same_line(0, theme.em(0.3))
    if imgui.button(labeled(_("Mark end"), "mark_end")):
        mark(frame, is_last=True)
    tooltip([_("End a range at the current frame"), _("A range that is played is changed."), "Shift+O"])
    if frame.view.frames is not None:
        _draw_fields(frame, document, frame.view.frames)


def _draw_fields(frame: UiContext, document: Document, played: FrameRange) -> None:
    imgui.set_next_item_width(theme.em(8))
    is_renamed, name = imgui.input_text_with_hint("###range_name", _("name of the range"), played.name)
    imgui.same_line(0, theme.em(0.3))
    imgui.set_next_item_width(theme.em(7))
    last, flags = int(document.last_frame), imgui.SliderFlags_.always_clamp
    is_moved, first, end = imgui.drag_int_range2(
        "###range_frames", played.first, played.last, 0.2, 0, last, "%d", "%d", flags
    )
    tooltip(_("First and last frame"))
    if is_renamed or is_moved:
        ends = (min(first, end), max(first, end)) if is_moved else (played.first, played.last)
        change_range(frame, document, played, FrameRange(*ends, name[:LONGEST_NAME]))
    imgui.same_line(0, theme.em(0.3))
    if icon_button(fa.ICON_FA_TRASH, "remove_range", _("Delete this range")):
        remove_range(frame, document, played)
