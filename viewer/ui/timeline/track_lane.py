"""The tracks under a time axis: a row of keys for each node that is selected, or without any that moves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from imgui_bundle import ImVec2, imgui
from msgspec.structs import replace

from viewer.session.opened.document import Document
from viewer.session.play.keys.key_sheet import KeySheet, Mark
from viewer.session.selection import Selection
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.timeline.key_rows import FrameWindow, KeyRows, SheetFrame
from viewer.ui.timeline.sheet_hints import explained
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.ruler import Ruler
from viewer.ui.widgets.widgets import text, tooltip

NAMES: Final = 7.0
"""Width of the names of nodes, font heights."""
LEAST_WIDTH: Final = 20.0
"""Least width of an axis with names, font heights."""


class TrackLane:
    """The rows in the room that an axis leaves; owner: the axis."""

    def __init__(self) -> None:
        self._sheet = Cached(KeySheet)
        self._keys: KeySheet | None = None
        self._nodes: Sequence[int] = ()
        self._more = 0

    @property
    def height(self) -> float:
        """The height of a row, pixels."""
        return imgui.get_text_line_height() * 1.15

    @property
    def names(self) -> float:
        """The width of the names left of the axis, pixels; 0 without rows."""
        return theme.em(NAMES) if self._nodes else 0.0

    def fit(self, frame: UiContext, document: Document, width: float, height: float) -> None:
        """Choose the rows for a room, pixels: none if it is low or narrow."""
        self._nodes, self._more = (), 0
        count = int(height // self.height)
        if count < 1 or width < theme.em(LEAST_WIDTH) or not document.animation.is_animated:
            return
        self._keys = self._sheet.of((document.identity, document.revision, document.choice), document)
        selected = [it for it in reversed(frame.view.selection.nodes) if it < document.model.node_count]
        found = selected or sorted(self._keys.moving())
        # The last row says how many have no room.
        shown = count if len(found) <= count else max(count - 1, 1)
        self._nodes, self._more = found[:shown], len(found) - min(shown, len(found))

    def draw_names(self, frame: UiContext, document: Document, corner: ImVec2) -> None:
        """Draw the names, which select their nodes; `corner` is the upper left one of the first row."""
        for row, node in enumerate(self._nodes):
            imgui.set_cursor_screen_pos(ImVec2(corner.x, corner.y + row * self.height))
            is_selected = node in frame.view.selection.nodes
            size = ImVec2(self.names - theme.em(0.4), imgui.get_text_line_height())
            label = f"{document.label(node)}###track{node}"
            if imgui.selectable(label, is_selected, imgui.SelectableFlags_.none, size)[0]:
                frame.change(lambda view, node=node: replace(view, selection=Selection((node,))))  # type: ignore[misc]
            tooltip(partial(explained, frame, document, node))
        if self._more:
            imgui.set_cursor_screen_pos(ImVec2(corner.x, corner.y + len(self._nodes) * self.height))
            text(_("and {count} more", count=self._more), theme.FAINT)

    def paint(self, frame: UiContext, document: Document, strip: Ruler, top: float) -> None:
        """Paint the keys, spans that hold, fallback frames and the current times over a strip of frames."""
        if self._keys is None or not self._nodes:
            return
        shown = FrameWindow(strip.left, strip.width, 0.0, strip.last)
        rows = KeyRows(SheetFrame(frame, document, self._keys), shown, self._nodes, top, self.height)
        key = frame.view.selection.key
        rows.paint(frozenset() if key is None else self._marks(key))

    def _marks(self, key: int) -> frozenset[Mark]:
        """The mark of a row of the table of keys."""
        assert self._keys is not None
        found = (self._keys.rows == key).nonzero()[0][:1].tolist()
        return frozenset(Mark(int(self._keys.nodes[it]), int(self._keys.indices[it])) for it in found)
