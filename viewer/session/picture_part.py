"""What of a picture is shown: one of its mip levels, and which of its channels."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from viewer.formats import pixels
from viewer.formats.pixels import Image
from viewer.model.materials import Picture
from viewer.session.texture_switches import opaque, reordered


class Channels(StrEnum):
    """Which channels are shown: colours as they are, one channel as shades of grey."""

    RGBA = "colour and alpha"
    RGB = "colour"
    RED = "red"
    GREEN = "green"
    BLUE = "blue"
    ALPHA = "alpha"


@dataclass(frozen=True, slots=True)
class PicturePart:
    """A mip level of a picture in some channels; equal parts are equal pixels.

    Parameters
    ----------
    level
        0 is the largest. The picture's page plays no part.
    is_reordered
        Whether its bytes are read in the other way that its format has.
    """

    picture: Picture
    level: int = 0
    channels: Channels = Channels.RGBA
    is_reordered: bool = False


def decode(part: PicturePart, longest: int) -> Image:
    """The pixels of a part, (h, w, 4) uint8; halved until no side is longer than `longest` pixels."""
    image = part.picture.texture.level(part.level)
    while max(image.shape[:2]) > longest:
        image = pixels.halve(image)
    if part.is_reordered:
        image = reordered(image, part.picture.texture.format)
    return in_channels(image, part.channels)


def in_channels(image: Image, channels: Channels) -> Image:
    """An RGBA image, (h, w, 4), as its channels are shown; opaque unless all four are."""
    if channels is Channels.RGBA:
        return image
    result = opaque(image)
    if channels is not Channels.RGB:
        single = (Channels.RED, Channels.GREEN, Channels.BLUE, Channels.ALPHA).index(channels)
        result[..., :3] = image[..., single : single + 1]
    return result
