"""Identities at pixels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box, quad
from tests.render.canvas import SIZE, Canvas, area, pixel
from viewer.formats.msh.tables import TRIANGLES
from viewer.model.mesh.shown import CellRule
from viewer.render.buffers import draw_list
from viewer.session.view.view_state import DrawnParts


def _tower() -> list[Node]:
    """A plate of two batches at the bottom, a smaller one above, a third on top."""
    return [
        Node(shapes={(0, 0): [quad(1, center=(-2, 0, 0)), quad(4)]}),
        Node(shapes={(0, 0): [quad(2, material=1)]}, keys=[Key(position=(0, 0, 1))]),
        Node(shapes={(0, 0): [quad(1)], (1, 0): [quad(1)]}, keys=[Key(position=(0, 0, 2))]),
    ]


def test_the_nearest_vertex_is_the_corner_next_to_the_pixel(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [quad(4)]})])
    for vertex, (x, y) in enumerate([(-1.5, -1.5), (1.5, -1.5), (1.5, 1.5), (-1.5, 1.5)]):
        hit = canvas.pick(x, y)
        assert hit is not None
        assert hit.nearest_vertex == vertex


def test_a_hit_names_everything_from_the_node_to_the_descriptor(canvas: Canvas) -> None:
    canvas.load(_tower())
    hit = canvas.pick(0.9, 0.5)
    assert hit is not None
    assert (hit.node, hit.slot, hit.batch, hit.triangle, hit.descriptor) == (1, 1, 2, 4, 4)
    assert hit.vertices == (8, 9, 10)


def test_a_hit_lies_on_its_triangle_under_the_pixel(canvas: Canvas) -> None:
    canvas.load(_tower())
    hit = canvas.pick(0.5, -0.75)
    assert hit is not None
    assert hit.position == pytest.approx((0.5 + 1 / 16, -0.75 - 1 / 16, 1))


def test_the_background_is_no_hit(canvas: Canvas) -> None:
    canvas.load(_tower())
    assert canvas.pick(3, 3) is None


@pytest.mark.parametrize(("x", "y"), [(-1, 5), (5, -1), (64, 5), (5, 64)])
def test_outside_the_frame_is_no_hit(canvas: Canvas, x: int, y: int) -> None:
    canvas.load([Node(shapes={(0, 0): [quad(20)]})])
    assert canvas.renderer.pick(canvas.view, canvas.pose, SIZE, x, y) is None


def test_all_hits_go_down_from_the_top(canvas: Canvas) -> None:
    canvas.load(_tower())
    hits = canvas.pick_all(0.25, 0.25)
    assert [hit.node for hit in hits] == [2, 1, 0]
    assert [hit.batch for hit in hits] == [3, 2, 1]
    assert [hit.position[2] for hit in hits] == pytest.approx([2, 1, 0])
    assert sorted(hit.distance for hit in hits) == [hit.distance for hit in hits]


def test_only_what_is_shown_is_hit(canvas: Canvas) -> None:
    canvas.load(_tower())
    assert [hit.node for hit in canvas.pick_all(0.25, 0.25, hidden=frozenset({1}))] == [2, 0]
    assert [hit.batch for hit in canvas.pick_all(0.25, 0.25, lod=1, drawn=DrawnParts(CellRule.EXACT))] == [4]


def test_what_is_drawn_is_hit_though_its_stored_bounds_are_too_small(canvas: Canvas) -> None:
    builder = ModelBuilder([Node(shapes={(0, 0): [quad(4)]})])
    builder.slots["aabb_min"], builder.slots["aabb_max"], builder.slots["sphere_radius"] = -0.1, 0.1, 0.1
    canvas.load_model(builder.model())
    hit = canvas.pick(1.5, 1.5)
    assert hit is not None
    assert canvas.ids().any(axis=2).sum() == area((-2, -2, 2, 2)).sum()


def test_a_file_without_descriptors_is_hit_without_one(canvas: Canvas) -> None:
    builder = ModelBuilder(_tower())
    builder.missing.add(TRIANGLES)
    canvas.load_model(builder.model())
    hit = canvas.pick(0, 0)
    assert hit is not None
    assert hit.descriptor is None
    assert hit.slot == 2


@pytest.mark.parametrize("most_runs", [0, 1000])
def test_picking_agrees_with_the_identities_of_the_frame(
    canvas: Canvas, most_runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draw_list, "MOST_RUNS", most_runs)
    scene = [
        Node(
            shapes={(0, 0): [box((0.9, 0.7, 0.5), material=n % 3)]},
            keys=[Key(position=(n % 5 - 2, n // 5 - 2, 0.1 * n))],
        )
        for n in range(25)
    ]
    canvas.load(scene)
    camera = replace(canvas.view.camera, pitch=0.9, yaw=0.5, is_orthographic=False, distance=6.0)
    view = replace(canvas.view, camera=camera)
    ids = canvas.renderer.ids(view, canvas.pose, SIZE)
    assert len(np.unique(ids[..., 0])) == 26
    for row, column in np.argwhere(np.ones(SIZE[::-1]))[::37].tolist():
        hit = canvas.renderer.pick(view, canvas.pose, SIZE, column, row)
        named = (0, 0, 0) if hit is None else (hit.node + 1, (hit.batch or 0) + 1, hit.triangle + 1)
        assert named == tuple(ids[row, column].tolist())


def test_identities_count_from_one_and_from_the_top_row(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [quad(2)]}, keys=[Key(position=(0, 2, 0))])])
    ids = canvas.ids()
    assert ids.dtype == np.uint32
    assert ((ids > 0).all(axis=2) == area((-1, 1, 1, 3))).all()
    assert (ids[area((-1, 1, 1, 3))][:, :2] == 1).all()
    lower_right, upper_left = pixel(0.5, 1.25), pixel(-0.5, 2.75)
    assert (ids[lower_right][2], ids[upper_left][2]) == (1, 2)


def test_identities_count_triangles_as_the_indices_have_them_not_by_material(canvas: Canvas) -> None:
    shapes = [quad(1, center=(-2, 0, 0), material=1), quad(1, center=(2, 0, 0), material=0)]
    canvas.load([Node(shapes={(0, 0): shapes})])
    ids = canvas.ids()
    assert ids[pixel(-1.75, -0.25)].tolist() == [1, 1, 1]
    assert ids[pixel(2.25, -0.25)].tolist() == [1, 2, 3]
