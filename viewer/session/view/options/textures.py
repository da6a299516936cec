"""Textures in a view: how their alpha and channels are read, and one level of a texture shown alone."""

from __future__ import annotations

import itertools
from enum import StrEnum
from typing import Annotated, Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.texture.pixels import Image, PixelFormat
from viewer.formats.texture.texm import Level, Texture
from viewer.model.material.alpha import ALPHA, alpha_of
from viewer.model.material.materials import AlphaKind, TextureKey, TextureRef
from viewer.options import MenuEntry, Needed, Option, OptionChoice, ShellOption
from viewer.translation import _

UV_HINT: Final = _("In the tab of a texture, of the open models that show it")


class ByteOrder(StrEnum):
    """An alternative reading of stored pixels (spec/texm.md 3); the values are saved."""

    PALETTE_RGB = "palette_rgb"
    RGB888 = "rgb888"
    ARGB8888 = "argb8888"
    LA88 = "la88"


_ORDERS: Final = {
    PixelFormat.INDEXED: (ByteOrder.PALETTE_RGB, [2, 1, 0, 3]),
    PixelFormat.EXTERNAL: (ByteOrder.PALETTE_RGB, [2, 1, 0, 3]),
    PixelFormat.RGB888: (ByteOrder.RGB888, [2, 1, 0, 3]),
    PixelFormat.ARGB8888: (ByteOrder.ARGB8888, [1, 0, 3, 2]),
    PixelFormat.LA88: (ByteOrder.LA88, [3, 3, 3, 0]),
}
"""The alternative reading of each format, and the usual reading's channels that are its R, G, B, A."""

OPAQUE: Final = 255


OF_TERRAIN: Final = "parts.terrain"
"""The section of what is shown of a terrain."""


class UvMarks(StrEnum):
    """The marks of texture coordinates over a texture; the values are saved."""

    NONE = "none"
    PROBLEMS = "problems"
    DENSITY = "density"


class TextureSwitches(Struct, frozen=True):
    """Switches of texture display.

    Attributes
    ----------
    has_mip_maps, is_filtered, has_lightmaps
        As the switches of the original (spec/materials.md 7).
    is_16_bit
        Colors are rounded to 16 bits per pixel, as under ``Force 16-bit textures``.
    ignores_alpha
        Ignore stored alphas: every pixel is opaque.
    hides_back_faces
        Cull back faces; the game draws both sides of everything (spec/field-notes.md 2).
    has_microtextures, has_second_materials
        Whether terrain shows the fine textures over its materials, and its second materials.
    uv_marks
        The texture coordinates that are drawn over a texture in its tab.
    byte_orders
        The alternative readings in effect.
    """

    has_mip_maps: Annotated[
        bool,
        Option(
            _("Mip maps"),
            stored="textures.has_mip_maps",
            action=MenuEntry("view.textures.mip_maps"),
        ),
    ] = True
    is_filtered: Annotated[
        bool,
        Option(
            _("Filtering"),
            stored="textures.is_filtered",
            action=MenuEntry("view.textures.filtering"),
        ),
    ] = True
    has_lightmaps: Annotated[
        bool,
        Option(
            _("Lightmaps"),
            stored="textures.has_lightmaps",
            action=MenuEntry("view.textures.lightmaps"),
        ),
    ] = True
    is_16_bit: Annotated[
        bool,
        Option(
            _("16-bit colors"),
            stored="textures.is_16_bit",
            action=MenuEntry("view.textures.16_bit"),
        ),
    ] = False
    ignores_alpha: Annotated[
        bool,
        Option(
            _("Ignore alpha"),
            stored="textures.ignores_alpha",
            action=MenuEntry("view.textures.ignore_alpha"),
        ),
    ] = False
    hides_back_faces: Annotated[
        bool,
        Option(
            _("Cull back faces"),
            stored="textures.hides_back_faces",
            action=MenuEntry("view.textures.cull_back_faces"),
        ),
    ] = False
    has_microtextures: Annotated[
        bool,
        Option(
            _("Microtextures of terrain"),
            stored="textures.has_microtextures",
            action=MenuEntry("view.textures.microtextures"),
            section=OF_TERRAIN,
            label=_("Microtextures"),
            shell=ShellOption("--microtextures", _("the fine textures of a terrain; {unless}")),
        ),
    ] = True
    has_second_materials: Annotated[
        bool,
        Option(
            _("Second materials of terrain"),
            stored="textures.has_second_materials",
            action=MenuEntry("view.textures.second_materials"),
            section=OF_TERRAIN,
            label=_("Second materials"),
            shell=ShellOption("--second-materials", _("the second materials of a terrain; {unless}")),
        ),
    ] = True
    uv_marks: Annotated[
        UvMarks,
        Option(
            _("UV over the texture"),
            stored="textures.uv_marks",
            choices=(
                OptionChoice(UvMarks.NONE, _("off")),
                OptionChoice(UvMarks.PROBLEMS, _("overlaps, outside of 0..1"), UV_HINT),
                OptionChoice(UvMarks.DENSITY, _("texels per unit"), UV_HINT),
            ),
            action=MenuEntry("view.uv", menu="view.textures", needs=Needed.TAB, title=_("UV: {value}")),
        ),
    ] = UvMarks.NONE
    byte_orders: Annotated[
        frozenset[ByteOrder],
        Option(
            _("byte orders"),
            stored="textures.byte_orders",
            choices=(
                OptionChoice(ByteOrder.PALETTE_RGB, _("Read palette as R G B")),
                OptionChoice(ByteOrder.RGB888, _("Read 888 as R G B")),
                OptionChoice(ByteOrder.ARGB8888, _("Read 8888 as A R G B")),
                OptionChoice(ByteOrder.LA88, _("Read 88 as L A")),
            ),
            action=MenuEntry("view.textures", menu="view.textures", begins_group=True),
        ),
    ] = frozenset()

    def reorders(self, stored: PixelFormat) -> bool:
        """Whether pixels of a format are read in the alternative way."""
        return order_of(stored) in self.byte_orders


def toggle_byte_order(switches: TextureSwitches, order: ByteOrder) -> TextureSwitches:
    """Switch between an alternative byte order and the usual one."""
    return replace(switches, byte_orders=switches.byte_orders ^ {order})


def order_of(stored: PixelFormat) -> ByteOrder | None:
    """The alternative reading of a format, or None."""
    return _ORDERS[stored][0] if stored in _ORDERS else None


def reordered(rgba: Image, stored: PixelFormat) -> Image:
    """Pixels (..., 4), decoded in the usual reading, converted to the alternative reading of their format."""
    other: Image = rgba[..., _ORDERS[stored][1]]
    return other


def other_alpha(stored: PixelFormat) -> int:
    """The channel of the usual reading that is the alpha of the format's alternative reading."""
    return _ORDERS[stored][1][ALPHA]


def opaque(rgba: Image) -> Image:
    """Pixels (..., 4) with all alphas opaque."""
    result = rgba.copy()
    result[..., ALPHA] = OPAQUE
    return result


class Channels(StrEnum):
    """The shown channels: colors, or one channel in gray."""

    RGBA = "rgba"
    RGB = "rgb"
    RED = "red"
    GREEN = "green"
    BLUE = "blue"
    ALPHA = "alpha"


def usual_channels(texture: Texture) -> Channels:
    """The channels that show what a texture looks like: alpha only if it is plainly an outline.

    Elsewhere it is gloss as often as transparency, which only materials tell.
    """
    return Channels.RGBA if alpha_of(texture) is AlphaKind.CUTOUT else Channels.RGB


LONGEST: Final = 8192
"""Longest side of a shown level, pixels; larger levels are halved."""


class PixelKey(NamedTuple):
    """The identity of some decoded pixels: equal keys mean equal pixels."""

    texture: TextureKey
    level: int
    channels: Channels
    is_reordered: bool


class TextureView(Struct, frozen=True):
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
