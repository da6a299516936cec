"""Rendered pictures as PNG files.

Pillow takes as long to be loaded as to encode a picture, and four times as long to encode it. What is
exported with a model is written by Pillow, whose files of textures are smaller.

Source: PNG Specification (W3C), 5 and 9.
"""

from __future__ import annotations

import struct
import zlib
from typing import Final

import numpy as np

from viewer.formats.texture.pixels import Image

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_HEADER: Final = struct.Struct(">IIBBBBB")
_BITS, _RGBA = 8, 6
"""Bits of a number, and the color type of four of them in a pixel."""
_UP: Final = 2
"""The filter of a row that holds the differences to the row above: zeros for a plain background."""
_LEVEL: Final = 3
_MEMORY: Final = 9


def picture_png(image: Image) -> bytes:
    """The file of an image (h, w, 4), straight alpha."""
    height, width = image.shape[:2]
    pixels = image.reshape(height, -1)
    rows = np.empty((height, 1 + pixels.shape[1]), np.uint8)
    rows[:, 0] = _UP
    rows[:1, 1:] = pixels[:1]
    np.subtract(pixels[1:], pixels[:-1], out=rows[1:, 1:])  # modulo 256, as the format wants it
    # Repeated bytes alone are found: of differences that is a third of the time for as small a file.
    packing = zlib.compressobj(_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS, _MEMORY, zlib.Z_RLE)
    packed = packing.compress(rows.data) + packing.flush()
    # The zeros are the only compression, the only set of filters, and no interlacing.
    header = _HEADER.pack(width, height, _BITS, _RGBA, 0, 0, 0)
    return b"".join((SIGNATURE, _chunk(b"IHDR", header), _chunk(b"IDAT", packed), _chunk(b"IEND", b"")))


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(name)))
