"""Choosing what a cell shows, overrides, culling and posed bounds; which parts and draws a choice shows."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box, draws_in, parts_in, quad, turn
from tests.model.viewing import look_at
from tests.terrains import terrain
from viewer.cli.reading.inspected import model_tables
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import FLAG_COCKPIT, FLAG_INTERNAL, FLAG_SURVIVES, GROUPS, LODS
from viewer.geometry import frustum
from viewer.geometry.bounds import Bounds, JoinedShapes
from viewer.geometry.transforms import perspective, project_points, transform_points, translation
from viewer.model.mesh import cell_names, draw_builder, draws
from viewer.model.mesh.draws import Draws, PosedVertices, chunks, expand, used_vertices, visible_parts
from viewer.model.mesh.model import Model
from viewer.model.mesh.portals import KINDS, NO_PORTAL, portal_kind
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.mesh.shown import (
    NO_CELL,
    NO_ROOM,
    THRESHOLDS,
    Cell,
    CellRule,
    Cutaway,
    PartChoice,
    PartChooser,
    group_at,
)
from viewer.model.store.address import Address
from viewer.session.opened.document import Document


def scene() -> ModelBuilder:
    return ModelBuilder.of(
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
    model = ModelBuilder.of([Node(shapes={(0, 0): [box((100, 1, 1))]})]).model()
    draws = draw_builder.build(model)
    planes = looking((0, -3, 20), (0, 0, 20))
    world = np.tile(np.eye(4, dtype=np.float32), (1, 1, 1))
    parts = draws.parts
    assert frustum.meets_spheres(planes, parts.sphere_center, parts.sphere_radius).tolist() == [True]
    assert visible_parts(draws, world, planes, parts_in(model, draws)).tolist() == [False]


def test_what_has_the_center_of_its_sphere_in_view_is_visible_wherever_its_box_is() -> None:
    model = ModelBuilder.of([Node(shapes={(0, 0): [box()]})]).model()
    draws = draw_builder.build(model)
    moved = replace(draws, parts=replace(draws.parts, box_center=draws.parts.box_center + 100))
    world, chosen = np.eye(4, dtype=np.float32)[None], parts_in(model, draws)
    for target, is_visible in (((0, 0, 0), True), ((0, 0, 20), False)):
        planes = looking((0, -3, target[2]), target)
        assert visible_parts(moved, world, planes, chosen).tolist() == [is_visible]


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
    model = ModelBuilder.of([Node("a", shapes={(0, 0): boxes}), away]).model()
    draws = draw_builder.build(model)
    pose = Animation(model, Skeleton(model), QuaternionOrder.XYZW).pose(0)
    return draws.posed(model, pose.world, draws_in(model, draws))


@pytest.mark.parametrize("corners_at_once", [1, 40, 1 << 16])
def test_steps_of_any_size_give_the_same(
    vertices: PosedVertices, monkeypatch: pytest.MonkeyPatch, corners_at_once: int
) -> None:
    expected = vertices.support(DIRECTIONS)
    monkeypatch.setattr(draws, "CORNERS_AT_ONCE", corners_at_once)
    vertices._kept.clear()
    steps = [len(points) for points in vertices._points()]
    assert len(steps) == {1: 5, 40: 5, 1 << 16: 1}[corners_at_once]
    assert max(steps) <= max(corners_at_once, 36)
    np.testing.assert_array_equal(vertices.support(DIRECTIONS), expected)


def test_the_box_is_that_of_the_vertices(vertices: PosedVertices) -> None:
    bounds = vertices.bounds
    assert bounds is not None
    np.testing.assert_allclose(bounds.low, [-0.5, -2, -1.5], atol=1e-3)
    np.testing.assert_allclose(bounds.high, [3.5, 2, 9.5], atol=1e-3)


def test_vertices_that_are_not_finite_reach_nowhere(vertices: PosedVertices) -> None:
    nowhere = vertices.moved(np.full_like(vertices.world, np.nan))
    assert nowhere.bounds is None
    assert nowhere.reach((0, 0, 0)) == 0
    assert vertices.reach((0, 0, 0)) == pytest.approx((0.5**2 + 2**2 + 9.5**2) ** 0.5)
    assert vertices.reach((0, 0, 0), axes=2) > 3


def test_draws_in_another_pose_share_nothing_of_the_first(vertices: PosedVertices) -> None:
    before = vertices.support(DIRECTIONS)
    world = vertices.world.copy()
    world[:, 0, 3] += 7
    reach = vertices.moved(world).support(DIRECTIONS)
    np.testing.assert_allclose(reach, before + 7 * DIRECTIONS[:, 0], atol=1e-4)
    np.testing.assert_array_equal(vertices.support(DIRECTIONS), before)


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


WALL, TOWER, HALL, GAP, EYE = range(5)
NONE = NO_CELL


def node(*cells: Cell, flags: int = 0) -> Node:
    """A node with a triangle of its own in each cell."""
    return Node(shapes={cell: [quad()] for cell in cells}, flags=flags)


def builder() -> ModelBuilder:
    """One stage; three stages with levels; internal, with the own view; a gap in column 0; a cockpit."""
    return ModelBuilder.of(
        [
            node((0, 0), (0, 1)),
            node((0, 0), (0, 2), (1, 0), (1, 1), (2, 0), flags=FLAG_SURVIVES),
            node((0, 0), (0, 4), flags=FLAG_INTERNAL),
            node((0, 2), (1, 0), (2, 3)),
            node((0, 4), flags=FLAG_COCKPIT),
        ]
    )


def chooser(made: ModelBuilder | None = None) -> PartChooser:
    model = (made or builder()).model()
    return PartChooser(model, draw_builder.build(model))


def cells(choice: PartChoice) -> list[int]:
    """Row * 10 + column of the cell that each node shows."""
    found = chooser().shown(choice).cell.tolist()
    return [cell if cell == NONE else cell // 5 * 10 + cell % 5 for cell in found]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ((0, 0), [0, 0, 0, NONE, NONE]),
        ((0, 1), [1, 0, 0, NONE, NONE]),
        ((0, 2), [1, 2, 0, 2, NONE]),
        ((0, 3), [1, 2, 0, 2, NONE]),
        ((0, 4), [NONE, NONE, 4, NONE, 4]),
        ((1, 0), [0, 10, 0, 10, NONE]),
        ((1, 3), [1, 11, 0, 10, NONE]),
        ((2, 0), [0, 20, 0, NONE, NONE]),
        ((2, 3), [1, 20, 0, 23, NONE]),
        ((2, 4), [NONE, NONE, 4, NONE, 4]),
    ],
)
def test_the_game_draws_the_last_stage_up_to_the_row_at_the_nearest_finer_level(
    asked: Cell, expected: list[int]
) -> None:
    assert cells(PartChoice(*asked)) == expected


def test_exactly_is_the_cell_asked_for_or_nothing() -> None:
    for row in range(3):
        for column in range(5):
            shown = cells(PartChoice(row, column, CellRule.EXACT))
            filled = [(row, column) in each.shapes for each in builder().scene]
            assert [cell != NONE for cell in shown] == filled
            assert {*shown} <= {NONE, row * 10 + column}


def test_a_destroyed_model_keeps_the_nodes_that_survive_in_their_last_row() -> None:
    assert cells(PartChoice(0, 1, is_destroyed=True)) == [NONE, 20, NONE, NONE, NONE]
    assert cells(PartChoice(0, 0, CellRule.EXACT, is_destroyed=True)) == [0, 0, 0, NONE, NONE]


def test_a_building_is_cut_open() -> None:
    inside, outside = (
        {node for node, cell in enumerate(cells(PartChoice(0, 2, cutaway=cutaway))) if cell != NONE}
        for cutaway in (Cutaway.INSIDE, Cutaway.OUTSIDE)
    )
    assert inside == {HALL}
    assert outside == {WALL, TOWER, GAP}


def test_what_the_cutaway_and_the_user_leave_out_is_known_of_nodes_without_geometry_too() -> None:
    kept = chooser().shown(PartChoice(cutaway=Cutaway.OUTSIDE, hidden=frozenset({WALL, 99}))).kept
    assert kept.tolist() == [False, True, False, True, True]


def test_an_override_is_exact_and_stays_when_the_rest_is_destroyed() -> None:
    overrides = {TOWER: (1, 1), WALL: (1, 0), EYE: (0, 4)}
    choice = PartChoice(0, 0, is_destroyed=True, overrides=overrides)
    assert cells(choice) == [NONE, 11, NONE, NONE, 4]
    assert cells(PartChoice(0, 0, overrides={99: (0, 0)})) == cells(PartChoice())


def test_hidden_nodes_and_those_outside_the_isolated_show_nothing() -> None:
    assert cells(PartChoice(hidden=frozenset({WALL, 99}))) == [NONE, 0, 0, NONE, NONE]
    assert cells(PartChoice(isolated=frozenset({WALL}))) == [0, NONE, NONE, NONE, NONE]


def test_signs_are_drawn_doorways_and_open_portals_are_not() -> None:
    made = ModelBuilder.of([Node(shapes={(0, 0): [quad() for _number in range(5)]}), node((0, 0))])
    made.batches["flags"][1:5] = 0x8, 0x148, 0x118, 0x58
    made.batches["opaque6"][:] = [0xFFFF, 1, 7, 0, 0, 0xFFFF]
    found = chooser(made)
    shown = found.shown(PartChoice())
    kinds = [None if it == NO_PORTAL else str(KINDS[it]) for it in found.portal.tolist()]
    assert kinds == [None, "doorway", "open", "sign", "sign", None]
    assert kinds == [portal_kind(it) for it in made.batches["flags"].tolist()]
    assert shown.draws.tolist() == [True, False, False, True, True, True]
    assert shown.portals.tolist() == [False, True, True, True, True, False]
    assert found.room.tolist() == [NO_ROOM, 1, NO_ROOM, 0, 0, NO_ROOM]
    assert shown.triangle_count == 8
    assert shown.visible(has_portals=True).all()
    assert found.portal_counts() == {"sign": 2, "open": 1, "doorway": 1}
    assert found.portal_counts(shown.draws) == {"sign": 2}


def test_flags_of_signs_and_open_portals_mean_nothing_on_other_batches() -> None:
    made = ModelBuilder.of([Node(shapes={(0, 0): [quad(), quad()]})])
    made.batches["flags"][:] = 0x10, 0x40
    assert not chooser(made).is_portal.any()
    assert chooser(made).shown(PartChoice()).draws.all()


def test_counts_are_those_of_every_choice() -> None:
    found = chooser()
    for rule in CellRule:
        counts = found.triangle_counts(PartChoice(rule=rule, hidden=frozenset({WALL})))
        for row in range(3):
            for column in range(5):
                assert counts[row, column] == found.shown(PartChoice(row, column, rule)).triangle_count


def test_the_nearest_cell_shows_something() -> None:
    found = chooser()
    assert found.nearest_cell(PartChoice(2, 4)) == (2, 4)
    assert found.nearest_cell(PartChoice(1, 4, CellRule.EXACT)) in {(0, 4), (2, 3)}
    assert chooser(ModelBuilder.of([Node("nothing")])).nearest_cell(PartChoice()) is None


def test_an_equal_choice_is_not_worked_out_again() -> None:
    found = chooser()
    shown = found.shown(PartChoice(1, 1, hidden=frozenset({TOWER})))
    assert found.shown(PartChoice(1, 1, hidden=frozenset({TOWER}))) is shown


def test_a_smaller_model_is_drawn_coarser() -> None:
    sizes = [inf, 1.0, *reversed(THRESHOLDS), *(share * 0.99 for share in reversed(THRESHOLDS)), 0.0]
    assert [group_at(size) for size in sizes] == [0, 0, 0, 1, 2, 1, 2, 3, 3]


def test_the_meaning_follows_the_number_of_row_and_column() -> None:
    assert cell_names.FIELD.lod(1) == "LOD 1 - damaged"
    assert [cell_names.FIELD.group(group) for group in (2, 4)] == ["group 2 - far", "group 4 - own view"]
    assert cell_names.FIELD.cell(0, 3) == "LOD 0 - intact, group 3 - farthest"


def test_the_seeds_state_no_meaning() -> None:
    assert [cell_names.SEED.cell(2, 4), cell_names.SEED.lod(0), cell_names.SEED.group(1)] == [
        "LOD 2, group 4",
        "LOD 0",
        "group 1",
    ]


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (terrain(), ["LOD 0, group 0 - fine", "LOD 0, group 1 - coarse"]),
        (terrain(coarse=(1, 0)), ["LOD 0 - fine, group 0", "LOD 1 - coarse, group 0"]),
        (terrain(is_coarse=False), ["LOD 0, group 0 - fine"]),
    ],
)
def test_the_coarse_level_of_a_terrain_is_named_where_its_file_has_it(data: bytes, names: list[str]) -> None:
    document = Document.of(Address.parse("Land.msh"), Model.read(data))
    assert [cell.name for cell in model_tables.cells(document.opened)] == names


def test_cells_have_different_names() -> None:
    def named(names: cell_names.CellNames) -> Iterator[str]:
        yield from (names.cell(lod, group) for lod in range(LODS) for group in range(GROUPS))

    assert len({*named(cell_names.FIELD)}) == len({*named(cell_names.SEED)}) == LODS * GROUPS


@pytest.mark.parametrize(
    ("requested", "name"),
    [
        (ReadingChoice.AUTO, "LOD 1 - damaged"),
        (ReadingChoice.FIELD, "LOD 1 - damaged"),
        (ReadingChoice.SEED, "LOD 1"),
    ],
)
def test_a_document_has_the_names_of_its_reading(requested: ReadingChoice, name: str) -> None:
    model = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]})]).model()
    assert Document.of(Address.parse("hull.msh"), model, requested=requested).cell_names.lod(1) == name
