"""Rectangles of the trim texture; painted in `paint`, mapped to faces by the models."""

from __future__ import annotations

from assets.sample.shapes.finish import Rect

SIZE = (256, 128)
"""Width and height of the texture."""

PIXELS: dict[str, tuple[int, int, int, int]] = {
    "vent": (0, 0, 128, 64),
    "hatch": (0, 64, 64, 64),
    "bolted": (64, 64, 64, 64),
    "number": (128, 0, 64, 96),
    "grille": (192, 0, 64, 96),
    "hazard": (128, 96, 128, 32),
}
"""x, y, width and height in pixels."""


def rect(name: str) -> Rect:
    """The rectangle of a trim as fractions of the texture, a pixel inside its edges."""
    x, y, width, height = PIXELS[name]
    across, down = SIZE
    return (x + 1) / across, (y + 1) / down, (width - 2) / across, (height - 2) / down
