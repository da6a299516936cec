"""Visible draws to runs of triangles.

All draws of a model as one set of vertices and triangles.

A loaded model and what a view takes of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import moderngl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box, quad
from tests.terrains import terrain
from viewer.formats.archive import nres
from viewer.formats.archive.nres_edit import rewrite
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.tables import NORMALS, STREAM14, STREAM18, UVS
from viewer.geometry.transforms import Mask
from viewer.model.mesh.draw_builder import build
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.render.buffers import merge as merge_module
from viewer.render.buffers.draw_list import MOST_RUNS, SHORT, DrawList
from viewer.render.buffers.merge import MergedDraws, merge
from viewer.render.buffers.model_buffers import ModelBuffers, nothing
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState


def _listed(visible: list[bool], counts: list[int]) -> DrawList:
    start = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return DrawList.of(np.array(visible, np.bool_), start)


def test_neighbours_become_one_run() -> None:
    listed = _listed([True, True, False, True], [2, 3, 5, 1])
    assert listed.runs == [(0, 5), (10, 1)]
    assert (listed.draw_count, listed.triangle_count) == (3, 6)


def test_everything_is_one_run() -> None:
    assert _listed([True] * 4, [1, 2, 3, 4]).runs == [(0, 10)]


def test_nothing_makes_no_run() -> None:
    assert _listed([False] * 3, [1, 2, 3]).runs == []
    assert _listed([], []).runs == []


def test_many_runs_are_compacted() -> None:
    visible = [number % 2 == 0 for number in range(2 * MOST_RUNS + 2)]
    listed = _listed(visible, [3] * len(visible))
    assert listed.is_compacted
    assert listed.runs == [(0, 3 * (MOST_RUNS + 1))]


def test_as_many_runs_as_allowed_are_not_compacted() -> None:
    visible = [number % 2 == 0 for number in range(2 * MOST_RUNS)]
    assert not _listed(visible, [SHORT] * len(visible)).is_compacted


@pytest.mark.parametrize(
    ("runs", "count", "is_compacted"), [(16, 1, False), (17, 255, True), (17, 256, False)]
)
def test_short_runs_are_compacted_unless_they_are_few(runs: int, count: int, is_compacted: bool) -> None:
    assert _listed([True, False] * runs, [count] * 2 * runs).is_compacted is is_compacted


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 4)), max_size=1000))
def test_runs_and_compaction_name_the_same_triangles(draws: list[tuple[bool, int]]) -> None:
    listed = _listed([visible for visible, _ in draws], [count for _, count in draws])
    triangle = np.arange(listed.triangle_start[-1])
    expected = triangle[_repeated(listed.visible, listed)]
    corners = np.repeat(triangle[:, None], 3, axis=1).astype(np.uint32)
    assert listed.compacted(corners)[:, 0].tolist() == expected.tolist()
    drawn = [number for start, count in listed.runs for number in range(start, start + count)]
    assert listed.merged_triangles(np.array(drawn, np.int64)).tolist() == expected.tolist()


def _repeated(visible: Mask, listed: DrawList) -> Mask:
    return np.repeat(visible, np.diff(listed.triangle_start))


def test_groups_of_draws_have_runs_of_their_own() -> None:
    listed = _listed([True, True, True, False, True], [2, 3, 5, 1, 4])
    assert listed.runs_of(np.array([0, 2, 2, 5])) == [[(0, 5)], [], [(5, 5), (11, 4)]]


@given(st.lists(st.booleans(), min_size=1, max_size=900), st.integers(1, 9))
def test_groups_together_submit_every_visible_triangle(visible: list[bool], size: int) -> None:
    """In the order of the merged draws, whether compacted or not."""
    listed = _listed(visible, [3] * len(visible))
    start = np.append(np.arange(0, len(visible), size), len(visible))
    groups = listed.runs_of(start)
    submitted = [place for runs in groups for first, count in runs for place in range(first, first + count)]
    merged = listed.merged_triangles(np.array(submitted, np.int64)) if listed.is_compacted else submitted
    expected = np.flatnonzero(np.repeat(visible, 3)).tolist()
    assert list(merged) == expected
    for group, runs in enumerate(groups):
        shown = sum(visible[start[group] : start[group + 1]])
        assert sum(count for _, count in runs) == 3 * shown


def _merged(model: Model) -> tuple[Draws, MergedDraws]:
    draws = build(model)
    return draws, merge(model, draws, model.batches["material"])


def _corner_points(model: Model, draws: Draws, merged: MergedDraws) -> list[list[list[float]]]:
    """Positions of the merged triangles in the order of `Draws`."""
    _, row = merged.source_triangles(draws, np.arange(merged.triangle_count))
    points = merged.positions[merged.corners][np.argsort(row)]
    result: list[list[list[float]]] = points.tolist()
    return result


SCENES: dict[str, Sequence[Node]] = {
    "two nodes": [
        Node(shapes={(0, 0): [quad(), box()]}),
        Node(shapes={(0, 0): [box((2, 1, 1))], (1, 0): [quad()]}),
    ],
    "shared slot": [Node(shapes={(0, 0): (shared := [quad(), box()])}), Node(shapes={(0, 0): shared})],
    "materials": [Node(shapes={(0, 0): [quad(material=2), box(material=0), quad(3, material=1)]})],
    "nothing": [Node()],
    "no nodes": [],
}


@pytest.mark.parametrize("chunk", [1, 1 << 16])
@pytest.mark.parametrize("sparse", [0, 4])
@pytest.mark.parametrize("name", SCENES)
def test_merged_triangles_are_the_triangles_of_the_draws(
    name: str, sparse: int, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merge_module, "SPARSE", sparse)
    monkeypatch.setattr(merge_module, "CHUNK", chunk)
    model = ModelBuilder.of(SCENES[name]).model()
    draws, merged = _merged(model)
    assert _corner_points(model, draws, merged) == model.positions[draws.corners].tolist()


@pytest.mark.parametrize("sparse", [0, 4])
def test_vertices_carry_the_node_of_their_draw(sparse: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge_module, "SPARSE", sparse)
    model = ModelBuilder.of(SCENES["shared slot"]).model()
    draws, merged = _merged(model)
    draw, _ = merged.source_triangles(draws, np.arange(merged.triangle_count))
    corners = merged.corners[:, 0]
    assert merged.node[corners].tolist() == draws.node[draw].tolist()


def test_draws_are_ordered_by_material() -> None:
    _, merged = _merged(ModelBuilder.of(SCENES["materials"]).model())
    assert merged.draw.tolist() == [1, 2, 0]
    assert merged.row.tolist() == [0, 1, 2]
    assert merged.triangle_start.tolist() == [0, 12, 14, 16]


def test_a_batch_of_no_triangles_is_left_out() -> None:
    builder = ModelBuilder.of(SCENES["materials"])
    builder.batches["index_count"][1] = 2
    _, merged = _merged(builder.model())
    assert merged.draw.tolist() == [2, 0]


def test_boxes_hold_the_vertices_of_each_draw() -> None:
    _, merged = _merged(
        ModelBuilder.of([Node(shapes={(0, 0): [quad(2), box((2, 4, 6), center=(1, 0, 0))]})]).model()
    )
    assert merged.box_low.tolist() == [[-1, -1, 0], [0, -2, -3]]
    assert merged.box_high.tolist() == [[1, 1, 0], [2, 2, 3]]


def test_missing_streams_are_zero() -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad()]})])
    builder.missing |= {NORMALS, UVS}
    _, merged = _merged(builder.model())
    assert not merged.normals.any()
    assert not merged.uvs.any()


def test_draws_are_in_the_order_of_what_they_are_drawn_with() -> None:
    """Which need not be that of the numbers that color them."""
    scene = [Node(shapes={(0, 0): [quad(material=2), box(material=0), quad(3, material=1)]})]
    model = ModelBuilder.of(scene).model()
    draws = build(model)
    merged = merge(model, draws, model.batches["material"], np.array([1, 0, 0]))
    assert merged.row.tolist() == [0, 0, 1]
    assert merged.draw.tolist() == [1, 2, 0]


def test_opacities_of_second_materials_are_within_0_and_1() -> None:
    container = nres.Archive.read(terrain(1, 1, is_coarse=False))
    index = container.find_type(STREAM14)
    assert index is not None
    stored = np.array([0.25, -3.0, np.inf, np.nan], "<f4")
    model = Model.of(rewritten(container, index, stored.tobytes()))
    merged = merge(model, build(model))
    assert merged.second_alphas is not None
    alphas = dict(zip(map(tuple, merged.positions.tolist()), merged.second_alphas.tolist(), strict=True))
    assert [alphas[tuple(point)] for point in model.positions.tolist()] == [0.25, 0, 1, 0]
    short = Model.of(rewritten(container, index, stored[:1].tobytes()))
    assert short.second_alphas is not None
    assert short.second_alphas.tolist() == [0.25, 0, 0, 0]


def rewritten(container: nres.Archive, index: int, payload: bytes) -> nres.Archive:
    """The container with another payload."""
    return nres.Archive.read(rewrite(container, {index: payload}))


def test_only_terrain_has_second_materials() -> None:
    model = ModelBuilder.of([Node(shapes={(0, 0): [quad()]})]).model()
    assert merge(model, build(model)).second_alphas is None


def test_lightmap_coordinates_follow_their_vertices() -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad(material=1), quad(3, material=0)]})])
    assert not merge(builder.model(), build(builder.model())).lightmap_uvs.any()
    stream = np.arange(16, dtype="<u2").reshape(8, 2)
    builder.tables[STREAM18] = stream.tobytes()
    _, merged = _merged(builder.model())
    assert merged.lightmap_uvs.tolist() == [*stream[4:].tolist(), *stream[:4].tolist()]


@pytest.fixture
def subject(ctx: moderngl.Context) -> ModelBuffers:
    """A box at the origin with a second LOD, and a quad that hangs ten units above."""
    scene = [
        Node(shapes={(0, 0): [box((2, 2, 2))], (1, 0): [quad(2)]}),
        Node(shapes={(0, 0): [quad(2)]}, keys=[Key(position=(0, 0, 10))]),
    ]
    model = ModelBuilder.of(scene).model()
    draws = build(model)
    subject = ModelBuffers(ctx, model, draws, merge(model, draws))
    subject.take(Animation(model, Skeleton(model), QuaternionOrder.XYZW).pose(0.0))
    return subject


def test_hidden_and_isolated_nodes_are_left_out_of_the_draws(subject: ModelBuffers) -> None:
    assert subject.choose(ViewState()).draws.tolist() == [True, False, True]
    assert subject.choose(ViewState(lod=1)).draws.tolist() == [False, True, True]
    assert subject.choose(ViewState(overrides={0: (1, 0)})).draws.tolist() == [False, True, True]
    assert subject.choose(ViewState(hidden=frozenset({1}))).draws.tolist() == [True, False, False]
    assert subject.choose(ViewState(isolated=frozenset({1}))).draws.tolist() == [False, False, True]


def test_a_view_that_shows_the_same_is_not_worked_out_again(subject: ModelBuffers) -> None:
    shown = subject.choose(ViewState())
    assert subject.choose(ViewState(time=3.0, shading=Shading.LIT)) is shown


def test_the_reach_is_that_of_the_posed_vertices(subject: ModelBuffers) -> None:
    assert subject.reach((0, 0, 0)) == pytest.approx(np.sqrt(1 + 1 + 100))
    assert subject.reach((0, 0, 10)) == pytest.approx(np.sqrt(1 + 1 + 121))


def test_the_reach_follows_the_pose(subject: ModelBuffers) -> None:
    assert subject._pose is not None
    world = subject._pose.world.copy()
    world[1, 2, 3] = 100
    subject.take(replace(subject._pose, world=world))
    assert subject.reach((0, 0, 0)) == pytest.approx(np.sqrt(1 + 1 + 100**2))


def test_a_pose_that_is_there_already_is_not_uploaded_again(subject: ModelBuffers) -> None:
    pose = subject._pose
    assert pose is not None
    subject.world[1, 2, 3] = 55
    subject.take(pose)
    assert subject.world[1, 2, 3] == 55


def test_nothing_reaches_nowhere(ctx: moderngl.Context) -> None:
    empty = nothing(ctx)
    assert empty.reach((1, 2, 3)) == 0
    assert not len(empty.choose(ViewState()).parts)


def test_vertices_as_far_out_as_numbers_go_have_a_box(ctx: moderngl.Context) -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad(2)]})])
    builder.positions[:] = np.sign(builder.positions) * np.float32(3e38)
    model = builder.model()
    draws = build(model)
    subject = ModelBuffers(ctx, model, draws, merge(model, draws))
    assert subject.reach((0, 0, 0)) == pytest.approx(3e38 * 2**0.5, rel=1e-5)
