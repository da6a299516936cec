"""Shapes made of lines, drawn many times, each translated, scaled and transformed by a node."""

from __future__ import annotations

from functools import cached_property

import moderngl
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.geometry.bounds import BOX_EDGES, box_corners
from viewer.render.passes.base import X_AXIS, Y_AXIS, Z_AXIS, Color, FrameScene
from viewer.render.programs import Programs

WHITE: Color = (1.0, 1.0, 1.0, 1.0)
SEGMENTS = 48
"""The number of lines in a circle."""
CYLINDER_LINES = 8
"""The number of lines between the rims of a cylinder."""
HEAD_SHARE = 0.25
"""Length of an arrow's head in that of the arrow."""
# The same number as in shaders/lines.vert; no file is large enough for so many nodes.
WORLD = 0xFFFF_FFFF
"""Node index of an instance in world space, which uses no node matrix."""
_INSTANCE = np.dtype([("center", "<f4", 3), ("extent", "<f4", 3), ("node", "<u4")])


class LineShape(Struct, frozen=True, eq=False):
    """End points of lines in pairs: points (2n, 3) and colors (2n, 4), float32."""

    points: npt.NDArray[np.float32]
    colors: npt.NDArray[np.float32]

    @classmethod
    def of(cls, points: npt.ArrayLike, color: Color = WHITE) -> LineShape:
        """Lines of one color."""
        ends = np.asarray(points, np.float32).reshape(-1, 3)
        return cls(ends, np.tile(np.asarray(color, np.float32), (len(ends), 1)))

    def joined(self, *others: LineShape) -> LineShape:
        """The lines of several shapes."""
        shapes = (self, *others)
        points = np.concatenate([shape.points for shape in shapes])
        return LineShape(points, np.concatenate([shape.colors for shape in shapes]))


def axes() -> LineShape:
    """The three unit axes in their colors."""
    origin, (x, y, z) = np.zeros(3), np.eye(3)
    others = LineShape.of([origin, y], Y_AXIS), LineShape.of([origin, z], Z_AXIS)
    return LineShape.of([origin, x], X_AXIS).joined(*others)


def box() -> LineShape:
    """The edges of the box from -1 to 1."""
    return hull(box_corners(-np.ones((1, 3)), np.ones((1, 3)))[0])


def hull(corners: npt.ArrayLike) -> LineShape:
    """The edges between eight corners, bottom then top, each in circular order, (8, 3)."""
    return LineShape.of(np.asarray(corners)[BOX_EDGES])


def diamond() -> LineShape:
    """The edges of the unit octahedron, with its three axes."""
    x, y, z = np.eye(3)
    ends = [(a, sign * b) for a, b in ((x, y), (y, z), (z, x)) for sign in (-1, 1)]
    edges = [(a, b) for a, b in ends] + [(-a, b) for a, b in ends]
    return LineShape.of([*edges, (-x, x), (-y, y), (-z, z)])


def sphere() -> LineShape:
    """The unit sphere as its three great circles."""
    circle = _circle()
    # x y 0 turned by one axis is 0 x y, by two y 0 x: circles in three planes.
    return LineShape.of(np.concatenate([np.roll(circle, shift, axis=-1) for shift in range(3)]))


def cylinder(start: npt.ArrayLike, end: npt.ArrayLike, radius: float) -> LineShape:
    """Two rims around the points (3,) at the ends of an axis, and lines between them."""
    first, last = np.asarray(start, np.float64), np.asarray(end, np.float64)
    right, up = _across(last - first)
    rim = radius * (_circle()[..., :1] * right + _circle()[..., 1:2] * up)
    # Every few segments a line, at the first end of the segment.
    sides = rim[:: SEGMENTS // CYLINDER_LINES, 0]
    between = np.stack([first + sides, last + sides], axis=1)
    return LineShape.of(np.concatenate([first + rim, last + rim, between, [[first, last]]]))


def arrows(starts: npt.NDArray[np.float64], directions: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Arrows from points along directions, (n, 3) both: the ends of five lines each, (n, 10, 3)."""
    found = np.empty((len(starts), 10, 3))
    for at, (start, direction) in enumerate(zip(starts, directions, strict=True)):
        tip, back = start + direction, start + direction * (1 - HEAD_SHARE)
        sides = np.stack(_across(direction)) * (np.linalg.norm(direction) * HEAD_SHARE / 2)
        heads = [end for side in (*sides, *-sides) for end in (tip, back + side)]
        found[at] = [start, tip, *heads]
    return found


def _circle() -> npt.NDArray[np.float64]:
    """The unit circle on Z = 0 as lines, (SEGMENTS, 2, 3)."""
    angle = np.linspace(0, 2 * np.pi, SEGMENTS + 1)
    points = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=1)
    return np.stack([points[:-1], points[1:]], axis=1)


def _across(axis: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Two unit vectors at right angles to an axis and to each other; an axis of length 0 counts as Z."""
    length = np.linalg.norm(axis)
    forward = axis / length if length > 0 else np.array([0.0, 0.0, 1.0])
    # The coordinate axis that is farthest from parallel gives the longest, most exact product.
    right = np.cross(forward, np.eye(3)[np.abs(forward).argmin()])
    right /= np.linalg.norm(right)
    return right, np.cross(forward, right)


class LineBatch:
    """Buffers of a shape and of its instances; owner: a pass, lifetime: as the pass decides."""

    def __init__(self, ctx: moderngl.Context, programs: Programs, shape: LineShape) -> None:
        self._ctx = ctx
        self._programs = programs
        self._line_count = len(shape.points) // 2
        self._points = ctx.buffer(shape.points)
        self._colors = ctx.buffer(shape.colors)
        self._array: moderngl.VertexArray | None = None
        self._buffer: moderngl.Buffer | None = None
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
        # Rewritten in place if as many: marks of a selection change with the mouse. No instances make no
        # buffer, which GL refuses to have empty.
        if self._array is not None and self._buffer is not None and len(rows) == len(self._rows):
            self._buffer.write(rows)
        else:
            self._array = None  # made when the instances are drawn
        self._rows = rows

    def render(self, scene: FrameScene, width: float, *, tint: Color = WHITE, stretch: float = 1.0) -> None:
        """Draw with the current state; `width` on screen, `stretch` multiplies all extents."""
        if not len(self._rows) or not scene.portions.is_due(len(self._rows) * self._line_count):
            return
        if self._array is None:
            self._buffer = self._ctx.buffer(self._rows)
            content = [
                (self._points, "3f", "in_point"),
                (self._colors, "4f", "in_color"),
                (self._buffer, "3f 3f 1u4/i", "in_center", "in_extent", "in_node"),
            ]
            self._array = self._ctx.vertex_array(self._program, content)
        self._program["tint"] = tint
        self._program["line_width"] = width * scene.pixel_scale
        self._program["stretch"] = stretch
        self._array.render(moderngl.LINES, instances=len(self._rows))
