"""The browser's trees."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.builders import archive_of
from viewer.model.query.names import NameFilter
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.progress import Cancelled, Progress, working
from viewer.session.opened import listing
from viewer.session.opened.browser import (
    MOST_ROOTS,
    ROOTS,
    BrowserArrangement,
    BrowserTree,
    arrange,
    neighbour,
)
from viewer.session.opened.entry_list import BrowserEntry, EntryOrder


def test_the_way_to_an_entry_goes_through_every_container() -> None:
    folder = BrowserEntry(Address.parse("game"), "game", "folder", can_open=True)
    archive = BrowserEntry(Address.parse("game/a.rlb"), "a.rlb", "nres", can_open=True)
    model = BrowserEntry(Address.parse("game/a.rlb::a"), "a", "msh")
    browser = (
        BrowserTree((folder,))
        .listed(Address.parse("game"), (archive,))
        .listed(Address.parse("game/a.rlb"), (model,))
    )
    assert browser.containers_above(model.address) == {Address.parse("game"), Address.parse("game/a.rlb")}
    assert (
        browser.containers_above(Address.parse("elsewhere")) == browser.containers_above(None) == frozenset()
    )


def test_opening_inside_a_folder_that_is_shown_keeps_the_folder() -> None:
    folder = BrowserEntry(Address.parse("/game"), "game", "folder", can_open=True)
    archive = BrowserEntry(Address.parse("/game/a.rlb"), "a.rlb", "nres", can_open=True)
    before = BrowserTree((folder,)).listed(Address.parse("/game"), (archive,))
    inside = before.opened(archive, {archive.address: ()}, archive.address.child("a"))
    assert (inside.roots, set(inside.children)) == ((folder,), {folder.address, archive.address})


GAME = BrowserEntry(Address.parse("/game"), "game", "folder", can_open=True)
ARCHIVE = BrowserEntry(Address.parse("/game/a.rlb"), "a.rlb", "nres", can_open=True)
LOOSE = BrowserEntry(Address.parse("/b.msh"), "b.msh", "msh")


def test_opening_a_loose_file_keeps_what_is_shown() -> None:
    before = BrowserTree((GAME,)).listed(Address.parse("/game"), (ARCHIVE,))
    after = before.opened(LOOSE, {}, Address.parse("/b.msh"))
    assert after.roots == (GAME, LOOSE)
    assert (dict(after.children), after.current) == ({GAME.address: (ARCHIVE,)}, LOOSE.address)


def test_a_file_that_has_changed_keeps_its_position() -> None:
    grown = replace(LOOSE, size=99)
    assert BrowserTree((LOOSE, GAME)).opened(grown, {}, None).roots == (grown, GAME)


def test_a_folder_takes_the_place_of_the_files_in_it() -> None:
    assert BrowserTree((ARCHIVE, LOOSE)).opened(GAME, {}, None).roots == (LOOSE, GAME)


def test_a_root_is_closed_with_everything_below_it() -> None:
    inner = {GAME.address: (ARCHIVE,), ARCHIVE.address: (), ARCHIVE.address.child("x"): (), LOOSE.address: ()}
    after = BrowserTree((GAME, LOOSE), inner).without(GAME.address)
    assert (after.roots, set(after.children)) == ((LOOSE,), {LOOSE.address})


def test_of_too_many_roots_the_oldest_are_closed() -> None:
    tree = BrowserTree()
    for number in range(MOST_ROOTS + 3):
        path = Address(Path(f"/{number}.rlb"))
        tree = tree.opened(BrowserEntry(path, path.name, "nres", can_open=True), {path: ()}, path)
    assert [str(root.address) for root in tree.roots] == [
        f"{os.sep}{number}.rlb" for number in range(3, MOST_ROOTS + 3)
    ]
    assert len(tree.children) == MOST_ROOTS


PLAIN = BrowserArrangement()


def entry(name: str, kind: str = "msh") -> BrowserEntry:
    return BrowserEntry(Address.parse(f"robots.rlb::{name}"), name, kind)


BROWSER = BrowserTree(
    (BrowserEntry(Address.parse("robots.rlb"), "robots.rlb", "nres", can_open=True),),
    current=Address.parse("robots.rlb::a"),
).listed(Address.parse("robots.rlb"), (entry("a"), entry("wear", "wear"), entry("b")))


def test_the_neighbour_is_the_next_model() -> None:
    assert neighbour(BROWSER, PLAIN, 1) == entry("b")


def test_what_is_no_model_has_neighbours_of_its_own_kind() -> None:
    row = BrowserEntry(Address.parse("robots.rlb"), "robots.rlb", "nres", can_open=True)
    textures = entry("A.0", "texm"), entry("sound", "wav"), entry("B.0", "texm")
    browser = BrowserTree((row,), current=Address.parse("robots.rlb::a")).listed(
        Address.parse("robots.rlb"), (entry("a"), *textures)
    )
    assert neighbour(browser, PLAIN, 1, Address.parse("robots.rlb::A.0")) == entry("B.0", "texm")
    assert neighbour(browser, PLAIN, -1, Address.parse("robots.rlb::A.0")) is None


def test_there_is_no_neighbour_beyond_the_ends() -> None:
    assert neighbour(BROWSER, PLAIN, -1) is None
    assert neighbour(BROWSER, PLAIN, 2) is None


def test_a_document_that_is_not_listed_has_no_neighbours() -> None:
    assert neighbour(BrowserTree(current=Address.parse("elsewhere.msh")), PLAIN, 1) is None


def shown(tree: BrowserTree, arrangement: BrowserArrangement, at: Address) -> list[str]:
    """The names that are shown below an address."""
    rows, indices = arrangement.shown(at, tree.roots if at == ROOTS else tree.children[at])
    return [rows[index].name for index in indices.tolist()]


@pytest.fixture
def tree(tmp_path: Path) -> BrowserTree:
    """A game folder with two archives, one with an archive in it, and a damaged one."""
    inner = archive_of({"deep.msh": b"1", "other": b"22"})
    (tmp_path / "a.rlb").write_bytes(archive_of({"inner.rlb": inner, "walker.msh": b"", "Deep.tex": b"4444"}))
    (tmp_path / "b.lib").write_bytes(archive_of({"z": b"1", "A": b"333"}))
    (tmp_path / "c.lib").write_bytes(b"NResX")
    address = Address(tmp_path)
    root = listing.folder_row(tmp_path)
    return BrowserTree((root,)).listed(root.address, listing.entries_below(FileStore(), address))


def read_all(tree: BrowserTree, text: str) -> tuple[BrowserTree, BrowserArrangement]:
    """What the browser does while a filter is set: read what is unread until nothing is."""
    store, found = FileStore(), arrange(tree, NameFilter(text), EntryOrder.FILE)
    while found.unread:
        listings, unreadable = listing.everything_below(store, found.unread[0])
        tree = tree.with_listings(listings, unreadable)
        found = arrange(tree, found.requested, found.order, found)
    return tree, found


def test_a_filter_says_what_is_still_to_be_read(tree: BrowserTree) -> None:
    found = arrange(tree, NameFilter("deep"), EntryOrder.FILE)
    assert (found.hits, found.read, found.total) == (0, 0, 3)
    assert [address.path.name for address in found.unread] == ["a.rlb", "b.lib", "c.lib"]


def test_a_filter_finds_entries_in_folded_archives_and_shows_what_holds_them(tree: BrowserTree) -> None:
    tree, found = read_all(tree, "deep")
    folder = tree.roots[0].address
    assert found.hits == 2
    assert (found.read, found.total) == (4, 4)
    assert shown(tree, found, ROOTS) == [folder.path.name]
    assert shown(tree, found, folder) == ["a.rlb"]
    assert shown(tree, found, Address.parse(f"{folder}/a.rlb")) == ["inner.rlb", "Deep.tex"]
    assert shown(tree, found, Address.parse(f"{folder}/a.rlb::inner.rlb")) == ["deep.msh"]
    assert tree.unreadable == {Address.parse(f"{folder}/c.lib")}


def test_wildcards_go_on_working_in_folded_archives(tree: BrowserTree) -> None:
    tree, found = read_all(tree, "d*.msh")
    assert found.hits == 1


def test_lists_are_arranged_once(tree: BrowserTree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree, found = read_all(tree, "deep")
    calls = []
    rows = type(tree.children[Address.parse(f"{tree.roots[0].address}/a.rlb")])
    monkeypatch.setattr(rows, "matching", lambda *_: calls.append(1))
    again = arrange(tree, found.requested, found.order, found)
    assert (again.hits, calls) == (found.hits, [])


@pytest.mark.parametrize(
    ("order", "names"),
    [
        (EntryOrder.FILE, ["inner.rlb", "walker.msh", "Deep.tex"]),
        (EntryOrder.NAME, ["Deep.tex", "inner.rlb", "walker.msh"]),
        (EntryOrder.KIND, ["Deep.tex", "walker.msh", "inner.rlb"]),
        (EntryOrder.SIZE, ["inner.rlb", "Deep.tex", "walker.msh"]),
    ],
)
def test_entries_in_an_order(tree: BrowserTree, order: EntryOrder, names: list[str]) -> None:
    tree, _ = read_all(tree, "no such name")
    found = arrange(tree, NameFilter(), order)
    assert shown(tree, found, Address.parse(f"{tree.roots[0].address}/a.rlb")) == names


def test_folders_stay_first(tmp_path: Path) -> None:
    (tmp_path / "z").mkdir()
    (tmp_path / "a.txt").write_bytes(b"1")
    rows = listing.entries_below(FileStore(), Address(tmp_path))
    for order in EntryOrder:
        assert [rows[index].name for index in rows.order(order).tolist()] == ["z", "a.txt"]


def test_a_neighbour_is_the_next_one_as_shown(tree: BrowserTree) -> None:
    tree, _ = read_all(tree, "no such name")
    by_name = arrange(tree, NameFilter(), EntryOrder.NAME)
    upper = Address.parse(f"{tree.roots[0].address}/b.lib::A")
    found = neighbour(tree, by_name, 1, upper)
    assert found is not None
    assert (found.name, found.address.container) == ("z", upper.container)
    assert neighbour(tree, PLAIN, 1, upper) is None


def test_a_list_that_is_newer_than_the_filter_shows_nothing_yet(tree: BrowserTree) -> None:
    before = arrange(tree, NameFilter("z"), EntryOrder.FILE)
    archive = f"{tree.roots[0].address}/b.lib"
    rows = listing.entries_below(FileStore(), Address.parse(archive))
    assert before.shown(Address.parse(archive), rows)[1].tolist() == []
    assert PLAIN.shown(Address.parse(archive), rows)[1].tolist() == [0, 1]


def test_a_cancelled_filter_ends(tree: BrowserTree) -> None:
    progress = Progress()
    progress.cancel()
    with working(progress), pytest.raises(Cancelled):
        arrange(tree, NameFilter("z"), EntryOrder.FILE)


def test_a_folder_that_is_a_link_is_not_looked_into(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path)
    root = listing.folder_row(tmp_path)
    rows = listing.entries_below(FileStore(), Address(tmp_path))
    tree = BrowserTree((root,)).listed(root.address, rows)
    assert arrange(tree, NameFilter("x"), EntryOrder.FILE).unread == ()


def test_archives_that_were_read_for_a_filter_are_not_kept(tree: BrowserTree) -> None:
    store = FileStore()
    path = tree.roots[0].address.path / "a.rlb"
    listing.everything_below(store, Address(path))
    assert not store.has(path)
    store.open(Address(path))
    listing.everything_below(store, Address(path))
    assert store.has(path)
