"""Procedural images: tiling noise, plates, scratches. Colors are 0..1, rows from the top."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assets.sample.chance import Dice, lattice

Layer = npt.NDArray[np.floating]
"""Values by pixel, shape (height, width)."""

Pixels = npt.NDArray[np.floating]
"""Colors, shape (height, width, 3) or with an alpha (height, width, 4)."""

Color = tuple[float, float, float]


def grid(height: int, width: int) -> tuple[Layer, Layer]:
    """Row and column of every pixel's center, as fractions of the image."""
    y, x = np.mgrid[0:height, 0:width]
    return (y + 0.5) / height, (x + 0.5) / width


def noise(seed: int, size: tuple[int, int], cells: tuple[int, int]) -> Layer:
    """Smooth noise in 0..1 that repeats at the edges; `cells` lattice steps down and across."""
    y, x = grid(*size)
    y, x = y * cells[0], x * cells[1]
    row, column = np.floor(y).astype(np.int64), np.floor(x).astype(np.int64)
    dy, dx = _smooth(y - row), _smooth(x - column)
    corner = [
        [lattice(seed, (row + down) % cells[0], (column + right) % cells[1]) for right in (0, 1)]
        for down in (0, 1)
    ]
    top = corner[0][0] + (corner[0][1] - corner[0][0]) * dx
    bottom = corner[1][0] + (corner[1][1] - corner[1][0]) * dx
    return top + (bottom - top) * dy


def clouds(seed: int, size: tuple[int, int], cells: int, octaves: int = 4) -> Layer:
    """Noise of several sizes, 0..1."""
    total, weight = np.zeros(size), 0.0
    for octave in range(octaves):
        share = 0.5**octave
        total += share * noise(seed + octave, size, (cells << octave, cells << octave))
        weight += share
    result: Layer = total / weight
    return result


def _smooth(part: Layer) -> Layer:
    return part * part * (3 - 2 * part)


def step(values: Layer, low: float, high: float) -> Layer:
    """0 below `low`, 1 above `high`, smooth between."""
    return _smooth(np.clip((values - low) / (high - low), 0, 1))


def flat(size: tuple[int, int], color: Color) -> Pixels:
    """An image of one color."""
    return np.broadcast_to(np.array(color), (*size, 3)).copy()


def blend(under: Pixels, over: Pixels | Color, amount: Layer) -> Pixels:
    """`over` blended on `under` by `amount`, 0 to 1."""
    mask = amount[..., None]
    mixed: Pixels = under * (1 - mask) + np.asarray(over, np.float64) * mask
    return mixed


def shade(image: Pixels, factor: Layer) -> Pixels:
    """The image, darker or lighter by a factor per pixel."""
    shaded: Pixels = np.clip(image * factor[..., None], 0, 1)
    return shaded


def plates(seed: int, size: tuple[int, int], rows: Sequence[int], columns: int) -> tuple[Layer, Layer]:
    """A wall of plates: distance to the nearest seam in pixels, and a tone per plate.

    `rows` are the heights of the courses in pixels; each has its own seams.
    """
    dice = Dice(seed)
    distance, tone = np.full(size, 1e3), np.zeros(size)
    y, x = np.mgrid[0 : size[0], 0 : size[1]] + 0.5
    top = 0
    for height in rows:
        course = (y > top) & (y < top + height)
        vertical = np.minimum(y - top, top + height - y)
        seams = _spaced({int(dice.between(0, size[1])) // 8 * 8 for _ in range(columns)}, size[1])
        for start, end in zip(seams, [*seams[1:], seams[0] + size[1]], strict=True):
            inside = course & ((x - start) % size[1] < end - start)
            along = np.minimum((x - start) % size[1], end - start - (x - start) % size[1])
            distance = np.where(inside, np.minimum(vertical, along), distance)
            tone = np.where(inside, dice.between(0, 1), tone)
        top += height
    return distance, tone


def _spaced(seams: set[int], width: int) -> list[int]:
    """Seams in order, without those too close to another, also across the edge."""
    nearest = width // 8
    kept: list[int] = []
    for seam in sorted(seams):
        if not kept or (seam - kept[-1] >= nearest and kept[0] + width - seam >= nearest):
            kept.append(seam)
    return kept


def rivets(distance: Layer, size: tuple[int, int], spacing: int) -> Layer:
    """Dots along the seams."""
    y, x = np.mgrid[0 : size[0], 0 : size[1]] + 0.5
    near = np.hypot((x % spacing) - spacing / 2, (y % spacing) - spacing / 2)
    dots: Layer = (np.abs(distance - 4.5) < 2.2) * (1 - step(near, 0.9, 1.9))
    return dots


def scratches(seed: int, size: tuple[int, int], count: int) -> Layer:
    """Short bright lines at all angles, wrapping at the edges."""
    dice = Dice(seed)
    layer = np.zeros(size)
    for _ in range(count):
        y, x = dice.between(0, size[0]), dice.between(0, size[1])
        angle, length = dice.between(0, np.pi), dice.between(3, 16)
        for part in np.arange(0.0, length, 0.5).tolist():
            row, column = int(y + part * np.sin(angle)), int(x + part * np.cos(angle))
            layer[row % size[0], column % size[1]] = max(
                layer[row % size[0], column % size[1]], 1 - part / length
            )
    return layer


def streaks(seed: int, size: tuple[int, int], cells: tuple[int, int]) -> Layer:
    """Vertical stains, 0..1."""
    return step(
        noise(seed, size, cells) * 0.7 + noise(seed + 9, size, (cells[0] * 2, cells[1] * 2)) * 0.3, 0.5, 0.85
    )


def polygon(size: tuple[int, int], corners: Sequence[tuple[float, float]]) -> Layer:
    """1 inside a polygon given as (x, y) in pixels."""
    y, x = np.mgrid[0 : size[0], 0 : size[1]] + 0.5
    inside = np.zeros(size, bool)
    for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], corners[0]], strict=True):
        if y0 == y1:
            continue
        crosses = (y0 > y) != (y1 > y)
        inside ^= crosses & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
    return inside.astype(np.float64)


def with_alpha(image: Pixels, alpha: Layer) -> Pixels:
    """The image with an alpha channel."""
    return np.concatenate([image[..., :3], alpha[..., None]], axis=2)


def glowing(image: Pixels) -> Pixels:
    """Light on black as full colors whose alpha is its strength: added to what is behind, it is the same."""
    strength = np.round(image.max(axis=2), 6)
    colors = np.round(image / np.maximum(strength, 1e-6)[..., None], 6)
    return with_alpha(colors, strength)


def to_rgba(image: Pixels) -> npt.NDArray[np.uint8]:
    """Pixels as stored, shape (height, width, 4); opaque if the image has no alpha."""
    if image.shape[2] == 3:
        image = with_alpha(image, np.ones(image.shape[:2]))
    pixels: npt.NDArray[np.uint8] = np.floor(np.round(np.clip(image, 0, 1) * 255, 4) + 0.5).astype(np.uint8)
    return pixels
