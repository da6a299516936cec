"""From tables to draws: order, descriptors, damage that is cut and reported, and bounded work."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, box, legacy24, quad
from tests.messages import states
from tests.terrains import terrain
from viewer.diagnostics import NAMED_ROWS, Diagnostic
from viewer.errors import Severity
from viewer.formats.archive import nres
from viewer.formats.archive.nres_edit import rewrite
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tables import DRAW_LIST, FACES, NODES, POSITIONS, SLOTS, TRIANGLES
from viewer.formats.msh.terrain import DRAW, FACE
from viewer.model.checks.geometry import BOUNDS, CELLS, DRAWS
from viewer.model.checks.joined_tables import Tables
from viewer.model.checks.rules import findings
from viewer.model.checks.terrain import FACED
from viewer.model.mesh import draw_builder
from viewer.model.mesh.draw_builder import DRAW_ALLOWANCE, PART_ALLOWANCE, TRIANGLE_ALLOWANCE
from viewer.model.mesh.draws import NO_BATCH, NO_DESCRIPTOR, NO_SLOT, Draws
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.shown import PartChoice, PartChooser

NONE = 0xFFFF


def draws_of(source: ModelBuilder | bytes) -> Draws:
    return draw_builder.build(Model.read(source if isinstance(source, bytes) else source.build()))


def found(source: ModelBuilder | bytes) -> list[Diagnostic]:
    """What the rules say of what is drawn."""
    model = Model.read(source if isinstance(source, bytes) else source.build())
    rules = (*CELLS.all, *(FACED if model.variant is Variant.TERRAIN else DRAWS).all, *BOUNDS.all)
    return findings(rules, Tables([model]))[0]


def where(source: ModelBuilder | bytes) -> list[str]:
    return [f"{finding.rule} {finding.where}" for finding in found(source)]


def robot() -> ModelBuilder:
    """Two batches on the hull, one box below it, and a gun with another slot in LOD 1."""
    return ModelBuilder.of(
        [
            Node("hull", shapes={(0, 0): [quad(), box()]}),
            Node("legs", 0, shapes={(0, 0): [box()]}),
            Node("gun", 0, shapes={(0, 0): [quad()], (1, 0): [quad(2)], (0, 4): [box()]}),
        ]
    )


def test_draws_come_by_node_then_slot_then_batch() -> None:
    draws = draws_of(robot())
    drawn = list(zip(draws.node.tolist(), draws.slot.tolist(), draws.batch.tolist(), strict=True))
    assert drawn == [(0, 0, 0), (0, 0, 1), (1, 1, 2), (2, 2, 3), (2, 3, 4), (2, 4, 5)]
    assert draws.triangle_count.tolist() == [2, 12, 12, 2, 2, 12]
    assert found(robot()) == []


def test_corners_have_the_base_vertex_added() -> None:
    draws = draws_of(robot())
    assert draws.corners[0].tolist() == [0, 1, 2]
    assert draws.corners[2].tolist() == [4, 5, 6]
    assert draws.corners[14].tolist() == [28, 29, 30]


def test_every_triangle_has_its_row_and_its_descriptor() -> None:
    draws = draws_of(robot())
    assert draws.triangle.tolist() == list(range(42))
    assert draws.descriptor.tolist() == list(range(42))


def test_a_slot_in_several_cells_is_one_part() -> None:
    shared = [box()]
    draws = draws_of(ModelBuilder.of([Node(shapes={(0, 0): shared, (1, 0): shared, (2, 4): shared})]))
    assert (len(draws.parts), len(draws)) == (1, 1)
    assert draws.parts.cells.tolist() == [1 << 0 | 1 << 5 | 1 << 14]


def test_a_slot_of_two_nodes_is_two_parts() -> None:
    shared = [box()]
    draws = draws_of(ModelBuilder.of([Node(shapes={(0, 0): shared}), Node(shapes={(0, 0): shared})]))
    assert draws.parts.node.tolist() == [0, 1]
    assert draws.parts.slot.tolist() == [0, 0]
    assert draws.batch.tolist() == [0, 0]


def test_descriptors_run_on_over_the_batches_of_a_slot() -> None:
    builder = robot()
    builder.batches["index_count"][0] = 5
    draws = draws_of(builder)
    assert draws.triangle_count[0] == 1
    assert draws.descriptor[:3].tolist() == [0, 2, 3]


def test_triangles_beyond_the_descriptors_of_their_slot_have_none() -> None:
    builder = robot()
    builder.slots["tri_count"][0] = 3
    assert draws_of(builder).descriptor[:5].tolist() == [0, 1, 2, NO_DESCRIPTOR, NO_DESCRIPTOR]


def test_without_descriptors_everything_is_drawn() -> None:
    builder = robot()
    builder.missing.add(TRIANGLES)
    draws = draws_of(builder)
    assert len(draws.corners) == 42
    assert (draws.descriptor == NO_DESCRIPTOR).all()


# Damage.


def test_a_slot_that_is_not_there_is_nothing() -> None:
    builder = robot()
    builder.nodes["slots"][2, 0, 0] = 5
    builder.nodes["slots"][2, 2, 2] = 0xFFFE
    draws = draws_of(builder)
    assert draws.slot.tolist() == [0, 0, 1, 3, 4]
    assert where(builder) == ["V11 nodes[2].slots"]
    assert states(found(builder)[0].message, "5 65534 5")


@pytest.mark.parametrize(
    ("start", "count", "batches"), [(5, 2, [5]), (4, 99, [4, 5]), (6, 1, []), (NONE, NONE, []), (0, 0, [])]
)
def test_a_range_of_batches_is_clipped(start: int, count: int, batches: list[int]) -> None:
    builder = robot()
    builder.slots["batch_start"][1], builder.slots["batch_count"][1] = start, count
    draws = draws_of(builder)
    assert draws.batch[draws.node == 1].tolist() == batches
    assert where(builder) == (["V12 slots[1].batch_start"] if start + count > 6 else [])


def test_a_range_of_descriptors_that_does_not_fit_is_not_used() -> None:
    builder = robot()
    builder.slots["tri_start"][4] = 31
    draws = draws_of(builder)
    assert (draws.descriptor[-12:] == NO_DESCRIPTOR).all()
    assert draws.descriptor[:-12].tolist() == list(range(30))
    assert where(builder) == ["V13 slots[4].tri_start"]


@pytest.mark.parametrize("start", [91, 126, 0xFFFFFFFF])
def test_a_batch_beyond_the_indices_is_not_drawn(start: int) -> None:
    builder = robot()
    builder.batches["index_start"][2] = start
    draws = draws_of(builder)
    assert draws.batch.tolist() == [0, 1, 3, 4, 5]
    assert where(builder) == ["V14 batches[2].index_start"]


def test_descriptors_after_a_batch_that_is_not_drawn_stay_right() -> None:
    builder = robot()
    builder.batches["index_start"][0] = 9999
    assert draws_of(builder).descriptor[:3].tolist() == [2, 3, 4]


def test_a_triangle_beyond_the_vertices_is_not_drawn() -> None:
    builder = robot()
    builder.indices[7] = 4000
    draws = draws_of(builder)
    assert 2 not in draws.triangle
    assert 2 not in draws.descriptor
    assert len(draws.corners) == 41
    assert draws.triangle_count.tolist() == [2, 11, 12, 2, 2, 12]
    assert where(builder) == ["V15 batches[1].base_vertex"]


@pytest.mark.parametrize("base", [1000, 0x7FFFFFFF, 0xFFFFFFFF])
def test_a_base_vertex_out_of_range_draws_nothing(base: int) -> None:
    builder = robot()
    builder.batches["base_vertex"][0] = base
    draws = draws_of(builder)
    assert draws.triangle_count.tolist() == [0, 12, 12, 2, 2, 12]
    assert where(builder) == ["V15 batches[0].base_vertex"]


def test_a_damaged_batch_that_nothing_draws_is_reported_too() -> None:
    builder = robot()
    builder.nodes["slots"][2] = NONE
    builder.batches["base_vertex"][5] = 9999
    assert where(builder) == ["V15 batches[5].base_vertex"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("aabb_min", (np.nan, 0, 0)),
        ("aabb_max", (0, np.inf, 0)),
        ("aabb_min", (9, 9, 9)),
        ("sphere_center", (0, 0, np.nan)),
        ("sphere_radius", -1),
        ("sphere_radius", np.inf),
    ],
)
def test_bounds_that_cannot_be_used_are_measured(field: str, value: object) -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [box((2, 4, 6), center=(1, 1, 1))]})])
    builder.slots[field][0] = value
    draws = draws_of(builder)
    parts = draws.parts
    assert parts.box_center[:, 0].tolist() == [1, 1, 1]
    assert parts.box_extent[:, 0].tolist() == [1, 2, 3]
    assert parts.sphere_center[:, 0].tolist() == [1, 1, 1]
    assert parts.sphere_radius[0] == pytest.approx(np.sqrt(14))
    assert where(builder) == ["V19 slots[0].aabb_min"]
    assert found(builder)[0].severity is Severity.WARNING


def test_bounds_without_triangles_are_a_point() -> None:
    builder = robot()
    builder.slots["batch_count"][1] = 0
    builder.slots["sphere_radius"][1] = -1
    parts = draws_of(builder).parts
    assert parts.box_extent[:, 1].tolist() == [0, 0, 0]


def test_no_nodes_no_draws() -> None:
    builder = robot()
    builder.tables[NODES] = b""
    draws = draws_of(builder)
    assert (len(draws), len(draws.parts), len(draws.corners)) == (0, 0, 0)


def test_no_vertices_no_triangles() -> None:
    builder = robot()
    builder.tables[POSITIONS] = b""
    draws = draws_of(builder)
    assert len(draws.corners) == 0
    assert len(draws) == 6


# Bounded work.


def test_slots_that_overlap_draw_no_more_than_allowed() -> None:
    builder = ModelBuilder.of([Node() for _ in range(2000)])
    shapes = ModelBuilder.of([Node(shapes={(0, 0): [quad()]})])
    builder.slots = np.repeat(shapes.slots, 15 * 2000)
    builder.slots["batch_count"] = 60_000
    builder.nodes["slots"] = np.arange(15 * 2000).reshape(-1, 3, 5)
    builder.batches = np.repeat(shapes.batches, 60_000)
    builder.indices, builder.positions = shapes.indices, shapes.positions
    draws = draws_of(builder)
    assert len(draws) <= DRAW_ALLOWANCE + 4 * 60_000
    assert len(draws.corners) <= TRIANGLE_ALLOWANCE + 2 / 3 * len(builder.indices)
    assert "V12 slots" in where(builder)


def test_nodes_fill_no_more_cells_than_allowed() -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad()]})])
    builder.slots = np.repeat(builder.slots, 1000)
    builder.nodes = np.repeat(builder.nodes, 30_000)
    builder.nodes["slots"] = np.arange(30_000 * 15).reshape(-1, 3, 5) % 1000
    draws = draws_of(builder)
    assert 0 < len(draws.parts) <= PART_ALLOWANCE
    assert "V11 nodes" in where(builder)


def test_batches_that_overlap_draw_no_more_triangles_than_allowed() -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad()]})])
    builder.indices = np.zeros(65_535, "<u2")
    builder.batches = np.repeat(builder.batches, 1000)
    builder.batches["index_start"], builder.batches["index_count"] = 0, 65_535
    builder.slots["batch_count"] = 1000
    draws = draws_of(builder)
    assert 0 < len(draws.corners) <= TRIANGLE_ALLOWANCE + 2 / 3 * len(builder.indices)
    assert "V12 slots" in where(builder)


def test_a_batch_behind_too_many_others_is_still_not_trusted() -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad()]})])
    builder.indices = np.full(65_535, 60_000, "<u2")
    builder.batches = np.repeat(builder.batches, 100)
    builder.batches["index_start"], builder.batches["index_count"] = 0, 65_535
    builder.batches["base_vertex"][:99] = 0
    builder.slots["batch_start"], builder.slots["batch_count"] = 99, 1
    assert len(draws_of(builder).corners) == 0


def test_a_flood_of_damage_is_counted() -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad()]}) for _ in range(3000)])
    builder.slots["batch_start"] = NONE
    builder.slots["sphere_radius"] = -1
    builder.batches["base_vertex"] = 0xFFFFFFFF
    assert len(draws_of(builder).corners) == 0
    assert len(found(builder)) == 3 * (NAMED_ROWS + 1)
    assert states(found(builder)[NAMED_ROWS].message, "2900")


# Legacy models and terrain.


def test_a_legacy_model_draws_all_batches_once() -> None:
    draws = draws_of(legacy24([quad(), box()]))
    assert draws.batch.tolist() == [0, 1]
    assert draws.slot.tolist() == [NO_SLOT, NO_SLOT]
    assert draws.triangle_counts()[0, 0] == draws.triangle_counts().sum() == 14
    assert (draws.descriptor == NO_DESCRIPTOR).all()
    assert draws.parts.box_extent[:, 0].tolist() == [0.5, 0.5, 0.5]


def test_a_terrain_draws_the_faces_of_its_tiles() -> None:
    draws = draws_of(terrain(3, 2))
    assert draws.triangle_counts()[0].tolist() == [12, 12, 0, 0, 0]
    assert (draws.batch == NO_BATCH).all()
    assert draws.triangle.tolist() == [
        face
        for tile in range(6)
        for level in range(2)
        for face in range(12 * level + 2 * tile, 12 * level + 2 * tile + 2)
    ]
    assert found(terrain(3, 2)) == []


@pytest.mark.parametrize("coarse", [(0, 1), (1, 0)])
def test_a_tile_without_a_coarse_slot_shows_its_fine_one(coarse: tuple[int, int]) -> None:
    container = nres.Archive.read(terrain(2, 2, coarse=coarse))
    index = container.find_type(NODES)
    assert index is not None
    nodes = NODE.view(container.payload(index)).copy()
    nodes["slots"][(0, *coarse)] = NONE
    model = Model.read(rewrite(container, {index: nodes.tobytes()}))
    draws = draw_builder.build(model)
    assert draws.triangle_counts()[coarse] == 6, "the cell itself has three tiles"
    shown = PartChooser(model, draws).shown(PartChoice(*coarse))
    assert draws.slot[shown.draws].tolist() == [0, 5, 6, 7]


def test_faces_of_one_pair_of_materials_are_one_draw() -> None:
    container = nres.Archive.read(terrain(1, 1))
    index = container.find_type(FACES)
    assert index is not None
    faces = FACE.view(container.payload(index)).copy()
    faces["material_a"] = [7, 3, 5, 5]
    draws = draws_of(rewrite(container, {index: faces.tobytes()}))
    assert draws.triangle_count.tolist() == [1, 1, 2]
    assert draws.triangle.tolist() == [1, 0, 2, 3]
    faces["material_b"] = [0xFF, 0xFF, 1, 0]
    draws = draws_of(rewrite(container, {index: faces.tobytes()}))
    assert draws.triangle.tolist() == [1, 0, 3, 2]
    assert draws.triangle_count.tolist() == [1, 1, 1, 1]


def test_without_usable_slots_all_faces_of_a_terrain_are_drawn() -> None:
    container = nres.Archive.read(terrain(2, 2))
    index = container.find_type(SLOTS)
    assert index is not None
    draws = draws_of(rewrite(container, {index: b""}))
    assert draws.triangle_counts()[0, 0] == 16
    assert where(rewrite(container, {index: b""}))[0] == "L06 nodes[0].slots"


@pytest.mark.parametrize("face", [16, NONE])
def test_a_draw_list_entry_without_a_face_is_left_out(face: int) -> None:
    container = nres.Archive.read(terrain(2, 2))
    index = container.find_type(DRAW_LIST)
    assert index is not None
    listed = DRAW.view(container.payload(index)).copy()
    listed["face"][3] = face
    assert draws_of(rewrite(container, {index: listed.tobytes()})).triangle_counts()[0, 0] == 7


def test_a_face_beyond_the_vertices_is_left_out() -> None:
    container = nres.Archive.read(terrain(2, 2))
    index = container.find_type(FACES)
    assert index is not None
    faces = FACE.view(container.payload(index)).copy()
    faces["vertices"][0, 1] = 9
    draws = draws_of(rewrite(container, {index: faces.tobytes()}))
    assert draws.triangle_counts()[0, :2].tolist() == [7, 8]
    assert where(rewrite(container, {index: faces.tobytes()})) == ["L03 faces[0].vertices"]


def test_slots_of_a_terrain_are_clipped() -> None:
    container = nres.Archive.read(terrain(2, 2))
    index = container.find_type(DRAW_LIST)
    assert index is not None
    cut = rewrite(container, {index: bytes(container.payload(index)[: 4 * 9])})
    assert draws_of(cut).triangle_counts()[0, :2].tolist() == [8, 1]
    assert [line.partition(" ")[0] for line in where(cut)] == ["L05"] * 4
