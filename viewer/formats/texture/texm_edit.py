"""Replacing the image of a texture without changing anything else.

The header words whose meaning is open, the palette, the atlas and the unused bytes of pixels are
copied; the smaller levels are made again where level 0 changed.

Source: spec/texm.md 7.
Status: proven (layout), derived (what is kept).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from viewer.formats.record import Bytes
from viewer.formats.texture import pixels
from viewer.formats.texture.mips import changed_blocks, smaller_levels
from viewer.formats.texture.palette import palette_of
from viewer.formats.texture.pixels import Image, PixelFormat
from viewer.formats.texture.texm import HEADER, Texture, check_size


def replace_image(
    texture: Texture, rgba: Image, *, pixel_format: PixelFormat | None = None, mip_count: int | None = None
) -> bytes:
    """The payload of a texture with a new image, shape (height, width, 4).

    The pixel format and the number of levels (see `level_count`) are kept by default. The rectangles of the
    atlas are kept if the size is. Raises `ValueError` for an image that cannot be a texture.
    """
    return b"".join(replace_image_parts(texture, rgba, pixel_format, mip_count))


def replace_image_parts(
    texture: Texture, rgba: Image, pixel_format: PixelFormat | None = None, mip_count: int | None = None
) -> Iterator[bytes]:
    """The payload of `replace_image` some pixels at a time; the previous ones are not kept."""
    height, width = rgba.shape[:2]
    pixel_format = texture.format if pixel_format is None else pixel_format
    count = level_count(texture, rgba) if mip_count is None else mip_count
    check_size(rgba, count)
    header = HEADER.new()
    # All words, then those that the image decides: flags and mean color stay, whatever they mean.
    header[0] = texture.header
    header["width"], header["height"] = width, height
    header["mip_count"], header["pixel_format"] = count, int(pixel_format)
    yield header.tobytes()
    stored = _palette(texture, rgba) if pixel_format is PixelFormat.INDEXED else b""
    yield stored
    yield from _levels(texture, rgba, pixel_format, stored, count)
    # Rectangles are in pixels of level 0: in an image of another size they would cut out other things.
    if has_size(texture, rgba):
        yield atlas(texture)


def level_count(texture: Texture, rgba: Image) -> int:
    """The number of levels of a texture with a new image: the same, of another size those up to one pixel."""
    count = int(texture.header["mip_count"])
    return count if has_size(texture, rgba) else min(count, max(rgba.shape[:2]).bit_length())


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
    """The stored pixels of each level; pixels that do not change keep their bytes.

    A pixel of a smaller level keeps them while its block of level 0 does, whatever made that level.
    """
    palette = pixels.decode_palette(stored) if stored else None
    before = texture.levels if pixel_format is texture.format and has_size(texture, rgba) else ()
    if count == 1 and not before:
        yield from pixels.encode_parts(rgba, pixel_format, palette)
        return
    written = b"".join(pixels.encode_parts(rgba, pixel_format, palette))
    changed = None
    if before:
        written = _like_before(written, before[0].data, pixel_format, palette)
        changed = (_pixels(written, pixel_format) != _pixels(before[0].data, pixel_format)).any(axis=1)
        changed = changed.reshape(rgba.shape[:2])
    yield written
    size = rgba.shape[1], rgba.shape[0]
    for index, level in enumerate(smaller_levels(written, size, pixel_format, palette, count), 1):
        if changed is None or index >= len(before):
            yield level
            continue
        data = before[index].data
        made = _pixels(_like_before(level, data, pixel_format, palette), pixel_format)
        # Levels of 93 of the game's 341 textures follow another rule than ours: where nothing changed, they
        # stay (spec/texm.md 7).
        is_made = changed_blocks(changed, index).reshape(-1, 1)
        yield np.where(is_made, made, _pixels(data, pixel_format)).tobytes()


def _pixels(stored: Bytes, pixel_format: PixelFormat) -> npt.NDArray[np.uint8]:
    """The bytes of stored pixels, shape (n, bytes per pixel)."""
    return np.frombuffer(stored, np.uint8).reshape(-1, pixel_format.size)


def _like_before(written: bytes, before: Bytes, pixel_format: PixelFormat, palette: Image | None) -> bytes:
    """Pixels with undetermined bits taken from the previous ones: for equal colors, the same index."""
    new, old = _pixels(written, pixel_format).copy(), _pixels(before, pixel_format)
    if pixel_format is PixelFormat.RGB888:
        # The fourth byte shows nowhere and is kept all the same.
        new[:, 3] = old[:, 3]
    elif palette is not None:
        colors = palette.view("<u4").reshape(-1)
        # A palette may hold a color twice: a pixel that kept its color keeps its row.
        is_same = colors[new] == colors[old]
        new[is_same] = old[is_same]
    return new.tobytes()
