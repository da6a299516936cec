"""The browser's trees."""

from __future__ import annotations

from dataclasses import replace

from viewer.session.opened.browser_entry import BrowserEntry
from viewer.session.opened.browser_tree import MOST_ROOTS, BrowserTree


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


GAME = BrowserEntry("/game", "game", "folder", can_open=True)
ARCHIVE = BrowserEntry("/game/a.rlb", "a.rlb", "nres", can_open=True)
LOOSE = BrowserEntry("/b.msh", "b.msh", "msh")


def test_opening_a_loose_file_keeps_what_is_shown() -> None:
    before = BrowserTree((GAME,)).listed("/game", (ARCHIVE,))
    after = before.opened(LOOSE, {}, "/b.msh")
    assert after.roots == (GAME, LOOSE)
    assert (dict(after.children), after.current) == ({"/game": (ARCHIVE,)}, "/b.msh")


def test_a_file_that_has_changed_keeps_its_position() -> None:
    grown = replace(LOOSE, size=99)
    assert BrowserTree((LOOSE, GAME)).opened(grown, {}, None).roots == (grown, GAME)


def test_a_folder_takes_the_place_of_the_files_in_it() -> None:
    assert BrowserTree((ARCHIVE, LOOSE)).opened(GAME, {}, None).roots == (LOOSE, GAME)


def test_a_root_is_closed_with_everything_below_it() -> None:
    inner = {"/game": (ARCHIVE,), "/game/a.rlb": (), "/game/a.rlb::x": (), "/b.msh": ()}
    after = BrowserTree((GAME, LOOSE), inner).without("/game")
    assert (after.roots, set(after.children)) == ((LOOSE,), {"/b.msh"})


def test_of_too_many_roots_the_oldest_are_closed() -> None:
    tree = BrowserTree()
    for number in range(MOST_ROOTS + 3):
        path = f"/{number}.rlb"
        tree = tree.opened(BrowserEntry(path, path, "nres", can_open=True), {path: ()}, path)
    assert [root.address for root in tree.roots] == [f"/{number}.rlb" for number in range(3, MOST_ROOTS + 3)]
    assert len(tree.children) == MOST_ROOTS
