"""A sampler of an animation: values over time, held, linear or cubic.

Source: glTF 2.0, 3.11, appendix C.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.model.convert.scene import Floats

Times = npt.NDArray[np.float64]
Values = npt.NDArray[np.float64]

STILL: Final = 1e-6
"""Values that differ less are the same: programs hold what hardly moves."""


class Mode(StrEnum):
    """How a curve goes from key to key."""

    LINEAR = "LINEAR"
    STEP = "STEP"
    CUBIC = "CUBICSPLINE"


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Keys of a position, rotation or scale.

    Attributes
    ----------
    times
        (k,) float64, frames, strictly increasing.
    values
        (k, 3), or rotations w, x, y, z, (k, 4), float32.
    tangents
        The incoming and the outgoing one of each key, per frame, (k, 2, 3 or 4); of cubic curves only.
    """

    mode: Mode
    times: Times
    values: Floats
    tangents: Values | None = None

    @property
    def is_exact(self) -> bool:
        """Whether a track can go from key to key in the same way."""
        if self.mode is Mode.LINEAR or len(self.times) < 2:
            return True
        return self.mode is Mode.STEP and bool((np.abs(self.values - self.values[0]) <= STILL).all())

    def at(self, times: Times) -> Floats:
        """The values at some times, (n, 3) or (n, 4); held before the first key and after the last."""
        if np.array_equal(times, self.times):
            return self.values
        left = np.clip(np.searchsorted(self.times, times, "right") - 1, 0, len(self.times) - 1)
        right = np.minimum(left + 1, len(self.times) - 1)
        span = self.times[right] - self.times[left]
        share = np.clip((times - self.times[left]) / np.where(span == 0, 1, span), 0, 1)
        result = self.values[left]
        between = np.flatnonzero((share > 0) & (span > 0))
        if self.mode is not Mode.STEP and len(between):
            result[between] = self._between(left[between], span[between], share[between])
        return result

    def _between(self, left: npt.NDArray[np.int64], span: Times, share: Times) -> Values:
        """Values between a key and the next one."""
        start, end = self.values[left].astype(np.float64), self.values[left + 1].astype(np.float64)
        if self.tangents is not None:
            out, into = self.tangents[left, 1], self.tangents[left + 1, 0]
            return _unit(_hermite(start, out * span[:, None], end, into * span[:, None], share))
        if self.values.shape[1] == 4:
            return slerp(start, end, share)
        return start + (end - start) * share[:, None]


def _hermite(start: Values, out: Values, end: Values, into: Values, share: Times) -> Values:
    t = share[:, None]
    t2, t3 = t * t, t * t * t
    return np.asarray(
        (2 * t3 - 3 * t2 + 1) * start + (t3 - 2 * t2 + t) * out + (3 * t2 - 2 * t3) * end + (t3 - t2) * into
    )


def _unit(values: Values) -> Values:
    """Rotations of length 1; positions stay as they are."""
    if values.shape[1] != 4:
        return values
    length = np.linalg.norm(values, axis=1, keepdims=True)
    return np.asarray(values / np.where(length == 0, 1, length))


def slerp(start: Values, end: Values, share: Times) -> Values:
    """Rotations between two, (n, 4), on the shorter way."""
    dot = np.einsum("ij,ij->i", start, end)
    end = np.where(dot < 0, -1, 1)[:, None] * end
    angle = np.arccos(np.clip(np.abs(dot), 0, 1))
    is_wide = angle > 1e-6
    sine = np.where(is_wide, np.sin(angle), 1)
    first = np.where(is_wide, np.sin((1 - share) * angle) / sine, 1 - share)
    second = np.where(is_wide, np.sin(share * angle) / sine, share)
    return _unit(first[:, None] * start + second[:, None] * end)
