"""The states of a controller as clips, and its channels; both lead to the model that it plays."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.formats.meaning import meaning
from viewer.formats.neighbors.control import CHANNEL, has_components
from viewer.formats.text import decode
from viewer.model.clips.clip import Clip
from viewer.model.clips.conditions import conditions
from viewer.model.clips.controller import Controller
from viewer.model.clips.started_effects import PLACES, StartedEffect, when
from viewer.model.store.place import Place
from viewer.session.field_text import counted
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.places import CLIPS
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.fields.resource_links import draw_link, draw_target
from viewer.ui.fields.row_table import RowColumn
from viewer.ui.stage.component_table import draw_components
from viewer.ui.stage.page import TablesPage
from viewer.ui.timeline.component_names import drivers_title
from viewer.ui.timeline.play_list import (
    clip_hints,
    clip_name,
    frames_text,
    pair_texts,
    rate_text,
    seconds_text,
)
from viewer.ui.widgets import theme
from viewer.ui.widgets.table_grid import LIST, rows_on_screen, set_up_columns
from viewer.ui.widgets.widgets import cut, text, tooltip

STATES: Final = "states"
SHARE: Final = 0.6
"""Share of the height that the states take if there are channels."""
EFFECT_LINES: Final = 8
"""Lines of effects that are seen at once; the others are scrolled to."""


class ControllerView(TablesPage):
    """The states and the channels of one controller."""

    id = "clips"
    title = _("Clips")
    tables = (STATES, CHANNEL.name)

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the components and effects, the states, and the channels below."""
        controller = opened.controller
        if controller is None or opened.parts is None:
            return
        if controller.components:
            draw_components(frame, opened, controller.components)
        elif opened.value is not None and not has_components(opened.value):
            text(_("its components cannot be read: they stay bytes"), theme.WARNING)
        if opened.started:
            _draw_effects(frame, opened)
        text(counted(len(controller.clips), "{count} state", "{count} states"), theme.DIM)
        if opened.links.model and not opened.controlled:
            imgui.same_line()
            text(_("the model plays another controller"), theme.WARNING)
        room = imgui.get_content_region_avail().y
        if controller.clips:
            height = room * SHARE if controller.channels else 0.0
            states = _state_columns(frame, opened, controller)
            self._draw_table(frame, opened, STATES, lambda *_ignored: states, height)
        if controller.channels:
            count = len(controller.channels)
            text(counted(count, "{count} channel", "{count} channels"), theme.DIM)
            channels = _channel_columns(frame, opened, controller)
            self._draw_table(frame, opened, CHANNEL.name, lambda *_ignored: channels)


def _draw_effects(frame: UiContext, opened: OpenedResource) -> None:
    """Draw the effects that the controller starts: when, where, and a link to each."""
    started = opened.started
    text(counted(len(started), "starts {count} effect", "starts {count} effects"), theme.DIM)
    lines = min(len(started), EFFECT_LINES) + 1
    height = lines * imgui.get_text_line_height_with_spacing() + theme.em(0.6)
    if not imgui.begin_table("##started", 3, LIST, ImVec2(0, height)):
        return
    set_up_columns({_("Effect"): 0, _("When"): 0, _("Where"): 0}, has_headers=True)
    for line in rows_on_screen(len(started)):
        effect, target = started[line]
        imgui.table_next_row()
        imgui.table_next_column()
        draw_target(frame, f"started{line}", decode(effect.name), target)
        imgui.table_next_column()
        text(when(effect))
        imgui.table_next_column()
        text(where_text(effect), theme.DIM)
    imgui.end_table()


def where_text(effect: StartedEffect) -> str:
    """Return where a controller places an effect."""
    numbers = ", ".join(map(str, effect.where))
    return f"{PLACES[effect.action]} {numbers}".rstrip()


def _state_columns(frame: UiContext, opened: OpenedResource, controller: Controller) -> tuple[RowColumn, ...]:
    clips = controller.clips

    def draw_name(row: int) -> None:
        if row >= len(clips):
            return
        text(clip_name(clips[row]))
        tooltip(clip_hints(controller, clips[row]))
        if clips[row].is_guess:
            imgui.same_line(0, theme.em(0.5))
            text(_("guess"), theme.FAINT)

    def column(title: str, width: float, draw: Callable[[Clip], None]) -> RowColumn:
        return RowColumn(
            title, width, lambda row: draw(clips[row]) if row < len(clips) else None, is_stretched=True
        )

    def draw_play(row: int) -> None:
        if opened.controlled and row < len(clips):
            draw_link(frame, f"play{row}", _("play on model"), Place(opened.controlled, CLIPS, row))

    return (
        RowColumn(_("Clip"), 2, draw_name, is_stretched=True),
        column(_("Frames A"), 1, lambda it: text(pair_texts(it)[0], theme.PAIRS[0])),
        column(_("Frames B"), 1, lambda it: text(pair_texts(it)[1], theme.PAIRS[1])),
        column(_("Seconds"), 1, _draw_seconds),
        column(_("When"), 1.5, lambda it: cut("; ".join(conditions(it)), theme.DIM)),
        RowColumn(_("Model"), 1, draw_play, is_stretched=True),
    )


def _draw_seconds(clip: Clip) -> None:
    text(_("by stride") if clip.seconds is None else seconds_text(clip.seconds))


def _draw_driver(controller: Controller, row: int) -> None:
    driver = drivers_title(controller.drivers(row))
    if driver:
        text(driver)


def _channel_columns(
    frame: UiContext, opened: OpenedResource, controller: Controller
) -> tuple[RowColumn, ...]:
    channels, flags = controller.channels, CHANNEL.field("flags")

    def draw_node(row: int) -> None:
        if row >= len(channels):
            return
        node, names = channels[row].node, opened.node_names
        words = (names[node] if 0 <= node < len(names) else "") or _("node {node}", node=node)
        if opened.links.model and node >= 0:
            draw_link(frame, f"node{row}", words, Place(opened.links.model, "nodes", node))
        else:
            text(words, theme.DIM)

    def draw_frames(row: int) -> None:
        if row < len(channels):
            text(frames_text(channels[row].first, channels[row].last))

    def draw_rate(row: int) -> None:
        if row < len(channels):
            text(rate_text(channels[row]))

    def draw_flags(row: int) -> None:
        if row < len(channels):
            words = meaning(flags, channels[row].flags)
            text(words, theme.DIM)
            tooltip(words)

    return (
        RowColumn(_("Node"), 1, draw_node, is_stretched=True),
        RowColumn(_("Component"), 1, partial(_draw_driver, controller), is_stretched=True),
        RowColumn(_("Frames"), 1, draw_frames, is_stretched=True),
        RowColumn(_("Rate"), 1, draw_rate, is_stretched=True),
        RowColumn(_("Flags"), 2, draw_flags, is_stretched=True),
    )
