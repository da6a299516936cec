"""The placeholder for a missing texture: a checkerboard with text; numpy and Pillow only."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from viewer.formats.texture import pixels
from viewer.model.material.materials import MissingResource
from viewer.translation import translated

if TYPE_CHECKING:
    from PIL.Image import Image as Canvas
    from PIL.ImageFont import FreeTypeFont

SIDE: Final = 256
CHECKS: Final = 8
"""Squares along each side."""
Colors = tuple[tuple[int, int, int], tuple[int, int, int]]
COLORS: Final[Colors] = ((146, 98, 138), (104, 92, 104))
"""Colors of the squares: unlike those of any model, with little contrast so that its shape shows."""
INK, EDGE = (228, 208, 225), (92, 70, 90)
SIGN: Final = (128, 64)
"""Width and height of the text, which is repeated like bricks, as a face shows only part of a texture."""
MARGIN: Final = 12
TALLEST: Final = 21
"""Font size of the largest letters, pixels."""
THICKNESS: Final = 2
"""Width of the outline around the letters, pixels."""
KEPT: Final = 16
"""Checkerboards that are kept, each of a quarter of a megabyte."""
MOST_LETTERS: Final = 18
"""Longer names are cut, as they would be unreadable."""
ANY: Final = MissingResource("missing", "")
"""The text if too many resources are missing to name all of them."""
_FONT: Final = ("imgui_bundle", "assets/fonts/Roboto/Roboto-Bold.ttf")
"""Package and path of a font with Cyrillic letters, always installed. Only the file is used."""


def checks(colors: Colors | None = None) -> pixels.Image:
    """The checkerboard in two colors, by default `COLORS`, without text, opaque RGBA (256, 256, 4)."""
    row, column = np.indices((SIDE, SIDE)) // (SIDE // CHECKS)
    image = np.full((SIDE, SIDE, 4), 255, np.uint8)
    # Fields whose row and column are both even or both odd have the first color.
    image[..., :3] = np.array(colors or COLORS, np.uint8)[(row + column) % 2]
    return image


def label(missing: MissingResource) -> pixels.Image:
    """The checkerboard with the name of the missing resource, opaque RGBA (256, 256, 4), read-only."""
    lines = [translated(missing.what), *([readable(str(missing.name))] if missing.name else [])]
    return _labeled(tuple(lines), COLORS)


@lru_cache(KEPT)
def _labeled(lines: tuple[str, ...], colors: Colors) -> pixels.Image:
    """The checkerboard in some colors with lines of text; models of a folder often miss equal textures."""
    width, height = SIGN
    image, sign = checks(colors), np.asarray(_sign(lines))
    for row in range(SIDE // height):
        line = np.tile(sign, (1, SIDE // width, 1))
        # Every second line begins half a name later, like bricks.
        # 256 / 128 signs side by side and 256 / 64 lines: the image repeats without a seam, in both
        # directions.
        line = np.roll(line, row % 2 * width // 2, axis=1)
        block = image[row * height : (row + 1) * height, :, :3]
        share = line[..., 3:] / 255
        block[:] = np.rint(block * (1 - share) + line[..., :3] * share)
    image.flags.writeable = False
    return image


def _sign(lines: Sequence[str]) -> Canvas:
    """The text alone, each line as large as fits."""
    from PIL import Image, ImageDraw  # noqa: PLC0415 only needed if something is missing

    width, height = SIGN
    sign = Image.new("RGBA", SIGN, (*EDGE, 0))
    draw = ImageDraw.Draw(sign)
    for number, line in enumerate(lines):
        middle = height / 2 + TALLEST * (number - (len(lines) - 1) / 2)
        font, room = _font(TALLEST), width - 2 * MARGIN
        left, _, right, _ = font.getbbox(line)
        if right - left > room:
            font = _font(font.size * room / (right - left))
        draw.text((width / 2, middle), line, INK, font, "mm", stroke_width=THICKNESS, stroke_fill=EDGE)
    return sign


def readable(name: str) -> str:
    """A name with unprintable characters as numbers, cut if it is too long."""
    cut = name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…"
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in cut)


def _font(size: float) -> FreeTypeFont:
    """The font of the window in a size; if it is missing, Pillow's own, which is Latin only."""
    from PIL import ImageFont  # noqa: PLC0415

    package, name = _FONT
    found = find_spec(package)
    path = Path(found.origin).parent / name if found and found.origin else Path()
    try:
        return ImageFont.truetype(path, size)
    except OSError:
        return cast("FreeTypeFont", ImageFont.load_default(size))
