"""What the alpha of a texture is for, judged by its pixels and by the material that uses it.

Source: spec/field-notes.md 4.
Status: inferred; where a silhouette ends and a gradation begins is our own measure.
"""

from __future__ import annotations

from typing import Final

from viewer.formats.texm import Texture
from viewer.model.materials import AlphaKind

CLEAR_BELOW: Final = 16
OPAQUE_FROM: Final = 240
MOST_BETWEEN: Final = 0.25
"""Share of the pixels of a silhouette that may be neither clear nor opaque: its softened edge."""


def alpha_of(texture: Texture) -> AlphaKind:
    """`NONE`, `SILHOUETTE` or `GRADED`, by level 0 of a texture."""
    if not texture.levels or not texture.format.has_alpha:
        return AlphaKind.NONE
    alpha = texture.level(0)[..., 3]
    if alpha.min() >= OPAQUE_FROM:
        return AlphaKind.NONE
    is_between = (alpha >= CLEAR_BELOW) & (alpha < OPAQUE_FROM)
    return AlphaKind.GRADED if is_between.mean() > MOST_BETWEEN else AlphaKind.SILHOUETTE


def alpha_in(kind: AlphaKind, *, is_skin: bool) -> AlphaKind:
    """What a texture's alpha is for in a material: whatever it looks like, on a skin it is gloss."""
    return AlphaKind.GLOSS if is_skin and kind is not AlphaKind.NONE else kind
