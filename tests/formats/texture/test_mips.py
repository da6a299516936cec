"""Smaller levels are truncated means of stored components, and those of what did not change stay."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.archive import nres
from viewer.formats.texture import mips, texm, texm_edit
from viewer.formats.texture.pixels import WRITTEN, PixelFormat

NOISE = np.random.default_rng(11)
SIDES = st.integers(1, 9)


def _noise(width: int, height: int) -> np.ndarray:
    return NOISE.integers(0, 256, (height, width, 4), np.uint8)


@pytest.mark.parametrize("name", ["565", "4444", "888", "8888"])
def test_levels_of_another_program_are_made_to_the_last_bit(samples: Path, name: str) -> None:
    data = (samples / "field2" / "game" / "Textures.lib").read_bytes()
    truth = json.loads((samples / "field2" / "truth.json").read_text())["textures"][f"MIP_{name}.0"]
    archive = nres.Archive.read(data)
    index = archive.find(f"MIP_{name}.0".encode())
    assert index is not None
    texture = texm.decode(archive.payload(index))
    largest = texture.levels[0]
    size = largest.width, largest.height
    made = mips.smaller_levels(largest.data, size, texture.format, texture.palette, len(texture.levels))
    assert [zlib.crc32(level) for level in made] == truth["crc_levels"][1:]


@given(SIDES, SIDES, st.integers(2, 5))
def test_a_component_is_the_mean_of_its_block_rounded_down(width: int, height: int, count: int) -> None:
    image = _noise(width, height)
    made = mips.smaller_levels(image.tobytes(), (width, height), PixelFormat.ARGB8888, None, count)
    for level, stored in enumerate(made, 1):
        long = 1 << level
        shape = max(1, height >> level), max(1, width >> level)
        pixels = np.frombuffer(stored, np.uint8).reshape(*shape, 4)
        for y, x in np.ndindex(shape):
            block = image[y * long : (y + 1) * long, x * long : (x + 1) * long].reshape(-1, 4)
            assert pixels[y, x].tolist() == [int(total) // len(block) for total in block.sum(axis=0)]


def test_bits_are_averaged_as_they_are_stored() -> None:
    """Red 1, 2, 2 and 2 of 31 are 1; averaged as bytes (8, 16, 16, 16: 14) they would round to 2."""
    words = np.array([1, 2, 2, 2], "<u2") << 11
    (level,) = mips.smaller_levels(words.tobytes(), (2, 2), PixelFormat.RGB565, None, 2)
    assert np.frombuffer(level, "<u2").tolist() == [1 << 11]


def test_indexed_pixels_get_the_color_nearest_to_the_mean() -> None:
    palette = np.full((256, 4), 255, np.uint8)
    palette[:3, :3] = [[0, 0, 0], [200, 200, 200], [101, 99, 100]]
    (level,) = mips.smaller_levels(bytes([0, 1, 1, 0]), (2, 2), PixelFormat.INDEXED, palette, 2)
    assert level == bytes([2])


def test_parts_of_a_large_image_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    image, size = _noise(6, 37), (6, 37)
    whole = list(mips.smaller_levels(image.tobytes(), size, PixelFormat.ARGB8888, None, 6))
    monkeypatch.setattr(mips, "_PART", 24)
    assert list(mips.smaller_levels(image.tobytes(), size, PixelFormat.ARGB8888, None, 6)) == whole


def _with_levels_of_noise(pixel_format: PixelFormat, width: int, height: int) -> texm.Texture:
    """A texture whose smaller levels follow no rule."""
    data = bytearray(texm.build(_noise(width, height), pixel_format, mip_count=4))
    levels = texm.decode(bytes(data)).levels
    start, end = levels[1].offset, levels[-1].end
    data[start:end] = NOISE.integers(0, 256, end - start, np.uint8).tobytes()
    return texm.decode(bytes(data))


@pytest.mark.parametrize("pixel_format", WRITTEN)
@pytest.mark.parametrize("size", [(16, 32), (12, 7)])
def test_an_unchanged_image_gives_the_same_bytes_whatever_made_its_levels(
    pixel_format: PixelFormat, size: tuple[int, int]
) -> None:
    texture = _with_levels_of_noise(pixel_format, *size)
    assert texm_edit.replace_image(texture, texture.level(0)) == texm.encode(texture)


@pytest.mark.parametrize("pixel_format", WRITTEN)
def test_a_changed_pixel_changes_its_own_blocks_alone(pixel_format: PixelFormat) -> None:
    texture = _with_levels_of_noise(pixel_format, 16, 32)
    image = texture.level(0).copy()
    # The color of another pixel is in the palette too, if there is one.
    image[21, 6] = next(color for color in image.reshape(-1, 4) if (color != image[21, 6]).sum() >= 3)
    edited = texm.decode(texm_edit.replace_image(texture, image))
    largest = edited.levels[0]
    made = mips.smaller_levels(largest.data, (16, 32), pixel_format, edited.palette, 4)
    for index, level in enumerate(made, 1):
        size = pixel_format.size
        before, after, by_rule = (
            np.frombuffer(data, np.uint8).reshape(32 >> index, 16 >> index, size)
            for data in (texture.levels[index].data, edited.levels[index].data, level)
        )
        y, x = 21 >> index, 6 >> index
        # The fourth byte of 888 means nothing and stays.
        colors = slice(0, 3) if pixel_format is PixelFormat.RGB888 else slice(None)
        assert after[y, x, colors].tolist() == by_rule[y, x, colors].tolist()
        elsewhere = np.ones(before.shape[:2], bool)
        elsewhere[y, x] = False
        assert np.array_equal(after[elsewhere], before[elsewhere])
