"""The rows of the browser's tree."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest

from viewer.formats.archive import nres
from viewer.model.query.names import NameFilter
from viewer.model.store.address import Address
from viewer.session.opened.browser import BrowserArrangement, BrowserTree, arrange
from viewer.session.opened.entry_list import ArchiveEntries, BrowserEntry, EntryOrder
from viewer.ui.panels.entry_view import EntryRows, label_of

ARCHIVE = BrowserEntry(Address.parse("a.rlb"), "a.rlb", "nres", can_open=True)
NESTED = BrowserEntry(Address.parse("a.rlb::set"), "set", "nres", can_open=True)
WALKER = BrowserEntry(Address.parse("a.rlb::walker.msh"), "walker.msh", "msh")
TREE = BrowserEntry(Address.parse("a.rlb::set::tree.msh"), "tree.msh", "msh")
TREES = BrowserTree(
    (ARCHIVE,), MappingProxyType({ARCHIVE.address: (NESTED, WALKER), NESTED.address: (TREE,)})
)


def rows_of(opened: frozenset[str], text: str = "", closed: frozenset[str] = frozenset()) -> EntryRows:
    found = arrange(TREES, NameFilter(text), EntryOrder.FILE)
    lists = (frozenset(map(Address.parse, it)) for it in (opened, closed))
    return EntryRows(TREES, found if text else BrowserArrangement(), *lists)


def entries(rows: EntryRows) -> list[BrowserEntry]:
    return [rows[place].entry for place in range(len(rows))]


def test_only_open_containers_show_their_entries() -> None:
    assert entries(rows_of(frozenset())) == [ARCHIVE]
    rows = rows_of(frozenset({"a.rlb"}))
    shown = [(rows[place].entry, rows[place].depth) for place in range(len(rows))]
    assert shown == [(ARCHIVE, 0), (NESTED, 1), (WALKER, 1)]


def test_rows_of_an_open_container_follow_its_own() -> None:
    rows = rows_of(frozenset({"a.rlb", "a.rlb::set"}))
    assert entries(rows) == [ARCHIVE, NESTED, TREE, WALKER]
    assert [rows[place].container_kind for place in range(4)] == [None, "nres", "nres", "nres"]
    assert [rows.find(row.address) for row in entries(rows)] == [0, 1, 2, 3]
    assert rows.find(Address.parse("elsewhere")) is None
    assert rows.kinds(frozenset({"msh"})).tolist() == [False, False, True, True]


def test_filter_shows_matches_and_what_holds_them() -> None:
    assert entries(rows_of(frozenset(), "t*.msh")) == [ARCHIVE, NESTED, TREE]


def test_what_a_filter_has_unfolded_can_be_folded() -> None:
    assert entries(rows_of(frozenset(), "t*.msh", frozenset({"a.rlb::set"}))) == [ARCHIVE, NESTED]


def test_filter_without_match_shows_nothing() -> None:
    assert entries(rows_of(frozenset({"a.rlb"}), "zzz")) == []


def test_rows_are_made_when_they_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many rows there are, they cost no more than those on screen."""
    names = np.char.mod("n%07d.msh", np.arange(100_000)).astype("S36")
    rows = nres.ENTRY.new(len(names))
    rows["name"] = names.view("V36").reshape(-1)
    archive = nres.Archive(memoryview(b""), nres.HEADER.new()[0], rows, 0)
    made: list[int] = []
    make = ArchiveEntries.entry

    def counted(entries: ArchiveEntries, index: int) -> BrowserEntry:
        made.append(index)
        return make(entries, index)

    monkeypatch.setattr(ArchiveEntries, "entry", counted)
    tree = BrowserTree((ARCHIVE,)).listed(
        Address.parse("a.rlb"), ArchiveEntries(Address.parse("a.rlb"), archive)
    )
    shown = EntryRows(tree, BrowserArrangement(), frozenset({Address.parse("a.rlb")}))
    assert len(shown) == 100_001
    assert shown[100_000].entry.name == "n0099999.msh"
    assert shown.find(Address.parse("a.rlb::n0050000.msh")) == 50_001
    found = arrange(tree, NameFilter("9999"), EntryOrder.NAME)
    assert found.hits == len(EntryRows(tree, found, frozenset())) - 1 == 19
    assert made == [99_999]


def test_tables_and_entries_without_a_name_are_called_after_what_they_are() -> None:
    table = BrowserEntry(Address.parse("a.msh::#3"), "mbase", "normals")
    assert label_of(table, "msh") == "normals"
    assert label_of(WALKER, "nres") == "walker.msh"
    assert label_of(BrowserEntry(Address.parse("a.rlb::#3"), "#3", "texm"), "nres") == "texm  #3"
