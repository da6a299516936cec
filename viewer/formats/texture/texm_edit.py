"""Replacing the image of a texture without changing anything else.

The header words whose meaning is open, the palette, the atlas and the unused bytes of pixels are
copied; the smaller levels are recomputed.

Source: spec/texm.md 7.
Status: proven (layout), derived (what is kept).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from viewer.formats.record import Bytes
from viewer.formats.texture import pixels
from viewer.formats.texture.palette import palette_of
from viewer.formats.texture.pixels import Image, PixelFormat
from viewer.formats.texture.texm import HEADER, Texture, check_size


def replace_image(
    texture: Texture, rgba: Image, *, pixel_format: PixelFormat | None = None, mip_count: int | None = None
) -> bytes:
    """The payload of a texture with a new image, shape (height, width, 4).

    The pixel format and the number of levels are kept by default. The rectangles of the
    atlas are kept if the size is. Raises `ValueError` for an image that cannot be a texture.
    """
    return b"".join(replace_image_parts(texture, rgba, pixel_format, mip_count))


def replace_image_parts(
    texture: Texture, rgba: Image, pixel_format: PixelFormat | None = None, mip_count: int | None = None
) -> Iterator[bytes]:
    """Yield the payload of `replace_image` some pixels at a time; the previous ones are not kept."""
    height, width = rgba.shape[:2]
    pixel_format = texture.format if pixel_format is None else pixel_format
    count = int(texture.header["mip_count"]) if mip_count is None else mip_count
    check_size(rgba, count)
    header = HEADER.new()
    header[0] = texture.header
    header["width"], header["height"] = width, height
    header["mip_count"], header["pixel_format"] = count, int(pixel_format)
    yield header.tobytes()
    stored = _palette(texture, rgba) if pixel_format is PixelFormat.INDEXED else b""
    yield stored
    yield from _levels(texture, rgba, pixel_format, stored, count)
    if has_size(texture, rgba):
        yield atlas(texture)


def has_size(texture: Texture, rgba: Image) -> bool:
    """Whether an image has the size of the texture."""
    return rgba.shape[:2] == (int(texture.header["height"]), int(texture.header["width"]))


def atlas(texture: Texture) -> bytes:
    """The stored page chunk; empty if there is none, or if its size does not fit its rectangles."""
    header = texture.page_header
    if header is None or texture.tail or len(texture.pages) != header["page_count"]:
        return b""
    return header.tobytes() + texture.pages.tobytes()


def _palette(texture: Texture, rgba: Image) -> bytes:
    """The stored palette of the texture if it has one, or one made from the image."""
    if texture.palette is None:
        return pixels.encode_palette(palette_of(rgba))
    if texture.format is PixelFormat.INDEXED:
        return texture.colors.tobytes()
    return pixels.encode_palette(texture.palette)


def _levels(
    texture: Texture, rgba: Image, pixel_format: PixelFormat, stored: bytes, count: int
) -> Iterator[bytes]:
    """Yield the stored pixels of each level; pixels that do not change keep their bytes."""
    palette = pixels.decode_palette(stored) if stored else None
    is_kept = pixel_format is texture.format and has_size(texture, rgba)
    for index in range(count):
        if is_kept and index < len(texture.levels):
            written = pixels.encode(rgba, pixel_format, palette)
            yield _like_before(written, texture.levels[index].data, pixel_format, palette)
        else:
            yield from pixels.encode_parts(rgba, pixel_format, palette)
        rgba = pixels.halve(rgba)


def _like_before(written: bytes, before: Bytes, pixel_format: PixelFormat, palette: Image | None) -> bytes:
    """Pixels with undetermined bits taken from the previous ones: for equal colors, the same index."""
    new = np.frombuffer(bytearray(written), np.uint8).reshape(-1, pixel_format.size)
    old: npt.NDArray[np.uint8] = np.frombuffer(before, np.uint8).reshape(new.shape)
    if pixel_format is PixelFormat.RGB888:
        new[:, 3] = old[:, 3]
    elif palette is not None:
        colors = palette.view("<u4").reshape(-1)
        # A palette may hold a color twice: a pixel that kept its color keeps its row.
        is_same = colors[new] == colors[old]
        new[is_same] = old[is_same]
    return new.tobytes()
