"""Bytes as letters, and as many in a row as there is room for."""

from __future__ import annotations

import pytest

from viewer.ui.fields.hex_view import letters, offset_text, row_length


def test_what_is_no_letter_is_a_dot() -> None:
    assert letters(b"Texm\x00\xff~") == "Texm..~"


@pytest.mark.parametrize(("room", "count"), [(70, 16), (69, 8), (38, 8), (37, 4), (3, 4)])
def test_a_row_takes_no_more_room_than_there_is(room: float, count: int) -> None:
    """Offset, two digits and a letter for each byte, and a gap at every column."""
    assert row_length(room, gap=1, offset=4) == count


def test_offsets_are_as_long_as_the_last_one() -> None:
    assert [offset_text(0x10, size) for size in (0x20, 0xFFFF, 0x12345)] == ["0010", "0010", "00010"]
