"""Whether a picture of a file shows a known one: rounding and compression change pixels too."""

from __future__ import annotations

from typing import Final

import numpy as np

from viewer.formats.texture.pixels import Image
from viewer.model.convert import jpeg
from viewer.model.convert.scene import Picture

NEAR: Final = 1
"""Largest difference of the bytes of equal pixels."""


def is_same_image(known: Picture, given: Picture, *, has_alpha: bool = False) -> bool:
    """Whether a picture of a file shows a known one; one whose pixels are not in the file does.

    Parameters
    ----------
    has_alpha
        Whether pixels show by their alpha; what is clear may have any color then.
    """
    if not given.pixels.size or is_near(known.pixels, given.pixels, has_alpha=has_alpha):
        return True
    return given.compression is not None and jpeg.is_compressed(known.pixels, given.pixels, given.compression)


def is_near(one: Image, other: Image, *, has_alpha: bool = True) -> bool:
    """Whether images (h, w, 4) differ by rounding alone."""
    if one.shape != other.shape:
        return False
    a, b = one.astype(np.int32), other.astype(np.int32)
    if has_alpha:
        a[..., :3] = a[..., :3] * a[..., 3:] // 255
        b[..., :3] = b[..., :3] * b[..., 3:] // 255
    return bool(np.abs(a - b).max(initial=0) <= NEAR)
