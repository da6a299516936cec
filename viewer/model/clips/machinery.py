"""Machinery: the values of the channels that components drive, at any time, and what they play.

What stands is left to the body: it has no value here.

Source: spec/ctl.md, Playing.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from viewer.formats.neighbors.component import AT_REST, HOLDS, BodyMotion, ControllerComponent, End
from viewer.model.clips.clip import Channel

Values = Mapping[int, float]
"""Values of channels by their index, 0 to 1; 0 to 2 for one that turns round at its ends: see `shown`."""
NO_VALUES: Final[Values] = MappingProxyType({})


class Drive(Struct, frozen=True):
    """A channel with the component that drives it.

    Attributes
    ----------
    channel
        The channel.
    component
        The last component that drives it and is steered by nobody.
    """

    channel: Channel
    component: ControllerComponent

    @property
    def start(self) -> float:
        """The value at the start."""
        value = self.channel.initial
        return min(max(value, 0.0), 1.0) if isfinite(value) else 0.0

    def rate(self, motion: BodyMotion) -> float:
        """Values per second, negative downwards; 0 for what does not move at a rate."""
        if self.component.value_input != 0:
            return 0.0
        rate = self.component.direction * self.component.rate(motion) * self.channel.rate
        return rate if isfinite(rate) else 0.0

    def after(self, value: float, motion: BodyMotion, seconds: float) -> float:
        """The value some time after it was another one, the object moving in the same way all the time.

        At rates of more than 1.11 the engine goes the short way round between its steps: that is not done.
        """
        component = self.component
        if component.value_input > HOLDS:
            return self._set(value, motion, seconds)
        moved = value + self.rate(motion) * seconds
        match component.end:
            case End.WRAPS:
                return moved % 1.0
            case End.TURNS_ROUND:
                # Up in the first half, down in the second: 1.25 is shown as 0.75.
                return moved % 2.0
            case _:
                return min(max(moved, 0.0), 1.0)

    def _set(self, value: float, motion: BodyMotion, seconds: float) -> float:
        """The value that an input sets outright, or to which a switch runs at the rate of its channel."""
        channel, given = self.channel, motion.input(self.component.value_input) or 0.0
        if self.component.is_switch:
            end = 1.0 if given >= self.start else 0.0
            # A switch runs to its end at the rate of the channel, whatever the weights say (spec/ctl.md,
            # Playing).
            change = abs(channel.rate) * max(seconds, 0.0) if isfinite(channel.rate) else 0.0
            return min(value + change, end) if end > value else max(value - change, end)
        # Outright: input / span + initial value (spec/ctl.md, Playing).
        share = given / channel.span if channel.span and isfinite(channel.span) else 0.0
        return channel.held(self.start + share)


def drives_of(components: Iterable[ControllerComponent], channels: Sequence[Channel]) -> tuple[Drive, ...]:
    """The channels that components drive which nobody steers, in the order of the channels."""
    driven = {
        # Of several components that name a channel the last one stays.
        index: component
        for component in components
        if component.steers_itself and component.direction
        for index in component.channels
    }
    return tuple(Drive(it, driven[it.index]) for it in channels if it.index in driven)


def moves(drives: Sequence[Drive], motion: BodyMotion) -> bool:
    """Whether the machinery moves on while the object moves in some way."""
    return any(it.rate(motion) for it in drives) or (
        motion != AT_REST and any(it.component.value_input > HOLDS for it in drives)
    )


def values(drives: Sequence[Drive], motion: BodyMotion, seconds: float, base: Values = NO_VALUES) -> Values:
    """The values of what moves, some time after the start.

    Parameters
    ----------
    motion
        How the object has moved since then.
    seconds
        The time, seconds.
    base
        Values at the start; the initial ones of channels that are not among them. A channel with such a
        value has one from then on.
    """
    return {
        it.channel.index: it.after(base.get(it.channel.index, it.start), motion, seconds)
        for it in drives
        if it.channel.index in base or _is_driven(it, motion)
    }


def _is_driven(drive: Drive, motion: BodyMotion) -> bool:
    return bool(drive.rate(motion)) or (drive.component.value_input > HOLDS and motion != AT_REST)


def shown(value: float) -> float:
    """The value that is played, 0 to 1: one that turned round at an end comes back."""
    return 2.0 - value if value > 1.0 else value


def belts(drives: Sequence[Drive], found: Values) -> Iterator[tuple[int, float]]:
    """The nodes whose materials channels play, and the fractions of these; the initial ones at rest."""
    for it in drives:
        if it.channel.plays_material:
            value = shown(found.get(it.channel.index, it.start))
            yield it.channel.node, 1.0 - value if it.channel.inverts else value
