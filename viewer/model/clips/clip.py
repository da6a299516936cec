"""Clips and channels: the states of a controller as something to play, and the nodes that it drives alone.

Source: spec/ctl.md.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from msgspec import Struct

FRAME_RATE: Final = 15.0
"""Frames per second where no file says how long something takes: our choice, the game has no such rate."""

Frames = tuple[float, float]
"""First and last frame."""


class Gait(StrEnum):
    """The purpose of a state, as its velocity suggests; the values are saved."""

    STAND = "stand"
    WALK = "walk"
    RUN = "run"
    BACKWARD = "backward"
    TURN = "turn"


class Movement(StrEnum):
    """The motion that a channel gives its node."""

    YAW = "yaw"
    PITCH = "pitch"
    ROLL = "roll"
    SLIDE = "slide"


class Clip(Struct, frozen=True):
    """A state of a controller, as a clip.

    Attributes
    ----------
    index
        Row of the state.
    gait
        Guess of what it is for; None if its velocity says nothing.
    ordinal
        1 for the first clip of its gait, then 2 and so on.
    frames_a, frames_b
        What is played; `frames_b` is None where the state has no second pair, and `frames_a` is negative
        where it has no first one.
    weight_b
        Weight of the second pair, 0 to 1.
    seconds
        Its length; None if the game plays it by stride and speed.
    chain
        The clips that are played one after another with this one, itself included, in that order: changing
        from each of them to the next costs nothing.
    request
        The code that asks for it; None if none does.
    intact, destroyed
        Control points whose nodes have to be there, or to be lost, for the game to play it: with a lost one
        a walker limps.
    """

    index: int
    gait: Gait | None
    ordinal: int
    frames_a: Frames
    frames_b: Frames | None
    weight_b: float
    seconds: float | None
    chain: tuple[int, ...]
    request: int | None = None
    intact: tuple[int, ...] = ()
    destroyed: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The guess with its number, unique in the model; the row of the state without a guess."""
        if self.gait is None:
            return f"state {self.index}"
        return str(self.gait) if self.ordinal == 1 else f"{self.gait} {self.ordinal}"

    @property
    def is_guess(self) -> bool:
        """Whether the name is a guess."""
        return self.gait is not None

    @property
    def range(self) -> Frames:
        """The lowest and the highest frame that it plays, for a ruler."""
        frames = [frame for pair in self._pairs for frame in pair] or [0.0]
        return min(frames), max(frames)

    @property
    def moves(self) -> bool:
        """Whether the clip shows more than one frame of a pair."""
        return any(first != last for first, last in self._pairs)

    @property
    def length(self) -> float:
        """Seconds that it takes here: its own, or those of its frames at our rate; 0 if it stands still."""
        if self.seconds is not None:
            return self.seconds
        return max((abs(last - first) for first, last in self._pairs), default=0.0) / FRAME_RATE

    @property
    def _pairs(self) -> list[Frames]:
        """The pairs that it has."""
        return [pair for pair in (self.frames_a, self.frames_b) if pair is not None and min(pair) >= 0]


class Channel(Struct, frozen=True):
    """A node that plays its own frames by a value from 0 to 1.

    Attributes
    ----------
    index
        Row of the channel.
    node, first, last
        What it plays: frame ``first + value * (last - first)`` of the node.
    initial
        The value at the start.
    rate
        Values per second.
    span
        Angle between the first frame and the last, radians.
    flags
        As stored; the properties read them.
    movement
        Guess of how the node moves; None if it does not.
    """

    index: int
    node: int
    first: float
    last: float
    initial: float
    rate: float
    span: float
    flags: int
    movement: Movement | None = None

    @property
    def wraps(self) -> bool:
        """Whether the value goes on at 0 after 1."""
        return bool(self.flags & 0x01)

    @property
    def inverts(self) -> bool:
        """Whether the channel plays from the last frame to the first."""
        return bool(self.flags & 0x02)

    @property
    def is_driven(self) -> bool:
        """Whether the game drives it; else the node follows the body until somebody sets the value."""
        return not self.flags & 0x04

    @property
    def is_gun(self) -> bool:
        """Whether the channel aims a gun."""
        return bool(self.flags & 0x08)

    @property
    def follows_previous(self) -> bool:
        """Whether the channel has the value of the channel before it."""
        return bool(self.flags & 0x40)

    @property
    def plays_material(self) -> bool:
        """Whether the channel plays the material of its node, which does not move: a belt."""
        return bool(self.flags & 0x10)

    def held(self, value: float) -> float:
        """A value in 0 to 1: outside of that it wraps or stays at the end."""
        # 1 stays: its remainder is 0, which shows the first frame instead of the last.
        if 0 <= value <= 1:
            return value
        return value % 1.0 if self.wraps else min(max(value, 0.0), 1.0)

    def frame(self, value: float) -> float:
        """The frame of the node at a value."""
        # From frame 4 to 8, 0.25 is frame 5, inverted frame 7.
        value = self.held(value)
        return self.first + (1.0 - value if self.inverts else value) * (self.last - self.first)
