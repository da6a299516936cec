"""The light of the game as numbers, against the golden values of field-notes.md 4.1."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.model.material.light import Paint, PointLight, exponent, knee, pixel, spill, vertex_light
from viewer.model.sky.light import Light

GOLDEN = [
    (1, 0, 0.2, 0.3, 0, 0.3),
    (1, 0, 0.5, 0.3, 0, 0.5),
    (200 / 255, 0.25, 0.2, 0.3, 0, 0.352941),
    (100 / 255, 2, 0, 0.3, 0, 0.525490),
    (0, 4, 0, 0, 0, 0.4),
    (0, 7, 0, 0, 0, 0.8),
    (0, 30, 0, 0, 0, 0.8),
    (0.5, 0.4, 0, 0.3, 0.5, 0.6),
    (0.5, 3, 0, 0.3, 2, 1),
]
"""Texture, diffuse times lights, ambient, scene, highlight, and the pixel."""
DOWN = Light((0.0, 0.0, -1.0), (1.0, 1.0, 1.0))
UP = (0.0, 0.0, 1.0)


@pytest.mark.parametrize(("texture", "fallen", "ambient", "scene", "highlight", "expected"), GOLDEN)
def test_the_golden_values(
    texture: float, fallen: float, ambient: float, scene: float, highlight: float, expected: float
) -> None:
    """A white light from straight above, seen from there: N.L and the mirrored ray are 1."""
    paint = Paint([fallen] * 3, [ambient] * 3, [highlight] * 3, power=3)
    found = vertex_light(paint, [scene] * 3, [DOWN], [UP], UP)
    assert pixel(texture, found.first, found.second) == pytest.approx(np.full((1, 3), expected), abs=5e-7)


def test_knee_and_spill_bend_where_the_page_says() -> None:
    assert knee([0, 0.5, 1, 4, 7, 30]) == pytest.approx([0, 0.5, 1, 1.5, 2, 2])
    assert spill([0, 0.5, 1, 2, 3, 30]) == pytest.approx([0, 0.4, 0.8, 0.9, 1, 1])


def test_exponents_double_with_the_power() -> None:
    assert [exponent(power) for power in (1, 2, 3, 4, 6)] == [1, 2, 4, 8, 32]
    assert np.isfinite(exponent(255))


def test_a_surface_takes_light_from_the_side_of_its_stored_normal_alone() -> None:
    """Each light and channel apart; a zero normal takes none, also with a power."""
    paint = Paint((0.5, 0.25, 1), (0.1, 0, 0), (1, 1, 1), power=1)
    red = Light((0.0, 0.0, -1.0), (2.0, 0.0, 0.0))
    lying, standing, hidden, none = UP, (0.6, 0.0, 0.8), (0.0, 0.0, -1.0), (0.0, 0.0, 0.0)
    found = vertex_light(paint, [0.05] * 3, [red], [lying, standing, hidden, none], UP)
    assert found.fallen[0] == pytest.approx(np.array([[1, 0, 0], [0.8, 0, 0], [0, 0, 0], [0, 0, 0]]))
    assert found.base == pytest.approx(
        np.array([[1.1, 0.05, 0.05], [0.9, 0.05, 0.05], [0.1, 0.05, 0.05], [0.1, 0.05, 0.05]])
    )
    # Mirrored straight up, and at twice the angle whose cosine is 0.8: 2 * 0.64 - 1.
    assert found.gleams[0, :, 0] == pytest.approx([2, 2 * 0.28, 0, 0])


def test_a_lightmap_leaves_the_diffuse_color_or_the_scene() -> None:
    paint = Paint((0.5, 0.1, 1), (1, 1, 1), (1, 1, 1), power=1).in_lightmap
    found = vertex_light(paint, [0.3] * 3, [DOWN], [UP], UP)
    assert found.first == pytest.approx(np.array([[0.5, 0.3, 1]]))
    assert found.second == pytest.approx(np.zeros((1, 3)))


def test_no_light_is_no_light() -> None:
    found = vertex_light(Paint((1, 1, 1), (0, 0.4, 0), (1, 1, 1), power=2), [0.2] * 3, [], [UP], UP)
    assert found.first == pytest.approx(np.array([[0.2, 0.4, 0.2]]))
    assert found.second == pytest.approx(np.zeros((1, 3)))


def test_a_point_light_falls_off_within_its_reach() -> None:
    """Of reach 4 and one unit above: 3/4 of it are left; beside it by 2 the distance is the root of 5."""
    lamp = PointLight((0.0, 0.0, 1.0), (0.8, 0.4, 1.0), 4.0, (0.1, 0.2, 0.3))
    places = [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (9.0, 0.0, 0.0), (0.0, 0.0, 2.0)]
    paint = Paint((1, 0.5, 0), (0, 0, 0), (0, 0, 0.5), power=2)
    found = vertex_light(paint, [0.0] * 3, [], [UP] * 4, UP, places, [lamp])
    below = 0.1 + 0.2 * 0.75 + 0.3 * 0.75**2
    d = 5**0.5
    share = (4 - d) / 4
    aside = (0.1 + 0.2 * share + 0.3 * share**2) / d
    expected = [[0.8 * it, 0.2 * it, 0.0] for it in (below, aside, 0.0, 0.0)]
    assert found.fallen[0] == pytest.approx(np.array(expected))
    assert found.gleams[0, :, 2] == pytest.approx([0.5 * below, 0.5 * aside * d * (1 / d) ** 2, 0.0, 0.0])
