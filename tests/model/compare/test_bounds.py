"""Stored bounds against the vertices: what differs is named with both values, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, box
from viewer.formats.archive import nres
from viewer.formats.msh.slots import HEADER, SLOT
from viewer.geometry.bounds import Bounds
from viewer.model.compare.bounds import bounds_differences, joined_bounds
from viewer.model.edit.geometry.measures import header_of
from viewer.model.mesh.draw_builder import build
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import FIELD, SEED


def two_boxes() -> ModelBuilder:
    """Boxes of side 1 around the origin and of 2, 4, 6 around (1, 2, 3): one slot each."""
    return ModelBuilder.of(
        [
            Node("small", shapes={(0, 0): [box((1, 1, 1))]}),
            Node("large", shapes={(0, 0): [box((2, 4, 6), center=(1, 2, 3))]}),
        ]
    )


def corners(model: Model, slot: int) -> np.ndarray:
    """The vertices of the batches of a slot, read one by one."""
    row, found = model.slots[slot], []
    for batch in model.batches[int(row["batch_start"]) : int(row["batch_start"]) + int(row["batch_count"])]:
        first = int(batch["index_start"])
        used = model.indices[first : first + int(batch["index_count"])]
        found += [model.positions[int(index) + int(batch["base_vertex"])] for index in used]
    return np.array(found, np.float64)


def test_what_does_not_fit_is_named_with_both_values_and_nothing_else() -> None:
    sound = two_boxes().model()
    # Compared by slot, whatever header the builder writes.
    assert [it for it in bounds_differences(sound, SEED) if it.table == SLOT.name] == []

    broken = two_boxes()
    broken.slots["aabb_max"][1] += (0, 0.5, 0)
    broken.slots["sphere_radius"][0] /= 2
    broken.slots["sphere_radius"][1] *= 3
    model = broken.model()
    found = [it for it in bounds_differences(model, SEED) if it.table == SLOT.name]
    assert [(it.row, it.field) for it in found] == [(0, "sphere_radius"), (1, "aabb_max")]
    ball, side = found
    points = corners(model, 0)
    center = (points.min(axis=0) + points.max(axis=0)) / 2
    radius = np.linalg.norm(points - center, axis=1).max()
    assert ball.measured == pytest.approx((*center, radius), abs=1e-6)
    assert ball.away == pytest.approx(radius / 2, rel=1e-6)
    assert side.measured == pytest.approx(corners(model, 1).max(axis=0))
    assert side.stored[1] == pytest.approx(side.measured[1] + 0.5)
    assert side.away == pytest.approx(0.5)


def test_a_bound_that_is_no_number_is_a_difference() -> None:
    broken = two_boxes()
    broken.slots["aabb_min"][0] = np.nan
    found = [it for it in bounds_differences(broken.model(), SEED) if it.table == SLOT.name]
    assert [(it.row, it.field, it.away) for it in found] == [(0, "aabb_min", float("inf"))]


def test_a_header_that_does_not_fit_is_named_first(samples: Path) -> None:
    archive = nres.Archive.read(memoryview((samples / "field/game/robots.rlb").read_bytes()))
    index = archive.find(b"w_ch_01.msh")
    assert index is not None
    model = Model.read(archive.payload(index))
    # "The header box is exact for row 0, column 0 at time 0", in the order of the field notes.
    fields = {it.field for it in bounds_differences(model, FIELD) if it.table == HEADER.name}
    assert "hull" not in fields
    wrong = {it.field for it in bounds_differences(model, SEED) if it.table == HEADER.name}
    assert "hull" in wrong


def test_the_box_of_several_slots_says_how_far_vertices_lie_outside() -> None:
    builder = two_boxes()
    # The second box ends at 6 in z.
    builder.slots["aabb_max"][1, 2] = 5.5
    model = builder.model()
    draws = build(model)
    world = np.tile(np.eye(4, dtype=np.float32), (2, 1, 1))
    found = joined_bounds(model, draws, world, np.ones(len(draws), np.bool_))
    assert found is not None
    assert found.stored.high.tolist() == [2, 4, 5.5]
    assert found.measured.high.tolist() == [2, 4, 6]
    assert found.measured.low.tolist() == [-0.5, -0.5, -0.5]
    assert found.outside == 0.5
    alone = joined_bounds(model, draws, world, draws.node == 0)
    assert alone is not None
    assert alone.outside == 0
    assert joined_bounds(model, draws, world, np.zeros(len(draws), np.bool_)) is None


@pytest.mark.parametrize(("radius", "is_other"), [(4.9, True), (5.1, False), (50.0, False)])
def test_a_header_sphere_differs_only_if_it_does_not_hold_the_vertices(radius: float, is_other: bool) -> None:
    builder = ModelBuilder.of([Node("box", shapes={(0, 0): [box((6, 8, 2), center=(0, 0, 1))]})])
    sound = builder.model()
    builder.header[0] = header_of(Bounds.of(sound.positions) or Bounds(*np.zeros((2, 3))))[0]
    # The corners are 5 away in x and y, and sqrt(26) in space; both are looked at from the middle.
    builder.header["capsule_radius"] = radius
    builder.header["sphere_radius"] = np.sqrt(radius**2 + 1)
    differing = {it.field for it in bounds_differences(builder.model(), SEED) if it.table == HEADER.name}
    assert differing == ({"sphere_radius", "capsule_radius"} if is_other else set())
