"""Thumbnails of models, drawn with a renderer of their own."""

from __future__ import annotations

from typing import Final

import moderngl
import numpy as np

from viewer.app.thumbnails.thumbnail_reading import ModelPreview
from viewer.formats.texture.pixels import Image
from viewer.render.renderer import Renderer
from viewer.resources import bundled_path
from viewer.session.play import posing

TEXTURE_CAPACITY: Final = 16 * 1024 * 1024
"""Bytes of the textures that the thumbnails of models share."""


class ModelThumbnails:
    """Draws models one by one; owner: the thumbnails, lifetime: the window's context. Main thread only.

    It has a renderer of its own, so that the scene on screen is left as it is.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._renderer: Renderer | None = None

    def draw(self, preview: ModelPreview, side: int) -> Image | None:
        """An image of a model, (h, w, 4), top row first; None if it cannot be drawn.

        Parameters
        ----------
        side
            Side of the image before its margins are cut off, pixels.
        """
        if self._renderer is None:
            self._renderer = Renderer(self._ctx, bundled_path("shaders"), TEXTURE_CAPACITY)
        document, view = preview.document, preview.view
        try:
            self._renderer.load(document.model, document.draws, materials=document.materials)
            for texels in preview.texels:
                self._renderer.provide(texels)
            self._renderer.requested_textures(view.textures)
            pose = posing.pose(document, view)
            return cropped(self._renderer.image(view, pose, (side, side), is_transparent=True))
        except moderngl.Error:
            return None

    def release(self) -> None:
        """Give the buffers of the last model back."""
        if self._renderer is not None:
            self._renderer.unload()


def cropped(image: Image) -> Image:
    """An image without its empty margins; unchanged if it is empty."""
    rows, columns = (np.flatnonzero(image[..., 3].any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return image
    return image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
