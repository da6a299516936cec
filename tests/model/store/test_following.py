"""Addresses follow their entries through an edit of the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.archive.test_rsli_edit import library as packed_library
from viewer.errors import MshviewError
from viewer.formats import splice
from viewer.formats.archive.nres import NewEntry, build
from viewer.model.edit.archive.entries import (
    AddEntry,
    DescribeEntry,
    RemoveEntry,
    RenameEntry,
    ReplaceEntry,
)
from viewer.model.edit.archive.entry_order import MoveEntry
from viewer.model.edit.change import Change
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import lifted
from viewer.model.kinds.registry import ARCHIVE, PACKED, promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.following import Entries, entries_after
from viewer.model.store.item import Item
from viewer.model.store.writing import NewFile
from viewer.model.write.saving import write

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


def test_an_entry_of_a_nested_archive_is_followed_by_its_bytes() -> None:
    """Both have one name, so only the place of its bytes tells which one it is."""
    inner = build([NewEntry(1, b"inner", b"x"), NewEntry(1, b"other", b"x")])
    path, store = Path("memory.rlb"), FileStore()
    store.unsaved.overlay(path, build([NewEntry(2, inner, b"i.lib")]))
    address = Address(path, ("i.lib",))
    draft = Draft(ARCHIVE, store.open(address).data)
    ReplaceEntry("#0", b"longer than before").apply(draft)
    data, splices = bytes(store.file(path)), lifted(store, address, draft.splices)
    after = splice.applied(data, splices)
    assert entries_after(data, after, splices, ("i.lib", "#1")) == ("i.lib", "#1")


def test_a_renamed_member_is_followed() -> None:
    data = bytes(packed_library([0x20, 0x40]).data)
    draft = Draft(PACKED, data)
    RenameEntry("NAME0", "ZEBRA").apply(draft)
    assert entries_after(data, draft.data, draft.splices, ("NAME0",)) == ("ZEBRA",)
    assert entries_after(data, draft.data, draft.splices, ("NAME1",)) == ("NAME1",)


INNER = build([NewEntry(1, b"inner one", b"one"), NewEntry(1, b"inner two!!", b"two")])
ENTRIES = {"a": b"first", "b": b"second one", "i.lib": INNER, "p.lib": bytes(packed_library([0, 0x40]).data)}
PLAIN = build(NewEntry(1, payload, name.encode()) for name, payload in ENTRIES.items())
LEAVES: Final[tuple[tuple[str, ...], ...]] = (
    ("a",),
    ("b",),
    ("i.lib", "one"),
    ("i.lib", "two"),
    ("p.lib", "NAME0"),
    ("p.lib", "NAME1"),
)


def opened(store: FileStore, path: Path, entries: Sequence[str]) -> Item:
    """An entry, with a value that is made only once."""
    item = store.open(Address(path, tuple(entries)))
    item.once("value", lambda: bytes(item.data))
    return item


def edited(store: FileStore, path: Path, entries: tuple[str, ...], change: Change) -> None:
    """Make one change of an archive."""
    item = store.open(Address(path, entries))
    draft = Draft(promised_kind(item), item.data)
    change.apply(draft)
    store.change(path, lifted(store, Address(path, entries), draft.splices))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "x.rlb"
    file.write_bytes(PLAIN)
    return file


@pytest.mark.parametrize(
    ("holder", "change", "touched"),
    [
        ((), ReplaceEntry("a", b"longer than it was"), {("a",)}),
        ((), ReplaceEntry("b", b"SECOND one"), {("b",)}),
        ((), RenameEntry("a", "A1"), {("a",)}),
        ((), DescribeEntry("b", attr1=7), {("b",)}),
        ((), AddEntry("new", b"x", row=0), set()),
        ((), RemoveEntry("a"), {("a",)}),
        ((), MoveEntry("p.lib", 0), set()),
        (("i.lib",), ReplaceEntry("one", b""), {("i.lib", "one")}),
        (("i.lib",), AddEntry("three", b"3"), set()),
        (("p.lib",), ReplaceEntry("NAME0", b"other"), {("p.lib", "NAME0")}),
    ],
)
def test_only_what_is_touched_is_made_again(
    path: Path, holder: tuple[str, ...], change: Change, touched: set[tuple[str, ...]]
) -> None:
    store = FileStore()
    before = {entries: opened(store, path, entries) for entries in LEAVES}
    edited(store, path, holder, change)
    for entries in LEAVES:
        if entries in touched:
            continue
        after = store.open(Address(path, entries))
        assert after.made.get("value") == bytes(before[entries].data) == bytes(after.data), entries
        assert after.made is before[entries].made, entries
    for entries in touched - {("a",)}:
        assert "value" not in store.open(Address(path, entries)).made


def test_two_entries_of_the_same_name_are_not_confused(tmp_path: Path) -> None:
    path = tmp_path / "x.rlb"
    path.write_bytes(build([NewEntry(1, b"one", b"same"), NewEntry(1, b"two", b"same")]))
    store = FileStore()
    opened(store, path, ["#0"])
    opened(store, path, ["#1"])
    edited(store, path, (), RemoveEntry("#0"))
    assert store.open(Address(path, ("#0",))).made["value"] == b"two"


def test_all_spellings_of_the_path_keep_their_values(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    store = FileStore()
    relative = opened(store, Path("x.rlb"), ["b"])
    edited(store, path, (), ReplaceEntry("a", b"longer than it was"))
    assert opened(store, Path("x.rlb"), ["b"]).made is relative.made
    assert bytes(opened(store, Path("x.rlb"), ["a"]).data) == b"longer than it was"


def test_saved_bytes_keep_everything(path: Path) -> None:
    store = FileStore()
    edited(store, path, (), ReplaceEntry("a", b"longer than it was"))
    before = opened(store, path, ["a"])
    (saved,) = write([NewFile(path, store.file(path))])
    store.adopt(path, saved.revision)
    assert store.unsaved.paths == ()
    assert store.open(Address(path, ("a",))).made is before.made
    path.write_bytes(PLAIN)
    assert bytes(store.open(Address(path, ("a",))).data) == b"first"


def test_entries_of_unsaved_bytes_do_not_keep_the_file_in_memory(path: Path) -> None:
    store = FileStore()
    edited(store, path, (), ReplaceEntry("a", b"longer than it was"))
    opened(store, path, ["i.lib", "two"])
    edited(store, path, ("i.lib",), ReplaceEntry("one", b"longer than it was"))
    for entries in (("a",), ("i.lib",), ("i.lib", "one"), ("i.lib", "two")):
        item = store.open(Address(path, entries))
        assert item.data.obj == bytes(item.data), entries
    container = store.open(Address(path, ("i.lib",))).container
    assert container is not None
    assert container.data.obj != store.file(path)


def test_a_change_that_does_not_fit_is_refused(path: Path) -> None:
    store = FileStore()
    with pytest.raises(ValueError, match="other bytes"):
        store.change(path, (splice.Splice(20, b"wrong", b"right"),))
    assert store.unsaved.paths == ()


splices_of = st.lists(
    st.tuples(st.integers(0, len(PLAIN)), st.integers(0, 12), st.binary(max_size=12)), max_size=4
)


@given(splices_of)
def test_any_splices_leave_values_that_are_right(raw: list[tuple[int, int, bytes]]) -> None:
    """Whatever is replaced, headers and directories included: a kept value is that of the present bytes."""
    path = Path("memory.rlb")
    store = FileStore()
    store.unsaved.overlay(path, PLAIN)
    for entries in LEAVES:
        opened(store, path, entries)
    try:
        made = splice.ordered(splice.Splice(at, PLAIN[at : at + size], after) for at, size, after in raw)
    except ValueError:
        return
    store.change(path, made)
    fresh = FileStore()
    fresh.unsaved.overlay(path, splice.applied(PLAIN, made))
    for entries in LEAVES:
        assert outcome(store, path, entries) == outcome(fresh, path, entries)


def outcome(store: FileStore, path: Path, entries: tuple[str, ...]) -> object:
    try:
        item = opened(store, path, entries)
    except MshviewError as error:
        return str(error)
    return item.made["value"], bytes(item.data)


PAYLOADS: Final = [bytes([number]) * (number % 5 * 4) for number in range(12)]
"""Of 12 entries, some of them empty and many of one size."""
LIBRARY: Final = build(NewEntry(1, it, b"%d" % number) for number, it in enumerate(PAYLOADS))


@given(st.dictionaries(st.integers(0, len(PAYLOADS) - 1), st.binary(max_size=20)))
def test_of_many_splices_each_entry_has_its_own(replaced: dict[int, bytes]) -> None:
    """Entries before, between and behind those that are replaced keep their values, wherever they are now."""
    path, store = Path("memory.rlb"), FileStore()
    store.unsaved.overlay(path, LIBRARY)
    rows = range(len(PAYLOADS))
    before = [opened(store, path, (str(row),)) for row in rows]
    draft = Draft(ARCHIVE, LIBRARY)
    for row, data in replaced.items():
        ReplaceEntry(str(row), data).apply(draft)
    store.change(path, draft.splices)
    for row in rows:
        after, data = opened(store, path, (str(row),)), replaced.get(row, PAYLOADS[row])
        assert bytes(after.data) == data
        assert after.made["value"] == data
        # The span of an empty one says little: it may be within a splice.
        if data and data == PAYLOADS[row]:
            assert after.made is before[row].made, row
