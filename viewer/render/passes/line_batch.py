"""One line shape drawn many times, each translated, scaled and transformed by a node."""

from __future__ import annotations

from functools import cached_property

import moderngl
import numpy as np
import numpy.typing as npt

from viewer.render.passes.colors import Color
from viewer.render.passes.line_shapes import WHITE, LineShape
from viewer.render.programs import Programs

WORLD = 0xFFFF_FFFF
"""Node index of an instance in world space, which uses no node matrix."""

_INSTANCE = np.dtype([("center", "<f4", 3), ("extent", "<f4", 3), ("node", "<u4")])


class LineBatch:
    """Buffers of a shape and of its instances; owner: a pass, lifetime: as the pass decides."""

    def __init__(self, ctx: moderngl.Context, programs: Programs, shape: LineShape) -> None:
        self._ctx = ctx
        self._programs = programs
        self._points = ctx.buffer(shape.points)
        self._colors = ctx.buffer(shape.colors)
        self._array: moderngl.VertexArray | None = None
        self._rows = np.empty(0, _INSTANCE)

    @cached_property
    def _program(self) -> moderngl.Program:
        return self._programs.get("lines", "lines", "lines")

    def set_instances(
        self, node: npt.ArrayLike, center: npt.ArrayLike = (0, 0, 0), extent: npt.ArrayLike = (1, 1, 1)
    ) -> None:
        """Set the instances: nodes (n,), centers and half extents (n, 3) in node space."""
        nodes = np.atleast_1d(np.asarray(node, np.uint32))
        rows = np.empty(len(nodes), _INSTANCE)
        rows["node"], rows["center"], rows["extent"] = nodes, center, extent
        self._rows, self._array = rows, None

    def _vertex_array(self) -> moderngl.VertexArray:
        content = [
            (self._points, "3f", "in_point"),
            (self._colors, "4f", "in_color"),
            (self._ctx.buffer(self._rows), "3f 3f 1u4/i", "in_center", "in_extent", "in_node"),
        ]
        return self._ctx.vertex_array(self._program, content)

    def render(self, *, width: float, tint: Color = WHITE, stretch: float = 1.0) -> None:
        """Draw with the current state; `width` in pixels, `stretch` multiplies all extents."""
        if not len(self._rows):
            return
        if self._array is None:
            self._array = self._vertex_array()
        self._program["tint"] = tint
        self._program["line_width"] = width
        self._program["stretch"] = stretch
        self._array.render(moderngl.LINES, instances=len(self._rows))
