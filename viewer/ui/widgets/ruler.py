"""The time axis: time to screen position and back, and its marks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.model.mesh.pose.animation import Animation
from viewer.session.opened.document import Document
from viewer.session.play.playing import clip_times
from viewer.session.play.timeline import FRAME, now
from viewer.session.view.view_state import ViewState

Times = npt.NDArray[np.floating]
"""Ascending, each once, in frames."""


class Ruler(Struct, frozen=True):
    """Times from 0 to `last` spread over `width` pixels from `left`."""

    left: float
    width: float
    last: float

    def x_of(self, time: float) -> float:
        """Return the horizontal position of `time`, in pixels, clamped to the ends."""
        if self.last <= 0:
            return self.left
        return self.left + min(max(time / self.last, 0.0), 1.0) * self.width

    def places_of(self, times: Times) -> npt.NDArray[np.float64]:
        """Return the horizontal positions of times, rounded to pixels, ascending, each once."""
        shares = np.clip(times.astype(np.float64) / max(self.last, 1e-9), 0.0, 1.0)
        # Keys on one pixel are one mark: thousands of keys cost no more than the pixels of the axis.
        return np.unique(np.round(self.left + shares * self.width))

    def time_of(self, x: float) -> float:
        """Return the time at the position `x`, between 0 and `last`."""
        if self.width <= 0:
            return 0.0
        return min(max((x - self.left) / self.width, 0.0), 1.0) * self.last

    def step(self, room: float) -> int:
        """Return the number of frames from mark to mark: 1, 2, 5, 10, 20 ... at least `room` pixels apart."""
        if self.last <= 0 or self.width <= 0:
            return 1
        least = room * self.last / self.width
        scale = 1
        while True:
            for factor in (1, 2, 5):
                if scale * factor >= least:
                    return scale * factor
            scale *= 10

    def marks(self, room: float) -> range:
        """Return the frames to mark."""
        return range(0, int(self.last) + 1, self.step(room))


def key_times(document: Document, view: ViewState) -> Times:
    """Return the key times of the active node, or of all nodes.

    If only materials move, these are the times at which one of them reaches its next key.
    """
    if document.has_only_materials_moving:
        end = round(document.last_frame * FRAME)
        return view.materials.change_times(document.materials.rows, end) / FRAME
    animation, node = document.animation, view.selection.node
    times = animation.keys["time"] if node is None else animation.key_times(node)
    return np.unique(times[(times >= 0) & (times < animation.frame_count)])


def next_key(document: Document, view: ViewState, times: Times, step: int) -> float:
    """Return the nearest time after (step 1) or before (step -1) now at which one of some keys is passed.

    In a clip on its axis, if its first pair passes keys; `times` are those of the keys, in frames.
    """
    clip = document.controller.clip(view.playback.clip)
    if clip is None:
        return next_time(times, view.time, step)
    return next_time(np.array(clip_times(document, clip, times.tolist())), now(view), step)


def key_at(animation: Animation, node: int, ruler: Ruler, x: float, reach: float) -> int | None:
    """Return the key of a node whose mark is nearest to the position `x`, at most `reach` away, or None."""
    times = animation.key_times(node)
    if not len(times):
        return None
    distances = np.array([abs(ruler.x_of(time) - x) for time in times.tolist()])
    nearest = int(distances.argmin())
    return animation.track(node)[nearest] if distances[nearest] <= reach else None


def next_time(times: Times, time: float, step: int) -> float:
    """Return the nearest of `times` after (step 1) or before (step -1) `time`, else `time`."""
    # A time that was stepped to is not found again because of its float32 rounding.
    found = times[times > time + 1e-4] if step > 0 else times[times < time - 1e-4]
    if not len(found):
        return time
    return float(found[0] if step > 0 else found[-1])
