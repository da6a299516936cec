"""The dome and the fog of a sky, worked out by hand from spec/field-notes.md 10 and 4.3."""

from __future__ import annotations

from math import radians, tan

import numpy as np
import pytest

from tests import skies
from viewer.formats import sky
from viewer.model.sky.day import Day, first_day
from viewer.model.sky.dome import dome_of, fog_towards, horizon_towards

NORTH, EAST, SOUTH, WEST = (200, 0, 0), (0, 200, 0), (0, 0, 200), (100, 100, 100)
"""Colors of the horizon at +Y, +X, -Y, -X: slots 2, 3, 1, 4."""
COLORS = {
    2: NORTH,
    3: EAST,
    1: SOUTH,
    4: WEST,
    7: (8, 0, 0),
    10: (0, 8, 0),
    14: (9, 9, 9, 51),
    15: (1, 2, 3, 0),
}
SIDE = 17
"""Vertices of a ring: the first is there twice."""


@pytest.fixture(scope="module")
def day() -> Day:
    found = first_day(sky.decode(skies.sky(skies.section(skies.keyframe((0, 0), colors=COLORS, fog=0.5)))))
    assert found is not None
    return found


def test_the_cap_is_10000_high_and_ends_at_the_horizon(day: Day) -> None:
    """45 degrees of a sphere of 10000 / (1 - cos 45): the rim is 24142 away, at the height of the eye."""
    points = dome_of(day, 12).points.reshape(-1, SIDE, 3)
    assert points[0] == pytest.approx(np.tile((0, 0, 10000), (SIDE, 1)), abs=1)
    rim = points[4]
    assert rim[:, 2] == pytest.approx(np.zeros(SIDE), abs=1)
    assert np.linalg.norm(rim, axis=1) == pytest.approx(np.full(SIDE, 10000 / tan(radians(22.5))), abs=1)
    assert rim[0] == pytest.approx((0, 24142, 0), abs=1)
    assert rim[4] == pytest.approx((24142, 0, 0), abs=1)


def test_rings_have_the_colors_of_their_slots(day: Day) -> None:
    """A quarter of the way from a compass point to the next is a quarter of its color."""
    colors = dome_of(day, 12).colors.reshape(-1, SIDE, 4) * 255
    apex, first, third, second, horizon = colors[:5]
    assert apex[5] == pytest.approx((1, 2, 3, 0))
    assert first[9] == pytest.approx((1, 2, 3, 0))
    assert third[4] == pytest.approx((9, 9, 9, 51)), "slot 14 is at +X"
    assert second[0] == pytest.approx((8, 0, 0, 255))
    assert second[1] == pytest.approx((6, 2, 0, 255))
    assert [tuple(horizon[it, :3].round().tolist()) for it in (0, 4, 8, 12, 16)] == [
        NORTH, EAST, SOUTH, WEST, NORTH
    ]  # fmt: skip
    assert colors[5] == pytest.approx(horizon), "below it continues"


def test_every_triangle_is_seen_from_the_eye(day: Day) -> None:
    """All around: the angles of the triangles, seen from the eye, add up to the whole sphere."""
    dome = dome_of(day, 12)
    a, b, c = (dome.points[dome.corners[:, it]].astype(np.float64) for it in range(3))
    la, lb, lc = (np.linalg.norm(it, axis=1) for it in (a, b, c))
    volume = (a * np.cross(b, c)).sum(axis=1)
    rest = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
    assert abs(2 * np.arctan2(volume, rest)).sum() == pytest.approx(4 * np.pi, rel=1e-5)


def test_the_fog_has_the_color_of_the_horizon_in_the_direction_of_view(day: Day) -> None:
    moment = day.at(12)
    for view, color in (((0, 1, -5), NORTH), ((2, 0, 1), EAST), ((0, -3, 0), SOUTH), ((-1, 0, 0), WEST)):
        assert horizon_towards(moment, view) == pytest.approx(np.array(color) / 255)
    between = horizon_towards(moment, (1, 1, 0))
    assert between == pytest.approx((100 / 255, 100 / 255, 0))


@pytest.mark.parametrize(("distance", "share"), [(0, 1), (175, 0.75), (280, 0.36), (350, 0), (9000, 0)])
def test_what_the_fog_leaves(day: Day, distance: float, share: float) -> None:
    """1 - d^2 / 350^2: half of 700 units is the end."""
    fog = fog_towards(day.at(12), (0, 1, 0))
    assert fog is not None
    assert (fog.start, fog.end) == (0, 350)
    assert float(fog.share(distance)) == pytest.approx(share)


def test_a_fog_without_depth_is_none() -> None:
    found = first_day(sky.decode(skies.sky(skies.section(skies.keyframe((0, 0), fog=0.0)))))
    assert found is not None
    assert fog_towards(found.at(12), (0, 1, 0)) is None
