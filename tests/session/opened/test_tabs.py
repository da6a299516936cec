"""The open tabs: what is in front, what stays with each, and what belongs to the whole program."""

from __future__ import annotations

from dataclasses import replace

import pytest

from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.opened.tabs import MOST_VISITS, Tab, Tabs, Trail, Visit
from viewer.session.selection import Selection
from viewer.session.view.view_state import Background, Shading, ViewState


def resource(address: str) -> OpenedResource:
    return OpenedResource(address, "wear", memoryview(b""))


@pytest.fixture
def three() -> Tabs:
    """Three tabs, the second in front."""
    return Tabs(tuple(Tab(resource=resource(name)) for name in "abc"), 1)


def addresses(tabs: Tabs) -> str:
    return "".join(tab.address for tab in tabs.tabs)


def test_at_first_there_is_one_empty_tab() -> None:
    assert Tabs().active.address == ""
    assert Tabs().opened == ()


def test_a_tab_is_found_by_what_it_shows(three: Tabs) -> None:
    found = three.at("c")
    assert found is three.tabs[2]
    assert three.at("d") is None
    assert Tabs().at("") is None


def test_a_new_tab_comes_last(three: Tabs) -> None:
    assert addresses(three.with_tab(Tab(resource=resource("d")))) == "abcd"


def test_each_tab_keeps_its_selection_and_all_share_one_look(three: Tabs) -> None:
    chosen = Selection((3,))
    tabs = three.changed(view=ViewState(selection=chosen, time=4.0, shading=Shading.NORMALS))
    tabs = tabs.activated(tabs.tabs[0].identity)
    assert (tabs.active.view.selection, tabs.active.view.time) == (Selection(), 0.0)
    assert tabs.active.view.shading is Shading.NORMALS
    tabs = tabs.changed(view=replace(tabs.active.view, background=Background.LIGHT))
    view = tabs.activated(tabs.tabs[1].identity).active.view
    assert (view.selection, view.time, view.background) == (chosen, 4.0, Background.LIGHT)


@pytest.mark.parametrize(("closed", "left", "front"), [("a", "bc", "b"), ("b", "ac", "c"), ("c", "ab", "b")])
def test_the_next_tab_follows_a_closed_one(three: Tabs, closed: str, left: str, front: str) -> None:
    tab = three.at(closed)
    assert tab is not None
    tabs = three.closed(tab.identity)
    assert (addresses(tabs), tabs.active.address) == (left, front)


def test_the_last_tab_is_followed_by_the_one_before_it(three: Tabs) -> None:
    tabs = three.activated(three.tabs[2].identity).closed(three.tabs[2].identity)
    assert (addresses(tabs), tabs.active.address) == ("ab", "b")


def test_when_all_are_closed_an_empty_tab_keeps_the_look() -> None:
    tabs = Tabs((Tab(ViewState(shading=Shading.LIT, selection=Selection((1,))), resource=resource("a")),))
    tabs = tabs.closed(tabs.active.identity)
    assert tabs.opened == ()
    assert (tabs.active.view.shading, tabs.active.view.selection) == (Shading.LIT, Selection())


def test_a_closed_tab_changes_nothing_more(three: Tabs) -> None:
    gone = three.tabs[0].identity
    tabs = three.closed(gone)
    assert tabs.closed(gone) is tabs
    assert tabs.activated(gone) is tabs
    assert tabs.find(gone) is None


def test_tabs_are_stepped_through_in_a_circle(three: Tabs) -> None:
    assert [three.stepped(step).address for step in (-2, -1, 0, 1, 2)] == ["c", "a", "b", "c", "a"]


def test_the_order_changes_and_the_same_tab_stays_in_front(three: Tabs) -> None:
    identity = {tab.address: tab.identity for tab in three.tabs}
    tabs = three.ordered(identity[name] for name in "cba")
    assert (addresses(tabs), tabs.active.address) == ("cba", "b")
    assert addresses(three.ordered([identity["c"]])) == "cab"


def test_what_panels_remember_ends_with_the_content_of_a_tab(three: Tabs) -> None:
    tab = three.active
    assert tab.showing(resource("b"), tab.view).key == tab.key
    assert tab.showing(resource("d"), tab.view).key != tab.key
    assert tab.showing(resource("d"), tab.view).identity == tab.identity


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
