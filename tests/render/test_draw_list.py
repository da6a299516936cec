"""Visible draws to runs of triangles."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from viewer.render.draw_list import MOST_RUNS, DrawList, Mask


def _listed(visible: list[bool], counts: list[int]) -> DrawList:
    return DrawList.of(np.array(visible, np.bool_), np.concatenate(([0], np.cumsum(counts))).astype(np.int64))


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
