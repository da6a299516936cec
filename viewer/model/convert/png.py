"""Writing pixels to PNG files, and reading PNG files from any source."""

from __future__ import annotations

import struct
import warnings
import zlib
from io import BytesIO
from typing import Final

import numpy as np
import PIL.Image

from viewer.errors import FormatError
from viewer.formats.texture.pixels import Image
from viewer.translation import Sentence

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
MOST_PIXELS: Final = 4096 * 4096
"""Larger images are refused before their pixels are decompressed."""

AT_ONCE: Final = 1 << 18
"""Pixels that are converted at once."""

_BROKEN: Final = (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, OverflowError,
                  struct.error, zlib.error, PIL.Image.DecompressionBombError)  # fmt: skip
"""Errors that Pillow raises for damaged files."""


def write(image: Image) -> bytes:
    """The PNG file of an image, straight alpha."""
    buffer = BytesIO()
    PIL.Image.fromarray(image).save(buffer, "PNG")
    return buffer.getvalue()


def read(data: bytes | memoryview, most_side: int | None = None) -> Image:
    """The pixels of a file; raises `FormatError`, also if a side is longer than `most_side`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with PIL.Image.open(BytesIO(data), formats=["PNG"]) as opened:
                _check_size(*opened.size, most_side)
                return _pixels(opened)
        except _BROKEN as error:
            raise FormatError(Sentence("cannot be read: {error}", error=str(error)), table="PNG") from error


def _check_size(width: int, height: int, most_side: int | None) -> None:
    """Refuse an image before its pixels are decompressed."""
    if most_side is not None and max(width, height) > most_side:
        message = Sentence(
            "{width} x {height} pixels, at most {limit} a side", width=width, height=height, limit=most_side
        )
        raise FormatError(message, table="PNG")
    if width * height > MOST_PIXELS:
        message = Sentence(
            "{width} x {height} pixels, at most {limit} are read",
            width=width,
            height=height,
            limit=MOST_PIXELS,
        )
        raise FormatError(message, table="PNG")


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
        image[top : top + rows] = np.asarray(some.convert("RGBA"))
    return image
