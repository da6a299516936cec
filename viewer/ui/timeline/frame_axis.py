"""The time axis of all frames, with keys and marked ranges: scrubbed, marked, keys moved."""

from __future__ import annotations

from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.model.edit.change import Change
from viewer.model.edit.nodes.set_key import AddKey, RemoveKey, SetKey
from viewer.model.edit.nodes.track_edit import Retime
from viewer.session.edits.row_commands import node_choice
from viewer.session.opened.document import Document
from viewer.session.play import timeline
from viewer.session.play.playback import FrameRange
from viewer.session.selection import Selection
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.editing.in_place import InPlaceEdit
from viewer.ui.timeline.axis_parts import Scrubbing, paint_cursor, paint_marks, paint_span, snapped
from viewer.ui.timeline.play_list import add_range, frames_text, range_text
from viewer.ui.timeline.track_lane import TrackLane
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.ruler import Ruler, Times, key_at
from viewer.ui.widgets.widgets import fitting, labeled, text, tooltip

KEY_REACH: Final = 0.45
"""Distance at which a click hits a key, in font heights."""
KEY_ROW: Final = 1.2
"""Height of the row of keys at the foot of the axis, in font heights; above it the axis only scrubs."""
NUMBERS: Final = 1.4
"""Height of the numbers of frames, in font heights; the tracks are below."""


class FrameAxis:
    """The axis of all frames; remembers where a range is begun that is being marked."""

    def __init__(self) -> None:
        self._scrubbing = Scrubbing()
        self._began: float | None = None
        self._keys, self._lane = KeyEdits(), TrackLane()

    def draw(self, frame: UiContext, document: Document, times: Times, width: float) -> None:
        """Draw the axis as high as the room that is left; `times` are those of the keys that are marked."""
        height = imgui.get_content_region_avail().y
        size = ImVec2(max(width, theme.em(4)), max(height, theme.em(2.6)))
        corner = imgui.get_cursor_screen_pos()
        top, foot = corner.y + theme.em(NUMBERS), theme.em(KEY_ROW + (0.0 if frame.view.frames else 0.9))
        self._lane.fit(frame, document, size.x, corner.y + size.y - foot - top)
        self._lane.draw_names(frame, document, ImVec2(corner.x, top))
        start = ImVec2(corner.x + self._lane.names, corner.y)
        size = ImVec2(size.x - self._lane.names, size.y)
        imgui.set_cursor_screen_pos(start)
        imgui.invisible_button("scrub", size)
        ruler = Ruler(start.x + theme.em(0.8), size.x - theme.em(1.6), document.last_frame)
        end = start + size
        self._react(frame, document, ruler, end.y)
        if not imgui.is_item_active():
            is_in_keys = imgui.get_mouse_pos().y >= end.y - theme.em(KEY_ROW)
            tooltip(_hints(document, is_in_keys=is_in_keys), is_below=True)
        self._keys.draw_menu(frame, document, ruler)
        painter = imgui.get_window_draw_list()
        painter.push_clip_rect(start, end, True)
        painter.add_rect_filled(start, end, theme.packed(theme.BACKDROP, 0.6), theme.em(0.25))
        row = ImVec2(start.x, end.y - theme.em(KEY_ROW))
        painter.add_rect_filled(row, end, theme.packed(theme.FAINT, 0.12), theme.em(0.25))
        self._paint_ranges(frame, ruler, start.y, end.y)
        paint_marks(painter, ruler, start.y, end.y)
        self._lane.paint(frame, document, ruler, top)
        _paint_keys(frame, document, ruler, times, end.y)
        self._keys.paint(painter, ruler, ruler.time_of(imgui.get_mouse_pos().x), end.y)
        paint_cursor(painter, ruler.x_of(frame.view.time), start.y, end.y)
        painter.pop_clip_rect()

    def _react(self, frame: UiContext, document: Document, ruler: Ruler, bottom: float) -> None:
        """Scrub, or in the row of keys select or move one; with Ctrl mark a range instead."""
        time = ruler.time_of(imgui.get_mouse_pos().x)
        plays_on = self._scrubbing.follow(frame)
        if imgui.is_item_activated():
            is_marking = imgui.get_io().key_ctrl and document.animation.is_animated
            self._began = time if is_marking else None
            key = None if is_marking else _key_at(frame, document, ruler, bottom)
            # A first press selects a key; only one that is selected already can be dragged.
            if not self._keys.take(frame, key) and key is not None:
                nodes = frame.view.selection.nodes[-1:]
                frame.change(lambda view: replace(view, selection=Selection(nodes, key=key)))
        if plays_on is not None and self._began is None and not self._keys.is_holding:
            axis, requested = frame.state.axis, snapped(frame, time)
            frame.change(lambda view: timeline.seek(replace(view, is_playing=plays_on), requested, axis))
        if imgui.is_item_deactivated() and self._keys.is_holding:
            self._keys.release(frame, document, time)
        if imgui.is_item_deactivated() and self._began is not None:
            marked, self._began = FrameRange.between(self._began, time), None
            if marked.first < marked.last:
                add_range(frame, document, marked)

    def _paint_ranges(self, frame: UiContext, ruler: Ruler, top: float, bottom: float) -> None:
        """Paint the marked ranges as lines, the one that is played or being marked as an area."""
        painter, shown = imgui.get_window_draw_list(), frame.view.frames
        for marked in frame.state.ranges:
            y = top + theme.em(1.25)
            ends = ImVec2(ruler.x_of(marked.first), y), ImVec2(ruler.x_of(marked.last), y)
            painter.add_line(*ends, theme.packed(theme.GOOD, 0.5), theme.em(0.15))
        if self._began is not None:
            shown = FrameRange.between(self._began, ruler.time_of(imgui.get_mouse_pos().x))
        if shown is not None:
            left, right = ruler.x_of(shown.first), ruler.x_of(shown.last)
            paint_span(painter, left, right, top, bottom)
            place = ImVec2(left + theme.em(0.3), top + theme.em(1.3))
            choices = range_text(shown), frames_text(shown.first, shown.last)
            painter.add_text(place, theme.packed(theme.GOOD), fitting(choices, right - place.x))


def _hints(document: Document, *, is_in_keys: bool) -> list[str]:
    """Two lines at most, which fit below the axis."""
    if is_in_keys:
        return [
            _("Click a key to select it; drag the selected key to move it"),
            _("Right click: add and remove keys, stretch"),
        ]
    hints: list[str] = [_("Drag to scrub; Shift: between frames")]
    return [*hints, _("Ctrl+drag: mark a range of frames")] if document.animation.is_animated else hints


def _key_at(frame: UiContext, document: Document, ruler: Ruler, bottom: float) -> int | None:
    """Return the key of the active node that the mouse is on, in the row of keys above `bottom`."""
    node, mouse = frame.view.selection.node, imgui.get_mouse_pos()
    if node is None or document.has_only_materials_moving or mouse.y < bottom - theme.em(KEY_ROW):
        return None
    return key_at(document.animation, node, ruler, mouse.x, theme.em(KEY_REACH))


def _paint_keys(frame: UiContext, document: Document, ruler: Ruler, times: Times, bottom: float) -> None:
    """Paint the keys of the active node, the selected one larger; without one those of all nodes, dimmed."""
    painter, selection, keys = imgui.get_window_draw_list(), frame.view.selection, document.model.keys
    color = theme.packed(theme.FAINT if selection.node is None else theme.SELECTION)
    top, foot = bottom - theme.em(0.8), bottom - theme.em(0.15)
    for x in ruler.places_of(times).tolist():
        painter.add_line(ImVec2(x, top), ImVec2(x, foot), color, theme.em(0.12))
    if selection.key is not None and selection.key < len(keys):
        center = ImVec2(ruler.x_of(float(keys["time"][selection.key])), top)
        painter.add_circle_filled(center, theme.em(0.3), theme.packed(theme.SELECTION))
    if frame.view.frames is None:
        place = ImVec2(ruler.left, bottom - theme.em(2))
        painter.add_text(place, theme.packed(theme.DIM), fitting(explanations(document), ruler.width))


def explanations(document: Document) -> tuple[str, ...]:
    """Return what the axis is of, from long to short."""
    if document.has_only_materials_moving:
        return (_("No node animation: these are material phases."),)
    if document.controller.clips:
        return (_("Whole strip, 15 frames/s is our rate."),)
    why = _("No controller says which frames belong together: whole strip, 15 frames/s is our rate.")
    return why, _("No controller: whole strip, 15 frames/s is our rate."), _("whole strip, our rate")


MENU: Final = "key_menu"
LONGEST: Final = 10_000
"""Frames to which a range can be stretched here."""


class KeyEdits:
    """The key that is being dragged; owner: the time axis."""

    def __init__(self) -> None:
        self._held: int | None = None
        self._length = 0
        self._edits = InPlaceEdit()

    def _request(self, frame: UiContext, document: Document, change: Change) -> None:
        self._edits.make(frame, document, (change,), frame.view.selection.node)

    @property
    def is_holding(self) -> bool:
        """Whether a key is being dragged."""
        return self._held is not None

    def take(self, frame: UiContext, key: int | None) -> bool:
        """Hold a key that was pressed, if it is selected already; tell whether it is."""
        self._held = key if key is not None and key == frame.view.selection.key else None
        return self.is_holding

    def release(self, frame: UiContext, document: Document, time: float) -> None:
        """Move the key to the frame at a time."""
        key, self._held = self._held, None
        node = frame.view.selection.node
        if key is None or node is None or key not in document.animation.track(node):
            return
        before, after = float(document.model.keys["time"][key]), float(round(time))
        if after != before:
            index = document.animation.track(node).index(key)
            self._request(frame, document, SetKey(node_choice(document.names, node), index, time=after))

    def paint(self, painter: imgui.ImDrawList, ruler: Ruler, time: float, bottom: float) -> None:
        """Paint where the key will be, and why it cannot be elsewhere."""
        self._edits.draw()
        if self._held is not None:
            center = ImVec2(ruler.x_of(round(time)), bottom - theme.em(0.8))
            painter.add_circle(center, theme.em(0.4), theme.packed(theme.SELECTION), 0, theme.em(0.1))
            words = str(round(time))
            corner = center + ImVec2(theme.em(0.5), -theme.em(1))
            painter.add_text(corner, theme.packed(theme.SELECTION), words)

    def draw_menu(self, frame: UiContext, document: Document, ruler: Ruler) -> None:
        """Draw the context menu of the axis just drawn, for the frame that was clicked."""
        if not imgui.begin_popup_context_item(MENU):
            return
        # The mouse is over the menu by now.
        time = round(ruler.time_of(imgui.get_mouse_pos_on_opening_current_popup().x))
        node, key = frame.view.selection.node, frame.view.selection.key
        imgui.separator_text(_("Frame {time}", time=time))
        if node is None:
            text(_("Select a part to edit its keys."), theme.DIM)
        else:
            named, times = node_choice(document.names, node), _times(document, node)
            words = _("Add a key to {node} here", node=document.label(node))
            label = labeled(f"{fa.ICON_FA_PLUS}  {words}", "add_key")
            if imgui.menu_item_simple(label, enabled=bool(times) and time not in times):
                self._request(frame, document, AddKey(named, time))
            tooltip(_("It has the pose that the part has there, so nothing moves."))
            removed = document.animation.track(node)
            label = labeled(f"{fa.ICON_FA_TRASH}  {_('Remove the selected key')}", "remove_key")
            if imgui.menu_item_simple(label, enabled=key is not None and key in removed and len(times) > 1):
                self._request(frame, document, RemoveKey(named, removed.index(key or 0)))
        if document.animation.is_animated:
            self._draw_stretching(frame, document)
        imgui.end_popup()

    def _draw_stretching(self, frame: UiContext, document: Document) -> None:
        """Draw a field for the length of the range that is played, or of the whole strip."""
        played = frame.view.frames
        first, last = (0, int(document.last_frame)) if played is None else (played.first, played.last)
        if imgui.is_window_appearing():
            self._length = last - first
        imgui.separator_text(_("Stretch frames {first} to {last}", first=first, last=last))
        imgui.set_next_item_width(theme.em(6))
        entered = imgui.input_int(labeled(_("frames"), "length"), self._length, 0)[1]
        self._length = min(max(entered, 1), LONGEST)
        imgui.same_line()
        is_changed = self._length != last - first
        hint = _("Moves the keys of all parts; later keys move along. The strip gets slower or faster.")
        if controls.button(_("Stretch"), "stretch", hint, is_enabled=is_changed):
            imgui.close_current_popup()
            stretched = Retime(first, last, first, first + self._length, moves_later=True)
            self._request(frame, document, stretched)


def _times(document: Document, node: int) -> list[float]:
    """Times of the keys of a node."""
    track = document.animation.track(node)
    times: list[float] = document.model.keys["time"][track.start : track.stop].tolist()
    return times
