"""The lines of a text, wrapped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.ui.stage.text_view import LONGEST, line_at, lines_of, wrapped_line


def lines(words: str, room: float = 0.0) -> list[tuple[int | None, str]]:
    """The lines if every letter is one wide."""
    return [*lines_of(words, len, room)]


def test_lines_are_numbered_from_one_whatever_ends_them() -> None:
    assert lines("a\r\nb\n\nc\x1a") == [(1, "a"), (2, "b"), (3, ""), (4, "c")]


@pytest.mark.parametrize(("offset", "line"), [(0, 1), (2, 1), (3, 2), (4, 3), (99, 3)])
def test_a_letter_is_in_a_line(offset: int, line: int) -> None:
    assert line_at("a\r\n\nb", offset) == line


def test_a_line_is_cut_after_a_blank_and_goes_on_without_a_number() -> None:
    assert lines("one two three", 8) == [(1, "one two"), (None, "three")]


def test_a_word_that_is_too_long_is_cut_anywhere() -> None:
    assert lines("abcdefg", 3) == [(1, "abc"), (None, "def"), (None, "g")]


def test_a_room_of_less_than_a_letter_shows_one() -> None:
    assert lines("ab", 0.5) == [(1, "a"), (None, "b")]


def test_a_tab_is_four_blanks() -> None:
    assert lines("a\tb") == [(1, "a    b")]


def test_a_line_of_a_megabyte_is_cut_in_little_time() -> None:
    measured = 0

    def width_of(part: str) -> int:
        nonlocal measured
        measured += len(part)
        return len(part)

    words = "x" * (1 << 20)
    assert "".join(part for _, part in lines_of(words, width_of, 100)) == words
    assert measured < 100 * len(words)
    assert max(len(part) for _, part in lines_of(words, len, 0)) == LONGEST


@given(st.text(st.characters(codec="cp1251", exclude_categories=["C"]), max_size=60), st.integers(1, 9))
def test_nothing_but_blanks_at_the_ends_is_lost(line: str, room: int) -> None:
    pieces = wrapped_line(line, len, room)
    assert "".join(pieces).replace(" ", "") == line.replace(" ", "")
    assert all(len(piece) <= room for piece in pieces)
