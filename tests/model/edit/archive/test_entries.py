"""Changes of entries: the directory says what was asked for, everything else is as it was."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.archive.test_rsli_edit import WRITTEN, library
from tests.game_folders import MAT0, TEXM, texture
from viewer.errors import EditError, MshviewError, UsageError
from viewer.formats import mat0, splice
from viewer.formats.archive import nres, rsli
from viewer.formats.archive.nres import Archive, NewEntry, build, sort_order
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.text import fold
from viewer.model.edit.archive.entries import (
    AddEntry,
    AddMaterial,
    DescribeEntry,
    DuplicateEntry,
    RemoveEntry,
    RenameEntry,
    ReplaceEntry,
)
from viewer.model.edit.archive.entry_order import MoveEntry, ReorderEntries
from viewer.model.edit.change import Change
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import lifted, plan
from viewer.model.kinds.registry import ARCHIVE, PACKED, WEAR
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

WEAR_TYPE = int.from_bytes(b"WEAR", "little")
DATA = build(
    [
        NewEntry(WEAR_TYPE, b"1\r\n0 M\r\n", b"b.wea", attr3=1),
        NewEntry(7, b"twelve bytes", b"a", 1, 2, 3),
        NewEntry(7, b"", b"empty", 1, 2, 4),
    ]
)


class Row(NamedTuple):
    """What an archive says of one entry."""

    name: bytes
    payload: bytes
    numbers: tuple[int, int, int, int]


def rows_of(data: memoryview | bytes) -> list[Row]:
    archive = Archive.read(data)
    return [
        Row(it.name, bytes(archive.payload(it.index)), (it.type_id, it.attr1, it.attr2, it.attr3))
        for it in archive.entries
    ]


def changed(*changes: Change, data: bytes = DATA) -> memoryview:
    made = plan(Draft(ARCHIVE, data), changes)
    assert splice.applied(made.after, splice.reverse(made.splices)) == data
    return made.after


def test_an_entry_is_added_at_its_row() -> None:
    after = changed(AddEntry("new", b"bytes", 9, 1, 2, 3, row=1))
    assert rows_of(after) == [
        rows_of(DATA)[0],
        Row(b"new", b"bytes", (9, 1, 2, 3)),
        *rows_of(DATA)[1:],
    ]


def test_an_added_entry_is_described_like_its_likes() -> None:
    assert rows_of(changed(AddEntry("C.WEA", b"x")))[-1].numbers == (WEAR_TYPE, 0, 0, 1)
    assert rows_of(changed(AddEntry("C.WEA", b"x", 7, attr2=9)))[-1].numbers == (7, 1, 9, 0)
    wear = b"1\r\n0 METAL\r\n"
    assert rows_of(changed(AddEntry("c.wea", wear), data=build([])))[-1].numbers == (WEAR_TYPE, 0, 0, 0)


def test_the_type_of_an_added_entry_is_one_that_its_payload_can_have() -> None:
    """A material has neither magic nor suffix; a texture in a library of materials stays a texture."""
    materials = build([NewEntry(MAT0, mat0.build([PhaseRecord()]), b"METAL.0", attr1=2, attr2=6)])
    mixed = build([NewEntry(7, b"1", b"a.xyz"), NewEntry(9, b"2", b"a.uvw")])
    for name, payload, data, numbers in (
        ("DOME", mat0.build([PhaseRecord(b"A.0")]), materials, (MAT0, 2, 6, 0)),
        ("DOME.0", texture(), materials, (TEXM, 0, 0, 0)),
        ("DOME", mat0.build([PhaseRecord(b"A.0")]), build([]), (MAT0, 0, 0, 0)),
        ("what", b"anything", materials, (MAT0, 2, 6, 0)),
        ("what", b"anything", DATA, (0, 0, 0, 0)),
        ("b.xyz", b"anything", mixed, (7, 0, 0, 0)),
    ):
        assert rows_of(changed(AddEntry(name, payload), data=data))[-1].numbers == numbers


def test_rows_are_moved_and_reordered_without_their_payloads() -> None:
    before = rows_of(DATA)
    assert rows_of(changed(MoveEntry("a", 2))) == [before[0], before[2], before[1]]
    after = changed(ReorderEntries((2, 0, 1)))
    assert rows_of(after) == [before[2], before[0], before[1]]
    start = Archive.read(DATA).directory_offset
    assert after[:start] == DATA[:start]
    assert changed(ReorderEntries((0, 1, 2))) == DATA
    assert changed(MoveEntry("a", 1)) == DATA


def test_numbers_change_alone() -> None:
    made = plan(Draft(ARCHIVE, DATA), [DescribeEntry("#1", attr2=0x102)])
    assert [len(it.after) for it in made.splices] == [1]
    assert rows_of(made.after)[1].numbers == (7, 1, 0x102, 3)
    assert plan(Draft(ARCHIVE, DATA), [DescribeEntry("#1", type_id=7, attr1=1)]).splices == ()


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (AddEntry("", b""), "directory.name"),
        (AddEntry("x" * 36, b""), "directory.name"),
        (AddEntry("A", b""), "directory.name"),
        (AddEntry("\N{SNOWMAN}", b""), "directory.name"),
        (AddEntry("new", b"", attr3=1 << 32), "directory.attr3"),
        (AddEntry("new", b"", row=4), "directory[4]"),
        (RenameEntry("a", "EMPTY"), "directory[1].name"),
        (RenameEntry("a", "n\0l"), "directory[1].name"),
        (RenameEntry("wheel", "b"), "directory"),
        (DescribeEntry("a", attr1=-1), "directory[1].attr1"),
        (RemoveEntry("#3"), "directory"),
        (ReplaceEntry("wheel", b""), "directory"),
        (MoveEntry("a", 3), "directory[3]"),
        (ReorderEntries((0, 1)), "directory"),
        (ReorderEntries((0, 1, 1)), "directory"),
    ],
)
def test_what_the_directory_cannot_hold_is_refused(change: Change, place: str) -> None:
    draft = Draft(ARCHIVE, DATA)
    with pytest.raises(EditError) as refused:
        change.apply(draft)
    assert refused.value.where == place
    assert draft.splices == ()


def test_other_kinds_have_no_entries() -> None:
    with pytest.raises(UsageError):
        RemoveEntry("a").apply(Draft(WEAR, b"1\r\n0 M\r\n"))


names = st.text("abcdeABCDE\N{CYRILLIC SMALL LETTER ZHE}.", min_size=1, max_size=8)
payloads = st.binary(max_size=20)
numbers = st.integers(0, 0xFFFFFFFF)
changes = st.one_of(
    st.builds(AddEntry, names, payloads, numbers, numbers, numbers, numbers, st.integers(0, 3)),
    st.builds(RemoveEntry, names),
    st.builds(ReplaceEntry, names, payloads),
    st.builds(RenameEntry, names, names),
    st.builds(DescribeEntry, names, numbers, st.none(), numbers),
    st.builds(MoveEntry, names, st.integers(0, 3)),
)


def expected(rows: list[Row], change: Change) -> list[Row]:
    """The same change of a list."""
    found = next((i for i, it in enumerate(rows) if fold(it.name) == wanted(change)), -1)
    match change:
        case AddEntry():
            row = Row(
                change.name.encode("cp1251"),
                change.payload,
                (change.type_id or 0, change.attr1 or 0, change.attr2 or 0, change.attr3 or 0),
            )
            return [*rows[: change.row], row, *rows[change.row :]]
        case RemoveEntry():
            return [*rows[:found], *rows[found + 1 :]]
        case MoveEntry():
            others = [*rows[:found], *rows[found + 1 :]]
            return [*others[: change.row], rows[found], *others[change.row :]]
        case ReplaceEntry():
            new = rows[found]._replace(payload=change.payload)
        case RenameEntry():
            new = rows[found]._replace(name=change.name.encode("cp1251"))
        case DescribeEntry():
            attr2, attr3 = rows[found].numbers[1], rows[found].numbers[3]
            new = rows[found]._replace(numbers=(change.type_id or 0, attr2, change.attr2 or 0, attr3))
    return [*rows[:found], new, *rows[found + 1 :]]


def wanted(change: Change) -> bytes:
    return fold(getattr(change, "entry", "").encode("cp1251"))


@given(st.lists(st.tuples(names, payloads), max_size=4), st.lists(changes, max_size=6))
def test_any_changes_do_what_a_list_would(start: list[tuple[str, bytes]], todo: list[Change]) -> None:
    unique = {fold(name.encode("cp1251")): (name, payload) for name, payload in start}
    data = build(NewEntry(5, payload, name.encode("cp1251")) for name, payload in unique.values())
    rows = rows_of(data)
    draft = Draft(ARCHIVE, data)
    for change in todo:
        before = bytes(draft.data)
        try:
            change.apply(draft)
        except EditError:
            assert draft.data == before
        else:
            rows = expected(rows, change)
    archive = Archive.read(draft.data)
    assert rows_of(draft.data) == rows
    assert [it.sort_index for it in archive.entries] == sort_order([it.name for it in archive.entries])
    assert not archive.diagnostics
    assert splice.applied(draft.data, splice.reverse(draft.splices)) == data


@pytest.mark.parametrize("presorted", [True, False])
@pytest.mark.parametrize("name", ["zebra", "A", "NAME1B", "TWELVE.LETTE"])
def test_a_renamed_member_and_all_others_are_still_unpacked(name: str, *, presorted: bool) -> None:
    data = bytearray(library(WRITTEN, tail=b"behind").data)
    if not presorted:
        at = rsli.HEADER.field("presorted").offset
        data[at : at + 2] = bytes(2)
    before = rsli.PackedLibrary.read(data)
    draft = Draft(PACKED, bytes(data))
    RenameEntry("name1", name).apply(draft)
    after = rsli.PackedLibrary.read(draft.data)
    assert not after.diagnostics
    assert after.find(name.encode()) == 1
    assert len(after.data) == len(before.data)
    for index in range(len(WRITTEN)):
        assert after.payload(index) == before.payload(index)
    assert splice.applied(draft.data, splice.reverse(draft.splices)) == data


def test_a_packed_library_takes_payloads_and_names_only() -> None:
    draft = Draft(PACKED, bytes(library(WRITTEN).data))
    ReplaceEntry("NAME2", b"other" * 9).apply(draft)
    assert rsli.PackedLibrary.read(draft.data).payload(2) == b"other" * 9
    for change in (
        AddEntry("X", b""),
        RemoveEntry("NAME1"),
        MoveEntry("NAME1", 0),
        DescribeEntry("NAME1", 1),
    ):
        with pytest.raises(EditError, match="replaced and renamed"):
            change.apply(draft)
    for name in ("NAME1", "THIRTEENBYTES", ""):
        with pytest.raises(EditError) as refused:
            RenameEntry("NAME2", name).apply(draft)
        assert refused.value.where == "directory[2].name"


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), payloads), min_size=1, max_size=3),
    st.integers(0, 3),
    st.binary(max_size=30),
)
def test_an_edit_deep_inside_moves_what_follows_and_nothing_else(
    entries: list[tuple[str, bytes]], row: int, payload: bytes
) -> None:
    """An archive in a packed library in an archive: after the edit all else is as before."""
    inner = build(NewEntry(1, data, f"{i}{name}".encode()) for i, (name, data) in enumerate(entries))
    packed = bytes(library([0x40, 0x20]).data)
    packed = bytes(plan(Draft(PACKED, packed), [ReplaceEntry("NAME1", inner)]).after)
    outer = build([NewEntry(2, b"first", b"first"), NewEntry(3, packed, b"p.lib"), NewEntry(2, b"z", b"z")])
    library_of = FileStore()
    path = Path("memory.rlb")
    library_of.unsaved.overlay(path, outer)
    row %= len(entries)
    name = f"{row}{entries[row][0]}"
    address = Address(path, ("p.lib", "NAME1"))
    item = library_of.open(address)
    made = plan(Draft(ARCHIVE, item.data), [ReplaceEntry(name, payload)])
    splices = lifted(library_of, address, made.splices)
    library_of.unsaved.overlay(path, splice.applied(outer, splices))
    assert library_of.open(address.child(name)).data == payload
    assert library_of.open(address).data == made.after
    for other in (Address(path, ("first",)), Address(path, ("z",)), Address(path, ("p.lib", "NAME0"))):
        assert bytes(library_of.open(other).data) == bytes(_opened(outer, other))
    assert [it.name for it in Archive.read(library_of.file(path)).entries] == [b"first", b"p.lib", b"z"]
    assert splice.applied(library_of.file(path), splice.reverse(splices)) == outer


def _opened(data: bytes, address: Address) -> memoryview:
    store = FileStore()
    store.unsaved.overlay(address.path, data)
    return store.open(address).data


@given(st.binary(min_size=16, max_size=300))
def test_damaged_archives_are_changed_or_refused(tail: bytes) -> None:
    data = DATA[:40] + tail + DATA[40 + len(tail) :]
    for change in (ReplaceEntry("a", b"longer than it was"), RenameEntry("a", "c"), RemoveEntry("a")):
        draft = Draft(ARCHIVE, data)
        try:
            change.apply(draft)
        except MshviewError:
            assert draft.data == data
        else:
            assert splice.applied(draft.data, splice.reverse(draft.splices)) == data


def test_a_payload_with_bytes_of_another_is_not_changed(tmp_path: Path) -> None:
    data = bytearray(build([NewEntry(1, b"12345678", b"a"), NewEntry(1, b"abcdefgh", b"b")]))
    at = len(data) - nres.ENTRY.size + nres.ENTRY.field("data_offset").offset
    data[at : at + 4] = (nres.HEADER.size + 4).to_bytes(4, "little")
    path = tmp_path / "x.lib"
    path.write_bytes(data)
    store = FileStore()
    alone = splice.between(b"12345678", b"X2345678")
    assert len(lifted(store, Address(path, ("a",)), alone)) == 1
    shared = splice.between(b"12345678", b"1234567X")
    with pytest.raises(MshviewError, match="overlaps"):
        lifted(store, Address(path, ("a",)), shared)


def test_an_entry_is_duplicated_under_a_free_name() -> None:
    wanted = rows_of(DATA)[0]
    for name, entry, found in (("b_2.wea", "b.wea", None), ("c.wea", "#0", "c.wea")):
        after = rows_of(changed(DuplicateEntry(entry, found)))
        assert after[:-1] == rows_of(DATA)
        assert after[-1] == wanted._replace(name=name.encode())
    twice = plan(Draft(ARCHIVE, DATA), [DuplicateEntry("a"), DuplicateEntry("a")]).after
    assert [it.name for it in rows_of(twice)][-2:] == [b"a_2", b"a_3"]
    with pytest.raises(EditError):
        changed(DuplicateEntry("a", "empty"))


def test_a_new_material_is_plain_and_valid() -> None:
    after = Archive.read(changed(AddMaterial(), AddMaterial(), AddMaterial("DOME")))
    assert [it.text for it in after.entries][-3:] == ["MATERIAL", "MATERIAL_2", "DOME"]
    for entry in after.entries[-3:]:
        assert (entry.type_id, entry.attr1, entry.attr2) == (MAT0, mat0.LIT_SKIN, mat0.VERSION)
        assert mat0.decode(after.payload(entry.index)).phases["diffuse"].tolist() == [[255, 255, 255]]
        assert mat0.decode(after.payload(entry.index)).phases["ambient"].tolist() == [[0, 0, 0]]
