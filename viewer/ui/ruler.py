"""The time axis: where a time lies on screen, which time a place stands for, where the marks go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from viewer.formats.msh.nodes import NONE
from viewer.model.model import Model


@dataclass(frozen=True, slots=True)
class Ruler:
    """Times from 0 to `last` spread over `width` pixels from `left`."""

    left: float
    width: float
    last: float

    def x_of(self, time: float) -> float:
        """Return the horizontal place of `time`, in pixels; times outside lie at the ends."""
        if self.last <= 0:
            return self.left
        return self.left + min(max(time / self.last, 0.0), 1.0) * self.width

    def time_of(self, x: float) -> float:
        """Return the time at the place `x`, between 0 and `last`."""
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


def key_times(model: Model, node: int) -> npt.NDArray[np.float32]:
    """Return the times of the keys that a node uses, ascending, each once; empty for a static node."""
    keys = node_keys(model, node)
    return np.unique(model.keys["time"][keys])


def node_keys(model: Model, node: int) -> npt.NDArray[np.int64]:
    """Return the keys that a node's run names, ascending; rows outside the key table are left out."""
    if node >= len(model.nodes) or int(model.nodes["map_start"][node]) == NONE:
        return np.empty(0, np.int64)
    start = int(model.nodes["map_start"][node])
    run = model.frame_map[start : start + model.frame_count].astype(np.int64)
    named = np.unique(np.append(run, int(model.nodes["fallback_key"][node])))
    return named[named < len(model.keys)]


def next_time(times: npt.NDArray[np.float32], time: float, step: int) -> float:
    """Return the nearest of `times` after (step 1) or before (step -1) `time`; `time` where there is none."""
    found = times[times > time + 1e-4] if step > 0 else times[times < time - 1e-4]
    if not len(found):
        return time
    return float(found[0] if step > 0 else found[-1])
