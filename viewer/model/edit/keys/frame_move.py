"""A range of frames moved or stretched to another range: where keys, and what plays them, go.

Source: spec/animation.md 6, spec/ctl.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np
import numpy.typing as npt

from viewer.errors import UsageError
from viewer.translation import Sentence

Times = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FrameMove:
    """A range of frames and where it goes.

    Parameters
    ----------
    start, end
        The range, both included, in frames.
    to_start, to_end
        Where its ends go.
    moves_later
        Whether the frames after the range move along with its end.
    node
        Index of the only node whose keys move; None for all animated nodes.
    """

    start: float
    end: float
    to_start: float
    to_end: float
    moves_later: bool = False
    node: int | None = None

    def check(self) -> None:
        """Raise `UsageError` unless both ranges go from a first to a last frame."""
        given = (self.start, self.end, self.to_start, self.to_end)
        if not all(isfinite(it) for it in given) or self.start > self.end or self.to_start > self.to_end:
            raise UsageError(Sentence("a range of frames goes from its first to its last frame"))

    def times(self, times: Times) -> Times:
        """The new times of keys, rounded to whole frames."""
        return self._moved(times, is_whole=np.full(times.shape, fill_value=True))

    def positions(self, times: Times) -> Times:
        """Where frames are after the move, (n,): whole ones at whole frames."""
        return self._moved(times, is_whole=np.floor(times) == times)

    @np.errstate(invalid="ignore", over="ignore")  # what has no number stays as it is
    def pairs(self, pairs: Times) -> Times:
        """The new first and last frames of what plays a range, (n, 2).

        Whole frames stay whole. A pair that only touches the range at one end stays, as does one without
        frames, and one that the move would turn round.
        """
        low, high = pairs.min(axis=1), pairs.max(axis=1)
        ends_before = (high == self.start) & (low < high)
        starts_after = (low == self.end) & (low < high) & (not self.moves_later)
        moved = self._moved(pairs, is_whole=np.floor(pairs) == pairs)
        is_turned = np.sign(moved[:, 1] - moved[:, 0]) * np.sign(pairs[:, 1] - pairs[:, 0]) < 0
        is_playable = np.isfinite(pairs).all(axis=1) & np.isfinite(moved).all(axis=1) & (low >= 0)
        stays = ~is_playable | ends_before | starts_after | is_turned
        return np.where(stays[:, None], pairs, moved)

    def _moved(self, times: Times, *, is_whole: npt.NDArray[np.bool_]) -> Times:
        is_inside = (times >= self.start) & (times <= self.end)
        length = self.end - self.start
        scale = (self.to_end - self.to_start) / length if length else 1.0
        inside = self.to_start + (times - self.start) * scale
        moved = np.where(is_inside, np.where(is_whole, np.floor(inside + 0.5), inside), times)
        if self.moves_later:
            moved[times > self.end] += np.floor(self.to_end - self.end + 0.5)
        return moved
