"""Shared parts of the axes of time: scrubbing, marks, cursors, and the frames of clips."""

from __future__ import annotations

from collections.abc import Iterable

from imgui_bundle import ImVec2, imgui

from viewer.model.clips import playing
from viewer.model.clips.clip import Clip, Frames
from viewer.model.clips.controller import Controller
from viewer.session.opened.document import Document
from viewer.session.play.posing import fade_seconds
from viewer.ui.context import UiContext
from viewer.ui.timeline.play_list import pairs
from viewer.ui.widgets import theme
from viewer.ui.widgets.ruler import Ruler
from viewer.ui.widgets.shapes import Painter
from viewer.ui.widgets.theme import Color


class Scrubbing:
    """Dragging along an axis: playback waits, and continues after the drag unless Play stopped it."""

    def __init__(self) -> None:
        self._resumes = False

    def follow(self, frame: UiContext) -> bool | None:
        """Follow the item just drawn: whether it plays on after this frame; None while it is not dragged."""
        if imgui.is_item_activated():
            self._resumes = frame.view.is_playing
        elif frame.view.is_playing and (imgui.is_item_active() or imgui.is_item_deactivated()):
            self._resumes = not self._resumes  # it waits while it is dragged: Space was pressed
        # Also when it is released: between two slow frames the pointer may have moved on.
        if imgui.is_item_deactivated():
            return self._resumes
        return False if imgui.is_item_active() else None


def snapped(frame: UiContext, time: float) -> float:
    """A time that the pointer is at, or the nearest frame; Shift does the other of what the view says."""
    return time if imgui.get_io().key_shift == frame.view.snaps_to_frames else float(round(time))


def paint_span(painter: imgui.ImDrawList, left: float, right: float, top: float, bottom: float) -> None:
    """Paint a part of an axis over its height, with its ends."""
    start = top + theme.em(1.2)
    painter.add_rect_filled(ImVec2(left, start), ImVec2(right, bottom), theme.packed(theme.GOOD, 0.22))
    for x in (left, right):
        painter.add_line(ImVec2(x, start), ImVec2(x, bottom), theme.packed(theme.GOOD), theme.em(0.1))


def paint_marks(painter: Painter, ruler: Ruler, top: float, bottom: float) -> None:
    """Paint the numbers of frames with lines below them."""
    color, faint = theme.packed(theme.DIM), theme.packed(theme.FAINT, 0.45)
    for mark in ruler.marks(theme.em(3)):
        # A whole pixel, so that the line is sharp.
        x = round(ruler.x_of(mark))
        painter.add_line(ImVec2(x, top + theme.em(1.2)), ImVec2(x, bottom), faint)
        words = str(mark)
        painter.add_text(ImVec2(x - imgui.calc_text_size(words).x / 2, top + theme.em(0.1)), color, words)


def paint_cursor(
    painter: imgui.ImDrawList, x: float, top: float, bottom: float, shade: Color = theme.ACCENT
) -> None:
    """Paint the current time as a line with a head."""
    color, half = theme.packed(shade), theme.em(0.35)
    painter.add_line(ImVec2(x, top), ImVec2(x, bottom), color, theme.em(0.1))
    painter.add_triangle_filled(
        ImVec2(x - half, top), ImVec2(x + half, top), ImVec2(x, top + half * 1.3), color
    )


def fade_frame(frame: UiContext, document: Document) -> float | None:
    """The frame, of the first pair that it has, of the clip that the one that plays is blended with."""
    playback, controller = frame.view.playback, document.controller
    other = None if playback.fade is None else controller.clip(playback.fade.clip)
    if playback.fade is None or other is None:
        return None
    part, share = playing.position(controller, other, fade_seconds(controller, playback, playback.fade))
    pair = next((it for it in pairs(part) if it is not None), None)
    return None if pair is None else pair[0] + share * (pair[1] - pair[0])


def bands(controller: Controller, clip: Clip) -> tuple[list[Frames], ...]:
    """The frames of both pairs of a clip and of those that follow it, each frame once."""
    rows = zip(*(pairs(controller.clips[index]) for index in clip.chain), strict=True)
    return tuple(union(pair for pair in row if pair is not None) for row in rows)


def union(pairs: Iterable[Frames]) -> list[Frames]:
    """Ascending pairs of frames that cover the same frames as some others, without overlaps."""
    found: list[Frames] = []
    for first, last in sorted((min(pair), max(pair)) for pair in pairs):
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return found
