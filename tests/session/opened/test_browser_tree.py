"""Neighbours of the document in the browser."""

from __future__ import annotations

from viewer.session.opened.browser_tree import BrowserEntry, BrowserTree


def entry(name: str, kind: str = "msh") -> BrowserEntry:
    return BrowserEntry(f"robots.rlb::{name}", name, kind)


BROWSER = BrowserTree(
    (BrowserEntry("robots.rlb", "robots.rlb", "nres", can_open=True),), current="robots.rlb::a"
).listed("robots.rlb", (entry("a"), entry("wear", "wear"), entry("b")))


def test_the_neighbour_is_the_next_model() -> None:
    assert BROWSER.neighbour(1) == entry("b")


def test_what_is_no_model_has_neighbours_of_its_own_kind() -> None:
    row = BrowserEntry("robots.rlb", "robots.rlb", "nres", can_open=True)
    textures = entry("A.0", "texm"), entry("sound", "wav"), entry("B.0", "texm")
    browser = BrowserTree((row,), current="robots.rlb::a").listed("robots.rlb", (entry("a"), *textures))
    assert browser.neighbour(1, "robots.rlb::A.0") == entry("B.0", "texm")
    assert browser.neighbour(-1, "robots.rlb::A.0") is None


def test_there_is_no_neighbour_beyond_the_ends() -> None:
    assert BROWSER.neighbour(-1) is None
    assert BROWSER.neighbour(2) is None


def test_a_document_that_is_not_listed_has_no_neighbours() -> None:
    assert BrowserTree(current="elsewhere.msh").neighbour(1) is None


def test_the_way_to_an_entry_goes_through_every_container() -> None:
    folder = BrowserEntry("game", "game", "folder", can_open=True)
    archive = BrowserEntry("game/a.rlb", "a.rlb", "nres", can_open=True)
    model = BrowserEntry("game/a.rlb::a", "a", "msh")
    browser = BrowserTree((folder,)).listed("game", (archive,)).listed("game/a.rlb", (model,))
    assert browser.way_to(model.address) == {"game", "game/a.rlb"}
    assert browser.way_to("elsewhere") == browser.way_to(None) == frozenset()


def test_opening_inside_a_folder_that_is_shown_keeps_the_folder() -> None:
    folder = BrowserEntry("/game", "game", "folder", can_open=True)
    archive = BrowserEntry("/game/a.rlb", "a.rlb", "nres", can_open=True)
    before = BrowserTree((folder,)).listed("/game", (archive,))
    inside = before.opened(archive, {"/game/a.rlb": ()}, "/game/a.rlb::a")
    assert (inside.roots, set(inside.children)) == ((folder,), {"/game", "/game/a.rlb"})
    outside = inside.opened(BrowserEntry("/b.msh", "b.msh", "msh"), {}, "/b.msh")
    assert ([root.address for root in outside.roots], dict(outside.children)) == (["/b.msh"], {})
