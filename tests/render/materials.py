"""Materials made in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from viewer.formats import mat0
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.materials import (
    PLAIN_PHASE,
    AlphaKind,
    Blend,
    Color,
    FoundIn,
    Material,
    Phase,
    Rectangle,
    TextureRef,
)
from viewer.model.store.address import Address

ATTR1 = {blend: index << 2 for index, blend in enumerate(map(Blend, mat0.BLENDS))}
SKIN = 2

BLENDED = {
    Blend.OPAQUE: lambda source, alpha, under: source,
    Blend.ADD: lambda source, alpha, under: source * alpha + under,
    Blend.MULTIPLY: lambda source, alpha, under: under * source,
    Blend.ALPHA: lambda source, alpha, under: source * alpha + under * (1 - alpha),
    Blend.MULTIPLY2: lambda source, alpha, under: source * under + under * source,
}
"""The color in each blend mode, by the color and alpha of the upper layer and the color below."""


def picture_of(payload: bytes, page: Rectangle | None = None) -> TextureRef:
    """The picture that some bytes of a texture are."""
    return TextureRef(Address.parse("memory"), "memory", texm.decode(payload), page)


def picture(
    rgba: npt.ArrayLike, stored: PixelFormat = PixelFormat.ARGB8888, mip_count: int = 1, **extra: Any
) -> TextureRef:
    """A picture of pixels (h, w, 4), or of a single one (4,)."""
    pixels = np.asarray(rgba, np.uint8)
    pixels = pixels.reshape(1, 1, 4) if pixels.ndim == 1 else pixels
    return picture_of(texm.build(pixels, stored, mip_count=mip_count), **extra)


def unlit(opacity: float = 1.0) -> Phase:
    """A phase of full brightness; the ambient alpha is the opacity, the others mean nothing."""
    black = (0.0, 0.0, 0.0, 0.0)
    return Phase(ambient=(1, 1, 1, opacity), diffuse=black, specular=black, emissive=black, is_lit=False)


def lit(**fields: Any) -> Phase:
    """A phase that the light falls on, black but for the fields given."""
    black: Color = (0.0, 0.0, 0.0, 1.0)
    plain = replace(PLAIN_PHASE, ambient=black, diffuse=black, specular=black, emissive=black)
    return replace(plain, **fields)


def material(
    image: TextureRef | None,
    phase: Phase | None = None,
    blend: Blend = Blend.OPAQUE,
    alpha: AlphaKind = AlphaKind.NONE,
    **fields: Any,
) -> Material:
    """A material of one phase, unlit if left out."""
    shown = phase or unlit()
    named = replace(shown, texture="memory" if image else None)
    values: dict[str, Any] = {
        "row": 0,
        "found": FoundIn.NAME,
        "attr1": ATTR1[blend],
        "phases": (named,),
        "textures": (image,),
        "alphas": (alpha,),
    }
    return Material(**(values | fields))
