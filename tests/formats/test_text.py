"""Names: every byte is a letter and comes back, only ASCII is folded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.text import decode, encode, fold, is_text, until_nul


@given(st.binary())
def test_every_byte_survives_the_round_trip(raw: bytes) -> None:
    assert encode(decode(raw)) == raw
    assert len(decode(raw)) == len(raw)


def test_text_is_cp1251() -> None:
    assert decode(b"\xc1\xe0\xf8\xed\xff_1") == "Башня_1"
    assert encode("Башня_1") == b"\xc1\xe0\xf8\xed\xff_1"


def test_the_byte_that_cp1251_leaves_undefined_has_a_letter_of_its_own() -> None:
    assert decode(b"\x98") == "\x98"


@pytest.mark.parametrize("text", ["ä", "日本", "\x81"])
def test_letters_that_cp1251_lacks_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not in CP1251"):
        encode(text)


@given(st.binary())
def test_only_a_to_z_are_folded(raw: bytes) -> None:
    for before, after in zip(raw, fold(raw), strict=True):
        assert after == (before + 32 if ord("A") <= before <= ord("Z") else before)


@pytest.mark.parametrize(
    ("raw", "expected"), [(b"abc\0def\0", b"abc"), (b"abc", b"abc"), (b"\0abc", b""), (b"", b"")]
)
def test_a_name_ends_at_its_first_nul(raw: bytes, expected: bytes) -> None:
    assert until_nul(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"a", True),
        (b"name\t1\r\n", True),
        (b"\xc1\xe0", True),
        (b"", False),
        (b" \n", False),
        (b"a\0b", False),
    ],
)
def test_bytes_are_a_text_if_they_hold_no_control_characters(raw: bytes, expected: bool) -> None:
    assert is_text(raw) is expected
