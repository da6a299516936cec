"""What is played of a model: the whole strip of frames, or a clip of its controller, and the channels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

_NO_VALUES: Final[Mapping[int, float]] = MappingProxyType({})
_NONE_TURNING: Final[Mapping[int, int]] = MappingProxyType({})


class Root(StrEnum):
    """What becomes of the translation of the first node; the values are saved."""

    STILL = "still"
    TRAVEL = "travel"


@dataclass(frozen=True, slots=True)
class Playback:
    """What is played besides the strip of frames.

    Attributes
    ----------
    clip
        Index of the clip that is played instead of the strip; None for the strip.
    seconds
        Time since the start of the clip.
    channels
        Values of the channels that were set, 0 to 1, by their index.
    turning
        Channels that move by themselves, by index: 1 if their value grows, -1 if it falls.
    root
        `STILL` leaves out the translation of a first node without a parent, as the game does.
    """

    clip: int | None = None
    seconds: float = 0.0
    channels: Mapping[int, float] = field(default_factory=lambda: _NO_VALUES)
    turning: Mapping[int, int] = field(default_factory=lambda: _NONE_TURNING)
    root: Root = Root.STILL

    def with_other_root(self) -> Playback:
        """The playback with the root travelling if it was still, or still if it was travelling."""
        return replace(self, root=Root.STILL if self.root is Root.TRAVEL else Root.TRAVEL)

    def with_channel(self, channel: int, value: float | None) -> Playback:
        """The playback with the value of a channel set; None resets it."""
        others = {index: it for index, it in self.channels.items() if index != channel}
        changed = others if value is None else {**others, channel: value}
        return replace(self, channels=MappingProxyType(changed))
