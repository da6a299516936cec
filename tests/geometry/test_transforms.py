"""Matrices act on column vectors, with the translation in the fourth column."""

from __future__ import annotations

import subprocess
import sys
from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.geometry.transforms import (
    Matrix,
    angles,
    inverse,
    look_at,
    orthographic,
    perspective,
    project_points,
    rotation,
    transform_points,
    translation,
)

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
