"""Editing a container: what was not edited stays, what was is found again.

The parts and the names of an archive.
"""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.broken.fuzz import CHANGES, Changes, damaged
from tests.formats.archive.test_nres import containers, scattered
from tests.formats.contract import check_field_change, check_payload
from viewer.errors import FormatError
from viewer.formats.archive import nres
from viewer.formats.archive.nres import ENTRY, HEADER, Archive, NewEntry, build, sort_order
from viewer.formats.archive.nres_edit import Edit
from viewer.formats.part import BytePlace, place_at, raw
from viewer.formats.text import fold

REGION = b"a region that no entry owns, long enough"
TAIL = b"tail behind the NUL".ljust(31, b"!")


def archive_with_region() -> Archive:
    """Three entries, bytes behind the NUL of a name, an unindexed region before the last payload."""
    first = NewEntry(1, b"first", name_raw=b"One\0\0" + TAIL, attr1=7, attr2=8, attr3=9)
    hole = NewEntry(0, REGION, b"hole")
    data = build([first, NewEntry(2, b"second!!", b"two"), hole, NewEntry(3, b"third", b"Three")])
    edit = bytearray(data)
    start = len(data) - 4 * ENTRY.size
    del edit[start + 2 * ENTRY.size : start + 3 * ENTRY.size]
    for name, value in (("entry_count", 3), ("total_size", len(edit))):
        at = HEADER.field(name).offset
        edit[at : at + 4] = value.to_bytes(4, "little")
    for row, place in enumerate(sort_order([b"One", b"two", b"Three"])):
        at = start + row * ENTRY.size + ENTRY.field("sort_index").offset
        edit[at : at + 4] = place.to_bytes(4, "little")
    return Archive.read(bytes(edit))


def contents(archive: Archive) -> list[tuple[bytes, bytes]]:
    return [(entry.name, bytes(archive.payload(entry.index))) for entry in archive.entries]


def is_sorted(archive: Archive) -> bool:
    stored = [entry.sort_index for entry in archive.entries]
    return stored == sort_order([entry.name for entry in archive.entries])


def test_nothing_edited_is_the_same_bytes() -> None:
    archive = archive_with_region()
    assert Edit(archive).encode() == archive.data


def test_an_edit_taken_back_is_the_same_bytes() -> None:
    archive = archive_with_region()
    edit = Edit(archive)
    edit.replace(0, b"something else")
    edit.replace(0, b"first")
    assert edit.encode() == archive.data


def test_a_rename_changes_names_and_sort_indices_alone() -> None:
    archive = archive_with_region()
    edit = Edit(archive)
    edit.rename(1, b"zebra")
    result = Archive.read(edit.encode())
    assert contents(result) == [(b"One", b"first"), (b"zebra", b"second!!"), (b"Three", b"third")]
    assert (
        result.data[: result.directory_offset][HEADER.size :]
        == archive.data[: archive.directory_offset][HEADER.size :]
    )
    assert result.entries[0].name_raw == archive.entries[0].name_raw
    assert is_sorted(result)
    assert result.find(b"ZEBRA") == 1


def test_a_removed_entry_leaves_the_region_and_the_others() -> None:
    archive = archive_with_region()
    edit = Edit(archive)
    edit.remove(1)
    result = Archive.read(edit.encode())
    assert contents(result) == [(b"One", b"first"), (b"Three", b"third")]
    assert REGION in bytes(result.data)
    assert b"second" not in bytes(result.data)
    assert all(entry.offset % 8 == 0 for entry in result.entries)
    assert is_sorted(result)


def test_an_added_entry_comes_at_its_row_and_behind_all_payloads() -> None:
    archive = archive_with_region()
    edit = Edit(archive)
    assert edit.add(NewEntry(9, b"new", b"alpha", attr1=1, attr2=2, attr3=3), 1) == 1
    result = Archive.read(edit.encode())
    assert [name for name, _ in contents(result)] == [b"One", b"alpha", b"two", b"Three"]
    added = result.entries[1]
    assert (added.type_id, added.attr1, added.attr2, added.attr3) == (9, 1, 2, 3)
    assert added.offset == max(entry.offset for entry in result.entries)
    kept = result.entries[0]
    assert (kept.attr1, kept.attr2, kept.attr3, kept.name_raw) == (7, 8, 9, archive.entries[0].name_raw)
    assert is_sorted(result)


def test_reordering_moves_rows_and_no_payload() -> None:
    archive = archive_with_region()
    edit = Edit(archive)
    edit.reorder([2, 0, 1])
    result = Archive.read(edit.encode())
    assert contents(result) == [(b"Three", b"third"), (b"One", b"first"), (b"two", b"second!!")]
    assert (
        result.data[HEADER.size : result.directory_offset]
        == archive.data[HEADER.size : archive.directory_offset]
    )
    assert is_sorted(result)


@pytest.mark.parametrize("name", [b"", b"x" * 36, b"a\0b"])
def test_a_name_that_does_not_fit_is_refused(name: bytes) -> None:
    with pytest.raises(ValueError, match="name"):
        Edit(archive_with_region()).rename(0, name)


def test_an_order_that_forgets_a_row_is_refused() -> None:
    with pytest.raises(ValueError, match="order"):
        Edit(archive_with_region()).reorder([0, 1])


def overlapping() -> Archive:
    """Two entries: the last four bytes of the first are the first four of the second."""
    data = bytearray(build([NewEntry(1, b"12345678", b"a"), NewEntry(1, b"abcdefgh", b"b")]))
    at = len(data) - ENTRY.size + ENTRY.field("data_offset").offset
    data[at : at + 4] = (HEADER.size + 4).to_bytes(4, "little")
    return Archive.read(bytes(data))


def test_overlapping_payloads_are_not_moved() -> None:
    edit = Edit(overlapping())
    edit.remove(0)
    with pytest.raises(FormatError, match="overlaps"):
        edit.encode()


def test_bytes_of_two_entries_are_not_changed_for_one() -> None:
    own, shared = Edit(overlapping()), Edit(overlapping())
    own.replace(0, b"ABCD5678")
    shared.replace(0, b"1234567H")
    assert bytes(Archive.read(own.encode()).payload(0)) == b"ABCD5678"
    with pytest.raises(FormatError, match="overlaps the payload of entry 1"):
        shared.encode()


def test_added_payloads_are_aligned_and_the_directory_behind_them() -> None:
    edit = Edit(Archive.read(build([NewEntry(1, b"12345", b"a")])))
    edit.add(NewEntry(1, b"12345", b"b"))
    edit.add(NewEntry(1, b"12345678", b"c"))
    result = Archive.read(edit.encode())
    assert [entry.offset for entry in result.entries] == [16, 24, 32]
    assert result.directory_offset == 40


names = st.binary(min_size=1, max_size=8).filter(lambda name: 0 not in name)
steps = st.one_of(
    st.tuples(st.just("add"), names, st.binary(max_size=20)),
    st.tuples(st.just("remove"), st.integers(0, 99), st.none()),
    st.tuples(st.just("rename"), st.integers(0, 99), names),
    st.tuples(st.just("replace"), st.integers(0, 99), st.binary(max_size=20)),
    st.tuples(st.just("turn"), st.none(), st.none()),
)


@given(st.lists(st.tuples(names, st.binary(max_size=20)), max_size=5), st.lists(steps, max_size=8))
def test_any_edits_give_what_a_list_would(
    made: list[tuple[bytes, bytes]], todo: list[tuple[str, object, object]]
) -> None:
    edit = Edit(Archive.read(build(NewEntry(5, payload, name) for name, payload in made)))
    expected = list(made)
    for step, first, second in todo:
        apply(edit, expected, step, first, second)
    result = Archive.read(edit.encode())
    assert contents(result) == expected
    assert is_sorted(result)
    assert not result.diagnostics


def apply(edit: Edit, expected: list[tuple[bytes, bytes]], step: str, first: object, second: object) -> None:
    """Make one edit, and the same change to the list."""
    if step == "add" and isinstance(first, bytes) and isinstance(second, bytes):
        edit.add(NewEntry(5, second, first))
        expected.append((first, second))
    elif step == "turn":
        edit.reorder(range(len(expected))[::-1])
        expected.reverse()
    elif expected and isinstance(first, int):
        row = first % len(expected)
        if step == "remove":
            edit.remove(row)
            del expected[row]
        elif step == "rename" and isinstance(second, bytes):
            edit.rename(row, second)
            expected[row] = (second, expected[row][1])
        elif isinstance(second, bytes):
            edit.replace(row, second)
            expected[row] = (expected[row][0], second)


def test_attributes_change_alone() -> None:
    archive = archive_with_region()
    edit = Edit(archive)
    edit.describe(1, 4, 5, 6)
    result = Archive.read(edit.encode())
    changed = [index for index, byte in enumerate(archive.data) if byte != result.data[index]]
    start = archive.directory_offset + ENTRY.size
    assert [index - start for index in changed] == [4, 8, 16]
    assert (result.entries[1].attr1, result.entries[1].attr2, result.entries[1].attr3) == (4, 5, 6)


@given(containers(), st.integers(0, 4), st.binary(max_size=30), st.booleans())
def test_other_payloads_stay_however_they_overlap(
    data: bytes, row: int, payload: bytes, is_removed: bool
) -> None:
    """An edit of one entry leaves the bytes of all others, or is refused."""
    archive = Archive.read(data)
    if row >= len(archive.entries):
        return
    edit = Edit(archive)
    if is_removed:
        edit.remove(row)
    else:
        edit.replace(row, payload)
    try:
        result = Archive.read(edit.encode())
    except FormatError:
        return
    kept = [entry for entry in archive.entries if entry.index != row or not is_removed]
    for before, after in zip(kept, result.entries, strict=True):
        assert (after.name_raw, after.type_id) == (before.name_raw, before.type_id)
        if before.index == row:
            assert bytes(result.payload(after.index)) == payload
        elif not before.is_damaged:
            assert bytes(result.payload(after.index)) == bytes(archive.payload(before.index))


def test_an_entry_added_at_the_end_touches_no_row_but_its_own() -> None:
    edit = Edit(Archive.read(build([NewEntry(1, b"12345678", b"a"), NewEntry(1, b"12345678", b"c")])))
    edit.add(NewEntry(1, b"12345678", b"d"))
    assert all(it.end <= HEADER.size for it in edit.splices() if it.before)
    assert sum(len(it.after) - len(it.before) for it in edit.splices()) == 8 + ENTRY.size


def test_a_damaged_entry_has_no_bytes_that_keep_others_from_changing() -> None:
    data = bytearray(build([NewEntry(5, b"12345678", b"a"), NewEntry(5, b"abcdefgh", b"b")]))
    size = Archive.read(data).directory_offset + ENTRY.field("size").offset
    data[size : size + 4] = (1 << 16).to_bytes(4, "little")
    archive = Archive.read(bytes(data))
    edit = Edit(archive)
    edit.replace(1, b"ABCDEFGH")
    assert edit.encode() == bytes(data).replace(b"abcdefgh", b"ABCDEFGH")


def test_a_damaged_entry_is_not_filled_with_bytes_of_others() -> None:
    data = bytearray(build([NewEntry(5, b"12345678", b"a"), NewEntry(5, b"abcdefgh", b"b")]))
    size = Archive.read(data).directory_offset + ENTRY.field("size").offset
    data[size : size + 4] = (17).to_bytes(4, "little")
    archive = Archive.read(bytes(data))
    added, grown, edited = Edit(archive), Edit(archive), Edit(archive)
    added.add(NewEntry(1, b"added", b"c"))
    grown.replace(1, bytes(9))
    for edit in (added, grown):
        with pytest.raises(FormatError, match=r"directory\[0\]\.size: is damaged, but would have bytes"):
            edit.encode()
    edited.replace(0, b"edited")
    edited.replace(1, bytes(9))
    result = Archive.read(edited.encode())
    assert [bytes(result.payload(row)) for row in range(2)] == [b"edited", bytes(9)]


def test_a_damaged_entry_moves_with_its_bytes() -> None:
    data = bytearray(build([NewEntry(5, b"12345678", b"a"), NewEntry(5, b"abcdefgh", b"b")]))
    size = Archive.read(data).directory_offset + ENTRY.size + ENTRY.field("size").offset
    data[size : size + 4] = (1 << 16).to_bytes(4, "little")
    grown, shrunk = Edit(Archive.read(bytes(data))), Edit(Archive.read(bytes(data)))
    grown.replace(0, bytes(24))
    shrunk.remove(0)
    for edit in (grown, shrunk):
        result = Archive.read(edit.encode())
        (found,) = (entry for entry in result.entries if entry.name == b"b")
        assert (found.is_damaged, found.size) == (True, 1 << 16)
        assert bytes(result.data[found.offset : found.offset + 8]) == b"abcdefgh"


@given(CHANGES)
def test_any_damage_leaves_a_tree_that_tiles(changes: Changes) -> None:
    data = damaged(scattered(), changes)
    try:
        archive = Archive.read(data)
    except FormatError:
        return
    check_payload(data, nres.encode(archive), nres.parts(archive), archive.diagnostics)


@given(st.data())
def test_a_changed_field_changes_its_bytes_alone(data: st.DataObject) -> None:
    archive = Archive.read(scattered())
    check_field_change(archive, nres.encode, nres.parts(archive), data)


def test_parts_are_payloads_and_what_is_between_them() -> None:
    root = nres.parts(Archive.read(scattered()))
    assert [child.name for child in root.children] == ["container", "data", "directory", "tail"]
    assert [(part.name, part.start, part.size) for part in root.children[1].children] == [
        ("resource_1", 16, 6),
        ("unindexed", 22, 18),
        ("resource_0", 40, 5),
        ("padding", 45, 3),
    ]
    assert place_at(root, 41) == BytePlace("data", 2)


def test_a_million_entries_are_taken_apart_when_they_are_looked_at() -> None:
    count = 1_000_000
    rows = ENTRY.new(count)
    rows["data_offset"], rows["size"] = 16 + 8 * np.arange(count)[::-1], 5
    data = nres.close(bytearray(16 + 8 * count), rows)
    with patch("viewer.formats.archive.stretches.raw", wraps=raw) as made:
        area = nres.parts(Archive.read(data)).children[1]
        assert made.call_count < 10
        assert len(area.children) == 2 * count
        assert (area.children[0].name, area.children[1].name) == (f"resource_{count - 1}", "padding")
        assert place_at(area, 16 + 8 * 1000 + 2).row == 2000
    assert made.call_count < 100


@given(st.lists(st.binary(max_size=nres.NAME_SIZE - 1).filter(lambda name: b"\0" not in name), max_size=9))
def test_a_scan_of_the_names_finds_what_the_sorted_names_find(names: list[bytes]) -> None:
    archive = Archive.read(nres.build(nres.NewEntry(0, b"", name) for name in names))
    for name in (*names, *map(bytes.swapcase, names), b"", b"none of these", bytes(b"x" * 40)):
        assert archive._scan(fold(name)) == archive._first_by_name.get(fold(name))


def test_a_large_directory_is_sorted_by_name_only_for_many_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nres, "FEW", 2)
    archive = Archive.read(nres.build(nres.NewEntry(0, b"", b"n%d" % number) for number in range(5)))
    found = [archive.find(b"N3") for _ in range(nres.MOST_SCANS)]
    assert found == [3] * nres.MOST_SCANS
    assert "_first_by_name" not in vars(archive)
    assert archive.find(b"N3") == 3
    assert "_first_by_name" in vars(archive)
