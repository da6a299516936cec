"""Textures of the ground: broad ones of the materials of a map, and the fine ones over them.

A broad texture is laid over 200 units, a fine one over 20; the double of a fine one is multiplied with the
broad one, so that mid grey changes nothing.
"""

from __future__ import annotations

import numpy as np

from assets.sample.surfaces import paint
from assets.sample.surfaces.paint import Layer, Pixels

SIZE = (128, 128)


def grass() -> Pixels:
    """Meadows: lush and dry, with worn ground between."""
    lush = paint.clouds(230, SIZE, 5, 4)
    image = paint.blend(
        paint.flat(SIZE, (0.30, 0.40, 0.16)), (0.52, 0.53, 0.24), paint.step(lush, 0.42, 0.66)
    )
    image = paint.blend(image, (0.19, 0.30, 0.11), 0.8 * paint.step(paint.clouds(234, SIZE, 7, 4), 0.55, 0.7))
    worn = paint.step(paint.clouds(238, SIZE, 9, 4), 0.62, 0.74)
    image = paint.blend(image, (0.52, 0.43, 0.28), 0.7 * worn)
    return paint.shade(image, 0.82 + 0.36 * paint.clouds(242, SIZE, 24, 2))


def rock() -> Pixels:
    """Layered stone with veins and lichen."""
    layers = paint.noise(250, SIZE, (28, 4)) * 0.5 + paint.clouds(251, SIZE, 7) * 0.5
    image = paint.blend(
        paint.flat(SIZE, (0.42, 0.39, 0.36)), (0.66, 0.59, 0.50), paint.step(layers, 0.35, 0.7)
    )
    veins = 1 - paint.step(np.abs(paint.clouds(255, SIZE, 6, 3) - 0.5), 0.0, 0.035)
    image = paint.blend(image, (0.24, 0.22, 0.21), 0.6 * veins)
    return paint.blend(image, (0.42, 0.45, 0.27), 0.45 * paint.step(paint.clouds(258, SIZE, 8), 0.58, 0.72))


def bed() -> Pixels:
    """Pale sand with darker, wet streaks."""
    wet = paint.step(paint.clouds(260, SIZE, 6), 0.42, 0.68)
    image = paint.blend(paint.flat(SIZE, (0.72, 0.62, 0.43)), (0.55, 0.46, 0.31), wet)
    return paint.shade(image, 0.88 + 0.24 * paint.noise(264, SIZE, (40, 12)))


def water() -> Pixels:
    """Deep water with swell and glitter."""
    y, x = paint.grid(*SIZE)
    swell = paint.clouds(270, SIZE, 12, 3)
    waves = 0.5 + 0.5 * np.sin(2 * np.pi * (14 * y + 5 * x + 1.6 * swell))
    image = paint.blend(paint.flat(SIZE, (0.07, 0.22, 0.29)), (0.15, 0.38, 0.43), 0.7 * swell + 0.3 * waves)
    glitter = paint.step(waves * paint.clouds(274, SIZE, 20, 2), 0.52, 0.66)
    return paint.blend(image, (0.55, 0.74, 0.76), 0.55 * glitter)


def grain() -> Pixels:
    """Blades, crumbs and their shadows."""
    blades = paint.noise(280, SIZE, (32, 64)) * 0.4 + paint.noise(281, SIZE, (64, 64)) * 0.3
    return _fine(blades + 0.3 * paint.clouds(282, SIZE, 6, 4), 0.9)


def gravel() -> Pixels:
    """Pebbles with dark gaps and cracks."""
    size = 0.5 * paint.noise(290, SIZE, (22, 22)) + 0.5 * paint.noise(291, SIZE, (44, 40))
    gaps = 1 - paint.step(np.abs(paint.clouds(292, SIZE, 9, 3) - 0.5), 0.0, 0.05)
    return _fine(size - 0.28 * gaps + 0.06, 1.25)


def _fine(tone: Layer, contrast: float) -> Pixels:
    """A grey image whose mean is 0.5, so that it does not change the brightness of the ground."""
    value = 0.5 + contrast * (tone - tone.mean())
    return paint.shade(paint.flat(SIZE, (1.0, 1.0, 1.0)), np.clip(value, 0.05, 1.0))
