"""Textures of a file as pictures; images of the same bytes are decoded once.

Source: glTF 2.0, 3.8; EXT_texture_webp.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from viewer.errors import FormatError
from viewer.model.convert import images
from viewer.model.convert.gltf.added_light import light_of
from viewer.model.convert.gltf.reading.document import Document
from viewer.model.convert.gltf.reading.item import Item
from viewer.model.convert.jpeg import compression_of
from viewer.model.convert.labels import numbered
from viewer.model.convert.scene import Picture
from viewer.translation import Sentence

_FORMATS: Final = ("PNG", "JPEG", "WEBP")
_WEBP: Final = "EXT_texture_webp"
_UNREADABLE: Final = ("KHR_texture_basisu", "MSFT_texture_dds", "EXT_texture_avif")


class Pictures:
    """The pictures that materials use, in the order in which they are asked for."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._numbers: dict[tuple[object, bool], int] = {}
        self._budget = images.PixelBudget()
        self.found: list[Picture] = []

    def of_texture(self, info: Item, *, is_layer: bool = False) -> int:
        """The number of the picture of a texture; one without pixels, and a loss, if it cannot be read.

        Parameters
        ----------
        is_layer
            Whether it is the layer of a picture of light, which is wanted.
        """
        texture = self._document.required(info, "index", "textures")
        image = self._image(texture)
        key = (texture.path if image is None else self._bytes_of(image)), is_layer
        if key not in self._numbers:
            self._numbers[key] = len(self.found)
            title = texture.name or numbered("picture", texture.index or 0)
            unknown = Picture(title, np.empty((0, 0, 4), np.uint8))
            self.found.append(unknown if image is None else self._read(image, is_layer=is_layer))
        return self._numbers[key]

    def has_same_image(self, one: Item, other: Item) -> bool:
        """Whether two textures show the same image, with the same or another sampler."""
        if not (one.values and other.values):
            return False
        found = [self._image(self._document.required(it, "index", "textures")) for it in (one, other)]
        return None not in found and len({it.index for it in found if it}) == 1

    def _image(self, texture: Item) -> Item | None:
        """The image of a texture in a format that can be read."""
        extensions = texture.item("extensions")
        for owner in (texture, extensions.item(_WEBP)):
            image = self._document.referred(owner, "source", "images")
            if image is not None:
                return image
        name = next((it for it in _UNREADABLE if it in extensions), "")
        if name:
            message = Sentence("textures of {extension} cannot be read", extension=name)
        else:
            message = Sentence("has no picture")
        self._document.losses.add(message, texture.path)
        return None

    def _read(self, image: Item, *, is_layer: bool) -> Picture:
        """Decode an image, if it can be."""
        uri = image.text("uri")
        file = "" if uri[:5].lower() == "data:" else uri.replace("\\", "/").rpartition("/")[2]
        name = image.name or file
        data = b"" if "uri" in image else self._view(image)
        try:
            data = self._document.file(image) if "uri" in image else data
            pixels = self._budget.read(data, _FORMATS)
        except FormatError as error:
            self._document.losses.add(error.message, image.path)
            return Picture(name, np.empty((0, 0, 4), np.uint8))
        shown = light_of(pixels) if is_layer else np.ascontiguousarray(pixels)
        return Picture(name, shown, None if is_layer else compression_of(data))

    def _bytes_of(self, image: Item) -> object:
        """Where the bytes of an image are: images of the same bytes are one picture."""
        if "uri" in image:
            return image.text("uri")
        view = self._document.required(image, "bufferView", "bufferViews")
        buffer = self._document.required(view, "buffer", "buffers")
        return buffer.index, view.whole("byteOffset", 0), view.whole("byteLength")

    def _view(self, image: Item) -> memoryview:
        return self._document.view(self._document.required(image, "bufferView", "bufferViews"))
