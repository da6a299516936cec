"""Thumbnails of entries as panels draw them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from viewer.model.kinds.registry import FONT, MATERIAL, MODEL, TEXTURE

TEXTURES: Final = frozenset({TEXTURE.id, FONT.id})
"""Kinds that are or contain a texture."""
KINDS: Final = TEXTURES | {MODEL.id, MATERIAL.id}
"""Kinds of entries that have a thumbnail, unless they are damaged or too large."""


@dataclass(frozen=True, slots=True)
class ThumbnailImage:
    """A thumbnail in two sizes.

    Attributes
    ----------
    row, large
        Opaque ImGui texture ids, for a row of a list and for the enlarged view; top row
        first.
    width, height
        Size of the large one, pixels; both have the same aspect ratio.
    """

    row: int
    large: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """The content of an entry that has been read.

    Attributes
    ----------
    image
        None while it is loading, and if there will be none.
    facts
        Short facts about it, the most important first.
    problem
        Why it cannot be shown, or not correctly; empty if nothing is wrong.
    """

    image: ThumbnailImage | None = None
    facts: tuple[str, ...] = ()
    problem: str = ""
