"""Replacing the image of a texture: what the image does not say stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.texture import pixels, texm
from viewer.formats.texture.pixels import WRITTEN, PixelFormat
from viewer.formats.texture.texm_edit import replace_image

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
    assert after.diagnostics == () or [finding.rule for finding in after.diagnostics] == ["T08"]
    assert len(after.levels) == mips
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
