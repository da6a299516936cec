"""What of a picture is shown: one of its mip levels, and which of its channels."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from viewer.formats.texture.pixels import Image
from viewer.formats.texture.texm import Level
from viewer.model.material.materials import TextureRef
from viewer.session.view.texture_switches import TextureSwitches, opaque, reordered


class Channels(StrEnum):
    """Which channels are shown: colours as they are, one channel as shades of grey."""

    RGBA = "rgba"
    RGB = "rgb"
    RED = "red"
    GREEN = "green"
    BLUE = "blue"
    ALPHA = "alpha"


LONGEST: Final = 8192
"""Pixels of the longer side of what is shown of a picture; larger levels are shown halved."""


@dataclass(frozen=True, slots=True)
class TextureView:
    """A mip level of a picture in some channels; equal parts are equal pixels.

    Parameters
    ----------
    level
        0 is the largest. The picture's page plays no part.
    is_reordered
        Whether its bytes are read in the other way that its format has.
    """

    picture: TextureRef
    level: int = 0
    channels: Channels = Channels.RGBA
    is_reordered: bool = False

    @classmethod
    def seen(
        cls,
        picture: TextureRef,
        switches: TextureSwitches,
        level: int = 0,
        channels: Channels = Channels.RGBA,
    ) -> TextureView:
        """A part as it is shown under some switches."""
        if channels is Channels.RGBA and switches.ignores_alpha:
            channels = Channels.RGB
        return cls(picture, level, channels, switches.reorders(picture.texture.format))


def decode(part: TextureView, longest: int) -> Image:
    """The pixels of a part, (h, w, 4) uint8; halved until no side is longer than `longest` pixels."""
    texture = part.picture.texture
    image = texture.reduced(part.level, halvings(texture.levels[part.level], longest))
    if part.is_reordered:
        image = reordered(image, part.picture.texture.format)
    return in_channels(image, part.channels)


def halvings(level: Level, longest: int) -> int:
    """How often a level has to be halved until no side is longer than `longest` pixels."""
    return next(count for count in itertools.count() if max(level.width, level.height) >> count <= longest)


def in_channels(image: Image, channels: Channels) -> Image:
    """An RGBA image, (h, w, 4), as its channels are shown; opaque unless all four are."""
    if channels is Channels.RGBA:
        return image
    result = opaque(image)
    if channels is not Channels.RGB:
        single = (Channels.RED, Channels.GREEN, Channels.BLUE, Channels.ALPHA).index(channels)
        result[..., :3] = image[..., single : single + 1]
    return result
