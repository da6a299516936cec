"""Images of other programs as pixels, and whether an image shows a known one.

Their size is checked before they are unpacked. Rounding and compression change pixels too: the image of a
JPEG file is compared with the known one saved in the same way. Two programs that save one image with the same
tables round a few coefficients otherwise; one that was painted over differs by more. Measured on images of 64
to 256 pixels a side, against the same image saved here: Blender at most 9 steps and 0.3 on average, sharp
none, mozjpeg, which rounds to save bytes, 24 and 1.7.
"""

from __future__ import annotations

import struct
import warnings
import zlib
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Final

import numpy as np
import PIL.Image
from msgspec import Struct

from viewer.errors import FormatError
from viewer.formats.texture.pixels import Image
from viewer.model.convert.pictures.png import SIGNATURE
from viewer.model.convert.scene_images import Compression, SceneImage
from viewer.translation import _

MOST_PIXELS: Final = 4096 * 4096
"""Larger images are refused before their pixels are decompressed."""
MOST_SIDE: Final = 1 << 15
"""Longer sides are refused too: an empty row of a compressed bitmap costs a few bytes."""
SMALL_TOGETHER: Final = 1 << 26
"""Pixels of all images of a file together, however small their files are."""
PIXELS_PER_BYTE: Final = 16
"""Most pixels for each byte of an image: textures in JPEG files have up to ten."""
MOST_TOGETHER: Final = 1 << 27
"""Pixels of all images of a file together, however large their files are: 128 textures of 1024 x 1024."""
FOREIGN: Final = ("PNG", "JPEG", "WEBP", "BMP", "TGA")
"""Formats of textures of other programs; TGA is last, as it has no mark."""

AT_ONCE: Final = 1 << 18
"""Pixels that are converted at once."""

_BROKEN: Final = (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, OverflowError,
                  struct.error, zlib.error)  # fmt: skip
"""Errors that Pillow raises for damaged files; their texts are about its code."""


def read(
    data: bytes | memoryview,
    formats: tuple[str, ...],
    most_side: int = MOST_SIDE,
    budget: PixelBudget | None = None,
) -> Image:
    """The pixels of a file in one of Pillow's formats.

    Raises `FormatError`, also if a side is longer than `most_side` or there are more pixels than are left.
    """
    table = formats[0] if len(formats) == 1 else "picture"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with _opened(data, formats) as opened:
                _check_size(table, *opened.size, most_side, budget)
                return _pixels(opened)
        except PIL.UnidentifiedImageError:  # its text has the address of an object
            raise FormatError("is not an image that can be read", table=table) from None
        except PIL.Image.DecompressionBombError as error:
            raise FormatError(_("has too many pixels"), table=table) from error
        except _BROKEN as error:
            raise FormatError(_("is damaged or cut off"), table=table) from error


def _opened(data: bytes | memoryview, formats: tuple[str, ...]) -> PIL.Image.Image:
    """The image in a file, whose pixels are not decoded yet."""
    if "PNG" in formats and bytes(data[: len(SIGNATURE)]) == SIGNATURE:
        from PIL.PngImagePlugin import PngImageFile  # noqa: PLC0415 `open` loads four other formats first

        try:
            return PngImageFile(BytesIO(data))
        except SyntaxError as error:
            raise PIL.UnidentifiedImageError from error
    return PIL.Image.open(BytesIO(data), formats=formats)


class PixelBudget(Struct):
    """The pixels that may be decoded from the images of one file: more if these take more bytes."""

    allowed: int = SMALL_TOGETHER
    used: int = 0

    @property
    def left(self) -> int:
        """The pixels of the next image, at most."""
        return self.allowed - self.used

    def read(self, data: bytes | memoryview, formats: tuple[str, ...]) -> Image:
        """The pixels of an image; raises `FormatError`, also if there are more than are left."""
        self.allowed = min(self.allowed + PIXELS_PER_BYTE * len(data), MOST_TOGETHER)
        found = read(data, formats, budget=self)
        self.used += found.shape[0] * found.shape[1]
        return found


def _check_size(table: str, width: int, height: int, most_side: int, budget: PixelBudget | None) -> None:
    """Refuse an image by its size, before its pixels are decompressed."""
    words, left, limit = "", 0, MOST_PIXELS
    if max(width, height) > most_side:
        words, limit = "{width} x {height} pixels, at most {limit} a side", most_side
    elif width * height > MOST_PIXELS:
        words = "{width} x {height} pixels, at most {limit} are read"
    elif budget is not None and width * height > budget.left:
        words = "{width} x {height} pixels; all images together have at most {limit}, {left} of them are left"
        left, limit = budget.left, budget.allowed
    if words:
        message = _(words, width=width, height=height, left=left, limit=limit)
        raise FormatError(message, table=table)


def _pixels(opened: PIL.Image.Image) -> Image:
    """RGBA pixels; some rows are converted at a time, as the whole image would be in memory twice."""
    width, height = opened.size
    if opened.mode == "RGBA":
        return np.array(opened)
    image = np.empty((height, width, 4), np.uint8)
    rows = max(1, AT_ONCE // max(1, width))
    for top in range(0, height, rows):
        some = opened.crop((0, top, width, min(top + rows, height)))
        # Pillow cuts 16 bits to 8 (0x1234 to 0xFF), so gray of 16 bits is scaled here: 65535 / 257 = 255.
        if some.mode in {"I", "I;16"}:
            gray = (np.asarray(some).astype(np.uint32) * 255 + 32767) // 65535
            some = PIL.Image.fromarray(gray.astype(np.uint8))
        if some.mode in {"CMYK", "YCbCr", "LAB", "HSV"}:
            some = some.convert("RGB")
        image[top : top + rows] = np.asarray(some.convert("RGBA"))
    return image


MARK: Final = b"\xff\xd8\xff"
"""The first bytes of a file."""
_MODES: Final = ("L", "RGB")
STEPS: Final = 4.0
"""Least tolerance of a channel, to which half of the largest divisor is added: two coefficients."""
MEAN: Final = 2.0
"""Tolerance of channels on average."""


def compression_of(data: bytes | memoryview) -> Compression | None:
    """Compression of the image in a file; None unless it is a JPEG file of colors or grays."""
    if bytes(data[: len(MARK)]) != MARK:
        return None
    from PIL.JpegImagePlugin import get_sampling  # noqa: PLC0415 it loads the starting of processes

    with PIL.Image.open(BytesIO(data), formats=("JPEG",)) as opened:
        tables: Mapping[int, Sequence[int]] | None = getattr(opened, "quantization", None)
        if not tables or opened.mode not in _MODES:
            return None
        return Compression(dict(tables), get_sampling(opened), opened.mode)


def is_compressed(known: Image, given: Image, how: Compression) -> bool:
    """Whether an image (h, w, 4) that was read from a file shows another one, which was opaque."""
    if known.shape != given.shape or (known[..., 3] < known.dtype.type(255)).any():
        return False
    opaque = PIL.Image.fromarray(np.ascontiguousarray(known[..., :3])).convert(how.mode)
    tables = [list(how.tables[key]) for key in sorted(how.tables)]
    file = BytesIO()
    opaque.save(file, "JPEG", qtables=tables, subsampling=how.sampling)
    with PIL.Image.open(file, formats=("JPEG",)) as opened:
        again = np.asarray(opened.convert("RGB"))
    away = np.abs(again.astype(np.int16) - given[..., :3])
    # A coefficient that rounds the other way moves pixels by up to half of its divisor.
    limit = STEPS + max(max(table) for table in how.tables.values()) / 2
    return bool(away.max(initial=0) <= limit and away.mean() <= MEAN)


NEAR: Final = 1
"""Largest difference of the bytes of equal pixels."""


def is_same_image(known: SceneImage, given: SceneImage, *, has_alpha: bool = False) -> bool:
    """Whether an image of a file shows a known one; one whose pixels are not in the file does.

    Parameters
    ----------
    has_alpha
        Whether pixels show by their alpha; what is clear may have any color then.
    """
    if not given.pixels.size or is_near(known.pixels, given.pixels, has_alpha=has_alpha):
        return True
    return given.compression is not None and is_compressed(known.pixels, given.pixels, given.compression)


def is_near(one: Image, other: Image, *, has_alpha: bool = True) -> bool:
    """Whether images (h, w, 4) differ by rounding alone."""
    if one.shape != other.shape:
        return False
    if np.array_equal(one, other):  # as in a file that nobody edited, a tenth of the time
        return True
    a, b = one.astype(np.int32), other.astype(np.int32)
    if has_alpha:
        # What is clear may have any color, so colors count by their alpha: (9, 9, 9, 0) is (0, 0, 0, 0).
        a[..., :3] = a[..., :3] * a[..., 3:] // 255
        b[..., :3] = b[..., :3] * b[..., 3:] // 255
    return bool(np.abs(a - b).max(initial=0) <= NEAR)


_LEVEL: Final = 4
"""Half the time of Pillow's own level, for a twentieth more bytes."""


def write_png(image: Image) -> bytes:
    """The PNG file of an image, straight alpha."""
    buffer = BytesIO()
    buffer.name = "image.png"  # by a suffix Pillow loads what writes it, by "PNG" what reads five formats too
    PIL.Image.fromarray(image).save(buffer, compress_level=_LEVEL)
    return buffer.getvalue()


def read_image(data: bytes | memoryview, most_side: int = MOST_SIDE) -> Image:
    """The pixels of a file in any of `FOREIGN`; raises `FormatError`, also for a side beyond `most_side`."""
    return read(data, FOREIGN, most_side)
