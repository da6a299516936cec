"""Pictures of other programs as pixels; their size is checked before they are unpacked."""

from __future__ import annotations

import struct
import warnings
import zlib
from dataclasses import dataclass
from io import BytesIO
from typing import Final

import numpy as np
import PIL.Image

from viewer.errors import FormatError
from viewer.formats.texture.pixels import Image
from viewer.translation import Sentence

MOST_PIXELS: Final = 4096 * 4096
"""Larger images are refused before their pixels are decompressed."""
MOST_SIDE: Final = 1 << 15
"""Longer sides are refused too: an empty row of a compressed bitmap costs a few bytes."""
SMALL_TOGETHER: Final = 1 << 26
"""Pixels of all images of a file together, however small their files are."""
PIXELS_PER_BYTE: Final = 16
"""How many more there may be for each byte of an image: textures in JPEG files have up to ten."""
MOST_TOGETHER: Final = 1 << 27
"""Pixels of all images of a file together, however large their files are: 128 textures of 1024 x 1024."""
FOREIGN: Final = ("PNG", "JPEG", "WEBP", "BMP", "TGA")
"""Formats of textures of other programs; TGA is last, as it has no mark."""

AT_ONCE: Final = 1 << 18
"""Pixels that are converted at once."""

_BROKEN: Final = (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, OverflowError,
                  struct.error, zlib.error, PIL.Image.DecompressionBombError)  # fmt: skip
"""Errors that Pillow raises for damaged files."""


def read(
    data: bytes | memoryview,
    formats: tuple[str, ...],
    most_side: int = MOST_SIDE,
    budget: PixelBudget | None = None,
) -> Image:
    """The pixels of a file in one of Pillow's formats.

    Raises `FormatError`, also if a side is longer than `most_side` or there are more pixels than are left.
    """
    table = formats[0] if len(formats) == 1 else "picture"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with PIL.Image.open(BytesIO(data), formats=formats) as opened:
                _check_size(table, *opened.size, most_side, budget)
                return _pixels(opened)
        except PIL.UnidentifiedImageError:  # its text has the address of an object
            raise FormatError("cannot be read: is no such image", table=table) from None
        except _BROKEN as error:
            raise FormatError(Sentence("cannot be read: {error}", error=str(error)), table=table) from error


@dataclass(slots=True)
class PixelBudget:
    """The pixels that may be decoded from the images of one file: more if these take more bytes."""

    allowed: int = SMALL_TOGETHER
    used: int = 0

    @property
    def left(self) -> int:
        """The pixels of the next image, at most."""
        return self.allowed - self.used

    def read(self, data: bytes | memoryview, formats: tuple[str, ...]) -> Image:
        """The pixels of an image; raises `FormatError`, also if there are more than are left."""
        self.allowed = min(self.allowed + PIXELS_PER_BYTE * len(data), MOST_TOGETHER)
        found = read(data, formats, budget=self)
        self.used += found.shape[0] * found.shape[1]
        return found


def _check_size(table: str, width: int, height: int, most_side: int, budget: PixelBudget | None) -> None:
    """Refuse an image before its pixels are decompressed."""
    words, left, limit = "", 0, MOST_PIXELS
    if max(width, height) > most_side:
        words, limit = "{width} x {height} pixels, at most {limit} a side", most_side
    elif width * height > MOST_PIXELS:
        words = "{width} x {height} pixels, at most {limit} are read"
    elif budget is not None and width * height > budget.left:
        words = "{width} x {height} pixels; all images together have at most {limit}, {left} of them are left"
        left, limit = budget.left, budget.allowed
    if words:
        message = Sentence(words, width=width, height=height, left=left, limit=limit)
        raise FormatError(message, table=table)


def _pixels(opened: PIL.Image.Image) -> Image:
    """RGBA, some rows at a time, as a conversion of the whole image would be in memory beside it."""
    width, height = opened.size
    image = np.empty((height, width, 4), np.uint8)
    rows = max(1, AT_ONCE // max(1, width))
    for top in range(0, height, rows):
        some = opened.crop((0, top, width, min(top + rows, height)))
        if some.mode in {"I", "I;16"}:
            gray = (np.asarray(some).astype(np.uint32) * 255 + 32767) // 65535
            some = PIL.Image.fromarray(gray.astype(np.uint8))
        if some.mode in {"CMYK", "YCbCr", "LAB", "HSV"}:
            some = some.convert("RGB")
        image[top : top + rows] = np.asarray(some.convert("RGBA"))
    return image
