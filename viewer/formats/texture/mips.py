"""The smaller levels of a texture, made from the stored pixels of its largest one.

Source: spec/texm.md 7; spec/field-notes.md 4.5.
Status: proven (248 of 341 textures of the game are reproduced), derived (sides that are no power of
two, indexed pixels).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from viewer.formats.record import Bytes
from viewer.formats.texture import pixels
from viewer.formats.texture.pixels import Image, PixelFormat

Sums = npt.NDArray[np.unsignedinteger]
"""Sums over blocks of pixels, shape (rows, columns, components)."""

_PART = 1 << 20
"""Pixels of level 0 that are summed together; limits the memory."""


def smaller_levels(
    stored: Bytes, size: tuple[int, int], pixel_format: PixelFormat, palette: Image | None, count: int
) -> Iterator[bytes]:
    """The stored pixels of levels 1 to `count` - 1; `size` is the width and height of level 0.

    A component of a pixel of level k is the mean of the 2^k x 2^k block of level 0, rounded down: of what
    is stored, so that 5 bits stay 5 bits, and never of the level before. Where a side is shorter than the
    block, the block is as long as the side. Indexed pixels get the color of `palette` that is nearest to
    the mean of the block's colors.
    """
    if count < 2:
        return
    width, height = size
    rows = max(2, _PART // width // 2 * 2)
    row_size = width * pixel_format.size
    bands = (stored[at * row_size : (at + rows) * row_size] for at in range(0, height, rows))
    # Rows of a band are even in number, so that no block is cut between two bands.
    sums = np.concatenate(
        [
            _paired(_components(band, pixel_format, palette).reshape(-1, width, _count(pixel_format)), 1)
            for band in bands
        ]
    )
    for level in range(1, count):
        if level > 1:
            sums = _paired(sums, level)
        # A block at the far edge may be cut; it is a pixel only where the side is shorter than the block.
        kept = sums[: max(1, height >> level), : max(1, width >> level)]
        # Level 3 of 16 x 4 pixels: blocks are 8 wide, and 4 high as the side is.
        area = min(1 << level, width) * min(1 << level, height)
        yield _stored((kept // kept.dtype.type(area)).astype(np.uint8), pixel_format, palette)


def changed_blocks(changed: npt.NDArray[np.bool_], level: int) -> npt.NDArray[np.bool_]:
    """The pixels of a level, (h, w), whose blocks of level 0 hold a pixel that `changed`, (H, W)."""
    height, width = changed.shape
    sums: Sums = changed[..., None].view(np.uint8)
    for step in range(1, level + 1):
        sums = _paired(sums, step)
    return sums[: max(1, height >> level), : max(1, width >> level), 0] > 0


def _paired(sums: Sums, level: int) -> Sums:
    """Sums of blocks that are twice as long; an odd last row or column is a block of its own."""
    # A block of level k has 4^k pixels: 255 << 2 is 1020 at level 1, for 16 bits, 255 << 14 at level 7, for
    # 32.
    wide = sums.astype(np.min_scalar_type(255 << 2 * level))
    for axis in (0, 1):
        wide = np.add.reduceat(wide, np.arange(0, wide.shape[axis], 2), axis=axis, dtype=wide.dtype)
    return wide


def _count(pixel_format: PixelFormat) -> int:
    """Components of a pixel; those of an indexed one are the colors of its palette."""
    if pixel_format.size == 2:
        return len(pixels.components(pixel_format))
    return 4 if pixel_format.size == 4 else 3


def _components(stored: Bytes, pixel_format: PixelFormat, palette: Image | None) -> npt.NDArray[np.uint8]:
    """The components of stored pixels, shape (n, components)."""
    if pixel_format.size == 2:
        words = np.frombuffer(stored, "<u2")
        # The fields as they are, 0 to 31 of 5 bits: the game's tool averaged these. Red fields 31 31 30 30
        # give 30, where expanded and rounded colors would give 31 (spec/texm.md 8).
        fields = [words >> shift & ((1 << bits) - 1) for shift, bits in pixels.components(pixel_format)]
        return np.stack(fields, axis=-1).astype(np.uint8)
    if pixel_format.size == 4:
        return np.frombuffer(stored, np.uint8).reshape(-1, 4)
    if palette is None:
        raise ValueError("indexed pixels require a palette")
    return palette[np.frombuffer(stored, np.uint8), :3]


def _stored(components: npt.NDArray[np.uint8], pixel_format: PixelFormat, palette: Image | None) -> bytes:
    """Pixels as they are stored, of their components, shape (h, w, components)."""
    if pixel_format.size == 2:
        words = np.zeros(components.shape[:2], "<u2")
        for channel, (shift, _bits) in enumerate(pixels.components(pixel_format)):
            words |= components[..., channel].astype("<u2") << shift
        return words.tobytes()
    if pixel_format.size == 4:
        return components.tobytes()
    opaque = np.full((*components.shape[:2], 4), 255, np.uint8)
    opaque[..., :3] = components
    return pixels.encode(opaque, pixel_format, palette)
