"""Draws after an edit: those of a model made anew, with the triangles of before where they are the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, box, quad
from viewer.model.mesh.draw_builder import build
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.redraw import rebuild

Breaking = Callable[[ModelBuilder], None]


def builder() -> ModelBuilder:
    shapes = [box((2, 4, 6)), quad(3.0, center=(1, 1, 1))]
    return ModelBuilder.of([Node(shapes={(0, 0): shapes, (1, 0): [quad()]}), Node(shapes={(0, 0): [box()]})])


def assert_equal(one: Draws, other: Draws) -> None:
    for of, to in ((one, other), (one.parts, other.parts)):
        for name in of.__struct_fields__:
            before, after = getattr(of, name), getattr(to, name)
            if isinstance(before, np.ndarray):
                assert np.array_equal(before, after), name


def moved(it: ModelBuilder) -> None:
    it.positions[0] += 40


def unusable(it: ModelBuilder) -> None:
    it.slots["sphere_radius"][0] = -1


def rebuilt(before: ModelBuilder, after: ModelBuilder) -> tuple[Draws, Draws, Draws]:
    """The draws of before, those after an edit, and those of the edited model made anew."""
    old, new = before.model(), after.model()
    draws = build(old)
    return draws, rebuild(new, old, draws), build(new)


def test_a_moved_vertex_leaves_draws_with_stored_bounds() -> None:
    after = builder()
    moved(after)
    draws, again, new = rebuilt(builder(), after)
    assert again is draws
    assert_equal(again, new)


def test_bounds_that_were_measured_are_measured_again() -> None:
    before, after = builder(), builder()
    for it in (before, after):
        unusable(it)
    moved(after)
    draws, again, new = rebuilt(before, after)
    assert again.has_same_triangles(draws)
    assert_equal(again, new)
    assert not np.array_equal(again.parts.sphere_radius, draws.parts.sphere_radius)


@pytest.mark.parametrize("is_repaired", [False, True])
def test_changed_bounds_leave_the_triangles(is_repaired: bool) -> None:
    before, after = builder(), builder()
    unusable(before if is_repaired else after)
    draws, again, new = rebuilt(before, after)
    assert again.has_same_triangles(draws)
    assert_equal(again, new)


def other_cell(it: ModelBuilder) -> None:
    it.nodes["slots"][1] = it.nodes["slots"][0]


def other_start(it: ModelBuilder) -> None:
    it.batches["index_start"][0] += 3
    it.batches["index_count"][0] -= 3


def other_corner(it: ModelBuilder) -> None:
    it.indices[:3] = it.indices[3:6]


@pytest.mark.parametrize("change", [other_cell, other_start, other_corner])
def test_other_triangles_are_made_anew(change: Breaking) -> None:
    after = builder()
    change(after)
    draws, again, new = rebuilt(builder(), after)
    assert not again.has_same_triangles(draws)
    assert_equal(again, new)
