"""The channels of a model: nodes that play frames of their own, each a slider from 0 to 1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from math import degrees
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.clips.clip import Channel
from viewer.session.opened.document import Document
from viewer.session.play.channel_play import is_turning, reset, shown_value, toggle_turning
from viewer.session.selection import Selection
from viewer.session.view.view_state import ViewState
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.timeline.clip_texts import frames_text, purpose, rate_text
from viewer.ui.widgets import theme
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import icon_button, identified, labeled, text, tooltip

_FLAGS: Final = imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y | imgui.TableFlags_.no_saved_settings


def draw_channels(frame: UiContext, document: Document) -> None:
    """Draw a row for each channel on screen."""
    channels = document.controller.channels
    if not imgui.begin_table("##channels", 2, _FLAGS):
        return
    imgui.table_setup_scroll_freeze(0, 1)
    imgui.table_setup_column(_("Channel"), imgui.TableColumnFlags_.width_stretch, 1)
    imgui.table_setup_column(_("Value"), imgui.TableColumnFlags_.width_stretch, 1.1)
    imgui.table_headers_row()
    for row in rows_on_screen(len(channels)):
        imgui.table_next_row()
        with identified(row):
            _draw_channel(frame, document, channels[row])
    imgui.end_table()


def _draw_channel(frame: UiContext, document: Document, channel: Channel) -> None:
    imgui.table_next_column()
    is_there = 0 <= channel.node < document.model.node_count
    node = document.label(channel.node) if is_there else _("node {node}").format(node=channel.node)
    guess = purpose(channel, node)
    imgui.align_text_to_frame_padding()
    if imgui.text_link(labeled(node, "node")) and is_there:
        frame.change(lambda view: replace(view, selection=Selection((channel.node,))))
    tooltip(_hints(channel, guess))
    if guess:
        imgui.same_line(0, theme.em(0.5))
        text(guess, theme.DIM)
        imgui.same_line(0, theme.em(0.3))
        text(_("guess"), theme.FAINT)
    imgui.table_next_column()
    _draw_value(frame, document, channel)


def _hints(channel: Channel, guess: str) -> Iterator[str]:
    yield _("Channel {index}: frames {frames} of this node").format(
        index=channel.index, frames=frames_text(channel.first, channel.last)
    )
    if guess:
        yield _("Guess: by what the frames do to the node, and by its name.")
    yield _("Rate in the game: {rate}").format(rate=rate_text(channel))
    if channel.wraps:
        yield _("The value continues at 0 after 1.")
    if channel.inverts:
        yield _("The game drives it the other way.")
    if not channel.is_driven:
        yield _("The game does not drive it.")


def _draw_value(frame: UiContext, document: Document, channel: Channel) -> None:
    playback, controller = frame.view.playback, document.controller
    if channel.follows_previous:
        text(_("as channel {index}").format(index=channel.index - 1), theme.DIM)
        tooltip(_("It takes the value of the channel before it."))
        return
    value, is_set = shown_value(playback, channel), channel.index in playback.channels
    side, gap = imgui.get_frame_height(), theme.em(0.2)
    imgui.set_next_item_width(max(imgui.get_content_region_avail().x - 2 * (side + gap), theme.em(3)))
    color = theme.TEXT if is_set else theme.DIM
    imgui.push_style_color(imgui.Col_.text, color)
    flags = imgui.SliderFlags_.always_clamp
    changed, moved = imgui.slider_float("###value", value, 0.0, 1.0, _value_format(channel, value), flags)
    imgui.pop_style_color()
    tooltip(_value_hints(channel, is_set=is_set))
    if changed:
        frame.change(lambda view: with_value(view, channel.index, moved))
    imgui.same_line(0, gap)
    is_on = is_turning(playback, channel)
    icon = fa.ICON_FA_PAUSE if is_on else fa.ICON_FA_PLAY
    if icon_button(
        icon, "turn", _("Move it at its rate: {rate}").format(rate=rate_text(channel)), is_on=is_on
    ):
        frame.change(lambda view: toggle_turning(view, controller, channel.index))
    imgui.same_line(0, gap)
    hint = _("Reset: the initial value in a clip; in the whole strip the node follows the strip")
    if icon_button(fa.ICON_FA_ROTATE_LEFT, "reset", hint, is_enabled=is_set):
        frame.change(partial(reset, index=channel.index))


def with_value(view: ViewState, channel: int, value: float) -> ViewState:
    """The view with the value of a channel set."""
    return replace(view, playback=view.playback.with_channel(channel, value))


def _value_format(channel: Channel, value: float) -> str:
    """The value, and the angle that it stands for if the file says one."""
    if not channel.span:
        return "%.3f"
    return f"%.3f   {degrees(channel.span) * value:.0f}°"


def _value_hints(channel: Channel, *, is_set: bool) -> Iterator[str]:
    yield _("Value of the channel; the initial one is {initial:.3g}").format(initial=channel.initial)
    yield _("Ctrl+click: type a value")
    if not is_set:
        yield _("Not set: a clip uses the initial value.") if channel.is_driven else _("Not set.")
