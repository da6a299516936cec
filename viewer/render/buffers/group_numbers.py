"""The numbers that color the triangles of a frame, as a texture that the shader reads per triangle."""

from __future__ import annotations

from typing import Final

import moderngl
import numpy as np

from viewer.model.mesh.ranges import Indices
from viewer.render.buffers.draw_list import DrawList

GROUP_UNIT: Final = 5
"""Texture unit of the numbers."""
WIDTH: Final = 4096
"""Triangles per row of the texture; shaders/surface.frag relies on it."""


class GroupNumbers:
    """One number per submitted triangle; owner: the renderer, lifetime: one model."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._texture: moderngl.Texture | None = None
        self._written: tuple[object, ...] = ()

    def write(self, numbers: Indices, listed: DrawList) -> None:
        """Upload the numbers of all merged triangles (t,) for the triangles that a frame submits."""
        order = listed if listed.is_compacted else None
        if self._written and self._written[0] is numbers and self._written[1] is order:
            return
        self._written = numbers, order
        if order is not None:
            numbers = numbers[np.repeat(order.visible, np.diff(order.triangle_start))]
        height = max(1, -(-len(numbers) // WIDTH))
        padded = np.zeros(height * WIDTH, np.uint32)
        padded[: len(numbers)] = numbers.astype(np.uint32)
        if self._texture is None or self._texture.height != height:
            self._texture = self._ctx.texture((WIDTH, height), 1, dtype="u4")
        self._texture.write(padded)

    def bind(self) -> None:
        """Bind the numbers for all shaders."""
        if self._texture is not None:
            self._texture.use(GROUP_UNIT)
