"""Faces of any form: their triangles lie inside them, turn as they do, and have their area."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.model.convert.obj.polygons import BENT, CROSSED, triangles
from viewer.model.convert.obj.statements import Statements

Points = npt.NDArray[np.float64]
Outline = Sequence[tuple[float, float]]
TURN = np.array([(0.6, 0.8, 0), (0, 0, 1), (0.8, -0.6, 0)])
"""Two axes of a plane that is not along two axes, and its normal."""


def star(points: int, step: int = 1) -> Outline:
    radii = (1, 0.35) if step == 1 else (1, 1)
    count = 2 * points if step == 1 else points
    angles = (step * 2 * np.pi * it / count + 0.3 for it in range(count))
    return [(radii[at % 2] * np.cos(it), radii[at % 2] * np.sin(it)) for at, it in enumerate(angles)]


def shoelace(outline: Outline) -> float:
    x, y = np.array(outline, np.float64).T
    return abs(float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())) / 2


def cut(*outlines: Outline, height: float = 0.0) -> tuple[Points, Counter[str]]:
    """The signed areas of the triangles of faces in a plane in space, along its normal."""
    flat = np.array([it for outline in outlines for it in outline], np.float64)
    heights = height * (np.arange(len(flat)) % 2)
    points = np.column_stack([flat, heights]) @ TURN
    rows = np.arange(len(points), dtype=np.int32)
    counts = np.array([len(it) for it in outlines])
    found, odd = triangles(np.column_stack([rows] * 3), counts, points)
    corners = points[found[:, 0]].reshape(-1, 3, 3)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return normals @ np.cross(TURN[0], TURN[1]) / 2, +odd


L = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
DART = [(0, 0), (2, 0), (0.5, 0.5), (0, 2)]
HOLE = [(0, 0), (4, 0), (4, 4), (0, 4), (0, 0), (1, 1), (1, 3), (3, 3), (3, 1), (1, 1)]
"""A square, from whose first corner a bridge leads around a hole and back."""
ROW = [(0, 0), (1, 0), (2, 0), (2, 0), (2, 2), (0, 2)]
SPIRAL = [(0, 0), (6, 0), (6, 5), (1, 5), (1, 2), (4, 2), (4, 3), (2, 3), (2, 4), (5, 4), (5, 1), (0, 1)]
OUTLINES: Mapping[str, tuple[Outline, float]] = {
    "L": (L, 3.0), "dart": (DART, 1.0), "hole": (HOLE, 12.0), "row": (ROW, 4.0), "spiral": (SPIRAL, 18.0),
    "star": (star(5), 1.0287),
}  # fmt: skip


@pytest.mark.parametrize("name", OUTLINES)
@pytest.mark.parametrize("is_turned", [False, True])
def test_any_form_from_any_corner(name: str, is_turned: bool) -> None:
    outline, area = OUTLINES[name]
    assert shoelace(outline) == pytest.approx(area, abs=1e-4)
    for first in range(len(outline)):
        turned = [*outline[first:], *outline[:first]][:: -1 if is_turned else 1]
        areas, odd = cut(turned)
        sign = -1 if is_turned else 1
        assert (sign * areas >= -1e-12).all(), "a triangle turns the other way"
        assert sign * areas.sum() == pytest.approx(area, abs=1e-4)
        assert not odd


def test_many_faces_stay_in_order() -> None:
    square = [(0.0, 0.0), (3.0, 0.0), (3.0, 3.0), (0.0, 3.0)]
    areas, odd = cut(square, DART, [(0, 0), (1, 0), (0, 1)], L, square)
    assert not odd
    assert areas[[0, 1, 4, -2, -1]] == pytest.approx([4.5, 4.5, 0.5, 4.5, 4.5])
    assert (areas[2:4].sum(), areas[5:-2].sum()) == pytest.approx((1.0, 3.0))


@pytest.mark.parametrize(
    "outline",
    [
        [(0, 0), (2, 2), (2, 0), (0, 2)],
        [(0, 0), (3, 2), (3, 0), (0, 1)],
        star(5, 2),
        star(7, 3),
        [(0, 0), (4, 0), (4, 4), (1, 1), (3, 1), (0, 4)],
    ],
)
def test_what_crosses_itself_is_said(outline: Outline) -> None:
    assert cut(outline)[1] == {CROSSED: 1}


def test_what_is_not_plane_is_said() -> None:
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    # Every second corner is above the others: half as high above the plane in between.
    assert cut(square, height=0.2)[1] == {}
    assert cut(square, height=0.5)[1] == {BENT: 1}


@given(st.lists(st.floats(0.05, 1), min_size=4, max_size=24), st.integers(0, 23))
def test_any_outline_around_a_point(radii: list[float], first: int) -> None:
    angles = 2 * np.pi * np.arange(len(radii)) / len(radii)
    outline = [(r * np.cos(it), r * np.sin(it)) for r, it in zip(radii, angles, strict=True)]
    turned = outline[first % len(radii) :] + outline[: first % len(radii)]
    areas, odd = cut(turned)
    assert not odd
    assert areas.min() >= -1e-12
    assert areas.sum() == pytest.approx(shoelace(outline))


def test_corners_keep_their_texture_coordinates_and_normals() -> None:
    text = "".join(f"v {x} {y} 0\nvt {x} {y}\nvn {x} {y} 1\n" for x, y in L)
    text += "f " + " ".join(f"{n}/{n}/{n}" for n in range(1, 7))
    (group,) = Statements(text.encode()).groups
    assert (group.corners[:, 0] == group.corners[:, 1]).all()
    assert (group.corners[:, 0] == group.corners[:, 2]).all()
    assert len(group.corners) == 12


def test_faces_without_any_area() -> None:
    assert cut([(0, 0)] * 5)[1] == {}
    assert cut([(0, 0), (1, 0), (2, 0), (1, 0)])[1] == {}
