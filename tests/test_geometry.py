"""Matrices act on column vectors, with the translation in the fourth column.

Rotations of keys: their products and matrices agree with those that a pose is made of.

Boxes around points.

Culling against six planes never loses what can be seen.
"""

from __future__ import annotations

import subprocess
import sys
from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.model.viewing import look_at
from viewer.geometry import quaternions
from viewer.geometry.bounds import BOX_EDGES, Bounds, box_corners
from viewer.geometry.frustum import meets_boxes, meets_spheres, planes, through_pixel
from viewer.geometry.transforms import (
    Doubles,
    Matrix,
    angles,
    inverse,
    orthographic,
    perspective,
    project_points,
    rotation,
    transform_points,
    translation,
)
from viewer.model.mesh.pose.interpolation import matrices

coordinates = st.floats(-100, 100)
points = st.tuples(coordinates, coordinates, coordinates)


def projected(clip_from_view: Matrix, point: tuple[float, float, float]) -> list[float]:
    clip = project_points(clip_from_view, [point])[0]
    return [float(value) for value in clip[:3] / clip[3]]


def test_a_translation_moves_points() -> None:
    assert translation((1, 2, 3))[:3, 3].tolist() == [1, 2, 3]
    assert transform_points(translation((1, 2, 3)), [(10, 20, 30)]).tolist() == [[11, 22, 33]]


def test_each_point_may_have_a_matrix_of_its_own() -> None:
    matrices = np.stack([translation((1, 0, 0)), translation((0, 0, 5))])
    assert transform_points(matrices, [(0, 0, 0), (1, 1, 1)]).tolist() == [[1, 0, 0], [1, 1, 6]]


def test_the_eye_looks_along_minus_z_with_y_up() -> None:
    view = look_at((0, -10, 2), (0, 0, 2), (0, 0, 1))
    assert transform_points(view, [(0, -10, 2)]) == pytest.approx(np.array([[0, 0, 0]]))
    assert transform_points(view, [(0, 0, 2)]) == pytest.approx(np.array([[0, 0, -10]]))
    assert transform_points(view, [(1, -10, 2)]) == pytest.approx(np.array([[1, 0, 0]]))
    assert transform_points(view, [(0, -10, 3)]) == pytest.approx(np.array([[0, 1, 0]]))


def test_a_perspective_maps_its_frustum_to_the_cube() -> None:
    clip = perspective(pi / 2, 2.0, 1.0, 100.0)
    assert projected(clip, (0, 0, -1)) == pytest.approx([0, 0, -1])
    assert projected(clip, (0, 0, -100)) == pytest.approx([0, 0, 1])
    assert projected(clip, (20, 10, -10))[:2] == pytest.approx([1, 1])


def test_a_parallel_projection_is_as_high_as_asked() -> None:
    clip = orthographic(8.0, 2.0, 0.0, 10.0)
    assert projected(clip, (8, 4, -10)) == pytest.approx([1, 1, 1])
    assert projected(clip, (-8, -4, 0)) == pytest.approx([-1, -1, -1])


@given(points, points)
def test_the_inverse_leads_back(eye: tuple[float, float, float], point: tuple[float, float, float]) -> None:
    view = look_at(eye, np.add(eye, (1, 2, 0.5)), (0, 0, 1))
    back = transform_points(inverse(view), transform_points(view, [point]))
    assert back == pytest.approx(np.array([point]), abs=1e-6)


def test_a_singular_matrix_has_no_inverse() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        inverse(np.zeros((4, 4)))


@pytest.mark.parametrize("degrees", [(0, 0, 0), (10, -20, 30), (-170, 89, 175), (0, 90, 25), (0, -90, -40)])
def test_angles_are_those_that_a_rotation_is_made_of(degrees: tuple[float, ...]) -> None:
    matrix = rotation(degrees)
    assert np.linalg.det(matrix[:3, :3]) == pytest.approx(1)
    assert angles(matrix) == pytest.approx(degrees, abs=1e-6)
    assert angles(np.stack([matrix, matrix])[:, :3, :3])[1] == pytest.approx(degrees, abs=1e-6)


def test_a_rotation_turns_around_x_then_y_then_z() -> None:
    assert rotation((90, 0, 0)) @ (0, 1, 0, 1) == pytest.approx((0, 0, 1, 1))
    assert rotation((90, 90, 0)) @ (0, 1, 0, 1) == pytest.approx((1, 0, 0, 1))
    assert rotation((90, 90, 90)) @ (0, 1, 0, 1) == pytest.approx((0, 1, 0, 1))


def test_the_warnings_of_a_library_do_not_reach_the_user() -> None:
    """Python 3.12 warns of the docstrings of pyrr whenever it compiles them, if no byte code is kept."""
    code = (
        "import sys, types, warnings\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'pyrr':\n"
        "            warnings.warn('invalid escape sequence', SyntaxWarning)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from viewer.geometry import transforms\n"
        "transforms.translation((1, 2, 3))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


CHANCE = np.random.default_rng(11)


def some(count: int) -> Doubles:
    found = CHANCE.normal(size=(count, 4))
    unit: Doubles = found / np.linalg.norm(found, axis=1, keepdims=True)
    return unit


def matrix(quaternion: Doubles) -> Doubles:
    found = matrices(np.atleast_2d(quaternion).astype(np.float32), np.zeros((1, 3), np.float32))
    rotation: Doubles = found[0, :3, :3].astype(np.float64)
    return rotation


def test_a_product_turns_by_the_second_in_the_space_around() -> None:
    for first, then in zip(some(20), some(20), strict=True):
        found = matrix(quaternions.product(first, then))
        assert found == pytest.approx(matrix(then) @ matrix(first), abs=1e-5)


def test_a_matrix_gives_its_quaternion() -> None:
    for quaternion in (*some(50), *np.eye(4), -np.eye(4)[0]):
        found = quaternions.of_matrix(matrix(quaternion))
        assert found[0] >= 0
        assert matrix(found) == pytest.approx(matrix(quaternion), abs=1e-5)


wide_coordinates = st.floats(-1e6, 1e6, width=32)
clouds = st.lists(st.tuples(wide_coordinates, wide_coordinates, wide_coordinates), min_size=1).map(
    lambda points: np.array(points, np.float32)
)


def of(points: object) -> Bounds:
    bounds = Bounds.of(np.asarray(points, np.float32))
    assert bounds is not None
    return bounds


@given(clouds)
def test_a_box_is_the_least_that_holds_its_points(
    points: np.ndarray[tuple[int, int], np.dtype[np.float32]],
) -> None:
    bounds = of(points)
    assert (points >= bounds.low).all()
    assert (points <= bounds.high).all()
    assert (points == bounds.low).any(axis=0).all()
    assert (points == bounds.high).any(axis=0).all()


def test_points_that_are_not_finite_are_left_out() -> None:
    bounds = of([(1, 2, 3), (np.nan, 0, 0), (np.inf, 0, 0), (4, 2, 1)])
    assert (bounds.low.tolist(), bounds.high.tolist()) == ([1, 2, 1], [4, 2, 3])


@pytest.mark.parametrize("points", [np.empty((0, 3)), np.full((2, 3), np.nan)])
def test_no_points_have_no_box(points: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> None:
    assert Bounds.of(points) is None


def test_center_size_and_diagonal() -> None:
    bounds = of([(0, 0, 0), (2, 4, 4)])
    assert bounds.center.tolist() == [1, 2, 2]
    assert bounds.size.tolist() == [2, 4, 4]
    assert bounds.diagonal == 6


def test_the_union_holds_both() -> None:
    union = of([(0, 0, 0), (1, 1, 1)]).union(of([(-1, 2, 0.5)]))
    assert (union.low.tolist(), union.high.tolist()) == ([-1, 0, 0], [1, 2, 1])


def test_corners_go_round_the_bottom_then_round_the_top() -> None:
    assert of([(0, 0, 0), (1, 2, 3)]).corners.tolist() == [
        [0, 0, 0],
        [1, 0, 0],
        [1, 2, 0],
        [0, 2, 0],
        [0, 0, 3],
        [1, 0, 3],
        [1, 2, 3],
        [0, 2, 3],
    ]


def test_twelve_edges_join_corners_that_differ_in_one_axis() -> None:
    corners = box_corners(np.zeros((2, 3)), np.ones((2, 3)))
    assert corners.shape == (2, 8, 3)
    ends = corners[0][BOX_EDGES]
    assert np.abs(ends[:, 0] - ends[:, 1]).sum(axis=1).tolist() == [1] * 12
    assert len({frozenset(edge) for edge in BOX_EDGES.tolist()}) == 12


Vector = tuple[float, float, float]
CLIP = perspective(pi / 2, 1.0, 1.0, 100.0)
PLANES = planes(CLIP)
near_coordinates = st.floats(-150, 150)
near_points = st.tuples(near_coordinates, near_coordinates, near_coordinates)


def sphere(center: Vector, radius: float) -> bool:
    return bool(meets_spheres(PLANES, np.array([center], np.float32).T, np.array([radius], np.float32))[0])


def box(center: Vector, extent: Vector) -> bool:
    return bool(meets_boxes(PLANES, np.array([center], np.float32).T, np.array([extent], np.float32).T)[0])


def test_planes_are_unit_and_point_inwards() -> None:
    assert np.linalg.norm(PLANES[:, :3], axis=1) == pytest.approx(np.ones(6))
    assert (PLANES[:, :3] @ (0, 0, -10) + PLANES[:, 3] > 0).all()
    assert PLANES[4] == pytest.approx([0, 0, -1, -1])
    assert PLANES[5] == pytest.approx([0, 0, 1, 100], abs=1e-3)


@pytest.mark.parametrize(
    ("center", "radius", "expected"),
    [
        ((0, 0, -10), 0.0, True),
        ((0, 0, 10), 1.0, False),
        ((0, 0, 0), 1.5, True),
        ((0, 0, 0), 0.5, False),
        ((0, 0, -102), 1.0, False),
        ((0, 0, -102), 3.0, True),
        ((12, 0, -10), 1.0, False),
        ((12, 0, -10), 2.0, True),
        ((0, -12, -10), 1.0, False),
    ],
)
def test_spheres(center: Vector, radius: float, expected: bool) -> None:
    assert sphere(center, radius) is expected


@pytest.mark.parametrize(
    ("center", "extent", "expected"),
    [
        ((0, 0, -10), (0, 0, 0), True),
        ((12, 0, -10), (1, 50, 0), False),
        ((12, 0, -10), (2.5, 0, 0), True),
        ((12, 0, -10), (0, 0, 2.5), True),
        ((0, 0, 5), (90, 90, 5.5), False),
        ((0, 0, 5), (90, 90, 6.5), True),
    ],
)
def test_boxes(center: Vector, extent: Vector, expected: bool) -> None:
    assert box(center, extent) is expected


@given(near_points, near_points, st.booleans())
def test_what_is_on_the_screen_is_never_culled(eye: Vector, point: Vector, is_parallel: bool) -> None:
    view = look_at(eye, np.add(eye, (3, 4, 1)), (0, 0, 1))
    clip = (orthographic(60.0, 1.5, 1.0, 200.0) if is_parallel else perspective(1.0, 1.5, 1.0, 200.0)) @ view
    x, y, z, w = project_points(clip, [point])[0]
    if max(abs(x), abs(y), abs(z)) > w - 1e-3:
        return
    column = np.array([point], np.float32).T
    assert meets_spheres(planes(clip), column, np.zeros(1, np.float32))[0]
    assert meets_boxes(planes(clip), column, np.zeros((3, 1), np.float32))[0]


def test_a_degenerate_projection_culls_without_a_warning() -> None:
    assert np.isfinite(planes(np.zeros((4, 4)))).all()


def test_nothing_to_cull() -> None:
    assert meets_spheres(PLANES, np.empty((3, 0), np.float32), np.empty(0, np.float32)).shape == (0,)
    assert meets_boxes(PLANES, np.empty((3, 0), np.float32), np.empty((3, 0), np.float32)).shape == (0,)


def test_nothing_is_beyond_a_plane_that_is_too_far_for_a_number() -> None:
    far = planes(orthographic(2.0, 1.0, 1.0, 1e60))
    assert np.isinf(far[5, 3])
    centers = np.array([(0, 0, -1e30)], np.float32).T
    assert meets_spheres(far, centers, np.zeros(1, np.float32)).all()
    assert meets_boxes(far, centers, np.zeros((3, 1), np.float32)).all()


@pytest.mark.parametrize("clip", [perspective(pi / 2, 2.0, 1.0, 100.0), orthographic(20.0, 2.0, 1.0, 100.0)])
def test_the_middle_pixel_looks_at_the_target(
    clip: np.ndarray[tuple[int, int], np.dtype[np.float64]],
) -> None:
    world_from_clip = inverse(clip @ look_at((0, -10, 0), (0, 0, 0), (0, 0, 1)))
    origin, direction = through_pixel(world_from_clip, 100, 50, 200, 100)
    assert direction == pytest.approx(np.array([0, 1, 0]), abs=1e-9)
    assert origin == pytest.approx(np.array([0, -9, 0]), abs=1e-9)


def test_pixels_count_from_the_top_left() -> None:
    world_from_clip = inverse(
        perspective(pi / 2, 2.0, 1.0, 100.0) @ look_at((0, -10, 0), (0, 0, 0), (0, 0, 1))
    )
    origin, direction = through_pixel(world_from_clip, 0, 0, 200, 100)
    assert origin == pytest.approx(np.array([-2, -9, 1]), abs=1e-9)
    assert direction == pytest.approx(np.array([-2, 1, 1]) / np.sqrt(6), abs=1e-9)
