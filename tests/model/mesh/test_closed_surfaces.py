"""Closed surfaces: every edge has a neighbor that runs the other way."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import Shape, box, quad
from viewer.geometry.transforms import Mask
from viewer.model.mesh.closed_surfaces import closed_triangles

BOX = box()


def closed(*shapes: Shape, parts: tuple[int, ...] | None = None) -> list[list[bool]]:
    """Which triangles of each shape are closed; all are of one part by default."""
    starts = np.cumsum([0, *(len(it.positions) for it in shapes)])
    corners = [it.triangles + start for it, start in zip(shapes, starts, strict=False)]
    counts = [len(it) for it in corners]
    found: Mask = closed_triangles(
        np.concatenate([it.positions for it in shapes]),
        np.concatenate(corners).astype(np.int32),
        np.repeat(parts or (0,) * len(shapes), counts),
    )
    return [it.tolist() for it in np.split(found, np.cumsum(counts)[:-1])]


def without(shape: Shape, triangle: int) -> Shape:
    return Shape(shape.positions, shape.normals, shape.uvs, np.delete(shape.triangles, triangle, axis=0))


def turned(shape: Shape, triangle: int) -> Shape:
    triangles = shape.triangles.copy()
    triangles[triangle] = triangles[triangle, ::-1]
    return Shape(shape.positions, shape.normals, shape.uvs, triangles)


def test_a_box_is_closed_though_its_faces_share_no_vertex() -> None:
    assert closed(BOX) == [[True] * 12]


def test_minus_zero_is_the_same_place_as_zero() -> None:
    positions = box(center=(0.5, 0, 0)).positions
    positions[np.flatnonzero(positions[:, 0] == 0)[::2], 0] = -0.0
    assert closed(Shape(positions, BOX.normals, BOX.uvs, BOX.triangles)) == [[True] * 12]


@pytest.mark.parametrize("triangle", range(12))
def test_a_box_with_a_hole_or_a_turned_triangle_is_open(triangle: int) -> None:
    assert closed(without(BOX, triangle)) == [[False] * 11]
    assert closed(turned(BOX, triangle)) == [[False] * 12]


def test_an_open_surface_leaves_another_one_closed() -> None:
    apart = box(center=(5, 0, 0))
    assert closed(BOX, without(apart, 3)) == [[True] * 12, [False] * 11]


def test_what_hangs_on_a_corner_of_an_open_surface_is_open() -> None:
    assert closed(BOX, quad(1.0, center=(1, 1, 0.5))) == [[False] * 12, [False] * 2]


def test_the_halves_of_a_box_in_two_parts_are_open() -> None:
    halves = [Shape(BOX.positions, BOX.normals, BOX.uvs, it) for it in np.split(BOX.triangles, 2)]
    assert closed(*halves) == [[True] * 6] * 2
    assert closed(*halves, parts=(0, 1)) == [[False] * 6] * 2


def test_leaves_back_to_back_enclose_nothing() -> None:
    leaf = quad(1.0)
    back = Shape(leaf.positions, leaf.normals, leaf.uvs, leaf.triangles[:, ::-1])
    assert closed(leaf, back) == [[False] * 2] * 2


def test_a_triangle_without_an_area_closes_nothing() -> None:
    flat = Shape(BOX.positions, BOX.normals, BOX.uvs, np.vstack([BOX.triangles, [[0, 0, 1]]]))
    assert closed(flat) == [[True] * 12 + [False]]


def test_nothing_has_no_closed_triangle() -> None:
    nothing = np.zeros((0, 3), np.int32)
    assert len(closed_triangles(np.zeros((0, 3), np.float32), nothing, np.zeros(0, np.int64))) == 0
