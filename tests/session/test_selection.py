"""Selecting more than one node."""

from __future__ import annotations

from viewer.session.selection import Selection

PICKED = Selection((2,), slot=5, batch=7, triangle=11, descriptor=13)


def test_adding_makes_the_new_node_the_active_one() -> None:
    both = Selection((1,), batch=3).added(PICKED)
    assert both.nodes == (1, 2)
    assert (both.node, both.batch) == (2, 7)


def test_adding_an_inactive_node_again_makes_it_active_without_repetition() -> None:
    assert Selection((2, 1)).added(PICKED).nodes == (1, 2)


def test_adding_the_active_node_again_deselects_it() -> None:
    assert Selection((1, 2)).added(PICKED) == Selection((1,))


def test_adding_nothing_changes_nothing() -> None:
    assert PICKED.added(Selection()) is PICKED
