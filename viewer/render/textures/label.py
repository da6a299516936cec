"""What stands in for a texture that is missing: checks with words; numpy and Pillow only."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final, cast

import numpy as np
from PIL import Image as Canvas
from PIL import ImageDraw, ImageFont

from viewer.formats.texture.pixels import Image
from viewer.model.material.materials import MissingResource

SIDE: Final = 256
CHECKS: Final = 8
"""Fields along each side."""
COLORS: Final = ((146, 98, 138), (104, 92, 104))
"""Red, green and blue of the fields: what no model is painted in, calm enough to show its shape."""
INK, EDGE = (228, 208, 225), (92, 70, 90)
SIGN: Final = (128, 64)
"""Width and height of the words, which are repeated like bricks: a face shows some of a texture only."""
MARGIN: Final = 12
TALLEST: Final = 21
"""Font size of the largest letters, pixels."""
THICKNESS: Final = 2
"""Of the edge around the letters, pixels."""
MOST_LETTERS: Final = 18
"""Longer names are cut, as nobody could read them."""
ANY: Final = MissingResource("missing", "")
"""What is said where too much is missing to name it all."""
_FONT: Final = ("imgui_bundle", "assets/fonts/Roboto/Roboto-Bold.ttf")
"""A package and its file: letters that are known to be there and have Cyrillic. Only the file is used."""


def checks() -> Image:
    """Checks without words, opaque RGBA (256, 256, 4)."""
    row, column = np.indices((SIDE, SIDE)) // (SIDE // CHECKS)
    image = np.full((SIDE, SIDE, 4), 255, np.uint8)
    image[..., :3] = np.array(COLORS, np.uint8)[(row + column) % 2]
    return image


def label(lack: MissingResource) -> Image:
    """Checks that say what is lacking, opaque RGBA (256, 256, 4)."""
    width, height = SIGN
    image, sign = checks(), np.asarray(_sign(lack))
    for row in range(SIDE // height):
        line = np.tile(sign, (1, SIDE // width, 1))
        line = np.roll(line, row % 2 * width // 2, axis=1)
        place = image[row * height : (row + 1) * height, :, :3]
        share = line[..., 3:] / 255
        place[:] = np.rint(place * (1 - share) + line[..., :3] * share)
    return image


def _sign(lack: MissingResource) -> Canvas.Image:
    """The words alone, each line as large as fits."""
    width, height = SIGN
    sign = Canvas.new("RGBA", SIGN, (*EDGE, 0))
    draw = ImageDraw.Draw(sign)
    lines = [lack.what, *([readable(lack.name)] if lack.name else [])]
    for number, line in enumerate(lines):
        middle = height / 2 + TALLEST * (number - (len(lines) - 1) / 2)
        font = _fitting(line, width - 2 * MARGIN)
        draw.text((width / 2, middle), line, INK, font, "mm", stroke_width=THICKNESS, stroke_fill=EDGE)
    return sign


def readable(name: str) -> str:
    """A name with what no font has as numbers, cut where it is too long."""
    cut = name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…"
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in cut)


def _fitting(line: str, width: float) -> ImageFont.FreeTypeFont:
    """The font in the largest size in which a line is not too wide."""
    font = _font(TALLEST)
    left, _, right, _ = font.getbbox(line)
    return font if right - left <= width else _font(font.size * width / (right - left))


def _font(size: float) -> ImageFont.FreeTypeFont:
    """The letters of the window in a size; Pillow's own, which are Latin only, where they are not there."""
    package, name = _FONT
    found = find_spec(package)
    path = Path(found.origin).parent / name if found and found.origin else Path()
    try:
        return ImageFont.truetype(path, size)
    except OSError:
        return cast(ImageFont.FreeTypeFont, ImageFont.load_default(size))
