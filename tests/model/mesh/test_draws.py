"""Choosing what a cell shows, overrides, culling and posed bounds."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import Key, ModelBuilder, Node, box, quad, turn
from tests.cells import draws_in, parts_in
from viewer.formats.msh.keys import QuaternionOrder
from viewer.geometry import frustum
from viewer.geometry.bounds import Bounds, JoinedShapes
from viewer.geometry.transforms import look_at, perspective, project_points, transform_points, translation
from viewer.model.mesh import draw_builder, draws
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.draws import Draws, PosedVertices, chunks, expand, used_vertices, visible_parts
from viewer.model.mesh.model import Model
from viewer.model.mesh.skeleton import Skeleton


def scene() -> ModelBuilder:
    return ModelBuilder(
        [
            Node("hull", shapes={(0, 0): [box()], (1, 0): [quad()]}),
            Node("gun", 0, shapes={(0, 0): [quad(), quad()], (0, 1): [box()]}, keys=[Key(0, (10, 0, 0))]),
            Node("socket", 0),
        ]
    )


def made() -> tuple[Model, Draws]:
    model = scene().model()
    return model, draw_builder.build(model)


def world_of(model: Model) -> np.ndarray[tuple[int, int, int], np.dtype[np.float32]]:
    return Animation(model, Skeleton(model), QuaternionOrder.XYZW).pose(0).world


@pytest.mark.parametrize(
    ("cell", "drawn"),
    [((0, 0), [(0, 0), (1, 2), (1, 3)]), ((1, 0), [(0, 1)]), ((0, 1), [(1, 4)]), ((2, 4), [])],
)
def test_a_cell_shows_its_slots(cell: tuple[int, int], drawn: list[tuple[int, int]]) -> None:
    model, draws = made()
    rows = draws_in(model, draws, cell)
    assert list(zip(draws.node[rows].tolist(), draws.batch[rows].tolist(), strict=True)) == drawn


def test_overrides_give_a_node_a_cell_of_its_own() -> None:
    model, draws = made()
    rows = draws.draws_of(parts_in(model, draws, overrides={0: (1, 0), 1: (2, 2)}))
    assert draws.batch[rows].tolist() == [1]
    assert parts_in(model, draws, overrides={99: (1, 0)}).tolist() == parts_in(model, draws).tolist()


def test_triangles_are_counted_per_cell() -> None:
    _, draws = made()
    assert draws.triangle_counts().tolist() == [[16, 12, 0, 0, 0], [2, 0, 0, 0, 0], [0, 0, 0, 0, 0]]


def test_posed_bounds_follow_the_nodes() -> None:
    model, draws = made()
    bounds = draws.posed_bounds(model, world_of(model), draws_in(model, draws))
    assert bounds is not None
    assert bounds.low == pytest.approx([-0.5, -0.5, -0.5])
    assert bounds.high == pytest.approx([10.5, 0.5, 0.5])
    assert draws.posed_bounds(model, world_of(model), draws_in(model, draws, (2, 4))) is None


@given(st.lists(st.lists(st.integers(0, 40) | st.integers(0, 60_000), min_size=1, max_size=30), max_size=6))
def test_a_draw_uses_the_vertices_of_its_corners(draws: list[list[int]]) -> None:
    corners = np.array([vertex for draw in draws for vertex in draw], np.int64)
    vertex, draw = used_vertices(corners, np.array([len(draw) for draw in draws], np.int64))
    found = set(zip(vertex.tolist(), draw.tolist(), strict=True))
    assert found == {(vertex, row) for row, draw in enumerate(draws) for vertex in draw}


# Culling.


def looking(eye: tuple[float, float, float], target: tuple[float, float, float]) -> frustum.Planes:
    return frustum.planes(perspective(pi / 3, 1.0, 0.1, 100.0) @ look_at(eye, target, (0, 0, 1)))


def visible(planes: frustum.Planes, cell: tuple[int, int] = (0, 0)) -> list[tuple[int, int]]:
    model, draws = made()
    shown = visible_parts(draws, world_of(model), planes, parts_in(model, draws, cell))
    return list(zip(draws.parts.node[shown].tolist(), draws.parts.slot[shown].tolist(), strict=True))


def test_everything_in_view_is_visible_but_other_cells_are_not() -> None:
    planes = looking((5, -30, 5), (5, 0, 0))
    assert visible(planes) == [(0, 0), (1, 2)]
    assert visible(planes, (1, 0)) == [(0, 1)]


def test_what_is_beside_or_behind_the_view_is_culled() -> None:
    assert visible(looking((10, -3, 0.5), (10, 0, 0))) == [(1, 2)]
    assert visible(looking((0, -3, 0.5), (0, 0, 0))) == [(0, 0)]
    assert visible(looking((5, -30, 5), (5, -60, 0))) == []


def test_a_sphere_grows_with_the_largest_scale_of_its_node() -> None:
    model, draws = made()
    planes = looking((0, -3, 30), (0, 0, 30))
    chosen = parts_in(model, draws)
    world = world_of(model)
    assert visible_parts(draws, world, planes, chosen).tolist() == [False] * 4
    world[0, :3, :3] *= 100
    assert visible_parts(draws, world, planes, chosen).tolist() == [True, False, False, False]


def test_the_box_culls_what_the_sphere_keeps() -> None:
    model = ModelBuilder([Node(shapes={(0, 0): [box((100, 1, 1))]})]).model()
    draws = draw_builder.build(model)
    planes = looking((0, -3, 20), (0, 0, 20))
    world = np.tile(np.eye(4, dtype=np.float32), (1, 1, 1))
    parts = draws.parts
    assert frustum.meets_spheres(planes, parts.sphere_center, parts.sphere_radius).tolist() == [True]
    assert visible_parts(draws, world, planes, parts_in(model, draws)).tolist() == [False]


places = st.tuples(*[st.floats(-30, 30)] * 3)


@given(places, places, st.floats(0, 6), st.floats(0.2, 3))
def test_no_part_with_a_vertex_in_view_is_culled(
    eye: tuple[float, float, float], place: tuple[float, float, float], angle: float, scale: float
) -> None:
    model, draws = made()
    clip = perspective(1.0, 1.3, 0.5, 200.0) @ look_at(
        eye, np.add(eye, (np.cos(angle), np.sin(angle), 0.1)), (0, 0, 1)
    )
    turned = np.array(
        [
            (np.cos(angle), -np.sin(angle), 0, 0),
            (np.sin(angle), np.cos(angle), 0, 0),
            (0, 0, scale, 0),
            (0, 0, 0, 1),
        ]
    )
    world = np.tile((translation(place) @ turned).astype(np.float32), (3, 1, 1))
    chosen = parts_in(model, draws)
    shown = visible_parts(draws, world, frustum.planes(clip), chosen)
    for part in np.flatnonzero(chosen):
        row = int(np.flatnonzero(draws.part == part)[0])
        corners = draws.corners[draws.triangle_start[row] : draws.triangle_start[row + 1]].reshape(-1)
        points = project_points(clip, transform_points(world[0].astype(float), model.positions[corners]))
        is_inside = (np.abs(points[:, :3]) < points[:, 3:] - 1e-3).all(axis=1)
        assert shown[part] or not is_inside.any()


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
    monkeypatch.setattr(draws, "CORNERS_AT_ONCE", corners_at_once)
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


@given(st.lists(st.tuples(st.integers(-5, 50), st.integers(0, 9))))
def test_ranges_are_expanded_one_after_the_other(ranges: list[tuple[int, int]]) -> None:
    starts, counts = (np.array([pair[i] for pair in ranges], np.int64) for i in (0, 1))
    assert expand(starts, counts).tolist() == [start + i for start, count in ranges for i in range(count)]


@given(st.lists(st.integers(0, 9)), st.integers(1, 20))
def test_chunks_cover_all_ranges_and_hold_no_more_than_allowed(counts: list[int], most: int) -> None:
    array = np.array(counts, np.int64)
    found = list(chunks(array, most))
    assert [i for some in found for i in range(some.start, some.stop)] == list(range(len(counts)))
    assert all(some.stop - some.start == 1 or array[some].sum() <= most for some in found)
