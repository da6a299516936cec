"""Visible draws to runs of triangles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import Key, ModelBuilder, Node, box, quad
from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.draw_builder import build
from viewer.model.mesh.draws import Indices, Mask
from viewer.model.mesh.skeleton import Skeleton
from viewer.render.buffers.draw_list import MOST_RUNS, DrawList, Repeats
from viewer.render.buffers.merge import merge


def _listed(visible: list[bool], counts: list[int], most: int | None = None) -> DrawList:
    start = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return DrawList.of(np.array(visible, np.bool_), start, most)


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
    assert not _listed(visible, [1] * len(visible)).is_compacted


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


DRAWS = st.lists(st.tuples(st.booleans(), st.integers(1, 4)), max_size=1000)


@given(DRAWS, st.integers(0, 60) | st.integers(0, 3000), st.integers(1, 9))
def test_a_cut_list_submits_the_first_triangles(draws: list[tuple[bool, int]], most: int, size: int) -> None:
    visible, counts = [visible for visible, _ in draws], [count for _, count in draws]
    whole, listed = _listed(visible, counts), _listed(visible, counts, most)
    triangle = np.arange(whole.triangle_start[-1])
    expected = triangle[_repeated(whole.visible, whole)][:most].tolist()
    assert listed.triangle_count == len(expected) == listed.draw_counts.sum()
    corners = np.repeat(triangle[:, None], 3, axis=1).astype(np.uint32)
    assert listed.compacted(corners)[:, 0].tolist() == expected
    assert listed.merged_triangles(_numbers(listed.runs)).tolist() == expected
    borders = np.append(np.arange(0, len(visible), size), len(visible))
    submitted = _numbers([run for runs in listed.runs_of(borders) for run in runs])
    assert (listed.merged_triangles(submitted) if listed.is_compacted else submitted).tolist() == expected


def _numbers(runs: list[tuple[int, int]]) -> Indices:
    """The triangles of some runs, one after the other."""
    return np.array([number for start, count in runs for number in range(start, start + count)], np.int64)


SHAPES = [quad(), box()]


def once(builder: ModelBuilder, row: list[int] | None = None) -> list[tuple[int, int]]:
    """The node and batch of every draw that is left when all are visible at time 0."""
    model = builder.model()
    draws = build(model)
    merged = merge(model, draws, row=None if row is None else np.array(row))
    world = Animation(model, Skeleton(model), QuaternionOrder.XYZW).pose(0).world
    left = Repeats(draws, merged, model.batches).once(np.ones(len(merged.draw), np.bool_), world)
    drawn = merged.draw[left]
    return sorted(zip(draws.node[drawn].tolist(), draws.batch[drawn].tolist(), strict=True))


def test_equal_batches_of_a_slot_are_drawn_once_by_the_last() -> None:
    builder = ModelBuilder([Node(shapes={(0, 0): SHAPES})])
    builder.batches = builder.batches[[0, 1, 0, 0]]
    builder.slots["batch_count"] = 4
    assert once(builder) == [(0, 1), (0, 3)]


@pytest.mark.parametrize("name", ["index_start", "index_count", "base_vertex"])
def test_other_triangles_are_no_repeat(name: str) -> None:
    builder = ModelBuilder([Node(shapes={(0, 0): [box()]})])
    builder.batches = builder.batches[[0, 0]]
    builder.batches["index_count"] = 30
    builder.batches[name][1] = 3
    builder.indices[:] = 0
    builder.slots["batch_count"] = 2
    assert once(builder) == [(0, 0), (0, 1)]


def test_another_material_is_no_repeat() -> None:
    builder = ModelBuilder([Node(shapes={(0, 0): SHAPES})])
    builder.batches = builder.batches[[0, 0]]
    assert once(builder, row=[0, 1]) == [(0, 0), (0, 1)]


def test_nodes_at_the_same_place_repeat_a_slot_and_others_do_not() -> None:
    away = [Key(0, (1, 0, 0))]
    nodes = [Node(shapes={(0, 0): SHAPES}, keys=keys) for keys in ([Key()], away, [Key()], away, [Key()])]
    assert once(ModelBuilder(nodes)) == [(3, 0), (3, 1), (4, 0), (4, 1)]


def test_only_visible_draws_repeat() -> None:
    model = ModelBuilder([Node(shapes={(0, 0): SHAPES}), Node(shapes={(0, 0): SHAPES})]).model()
    draws = build(model)
    merged = merge(model, draws)
    visible = draws.node[merged.draw] == 0
    world = np.tile(np.eye(4, dtype=np.float32), (2, 1, 1))
    assert Repeats(draws, merged, model.batches).once(visible, world).tolist() == visible.tolist()
