"""Texm, a texture: header, palette, mip levels largest first, and the rectangles of an atlas.

Source: spec/texm.md, spec/field-notes.md 4.
Status: proven; `flags4` is open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.findings import Rule
from viewer.formats.layout.layout import Count, Cursor, Layout, Member
from viewer.formats.layout.lists import Listing
from viewer.formats.layout.members import Array, Short, Single, tail
from viewer.formats.part import Part, table
from viewer.formats.record import ASCII, Bytes, Field, Record, Rows, Status
from viewer.formats.texture import pixels
from viewer.formats.texture.mips import smaller_levels
from viewer.formats.texture.palette import COLOR_FIELDS, palette_of
from viewer.formats.texture.pixels import PALETTE_SIZE, Image, PixelFormat
from viewer.json_types import JsonObject, Natural
from viewer.translation import _

MAGIC = b"Texm"
PAGE_MAGIC = b"Page"
MAX_SIDE = 16384
MAX_MIPS = 15
LEVELS = "levels"
TAIL = "tail"
BAND = 1 << 20
"""Pixels that are decoded together for a reduced level."""
KNOWN_FLAGS4 = frozenset({0, 32})
# Bits 26 (81 textures) and 23 (three lightmaps) are read by nothing, and are no reason for a warning
# (spec/field-notes.md 9).
KNOWN_FLAGS5 = 0x07800000
"""Bits of flags5 that known files have, 23 to 26."""
FLAGS5 = {
    0x00800000: "exporter's, not read",
    0x01000000: "palette index 0 is transparent",
    0x02000000: "alpha surface",
    0x04000000: "exporter's, not read, on textures with levels",
}
"""Bits of flags5; the game reads two of them."""

_SIDES = range(1, MAX_SIDE + 1)
_RULES = {"width": "T02", "height": "T02", "mip_count": "T02", "pixel_format": "T03"}
"""The rules about values of the header."""

HEADER = Record(
    "header",
    32,
    Field("magic", "V4", 'Always "Texm".', encoding=ASCII, allowed=(MAGIC,)),
    Field("width", "<u4", "Width of level 0.", unit="pixels", allowed=_SIDES),
    Field("height", "<u4", "Height of level 0.", unit="pixels", allowed=_SIDES),
    Field("mip_count", "<u4", "Number of levels.", allowed=range(1, MAX_MIPS + 1)),
    Field("flags4", "<u4", "0 or 32.", status=Status.OPEN),
    Field(
        "flags5",
        "<u4",
        "How the surface is made: the game reads two bits, the others are the exporter's.",
        flags=FLAGS5,
        status=Status.INFERRED,
    ),
    Field("mean_color", "<u4", "Mean color of the image, 24 bits; mostly 0.", status=Status.INFERRED),
    Field(
        "pixel_format",
        "<u4",
        "Format of a stored pixel.",
        values={stored.value: stored.meaning for stored in PixelFormat},
        allowed=(*PixelFormat,),
    ),
    doc="Size, number of levels and pixel format.",
)

PALETTE = Record("palette", 4, *COLOR_FIELDS, doc="The colors for the pixels of an indexed texture.")

PAGE_HEADER = Record(
    "page_header",
    8,
    Field("magic", "V4", 'Always "Page".', encoding=ASCII, allowed=(PAGE_MAGIC,)),
    Field("page_count", "<u4", "Number of rectangles."),
    doc="Start of the atlas.",
)

# The width is between x and y on disk (spec/texm.md 4).
PAGE = Record(
    "pages",
    8,
    Field("x", "<i2", "Left edge in level 0.", unit="pixels"),
    Field("w", "<i2", "Width.", unit="pixels"),
    Field("y", "<i2", "Top edge in level 0.", unit="pixels"),
    Field("h", "<i2", "Height.", unit="pixels"),
    doc="Rectangles of the atlas; the implied first one, the whole texture, is not stored.",
)


class Level(Struct, frozen=True):
    """A mip level: its size, its offset in the payload, and its stored pixels."""

    width: int
    height: int
    offset: int
    size: int
    data: Bytes = b""

    @property
    def end(self) -> int:
        """First byte after the level."""
        return self.offset + self.size


class Texture(Struct, frozen=True, eq=False):
    """A decoded texture; pixels are decoded on demand.

    Parameters
    ----------
    header
        One `HEADER` record.
    levels
        The whole levels.
    pages
        `PAGE` records of the atlas, without the implied whole-texture rectangle.
    diagnostics
        Diagnostics.
    colors
        `PALETTE` records, (256,), of an indexed texture with a whole palette; else (0,).
    page_header
        One `PAGE_HEADER` record if there is an atlas.
    tail
        Bytes after the last whole piece.
    external
        The external palette of a texture, RGBA (256, 4), if known.
    """

    header: np.void
    levels: tuple[Level, ...]
    pages: Rows
    colors: Rows
    page_header: np.void | None = None
    tail: Bytes = b""
    external: Image | None = None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def format(self) -> PixelFormat:
        """Format of the stored pixels."""
        return PixelFormat(int(self.header["pixel_format"]))

    @property
    def palette(self) -> Image | None:
        """RGBA, shape (256, 4), of an indexed texture with a whole or an external palette."""
        if self.format is PixelFormat.EXTERNAL:
            return self.external
        return pixels.decode_palette(self.colors.tobytes()) if len(self.colors) else None

    def level(self, index: int) -> Image:
        """Mip level `index` as RGBA, shape (height, width, 4); raises `IndexError` beyond `levels`."""
        level = self.levels[index]
        return self.rows(level, 0, level.height)

    def reduced(self, index: int, halvings: int) -> Image:
        """Mip level `index` halved some times, with little more memory than the result."""
        level, step = self.levels[index], 1 << halvings
        if level.height < step:
            return _halved(self.level(index), halvings)
        # A multiple of the step, so that no square of pixels is cut between two bands.
        band = max(1, BAND // (level.width * step)) * step
        end = level.height // step * step
        starts = range(0, end, band)
        return np.concatenate(
            [_halved(self.rows(level, start, min(start + band, end)), halvings) for start in starts]
        )

    def rows(self, level: Level, start: int, end: int) -> Image:
        """Pixels of some rows of a level, (end - start, w, 4)."""
        row = level.width * self.format.size
        stored = level.data[start * row : end * row]
        return pixels.decode(stored, self.format, self.palette).reshape(end - start, level.width, 4)


def _color_count(it: Any) -> int:
    """256 colors of an indexed texture; none if they are truncated."""
    is_indexed = it.header["pixel_format"] == PixelFormat.INDEXED
    # A cut palette is not read in part: indices beyond it would have no color.
    return PALETTE_SIZE if is_indexed and it.size >= HEADER.size + PALETTE_SIZE * PALETTE.size else 0


class _Level(Member):
    """A mip level, which is a table of pixels; JSON has its bytes."""

    def part(self, value: Level, start: int, _ignored: Any) -> Part:
        """The part of the pixels."""
        size = value.size // (value.width * value.height)
        stored = Field("bytes", "u1", "The pixel as it is stored.", (size,))
        pixel = Record("pixels", size, stored, doc="Pixels, rows from top to bottom.")
        doc = _("{width} x {height} pixels, rows from top to bottom.", width=value.width, height=value.height)
        return replace(table(pixel, pixel.view(value.data), start), name="level", doc=doc)


class _Levels(Listing, frozen=True):
    """The mip levels that are whole, largest first."""

    def read(self, cursor: Cursor, it: Any) -> tuple[Level, ...]:
        """The levels; the first that is truncated is reported (T04)."""
        header, pixel_format = it.header, PixelFormat(int(it.header["pixel_format"]))
        # Where the palette is cut, its bytes are at the place of the levels: they are not pixels.
        is_cut = pixel_format is PixelFormat.INDEXED and not len(it.colors)
        levels: list[Level] = []
        full = int(header["width"]), int(header["height"])
        for index in range(int(header["mip_count"])):
            # Level 3 of 16 x 4 pixels is 2 x 1: a side never becomes 0.
            width, height = (max(1, side >> index) for side in full)
            size = pixel_format.size * width * height
            if is_cut or size > cursor.left:
                words = "{width} x {height} pixels at {offset} do not fit {size} bytes"
                extent = {"width": width, "height": height, "offset": cursor.start}
                cursor.report("T04", _(words, **extent, size=len(cursor.data)), self.name, index)
                cursor.is_broken = True
                break
            data = cursor.data[cursor.start : cursor.start + size]
            levels.append(Level(width, height, cursor.start, size, data))
            cursor.start += size
        return tuple(levels)


def _findings(texture: Texture) -> Iterator[Diagnostic]:
    header = texture.header
    if int(header["flags4"]) not in KNOWN_FLAGS4:
        rule = Rule("T07", HEADER.name, "flags4", Severity.WARNING)
        yield rule.finding("{value:#x} is unusual", value=header["flags4"])
    unknown = int(header["flags5"]) & ~KNOWN_FLAGS5
    if unknown:
        rule = Rule("T07", HEADER.name, "flags5", Severity.WARNING)
        yield rule.finding("{value:#x} is unusual", value=unknown)
    # 256 pixels have 9 levels down to 1, which is the number of bits of 256.
    count, needed = header["mip_count"], int(max(header["width"], header["height"])).bit_length()
    if count > needed:
        rule = Rule("T08", HEADER.name, "mip_count", Severity.WARNING)
        yield rule.finding("{count} levels, {needed} reach one pixel", count=count, needed=needed)
    # x + w of signed 16-bit fields would wrap.
    wide = {name: texture.pages[name].astype(np.int64) for name in "xywh"}
    fits = (wide["x"] >= 0) & (wide["w"] > 0) & (wide["x"] + wide["w"] <= header["width"])
    fits &= (wide["y"] >= 0) & (wide["h"] > 0) & (wide["y"] + wide["h"] <= header["height"])
    words = "{w} x {h} pixels at ({x}, {y}) of {width} x {height}"
    rule = Rule("T06", PAGE.name, severity=Severity.WARNING)
    yield from rule.in_rows(~fits, words, **wide, width=header["width"], height=header["height"])


LAYOUT = Layout(
    Texture,
    check=_findings,
    header=Single(HEADER, "T01", _RULES),
    colors=Array(PALETTE, _color_count, is_optional=True),
    levels=_Levels(LEVELS, _Level(), "Pixels of the mip levels, largest first."),
    page_header=Single(PAGE_HEADER, is_optional=True),
    pages=Array(PAGE, Count("page_header", "page_count"), "T05", Short.PARTIAL),
    tail=tail("Bytes after the last whole piece.", "T05"),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts


class LevelRow(JsonObject, frozen=True):
    """A level of a texture."""

    w: Natural
    h: Natural
    offset: Natural
    size: Natural


class TextureFacts(Struct, frozen=True):
    """The colors of the palette, red, green and blue from 0 to 255, and the levels."""

    palette: Sequence[tuple[int, int, int]] | None
    levels: Sequence[LevelRow]


def facts(texture: Texture, _ignored: object = None) -> TextureFacts:
    """The colors of its own palette, and the offsets of its levels."""
    colors = texture.palette if len(texture.colors) else None
    levels = [LevelRow(it.width, it.height, it.offset, it.size) for it in texture.levels]
    return TextureFacts(None if colors is None else colors[:, :3].tolist(), levels)


def build(
    rgba: Image,
    pixel_format: PixelFormat,
    *,
    mip_count: int = 1,
    pages: Sequence[tuple[int, int, int, int]] = (),
    flags4: int = 0,
    flags5: int = 0,
) -> bytes:
    """Write a texture from an image, shape (height, width, 4); its smaller levels follow from the largest.

    `pages` are ``(x, y, w, h)``. Indexed pixels get a palette made from the image. Raises `ValueError`
    for an image that cannot be a texture.
    """
    parts = [*build_parts(rgba, pixel_format, mip_count, (flags4, flags5))]
    if pages:
        header, rows = PAGE_HEADER.new(), PAGE.new(len(pages))
        header[0] = (PAGE_MAGIC, len(pages))
        for row, (x, y, w, h) in zip(rows, pages, strict=True):
            row["x"], row["y"], row["w"], row["h"] = x, y, w, h
        parts += [header.tobytes(), rows.tobytes()]
    return b"".join(parts)


def build_parts(
    rgba: Image, pixel_format: PixelFormat, mip_count: int = 1, flags: tuple[int, int] = (0, 0)
) -> Iterator[bytes]:
    """A texture without rectangles like `build`, some pixels at a time."""
    check_size(rgba, mip_count)
    height, width = rgba.shape[:2]
    header = HEADER.new()
    header[0] = (MAGIC, width, height, mip_count, *flags, 0, int(pixel_format))
    yield header.tobytes()
    palette = palette_of(rgba) if pixel_format is PixelFormat.INDEXED else None
    if palette is not None:
        yield pixels.encode_palette(palette)
    if mip_count == 1:
        yield from pixels.encode_parts(rgba, pixel_format, palette)
        return
    stored = b"".join(pixels.encode_parts(rgba, pixel_format, palette))
    yield stored
    yield from smaller_levels(stored, (width, height), pixel_format, palette, mip_count)


def check_size(rgba: Image, mip_count: int) -> None:
    """Raise `ValueError` for an image, shape (height, width, 4), that cannot be a texture."""
    height, width = rgba.shape[:2]
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE and 0 < mip_count <= MAX_MIPS):
        words = "{width} x {height} pixels in {count} levels are not a texture"
        raise ValueError(_(words, width=width, height=height, count=mip_count))


def _halved(rgba: Image, times: int) -> Image:
    for _ignored in range(times):
        rgba = pixels.halve(rgba)
    return rgba
