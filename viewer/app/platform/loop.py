"""The frame loop: draws while something changes, sleeps otherwise."""

from __future__ import annotations

from math import inf
from time import perf_counter
from typing import Final, Protocol

from imgui_bundle import imgui  # noqa: F401 before glfw: it says which GLFW library both are to use

import glfw  # isort: skip

SETTLING_FRAMES: Final = 3
"""Frames after an event until ImGui has laid everything out."""
SETTLING_SECONDS: Final = 1.2
"""How long after an event something may still appear by itself, such as a tooltip."""
SETTLING_STEP: Final = 0.2
TICK_SECONDS: Final = 0.4
PROGRESS_SECONDS: Final = 0.1
IDLE_SECONDS: Final = 5.0
SHORTEST_WAIT: Final = 0.001
"""Even a frame that is overdue looks for events first, seconds."""
LONGEST_STEP: Final = 0.1
"""The clock of the animation never moves on by more, seconds."""
REFRESH_RATE: Final = 60
"""Frames per second if the display does not report its rate."""


class Animated(Protocol):
    """What the loop needs of the application."""

    @property
    def is_closing(self) -> bool:
        """Whether the last frame has been drawn."""

    @property
    def is_moving(self) -> bool:
        """Whether the next frame differs from this one even if nothing happens."""

    @property
    def is_working(self) -> bool:
        """Whether the progress of work in other threads is shown."""

    @property
    def is_ticking(self) -> bool:
        """Whether something changes now and then: a text cursor blinks, a notice expires."""

    def draw(self, seconds: float) -> None:
        """Draw a frame and show it; animations advance by `seconds`."""


def run(app: Animated) -> None:
    """Draw frames until the application closes; the thread sleeps while nothing happens."""
    pace = Pace(shortest_frame())
    while not app.is_closing:
        now = perf_counter()
        # Waits at least a moment: a frame that is always overdue would starve the events of the window.
        if wait_for_event(pace.due(app, now) - now):
            pace.wake(perf_counter())
        now = perf_counter()
        if now >= pace.due(app, now):
            app.draw(pace.step(now))


def wait_for_event(seconds: float) -> bool:
    """Sleep until an event of the window and tell whether there was one before the time was over."""
    limit = min(max(seconds, SHORTEST_WAIT), IDLE_SECONDS)
    started = perf_counter()
    glfw.wait_events_timeout(limit)
    return perf_counter() - started < limit


def shortest_frame() -> float:
    """Seconds between frames, a little less than the display takes: it holds them back itself if it can."""
    monitor = glfw.get_primary_monitor()
    mode = glfw.get_video_mode(monitor) if monitor else None
    rate = mode.refresh_rate if mode else REFRESH_RATE
    # A little less, as swapping buffers waits for the display: with more each other refresh is missed.
    return 0.9 / (rate or REFRESH_RATE)


class Pace:
    """When to draw: at once and a few times after an event, steadily while something moves, else never.

    Parameters
    ----------
    shortest
        Least time between two frames, seconds.
    """

    def __init__(self, shortest: float) -> None:
        self._shortest = shortest
        self._drawn = -inf
        self._woken = -inf
        self._pending = SETTLING_FRAMES

    def due(self, app: Animated, now: float) -> float:
        """When to draw next without an event; infinite for never."""
        if self._pending or app.is_moving:
            return self._drawn + self._shortest
        if app.is_working:
            return self._drawn + PROGRESS_SECONDS
        if now < self._woken + SETTLING_SECONDS:
            return self._drawn + SETTLING_STEP
        return self._drawn + TICK_SECONDS if app.is_ticking else inf

    def wake(self, now: float) -> None:
        """An event has come in."""
        self._woken = now
        self._pending = SETTLING_FRAMES

    def step(self, now: float) -> float:
        """Draw now: return by how much the animation moves on, seconds."""
        passed = now - self._drawn
        self._drawn = now
        self._pending = max(0, self._pending - 1)
        return min(passed, LONGEST_STEP)
