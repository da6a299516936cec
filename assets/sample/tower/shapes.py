"""Damaged walls: rings of wall with a torn upper edge, floors with holes, rubble and bars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assets.sample.chance import Dice
from assets.sample.shapes import solids
from assets.sample.shapes.solids import Points, Solid

Edge = Callable[[float], float]
"""Height of the torn edge by angle in degrees."""


@dataclass(frozen=True)
class Doorway:
    """An opening in the front of a wall: half its width, its lower and its upper edge."""

    half_width: float
    low: float
    high: float


@dataclass(frozen=True)
class Ring:
    """A wall of flat sides around Z, from one height and radius to another."""

    sides: int
    low: tuple[float, float]
    high: tuple[float, float]
    turn: float = 0.0

    def whole(self) -> Solid:
        """The outer surface alone, for a wall that is never seen from behind."""
        rings = [
            solids.ring(solids.circle(radius, self.sides, self.turn), z)
            for z, radius in (self.low, self.high)
        ]
        return solids.loft(rings, cap_first=False, cap_last=False)

    def with_doorway(self, door: Doorway) -> list[Solid]:
        """The outside with an opening in the side at 90 degrees."""
        front = round((90 - self.turn) / 360 * self.sides - 0.5)
        half, low, high = door.half_width, self.low[0], self.high[0]
        panels = [self._panel(None, half, low, high), self._panel(-half, None, low, high)]
        if door.low > low:
            panels.append(self._panel(half, -half, low, door.low))
        if door.high < high:
            panels.append(self._panel(half, -half, door.high, high))
        return [self.whole().without(front), *panels]

    def _panel(self, left: float | None, right: float | None, low: float, high: float) -> Solid:
        """A part of the front between two x, which are the corners if None, and two heights."""
        corners = []
        for z in (low, high):
            part = (z - self.low[0]) / (self.high[0] - self.low[0])
            radius = self.low[1] + (self.high[1] - self.low[1]) * part
            edge, y = radius * float(np.sin(np.pi / self.sides)), radius * float(np.cos(np.pi / self.sides))
            ends = (edge if left is None else left, -edge if right is None else right)
            corners += [(x, y, z) for x in (ends if z == low else ends[::-1])]
        return solids.mesh(np.array(corners), ((0, 1, 2, 3),))

    def torn(self, edge: Edge, *, thickness: float = 0.7, columns: int = 3) -> list[Solid]:
        """Pieces of thick wall up to a torn edge; no pieces where the edge is below the wall."""
        pieces = []
        steps = self.sides * columns
        heights = [self._cut(edge(self.turn + 360 * step / steps)) for step in range(steps)]
        for step in range(steps):
            left, right = heights[step], heights[(step + 1) % steps]
            if max(left, right) > self.low[0] + 0.05:
                pieces.append(self._piece(step, columns, (left, right), thickness))
        return pieces

    def _cut(self, height: float) -> float:
        return min(max(height, self.low[0]), self.high[0])

    def _at(self, step: int, columns: int, z: float, depth: float) -> Points:
        """The point of the wall at a column's left edge, `depth` behind the outside."""
        part = (z - self.low[0]) / (self.high[0] - self.low[0])
        radius = self.low[1] + (self.high[1] - self.low[1]) * part - depth
        side, column = divmod(step, columns)
        start, end = solids.circle(radius, self.sides, self.turn)[
            [side % self.sides, (side + 1) % self.sides]
        ]
        flat = start + (end - start) * (column / columns)
        return np.array([flat[0], flat[1], z])

    def _piece(self, step: int, columns: int, heights: tuple[float, float], thickness: float) -> Solid:
        rings = []
        for depth in (thickness, 0.0):
            left = [self._at(step, columns, z, depth) for z in (self.low[0], heights[0])]
            right = [self._at(step + 1, columns, z, depth) for z in (self.low[0], heights[1])]
            rings.append(np.array([left[0], right[0], right[1], left[1]]))
        return solids.loft(rings)


def disc(radius: float, thickness: float, sides: int, turn: float = 0.0) -> Solid:
    """A floor with its upper side at z = 0."""
    outline = solids.circle(radius, sides, turn)
    return solids.loft([solids.ring(outline, -thickness), solids.ring(outline, 0.0)])


def annulus(radius: float, bore: float, thickness: float, sides: int, turn: float = 0.0) -> Solid:
    """A floor with its upper side at z = 0 and a hole in its middle."""
    return solids.pipe(radius, bore, thickness, sides).turned("z", turn).moved(z=-thickness / 2)


def broken_disc(radius: float, thickness: float, edge: Callable[[float], float], sides: int) -> list[Solid]:
    """Wedges of a floor; `edge` is the remaining fraction of the radius by angle."""
    wedges = []
    for index in range(sides):
        first, second = 360 * index / sides, 360 * (index + 1) / sides
        reach = [radius * edge(first), radius * edge(second)]
        if min(reach) > 0.2:
            corners = [(0.0, 0.0), *(_polar(r, a) for r, a in zip(reach, (first, second), strict=True))]
            wedges.append(solids.loft([solids.ring(corners, -thickness), solids.ring(corners, 0.0)]))
    return wedges


def _polar(radius: float, degrees: float) -> tuple[float, float]:
    x, y = radius * np.cos(np.radians(degrees)), radius * np.sin(np.radians(degrees))
    return float(x), float(y)


def left_floor(angle: float) -> float:
    """Remains of a floor, for `broken_disc`."""
    return 1.0 if -20 < (angle % 360) - 20 < 130 else 0.45 + 0.2 * float(np.cos(np.radians(3 * angle)))


def torn_edge(seed: int, height: float, swing: float, roughness: float, lowest: float) -> Edge:
    """A rough edge around a wall, lowest at one side."""
    dice = Dice(seed)
    teeth = [dice.between(-roughness, roughness) for _ in range(24)]

    def edge(degrees: float) -> float:
        wave = float(np.cos(np.radians(degrees - lowest)))
        return height - swing * wave + teeth[round(degrees / 15) % 24]

    return edge


def rubble(seed: int, count: int, inner: float, outer: float, size: float) -> list[Solid]:
    """Blocks scattered between two radii, half sunk into the ground."""
    dice = Dice(seed)
    blocks = []
    for _ in range(count):
        width, depth, height = (size * dice.between(0.3, 1.0) for _ in range(3))
        block = solids.slab(
            (width, depth), height, (width * dice.between(0.6, 1), depth * dice.between(0.6, 1))
        )
        block = (
            block.moved(z=-height / 2).turned("x", dice.between(-35, 35)).turned("y", dice.between(-35, 35))
        )
        distance, angle = dice.between(inner, outer), dice.between(0, 360)
        block = block.turned("z", dice.between(0, 360)).moved(x=distance, z=height * dice.between(0.05, 0.3))
        blocks.append(block.turned("z", angle))
    return blocks


def bars(seed: int, edge: Edge, ring: Ring, count: int) -> list[Solid]:
    """Bent steel bars in a torn wall."""
    dice = Dice(seed)
    found = []
    for index in range(count):
        angle = 360 * index / count + dice.between(-6, 6)
        z = min(edge(angle), ring.high[0]) - 0.4
        if not ring.low[0] < z < ring.high[0] - 0.5:
            continue
        part = (z - ring.low[0]) / (ring.high[0] - ring.low[0])
        radius = (ring.low[1] + (ring.high[1] - ring.low[1]) * part) * float(
            np.cos(np.pi / ring.sides)
        ) - 0.35
        tip = (dice.between(-0.5, 0.5), dice.between(-0.5, 0.5), dice.between(0.9, 1.8))
        bar = solids.tube([(0, 0, 0), (0, 0, tip[2] * 0.6), tip], [0.07, 0.06, 0.05], 3)
        found.append(bar.moved(x=radius, z=z).turned("z", angle))
    return found
