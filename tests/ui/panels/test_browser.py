"""The rows of the browser's tree."""

from __future__ import annotations

from types import MappingProxyType

from viewer.model.query.name_filter import NameFilter
from viewer.session.opened.browser_tree import BrowserEntry, BrowserTree
from viewer.ui.panels.browser import label_of, rows_of

ARCHIVE = BrowserEntry("a.rlb", "a.rlb", "nres", can_open=True)
NESTED = BrowserEntry("a.rlb::set", "set", "nres", can_open=True)
WALKER = BrowserEntry("a.rlb::walker.msh", "walker.msh", "msh")
TREE = BrowserEntry("a.rlb::set::tree.msh", "tree.msh", "msh")
TREES = BrowserTree((ARCHIVE,), MappingProxyType({"a.rlb": (NESTED, WALKER), "a.rlb::set": (TREE,)}))


def test_only_open_containers_show_their_entries() -> None:
    assert [row.key for row in rows_of(TREES, frozenset(), NameFilter())] == [ARCHIVE]
    rows = rows_of(TREES, frozenset({"a.rlb"}), NameFilter())
    assert [(row.key, row.depth) for row in rows] == [(ARCHIVE, 0), (NESTED, 1), (WALKER, 1)]


def test_filter_shows_matches_and_what_holds_them() -> None:
    rows = rows_of(TREES, frozenset(), NameFilter("t*.msh"))
    assert [row.key for row in rows] == [ARCHIVE, NESTED, TREE]


def test_filter_without_match_shows_nothing() -> None:
    assert rows_of(TREES, frozenset({"a.rlb"}), NameFilter("zzz")) == []


def test_tables_and_entries_without_a_name_are_called_after_what_they_are() -> None:
    table = BrowserEntry("a.msh::#3", "mbase", "normals")
    assert label_of(table, "msh") == "normals"
    assert label_of(WALKER, "nres") == "walker.msh"
    assert label_of(BrowserEntry("a.rlb::#3", "#3", "texm"), "nres") == "texm  #3"
