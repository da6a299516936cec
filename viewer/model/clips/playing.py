"""The moment of a model while a clip is played: where its body is, and the nodes that its channels drive.

Source: spec/ctl.md, Playing.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from msgspec.structs import replace

from viewer.model.clips.clip import Clip, Frames
from viewer.model.clips.controller import Controller
from viewer.model.mesh.pose.animation import Moment


def moment(controller: Controller, clip: Clip, seconds: float) -> Moment:
    """The body `seconds` into a clip, which goes on with the next one of its chain and then starts again."""
    playing, share = position(controller, clip, seconds)
    pairs = playing.frames_a, playing.frames_b
    first, second = (_frame(pair, share) for pair in pairs)
    if first is None or second is None:
        return Moment(next((time for time in (first, second) if time is not None), 0.0))
    weight = playing.weight_b if isfinite(playing.weight_b) else 0.0
    return Moment(first, second, weight)


def position(controller: Controller, clip: Clip, seconds: float) -> tuple[Clip, float]:
    """The clip of the chain that is playing, and the share of it that is over, 0 to 1.

    It starts again after its end, at which it shows its last frame.
    """
    chain = [controller.clips[index] for index in clip.chain if controller.clips[index].length > 0]
    end = duration(controller, clip)
    # At its end exactly it shows the last frame, so the remainder, which is 0 there, is taken only beyond.
    left = seconds if 0 <= seconds <= end or not chain else seconds % end
    for playing in chain:
        if left < playing.length:
            return playing, left / playing.length
        left -= playing.length
    return (chain[-1], 1.0) if chain else (clip, 0.0)


def duration(controller: Controller, clip: Clip) -> float:
    """Seconds until a clip and those that follow it start again; 0 if nothing moves."""
    return sum(controller.clips[index].length for index in clip.chain)


def _frame(pair: Frames | None, share: float) -> float | None:
    """The frame of a pair; None if the state has no such pair."""
    if pair is None or not (isfinite(pair[0]) and isfinite(pair[1])) or min(pair) < 0:
        return None
    return pair[0] + share * (pair[1] - pair[0])


def with_channels(
    moment: Moment, controller: Controller, values: Mapping[int, float], node_count: int, *, is_playing: bool
) -> Moment:
    """A moment in which the channels drive their nodes; of several channels of a node the last one does.

    Parameters
    ----------
    values
        The values that were set, by channel.
    is_playing
        A clip is played, so that every driven channel has a value, at first its initial one.
    """
    if not values and not is_playing:
        return moment
    times: dict[int, float] = {}
    # Kept from channel to channel: one with the flag 0x40 takes the value of the channel before it.
    value: float | None = None
    for channel in controller.channels:
        if channel.index in values:
            value = values[channel.index]
        elif not channel.follows_previous:
            value = channel.initial if is_playing and channel.is_driven else None
        if value is None or channel.plays_material or not 0 <= channel.node < node_count:
            continue
        time = channel.frame(value)
        if isfinite(time):
            times[channel.node] = time
    return replace(moment, driven=tuple(sorted(times.items())))
