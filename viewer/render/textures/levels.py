"""The levels of a texture, as the file has them.

moderngl allocates levels only by computing them, and Mesa's software rasteriser first compiles programs for
that: for the first picture of a process that takes as long as drawing it. So on Linux they are given to
OpenGL itself; elsewhere, and where its library has another name, what was computed is overwritten.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import moderngl
import numpy as np
import numpy.typing as npt

from viewer.render.programs import UPLOAD_UNIT
from viewer.render.targets import new_texture

_LIBRARY: Final = "libGL.so.1"
_TEXTURE_2D, _MAX_LEVEL, _RGBA, _RGBA8, _UNSIGNED_BYTE = 0x0DE1, 0x813D, 0x1908, 0x8058, 0x1401
"""Numbers of the registry of OpenGL."""


def texture_of(ctx: moderngl.Context, levels: Sequence[npt.NDArray[np.uint8]]) -> moderngl.Texture:
    """A texture of some levels (h, w, 4), the largest first, each half as wide and high as the one before."""
    height, width = levels[0].shape[:2]
    texture = new_texture(ctx, (width, height), 4, np.ascontiguousarray(levels[0]))
    library = _library()
    if library is None:
        texture.build_mipmaps(0, len(levels) - 1)
        for index, level in enumerate(levels[1:], start=1):
            texture.write(np.ascontiguousarray(level), level=index)
        return texture
    texture.use(UPLOAD_UNIT)  # the unit that is active afterwards
    library.glTexParameteri(_TEXTURE_2D, _MAX_LEVEL, len(levels) - 1)
    for index, level in enumerate(levels[1:], start=1):
        rows = np.ascontiguousarray(level)
        size = rows.shape[1], rows.shape[0], 0
        pixels = ctypes.c_void_p(rows.ctypes.data)
        library.glTexImage2D(_TEXTURE_2D, index, _RGBA8, *size, _RGBA, _UNSIGNED_BYTE, pixels)
    return texture


@cache
def _library() -> Any:
    """OpenGL, whose functions are those of the current context; None if it is not found under its name."""
    try:
        return ctypes.CDLL(_LIBRARY) if sys.platform.startswith("linux") else None
    except OSError:
        return None
