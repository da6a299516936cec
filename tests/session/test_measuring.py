"""Distances and angles between clicked points, and where these are in another pose."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, quad
from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.mesh.pose.animation import Animation, Pose
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.session.measuring import MeasuredPoint, Measurement, SurfacePoint
from viewer.session.selection import PickHit

HIT = PickHit(0, 0, 0, 0, 0, 0, (0, 1, 2), (5.25, 0.5, 0.0), 1.0, 0)


@pytest.fixture
def model() -> ModelBuilder:
    return ModelBuilder.of([Node(shapes={(0, 0): [quad(2)]}, keys=[Key(position=(5, 0, 0))])])


def pose_of(builder: ModelBuilder) -> Pose:
    model = builder.model()
    return Animation(model, Skeleton(model), QuaternionOrder.XYZW).pose(0.0)


def points(*places: tuple[float, float, float]) -> Measurement:
    return Measurement(np.array(places, np.float64).reshape(-1, 3))


def test_distance_and_deltas_of_two_points() -> None:
    found = points((1, 1, 1), (4, 5, 1))
    assert found.distances.tolist() == [5.0]
    assert found.deltas.tolist() == [[3.0, 4.0, 0.0]]
    assert found.angle is None
    assert found.facts() == {"distance": "5", "dx dy dz": "3  4  0"}


def test_the_angle_is_that_at_the_middle_of_the_last_three() -> None:
    assert points((1, 0, 0), (0, 0, 0), (0, 2, 0)).angle == pytest.approx(90)
    assert points((9, 9, 9), (1, 0, 0), (0, 0, 0), (-3, 0, 0)).angle == pytest.approx(180)
    assert points((1, 0, 0), (0, 0, 0), (7, 0, 0)).angle == pytest.approx(0)
    facts = points((1, 0, 0), (0, 0, 0), (0, 2, 0)).facts()
    assert (facts["angle"], facts["all together"]) == ("90°", "3")


@pytest.mark.parametrize("places", [(), ((1.0, 2.0, 3.0),)])
def test_fewer_than_two_points_have_no_numbers(places: tuple[tuple[float, float, float], ...]) -> None:
    assert points(*places).facts() == {}
    assert points(*places).text().count("\n") == len(places)


def test_equal_points_have_no_angle() -> None:
    assert points((1, 1, 1), (1, 1, 1), (2, 2, 2)).angle is None
    assert points((1, 1, 1), (1, 1, 1)).facts()["distance"] == "0"


def test_what_is_copied_is_a_table() -> None:
    lines = [line.split("\t") for line in points((0, 0, 0), (3, 0, 4), (3, 1, 4)).text().splitlines()]
    assert lines[0] == ["x", "y", "z", "dx", "dy", "dz", "distance"]
    assert lines[1] == ["0", "0", "0"]
    assert lines[2] == ["3", "0", "4", "3", "0", "4", "5"]
    assert lines[4] == ["angle", "90"]


def test_a_point_moves_with_its_node(model: ModelBuilder) -> None:
    pose = pose_of(model)
    found = SurfacePoint.of(HIT, model.model(), pose.world, moves=True)
    np.testing.assert_allclose(found.corners, [(4, -1, 0), (6, -1, 0), (6, 1, 0)])
    free, snapped = found.measured(None, pose), found.measured(2, pose)
    assert (free.vertex, snapped.vertex) == (None, 2)
    assert free.local == pytest.approx((0.25, 0.5, 0))
    assert snapped.local == pytest.approx((1, 1, 0))
    world = pose.world.copy()
    world[0, :3, 3] += (0, 0, 7)
    moved = replace(pose, world=world)
    assert free.at(moved) == pytest.approx((5.25, 0.5, 7))
    assert snapped.at(moved) == pytest.approx((6, 1, 7))


def test_a_point_of_a_unit_stays(model: ModelBuilder) -> None:
    pose = pose_of(model)
    found = SurfacePoint.of(HIT, model.model(), pose.world, moves=False).measured(0, pose)
    assert found == MeasuredPoint((4.0, -1.0, 0.0), vertex=0)
    assert found.at(replace(pose, world=pose.world * 2)) == (4.0, -1.0, 0.0)


def test_a_node_without_a_size_keeps_its_points_where_they_are(model: ModelBuilder) -> None:
    pose = pose_of(model)
    flat = replace(pose, world=np.zeros_like(pose.world))
    found = SurfacePoint.of(HIT, model.model(), pose.world, moves=True).measured(None, flat)
    assert (found.node, found.at(flat)) == (None, HIT.position)


def test_a_node_that_an_edit_removed_leaves_the_point_where_it_was(model: ModelBuilder) -> None:
    pose = pose_of(model)
    found = SurfacePoint.of(HIT, model.model(), pose.world, moves=True).measured(None, pose)
    assert found.at(replace(pose, world=pose.world[:0])) == HIT.position
