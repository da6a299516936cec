"""Editing keys on the time axis: the selected key is dragged in time; a menu adds, removes and stretches."""

from __future__ import annotations

from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.edit.change import Change
from viewer.model.edit.keys.key_count import AddKey, RemoveKey
from viewer.model.edit.keys.retime import Retime
from viewer.model.edit.keys.set_key import SetKey
from viewer.session.edits.naming import node_choice
from viewer.session.opened.document import Document
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.ruler import Ruler
from viewer.ui.widgets.widgets import labeled, text, tooltip

MENU: Final = "key_menu"
LONGEST: Final = 10_000
"""Frames to which a range can be stretched here."""


class KeyEdits:
    """The key that is being dragged; owner: the time axis."""

    def __init__(self) -> None:
        self._held: int | None = None
        self._length = 0

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
            _request(frame, document, SetKey(node_choice(document.names, node), index, time=after))

    def paint(self, painter: imgui.ImDrawList, ruler: Ruler, time: float, bottom: float) -> None:
        """Paint where the key will be."""
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
        time = round(ruler.time_of(imgui.get_mouse_pos_on_opening_current_popup().x))
        node, key = frame.view.selection.node, frame.view.selection.key
        imgui.separator_text(_("Frame {time}").format(time=time))
        if node is None:
            text(_("Select a part to edit its keys."), theme.DIM)
        else:
            named, times = node_choice(document.names, node), _times(document, node)
            words = _("Add a key to {node} here").format(node=document.label(node))
            label = labeled(f"{fa.ICON_FA_PLUS}  {words}", "add_key")
            if imgui.menu_item_simple(label, enabled=bool(times) and time not in times):
                _request(frame, document, AddKey(named, time))
            tooltip(_("It has the pose that the part has there, so nothing moves."))
            removed = document.animation.track(node)
            label = labeled(f"{fa.ICON_FA_TRASH}  {_('Remove the selected key')}", "remove_key")
            if imgui.menu_item_simple(label, enabled=key is not None and key in removed and len(times) > 1):
                _request(frame, document, RemoveKey(named, removed.index(key or 0)))
        if document.animation.is_animated:
            self._draw_stretching(frame, document)
        imgui.end_popup()

    def _draw_stretching(self, frame: UiContext, document: Document) -> None:
        """Draw a field for the length of the range that is played, or of the whole strip."""
        played = frame.view.frames
        first, last = (0, int(document.last_frame)) if played is None else (played.first, played.last)
        if imgui.is_window_appearing():
            self._length = last - first
        imgui.separator_text(_("Stretch frames {first} to {last}").format(first=first, last=last))
        imgui.set_next_item_width(theme.em(6))
        entered = imgui.input_int(labeled(_("frames"), "length"), self._length, 0)[1]
        self._length = min(max(entered, 1), LONGEST)
        imgui.same_line()
        is_changed = self._length != last - first
        imgui.begin_disabled(not is_changed)
        if imgui.button(labeled(_("Stretch"), "stretch")):
            imgui.close_current_popup()
            stretched = Retime(first, last, first, first + self._length, moves_later=True)
            _request(frame, document, stretched)
        imgui.end_disabled()
        tooltip(_("Moves the keys of all parts; later keys move along. The strip gets slower or faster."))


def _times(document: Document, node: int) -> list[float]:
    """Times of the keys of a node."""
    track = document.animation.track(node)
    times: list[float] = document.model.keys["time"][track.start : track.stop].tolist()
    return times


def _request(frame: UiContext, document: Document, change: Change) -> None:
    frame.commands.edits.edit(document.address, (change,))
