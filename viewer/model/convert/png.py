"""Writing pixels to PNG files, and reading PNG files from any source."""

from __future__ import annotations

from io import BytesIO
from typing import Final

import PIL.Image

from viewer.formats.texture.pixels import Image
from viewer.model.convert import images

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"


def write(image: Image) -> bytes:
    """The PNG file of an image, straight alpha."""
    buffer = BytesIO()
    PIL.Image.fromarray(image).save(buffer, "PNG")
    return buffer.getvalue()


def read(data: bytes | memoryview, most_side: int = images.MOST_SIDE) -> Image:
    """The pixels of a file; raises `FormatError`, also if a side is longer than `most_side`."""
    return images.read(data, ("PNG",), most_side)
