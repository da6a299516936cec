"""Statistics of a frame for the status bar."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FrameStatistics:
    """Submitted draws, culled or hidden draws, submitted triangles."""

    draws: int = 0
    culled: int = 0
    triangles: int = 0


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds on the main thread: the whole last frame, and its posing."""

    frame: float = 0.0
    pose: float = 0.0
