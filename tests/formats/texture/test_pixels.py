"""Pixel formats: known words, rounding, and that stored pixels survive decoding and encoding."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.formats.texture import pixels
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
