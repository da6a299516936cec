"""Which part of the trim texture holds what; painted in `paint`, laid on faces by the models."""

from __future__ import annotations

from assets.sample.finish import Rect

SIZE = 256

PIXELS: dict[str, tuple[int, int, int, int]] = {
    "vent": (0, 0, 128, 64),
    "hazard": (128, 0, 128, 32),
    "bolted": (128, 32, 128, 32),
    "hatch": (0, 64, 96, 96),
    "lamp": (96, 64, 32, 32),
    "rivets": (96, 96, 32, 64),
    "number": (128, 64, 64, 96),
    "grille": (192, 64, 64, 96),
    "pipes": (0, 160, 128, 96),
    "muzzle": (128, 160, 64, 96),
    "tread": (192, 160, 64, 96),
}
"""x, y, width and height in pixels."""


def rect(name: str) -> Rect:
    """The rectangle of a trim in parts of the texture, a pixel inside its edges."""
    x, y, width, height = PIXELS[name]
    return (x + 1) / SIZE, (y + 1) / SIZE, (width - 2) / SIZE, (height - 2) / SIZE
