"""The small picture of an entry as a panel draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from viewer.model.kinds.registry import FONT, MATERIAL, MODEL, TEXTURE

TEXTURES: Final = frozenset({TEXTURE.id, FONT.id})
"""Kinds that are a texture or hold one."""
KINDS: Final = TEXTURES | {MODEL.id, MATERIAL.id}
"""Kinds of entries that have a picture, unless they are damaged or too large."""


@dataclass(frozen=True, slots=True)
class ThumbnailImage:
    """A picture in two sizes.

    Attributes
    ----------
    row, large
        Opaque ids that ImGui knows the pictures by, for a row of a list and for a closer look; top row
        first.
    width, height
        Pixels of the large one; both have these proportions.
    """

    row: int
    large: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """What is known of an entry that has been looked into.

    Attributes
    ----------
    picture
        None while it is on its way, and where there will be none.
    facts
        What it is, in a few words each, the most telling first.
    problem
        Why it cannot be shown, or not as it should be; empty where nothing is wrong.
    """

    picture: ThumbnailImage | None = None
    facts: tuple[str, ...] = ()
    problem: str = ""
