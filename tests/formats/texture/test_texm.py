"""Textures: the worked example, every damage of the header, levels and tail, building, and the corpora.

Replacing the image of a texture: what the image does not say stays.
"""

from __future__ import annotations

import json
import struct
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.formats.contract import check_field_change, check_payload
from tests.formats.payloads import payloads
from tests.messages import rules
from viewer.errors import FormatError, Severity
from viewer.formats.archive.nres import Archive
from viewer.formats.meaning import meaning
from viewer.formats.part import walk
from viewer.formats.texture import pixels, texm
from viewer.formats.texture.pixels import WRITTEN, Image, PixelFormat
from viewer.formats.texture.texm_edit import replace_image

EXAMPLE = bytes.fromhex(
    "5465786D 02000000 02000000 02000000 20000000 00000000 00000000 35020000"
    "00F8 E007 1F00 FFFF 1084 50616765 01000000 0000 0100 0000 0200"
)


ROUNDED = {PixelFormat.RGB565, PixelFormat.RGB556}


def header(width: int, height: int, mips: int, pixel_format: int, flags4: int = 0, flags5: int = 0) -> bytes:
    return struct.pack("<4s7I", b"Texm", width, height, mips, flags4, flags5, 0, pixel_format)


def picture(width: int, height: int) -> Image:
    return np.random.default_rng(7).integers(0, 256, (height, width, 4), np.uint8)


def test_the_worked_example() -> None:
    texture = texm.decode(EXAMPLE)
    assert texture.format is PixelFormat.RGB565
    assert texture.header["flags4"] == 32
    levels = [(it.width, it.height, it.offset, it.size) for it in texture.levels]
    assert levels == [(2, 2, 32, 8), (1, 1, 40, 2)]
    assert texture.level(0).tolist() == [
        [[255, 0, 0, 255], [0, 255, 0, 255]],
        [[0, 0, 255, 255], [255, 255, 255, 255]],
    ]
    assert texture.level(1).tolist() == [[[132, 130, 132, 255]]]
    assert texm.PAGE.row(texture.pages[0]) == {"x": 0, "w": 1, "y": 0, "h": 2}
    assert texture.diagnostics == ()


@pytest.mark.parametrize(
    ("width", "height", "mips", "pixel_format", "core"),
    [
        (256, 256, 9, PixelFormat.ARGB8888, 349556),
        (128, 128, 1, PixelFormat.INDEXED, 17440),
        (64, 64, 7, PixelFormat.RGB565, 10954),
        (5, 3, 3, PixelFormat.RGB888, 104),
    ],
)
def test_sizes_of_the_specification(
    width: int, height: int, mips: int, pixel_format: PixelFormat, core: int
) -> None:
    image = np.zeros((height, width, 4), np.uint8)
    data = texm.build(image, pixel_format, mip_count=mips)
    assert len(data) == core
    assert texm.decode(data).levels[-1].end == core


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (EXAMPLE[:31], "header"),
        (b"texm" + EXAMPLE[4:], "header.magic"),
        (header(0, 2, 1, 565), "header.width"),
        (header(2, 1 << 31, 1, 565), "header.height"),
        (header(2, 2, 0, 565), "header.mip_count"),
        (header(2, 2, 1, 1234), "header.pixel_format"),
    ],
)
def test_a_header_that_means_nothing_is_refused_at_its_field(data: bytes, where: str) -> None:
    with pytest.raises(FormatError) as caught:
        texm.decode(data)
    assert caught.value.where == where


def test_whole_levels_before_a_cut_one_are_shown() -> None:
    texture = texm.decode(EXAMPLE[:41])
    assert texture.level(0).shape == (2, 2, 4)
    with pytest.raises(IndexError):
        texture.level(1)
    assert [(d.rule, d.table, d.index) for d in texture.diagnostics] == [("T04", "levels", 1)]


def test_a_cut_palette_leaves_nothing_to_show() -> None:
    texture = texm.decode(header(1, 1, 1, 0) + bytes(1000))
    assert texture.levels == ()
    assert texture.palette is None
    assert rules(texture) == ["T04"]


@pytest.mark.parametrize(
    ("data", "rule", "table"),
    [
        (EXAMPLE[:42] + b"abc", "T05", "tail"),
        (EXAMPLE[:46], "T05", "tail"),
        (EXAMPLE[:-1], "T05", "pages"),
        (EXAMPLE + b"?", "T05", "tail"),
        (EXAMPLE[:46] + b"\xff\xff\xff\xff" + EXAMPLE[50:], "T05", "pages"),
        (EXAMPLE[:52] + b"\x03" + EXAMPLE[53:], "T06", "pages"),
        (EXAMPLE[:56] + b"\0\0", "T06", "pages"),
        (EXAMPLE[:16] + b"\1" + EXAMPLE[17:], "T07", "header"),
        (header(2, 1, 3, 565) + bytes(8), "T08", "header"),
    ],
)
def test_one_finding_for_each_irregularity(data: bytes, rule: str, table: str) -> None:
    texture = texm.decode(data)
    assert [(d.rule, d.table) for d in texture.diagnostics] == [(rule, table)]
    assert texture.levels
    assert texm.encode(texture) == data


@pytest.mark.parametrize("pixel_format", WRITTEN)
def test_what_is_built_is_read_back(pixel_format: PixelFormat) -> None:
    image = picture(13, 6)
    page = (1, 2, 3, 4)
    data = texm.build(image, pixel_format, mip_count=4, pages=[page], flags4=32, flags5=0x00800000)
    texture = texm.decode(data)
    assert texture.diagnostics == ()
    assert texture.level(0).shape == image.shape
    assert [(level.width, level.height) for level in texture.levels] == [(13, 6), (6, 3), (3, 1), (1, 1)]
    assert texm.PAGE.row(texture.pages[0]) == {"x": 1, "y": 2, "w": 3, "h": 4}
    if pixel_format in {PixelFormat.ARGB8888, PixelFormat.RGB888, PixelFormat.INDEXED}:
        assert np.array_equal(texture.level(0)[..., :3], image[..., :3])


@given(
    st.builds(
        lambda width, height, mips, pixel_format, rest: header(width, height, mips, pixel_format) + rest,
        st.integers(0, 9), st.integers(0, 9), st.integers(0, 17), st.sampled_from([*PixelFormat, 1]),
        st.binary(max_size=300),
    )
)  # fmt: skip
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        texture = texm.decode(data)
    except FormatError:
        return
    for index, level in enumerate(texture.levels):
        assert texture.level(index).shape == (level.height, level.width, 4)
    check_payload(data, texm.encode(texture), texm.parts(texture), texture.diagnostics)


@given(st.sampled_from(WRITTEN), st.integers(1, 3), st.data())
def test_a_changed_field_changes_its_bytes_alone(
    pixel_format: PixelFormat, mips: int, data: st.DataObject
) -> None:
    built = texm.build(picture(2, 3), pixel_format, mip_count=mips, pages=[(0, 0, 1, 1), (1, 1, 1, 2)])
    texture = texm.decode(built + b"rest")
    check_field_change(texture, texm.encode, texm.parts(texture), data)


def test_every_texture_that_there_is_is_built_from_its_fields() -> None:
    found = payloads("texm")
    assert len(found) > 20
    for it in found:
        with suppress(FormatError):
            texture = texm.decode(it.data)
            check_payload(bytes(it.data), texm.encode(texture), texm.parts(texture), texture.diagnostics)


def test_a_texture_that_is_inside_something_lies_where_it_starts() -> None:
    texture = texm.decode(EXAMPLE)
    alone, inside = (list(walk(texm.parts(texture, start))) for start in (0, 100))
    assert [(path, part.start + 100, part.size) for path, part in alone] == [
        (path, part.start, part.size) for path, part in inside
    ]


def test_the_parts_of_a_texture() -> None:
    root = texm.parts(
        texm.decode(texm.build(picture(4, 4), PixelFormat.INDEXED, mip_count=2, pages=[(0, 0, 4, 4)]))
    )
    sizes = [(part.name, part.count, part.size) for part in root.children]
    assert sizes == [
        ("header", 1, 32),
        ("palette", 256, 1024),
        ("levels", 2, 20),
        ("page_header", 1, 8),
        ("pages", 1, 8),
    ]


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("flags5", 0x03000000, "palette index 0 is transparent, alpha surface"),
        ("flags5", 0x02800000, "exporter's, not read, alpha surface"),
        ("flags5", 0x00000002, "unknown 0x0002"),
        ("pixel_format", 565, "red 5, green 6, blue 5"),
        ("width", 565, ""),
    ],
)
def test_a_word_of_the_header_says_what_it_stands_for(field: str, value: int, text: str) -> None:
    assert meaning(texm.HEADER.field(field), value) == text


@pytest.mark.parametrize(
    ("flags5", "found"),
    [(0, []), (0x07800000, []), (2, ["T07"]), (0x08000000, ["T07"]), (0xFFFFFFFF, ["T07"])],
)
def test_flags5_has_the_bits_23_to_26_only(flags5: int, found: list[str]) -> None:
    assert rules(texm.decode(header(1, 1, 1, 565, flags5=flags5) + bytes(2))) == found


def test_every_texture_of_the_corpora(samples: Path) -> None:
    for reading in ["seed", "field"]:
        for library in ["Textures.lib", "LightMap.lib"]:
            truth = json.loads((samples / reading / "truth.json").read_text())["textures"]
            archive = Archive.read((samples / reading / "game" / library).read_bytes())
            for entry in archive.entries:
                key = entry.text if library == "Textures.lib" else f"{library}::{entry.text}"
                texture = texm.decode(archive.payload(entry.index))
                _agrees(texture, truth[key])
                assert {finding.severity for finding in texture.diagnostics} <= {Severity.WARNING}


def test_the_odd_textures_of_the_corpora(samples: Path) -> None:
    for reading in ["seed", "field"]:
        truth = json.loads((samples / reading / "truth.json").read_text())["textures_odd"]
        for address, expected in truth.items():
            path, _, name = address.partition("::")
            archive = Archive.read((samples / reading / path).read_bytes())
            index = archive.find(name.encode())
            assert index is not None
            texture = texm.decode(archive.payload(index))
            assert rules(texture) == (["T05"] if "tail" in path else [])
            _agrees(texture, expected)


def _agrees(texture: texm.Texture, truth: dict[str, Any]) -> None:
    names = {"w": "width", "h": "height", "mips": "mip_count", "unk6": "mean_color", "format": "pixel_format"}
    for key in ("w", "h", "mips", "flags4", "flags5", "unk6", "format"):
        assert texture.header[names.get(key, key)] == truth[key]
    assert [[*page] for page in texture.pages.tolist()] == (truth["pages"] or [])
    assert len(texture.levels) == len(truth["levels"])
    for index, (level, expected) in enumerate(zip(texture.levels, truth["levels"], strict=True)):
        assert (level.width, level.height) == (expected["w"], expected["h"])
        assert zlib.crc32(level.data) == expected["crc_raw"]
        if texture.format is not PixelFormat.LA88:
            _pixels_agree(texture.level(index), expected, is_exact=texture.format not in ROUNDED)


def _pixels_agree(rgba: Image, expected: dict[str, Any], *, is_exact: bool) -> None:
    if is_exact:
        assert zlib.crc32(rgba.tobytes()) == expected["crc_rgba"]
    ends = rgba.reshape(-1, 4)[[0, -1]].astype(int)
    assert np.abs(ends - [expected["px0"], expected["px_last"]]).max() <= (0 if is_exact else 1)


@pytest.mark.parametrize("halvings", [0, 1, 2, 5, 9])
@pytest.mark.parametrize("size", [(40, 30), (7, 13), (1, 9), (9, 1)])
def test_reduced_levels_are_those_that_halving_gives(
    monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], halvings: int
) -> None:
    """Whatever part of them is decoded at a time."""
    monkeypatch.setattr(texm, "BAND", 64)
    noise = np.random.default_rng(7).integers(0, 256, (size[1], size[0], 4), np.uint8)
    expected, texture = noise, texm.decode(texm.build(noise, PixelFormat.ARGB8888))
    for _ in range(halvings):
        expected = pixels.halve(expected)
    assert np.array_equal(texture.reduced(0, halvings), expected)


RANDOM = np.random.default_rng(3)
FORMATS = st.sampled_from(WRITTEN)


def noise(height: int, width: int) -> pixels.Image:
    return RANDOM.integers(0, 256, (height, width, 4), np.uint8)


def texture(pixel_format: PixelFormat, mip_count: int = 2, **words: int) -> texm.Texture:
    pages = [(0, 0, 4, 2)]
    data = bytearray(texm.build(noise(4, 8), pixel_format, mip_count=mip_count, pages=pages))
    for name, value in words.items():
        start = texm.HEADER.field(name).offset
        data[start : start + 4] = value.to_bytes(4, "little")
    return texm.decode(bytes(data))


@given(FORMATS, st.integers(1, 5), st.integers(1, 9), st.integers(1, 9))
def test_the_image_is_in_it(pixel_format: PixelFormat, mips: int, height: int, width: int) -> None:
    rgba = noise(height, width)
    before = texture(pixel_format, mips)
    after = texm.decode(replace_image(before, rgba))
    is_resized = (height, width) != (4, 8)
    levels = min(mips, max(height, width).bit_length()) if is_resized else mips
    assert after.diagnostics == (() if is_resized else before.diagnostics)
    assert len(after.levels) == levels
    expected = pixels.decode(pixels.encode(rgba, pixel_format, before.palette), pixel_format, before.palette)
    assert (after.level(0).reshape(-1, 4) == expected).all()


def test_open_words_stay() -> None:
    before = texture(PixelFormat.RGB565, flags4=7, flags5=0xDEADBEEF, mean_color=9)
    after = texm.decode(replace_image(before, noise(4, 8)))
    assert after.header == before.header


@pytest.mark.parametrize("pixel_format", WRITTEN)
def test_the_same_image_gives_the_same_level(pixel_format: PixelFormat) -> None:
    before = texture(pixel_format, mip_count=1)
    after = replace_image(before, before.level(0))
    assert after == texm.encode(before)


def test_the_unused_byte_of_888_stays_where_the_size_does() -> None:
    data = bytearray(texm.encode(texture(PixelFormat.RGB888)))
    level = texm.decode(bytes(data)).levels[0]
    data[level.offset + 3 : level.end : 4] = bytes(range(32))
    before = texm.decode(bytes(data))
    after = replace_image(before, noise(4, 8))
    assert after[level.offset + 3 : level.end : 4] == bytes(range(32))
    smaller = texm.decode(replace_image(before, noise(4, 4)))
    assert set(bytes(smaller.levels[0].data[3::4])) == {0}


def test_of_equal_colors_the_old_index_stays() -> None:
    data = bytearray(texm.build(np.zeros((1, 4, 4), np.uint8), PixelFormat.INDEXED))
    data[0x20 + 4 * 10 : 0x20 + 4 * 11] = b"\1\2\3\x77"
    data[0x20 + 4 * 20 : 0x20 + 4 * 21] = b"\1\2\3\x88"
    data[-4:] = bytes([10, 20, 0, 20])
    before = texm.decode(bytes(data))
    rgba = before.level(0).copy()
    assert replace_image(before, rgba) == bytes(data)
    rgba[0, 2] = (3, 2, 1, 255)
    assert replace_image(before, rgba)[-4:] == bytes([10, 20, 10, 20])


def test_rectangles_go_with_the_size() -> None:
    before = texture(PixelFormat.ARGB8888)
    assert len(texm.decode(replace_image(before, noise(4, 8))).pages) == 1
    assert len(texm.decode(replace_image(before, noise(8, 4))).pages) == 0


def test_a_tail_that_is_no_atlas_is_left_out() -> None:
    whole = texm.encode(texture(PixelFormat.RGB565))
    for tail in (b"xyz", b"Page\2\0\0\0" + bytes(8), b"Page"):
        before = texm.decode(texm.build(noise(4, 8), PixelFormat.RGB565) + tail)
        assert texm.decode(replace_image(before, noise(4, 8))).diagnostics == ()
    cut = texm.decode(whole[:50])
    assert cut.levels == ()
    assert texm.decode(replace_image(cut, noise(4, 8))).diagnostics == ()


def test_another_format_and_number_of_levels() -> None:
    after = texm.decode(
        replace_image(texture(PixelFormat.RGB565), noise(4, 8), pixel_format=PixelFormat.INDEXED, mip_count=4)
    )
    assert (after.format, len(after.levels), len(after.pages)) == (PixelFormat.INDEXED, 4, 1)


@pytest.mark.parametrize("mips", [0, 16, -1])
def test_what_is_no_texture_is_refused(mips: int) -> None:
    with pytest.raises(ValueError, match="not a texture"):
        replace_image(texture(PixelFormat.RGB565), noise(4, 8), mip_count=mips)
    with pytest.raises(ValueError, match="not a texture"):
        replace_image(texture(PixelFormat.RGB565), noise(0, 8))


def test_an_external_palette_is_taken_along() -> None:
    data = bytearray(texm.build(noise(4, 8), PixelFormat.INDEXED))
    data[0x1C:0x20] = int(PixelFormat.EXTERNAL).to_bytes(4, "little")
    bare = texm.decode(bytes(data[:0x20] + data[0x420:]))
    with pytest.raises(ValueError, match="cannot be written"):
        replace_image(bare, noise(4, 8))
    palette = noise(256, 1).reshape(256, 4)
    palette[:, 3] = 255
    before = replace(bare, external=palette)
    after = texm.decode(replace_image(before, before.level(0), pixel_format=PixelFormat.INDEXED))
    assert np.array_equal(after.level(0), before.level(0))
