"""Statistics of a frame for the status bar."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FrameStatistics:
    """Statistics of one frame.

    Attributes
    ----------
    draws, culled
        Draws that were submitted, and those that were not.
    triangles, left_out
        Triangles that were submitted, and those that would have taken too long.
    """

    draws: int = 0
    culled: int = 0
    triangles: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds on the main thread: the whole last frame, and its posing."""

    frame: float = 0.0
    pose: float = 0.0
