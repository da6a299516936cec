"""The textures of things that grow, glow or lie on the ground."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assets.sample import paint
from assets.sample.chance import Dice
from assets.sample.paint import Color, Layer, Picture

LEAF_SIZE = 256


def leaves() -> Picture:
    """Three twigs and a crown in four quarters; the alpha is a silhouette, colours reach beyond it."""
    size = (LEAF_SIZE, LEAF_SIZE)
    picture = paint.flat(size, (0.20, 0.30, 0.10))
    alpha = np.zeros(size)
    half = LEAF_SIZE // 2
    for number, (left, top) in enumerate([(0, 0), (half, 0), (0, half)]):
        _twig(Dice(200 + number), picture, alpha, (left, top), half)
    _crown(Dice(210), picture, alpha, (half, half), half)
    return paint.with_alpha(picture, alpha)


def _twig(dice: Dice, picture: Picture, alpha: Layer, corner: tuple[int, int], size: int) -> None:
    """Leaves in pairs along a stalk that rises from the middle of the lower edge."""
    left, top = corner
    stalk = [(left + size / 2 - 1.2, top + size - 1.0), (left + size / 2 + 1.2, top + size - 1.0),
             (left + size / 2, top + size * 0.12)]  # fmt: skip
    _fill(picture, alpha, stalk, (0.24, 0.18, 0.10))
    for row in range(11):
        y = top + size * (0.9 - 0.072 * row)
        reach = size * (0.5 - 0.035 * abs(row - 3))
        for side in (-1, 1):
            _leaf(dice, picture, alpha, (left + size / 2, y), reach, 90 - side * dice.between(38, 66))
    for turn in (70, 90, 110):
        _leaf(dice, picture, alpha, (left + size / 2, top + size * 0.26), size * 0.22, turn)


def _crown(dice: Dice, picture: Picture, alpha: Layer, corner: tuple[int, int], size: int) -> None:
    """Many leaves in a ball, lighter towards the top."""
    left, top = corner
    for index in range(260):
        radius = size * 0.40 * float(np.sqrt((index + 1) / 260))
        angle = np.radians(137.508 * index)
        x, y = left + size / 2 + radius * float(np.cos(angle)), top + size / 2 + radius * float(np.sin(angle))
        _leaf(
            dice,
            picture,
            alpha,
            (x, y),
            size * dice.between(0.12, 0.18),
            dice.between(0, 360),
            top + size - y,
        )


def _leaf(
    dice: Dice, picture: Picture, alpha: Layer, root: tuple[float, float], length: float, turn: float,
    height: float = 60.0,
) -> None:  # fmt: skip
    """One pointed leaf from its root, `turn` in degrees from +X towards the top; two halves, two greens."""
    way = np.array([np.cos(np.radians(turn)), -np.sin(np.radians(turn))])
    side = np.array([-way[1], way[0]]) * length * 0.24
    start, middle, tip = np.array(root), np.array(root) + way * length * 0.45, np.array(root) + way * length
    tone = dice.between(0.75, 1.2) * (0.75 + 0.35 * height / 128)
    green: Color = (0.33 * tone, 0.45 * tone, 0.16 * tone)
    for sign, light in ((1, 1.0), (-1, 0.78)):
        corners = [tuple(start), tuple(middle + sign * side), tuple(tip)]
        _fill(picture, alpha, corners, (green[0] * light, green[1] * light, green[2] * light))


def _fill(picture: Picture, alpha: Layer, corners: Sequence[tuple[float, ...]], color: Color) -> None:
    """Paint a polygon, looking only at the pixels around it."""
    xs, ys = [c[0] for c in corners], [c[1] for c in corners]
    x0, y0 = max(int(min(xs)) - 1, 0), max(int(min(ys)) - 1, 0)
    x1, y1 = min(int(max(xs)) + 2, alpha.shape[1]), min(int(max(ys)) + 2, alpha.shape[0])
    if x1 <= x0 or y1 <= y0:
        return
    inside = paint.polygon((y1 - y0, x1 - x0), [(c[0] - x0, c[1] - y0) for c in corners]) > 0
    picture[y0:y1, x0:x1][inside] = color
    alpha[y0:y1, x0:x1][inside] = 1.0


def bark() -> Picture:
    """Furrows that run up the trunk."""
    size = (64, 64)
    furrows = paint.noise(220, size, (4, 16)) * 0.6 + paint.noise(221, size, (8, 32)) * 0.4
    picture = paint.shade(paint.flat(size, (0.36, 0.28, 0.2)), 0.45 + 0.9 * furrows)
    return paint.blend(picture, (0.3, 0.36, 0.18), 0.35 * paint.step(paint.clouds(223, size, 3), 0.55, 0.7))


def glass() -> Picture:
    """Tinted glass with a streak of sky; the alpha is graded."""
    size = (64, 64)
    y, x = paint.grid(*size)
    picture = paint.blend(paint.flat(size, (0.10, 0.18, 0.22)), (0.55, 0.75, 0.85), 0.7 * (1 - y))
    streak = 1 - paint.step(np.abs((x + 0.5 * y) % 1 - 0.5), 0.05, 0.14)
    return paint.with_alpha(
        paint.blend(picture, (0.9, 0.97, 1.0), 0.6 * streak), 0.55 + 0.35 * streak * (1 - y)
    )


def glow(color: Color) -> Picture:
    """A soft disc of light on black."""
    size = (32, 32)
    y, x = paint.grid(*size)
    strength = np.clip(1 - np.hypot(x - 0.5, y - 0.5) / 0.5, 0, 1)
    hot = paint.blend(paint.flat(size, (0, 0, 0)), color, np.sqrt(strength))
    return paint.blend(hot, (1, 1, 1), strength**3)


def rotor_blur() -> Picture:
    """What four fast blades leave in the air."""
    size = (64, 64)
    y, x = paint.grid(*size)
    radius, angle = np.hypot(x - 0.5, y - 0.5) * 2, np.arctan2(y - 0.5, x - 0.5)
    sweep = 0.5 + 0.5 * np.cos(4 * angle + 3 * radius)
    alpha = (0.16 + 0.34 * sweep * sweep) * (1 - paint.step(radius, 0.94, 1.0))
    return paint.with_alpha(paint.flat(size, (0.24, 0.25, 0.27)), alpha)


def sign(number: int) -> Picture:
    """The board over the gate: three chevrons, of which one after the other lights up, then all."""
    size = (32, 64)
    y, x = np.mgrid[0:32, 0:64] + 0.5
    picture = paint.flat(size, (0.05, 0.06, 0.07))
    for index in range(3):
        across = np.abs(x + 1.2 * np.abs(y - 16) - 22 - 16 * index)
        is_lit = number in {index, 3}
        chevron = (across < 4.5) & (np.abs(y - 16) < 11)
        picture = paint.blend(picture, (1.0, 0.62, 0.1) if is_lit else (0.22, 0.14, 0.05), chevron * 1.0)
    frame = np.minimum(np.minimum(x, 64 - x), np.minimum(y, 32 - y)) < 1.6
    return paint.blend(picture, (0.4, 0.42, 0.42), frame * 1.0)


def grass() -> Picture:
    """Short grass with bare patches."""
    size = (64, 64)
    blades = paint.noise(230, size, (16, 32)) * 0.5 + paint.clouds(231, size, 4) * 0.5
    picture = paint.shade(paint.flat(size, (0.33, 0.40, 0.18)), 0.55 + 0.8 * blades)
    return paint.blend(picture, (0.42, 0.34, 0.22), 0.6 * paint.step(paint.clouds(234, size, 4), 0.58, 0.7))


def rock() -> Picture:
    """Layered stone."""
    size = (64, 64)
    layers = paint.noise(240, size, (16, 3)) * 0.5 + paint.clouds(241, size, 6) * 0.5
    return paint.shade(paint.flat(size, (0.47, 0.43, 0.38)), 0.5 + 0.9 * layers)


def sand() -> Picture:
    """Rippled sand."""
    size = (64, 64)
    y, _ = paint.grid(*size)
    ripples = 0.5 + 0.5 * np.sin(2 * np.pi * (6 * y + 0.8 * paint.noise(250, size, (4, 4))))
    return paint.shade(
        paint.flat(size, (0.70, 0.60, 0.42)), 0.82 + 0.16 * ripples + 0.12 * paint.noise(251, size, (64, 64))
    )
