"""Timeline panel: playback controls, what can be played, and the time axis."""

from __future__ import annotations

from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui

from viewer.session.opened.document import Document
from viewer.session.view.view_state import ViewState
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.per_tab import PerTab
from viewer.ui.timeline.axis_view import AxisView
from viewer.ui.timeline.play_list import PlayList, draw_absence
from viewer.ui.timeline.ranges import draw_marking
from viewer.ui.timeline.transport import draw_transport
from viewer.ui.widgets import theme
from viewer.ui.widgets.ruler import Times, key_times
from viewer.ui.widgets.widgets import empty

LIST_WIDTH: Final = 24.0
"""Width of the list of what can be played, in font heights."""
WIDE: Final = 44.0
"""Least width of the panel that has the list next to the axis."""


class TimelinePanel:
    """Playback controls above; below, the list and the time axis."""

    id = "timeline"
    title = Message("Timeline")

    def __init__(self) -> None:
        self._document: Document | None = None
        self._made_of: tuple[object, ...] = ()
        self._times: Times = np.empty(0, np.float32)
        self._axes, self._lists = PerTab(AxisView), PerTab(PlayList)

    def draw(self, frame: UiContext) -> None:
        """Draw the transport, the list and the axis of the open document."""
        document = frame.document
        if document is None:
            empty(_("The animation of the open model appears here."))
            return
        if document.last_frame == 0:
            empty(_("No animation: a single frame and no animated materials."))
            return
        times = self._times_of(document, frame.view)
        draw_transport(frame, document, times)
        if document.animation.is_animated:
            self._draw_list(frame, document)
        self._axes.of(frame.tabs).draw(frame, document, times)

    def _draw_list(self, frame: UiContext, document: Document) -> None:
        """Draw what can be played, beside the axis that follows or above it."""
        room = imgui.get_content_region_avail()
        is_wide = room.x >= theme.em(WIDE)
        size = ImVec2(theme.em(LIST_WIDTH), 0) if is_wide else ImVec2(0, room.y * 0.6)
        imgui.begin_child("playable", size)
        draw_absence()
        below = imgui.get_frame_height_with_spacing()
        height = max(imgui.get_content_region_avail().y - below, theme.em(3))
        self._lists.of(frame.tabs).draw(frame, document, height)
        draw_marking(frame, document)
        imgui.end_child()
        if is_wide:
            imgui.same_line()

    def _times_of(self, document: Document, view: ViewState) -> Times:
        """Return the key times to mark; computed when selection or materials change."""
        made_of = view.selection.node, view.materials
        if self._document is not document or self._made_of != made_of:
            self._document, self._made_of = document, made_of
            self._times = key_times(document, view)
        return self._times
