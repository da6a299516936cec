"""How far posed vertices reach, in steps of bounded memory."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box, turn
from tests.cells import draws_in
from viewer.formats.msh.keys import QuaternionOrder
from viewer.geometry.bounds import Bounds, JoinedShapes
from viewer.model.mesh import draw_builder, posed
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.posed import PosedVertices
from viewer.model.mesh.skeleton import Skeleton

DIRECTIONS = np.array([(1.0, 0, 0), (0, 0, -1), (0.5, 0.5, 0.7), (0, 0, 0)])


@pytest.fixture
def vertices() -> PosedVertices:
    """Five boxes, the third of which is turned by a quarter and lies apart."""
    boxes = [box((1, 2, 3), center=(place, 0, 0)) for place in range(4)]
    away = Node("b", shapes={(0, 0): [box((4, 1, 1))]}, keys=[Key(0, (0, 0, 9), turn((0, 0, 1), 90))])
    model = ModelBuilder([Node("a", shapes={(0, 0): boxes}), away]).model()
    draws = draw_builder.build(model)
    pose = Animation(model, Skeleton(model), QuaternionOrder.XYZW).pose(0)
    return draws.posed(model, pose.world, draws_in(model, draws))


@pytest.mark.parametrize("corners_at_once", [1, 40, 1 << 16])
def test_steps_of_any_size_give_the_same(
    vertices: PosedVertices, monkeypatch: pytest.MonkeyPatch, corners_at_once: int
) -> None:
    expected = vertices.support(DIRECTIONS)
    monkeypatch.setattr(posed, "CORNERS_AT_ONCE", corners_at_once)
    steps = [len(points) for points in vertices._points()]
    assert len(steps) == {1: 5, 40: 5, 1 << 16: 1}[corners_at_once]
    assert max(steps) <= max(corners_at_once, 36)
    np.testing.assert_array_equal(vertices.support(DIRECTIONS), expected)


def test_the_box_is_that_of_the_vertices(vertices: PosedVertices) -> None:
    bounds = vertices.bounds
    assert bounds is not None
    np.testing.assert_allclose(bounds.low, [-0.5, -2, -1.5], atol=1e-3)
    np.testing.assert_allclose(bounds.high, [3.5, 2, 9.5], atol=1e-3)


def test_several_shapes_reach_as_far_as_the_farthest(vertices: PosedVertices) -> None:
    other = Bounds(np.array([-9.0, 0, 0]), np.array([1.0, 1, 1]))
    both = JoinedShapes((vertices, other)).support(DIRECTIONS)
    np.testing.assert_array_equal(both, np.maximum(vertices.support(DIRECTIONS), other.support(DIRECTIONS)))
    assert both[3] == 0
