"""Replacing the picture of a texture or of a font, stored like the old one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Self

import numpy as np

from viewer.errors import EditError
from viewer.formats import splice
from viewer.formats.splice import Splice, Splices
from viewer.formats.texture import font, texm, texm_edit
from viewer.formats.texture.pixels import WRITTEN, Image, PixelFormat
from viewer.formats.texture.texm import MAX_MIPS, MAX_SIDE, Texture
from viewer.model.edit.change import Change, change, refusal, refuse_outside
from viewer.model.edit.draft import Draft
from viewer.model.edit.typed_words import ImageFile, Typed, Word
from viewer.translation import _

CHANNELS: Final = 4
MOST_SPLICES: Final = 256
"""Separate ranges of one picture, above which it is one range."""


@change(
    "replace-texture",
    "replace the picture by one of {width} x {height} pixels",
    typed=Typed(
        "put an image into a texture, stored in its format",
        (Word("IMAGE", "picture", ImageFile, "file"),),
        option="--picture",
    ),
)
class ReplaceTexture(Change, frozen=True):
    """Put another picture into a texture: header words, palette, unused bits and rectangles stay.

    Smaller levels are made from the picture. Rectangles are left out if the size is another one.

    Parameters
    ----------
    width, height
        Size of the picture, pixels.
    rgba
        Its pixels, rows from top to bottom, four bytes each.
    pixel_format
        The number of the format to store them in; None: that of the texture.
    mip_count
        Number of levels; None: that of the texture, of a smaller picture no more than reach one pixel.
    """

    width: int
    height: int
    rgba: bytes
    pixel_format: int | None = None
    mip_count: int | None = None

    @classmethod
    def of(cls, picture: Image, pixel_format: int | None = None, mip_count: int | None = None) -> Self:
        """The change that puts in a picture, (height, width, 4) uint8."""
        height, width = picture.shape[:2]
        return cls(width, height, picture.tobytes(), pixel_format, mip_count)

    def apply(self, draft: Draft) -> None:
        """Write the picture; raises `EditError` if it cannot be a texture or such a format."""
        texture, start, size = _texture(draft)
        for name, side in (("width", self.width), ("height", self.height)):
            refuse_outside(side, 1, MAX_SIDE, texm.HEADER.name, None, name)
        needed = self.width * self.height * CHANNELS
        if len(self.rgba) != needed:
            words = "{size} bytes of pixels, {needed} are needed"
            raise refusal(words, texm.LEVELS, size=len(self.rgba), needed=needed)
        picture = np.frombuffer(self.rgba, np.uint8).reshape(self.height, self.width, CHANNELS)
        stored = self._format(texture)
        count = texm_edit.level_count(texture, picture) if self.mip_count is None else self.mip_count
        refuse_outside(count, 1, MAX_MIPS, texm.HEADER.name, None, "mip_count")
        if _shows(texture, picture, stored, count):
            return
        after = texm_edit.replace_image(texture, picture, pixel_format=stored, mip_count=count)
        before = draft.data[start : start + size]
        found = splice.moved(splice.between(before, after + _tail(texture, picture)), start)
        draft.splice_readable(found if len(found) <= MOST_SPLICES else (_joined(draft, found),))
        if len(texture.pages) and not texm_edit.has_size(texture, picture):
            note = _("rectangles of the former size are removed: {count}", count=len(texture.pages))
            draft.notes.append(note)
        draft.notes += _losses(_texture(draft)[0], picture)

    def _format(self, texture: Texture) -> PixelFormat:
        number = int(texture.format) if self.pixel_format is None else self.pixel_format
        found = next((it for it in WRITTEN if it == number), None)
        if found is None:
            words = "{value} cannot be written, only {names}"
            names = ", ".join(str(int(it)) for it in WRITTEN)
            raise refusal(words, texm.HEADER.name, None, "pixel_format", value=number, names=names)
        return found


def _losses(texture: Texture, picture: Image) -> Iterator[str]:
    """Sentences about the distance of a texture from the picture that was put into it."""
    # Signed and wider than a byte: as uint8, 3 - 5 would be 254.
    distance = np.abs(texture.level(0).astype(np.int16) - picture).max(axis=2)
    count = int(np.count_nonzero(distance))
    if count:
        words = "{count} of {total} pixels are not exact in format {stored}: off by up to {most} of 255"
        total, most = distance.size, int(distance.max())
        yield _(words, count=count, total=total, stored=int(texture.format), most=most)


def _texture(draft: Draft) -> tuple[Texture, int, int]:
    """The texture of a payload, its offset and its size; raises `EditError` if it has none."""
    value = draft.value
    if isinstance(value, Texture):
        return value, 0, len(draft.data)
    if isinstance(value, font.Font) and value.texture is not None:
        start = font.TEXTURE_START
        return value.texture, start, len(draft.data) - start
    raise EditError(_("has no picture"))


def _shows(texture: Texture, picture: Image, stored: PixelFormat, count: int) -> bool:
    """Whether the texture is that picture already."""
    return (
        stored is texture.format
        and count == len(texture.levels)
        and texm_edit.has_size(texture, picture)
        and np.array_equal(texture.level(0), picture)
    )


def _tail(texture: Texture, picture: Image) -> bytes:
    """Rectangles and other bytes after the pixels that are kept, if they are not such as the writer keeps."""
    is_whole = len(texture.levels) == int(texture.header["mip_count"])
    # A whole atlas is kept by the writer itself; here are rectangles that are cut, and bytes behind them.
    if not is_whole or not texm_edit.has_size(texture, picture) or texm_edit.atlas(texture):
        return b""
    header = b"" if texture.page_header is None else texture.page_header.tobytes()
    return header + texture.pages.tobytes() + bytes(texture.tail)


def _joined(draft: Draft, splices: Splices) -> Splice:
    """A splice of the same length that joins many."""
    first, last = splices[0].offset, splices[-1].end
    before = bytes(draft.data[first:last])
    return Splice(first, before, splice.applied(before, splice.moved(splices, -first)))
