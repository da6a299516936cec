"""Many filled shapes in one write into a list of ImGui, and strokes that are recorded once.

A call for each would take most of a frame.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from imgui_bundle import imgui

Pixels = npt.NDArray[np.float64]
Colors = npt.NDArray[np.uint32]
"""Packed colors."""

_VERTEX: Final = np.dtype([("position", "<f4", 2), ("uv", "<f4", 2), ("color", "<u4")])
_INDEX: Final = np.dtype("<u4" if imgui.INDEX_SIZE == 4 else "<u2")
_QUAD: Final = np.array([0, 1, 2, 0, 2, 3])
MOST: Final = 10_000
"""Shapes in one call; more are left out, as nobody can tell them apart."""


def add_rects(
    painter: imgui.ImDrawList, left: Pixels, top: Pixels, right: Pixels, bottom: Pixels, color: int | Colors
) -> None:
    """Fill rectangles between sides in pixels, each (n,), in one color or each in its own."""
    _add_quads(painter, _corners(left, top, right, top, right, bottom, left, bottom), color)


def add_diamonds(painter: imgui.ImDrawList, x: Pixels, y: Pixels, radius: float, color: int) -> None:
    """Fill squares that stand on a corner, around centers in pixels, (n,) both."""
    _add_quads(painter, _corners(x, y - radius, x + radius, y, x, y + radius, x - radius, y), color)


def _corners(*sides: Pixels) -> Pixels:
    """Quads (n, 4, 2) of the x and y of each corner, (n,) all."""
    found = np.empty((len(sides[0]), len(sides)))
    for column, side in enumerate(sides):
        found[:, column] = side
    return found.reshape(-1, 4, 2)


def add_lines(painter: imgui.ImDrawList, starts: Pixels, ends: Pixels, width: float, color: int) -> None:
    """Draw lines of one color between points in pixels, (n, 2) both; those with a NaN are left out."""
    is_known = np.isfinite(starts).all(axis=1) & np.isfinite(ends).all(axis=1)
    starts, ends = starts[is_known], ends[is_known]
    way = ends - starts
    length = np.maximum(np.sqrt(np.einsum("ij,ij->i", way, way)), 1e-6)[:, None]
    # (x, y) turned by a quarter is (-y, x).
    aside = np.stack([-way[:, 1], way[:, 0]], axis=1) * (width / 2 / length)
    # A little longer, so that there are no gaps where lines meet.
    along = way * (width / 4 / length)
    corners = [starts - along + aside, ends + along + aside, ends + along - aside, starts - along - aside]
    _add_quads(painter, np.stack(corners, axis=1), color)


def _add_quads(painter: imgui.ImDrawList, corners: Pixels, color: int | Colors) -> None:
    """Fill quads, (n, 4, 2), clockwise."""
    is_known = np.isfinite(corners)
    if not is_known.all():
        is_whole = is_known.all(axis=(1, 2))
        corners = corners[is_whole]
        color = color if isinstance(color, int) else color[is_whole]
    corners = corners[:MOST]
    if not isinstance(color, int):
        color = np.repeat(color[:MOST], 4)
    count = len(corners)
    if not count:
        return
    painter.prim_reserve(6 * count, 4 * count)
    vertices = _tail(painter.vtx_buffer, _VERTEX, 4 * count)
    vertices["position"] = corners.reshape(-1, 2)
    uv = imgui.get_font_tex_uv_white_pixel()
    vertices["uv"] = uv.x, uv.y
    vertices["color"] = color
    first = painter._vtx_current_idx  # noqa: SLF001 what `prim_reserve` fills is counted from here
    indices = _tail(painter.idx_buffer, _INDEX, 6 * count)
    indices[:] = (first + np.arange(0, 4 * count, 4)[:, None] + _QUAD).ravel()
    painter._vtx_current_idx = first + 4 * count  # noqa: SLF001
    # ImGui asserts that its own pointers are at the end, where an empty rectangle puts them.
    painter.prim_reserve(6, 4)
    painter.prim_rect((0, 0), (0, 0), 0)


def _tail(buffer: Any, dtype: np.dtype[Any], count: int) -> npt.NDArray[Any]:
    """The last items of a buffer of ImGui as an array on its memory, until the next call on the list."""
    start = buffer.data_address() + (buffer.size() - count) * dtype.itemsize
    memory: Any = (ctypes.c_char * (count * dtype.itemsize)).from_address(start)
    return np.frombuffer(memory, dtype)


Stroke = tuple[Callable[..., None], tuple[object, ...]]
"""A method of ImGui's draw list, or what takes one, and the arguments after it."""


class Strokes:
    """Records calls in place of a draw list, and makes them on one; owner: what paints."""

    def __init__(self) -> None:
        self._made: list[Stroke] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        method: Callable[..., None] = getattr(imgui.ImDrawList, name)
        return lambda *arguments: self._made.append((method, arguments))

    def paint(self, painter: imgui.ImDrawList) -> None:
        """Make the calls on a draw list, in their order."""
        for draw, arguments in self._made:
            draw(painter, *arguments)


Painter = imgui.ImDrawList | Strokes
"""Receiver of strokes."""
