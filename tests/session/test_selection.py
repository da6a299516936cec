"""Selecting more than one node."""

from __future__ import annotations

from viewer.model.store.place import Place
from viewer.session.selection import MOST_STOPS, Selection, SelectionHistory, Stop

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


A, B, C = (Stop(Selection((node,))) for node in range(3))


def history(*stops: Stop) -> SelectionHistory:
    """The history after some selections, the first of which it starts with."""
    made = SelectionHistory(stops[:1])
    for stop in stops[1:]:
        made = made.visited(stop)
    return made


def test_back_and_forward_lead_through_what_was_selected() -> None:
    made = history(A, B, C)
    assert made.stepped(-1).current == B
    assert made.stepped(-1).stepped(-1).current == A
    assert made.stepped(-1).stepped(1).current == C


def test_nothing_lies_before_the_first_or_after_the_last() -> None:
    made = history(A, B)
    assert not made.can_step(1)
    assert made.stepped(1) == made
    assert not made.stepped(-1).can_step(-1)
    assert made.stepped(-1).stepped(-1).current == A


def test_a_new_selection_forgets_what_lay_ahead() -> None:
    made = history(A, B).stepped(-1).visited(C)
    assert made.stops == (A, C)
    assert not made.can_step(1)


def test_the_same_selection_again_is_no_stop_but_with_another_place_it_is() -> None:
    made = history(A, B)
    assert made.visited(B) == made
    there = Stop(B.selection, Place("a.msh", "indices", 3))
    assert made.visited(there).stepped(-1).current == B


def test_the_oldest_are_forgotten() -> None:
    made = history(*(Stop(Selection((node,))) for node in range(MOST_STOPS + 7)))
    assert len(made.stops) == MOST_STOPS
    assert made.stops[0] == Stop(Selection((7,)))
    assert made.current == Stop(Selection((MOST_STOPS + 6,)))
