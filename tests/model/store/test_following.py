"""Addresses follow their entries through an edit of the file."""

from __future__ import annotations

import pytest

from tests.formats.archive.test_rsli_edit import library as packed_library
from viewer.formats import splice
from viewer.formats.archive.nres import NewEntry, build
from viewer.model.edit.archive.entries import (
    AddEntry,
    MoveEntry,
    RemoveEntry,
    RenameEntry,
    ReplaceEntry,
)
from viewer.model.edit.change import Change
from viewer.model.edit.draft import Draft
from viewer.model.kinds.registry import ARCHIVE, PACKED
from viewer.model.store.following import Entries, entries_after

DATA = build(
    [
        NewEntry(1, b"first", b"a"),
        NewEntry(1, b"second", b"same"),
        NewEntry(1, b"third", b"same"),
        NewEntry(1, b"", b"empty"),
        NewEntry(2, build([NewEntry(1, b"inner", b"x"), NewEntry(1, b"other", b"y")]), b"i.lib"),
    ]
)


@pytest.mark.parametrize(
    ("change", "entries", "expected"),
    [
        (RenameEntry("a", "b"), ("a",), ("b",)),
        (RenameEntry("a", "b"), ("#0",), ("#0",)),
        (RenameEntry("#2", "b"), ("#2",), ("#2",)),
        (RenameEntry("i.lib", "j.lib"), ("i.lib", "x"), ("j.lib", "x")),
        (RemoveEntry("a"), ("a",), None),
        (RemoveEntry("a"), ("#2",), ("#1",)),
        (RemoveEntry("#1"), ("#2",), ("same",)),
        (RemoveEntry("empty"), ("empty",), None),
        (RemoveEntry("i.lib"), ("i.lib", "x"), None),
        (AddEntry("new", b"12345678", row=0), ("#2",), ("#3",)),
        (AddEntry("new", b"12345678", row=0), ("empty",), ("empty",)),
        (ReplaceEntry("a", b"much longer than before"), ("a",), ("a",)),
        (ReplaceEntry("#1", b"much longer than before"), ("#2",), ("#2",)),
        (ReplaceEntry("a", b""), ("i.lib", "y"), ("i.lib", "y")),
        (MoveEntry("#2", 0), ("#2",), ("same",)),
        (RemoveEntry("a"), ("nowhere",), ("nowhere",)),
        (RemoveEntry("a"), (), ()),
    ],
)
def test_an_address_follows_its_entry(change: Change, entries: Entries, expected: Entries | None) -> None:
    draft = Draft(ARCHIVE, DATA)
    change.apply(draft)
    assert entries_after(DATA, draft.data, draft.splices, entries) == expected
    if expected is not None:
        assert entries_after(draft.data, DATA, splice.reverse(draft.splices), expected) == entries


def test_an_entry_inside_a_nested_archive_is_followed() -> None:
    inner = Draft(ARCHIVE, bytes(build([NewEntry(1, b"inner", b"x"), NewEntry(1, b"other", b"y")])))
    RenameEntry("x", "z").apply(inner)
    draft = Draft(ARCHIVE, DATA)
    ReplaceEntry("i.lib", bytes(inner.data)).apply(draft)
    assert entries_after(DATA, draft.data, draft.splices, ("i.lib", "x")) == ("i.lib", "z")
    assert entries_after(DATA, draft.data, draft.splices, ("i.lib", "y")) == ("i.lib", "y")


def test_a_renamed_member_is_followed() -> None:
    data = bytes(packed_library([0x20, 0x40]).data)
    draft = Draft(PACKED, data)
    RenameEntry("NAME0", "ZEBRA").apply(draft)
    assert entries_after(data, draft.data, draft.splices, ("NAME0",)) == ("ZEBRA",)
    assert entries_after(data, draft.data, draft.splices, ("NAME1",)) == ("NAME1",)
