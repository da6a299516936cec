"""Textures of plants."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assets.sample.chance import Dice
from assets.sample.surfaces import paint
from assets.sample.surfaces.paint import Color, Layer, Pixels

LEAF_SIZE = 256

Point = npt.NDArray[np.float64]
"""A position in pixels, (2,), y pointing down."""


def leaves() -> Pixels:
    """Three twigs and a crown in four quarters; the alpha is a cut-out, the color extends beyond it."""
    size = (LEAF_SIZE, LEAF_SIZE)
    image = paint.flat(size, (0.28, 0.42, 0.14))
    alpha = np.zeros(size)
    half = LEAF_SIZE // 2
    for number, (left, top) in enumerate([(0, 0), (half, 0), (0, half)]):
        _twig(Dice(200 + number), image, alpha, (left, top), half)
    _crown(Dice(210), image, alpha, (half, half), half)
    return paint.with_alpha(image, alpha)


def _twig(dice: Dice, image: Pixels, alpha: Layer, corner: tuple[int, int], size: int) -> None:
    """A stalk that rises from the lower edge, with side shoots; the leaves in front are paler."""
    left, top = corner
    foot = np.array([left + size * 0.5, top + size * 0.98])
    shoots = [(foot, np.array([left + size * 0.5, top + size * 0.24]))]
    for row in range(6):
        start = foot + (shoots[0][1] - foot) * (0.12 + 0.15 * row)
        turn = np.radians(90 + (-1) ** row * dice.between(42, 62))
        reach = size * (0.33, 0.36, 0.35, 0.30, 0.24, 0.18)[row]
        shoots.append((start, start + reach * np.array([np.cos(turn), -np.sin(turn)])))
    for start, end in shoots:
        _shoot(image, alpha, start, end)
    for light in (0.62, 0.78, 0.94, 1.1):
        for start, end in shoots:
            _pairs(dice, image, alpha, (start, end), (size * 0.21, light))


def _shoot(image: Pixels, alpha: Layer, start: Point, end: Point) -> None:
    """A thin brown wedge."""
    way = (end - start) / np.linalg.norm(end - start)
    side = np.array([-way[1], way[0]]) * 1.1
    _fill(image, alpha, [tuple(start - side), tuple(start + side), tuple(end)], (0.40, 0.30, 0.19))


def _pairs(
    dice: Dice, image: Pixels, alpha: Layer, shoot: tuple[Point, Point], look: tuple[float, float]
) -> None:
    """One leaf at the end of a shoot and two next to it; `look` is their length and lightness."""
    start, end = shoot
    forward = float(np.degrees(np.arctan2(start[1] - end[1], end[0] - start[0])))
    for lean in (0, -1, 1):
        root = end if lean == 0 else start + (end - start) * dice.between(0.35, 0.95)
        turn = forward + lean * dice.between(35, 65) + dice.between(-12, 12)
        _leaf(
            dice,
            image,
            alpha,
            (float(root[0]), float(root[1])),
            look[0] * dice.between(0.75, 1.05),
            turn,
            look[1],
        )


def _crown(dice: Dice, image: Pixels, alpha: Layer, corner: tuple[int, int], size: int) -> None:
    """Many leaves in a ball, lighter towards the top."""
    left, top = corner
    count = 230
    for index in range(count):
        part = float(np.sqrt((index + 1) / count))
        radius, angle = size * 0.42 * (1 - 0.9 * (1 - part)), np.radians(137.508 * index)
        x, y = left + size / 2 + radius * float(np.cos(angle)), top + size / 2 + radius * float(np.sin(angle))
        light = 0.68 + 0.4 * (top + size - y) / size
        _leaf(dice, image, alpha, (x, y), size * dice.between(0.09, 0.13), dice.between(0, 360), light)


def _leaf(
    dice: Dice,
    image: Pixels,
    alpha: Layer,
    root: tuple[float, float],
    length: float,
    turn: float,
    light: float,
) -> None:
    """One lobed leaf from its root, `turn` in degrees from +X towards the top; two halves and a rib."""
    way = np.array([np.cos(np.radians(turn)), -np.sin(np.radians(turn))])
    side = np.array([-way[1], way[0]])
    along = np.linspace(0, 1, 11)
    reach = 0.25 * np.sin(np.pi * along**0.8) * (1 + 0.3 * np.cos(2 * np.pi * 2.5 * along))
    tone = light * dice.between(0.86, 1.14)
    warm = dice.between(0.9, 1.18)
    for sign, share in ((1, 1.0), (-1, 0.84)):
        edge = [
            np.array(root) + length * (part * way + sign * wide * side)
            for part, wide in zip(along, reach, strict=True)
        ]
        green: Color = (0.56 * tone * share * warm, 0.76 * tone * share, 0.27 * tone * share)
        _fill(image, alpha, [tuple(point) for point in edge], green)
    rib = [np.array(root), np.array(root) + length * (0.8 * way), np.array(root) + 0.9 * side]
    _fill(image, alpha, [tuple(point) for point in rib], (0.72 * tone, 0.84 * tone, 0.42 * tone))


def _fill(image: Pixels, alpha: Layer, corners: Sequence[tuple[float, ...]], color: Color) -> None:
    """Paint a polygon, computing only the pixels around it."""
    xs, ys = [c[0] for c in corners], [c[1] for c in corners]
    x0, y0 = max(int(min(xs)) - 1, 0), max(int(min(ys)) - 1, 0)
    x1, y1 = min(int(max(xs)) + 2, alpha.shape[1]), min(int(max(ys)) + 2, alpha.shape[0])
    if x1 <= x0 or y1 <= y0:
        return
    inside = paint.polygon((y1 - y0, x1 - x0), [(c[0] - x0, c[1] - y0) for c in corners]) > 0
    image[y0:y1, x0:x1][inside] = color
    alpha[y0:y1, x0:x1][inside] = 1.0


def bark() -> Pixels:
    """Furrows that run up the trunk."""
    size = (64, 64)
    furrows = paint.noise(220, size, (4, 16)) * 0.6 + paint.noise(221, size, (8, 32)) * 0.4
    image = paint.shade(paint.flat(size, (0.56, 0.44, 0.33)), 0.5 + 0.85 * furrows)
    return paint.blend(image, (0.46, 0.54, 0.28), 0.35 * paint.step(paint.clouds(223, size, 3), 0.55, 0.7))
