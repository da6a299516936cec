"""Pictures for the panels: decoded in worker threads, a few uploaded per frame, the least recent freed."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

import moderngl
import numpy as np

from viewer.app.jobs import Jobs
from viewer.formats.pixels import Image
from viewer.session import picture_part
from viewer.session.picture_part import PicturePart

CAPACITY: Final = 64 * 1024 * 1024
"""Bytes that pictures which are not on screen may take."""
UPLOADS_PER_FRAME: Final = 4
LARGEST: Final = 2048
"""Pixels of the longer side up to which pictures are magnified."""
MOST_MAGNIFIED: Final = 8


class Gallery:
    """Textures by what they show; owner: the application, lifetime: its window's context.

    Main thread only. What was asked for since the last `upload` is never freed, so the names given
    to the panels are good until their frame is drawn.
    """

    def __init__(self, ctx: moderngl.Context, jobs: Jobs, capacity: int = CAPACITY) -> None:
        self._ctx = ctx
        self._jobs = jobs
        self._capacity = capacity
        self._longest = int(ctx.info["GL_MAX_TEXTURE_SIZE"])
        self._textures: OrderedDict[PicturePart, moderngl.Texture] = OrderedDict()
        self._decoded: dict[PicturePart, Image] = {}
        self._asked: set[PicturePart] = set()
        self._used: set[PicturePart] = set()

    @property
    def has_work(self) -> bool:
        """Whether decoded pictures wait for their upload."""
        return bool(self._decoded)

    def texture(self, part: PicturePart) -> int | None:
        """The GL name of a part, top row first; None until it is there, and where it cannot be shown."""
        self._used.add(part)
        if part in self._textures:
            self._textures.move_to_end(part)
            return int(self._textures[part].glo)
        if part not in self._asked:
            self._asked.add(part)
            self._jobs.start(
                f"decode {part}",
                f"Decoding {part.picture.name}…",
                lambda: magnified(picture_part.decode(part, self._longest)),
                lambda image: self._decoded.__setitem__(part, image),
                lambda _: None,
            )
        return None

    def upload(self) -> None:
        """Take over a few of the pictures that have been decoded; once a frame, before the panels draw."""
        for part in list(self._decoded)[:UPLOADS_PER_FRAME]:
            self._textures[part] = self._upload(self._decoded.pop(part))
            self._asked.discard(part)
        self._free_unused()
        self._used.clear()

    def _upload(self, image: Image) -> moderngl.Texture:
        height, width = image.shape[:2]
        texture = self._ctx.texture((width, height), 4, np.ascontiguousarray(image))
        texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        return texture

    def _free_unused(self) -> None:
        size = sum(_size(texture) for texture in self._textures.values())
        for part in [part for part in self._textures if part not in self._used]:
            if size <= self._capacity:
                return
            texture = self._textures.pop(part)
            size -= _size(texture)
            texture.release()

    def release(self) -> None:
        """Give every texture back."""
        for texture in self._textures.values():
            texture.release()
        self._textures.clear()


def magnified(image: Image) -> Image:
    """A picture with every pixel as a square of several: ImGui blends neighbours, these it leaves sharp."""
    factor = min(MOST_MAGNIFIED, LARGEST // max(image.shape[:2]))
    return image.repeat(factor, axis=0).repeat(factor, axis=1) if factor > 1 else image


def _size(texture: moderngl.Texture) -> int:
    return texture.width * texture.height * 4
