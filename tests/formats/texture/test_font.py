"""Fonts: letters, the texture behind them, and damage."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_field_change, check_payload
from viewer.errors import FormatError
from viewer.formats.part import encode, find
from viewer.formats.texture import font
from viewer.formats.texture.pixels import PixelFormat

PICTURE = b"Texm" + struct.pack("<7I", 2, 1, 1, 0, 0, 0, 2) + bytes([7, 250])
LETTERS = b"".join(struct.pack("<4I", letter, 1, 2, 3) for letter in range(256))
FONT = b"Tfnt" + struct.pack("<4I", 9, 8, 7, 6) + LETTERS + PICTURE


def test_letters_and_their_texture() -> None:
    found = font.decode(FONT)
    assert font.TEXTURE_START == 4116
    assert found.header["unknown_0x04"].tolist() == [9, 8, 7, 6]
    assert found.glyphs["unknown_0x00"][65].tolist() == [65, 1, 2, 3]
    assert found.texture is not None
    assert found.texture.format is PixelFormat.EXTERNAL
    assert found.texture.palette is None
    assert found.texture.level(0)[0, :, 0].tolist() == [7, 250]
    assert found.diagnostics == ()


@pytest.mark.parametrize(
    ("data", "table", "index"),
    [
        (FONT[:19], "header", None),
        (b"tfnt" + FONT[4:], "header", None),
        (FONT[:4115], "glyphs", 255),
    ],
)
def test_what_is_no_font_is_refused(data: bytes, table: str, index: int | None) -> None:
    with pytest.raises(FormatError) as caught:
        font.decode(data)
    assert (caught.value.rule, caught.value.table, caught.value.index) == ("FNT01", table, index)


@pytest.mark.parametrize(
    ("data", "rule", "where"),
    [
        (FONT[:4116], "T01", ""),
        (FONT[:4120], "T01", "texture"),
        (FONT[:4116] + b"texm" + FONT[4120:], "T01", "texture"),
        (FONT[:-1], "T04", "texture.levels[0]"),
        (FONT + b"?", "T05", "texture.tail"),
    ],
)
def test_letters_remain_where_the_texture_is_damaged(data: bytes, rule: str, where: str) -> None:
    found = font.decode(data)
    assert len(found.glyphs) == 256
    assert [(finding.rule, finding.where) for finding in found.diagnostics] == [(rule, where)]
    check_payload(data, font.encode(found), font.parts(found), found.diagnostics)


@given(st.data())
def test_a_changed_field_changes_its_bytes_alone(data: st.DataObject) -> None:
    found = font.decode(FONT)
    check_field_change(found, font.encode, font.parts(found), data)


def test_the_parts_of_the_texture_are_in_a_group() -> None:
    level = find(font.parts(font.decode(FONT)), "texture.levels[0]")
    assert level is not None
    assert (level.start, encode(level)) == (len(FONT) - 2, FONT[-2:])


@given(st.integers(0, len(FONT)), st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(cut: int, rest: bytes) -> None:
    data = FONT[:cut] + rest
    try:
        found = font.decode(data)
    except FormatError:
        return
    check_payload(data, font.encode(found), font.parts(found), found.diagnostics)
