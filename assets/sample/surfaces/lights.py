"""Textures of lights, signs, flames, smoke and glass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assets.sample.surfaces import paint
from assets.sample.surfaces.paint import Color, Layer, Pixels

AMBER: Color = (1.0, 0.62, 0.1)
ALARM: Color = (1.0, 0.16, 0.08)

SIGN_SIZE = (64, 128)
"""Height and width of one image of the sign."""

SIGN_COUNT = 4
FLAME_SIZE = (64, 32)
FLAME_COUNT = 4
PUFF = 64
"""Side of an image of fire or smoke."""
FIRE_COUNT = 4


def sign_pages() -> list[tuple[int, int, int, int]]:
    """Rectangles of the images of the sign, one below the other: x, y, width, height."""
    height, width = SIGN_SIZE
    return [(0, height * index, width, height) for index in range(SIGN_COUNT)]


def flame_pages() -> list[tuple[int, int, int, int]]:
    """Rectangles of the images of the flame, side by side: x, y, width, height."""
    height, width = FLAME_SIZE
    return [(width * index, 0, width, height) for index in range(FLAME_COUNT)]


def _rings(size: tuple[int, int]) -> Layer:
    """Distance from the center, 1 at the edges."""
    y, x = paint.grid(*size)
    distance: Layer = np.hypot(x - 0.5, y - 0.5) * 2
    return distance


def lens(color: Color) -> Pixels:
    """A lamp seen from the front: a bright center, its color around it, a darker rim."""
    size = (32, 32)
    radius = _rings(size)
    rim: Color = (0.62 * color[0], 0.62 * color[1], 0.62 * color[2])
    image = paint.blend(paint.flat(size, color), rim, paint.step(radius, 0.6, 1.0))
    return paint.blend(image, (1, 1, 1), 0.9 * (1 - paint.step(radius, 0.1, 0.66)))


def glow(color: Color) -> Pixels:
    """A soft disc of light on black."""
    size = (32, 32)
    strength = np.clip(1 - _rings(size), 0, 1)
    hot = paint.blend(paint.flat(size, (0, 0, 0)), color, strength**1.6)
    return paint.blend(hot, (1, 1, 1), 0.8 * strength**4)


def flames() -> Pixels:
    """Four frames of a jet from the upper edge that fades downwards, on black."""
    return np.concatenate([_flame(index) for index in range(FLAME_COUNT)], axis=1)


def _flame(index: int) -> Pixels:
    y, x = paint.grid(*FLAME_SIZE)
    length = (1.0, 0.86, 0.96, 0.8)[index]
    along = y / length
    sway = 0.05 * np.sin(2 * np.pi * (1.5 * along + index / FLAME_COUNT)) * along
    across = np.abs(x - 0.5 - sway) / (0.44 * np.sqrt(np.clip(1.02 - along, 0.001, 1)))
    body = np.clip(1 - across, 0, 1) * np.clip(1 - along, 0, 1)
    body = body * (0.8 + 0.4 * paint.noise(300 + index, FLAME_SIZE, (8, 4)))
    shocks = 0.5 + 0.5 * np.cos(2 * np.pi * (4.5 * along + 0.1 * index))
    core = np.clip(1 - 2.2 * across, 0, 1) * np.clip(1 - 1.25 * along, 0, 1) * (0.6 + 0.4 * shocks)
    image = paint.blend(paint.flat(FLAME_SIZE, (0, 0, 0)), (1.0, 0.40, 0.08), np.clip(1.7 * body, 0, 1))
    image = paint.blend(image, (1.0, 0.80, 0.42), np.clip(1.6 * body * body + 0.5 * core, 0, 1))
    return paint.blend(image, (0.92, 0.96, 1.0), np.clip(core * core * 1.3, 0, 1))


def fire_pages() -> list[tuple[int, int, int, int]]:
    """Rectangles of the images of the fire, side by side: x, y, width, height."""
    return [(PUFF * index, 0, PUFF, PUFF) for index in range(FIRE_COUNT)]


def fire() -> Pixels:
    """Four images of a ball of fire that burns out, on black."""
    return np.concatenate([_fire(index) for index in range(FIRE_COUNT)], axis=1)


def _fire(index: int) -> Pixels:
    heat = _puff(500 + index, 0.9) * (1.25 - 0.3 * index)
    image = paint.blend(paint.flat((PUFF, PUFF), (0, 0, 0)), (0.95, 0.26, 0.04), np.clip(1.5 * heat, 0, 1))
    image = paint.blend(image, (1.0, 0.72, 0.24), np.clip(2.2 * heat - 0.75, 0, 1))
    return paint.blend(image, (1.0, 0.96, 0.82), np.clip(2.4 * heat - 1.6, 0, 1))


def smoke() -> Pixels:
    """A puff of grey smoke with soft edges."""
    grey = (
        paint.flat((PUFF, PUFF), (1.0, 0.98, 0.94))
        * (0.62 + 0.38 * paint.clouds(520, (PUFF, PUFF), 4))[..., None]
    )
    return paint.with_alpha(grey, np.clip(1.3 * _puff(521, 0.7), 0, 1))


def _puff(seed: int, roughness: float) -> Layer:
    """A ball with billows, 1 in the middle and 0 at the edges of the image."""
    size = (PUFF, PUFF)
    radius = _rings(size) + roughness * (paint.clouds(seed, size, 4) - 0.5)
    puff: Layer = np.clip(1.15 - radius, 0, 1) * np.clip(1.6 * (1 - _rings(size)), 0, 1)
    return puff


def sign() -> Pixels:
    """The images of the board, one below the other: one, two, three chevrons lit, and a warning."""
    return np.concatenate([*(_chevrons(count) for count in (1, 2, 3)), _warning()])


def _board() -> tuple[Pixels, Layer, Layer]:
    """A black board with a frame, and the coordinates of each pixel from -2, -1 to 2, 1."""
    height, width = SIGN_SIZE
    y, x = np.mgrid[0:height, 0:width] + 0.5
    image = paint.flat(SIGN_SIZE, (0.035, 0.04, 0.05))
    edge = np.minimum(np.minimum(x, width - x), np.minimum(y, height - y))
    image = paint.blend(image, (0.34, 0.36, 0.37), 1 - paint.step(edge, 2.5, 3.5))
    return image, (x * 2 - width) / height, (y * 2 - height) / height


def _chevrons(count: int) -> Pixels:
    image, x, y = _board()
    for index in range(3):
        across = np.abs(x + 0.62 * np.abs(y) - 1.05 * (index - 1) - 0.24)
        shape = (1 - paint.step(across, 0.2, 0.26)) * (1 - paint.step(np.abs(y), 0.62, 0.68))
        color = AMBER if index < count else (0.16, 0.10, 0.04)
        image = paint.blend(image, color, shape)
    return image


def _warning() -> Pixels:
    """An exclamation mark in a triangle between two bars."""
    image, x, y = _board()
    reach = np.minimum(0.58 * (y + 0.78) - np.abs(x), 0.72 - y)
    triangle, inner = paint.step(reach, 0.0, 0.06), paint.step(reach, 0.11, 0.17)
    stroke = 1 - paint.step(np.maximum(np.abs(x) - 0.06, np.abs(y - 0.06) - 0.24), 0.0, 0.05)
    dot = 1 - paint.step(np.hypot(x, y - 0.46), 0.07, 0.12)
    bars = paint.step(np.abs(x), 1.12, 1.18) * (1 - paint.step(np.abs(x), 1.62, 1.68))
    bars = bars * (1 - paint.step(np.abs(y), 0.62, 0.68)) * paint.step(np.cos(9 * (x + y)), -0.2, 0.2)
    shape = np.clip(triangle - inner + stroke * inner + dot * inner + bars, 0, 1)
    return paint.blend(image, ALARM, shape)


def glass() -> Pixels:
    """Tinted glass with streaks of sky; the alpha is translucent."""
    size = (64, 64)
    y, x = paint.grid(*size)
    image = paint.blend(paint.flat(size, (0.16, 0.30, 0.38)), (0.60, 0.84, 0.96), 0.75 * (1 - y))
    slant = (x + 0.5 * y) % 1
    streak = 1 - paint.step(np.abs(slant - 0.4), 0.05, 0.12)
    streak = np.maximum(streak, 0.6 * (1 - paint.step(np.abs(slant - 0.62), 0.01, 0.05)))
    return paint.with_alpha(
        paint.blend(image, (0.85, 0.95, 1.0), 0.7 * streak), 0.45 + 0.15 * (1 - y) + 0.25 * streak * (1 - y)
    )


def rotor_blur() -> Pixels:
    """Motion blur of four fast blades."""
    size = (64, 64)
    y, x = paint.grid(*size)
    radius, angle = _rings(size), np.arctan2(y - 0.5, x - 0.5)
    sweep = 0.5 + 0.5 * np.cos(4 * angle + 3 * radius)
    alpha = (0.16 + 0.34 * sweep * sweep) * (1 - paint.step(radius, 0.94, 1.0))
    return paint.with_alpha(paint.flat(size, (0.62, 0.64, 0.68)), alpha)


EXIT: Color = (0.30, 1.0, 0.45)
EMBLEM = 64
"""Side of the sign of a clan."""
CLAN_CELLS = (0, 6, 5, 4, 3, 2, 1, 7)
"""The cell of the signs that shows the one of each clan, in the order of the game."""
_CLANS: Sequence[tuple[Color, Color]] = (
    ((0.75, 0.16, 0.12), (1.0, 0.86, 0.55)),
    ((0.16, 0.34, 0.66), (0.92, 0.95, 1.0)),
    ((0.90, 0.66, 0.14), (0.20, 0.16, 0.12)),
    ((0.22, 0.48, 0.24), (0.94, 0.92, 0.72)),
    ((0.42, 0.44, 0.48), (0.95, 0.95, 0.95)),
    ((0.36, 0.20, 0.52), (0.95, 0.80, 0.35)),
    ((0.12, 0.50, 0.52), (1.0, 0.97, 0.88)),
    ((0.14, 0.14, 0.16), (0.86, 0.22, 0.16)),
)
"""Ground and figure of each cell."""


def exit_sign() -> Pixels:
    """A green board over a door that is seen through between its figures: an arrow into a doorway."""
    height, width = 32, 64
    y, x = np.mgrid[0:height, 0:width] + 0.5
    edge = np.minimum(np.minimum(x, width - x), np.minimum(y, height - y))
    frame = paint.step(edge, 0.5, 1.5) * (1 - paint.step(edge, 2.5, 3.5))
    shaft = (1 - paint.step(np.abs(y - 16), 2.2, 3.2)) * paint.step(x, 9, 10) * (1 - paint.step(x, 27, 28))
    head = paint.step(36 - x - np.abs(y - 16) * 0.95, 0.0, 1.0) * paint.step(x, 24, 25)
    door = paint.step(np.minimum(x - 41, 55 - x), 0.0, 0.8) * paint.step(np.minimum(y - 6, 27 - y), 0.0, 0.8)
    inner = paint.step(np.minimum(x - 44, 52 - x), 0.0, 0.8) * paint.step(y - 9, 0.0, 0.8)
    lit = np.clip(frame + shaft + head + door - inner * door, 0, 1)
    image = paint.blend(paint.flat((height, width), (0.02, 0.30, 0.10)), EXIT, lit)
    return paint.with_alpha(image, 0.55 + 0.45 * lit)


def emblem_pages() -> list[tuple[int, int, int, int]]:
    """Rectangles of the signs of the clans, four in a row: x, y, width, height."""
    return [(EMBLEM * (cell % 4), EMBLEM * (cell // 4), EMBLEM, EMBLEM) for cell in range(len(_CLANS))]


def emblems() -> Pixels:
    """The signs of eight clans on one page."""
    cells = [_emblem(cell) for cell in range(len(_CLANS))]
    return np.concatenate([np.concatenate(cells[row : row + 4], axis=1) for row in (0, 4)])


def _emblem(cell: int) -> Pixels:
    """A shield in the color of a clan with its figure."""
    size = (EMBLEM, EMBLEM)
    y, x = (2 * it - 1 for it in paint.grid(*size))
    radius, angle = np.hypot(x, y), np.arctan2(y, x)
    figure = (
        0.52 - radius,  # a disc
        0.34 - np.abs(radius - 0.42) * 2,  # a ring
        0.5 - np.maximum(np.abs(x), np.abs(y)) + 0.12 * np.cos(4 * angle),  # a cross of four points
        0.30 + 0.24 * np.cos(5 * (angle + np.pi / 2)) - radius + 0.1,  # a star
        0.24 - np.minimum(np.abs(x - y), np.abs(x + y)) * (1 + radius),  # two crossed bars
        0.62 - (np.abs(x) + np.abs(y)),  # a diamond
        0.16 - np.abs(y - 0.55 * np.abs(x) + 0.1),  # a chevron
        np.minimum(0.55 - radius, radius - 0.14 - 0.22 * np.abs(np.cos(1.5 * angle))),  # three blades
    )[cell]
    ground, ink = _CLANS[cell]
    shield = 0.94 - np.maximum(np.abs(x) ** 1.5 + 0.25 * np.maximum(y, 0) ** 2, np.abs(y))
    image = paint.blend(paint.flat(size, (0.30, 0.30, 0.31)), ground, paint.step(shield, 0.0, 0.05))
    rim = paint.step(shield, 0.0, 0.04) * (1 - paint.step(shield, 0.07, 0.11))
    image = paint.blend(
        image, ink, np.clip(rim + paint.step(figure, 0.0, 0.05) * paint.step(radius, 0, 0.01), 0, 1)
    )
    return paint.shade(image, 0.88 + 0.24 * paint.clouds(310 + cell, size, 8))
