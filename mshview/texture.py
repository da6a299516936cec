"""Textures, and images of other programs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mshview.checking import checked
from mshview.resource import Resource
from viewer.errors import AddressError, FormatError, UsageError, reading_from
from viewer.formats.texture import texm
from viewer.model.edit.replace_texture import ReplaceTexture
from viewer.operations.picturing import PaletteOptions, with_palette

Image = npt.NDArray[np.uint8]
Name = str | os.PathLike[str]


class Texture(Resource):
    """A texture."""

    @property
    def _texture(self) -> texm.Texture:
        item, store = self._item, self._files.store
        game = self._options.find_game(store, self._address.path)
        with reading_from(self.address):
            texture = texm.decode(item.data)
            return with_palette(store, item, texture, PaletteOptions(game.folder))[0]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, pixels."""
        header = self._texture.header
        return int(header["width"]), int(header["height"])

    @property
    def format(self) -> int:
        """The number of its pixel format: 8888, 565, 4444, ..."""
        return int(self._texture.format)

    @property
    def pixels(self) -> Image:
        """The picture: red, green, blue, alpha, (height, width, 4) uint8, top row first; a copy.

        Raises `Error` if its pixels are cut off.
        """
        with reading_from(self.address):
            texture = self._texture
            if not texture.levels:
                raise FormatError("has no pixels: they are cut off", table=texm.LEVELS, index=0)
            return texture.level(0).copy()

    def replace(self, pixels: npt.ArrayLike) -> None:
        """Put in another picture in the same pixel format; levels are made of it.

        Raises `Error` if it cannot be a texture.

        Parameters
        ----------
        pixels
            (height, width, 4) uint8, or (height, width, 3) without alpha, which is then opaque.
        """
        self._change([ReplaceTexture.of(_picture(pixels))])


def _picture(pixels: npt.ArrayLike) -> Image:
    """A picture with alpha; raises `UsageError` for what is none."""
    try:
        found: npt.NDArray[Any] = np.asarray(pixels)
    except (ValueError, TypeError, OverflowError):
        raise UsageError(
            "is not an array: its rows differ in length, or it has other items", source="pixels"
        ) from None
    if found.dtype != np.uint8 or found.ndim != 3 or found.shape[2] not in (3, 4) or not found.size:
        words = f"{found.dtype} {found.shape} is not uint8 (height, width, 4) or (height, width, 3)"
        raise UsageError(words, source="pixels")
    if found.shape[2] == 3:
        found = np.dstack([found, np.full(found.shape[:2], 255, np.uint8)])
    return np.ascontiguousarray(found)


@checked()
def read_image(path: Name) -> Image:
    """Read a picture in PNG, TGA, JPEG, BMP or WebP, (height, width, 4) uint8; raises `Error`."""
    from viewer.model.convert.pictures import images  # noqa: PLC0415 loads Pillow

    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise AddressError(f"cannot be read: {error.strerror}", source=os.fspath(path)) from error
    with reading_from(os.fspath(path)):
        return images.read_image(data)


@checked()
def write_png(path: Name, pixels: npt.ArrayLike) -> None:
    """Write a picture, (height, width, 4) or (height, width, 3) uint8; raises `Error`."""
    from viewer.model.compare.file_plan import FilePlan  # noqa: PLC0415
    from viewer.model.convert.pictures import images  # noqa: PLC0415 loads Pillow
    from viewer.operations.saving import write  # noqa: PLC0415

    write([FilePlan(Path(path), data=images.write_png(_picture(pixels)))])
