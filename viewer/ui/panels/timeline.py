"""Timeline panel: playback controls, what can be played, the time axis, and the channels."""

from __future__ import annotations

from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui

from viewer.session.opened.document import Document
from viewer.session.view.view_state import ViewState
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.per_tab import PerTab
from viewer.ui.timeline.clip_axis import LEAST, ClipAxis, draw_channels
from viewer.ui.timeline.frame_axis import FrameAxis
from viewer.ui.timeline.play_list import PlayList, draw_problem
from viewer.ui.timeline.ranges import draw_range
from viewer.ui.timeline.transport import draw_transport
from viewer.ui.widgets import theme
from viewer.ui.widgets.ruler import Times, key_times
from viewer.ui.widgets.widgets import empty, labeled

LIST_WIDTH: Final = 25.0
CHANNELS_WIDTH: Final = 24.0
"""Widths of the parts next to the axis, in font heights."""
LEAST_AXIS: Final = 16.0
"""Least width of the axis that has other parts next to it, in font heights."""
LEAST_LIST: Final = 8.0
"""Least height of the parts above the axis, in font heights."""


class TimelinePanel:
    """Playback controls above; below, the list, the time axis and the channels."""

    id = "timeline"
    title = Message("Timeline")

    def __init__(self) -> None:
        self._document: Document | None = None
        self._made_of: tuple[object, ...] = ()
        self._times: Times = np.empty(0, np.float32)
        self._frames, self._clips, self._lists = PerTab(FrameAxis), PerTab(ClipAxis), PerTab(PlayList)

    def draw(self, frame: UiContext) -> None:
        """Draw the transport, the list, the axis and the channels of the open document."""
        document = frame.document
        if document is None:
            empty(_("The animation of the open model appears here."))
            return
        if document.last_frame == 0 and document.controller.address is None:
            empty(_("No animation: a single frame and no animated materials."))
            return
        times = self._times_of(document, frame.view)
        draw_transport(frame, document, times)
        if document.has_only_materials_moving and document.controller.address is None:
            self._draw_axis(frame, document, times, imgui.get_content_region_avail().x)
            return
        self._draw_parts(frame, document, times)

    def _draw_parts(self, frame: UiContext, document: Document, times: Times) -> None:
        """Draw the parts side by side; in a narrow and high panel what can be played above the axis."""
        room, spacing = imgui.get_content_region_avail(), imgui.get_style().item_spacing
        is_narrow = room.x < theme.em(LIST_WIDTH + LEAST_AXIS)
        is_stacked = is_narrow and room.y >= theme.em(LEAST_LIST + LEAST)
        has_column = room.x >= theme.em(LIST_WIDTH + LEAST_AXIS + CHANNELS_WIDTH)
        has_column = has_column and bool(document.controller.channels)
        list_size = ImVec2(room.x / 2 if is_narrow else theme.em(LIST_WIDTH), 0)
        size = ImVec2(0, room.y - theme.em(LEAST) - spacing.y) if is_stacked else list_size
        imgui.begin_child("playable", size)
        self._draw_playable(frame, document, has_column=has_column)
        imgui.end_child()
        if not is_stacked:
            imgui.same_line()
        width = imgui.get_content_region_avail().x - (
            theme.em(CHANNELS_WIDTH) + spacing.x if has_column else 0.0
        )
        self._draw_axis(frame, document, times, width)
        if has_column:
            imgui.same_line()
            draw_channels(frame, document)

    def _draw_playable(self, frame: UiContext, document: Document, *, has_column: bool) -> None:
        """Draw the list; the channels are under another tab unless they have a column of their own."""
        if has_column or not document.controller.channels:
            self._draw_list(frame, document)
            return
        if not imgui.begin_tab_bar("##playable", imgui.TabBarFlags_.draw_selected_overline):
            return
        if imgui.begin_tab_item(labeled(_("Clips"), "clips"))[0]:
            self._draw_list(frame, document)
            imgui.end_tab_item()
        if imgui.begin_tab_item(labeled(_("Channels"), "channels"))[0]:
            draw_channels(frame, document)
            imgui.end_tab_item()
        imgui.end_tab_bar()

    def _draw_list(self, frame: UiContext, document: Document) -> None:
        """Draw what can be played, and below it the fields of a marked range that is."""
        draw_problem(document)
        below = imgui.get_frame_height_with_spacing() if frame.view.frames else 0.0
        height = max(imgui.get_content_region_avail().y - below, theme.em(2.8))
        self._lists.of(frame.state.tabs).draw(frame, document, height)
        if frame.view.frames is not None:
            draw_range(frame, document, frame.view.frames)

    def _draw_axis(self, frame: UiContext, document: Document, times: Times, width: float) -> None:
        clip = document.controller.clip(frame.view.playback.clip)
        if clip is not None:
            self._clips.of(frame.state.tabs).draw(frame, document, clip, width)
        elif document.last_frame > 0:
            self._frames.of(frame.state.tabs).draw(frame, document, times, width)
        else:
            imgui.begin_child("still", ImVec2(width, 0))
            empty(_("A single frame and no animated materials: nothing moves."))
            imgui.end_child()

    def _times_of(self, document: Document, view: ViewState) -> Times:
        """Return the key times to mark; computed when selection or materials change."""
        made_of = view.selection.node, view.materials
        if self._document is not document or self._made_of != made_of:
            self._document, self._made_of = document, made_of
            self._times = key_times(document, view)
        return self._times
