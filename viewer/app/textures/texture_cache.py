"""Textures of the panels: a cache that evicts the least recently used."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

import moderngl
import numpy as np

from viewer.formats.texture.pixels import Image

Key = TypeVar("Key", bound=Hashable)


class TextureCache(Generic[Key]):
    """Textures by key; owner: the caller that fills it, lifetime: the window's context.

    Main thread only. What was looked up since the last `free_unused` is never freed, so the names
    given to the panels are good until their frame is drawn.

    Parameters
    ----------
    capacity
        Bytes that textures which are not on screen may take.
    """

    def __init__(self, ctx: moderngl.Context, capacity: int) -> None:
        self._ctx = ctx
        self._capacity = capacity
        self._textures: OrderedDict[Key, moderngl.Texture] = OrderedDict()
        self._used: set[Key] = set()

    def __contains__(self, key: Key) -> bool:
        return key in self._textures

    @property
    def size(self) -> int:
        """Bytes of all textures."""
        return sum(texture.width * texture.height * 4 for texture in self._textures.values())

    def find(self, key: Key) -> moderngl.Texture | None:
        """The texture of a key, top row first, or None."""
        if key not in self._textures:
            return None
        self._used.add(key)
        self._textures.move_to_end(key)
        return self._textures[key]

    def put(self, key: Key, image: Image) -> None:
        """Upload an image, (h, w, 4), and replace the texture of the key."""
        if key in self._textures:
            self._textures.pop(key).release()
        height, width = image.shape[:2]
        texture = self._ctx.texture((width, height), 4, np.ascontiguousarray(image))
        texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        self._textures[key] = texture

    def free_unused(self) -> None:
        """Evict the least recently used until the rest fits; once a frame, before the panels draw."""
        size = self.size
        for key in [key for key in self._textures if key not in self._used]:
            if size <= self._capacity:
                break
            texture = self._textures.pop(key)
            size -= texture.width * texture.height * 4
            texture.release()
        self._used.clear()

    def release(self) -> None:
        """Release every texture."""
        for texture in self._textures.values():
            texture.release()
        self._textures.clear()
