"""Pixels in the other reading that some formats have."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.formats.texture import pixels, texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.materials import TextureRef
from viewer.model.store.address import Address
from viewer.session.view.options.textures import (
    ByteOrder,
    Channels,
    TextureSwitches,
    TextureView,
    decode,
    opaque,
    order_of,
    reordered,
    usual_channels,
)

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


@pytest.mark.parametrize(
    ("alphas", "expected"),
    [
        ([255] * 16, Channels.RGB),
        ([0] * 8 + [255] * 8, Channels.RGBA),  # an outline
        ([40, 90, 140, 190] * 4, Channels.RGB),  # gloss, or glass: the materials tell
    ],
)
def test_a_texture_is_seen_through_only_where_its_alpha_is_an_outline(
    alphas: list[int], expected: Channels
) -> None:
    image = np.full((1, 4, 4, 4), 200, np.uint8)
    image[0, ..., 3] = np.reshape(alphas, (4, 4))
    texture = texm.decode(texm.build(image[0], PixelFormat.ARGB8888))
    assert usual_channels(texture) is expected


def test_opaque_pixels_keep_their_colors() -> None:
    image = np.array([[[1, 2, 3, 4]]], np.uint8)
    assert opaque(image).tolist() == [[[1, 2, 3, 255]]]
    assert image[0, 0, 3] == 4


IMAGE = np.arange(4 * 4 * 4, dtype=np.uint8).reshape(4, 4, 4)


def picture() -> TextureRef:
    data = texm.build(IMAGE, PixelFormat.ARGB8888, mip_count=2)
    return TextureRef(Address.parse("here"), "name", texm.decode(data))


def test_color_and_alpha_are_the_pixels_themselves() -> None:
    np.testing.assert_array_equal(decode(TextureView(picture()), 64), IMAGE)


def test_color_alone_is_opaque() -> None:
    image = decode(TextureView(picture(), channels=Channels.RGB), 64)
    np.testing.assert_array_equal(image[..., :3], IMAGE[..., :3])
    assert (image[..., 3] == 255).all()


@pytest.mark.parametrize(
    ("channels", "index"),
    [(Channels.RED, 0), (Channels.GREEN, 1), (Channels.BLUE, 2), (Channels.ALPHA, 3)],
)
def test_one_channel_is_grey(channels: Channels, index: int) -> None:
    image = decode(TextureView(picture(), channels=channels), 64)
    for shown in range(3):
        np.testing.assert_array_equal(image[..., shown], IMAGE[..., index])
    assert (image[..., 3] == 255).all()


def test_a_level_is_that_level() -> None:
    assert decode(TextureView(picture(), level=1), 64).shape == (2, 2, 4)


def test_switches_decide_what_is_seen() -> None:
    ignoring = TextureSwitches(ignores_alpha=True)
    assert TextureView.seen(picture(), TextureSwitches()) == TextureView(picture())
    assert TextureView.seen(picture(), ignoring).channels is Channels.RGB
    assert TextureView.seen(picture(), ignoring, channels=Channels.ALPHA).channels is Channels.ALPHA
    other = TextureSwitches(byte_orders=frozenset({ByteOrder.ARGB8888}))
    shown = decode(TextureView.seen(picture(), other), 64)
    np.testing.assert_array_equal(shown, IMAGE[..., [1, 0, 3, 2]])


def test_nothing_is_longer_than_asked_for() -> None:
    assert decode(TextureView(picture()), 1).shape == (1, 1, 4)
