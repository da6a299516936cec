"""The images of a scene, the files that images are read from, and how these were compressed.

Whether two of them show one image is decided in `pictures.images`, which reads them with Pillow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

SUFFIXES: Final = ("png", "tga", "jpg", "jpeg", "bmp", "webp")
"""The suffixes of the images that are read."""
_MARKS: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"BM", b"RIFF")
"""The first bytes of images; TGA has none."""


def is_image(name: str, data: bytes | memoryview) -> bool:
    """Whether a file seems to hold an image of another program, by its first bytes or its name."""
    return bytes(data[:8]).startswith(_MARKS) or name.rpartition(".")[2].lower() in SUFFIXES


class Compression(Struct, frozen=True):
    """Compression of the image of a JPEG file.

    Attributes
    ----------
    tables
        The divisors of the 64 coefficients, for brightness and for color.
    sampling
        How colors are sampled, as Pillow numbers it.
    mode
        Pillow's mode: gray or color.
    """

    tables: Mapping[int, Sequence[int]]
    sampling: int
    mode: str


class SceneImage(Struct, frozen=True, eq=False):
    """The image of a texture or lightmap.

    Attributes
    ----------
    pixels
        (h, w, 4) uint8, top row first; empty if they are not in the file.
    compression
        How the file was compressed that they were read from; None if it kept every pixel.
    """

    name: str
    pixels: npt.NDArray[np.uint8]
    compression: Compression | None = None
