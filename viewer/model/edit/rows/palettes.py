"""The palette of a texture, whose pixels refer to its colors."""

from __future__ import annotations

import numpy as np

from viewer.formats.splice import Splices
from viewer.formats.texture.texm import LEVELS, Texture
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows.arrangement import Arrangement, arranged, joined, replaced, zeros


def arrange_own(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of the colors in another order, and of the pixels, so that the picture stays."""
    texture: Texture = draft.value
    colors = arranged(draft, draft.part(path), arrangement, zeros)
    new_indices = arrangement.new_indices.astype(np.uint8)
    start = draft.part(LEVELS).start
    pixels = np.frombuffer(b"".join(bytes(level.data) for level in texture.levels), np.uint8)
    return joined(colors, replaced(draft, start, len(pixels), new_indices[pixels].tobytes()))
