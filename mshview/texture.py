"""Textures, and PNG files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mshview.resource import Resource
from mshview.workspace import workspace
from viewer.errors import AddressError, UsageError, reading_from
from viewer.formats.texture import texm
from viewer.model.edit.replace_texture import ReplaceTexture
from viewer.model.game import game_folder
from viewer.operations.picturing import PaletteOptions, with_palette

Image = npt.NDArray[np.uint8]


class Texture(Resource):
    """A texture."""

    @property
    def _texture(self) -> texm.Texture:
        item = self._item
        game = game_folder.find(workspace().store, self._address.path, self._options.game, None)
        with reading_from(self.address):
            texture = texm.decode(item.data)
            return with_palette(workspace().store, item, texture, PaletteOptions(game.folder))[0]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, pixels."""
        level = self._texture.levels[0]
        return level.width, level.height

    @property
    def format(self) -> int:
        """The number of its pixel format: 8888, 565, 4444, ..."""
        return int(self._texture.format)

    @property
    def pixels(self) -> Image:
        """Its picture: red, green, blue, alpha, (height, width, 4) uint8, top row first; a copy."""
        with reading_from(self.address):
            return self._texture.level(0).copy()

    def replace(self, pixels: npt.NDArray[Any]) -> None:
        """Put in another picture, (height, width, 4) uint8, in the same pixel format; levels are made of it.

        Raises `Error` if it cannot be a texture.
        """
        self._change([ReplaceTexture.of(_checked(pixels))])


def _checked(pixels: npt.NDArray[Any]) -> Image:
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 4:
        raise UsageError(f"{pixels.dtype} {pixels.shape} is not uint8 (height, width, 4)", source="pixels")
    return np.ascontiguousarray(pixels)


def read_png(path: str | os.PathLike[str]) -> Image:
    """Read a picture, (height, width, 4) uint8; raises `Error`."""
    from viewer.model.convert import images  # noqa: PLC0415 loads Pillow

    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise AddressError(f"cannot be read: {error.strerror}", source=os.fspath(path)) from error
    with reading_from(os.fspath(path)):
        return images.read_png(data)


def write_png(path: str | os.PathLike[str], pixels: npt.NDArray[Any]) -> None:
    """Write a picture, (height, width, 4) uint8; raises `Error`."""
    from viewer.model.convert import images  # noqa: PLC0415 loads Pillow
    from viewer.model.store.writing import NewFile  # noqa: PLC0415
    from viewer.model.write import saving  # noqa: PLC0415

    saving.write([NewFile(Path(path), images.write_png(_checked(pixels)))])
