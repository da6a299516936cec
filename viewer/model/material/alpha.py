"""The use of a texture's alpha in the plain look, by its pixels and by the material that uses it.

Source: spec/field-notes.md 4.
Status: inferred; the limit between cut-out and translucent is our own.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from viewer.formats.texture import pixels
from viewer.formats.texture.texm import Texture
from viewer.model.material.materials import AlphaKind

ALPHA: Final = 3
"""The alpha channel, unless stored bytes are read in another order."""
# In textures of four bits per channel the levels are 0, 17, ... 238, 255: with these limits the lowest alone
# is clear and the highest alone opaque.
CLEAR_BELOW: Final = 16
OPAQUE_FROM: Final = 240
MOST_JUDGED: Final = 1 << 20
"""Most pixels that are sampled; of larger textures a part is enough."""
MOST_BETWEEN: Final = 0.25
"""Largest fraction of partly transparent pixels in a cut-out texture, which are its soft edge."""


def alpha_of(texture: Texture, channel: int = ALPHA) -> AlphaKind:
    """`NONE`, `CUTOUT` or `TRANSLUCENT`, by level 0 of a texture and its alpha channel."""
    if not texture.levels or not texture.format.has_alpha:
        return AlphaKind.NONE
    # Of a large level every few rows; -(-a // b) rounds up, so that a small one has step 1.
    level = texture.levels[0]
    rows = np.frombuffer(level.data, np.uint8).reshape(level.height, -1)
    step = -(-level.width * level.height // MOST_JUDGED)
    alpha = pixels.decode(rows[::step].tobytes(), texture.format)[:, channel]
    if alpha.min() >= OPAQUE_FROM:
        return AlphaKind.NONE
    is_between = (alpha >= CLEAR_BELOW) & (alpha < OPAQUE_FROM)
    return AlphaKind.TRANSLUCENT if is_between.mean() > MOST_BETWEEN else AlphaKind.CUTOUT


def alpha_in(kind: AlphaKind, *, is_skin: bool) -> AlphaKind:
    """The use of a texture's alpha in a material; on a skin it is always gloss."""
    return AlphaKind.GLOSS if is_skin and kind is not AlphaKind.NONE else kind
