"""Channels that move by themselves, each at its rate, whatever else is played."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from types import MappingProxyType

from viewer.model.clips.clip import Channel
from viewer.model.clips.controller import Controller
from viewer.session.play.playback import Playback
from viewer.session.view.view_state import ViewState


def shown_value(playback: Playback, channel: Channel) -> float:
    """The value of a channel, 0 to 1: the one that was set, else the initial one."""
    value = playback.channels.get(channel.index, channel.initial)
    return min(max(value, 0.0), 1.0) if isfinite(value) else 0.0


def is_turning(playback: Playback, channel: Channel) -> bool:
    """Whether a channel moves by itself."""
    return channel.index in playback.turning


def toggle_turning(view: ViewState, controller: Controller, index: int) -> ViewState:
    """Let a channel move by itself from its value, or stop it there."""
    turning = dict(view.playback.turning)
    if turning.pop(index, None) is None:
        turning[index] = -1 if controller.channels[index].inverts else 1
    return _with_turning(view, turning)


def advance(view: ViewState, controller: Controller, seconds: float) -> ViewState:
    """Move the channels that move by themselves: round if they wrap, else to and fro."""
    for index, direction in view.playback.turning.items():
        channel = controller.channels[index]
        distance = direction * channel.rate * seconds if isfinite(channel.rate) else 0.0
        value = shown_value(view.playback, channel) + distance
        if channel.wraps:
            value %= 1.0
        else:
            value %= 2.0
            is_back = value > 1.0
            value = 2.0 - value if is_back else value
            if is_back:
                view = _with_turning(view, {**view.playback.turning, index: -direction})
        view = replace(view, playback=view.playback.with_channel(index, value))
    return view


def reset(view: ViewState, index: int) -> ViewState:
    """Stop a channel, and let it have its initial value in a clip; in all frames its node follows them."""
    turning = {other: direction for other, direction in view.playback.turning.items() if other != index}
    view = replace(view, playback=view.playback.with_channel(index, None))
    return _with_turning(view, turning)


def reset_all(view: ViewState) -> ViewState:
    """Stop and reset all channels."""
    playback = replace(view.playback, channels=MappingProxyType({}), turning=MappingProxyType({}))
    return replace(view, playback=playback)


def _with_turning(view: ViewState, turning: dict[int, int]) -> ViewState:
    return replace(view, playback=replace(view.playback, turning=MappingProxyType(turning)))
