"""Pixel formats of textures: conversion of stored pixels to RGBA and back, vectorised.

Source: spec/texm.md 2, 3, 7; spec/field-notes.md 4.
Status: proven (0, 565, 4444, 888, 8888), open (no known file has 556 and 88; 2 is only in a font).
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from functools import cache

import numpy as np
import numpy.typing as npt

from viewer.formats.record import Bytes
from viewer.translation import _

Image = npt.NDArray[np.uint8]
"""RGBA, shape (height, width, 4), top row first; alpha is data, not premultiplied."""
Words = npt.NDArray[np.uint32]

PALETTE_SIZE = 256
# Thousandths of ITU-R BT.601. No file has format 88, and no source says how its luminance is made.
_LUMINANCE = (299, 587, 114)
_LEVELS = np.arange(256, dtype=np.uint32)
_PART = 1 << 20
"""Pixels that are matched with a palette together; limits the memory."""
_OPAQUE = np.uint32(0xFF000000)


_MEANINGS = {
    0: "index into its own palette",
    2: "index into an external palette",
    88: "luminance 8, alpha 8",
    556: "red 5, green 5, blue 6",
    565: "red 5, green 6, blue 5",
    888: "red 8, green 8, blue 8, 8 unused",
    4444: "alpha 4, red 4, green 4, blue 4",
    8888: "alpha 8, red 8, green 8, blue 8",
}


class PixelFormat(IntEnum):
    """Storage of a pixel; the number is the format word of the file."""

    INDEXED = 0
    EXTERNAL = 2
    LA88 = 88
    RGB556 = 556
    RGB565 = 565
    RGB888 = 888
    ARGB4444 = 4444
    ARGB8888 = 8888

    @property
    def meaning(self) -> str:
        """The channels of a pixel, from its highest bit or byte down."""
        return _MEANINGS[self.value]

    @property
    def label(self) -> str:
        """The number, and its meaning if that is not the order of bits."""
        words = {PixelFormat.INDEXED: _(" (own palette)"), PixelFormat.EXTERNAL: _(" (external palette)")}
        return f"{self.value}{words.get(self, '')}"

    @property
    def size(self) -> int:
        """Bytes per pixel."""
        if self in {PixelFormat.INDEXED, PixelFormat.EXTERNAL}:
            return 1
        return 4 if self in {PixelFormat.RGB888, PixelFormat.ARGB8888} else 2

    @property
    def has_alpha(self) -> bool:
        """Whether the stored pixels have an alpha; the others are opaque."""
        return self in {PixelFormat.LA88, PixelFormat.ARGB4444, PixelFormat.ARGB8888}


WRITTEN = tuple(found for found in PixelFormat if found is not PixelFormat.EXTERNAL)
"""Formats that can be encoded; the palette of the other one is not part of the texture."""

_CHANNELS: dict[PixelFormat, tuple[tuple[int, int], ...]] = {
    PixelFormat.RGB565: ((11, 5), (5, 6), (0, 5)),
    PixelFormat.RGB556: ((11, 5), (6, 5), (0, 6)),
    PixelFormat.ARGB4444: ((8, 4), (4, 4), (0, 4), (12, 4)),
    # Luminance in the high byte for all three colors, alpha in the low one; one project has them the other
    # way round (spec/README.md 5, C26).
    PixelFormat.LA88: ((8, 8), (8, 8), (8, 8), (0, 8)),
}
"""Lowest bit and number of bits of red, green, blue and alpha in a 16-bit pixel."""


def decode(data: Bytes, pixel_format: PixelFormat, palette: Image | None = None) -> npt.NDArray[np.uint8]:
    """Stored pixels as RGBA, shape (n, 4).

    `palette` is required for indexed pixels: RGBA, shape (256, 4). Those with an external palette are
    gray without it.
    """
    if pixel_format is PixelFormat.EXTERNAL and palette is None:
        palette = _greys()
    # Blue is the first byte, of 888 and of palettes too; projects disagreed until textures of the game were
    # seen (spec/README.md 5, C25; spec/field-notes.md 4.5).
    if pixel_format is PixelFormat.ARGB8888:
        words = _swap_red_blue(np.frombuffer(data, "<u4"))
    elif pixel_format is PixelFormat.RGB888:
        words = _swap_red_blue(np.frombuffer(data, "<u4")) | _OPAQUE
    elif pixel_format.size == 1:
        words = _palette_words(palette).take(np.frombuffer(data, "u1"))
    else:
        words = _table(pixel_format).take(np.frombuffer(data, "<u2"))
    # Red is the lowest byte of a word: as little-endian bytes that is R G B A.
    return words.astype("<u4", copy=False).view(np.uint8).reshape(-1, 4)


def encode(rgba: Image, pixel_format: PixelFormat, palette: Image | None = None) -> bytes:
    """RGBA pixels, shape (..., 4), as stored; channels are rounded to the nearest step.

    Indexed pixels get the nearest color of `palette`; the unused byte of 888 is zero. Raises
    `ValueError` for a format that is not `WRITTEN`.
    """
    return b"".join(encode_parts(rgba, pixel_format, palette))


def encode_parts(rgba: Image, pixel_format: PixelFormat, palette: Image | None = None) -> Iterator[bytes]:
    """Like `encode`, some pixels at a time, so that the memory for it is bounded."""
    if pixel_format not in WRITTEN:
        raise ValueError(f"pixels of format {pixel_format.value} cannot be written")
    pixels = rgba.reshape(-1, 4)
    for start in range(0, len(pixels), _PART):
        some = pixels[start : start + _PART]
        if pixel_format is PixelFormat.INDEXED:
            yield _nearest(some, _palette_words(palette)).tobytes()
        elif pixel_format.size == 4:
            mask = np.uint32(0xFFFFFFFF if pixel_format.has_alpha else 0x00FFFFFF)
            yield (_swap_red_blue(_words(some)) & mask).tobytes()
        else:
            yield _pack(some, pixel_format).tobytes()


def components(pixel_format: PixelFormat) -> tuple[tuple[int, int], ...]:
    """Lowest bit and number of bits of each component of a 16-bit pixel; a luminance is one."""
    return tuple(dict.fromkeys(_CHANNELS[pixel_format]))


def decode_palette(data: Bytes) -> Image:
    """A stored palette (blue, green, red, padding) as opaque RGBA, shape (256, 4)."""
    return decode(data, PixelFormat.RGB888)


def encode_palette(palette: Image) -> bytes:
    """An RGBA palette, shape (256, 4), as stored, with zero padding."""
    return encode(palette, PixelFormat.RGB888)


def halve(rgba: Image) -> Image:
    """An image of half the size, for screens: a rounded 2x2 box; an odd last row or column is ignored."""
    height, width = (max(1, size // 2) for size in rgba.shape[:2])
    result = np.empty((height, width, 4), np.uint8)
    step = max(1, _PART // (4 * width))
    for row in range(0, height, step):
        rows = rgba[2 * row : 2 * min(row + step, height)].astype(np.uint16)
        rows = rows[0::2] + rows[1::2] if len(rows) > 1 else rows * 2
        # 5 columns give 4; 1 gives 2, which a slice cuts to the one there is.
        columns = rows[:, : max(1, rows.shape[1] // 2) * 2]
        total = columns[:, 0::2] + columns[:, 1::2] if columns.shape[1] > 1 else columns * 2
        # Four bytes are 1020 at most, which fits 16 bits; + 2 rounds half up.
        result[row : row + step] = (total + np.uint16(2)) >> np.uint16(2)
    return result


def magnify(rgba: Image, longest: int) -> Image:
    """Enlarge by the largest whole factor that leaves no side longer than `longest`, without filtering."""
    factor = longest // max(rgba.shape[:2])
    return rgba.repeat(factor, axis=0).repeat(factor, axis=1) if factor > 1 else rgba


def _words(pixels: npt.NDArray[np.uint8]) -> Words:
    """RGBA, shape (n, 4), as little-endian words with red lowest, shape (n,)."""
    return np.ascontiguousarray(pixels, np.uint8).view(np.uint32).reshape(-1)


def _swap_red_blue(words: Words) -> Words:
    inner, outer = np.uint32(0x00FF00FF), np.uint32(0xFF00FF00)
    # 0xAABBGGRR turned by 16 bits is 0xGGRRAABB: red and blue are in each other's place.
    swapped: Words = (words & outer) | (words >> np.uint32(16) | words << np.uint32(16)) & inner
    return swapped


def _palette_words(palette: Image | None) -> Words:
    if palette is None:
        raise ValueError("indexed pixels require a palette")
    return _words(palette)


@cache
def _greys() -> Image:
    """The 256 grays from black to white, opaque."""
    greys = np.full((PALETTE_SIZE, 4), 255, np.uint8)
    greys[:, :3] = np.arange(PALETTE_SIZE)[:, None]
    return greys


@cache
def _table(pixel_format: PixelFormat) -> Words:
    """RGBA words of all 65,536 pixels of a 16-bit format: the high bits fill the low ones."""
    pixels = np.arange(0x10000, dtype=np.uint32)
    table = np.zeros_like(pixels) if pixel_format.has_alpha else np.full_like(pixels, _OPAQUE)
    for channel, (shift, bits) in enumerate(_CHANNELS[pixel_format]):
        value = pixels >> shift & np.uint32((1 << bits) - 1)
        # 5 bits 10000 become 10000100: the top bits follow again, so that 31 becomes 255.
        table |= (value << (8 - bits) | value >> (2 * bits - 8)) << (8 * channel)
    return table


def _pack(pixels: npt.NDArray[np.uint8], pixel_format: PixelFormat) -> npt.NDArray[np.uint16]:
    packed = np.zeros(len(pixels), "<u2")
    is_gray = pixel_format is PixelFormat.LA88
    luminance = _luminance(pixels) if is_gray else pixels[:, 0]
    for channel, (shift, bits) in enumerate(_CHANNELS[pixel_format]):
        # Rounded without floats: level * 31 / 255 + 1/2 is (62 * level + 255) / 510.
        steps = (_LEVELS * (2 * ((1 << bits) - 1)) + 255) // 510 << shift
        packed |= steps.astype("<u2")[luminance if is_gray and channel < 3 else pixels[:, channel]]
    return packed


def _luminance(pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Brightness of each pixel, rounded."""
    # Half of the 1000 that the sum is divided by, for rounding.
    total = np.full(len(pixels), 500, np.uint32)
    for channel, weight in enumerate(_LUMINANCE):
        total += (_LEVELS * weight)[pixels[:, channel]]
    return (total // 1000).astype(np.uint8)


def _nearest(pixels: npt.NDArray[np.uint8], palette: Words) -> npt.NDArray[np.uint8]:
    """Row of the nearest palette color for each pixel, ignoring alpha."""
    # Alpha is the highest byte, as red is the lowest: without it few colors are left to compare.
    colors, inverse = np.unique(_words(pixels) & 0x00FFFFFF, return_inverse=True)
    entries = _channels(palette)
    lengths = (entries**2).sum(axis=1)
    rows = np.empty(len(colors), np.uint8)
    # 4096 colors by 256 entries in float32 are 4 MiB.
    for start in range(0, len(colors), 4096):
        part = slice(start, start + 4096)
        # |c - e|^2 is c.c - 2 c.e + e.e, and c.c is the same for every entry.
        rows[part] = (lengths - 2 * (_channels(colors[part]) @ entries.T)).argmin(axis=1)
    found: npt.NDArray[np.uint8] = rows[inverse.reshape(-1)]
    return found


def _channels(words: Words) -> npt.NDArray[np.float32]:
    """Red, green and blue, (n, 3); sums of their products are exact in single precision."""
    return np.stack([words >> shift & 0xFF for shift in (0, 8, 16)], axis=1).astype(np.float32)
