"""The hierarchy: any order of parents, damage, world matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import ModelBuilder, Node, box
from viewer.errors import NAMED_ROWS
from viewer.geometry.transforms import translation
from viewer.model.mesh.skeleton import ROOT, Skeleton, sockets


def skeleton_of(parents: list[int]) -> Skeleton:
    builder = ModelBuilder([Node() for _ in parents])
    builder.nodes["parent"] = parents
    return Skeleton(builder.model())


def usable(parents: list[int], node: int) -> int:
    """The parent of a node by walking, -1 where it has none, is outside, or leads back to the node."""
    parent = parents[node]
    current = parent
    for _ in parents:
        if current == node:
            return ROOT
        if current >= len(parents):
            break
        current = parents[current]
    return parent if parent < len(parents) else ROOT


def test_parents_are_taken_as_stored() -> None:
    skeleton = skeleton_of([0xFFFF, 0, 0, 1])
    assert skeleton.parents.tolist() == [ROOT, 0, 0, 1]
    assert [level.tolist() for level in skeleton.levels] == [[0], [1, 2], [3]]
    assert skeleton.children() == [[1, 2], [3], [], []]
    assert skeleton.diagnostics == ()


def test_parents_may_follow_their_children() -> None:
    skeleton = skeleton_of([2, 0xFFFF, 1])
    assert skeleton.parents.tolist() == [2, ROOT, 1]
    assert [level.tolist() for level in skeleton.levels] == [[1], [2], [0]]
    assert skeleton.diagnostics == ()


@pytest.mark.parametrize(
    ("parents", "expected", "rows"),
    [
        ([0xFFFF, 7], [ROOT, ROOT], [1]),
        ([0], [ROOT], [0]),
        ([1, 0], [ROOT, ROOT], [0, 1]),
        ([1, 2, 0, 2], [ROOT, ROOT, ROOT, 2], [0, 1, 2]),
        ([0xFFFF, 2, 3, 2, 1], [ROOT, 2, ROOT, ROOT, 1], [2, 3]),
    ],
)
def test_parents_that_cannot_be_used_make_roots(
    parents: list[int], expected: list[int], rows: list[int]
) -> None:
    skeleton = skeleton_of(parents)
    assert skeleton.parents.tolist() == expected
    assert sorted(finding.where for finding in skeleton.diagnostics) == [
        f"nodes[{row}].parent" for row in rows
    ]
    assert {finding.rule for finding in skeleton.diagnostics} == {"V22"}


@given(st.integers(1, 12).flatmap(lambda n: st.lists(st.integers(0, n), min_size=n, max_size=n)))
def test_any_parents_make_a_forest(parents: list[int]) -> None:
    skeleton = skeleton_of(parents)
    assert skeleton.parents.tolist() == [usable(parents, node) for node in range(len(parents))]
    placed: list[int] = []
    for level in skeleton.levels:
        assert all(skeleton.parents[node] in (ROOT, *placed) for node in level)
        placed += level.tolist()
    assert sorted(placed) == list(range(len(parents)))


def test_a_flood_of_bad_parents_is_bounded() -> None:
    assert len(skeleton_of([9999] * 5000).diagnostics) == NAMED_ROWS + 1


def test_world_matrices_are_parent_times_local() -> None:
    skeleton = skeleton_of([2, 0xFFFF, 1])
    quarter = np.array([(0, -1, 0, 0), (1, 0, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)], np.float32)
    local = np.stack([translation((1, 0, 0)), quarter, translation((0, 2, 0))]).astype(np.float32)
    world = skeleton.world_from_node(local)
    assert np.array_equal(world[1], local[1])
    assert np.array_equal(world[2], local[1] @ local[2])
    assert np.array_equal(world[0], local[1] @ local[2] @ local[0])
    assert world[0][:3, 3].tolist() == [-2, 1, 0]


def test_a_long_chain_is_walked_to_its_end() -> None:
    skeleton = skeleton_of([0xFFFF, *range(299)])
    world = skeleton.world_from_node(np.tile(translation((1, 0, 0)).astype(np.float32), (300, 1, 1)))
    assert world[:, 0, 3].tolist() == list(range(1, 301))


def test_no_nodes() -> None:
    skeleton = skeleton_of([])
    assert skeleton.levels == []
    assert skeleton.world_from_node(np.empty((0, 4, 4), np.float32)).shape == (0, 4, 4)


def test_a_socket_is_named_base_and_has_no_geometry_in_any_cell() -> None:
    builder = ModelBuilder(
        [
            Node("body", shapes={(0, 0): [box()]}),
            Node("Base_TM", parent=0),
            Node("BASE_g1", parent=0),
            Node("Base_plate", parent=0, shapes={(2, 4): [box()]}),
            Node("joint", parent=0),
            Node("Database_1", parent=0),
        ]
    )
    assert sockets(builder.model(), [node.name for node in builder.scene]) == {1, 2}
