"""Bytes as letters."""

from __future__ import annotations

from viewer.ui.hex_view import letters


def test_what_is_no_letter_is_a_dot() -> None:
    assert letters(b"Texm\x00\xff~") == "Texm..~"
