"""Pixels in the other reading that some formats have."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.formats.texture import pixels
from viewer.formats.texture.pixels import PixelFormat
from viewer.session.view.texture_switches import ByteOrder, TextureSwitches, opaque, order_of, reordered

STORED = bytes([0x33, 0x22, 0x11, 0x40])


@pytest.mark.parametrize(
    ("stored", "usual", "other"),
    [
        (PixelFormat.ARGB8888, (0x11, 0x22, 0x33, 0x40), (0x22, 0x11, 0x40, 0x33)),
        (PixelFormat.RGB888, (0x11, 0x22, 0x33, 255), (0x33, 0x22, 0x11, 255)),
        (PixelFormat.LA88, (0x22, 0x22, 0x22, 0x33), (0x33, 0x33, 0x33, 0x22)),
    ],
)
def test_bytes_in_both_readings(stored: PixelFormat, usual: tuple[int, ...], other: tuple[int, ...]) -> None:
    decoded = pixels.decode(STORED[: stored.size], stored)
    assert decoded.tolist() == [list(usual)]
    assert reordered(decoded, stored).tolist() == [list(other)]


@pytest.mark.parametrize("stored", [PixelFormat.INDEXED, PixelFormat.EXTERNAL])
def test_a_palette_in_both_readings(stored: PixelFormat) -> None:
    palette = np.tile(np.array([1, 2, 3, 255], np.uint8), (256, 1))
    assert reordered(pixels.decode(b"\x09", stored, palette), stored).tolist() == [[3, 2, 1, 255]]


def test_only_the_format_that_an_order_is_of_is_reordered() -> None:
    assert [stored for stored in PixelFormat if order_of(stored) is None] == [
        PixelFormat.RGB556,
        PixelFormat.RGB565,
        PixelFormat.ARGB4444,
    ]
    for order in ByteOrder:
        switches = TextureSwitches(byte_orders=frozenset({order}))
        assert {stored for stored in PixelFormat if switches.reorders(stored)} == {
            stored for stored in PixelFormat if order_of(stored) is order
        }
    assert not any(TextureSwitches().reorders(stored) for stored in PixelFormat)


def test_opaque_pixels_keep_their_colors() -> None:
    image = np.array([[[1, 2, 3, 4]]], np.uint8)
    assert opaque(image).tolist() == [[[1, 2, 3, 255]]]
    assert image[0, 0, 3] == 4
