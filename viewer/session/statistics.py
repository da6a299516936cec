"""What a frame cost and drew, for the status bar."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FrameStatistics:
    """What the renderer did: draws submitted, draws culled or hidden, triangles submitted."""

    draws: int = 0
    culled: int = 0
    triangles: int = 0


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds on the main thread: the whole last frame, and posing within it."""

    frame: float = 0.0
    pose: float = 0.0
