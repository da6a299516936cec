"""Marking frame ranges, and changing those that are marked."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.session.opened.document import Document
from viewer.session.play.playback import FrameRange, with_range, without_range
from viewer.session.play.playing import play_frames
from viewer.session.view.view_state import ViewState
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import icon_button, tooltip

LONGEST_NAME: Final = 80
"""Letters of a name that are kept."""
FRAMES_WIDTH: Final = 7.0
"""Width of the fields of the first and the last frame, in font heights."""


def range_text(frames: FrameRange) -> str:
    """Return the name of a range, or its frames if it has none."""
    return frames.name or _("frames {first} to {last}").format(first=frames.first, last=frames.last)


def add_range(frame: UiContext, document: Document, added: FrameRange) -> None:
    """Keep a range and play it."""
    frame.commands.window.keep_ranges(document.address, with_range(frame.state.ranges, added))
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
    others = frame.state.ranges if old is None else without_range(frame.state.ranges, old)
    frame.commands.window.keep_ranges(document.address, with_range(others, new))
    frame.change(lambda view: replace(view, frames=new))


def remove_range(frame: UiContext, document: Document, removed: FrameRange) -> None:
    """Forget a range; if it is played, all frames are."""

    def change(view: ViewState) -> ViewState:
        return replace(view, frames=None) if view.frames == removed else view

    frame.commands.window.keep_ranges(document.address, without_range(frame.state.ranges, removed))
    frame.change(change)


def draw_marks(frame: UiContext) -> None:
    """Draw the buttons that begin and end a range at the current frame."""
    hint = _("A range that is played is changed, else a new one is made.")
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
