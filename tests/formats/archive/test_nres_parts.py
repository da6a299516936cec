"""The parts and the names of an archive."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.broken.fuzz import CHANGES, Changes, damaged
from tests.formats.archive.test_nres import scattered
from tests.formats.contract import check_field_change, check_payload
from viewer.errors import FormatError
from viewer.formats.archive import nres
from viewer.formats.archive.nres import ENTRY, Archive
from viewer.formats.part import ByteLocation, raw, spot_at
from viewer.formats.text import fold


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
    assert spot_at(root, 41) == ByteLocation("data", 2)


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
        assert spot_at(area, 16 + 8 * 1000 + 2).row == 2000
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
