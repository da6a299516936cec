"""The images of a scene, and how the files that they were read from were compressed.

Whether two of them show one image is decided in `viewer.model.convert.images`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Compression:
    """How the image of a JPEG file was compressed.

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


@dataclass(frozen=True, slots=True, eq=False)
class SceneImage:
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
