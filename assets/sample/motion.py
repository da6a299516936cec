"""Transforms (rotation and position), tracks made from them, and periodic curves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from assets.sample.shapes.solids import rotate
from viewer.geometry.transforms import Matrix

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Transform:
    """``target_from_source``: a rotation (3, 3) for column vectors, then a shift (3,)."""

    position: Vector = field(default_factory=lambda: np.zeros(3))
    rotation: Matrix = field(default_factory=lambda: np.eye(3))

    def __matmul__(self, other: Transform) -> Transform:
        return Transform(self.at(other.position), self.rotation @ other.rotation)

    def at(self, point: Vector) -> Vector:
        """A point of the source space in the target space."""
        moved: Vector = self.rotation @ point + self.position
        return moved

    @property
    def inverse(self) -> Transform:
        """``source_from_target``."""
        return Transform(-(self.rotation.T @ self.position), self.rotation.T)


def transform(x: float, y: float, z: float, *turns: tuple[str, float]) -> Transform:
    """A transform to x, y, z, with rotations about axes in degrees; the last rotation is applied first."""
    rotation = np.eye(3)
    for axis, degrees in turns:
        rotation = rotation @ rotate(np.eye(3), axis, degrees).T
    return Transform(np.array([x, y, z], np.float64), rotation)


def aimed(source: Vector, target: Vector) -> Matrix:
    """The rotation about X that points -Z from `source` to `target`, both in one plane of constant x."""
    way = target - source
    angle = np.degrees(np.arctan2(way[1], -way[2]))
    turned: Matrix = rotate(np.eye(3), "x", float(angle)).T
    return turned


def quaternion(rotation: Matrix) -> Vector:
    """The unit quaternion (w, x, y, z) that rotates as `rotation` does, w not negative."""
    m = rotation
    squares = np.array([
        1 + m[0, 0] + m[1, 1] + m[2, 2],
        1 + m[0, 0] - m[1, 1] - m[2, 2],
        1 - m[0, 0] + m[1, 1] - m[2, 2],
        1 - m[0, 0] - m[1, 1] + m[2, 2],
    ])  # fmt: skip
    largest = int(np.argmax(np.round(squares, 9)))
    wx, wy, wz = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    xy, xz, yz = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
    d = squares
    rows = [(d[0], wx, wy, wz), (wx, d[1], xy, xz), (wy, xy, d[2], yz), (wz, xz, yz, d[3])]
    found = np.array(rows[largest])
    found = found / np.linalg.norm(found)
    positive: Vector = found if found[0] >= 0 else -found
    return positive


@dataclass(frozen=True)
class Key:
    """Transform of a node relative to its parent at a frame."""

    time: int
    transform: Transform


Track = tuple[Key, ...]


def still(x: float = 0, y: float = 0, z: float = 0, *turns: tuple[str, float]) -> Track:
    """The track of a node that does not move."""
    return (Key(0, transform(x, y, z, *turns)),)


def sampled(transforms: Callable[[int], Transform], times: Iterable[int]) -> Track:
    """The track of a node from its transform as a function of the frame."""
    return tuple(Key(time, transforms(time)) for time in times)


def ease(amount: float) -> float:
    """0 to 1 with a smooth start and end."""
    amount = min(max(amount, 0.0), 1.0)
    return amount * amount * (3 - 2 * amount)


def through(stops: Sequence[tuple[float, float]]) -> Callable[[float], float]:
    """A curve through (time, value) stops with slope 0 at each."""

    def value(time: float) -> float:
        for (start, before), (end, after) in pairwise(stops):
            if start <= time <= end:
                return before + (after - before) * ease((time - start) / (end - start))
        return stops[-1][1] if time > stops[-1][0] else stops[0][1]

    return value
