"""The digits of rows of bytes, and which byte is where."""

from __future__ import annotations

import pytest

from viewer.ui.bytes.hex_grid import _column, _digits


@pytest.mark.parametrize("columns", [4, 8, 16, 32])
@pytest.mark.parametrize("count", [1, 16, 45])
def test_digits_are_where_the_layout_has_their_bytes(columns: int, count: int) -> None:
    data = bytes((37 * it) & 0xFF for it in range(count))
    width = _column(columns) - 1
    text = _digits(data, columns)
    assert len(text) == -(-count // columns) * width
    for offset, byte in enumerate(data):
        row, column = divmod(offset, columns)
        start = row * width + 3 * column + column // 8
        assert text[start : start + 2] == f"{byte:02x}"
    assert text.replace(" ", "") == data.hex()
