"""Pixel formats: known words, rounding, and that stored pixels survive decoding and encoding.

External palettes by name, and palettes made from images.

Fonts: letters, the texture behind them, and damage.
"""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_field_change, check_payload
from tests.formats.payloads import payloads
from viewer.errors import FormatError
from viewer.formats.part import encode, find
from viewer.formats.texture import font, palette, pixels
from viewer.formats.texture.pixels import PixelFormat


@pytest.mark.parametrize(
    ("pixel_format", "stored", "rgba"),
    [
        (PixelFormat.RGB565, "1084", (132, 130, 132, 255)),
        (PixelFormat.RGB556, "00F8", (255, 0, 0, 255)),
        (PixelFormat.RGB556, "C007", (0, 255, 0, 255)),
        (PixelFormat.RGB556, "3F00", (0, 0, 255, 255)),
        (PixelFormat.ARGB4444, "2EF1", (17, 34, 238, 255)),
        (PixelFormat.ARGB8888, "33221140", (0x11, 0x22, 0x33, 0x40)),
        (PixelFormat.RGB888, "33221140", (0x11, 0x22, 0x33, 255)),
        (PixelFormat.LA88, "4080", (0x80, 0x80, 0x80, 0x40)),
    ],
)
def test_a_stored_pixel(pixel_format: PixelFormat, stored: str, rgba: tuple[int, ...]) -> None:
    assert tuple(pixels.decode(bytes.fromhex(stored), pixel_format)[0].tolist()) == rgba


@pytest.mark.parametrize(
    "pixel_format", [PixelFormat.RGB565, PixelFormat.RGB556, PixelFormat.ARGB4444, PixelFormat.LA88]
)
def test_every_16_bit_pixel_survives(pixel_format: PixelFormat) -> None:
    stored = np.arange(0x10000, dtype="<u2").tobytes()
    assert pixels.encode(pixels.decode(stored, pixel_format), pixel_format) == stored


def test_8888_survives_and_888_loses_its_unused_byte() -> None:
    stored = bytes(range(256))
    assert pixels.encode(pixels.decode(stored, PixelFormat.ARGB8888), PixelFormat.ARGB8888) == stored
    kept = pixels.encode(pixels.decode(stored, PixelFormat.RGB888), PixelFormat.RGB888)
    assert kept == bytes(0 if index % 4 == 3 else index for index in range(256))


@pytest.mark.parametrize(("value", "five"), [(0, 0), (4, 0), (5, 1), (127, 15), (128, 16), (255, 31)])
def test_a_channel_is_rounded_to_the_nearest_step(value: int, five: int) -> None:
    stored = pixels.encode(np.full((1, 1, 4), value, np.uint8), PixelFormat.RGB565)
    assert int.from_bytes(stored, "little") >> 11 == five


def test_gray_is_the_brightness_of_a_color() -> None:
    image = np.array([[[255, 0, 0, 64], [0, 255, 0, 255], [0, 0, 255, 0]]], np.uint8)
    # 0.299 of 255 is 76.2, 0.587 is 149.7, 0.114 is 29.1; alpha is the low byte.
    assert pixels.encode(image, PixelFormat.LA88) == bytes([64, 76, 255, 150, 0, 29])


def test_brightness_is_rounded_to_the_nearest_level() -> None:
    colors = np.random.default_rng(5).integers(0, 256, (16, 16, 4), np.uint8)
    stored = pixels.encode(colors, PixelFormat.LA88)
    exact = colors[..., :3].astype(int) @ [299, 587, 114]
    assert np.frombuffer(stored, np.uint8)[1::2].tolist() == ((exact + 500) // 1000).ravel().tolist()


def test_indexed_pixels_take_the_nearest_color() -> None:
    palette = np.zeros((256, 4), np.uint8)
    palette[:3, :3] = [[0, 0, 0], [255, 0, 0], [250, 250, 250]]
    image = np.array([[[200, 10, 10, 255], [255, 255, 255, 0], [9, 9, 9, 9]]], np.uint8)
    assert pixels.encode(image, PixelFormat.INDEXED, palette) == bytes([1, 2, 0])
    assert pixels.decode(b"\1\2", PixelFormat.INDEXED, palette)[:, 0].tolist() == [255, 250]


def test_indexed_pixels_need_a_palette() -> None:
    with pytest.raises(ValueError, match="palette"):
        pixels.decode(b"\0", PixelFormat.INDEXED)


def test_a_palette_is_stored_blue_first() -> None:
    palette = pixels.decode_palette(bytes([3, 2, 1, 9]) * 256)
    assert palette[0].tolist() == [1, 2, 3, 255]
    assert pixels.encode_palette(palette)[:4] == bytes([3, 2, 1, 0])


@pytest.mark.parametrize(
    ("size", "halved"), [((4, 4), (2, 2)), ((5, 3), (2, 1)), ((1, 4), (1, 2)), ((3, 1), (1, 1))]
)
def test_a_mip_has_half_the_size(size: tuple[int, int], halved: tuple[int, int]) -> None:
    assert pixels.halve(np.full((*size, 4), 99, np.uint8)).tolist() == np.full((*halved, 4), 99).tolist()


def test_magnified_pixels_are_squares_as_large_as_fit() -> None:
    image = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)
    assert np.array_equal(pixels.magnify(image, 8), np.kron(image, np.ones((2, 2, 1), np.uint8)))
    assert np.array_equal(pixels.magnify(image, 5), image)
    assert np.array_equal(pixels.magnify(image, 2), image)


def test_a_mip_is_the_mean_of_four_pixels() -> None:
    image = np.array([[[0] * 4, [255] * 4], [[255] * 4, [1] * 4]], np.uint8)
    assert pixels.halve(image).tolist() == [[[128] * 4]]


def test_an_external_palette_is_given_or_all_is_grey() -> None:
    palette = np.arange(1024, dtype=np.uint8).reshape(256, 4)
    assert pixels.decode(b"\1", PixelFormat.EXTERNAL, palette).tolist() == [[4, 5, 6, 7]]
    assert pixels.decode(b"\1\xff", PixelFormat.EXTERNAL).tolist() == [[1, 1, 1, 255], [255, 255, 255, 255]]


def test_pixels_of_an_external_palette_are_only_read() -> None:
    with pytest.raises(ValueError, match="format 2 cannot be written"):
        pixels.encode(np.zeros((1, 1, 4), np.uint8), PixelFormat.EXTERNAL)


def test_a_format_that_needs_a_palette_says_whose() -> None:
    labels = [PixelFormat(number).label for number in (0, 2, 88, 565)]
    assert labels == ["0 (own palette)", "2 (external palette)", "88", "565"]


@pytest.mark.parametrize(
    ("name", "index"),
    [
        (b"GRASS.0", None), (b"SKY.A", 0), (b"SKY.A0", 1), (b"LM.B2", 14), (b"X.Z9", 285), (b"lm.b2", 14),
        (b"NO_DOT", None), (b"END.", None), (b"X.[", None), (b"A.B.Z9", 11),
    ],
)  # fmt: skip
def test_the_palette_that_a_name_asks_for(name: bytes, index: int | None) -> None:
    assert palette.external_palette(name) == index


def test_few_colors_are_kept_as_they_are() -> None:
    image = np.zeros((2, 128, 4), np.uint8)
    image[..., 0] = np.arange(256).reshape(2, 128)
    colors = palette.palette_of(image)
    assert {tuple(color) for color in colors.tolist()} == {(red, 0, 0, 255) for red in range(256)}


def test_many_colors_are_reduced_to_near_ones() -> None:
    image = np.random.default_rng(1).integers(0, 256, (64, 64, 4), np.uint8)
    colors = palette.palette_of(image)[:, :3].astype(int)
    pixels = image.reshape(-1, 1, 4)[..., :3].astype(int)
    distance = np.sqrt(((pixels - colors) ** 2).sum(axis=2)).min(axis=1)
    assert distance.mean() < 25


def test_very_many_colors_are_thinned_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(palette, "MANY", 1000)
    test_many_colors_are_reduced_to_near_ones()
    test_few_colors_are_kept_as_they_are()


def test_what_follows_the_colors_is_kept() -> None:
    data = bytes(range(256)) * 4 + b"Ipol" + bytes(65536)
    stored = palette.decode(data)
    assert stored.colors[1].tolist() == [6, 5, 4, 255]
    check_payload(data, palette.encode(stored), palette.parts(stored), ())
    sizes = [(part.name, part.size) for part in palette.parts(stored).children]
    assert sizes == [("colors", 1024), ("blend_header", 4), ("blend_table", 65536)]


@given(st.binary(max_size=8), st.sampled_from([0, 1024, 1028, 66564]))
def test_any_bytes_are_read_or_refused(more: bytes, size: int) -> None:
    data = (bytes(1024) + b"Ipol" + bytes(65536))[:size] + more
    if len(data) < 1024:
        with pytest.raises(FormatError) as caught:
            palette.decode(data)
        assert caught.value.where == f"colors[{len(data) // 4}]"
        return
    stored = palette.decode(data)
    check_payload(data, palette.encode(stored), palette.parts(stored), ())


@given(st.data())
def test_a_changed_field_changes_its_bytes_alone(data: st.DataObject) -> None:
    stored = palette.decode(bytes(range(256)) * 4 + b"Ipol" + bytes(65536) + b"rest")
    check_field_change(stored, palette.encode, palette.parts(stored), data)


def test_every_palette_that_there_is_is_built_from_its_fields() -> None:
    found = payloads("palette")
    assert found
    for it in found:
        stored = palette.decode(it.data)
        check_payload(bytes(it.data), palette.encode(stored), palette.parts(stored), ())


def test_colors_make_a_palette() -> None:
    colors = palette.decode(bytes(range(256)) * 4).colors
    assert np.array_equal(palette.decode(palette.build(colors)).colors, colors)
    with pytest.raises(ValueError, match="shape"):
        palette.build(colors[:9])


def test_a_cut_palette_is_refused() -> None:
    with pytest.raises(FormatError, match="1023 bytes"):
        palette.decode(bytes(1023))


PICTURE = b"Texm" + struct.pack("<7I", 2, 1, 1, 0, 0, 0, 2) + bytes([7, 250])
LETTERS = b"".join(struct.pack("<4I", letter, 1, 2, 3) for letter in range(256))
FONT = b"Tfnt" + struct.pack("<2ifi", 9, 15, 0.125, 1) + LETTERS + PICTURE


def test_letters_and_their_texture() -> None:
    found = font.decode(FONT)
    assert font.TEXTURE_START == 4116
    sizes = [found.header[name] for name in ("cell_width", "glyph_height", "row_share", "pen_extra")]
    assert sizes == [9, 15, 0.125, 1]
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
def test_a_changed_field_of_a_font_changes_its_bytes_alone(data: st.DataObject) -> None:
    found = font.decode(FONT)
    check_field_change(found, font.encode, font.parts(found), data)


def test_the_parts_of_the_texture_are_in_a_group() -> None:
    level = find(font.parts(font.decode(FONT)), "texture.levels[0]")
    assert level is not None
    assert (level.start, encode(level)) == (len(FONT) - 2, FONT[-2:])


@given(st.integers(0, len(FONT)), st.binary(max_size=40))
def test_any_bytes_are_read_as_a_font_or_refused(cut: int, rest: bytes) -> None:
    data = FONT[:cut] + rest
    try:
        found = font.decode(data)
    except FormatError:
        return
    check_payload(data, font.encode(found), font.parts(found), found.diagnostics)
