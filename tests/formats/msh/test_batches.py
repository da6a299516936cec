"""Res13: the worked example, and the unaligned index start."""

from __future__ import annotations

from viewer.formats.msh.batches import BATCH

EXAMPLE = bytes.fromhex("0000 0300 0000 0000 0600 00000000 0400 00000000")


def test_the_worked_example() -> None:
    assert BATCH.row(BATCH.read(EXAMPLE)) == {
        "flags": 0,
        "material": 3,
        "opaque4": 0,
        "opaque6": 0,
        "index_count": 6,
        "index_start": 0,
        "opaque14": 4,
        "base_vertex": 0,
    }


def test_wide_fields_are_packed_without_alignment() -> None:
    data = bytes.fromhex("0100 0200 0300 0400 0500 06000100 0700 08000200")
    assert list(BATCH.row(BATCH.read(data)).values()) == [1, 2, 3, 4, 5, 0x10006, 7, 0x20008]
    assert BATCH.field("index_start").offset == 0x0A
