"""Textures on the graphics card, identified by content and kept within a budget."""

from __future__ import annotations

import ctypes
import sys
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from typing import Any, Final

import moderngl
import numpy as np
import numpy.typing as npt

from viewer.render.programs import UPLOAD_UNIT
from viewer.render.targets import new_texture
from viewer.render.textures.label import SIDE, checks
from viewer.render.textures.texels import TexelKey, Texels
from viewer.session.view.options.textures import TextureSwitches

CAPACITY: Final = 256 * 1024 * 1024
"""Default budget of all textures, bytes."""
LONGEST: Final = 4096
"""Longest side of a texture, pixels; a larger one would fill the whole budget."""
FADE: Final = 0.2
"""Seconds in which a texture fades in."""
MOST_ANISOTROPY: Final = 8.0
SOFTWARE: Final = "llvmpipe"
_LIBRARY: Final = "libGL.so.1"
_TEXTURE_2D, _MAX_LEVEL, _RGBA, _RGBA8, _UNSIGNED_BYTE = 0x0DE1, 0x813D, 0x1908, 0x8058, 0x1401
"""Numbers of the registry of OpenGL."""


MOST_PLAIN: Final = 256
"""Textures of a single color that are kept; those in use stay in any case."""


class TextureStore:
    """Uploaded textures; owner: the renderer, lifetime: its context, so models share equal textures.

    The least recently used textures are evicted first. Those that are `kept` stay; a texture that does
    not fit in addition is uploaded without its largest levels, until other textures are needed.

    Attributes
    ----------
    size
        Size of all textures, bytes.
    version
        Counts uploads and evictions, so that callers can detect changes.
    white
        Bound for a material without a texture.
    """

    def __init__(self, ctx: moderngl.Context, capacity: int = CAPACITY) -> None:
        self._ctx = ctx
        self._capacity = capacity
        # From least to most recently used: `find` moves to the end, `_make_room` drops from the front.
        self._textures: OrderedDict[TexelKey, tuple[moderngl.Texture, int]] = OrderedDict()
        self._kept: frozenset[TexelKey] = frozenset()
        self._reduced: set[TexelKey] = set()
        self.size = self.version = 0
        self.white = new_texture(ctx, (1, 1), 4, b"\xff" * 4)
        self._plain: dict[bytes, moderngl.Texture] = {}
        self._presence: dict[TexelKey, float] = {}

    @cached_property
    def missing(self) -> moderngl.Texture:
        """Bound for a missing texture until its placeholder is uploaded."""
        checkerboard = new_texture(self._ctx, (SIDE, SIDE), 4, checks())
        checkerboard.build_mipmaps()
        return checkerboard

    def __contains__(self, key: TexelKey) -> bool:
        return key in self._textures

    def __len__(self) -> int:
        return len(self._textures)

    @property
    def limit(self) -> int:
        """The longest side that a texture may have."""
        return min(LONGEST, int(self._ctx.info["GL_MAX_TEXTURE_SIZE"]))

    def keep(self, keys: Iterable[TexelKey]) -> None:
        """Set the textures that are in use; others are evicted when space is needed."""
        kept = frozenset(keys)
        if kept == self._kept:
            return
        self._kept = kept
        # Other textures are in use, so there may be room for the levels that were left out.
        for key in [*self._reduced]:
            self._drop(key)
            self.version += 1

    def resize(self, capacity: int) -> None:
        """Change the budget; evicted and reduced textures must be requested again."""
        self._capacity = capacity
        for key in [*self._reduced]:
            self._drop(key)
        self._make_room(0)
        for key in [*self._textures]:
            if self.size > capacity:
                self._drop(key)
        self.version += 1

    def find(self, key: TexelKey) -> moderngl.Texture | None:
        """The texture of a key, or None if it is not uploaded."""
        if key not in self._textures:
            return None
        self._textures.move_to_end(key)
        return self._textures[key][0]

    def plain(self, color: bytes) -> moderngl.Texture:
        """A texture of one pixel, red, green, blue and alpha."""
        if color not in self._plain:
            if len(self._plain) >= MOST_PLAIN:
                del self._plain[next(iter(self._plain))]
            self._plain[color] = new_texture(self._ctx, (1, 1), 4, color)
        return self._plain[color]

    def presence(self, key: TexelKey) -> float:
        """Degree to which a texture has faded in, from 0, its mean color, to 1."""
        return self._presence.get(key, 1.0)

    @property
    def is_fading(self) -> bool:
        """Whether any texture fades in."""
        return bool(self._presence)

    def advance(self, seconds: float) -> None:
        """Let time pass for textures that fade in."""
        further = {key: presence + seconds / FADE for key, presence in self._presence.items()}
        self._presence = {key: presence for key, presence in further.items() if presence < 1}

    def put(self, texels: Texels, *, fades_in: bool = False) -> None:
        """Upload a texture, unless it is uploaded already."""
        if texels.key in self._textures:
            return
        if fades_in:
            self._presence[texels.key] = 0.0
        self._make_room(texels.size)
        fitting = texels.within(self._capacity - self.size)
        if fitting.size < texels.size:
            self._reduced.add(texels.key)
        self._textures[texels.key] = texture_of(self._ctx, fitting.levels), fitting.size
        self.size += fitting.size
        self.version += 1

    def _make_room(self, size: int) -> None:
        for key in [key for key in self._textures if key not in self._kept]:
            if self.size + size <= self._capacity:
                return
            self._drop(key)

    def _drop(self, key: TexelKey) -> None:
        texture, freed = self._textures.pop(key)
        texture.release()
        self._presence.pop(key, None)
        self.size -= freed
        self._reduced.discard(key)


class TextureSamplers:
    """Samplers of textures; owner: the renderer, lifetime: its context.

    Parameters
    ----------
    repeats
        Textures repeat beyond their edges.
    has_levels
        Mip levels are used if the switches have them.
    """

    def __init__(self, ctx: moderngl.Context, *, repeats: bool = True, has_levels: bool = True) -> None:
        self._ctx = ctx
        self._repeats = repeats
        self._has_levels = has_levels
        self._made: dict[tuple[bool, bool], moderngl.Sampler] = {}

    def use(self, switches: TextureSwitches, *units: int) -> None:
        """Bind the sampler of the switches to some units."""
        is_filtered, has_mip_maps = switches.is_filtered, switches.has_mip_maps and self._has_levels
        key = is_filtered, has_mip_maps
        if key not in self._made:
            near = far = moderngl.LINEAR if is_filtered else moderngl.NEAREST
            if has_mip_maps:
                far = moderngl.LINEAR_MIPMAP_LINEAR if is_filtered else moderngl.NEAREST_MIPMAP_NEAREST
            # Anisotropic filtering would filter a texture that is meant to show its texels.
            anisotropy = usable_anisotropy(self._ctx) if is_filtered and has_mip_maps else 1.0
            self._made[key] = self._ctx.sampler(
                repeat_x=self._repeats, repeat_y=self._repeats, filter=(far, near), anisotropy=anisotropy
            )
        for unit in units:
            self._made[key].use(unit)

    def clear(self, *units: int) -> None:
        """Unbind the samplers of some units."""
        for sampler in self._made.values():
            for unit in units:
                sampler.clear(unit)


def usable_anisotropy(ctx: moderngl.Context) -> float:
    """The anisotropy to use, 1 for none.

    Mesa's software rasteriser supports it but samples whole footprints, which takes seconds per
    frame if texture coordinates are stretched over a pixel.
    """
    if SOFTWARE in ctx.info["GL_RENDERER"]:
        return 1.0
    return max(1.0, min(MOST_ANISOTROPY, ctx.max_anisotropy))


def texture_of(ctx: moderngl.Context, levels: Sequence[npt.NDArray[np.uint8]]) -> moderngl.Texture:
    """A texture of some levels (h, w, 4), the largest first, each half as wide and high as the one before.

    moderngl allocates levels only by computing them, and Mesa's software rasteriser first compiles programs
    for that: for the first picture of a process that takes as long as drawing it. So on Linux they are given
    to OpenGL itself; elsewhere, and where its library has another name, what was computed is overwritten.
    """
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
        # Rows of four-byte pixels fit every alignment of rows that GL may be set to, but 8.
        library.glTexImage2D(_TEXTURE_2D, index, _RGBA8, *size, _RGBA, _UNSIGNED_BYTE, pixels)
    return texture


@cache
def _library() -> Any:
    """OpenGL, whose functions are those of the current context; None if it is not found under its name."""
    try:
        return ctypes.CDLL(_LIBRARY) if sys.platform.startswith("linux") else None
    except OSError:
        return None
