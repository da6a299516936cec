"""Texm, a texture: header, palette, mip levels largest first, and the rectangles of an atlas.

Source: spec/texm.md, spec/field-notes.md 4.
Status: proven; `flags4` is open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from viewer.errors import Diagnostic, FormatError, Severity, row_findings
from viewer.formats.part import Part, group, listing, raw, single, table
from viewer.formats.record import ASCII, Bytes, Field, Record, Rows, Status
from viewer.formats.texture import pixels
from viewer.formats.texture.palette import COLOR_FIELDS, palette_of
from viewer.formats.texture.pixels import PALETTE_SIZE, Image, PixelFormat
from viewer.translation import Sentence

MAGIC = b"Texm"
PAGE_MAGIC = b"Page"
MAX_SIDE = 16384
MAX_MIPS = 15
LEVELS = "levels"
TAIL = "tail"
BAND = 1 << 20
"""Pixels that are decoded together for a reduced level."""
KNOWN_FLAGS4 = frozenset({0, 32})
FLAGS5 = {0x01000000: "palette index 0 is transparent", 0x02000000: "alpha surface"}
"""Bits of flags5 that the game reads; the others are set by the exporter."""

HEADER = Record(
    "header",
    32,
    Field("magic", "V4", 'Always "Texm".', encoding=ASCII),
    Field("width", "<u4", "Width of level 0.", unit="pixels"),
    Field("height", "<u4", "Height of level 0.", unit="pixels"),
    Field("mip_count", "<u4", "Number of levels."),
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
    ),
    doc="Size, number of levels and pixel format.",
)

PALETTE = Record("palette", 4, *COLOR_FIELDS, doc="The colors for the pixels of an indexed texture.")

PAGE_HEADER = Record(
    "page_header",
    8,
    Field("magic", "V4", 'Always "Page".', encoding=ASCII),
    Field("page_count", "<u4", "Number of rectangles."),
    doc="Start of the atlas.",
)

PAGE = Record(
    "pages",
    8,
    Field("x", "<i2", "Left edge in level 0.", unit="pixels"),
    Field("w", "<i2", "Width.", unit="pixels"),
    Field("y", "<i2", "Top edge in level 0.", unit="pixels"),
    Field("h", "<i2", "Height.", unit="pixels"),
    doc="Rectangles of the atlas; the implied first one, the whole texture, is not stored.",
)


@dataclass(frozen=True, slots=True)
class Level:
    """A mip level: its size, its offset in the payload, and its stored pixels."""

    width: int
    height: int
    offset: int
    size: int
    data: Bytes = field(default=b"", compare=False, repr=False)

    @property
    def end(self) -> int:
        """First byte after the level."""
        return self.offset + self.size


@dataclass(frozen=True, slots=True, eq=False)
class Texture:
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
    diagnostics: tuple[Diagnostic, ...]
    colors: Rows
    page_header: np.void | None = None
    tail: Bytes = b""
    external: Image | None = None

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
        band = max(1, BAND // (level.width * step)) * step
        end = level.height // step * step
        starts = range(0, end, band)
        return np.concatenate(
            [_halved(self.rows(level, start, min(start + band, end)), halvings) for start in starts]
        )

    def rows(self, level: Level, start: int, end: int) -> Image:
        """Some rows of a level, (end - start, w, 4)."""
        row = level.width * self.format.size
        stored = level.data[start * row : end * row]
        return pixels.decode(stored, self.format, self.palette).reshape(end - start, level.width, 4)


def decode(data: Bytes) -> Texture:
    """Read a texture.

    Raises `FormatError` if the header is invalid (T01 to T03). Truncated levels (T04), a
    bad tail (T05) and other damage are reported; the whole levels are kept.
    """
    data = memoryview(data).cast("B")
    header = _read_header(data)
    planned = _plan(header, data)
    levels = tuple(level for level in planned if level.end <= len(data))
    findings = [*_header_findings(header)]
    colors = _read_colors(data, planned[0].offset)
    tail = data[levels[-1].end if levels else HEADER.size + colors.nbytes :]
    if len(levels) < len(planned):
        cut = planned[len(levels)]
        message = Sentence(
            "{width} x {height} pixels at {offset} do not fit {size} bytes",
            width=cut.width,
            height=cut.height,
            offset=cut.offset,
            size=len(data),
        )
        findings.append(Diagnostic("T04", Severity.ERROR, message, LEVELS, len(levels)))
        return Texture(header, levels, PAGE.new(0), tuple(findings), colors, tail=tail)
    page_header, pages, tail = _read_pages(tail, findings)
    if len(pages):
        findings += _page_findings(pages, header)
    return Texture(header, levels, pages, tuple(findings), colors, page_header, tail)


def pieces(texture: Texture) -> Iterator[Bytes]:
    """Yield the payload piece by piece, each built from the fields of the texture."""
    yield texture.header.tobytes()
    yield texture.colors.tobytes()
    for level in texture.levels:
        yield level.data
    if texture.page_header is not None:
        yield texture.page_header.tobytes()
    yield texture.pages.tobytes()
    yield texture.tail


def encode(texture: Texture) -> bytes:
    """The payload; sizes and counts come from the stored header, so damaged textures are unchanged."""
    return b"".join(pieces(texture))


def parts(texture: Texture, start: int = 0) -> Part:
    """Return the tree of parts; `start` is its offset in an enclosing payload."""
    children = [single(HEADER, texture.header, start)]
    if len(texture.colors):
        children.append(table(PALETTE, texture.colors, children[-1].end))
    pixel = pixel_record(texture.format.size)
    levels = [
        replace(table(pixel, pixel.view(it.data), start + it.offset), name="level", doc=_level_text(it))
        for it in texture.levels
    ]
    children.append(listing(LEVELS, levels, children[-1].end, "Pixels of the mip levels, largest first."))
    if texture.page_header is not None:
        children.append(single(PAGE_HEADER, texture.page_header, children[-1].end))
    children.append(table(PAGE, texture.pages, children[-1].end))
    children.append(raw(TAIL, texture.tail, children[-1].end, "Bytes after the last whole piece."))
    return group(children, start=start)


def facts(texture: Texture, _: object = None) -> dict[str, Any]:
    """Return the colors of its own palette, and the offsets of its levels."""
    colors = texture.palette if len(texture.colors) else None
    levels = [{"w": it.width, "h": it.height, "offset": it.offset, "size": it.size} for it in texture.levels]
    return {"palette": None if colors is None else colors[:, :3].tolist(), "levels": levels}


@cache
def pixel_record(size: int) -> Record:
    """Return the record of a stored pixel of some bytes."""
    stored = Field("bytes", "u1", "The pixel as it is stored.", (size,))
    return Record("pixels", size, stored, doc="Pixels, rows from top to bottom.")


def _level_text(level: Level) -> str:
    return f"{level.width} x {level.height} pixels, rows from top to bottom."


def build(
    rgba: Image,
    pixel_format: PixelFormat,
    *,
    mip_count: int = 1,
    pages: Sequence[tuple[int, int, int, int]] = (),
    flags4: int = 0,
    flags5: int = 0,
) -> bytes:
    """Write a texture from an image, shape (height, width, 4); its mips are made by a box filter.

    `pages` are ``(x, y, w, h)``. Indexed pixels get a palette made from the image. Raises `ValueError`
    for an image that cannot be a texture.
    """
    parts = build_parts(rgba, pixel_format, mip_count, (flags4, flags5))
    return b"".join((*parts, _page_chunk(pages)))


def build_parts(
    rgba: Image, pixel_format: PixelFormat, mip_count: int = 1, flags: tuple[int, int] = (0, 0)
) -> Iterator[bytes]:
    """Yield a texture without rectangles like `build`, some pixels at a time."""
    check_size(rgba, mip_count)
    height, width = rgba.shape[:2]
    header = HEADER.new()
    header[0] = (MAGIC, width, height, mip_count, *flags, 0, int(pixel_format))
    yield header.tobytes()
    palette = palette_of(rgba) if pixel_format is PixelFormat.INDEXED else None
    if palette is not None:
        yield pixels.encode_palette(palette)
    for level in _mips(rgba, mip_count):
        yield from pixels.encode_parts(level, pixel_format, palette)


def check_size(rgba: Image, mip_count: int) -> None:
    """Raise `ValueError` for an image, shape (height, width, 4), that cannot be a texture."""
    height, width = rgba.shape[:2]
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE and 0 < mip_count <= MAX_MIPS):
        raise ValueError(f"{width} x {height} pixels in {mip_count} levels are not a texture")


def _halved(rgba: Image, times: int) -> Image:
    for _ in range(times):
        rgba = pixels.halve(rgba)
    return rgba


def _mips(rgba: Image, count: int) -> Iterator[Image]:
    for _ in range(count):
        yield rgba
        rgba = pixels.halve(rgba)


def _page_chunk(pages: Sequence[tuple[int, int, int, int]]) -> bytes:
    if not pages:
        return b""
    header, rows = PAGE_HEADER.new(), PAGE.new(len(pages))
    header[0] = (PAGE_MAGIC, len(pages))
    for row, (x, y, w, h) in zip(rows, pages, strict=True):
        row["x"], row["y"], row["w"], row["h"] = x, y, w, h
    return header.tobytes() + rows.tobytes()


def _read_header(data: memoryview) -> np.void:
    header = HEADER.read(data, rule="T01")
    if bytes(data[:4]) != MAGIC:
        message = Sentence("{found!r} is not {expected!r}", found=bytes(data[:4]), expected=MAGIC)
        raise FormatError(message, table=HEADER.name, field="magic", rule="T01")
    for name, limit in (("width", MAX_SIDE), ("height", MAX_SIDE), ("mip_count", MAX_MIPS)):
        if not 0 < header[name] <= limit:
            message = Sentence("{value} is not in 1..{limit}", value=header[name], limit=limit)
            raise FormatError(message, table=HEADER.name, field=name, rule="T02")
    try:
        PixelFormat(int(header["pixel_format"]))
    except ValueError:
        message = Sentence("{value} is not a pixel format", value=header["pixel_format"])
        raise FormatError(message, table=HEADER.name, field="pixel_format", rule="T03") from None
    return header


def _plan(header: np.void, data: memoryview) -> list[Level]:
    """All levels of the header, with the available pixels."""
    pixel_format = PixelFormat(int(header["pixel_format"]))
    width, height = int(header["width"]), int(header["height"])
    is_indexed = pixel_format is PixelFormat.INDEXED
    offset = HEADER.size + (PALETTE_SIZE * PALETTE.size if is_indexed else 0)
    pixel_size = pixel_format.size
    levels: list[Level] = []
    for index in range(int(header["mip_count"])):
        w, h = max(1, width >> index), max(1, height >> index)
        size = pixel_size * w * h
        levels.append(Level(w, h, offset, size, data[offset : offset + size]))
        offset += size
    return levels


def _read_colors(data: memoryview, end: int) -> Rows:
    """The palette, which ends at the start of level 0; empty if it is absent or truncated."""
    if not HEADER.size < end <= len(data):
        return PALETTE.new(0)
    return PALETTE.view(data, offset=HEADER.size, count=PALETTE_SIZE)


def _read_pages(tail: memoryview, findings: list[Diagnostic]) -> tuple[np.void | None, Rows, memoryview]:
    """The atlas after the last level, and the remaining bytes; other bytes are reported and kept."""
    if not tail:
        return None, PAGE.new(0), tail
    if len(tail) < PAGE_HEADER.size or bytes(tail[:4]) != PAGE_MAGIC:
        message = Sentence("{size} bytes after the last level are not a page chunk", size=len(tail))
        findings.append(Diagnostic("T05", Severity.ERROR, message, TAIL))
        return None, PAGE.new(0), tail
    header = PAGE_HEADER.read(tail)
    stated = int(header["page_count"])
    rows = PAGE.view(tail, offset=PAGE_HEADER.size)[:stated]
    if len(tail) != PAGE_HEADER.size + stated * PAGE.size:
        location = (PAGE.name, len(rows)) if len(rows) < stated else (TAIL,)
        message = Sentence("{stated} rectangles do not fill {size} bytes", stated=stated, size=len(tail))
        findings.append(Diagnostic("T05", Severity.ERROR, message, *location))
    return header, rows, tail[PAGE_HEADER.size + rows.nbytes :]


def _page_findings(pages: Rows, header: np.void) -> list[Diagnostic]:
    wide = {name: pages[name].astype(np.int64) for name in "xywh"}
    fits = (wide["x"] >= 0) & (wide["w"] > 0) & (wide["x"] + wide["w"] <= header["width"])
    fits &= (wide["y"] >= 0) & (wide["h"] > 0) & (wide["y"] + wide["h"] <= header["height"])

    def describe(row: int) -> str:
        x, y, w, h = (int(wide[name][row]) for name in "xywh")
        return Sentence(
            "{w} x {h} pixels at ({x}, {y}) of {width} x {height}",
            w=w,
            h=h,
            x=x,
            y=y,
            width=header["width"],
            height=header["height"],
        )

    outside = np.flatnonzero(~fits).tolist()
    return row_findings("T06", Severity.WARNING, PAGE.name, outside, describe)


def _header_findings(header: np.void) -> Iterator[Diagnostic]:
    if int(header["flags4"]) not in KNOWN_FLAGS4:
        message = Sentence("{value:#x} is unusual", value=header["flags4"])
        yield Diagnostic("T07", Severity.WARNING, message, HEADER.name, field="flags4")
    needed = int(max(header["width"], header["height"])).bit_length()
    if header["mip_count"] > needed:
        message = Sentence(
            "{count} levels, {needed} reach one pixel", count=header["mip_count"], needed=needed
        )
        yield Diagnostic("T08", Severity.WARNING, message, HEADER.name, field="mip_count")
