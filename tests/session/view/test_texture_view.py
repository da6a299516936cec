"""Levels and channels of a picture, as they are shown."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.materials import TextureRef
from viewer.session.view.texture_switches import ByteOrder, TextureSwitches
from viewer.session.view.texture_view import Channels, TextureView, decode

IMAGE = np.arange(4 * 4 * 4, dtype=np.uint8).reshape(4, 4, 4)


def picture() -> TextureRef:
    data = texm.build(IMAGE, PixelFormat.ARGB8888, mip_count=2)
    return TextureRef.of("here", "name", texm.decode(data))


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
