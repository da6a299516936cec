"""The way back along what a tab showed."""

from __future__ import annotations

from viewer.session.opened.trail import MOST_VISITS, Trail, Visit
from viewer.session.view.view_state import ViewState


def visit(address: str) -> Visit:
    return Visit(address, ViewState())


def test_back_and_forward_are_inverse() -> None:
    trail = Trail().left(visit("a")).left(visit("b"))
    assert trail.next(-1) == visit("b")
    assert trail.next(1) is None
    back = trail.stepped(-1, visit("c"))
    assert (back.next(-1), back.next(1)) == (visit("a"), visit("c"))
    assert back.stepped(1, visit("b")) == trail


def test_something_new_ends_the_way_forward() -> None:
    back = Trail().left(visit("a")).stepped(-1, visit("b"))
    assert back.next(1) == visit("b")
    assert back.left(visit("a")).next(1) is None


def test_only_so_many_visits_are_kept() -> None:
    trail = Trail()
    for number in range(MOST_VISITS + 3):
        trail = trail.left(visit(str(number)))
    assert len(trail.earlier) == MOST_VISITS
    assert trail.earlier[0] == visit("3")
