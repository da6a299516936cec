"""The shown part of a texture: a mip level and channels."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from viewer.formats.texture.pixels import Image
from viewer.formats.texture.texm import Level
from viewer.model.material.materials import TextureKey, TextureRef
from viewer.session.view.texture_switches import TextureSwitches, opaque, reordered


class Channels(StrEnum):
    """The shown channels: colors, or one channel in gray."""

    RGBA = "rgba"
    RGB = "rgb"
    RED = "red"
    GREEN = "green"
    BLUE = "blue"
    ALPHA = "alpha"


LONGEST: Final = 8192
"""Longest side of a shown level, pixels; larger levels are halved."""


class PixelKey(NamedTuple):
    """The identity of some decoded pixels: equal keys mean equal pixels."""

    texture: TextureKey
    level: int
    channels: Channels
    is_reordered: bool


@dataclass(frozen=True, slots=True)
class TextureView:
    """A mip level of a texture in some channels; equal values mean equal pixels.

    Parameters
    ----------
    level
        0 is the largest. The page of the texture is ignored.
    is_reordered
        Whether its bytes are read in the alternative order of its format.
    """

    texture: TextureRef
    level: int = 0
    channels: Channels = Channels.RGBA
    is_reordered: bool = False

    @property
    def key(self) -> PixelKey:
        """The identity of its pixels, which does not keep the texture in memory."""
        return PixelKey(self.texture.key, self.level, self.channels, self.is_reordered)

    @classmethod
    def seen(
        cls,
        texture: TextureRef,
        switches: TextureSwitches,
        level: int = 0,
        channels: Channels = Channels.RGBA,
    ) -> TextureView:
        """The view of a level under some switches."""
        if channels is Channels.RGBA and switches.ignores_alpha:
            channels = Channels.RGB
        return cls(texture, level, channels, switches.reorders(texture.texture.format))


def decode(part: TextureView, longest: int) -> Image:
    """The pixels of a texture view, (h, w, 4) uint8; halved until no side is longer than `longest` pixels."""
    texture = part.texture.texture
    image = texture.reduced(part.level, halvings(texture.levels[part.level], longest))
    if part.is_reordered:
        image = reordered(image, part.texture.texture.format)
    return in_channels(image, part.channels)


def halvings(level: Level, longest: int) -> int:
    """Number of halvings until no side of a level is longer than `longest` pixels."""
    return next(count for count in itertools.count() if max(level.width, level.height) >> count <= longest)


def in_channels(image: Image, channels: Channels) -> Image:
    """An RGBA image, (h, w, 4), reduced to the shown channels; opaque unless all four are shown."""
    if channels is Channels.RGBA:
        return image
    result = opaque(image)
    if channels is not Channels.RGB:
        single = (Channels.RED, Channels.GREEN, Channels.BLUE, Channels.ALPHA).index(channels)
        result[..., :3] = image[..., single : single + 1]
    return result
