"""What the alpha of a texture is for, judged by its pixels and by the material that uses it.

Source: spec/field-notes.md 4.
Status: inferred; where a silhouette ends and a gradation begins is our own measure.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.texture import pixels
from viewer.formats.texture.texm import Texture
from viewer.model.material.materials import AlphaKind

ALPHA: Final = 3
"""The channel that is the alpha, unless stored bytes are read in another order."""
CLEAR_BELOW: Final = 16
OPAQUE_FROM: Final = 240
MOST_JUDGED: Final = 1 << 20
"""Pixels that are looked at; of larger textures a part is enough."""
MOST_BETWEEN: Final = 0.25
"""Share of the pixels of a silhouette that may be neither clear nor opaque: its softened edge."""


def alpha_of(texture: Texture, channel: int = ALPHA) -> AlphaKind:
    """`NONE`, `SILHOUETTE` or `GRADED`, by level 0 of a texture and by the channel that is its alpha."""
    if not texture.levels or not texture.format.has_alpha:
        return AlphaKind.NONE
    alpha = _judged(texture)[:, channel]
    if alpha.min() >= OPAQUE_FROM:
        return AlphaKind.NONE
    is_between = (alpha >= CLEAR_BELOW) & (alpha < OPAQUE_FROM)
    return AlphaKind.GRADED if is_between.mean() > MOST_BETWEEN else AlphaKind.SILHOUETTE


def _judged(texture: Texture) -> npt.NDArray[np.uint8]:
    """Pixels of level 0, (n, 4): all of them, or those of every few rows where that is a lot."""
    level = texture.levels[0]
    rows = np.frombuffer(level.data, np.uint8).reshape(level.height, -1)
    step = -(-level.width * level.height // MOST_JUDGED)
    return pixels.decode(rows[::step].tobytes(), texture.format)


def alpha_in(kind: AlphaKind, *, is_skin: bool) -> AlphaKind:
    """What a texture's alpha is for in a material: whatever it looks like, on a skin it is gloss."""
    return AlphaKind.GLOSS if is_skin and kind is not AlphaKind.NONE else kind
