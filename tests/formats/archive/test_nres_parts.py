"""A container taken apart: header, payloads, what is between them, directory."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.broken.fuzz import CHANGES, Changes, damaged
from tests.formats.archive.test_nres import scattered
from tests.formats.contract import check_field_change, check_payload
from viewer.errors import FormatError
from viewer.formats.archive import nres
from viewer.formats.archive.nres import ENTRY, Archive
from viewer.formats.part import ByteLocation, raw, spot_at


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
