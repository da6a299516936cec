"""The textures of the sample: for walker, drone, tower and trims."""

from __future__ import annotations

import numpy as np

from assets.sample.surfaces import paint, trims
from assets.sample.surfaces.paint import Color, Layer, Pixels

OLIVE: Color = (0.50, 0.545, 0.37)
SAND: Color = (0.80, 0.71, 0.50)
EARTH: Color = (0.40, 0.345, 0.265)
STEEL: Color = (0.62, 0.65, 0.69)
RUST: Color = (0.62, 0.36, 0.20)
YELLOW: Color = (1.0, 0.79, 0.18)
BLACK: Color = (0.17, 0.17, 0.18)


def _bevelled(image: Pixels, distance: Layer, strength: float) -> Pixels:
    """Dark seams with a bright edge next to them."""
    seam = 1 - paint.step(distance, 0.3, 1.4)
    edge = paint.step(distance, 1.0, 2.0) * (1 - paint.step(distance, 2.4, 4.0))
    image = paint.shade(image, 1 - 0.5 * strength * seam)
    return paint.shade(image, 1 + 0.28 * strength * edge)


def _bare(seed: int, distance: Layer) -> Layer:
    """Mask of missing paint: chipped off near the seams, and scratched."""
    size = distance.shape[0], distance.shape[1]
    rough = paint.clouds(seed, size, 12, 3)
    chipped = (1 - paint.step(distance, 1.0, 7.0)) * paint.step(rough, 0.56, 0.66)
    scratched: Layer = np.maximum(0.85 * chipped, 0.5 * paint.scratches(seed + 1, size, size[0] // 3))
    return scratched


def _worn(seed: int, image: Pixels, distance: Layer, bare: Color) -> Pixels:
    """Bare metal where the paint is missing, and rust below."""
    size = image.shape[0], image.shape[1]
    image = paint.blend(image, bare, _bare(seed, distance))
    stains = paint.streaks(seed + 2, size, (3, 24)) * paint.step(
        paint.clouds(seed + 3, size, 4, 2), 0.45, 0.7
    )
    return paint.blend(image, RUST, 0.42 * stains)


def armour() -> Pixels:
    """Camouflaged plates with rivets and wear."""
    size = (256, 256)
    distance, tone = paint.plates(31, size, (56, 72, 48, 80), 4)
    blotches = paint.clouds(40, size, 3, 3)
    image = paint.blend(paint.flat(size, OLIVE), SAND, 0.9 * paint.step(blotches, 0.56, 0.60))
    image = paint.blend(image, EARTH, 0.9 * paint.step(paint.clouds(47, size, 4, 3), 0.60, 0.63))
    image = paint.shade(image, 0.88 + 0.24 * tone + 0.2 * (paint.clouds(51, size, 32, 2) - 0.5))
    image = _worn(60, _bevelled(image, distance, 1.0), distance, STEEL)
    return paint.shade(image, 1 + 0.3 * paint.rivets(distance, size, 8))


def metal() -> Pixels:
    """Brushed steel with grease; the alpha is its gloss."""
    size = (128, 128)
    distance, tone = paint.plates(5, size, (64, 64), 2)
    brushed = 0.6 * paint.noise(6, size, (64, 4)) + 0.4 * paint.noise(7, size, (128, 12))
    grease = paint.step(paint.clouds(77, size, 3, 4), 0.52, 0.75)
    image = paint.shade(paint.flat(size, STEEL), 0.78 + 0.14 * tone + 0.2 * brushed)
    image = paint.blend(_bevelled(image, distance, 0.6), (0.9, 0.92, 0.95), 0.6 * _bare(70, distance))
    stains = paint.streaks(72, size, (3, 24)) * grease
    image = paint.blend(image, RUST, 0.5 * stains)
    gloss = (0.3 + 0.6 * brushed + 0.1 * tone) * (1 - 0.75 * grease) * paint.step(distance, 0.3, 1.4)
    return paint.with_alpha(paint.shade(image, 1 - 0.3 * grease), np.clip(gloss, 0, 1))


def dark_metal() -> Pixels:
    """Blackened steel and rubber for joints and barrels."""
    size = (64, 64)
    image = paint.shade(paint.flat(size, (0.40, 0.405, 0.43)), 0.8 + 0.4 * paint.clouds(80, size, 4, 4))
    return paint.blend(image, (0.72, 0.73, 0.76), 0.5 * paint.scratches(81, size, 24))


def scorched() -> Pixels:
    """Burnt plates, partly bare."""
    size = (128, 128)
    distance, tone = paint.plates(31, size, (56, 72), 3)
    image = paint.shade(
        paint.flat(size, (0.36, 0.32, 0.29)), 0.7 + 0.4 * tone + 0.5 * paint.clouds(90, size, 4)
    )
    image = _worn(92, _bevelled(image, distance, 0.9), distance, (0.6, 0.48, 0.4))
    return paint.blend(image, (0.17, 0.155, 0.145), paint.step(paint.clouds(95, size, 3), 0.5, 0.75))


def drone_hull() -> Pixels:
    """Smooth pale panels with orange marks; the alpha is their gloss."""
    size = (128, 128)
    distance, tone = paint.plates(12, size, (40, 56, 32), 3)
    image = paint.shade(paint.flat(size, (0.88, 0.90, 0.90)), 0.86 + 0.16 * tone)
    image = paint.blend(image, (0.45, 0.48, 0.51), (tone < 0.2) * 1.0)
    image = paint.blend(image, (1.0, 0.42, 0.10), (tone > 0.86) * 1.0)
    dirt = paint.streaks(112, size, (2, 16)) * paint.step(paint.clouds(114, size, 3, 3), 0.4, 0.7)
    image = paint.blend(_bevelled(image, distance, 0.7), (0.46, 0.43, 0.39), 0.3 * dirt)
    image = paint.blend(image, (0.56, 0.58, 0.60), 0.7 * _bare(110, distance))
    image = paint.shade(image, 1 + 0.12 * paint.rivets(distance, size, 8))
    gloss = (0.45 + 0.35 * tone - 0.3 * paint.clouds(113, size, 6)) * (1 - 0.6 * dirt)
    return paint.with_alpha(image, np.clip(gloss * paint.step(distance, 0.3, 1.4), 0.03, 1))


def concrete() -> Pixels:
    """Poured concrete: board marks, anchor holes, stains."""
    size = (128, 128)
    y, x = paint.grid(*size)
    image = paint.shade(paint.flat(size, (0.80, 0.775, 0.72)), 0.85 + 0.3 * paint.clouds(120, size, 6, 5))
    joint = np.minimum(np.abs(y * 4 % 1 - 0.5), np.abs(x * 2 % 1 - 0.5) * 2)
    image = paint.shade(image, 1 - 0.4 * (1 - paint.step(joint, 0.01, 0.035)))
    holes = np.hypot((x * 4 % 1) - 0.5, (y * 4 % 1) - 0.1)
    image = paint.shade(image, 1 - 0.45 * (1 - paint.step(holes, 0.04, 0.07)))
    return paint.blend(image, (0.36, 0.33, 0.29), 0.4 * paint.streaks(124, size, (2, 20)))


def cladding() -> Pixels:
    """Gray-blue sheet panels with ribs and rust."""
    size = (128, 128)
    distance, tone = paint.plates(21, size, (64, 64), 2)
    _, x = paint.grid(*size)
    ribs = 0.5 + 0.5 * np.cos(2 * np.pi * 16 * x)
    image = paint.shade(paint.flat(size, (0.78, 0.83, 0.86)), 0.82 + 0.16 * tone + 0.1 * ribs)
    image = _worn(130, _bevelled(image, distance, 1.0), distance, (0.46, 0.39, 0.35))
    return paint.shade(image, 1 + 0.3 * paint.rivets(distance, size, 8))


def windows() -> Pixels:
    """Eight panes over desks, lit from the ceiling, some of them dark."""
    size = (64, 128)
    y, x = paint.grid(*size)
    pane = np.floor(x * 8).astype(np.int64)
    is_dark = np.isin(pane, (2, 5))
    light = (1 - 0.45 * y) * np.where(is_dark, 0.16, 1.0)
    image = paint.shade(paint.flat(size, (1.0, 0.84, 0.52)), light)
    lamps = (1 - paint.step(np.abs(y - 0.2), 0.02, 0.05)) * ~is_dark
    image = paint.blend(image, (1.0, 0.97, 0.86), 0.8 * lamps)
    desk = paint.step(y, 0.56, 0.6) * paint.step(paint.noise(144, size, (1, 24)), 0.2, 0.5)
    image = paint.blend(image, (0.16, 0.13, 0.10), 0.75 * desk)
    frame = np.minimum(np.abs(x * 8 - np.rint(x * 8)) * 16, 9.0)
    return paint.blend(image, (0.12, 0.13, 0.14), 1 - paint.step(frame, 1.2, 2.0))


def trim() -> Pixels:
    """The trims of all models on one page."""
    painters = {
        "vent": _vent, "hatch": _hatch, "bolted": _bolted, "number": _number, "grille": _grille,
        "hazard": _hazard,
    }  # fmt: skip
    width, height = trims.SIZE
    image = np.zeros((height, width, 3))
    for name, painter in painters.items():
        x, y, width, height = trims.PIXELS[name]
        image[y : y + height, x : x + width] = painter((height, width))
    return image


def _framed(image: Pixels, border: float = 3.0) -> Pixels:
    size = image.shape[0], image.shape[1]
    y, x = np.mgrid[0 : size[0], 0 : size[1]] + 0.5
    edge = np.minimum(np.minimum(x, size[1] - x), np.minimum(y, size[0] - y))
    image = paint.blend(image, (0.58, 0.60, 0.56), 1 - paint.step(edge, border - 0.5, border + 0.5))
    return paint.shade(image, 1 - 0.5 * (np.abs(edge - border - 0.5) < 0.8))


def _vent(size: tuple[int, int]) -> Pixels:
    y, _ = paint.grid(*size)
    slope = (y * 8) % 1
    return _framed(paint.shade(paint.flat(size, (0.56, 0.58, 0.57)), 0.4 + 0.75 * slope * slope), 5)


def _grille(size: tuple[int, int]) -> Pixels:
    y, x = np.mgrid[0 : size[0], 0 : size[1]] + 0.5
    bars = np.maximum(np.cos(2 * np.pi * x / 8), np.cos(2 * np.pi * y / 8))
    return _framed(paint.blend(paint.flat(size, BLACK), (0.68, 0.70, 0.69), paint.step(bars, 0.5, 0.9)), 4)


def _hazard(size: tuple[int, int]) -> Pixels:
    y, x = np.mgrid[0 : size[0], 0 : size[1]] + 0.5
    stripes = paint.step(np.sin(2 * np.pi * (x + y) / 24), -0.15, 0.15)
    image = paint.blend(paint.flat(size, BLACK), YELLOW, stripes)
    return paint.blend(image, (0.35, 0.33, 0.3), 0.6 * paint.step(paint.clouds(160, size, 8), 0.58, 0.7))


def _bolted(size: tuple[int, int]) -> Pixels:
    y, x = np.mgrid[0 : size[0], 0 : size[1]] + 0.5
    near = np.hypot(x % 16 - 8, y % 16 - 8)
    image = paint.shade(paint.flat(size, (0.64, 0.66, 0.65)), 1 + 0.35 * (1 - paint.step(near, 2.0, 3.2)))
    return _framed(paint.shade(image, 1 - 0.4 * (np.abs(near - 3.6) < 0.7)))


def _hatch(size: tuple[int, int]) -> Pixels:
    y, x = paint.grid(*size)
    distance = np.hypot(x - 0.5, y - 0.5)
    image = paint.shade(paint.flat(size, OLIVE), 0.9 + 0.2 * paint.clouds(170, size, 6))
    for radius in (0.46, 0.34, 0.1):
        image = paint.shade(image, 1 - 0.6 * (np.abs(distance - radius) < 0.012))
    handle = (np.abs(y - 0.5) < 0.035) & (np.abs(x - 0.5) < 0.24)
    return paint.blend(image, YELLOW, 0.8 * handle)


_DIGITS = {"0": "111101101101111", "7": "111001010010010"}


def _number(size: tuple[int, int]) -> Pixels:
    """The machine's number, stencilled."""
    image = paint.shade(paint.flat(size, OLIVE), 0.9 + 0.2 * paint.clouds(180, size, 6))
    cell = size[1] // 8
    mask = np.zeros(size)
    for position, digit in enumerate("07"):
        for index, bit in enumerate(_DIGITS[digit]):
            row, column = divmod(index, 3)
            y, x = 20 + row * (cell + 3), 4 + position * 4 * cell + column * cell
            mask[y : y + cell + 3, x : x + cell] = float(bit)
    return paint.blend(
        image, (0.96, 0.95, 0.88), 0.9 * mask * (1 - paint.step(paint.clouds(188, size, 8), 0.68, 0.76))
    )


BELT_COUNT, BELT_SIZE = 4, 32


def belt() -> Pixels:
    """The images of a link of a belt, side by side: a cleat that moves up by a quarter each time."""
    y, x = np.mgrid[0:BELT_SIZE, 0:BELT_SIZE] + 0.5
    images = []
    for number in range(BELT_COUNT):
        way = (y / BELT_SIZE + number / BELT_COUNT) % 1.0
        image = paint.flat((BELT_SIZE, BELT_SIZE), (0.16, 0.16, 0.17))
        cleat = 1 - paint.step(np.abs(way - 0.5), 0.16, 0.22)
        image = paint.blend(image, (0.42, 0.41, 0.39), cleat)
        middle = 1 - paint.step(np.abs(x / BELT_SIZE - 0.5), 0.1, 0.14)
        image = paint.blend(image, (0.08, 0.08, 0.09), middle * (1 - cleat))
        images.append(image)
    return np.concatenate(images, axis=1)


def belt_pages() -> list[tuple[int, int, int, int]]:
    """Rectangles of the images of a belt, side by side: x, y, width, height."""
    return [(BELT_SIZE * number, 0, BELT_SIZE, BELT_SIZE) for number in range(BELT_COUNT)]
