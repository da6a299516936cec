"""A broad tree of 15 units: a trunk that forks into boughs that sway, and leaves cut out of flat sprays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assets.sample.chance import Dice
from assets.sample.motion import Track, Transform, sampled, still, transform
from assets.sample.shapes import solids
from assets.sample.shapes.finish import TWO_SIDED, Finish, Piece, across, around
from assets.sample.shapes.solids import Points, Solid
from assets.sample.spec import Cell, Level, ModelSpec, Node

WEAR = ("BARK", "LEAVES")

SPRAYS = ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5))
"""Upper left corners of the twigs in the leaf texture, each a quarter of it; a crown fills the fourth."""

CROWN = (0.5, 0.5)
OUTLINE = ((0.5, 1.0), (0.03, 0.8), (0.02, 0.2), (0.5, 0.01), (0.98, 0.2), (0.97, 0.8))
"""Outline of a spray as fractions of its quarter, v pointing down, the stalk at the bottom."""

SWAY = 80
"""Frames of one gust of wind."""

_BARK = Finish("BARK", around(2.0, 0.2), 60)

Vector = tuple[float, float, float]

BOUGHS: tuple[tuple[Vector, Vector, float], ...] = (
    ((0.35, -0.2, 6.0), (3.4, -1.6, 2.6), 2.5),
    ((-0.3, 0.2, 6.6), (-3.3, 0.6, 2.9), 2.6),
    ((0.2, 0.35, 7.3), (1.3, 3.1, 3.0), 2.4),
    ((-0.1, -0.35, 7.9), (-1.5, -2.9, 3.2), 2.4),
    ((0.15, 0.1, 8.8), (0.5, 0.3, 4.2), 2.8),
)
"""Start of each bough on the trunk, its end, and the radius of its leaves."""


def tree() -> ModelSpec:
    """The model, in three levels of detail."""
    nodes = [Node("trunk", None, still(), {(0, lod): _trunk(Level(lod)) for lod in range(3)})]
    for number, (joint, reach, radius) in enumerate(BOUGHS):
        cells: dict[Cell, Sequence[Piece]] = {
            (0, lod): _bough(Level(lod), number, reach, radius) for lod in range(3)
        }
        nodes.append(Node(f"bough_{number}", "trunk", _swaying(number, joint), cells))
    return ModelSpec("s_tree_oak", nodes, WEAR)


def _swaying(number: int, joint: Vector) -> Track:
    lag, weight = 0.17 * number, 1.6 + 0.35 * number

    def lean(time: float) -> Transform:
        breath = 2 * np.pi * (time / SWAY - lag)
        pitch = weight * float(np.sin(breath) + 0.35 * np.sin(2 * breath + 1))
        roll = weight * 0.7 * float(np.cos(breath + 0.6))
        return transform(*joint, ("x", pitch), ("y", roll), ("z", 1.2 * pitch))

    return sampled(lean, range(0, SWAY + 1, 5))


def _trunk(level: Level) -> list[Piece]:
    path = [
        (0.1, 0.05, -0.3),
        (0.05, 0.0, 0.8),
        (-0.05, 0.05, 3.0),
        (0.05, 0.02, 5.6),
        (0.0, 0.0, 8.0),
        (0.1, 0.1, 9.2),
    ]
    radii = [1.0, 0.66, 0.52, 0.44, 0.34, 0.22]
    pieces = _BARK.on(solids.tube(path, radii, level.sides(11)))
    if level.is_fine:
        for turn in (20, 95, 160, 235, 305):
            root = [(0.35, 0.0, 0.9), (0.8, 0.06, 0.3), (1.5, -0.05, -0.05), (2.0, 0.1, -0.3)]
            pieces += _BARK.on(solids.tube(root, [0.3, 0.26, 0.16, 0.05], 6).turned("z", turn))
    return pieces


def _bough(level: Level, number: int, reach: Vector, radius: float) -> list[Piece]:
    pieces = [] if level.is_coarse else _wood(level, number, reach)
    heart = (reach[0] * 0.95, reach[1] * 0.95, reach[2] + 0.3)
    leaves = Finish("LEAVES", across(0.3), flags=TWO_SIDED, heart=(heart[0], heart[1], heart[2] - 0.8))
    if level.is_coarse:
        return leaves.on(*(_crown(heart, radius * 1.25, turn + 31 * number) for turn in (0, 60, 120)))
    return pieces + leaves.on(*_sprays(Dice(number), heart, radius, (74, 26)[level.lod]))


def _wood(level: Level, number: int, reach: Vector) -> list[Piece]:
    end = np.array(reach)
    bend = np.array([0.0, 0.0, -0.45])
    path = [(0.0, 0.0, -0.2), tuple(end * 0.4 + bend), tuple(end * 0.75 + bend * 0.5), tuple(end)]
    pieces = _BARK.on(solids.tube(path, [0.26, 0.2, 0.14, 0.06], level.sides(8)))
    if level.is_fine:
        dice = Dice(100 + number)
        for _ in range(4):
            start = end * dice.between(0.4, 0.8) + bend * 0.6
            way = (dice.between(-1.5, 1.5), dice.between(-1.5, 1.5), dice.between(0.5, 1.5))
            tip = start + np.array(way)
            middle = (start + tip) / 2 + (0, 0, 0.15)
            pieces += _BARK.on(solids.tube([tuple(start), tuple(middle), tuple(tip)], [0.09, 0.06, 0.03], 5))
    return pieces


def _sprays(dice: Dice, heart: Vector, radius: float, count: int) -> list[Solid]:
    """Sprays over a flattened ball, at golden angles, each tilted and turned at random."""
    size = radius * (1.15 if count < 40 else 0.8)
    found = []
    for index in range(count):
        height = 1 - 1.7 * (index + 0.5) / count
        turn = 137.508 * index + dice.between(-15, 15)
        shell = dice.between(0.5, 0.88)
        flat = float(np.sqrt(max(0.0, 1 - height * height)))
        spray = _card(size * dice.between(0.8, 1.15), SPRAYS[dice.below(3)])
        spray = spray.turned("z", dice.between(-50, 50)).moved(y=-0.15 * size)
        spray = spray.turned("x", 82 - 40 * height + dice.between(-20, 15))
        spray = spray.moved(y=-radius * flat * shell).turned("z", turn)
        found.append(spray.moved(heart[0], heart[1], heart[2] + radius * 0.8 * height * shell))
    return found


def _card(size: float, corner: tuple[float, float]) -> Solid:
    """A flat spray in XY that faces +Z, its stalk at the origin and its tip towards -Y."""
    outline = [((u - 0.5) * size, (v - 1.0) * size, 0.0) for u, v in reversed(OUTLINE)]
    uvs = tuple((corner[0] + u / 2, corner[1] + v / 2) for u, v in reversed(OUTLINE))
    return _facing_up(solids.sheet(outline, uvs))


def _facing_up(sheet: Solid) -> Solid:
    a, b, c = sheet.points[:3]
    return sheet if float(np.cross(b - a, c - a)[2]) > 0 else _reversed(sheet)


def _reversed(sheet: Solid) -> Solid:
    uvs = None if sheet.uvs is None else tuple(tuple(reversed(corners)) for corners in sheet.uvs)
    return Solid(sheet.points, tuple(tuple(reversed(face)) for face in sheet.faces), uvs)


def _crown(heart: Vector, radius: float, turn: float) -> Solid:
    """One upright plane with a texture of many leaves."""
    card = _card(2 * radius, CROWN).moved(y=radius).turned("x", -90)
    corners: Points = card.turned("z", turn).points + np.array(heart)
    return Solid(corners, card.faces, card.uvs)
