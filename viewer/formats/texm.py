"""Texm, a texture: header, palette, mip levels largest first, and the rectangles of an atlas.

Source: spec/texm.md.
Status: proven; `unknown6` is open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from viewer.errors import Diagnostic, FormatError, Severity, row_findings
from viewer.formats import pixels
from viewer.formats.palette import palette_of
from viewer.formats.pixels import Image, PixelFormat
from viewer.formats.record import Bytes, Field, Record, Rows, Status

MAGIC = b"Texm"
PAGE_MAGIC = b"Page"
MAX_SIDE = 16384
MAX_MIPS = 15
PALETTE_BYTES = 1024
PAGE_HEADER_SIZE = 8
BAND = 1 << 20
"""Pixels that are decoded at a time where only fewer are wanted."""
SKIP_MASK = 0x72000000
"""Bits of flags5 that say which levels the game leaves out."""
KNOWN_FLAGS4 = frozenset({0, 32})
KNOWN_FLAGS5 = frozenset({0, 0x04000000, 0x00800000})

HEADER = Record(
    "Texm.header",
    32,
    Field("magic", "V4", 'Always "Texm".'),
    Field("width", "<u4", "Width of level 0.", unit="pixels"),
    Field("height", "<u4", "Height of level 0.", unit="pixels"),
    Field("mip_count", "<u4", "Number of levels."),
    Field("flags4", "<u4", "0 or 32.", status=Status.OPEN),
    Field("flags5", "<u4", "Which mips the game skips; 0x00800000 in lightmaps.", status=Status.INFERRED),
    Field("unknown6", "<u4", "Mostly 0.", status=Status.OPEN),
    Field("format", "<u4", "Pixel format: 0, 2, 565, 556, 4444, 88, 888 or 8888."),
)

PAGE = Record(
    "Texm.Page",
    8,
    Field("x", "<i2", "Left edge in level 0.", unit="pixels"),
    Field("w", "<i2", "Width.", unit="pixels"),
    Field("y", "<i2", "Top edge in level 0.", unit="pixels"),
    Field("h", "<i2", "Height.", unit="pixels"),
)


@dataclass(frozen=True, slots=True)
class Level:
    """Where one mip level lies in the payload."""

    width: int
    height: int
    offset: int
    size: int

    @property
    def end(self) -> int:
        """First byte after the level."""
        return self.offset + self.size


@dataclass(frozen=True, slots=True)
class Texture:
    """A decoded texture over its own payload; pixels are decoded on demand.

    Parameters
    ----------
    data
        The whole payload.
    header
        One `HEADER` record.
    levels
        The levels that are whole.
    pages
        `PAGE` records of the atlas, without the implied whole-texture rectangle.
    external
        The palette of a texture that has none itself, RGBA (256, 4), where it is known.
    """

    data: memoryview
    header: np.void
    levels: tuple[Level, ...]
    pages: Rows
    diagnostics: tuple[Diagnostic, ...]
    external: Image | None = None

    @property
    def format(self) -> PixelFormat:
        """How pixels are stored."""
        return PixelFormat(int(self.header["format"]))

    @property
    def palette(self) -> Image | None:
        """RGBA, shape (256, 4), of an indexed texture whose palette is whole, or known from elsewhere."""
        if self.format is PixelFormat.EXTERNAL:
            return self.external
        if self.format is not PixelFormat.INDEXED or len(self.data) < HEADER.size + PALETTE_BYTES:
            return None
        return pixels.decode_palette(self.data[HEADER.size : HEADER.size + PALETTE_BYTES])

    def level(self, index: int) -> Image:
        """Mip level `index` as RGBA, shape (height, width, 4); raises `IndexError` beyond `levels`."""
        level = self.levels[index]
        return self._rows(level, 0, level.height)

    def reduced(self, index: int, halvings: int) -> Image:
        """Mip level `index` halved some times, in little more memory than the result takes."""
        level, step = self.levels[index], 1 << halvings
        if level.height < step:
            return _halved(self.level(index), halvings)
        band = max(1, BAND // (level.width * step)) * step
        end = level.height // step * step
        starts = range(0, end, band)
        return np.concatenate(
            [_halved(self._rows(level, start, min(start + band, end)), halvings) for start in starts]
        )

    def _rows(self, level: Level, start: int, end: int) -> Image:
        """Some rows of a level."""
        row = level.width * self.format.size
        data = self.data[level.offset + start * row : level.offset + end * row]
        return pixels.decode(data, self.format, self.palette).reshape(end - start, level.width, 4)


def decode(data: Bytes) -> Texture:
    """Read a texture.

    Raises `FormatError` where the header is not one of a texture (T01 to T03). Cut levels (T04), a
    bad tail (T05) and the rest are reported, and the whole levels remain.
    """
    data = memoryview(data).cast("B")
    header = _read_header(data)
    planned = _plan(header)
    levels = tuple(level for level in planned if level.end <= len(data))
    findings = [*_header_findings(header)]
    pages = PAGE.new(0)
    if len(levels) < len(planned):
        cut = planned[len(levels)]
        message = f"{cut.width} x {cut.height} pixels at {cut.offset} do not fit {len(data)} bytes"
        findings.append(Diagnostic("T04", Severity.ERROR, message, "Texm.mip", len(levels)))
    else:
        pages = _read_pages(data, planned[-1].end, findings)
        findings += _page_findings(pages, header)
    return Texture(data, header, levels, pages, tuple(findings))


def skipped_levels(header: np.void) -> int:
    """How many of the largest levels the game leaves out where it loads the texture, by ``flags5``."""
    count, longest, shortest = (int(header["mip_count"]), *_sides(header))
    rule = int(header["flags5"]) & SKIP_MASK
    most = 2 if count > 2 else 1
    if count <= 1:
        return 0
    if rule == 0x02000000:
        return most
    if rule == 0x10000000:
        return 1
    if rule == 0x20000000:
        return int(longest >= 256)
    if rule == 0x40000000:
        is_128 = 128 in (longest, shortest)
        return most if shortest > 128 else int(is_128)
    return 0


def _sides(header: np.void) -> tuple[int, int]:
    """The longer and the shorter side of level 0."""
    width, height = int(header["width"]), int(header["height"])
    return max(width, height), min(width, height)


def encode(texture: Texture) -> bytes:
    """The payload, exactly as it was read."""
    return bytes(texture.data)


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

    `pages` are ``(x, y, w, h)``. Indexed pixels get a palette made from the image.
    """
    height, width = rgba.shape[:2]
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE and 0 < mip_count <= MAX_MIPS):
        raise ValueError(f"{width} x {height} pixels in {mip_count} levels are not a texture")
    header = HEADER.new()
    header[0] = (MAGIC, width, height, mip_count, flags4, flags5, 0, int(pixel_format))
    out = bytearray(header.tobytes())
    palette = palette_of(rgba) if pixel_format is PixelFormat.INDEXED else None
    if palette is not None:
        out += pixels.encode_palette(palette)
    for level in _mips(rgba, mip_count):
        out += pixels.encode(level, pixel_format, palette)
    return bytes(out + _page_chunk(pages))


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
    rows = PAGE.new(len(pages))
    for row, (x, y, w, h) in zip(rows, pages, strict=True):
        row["x"], row["y"], row["w"], row["h"] = x, y, w, h
    return PAGE_MAGIC + len(pages).to_bytes(4, "little") + rows.tobytes()


def _read_header(data: memoryview) -> np.void:
    header = HEADER.read(data, rule="T01")
    if bytes(data[:4]) != MAGIC:
        message = f"{bytes(data[:4])!r} is not {MAGIC!r}"
        raise FormatError(message, table=HEADER.name, field="magic", rule="T01")
    for name, limit in (("width", MAX_SIDE), ("height", MAX_SIDE), ("mip_count", MAX_MIPS)):
        if not 0 < header[name] <= limit:
            message = f"{header[name]} is not in 1..{limit}"
            raise FormatError(message, table=HEADER.name, field=name, rule="T02")
    try:
        PixelFormat(int(header["format"]))
    except ValueError:
        message = f"{header['format']} is no pixel format"
        raise FormatError(message, table=HEADER.name, field="format", rule="T03") from None
    return header


def _plan(header: np.void) -> list[Level]:
    """All levels that the header announces."""
    pixel_format = PixelFormat(int(header["format"]))
    width, height = int(header["width"]), int(header["height"])
    offset = HEADER.size + (PALETTE_BYTES if pixel_format is PixelFormat.INDEXED else 0)
    levels: list[Level] = []
    for index in range(int(header["mip_count"])):
        w, h = max(1, width >> index), max(1, height >> index)
        levels.append(Level(w, h, offset, pixel_format.size * w * h))
        offset = levels[-1].end
    return levels


def _read_pages(data: memoryview, start: int, findings: list[Diagnostic]) -> Rows:
    """The atlas behind the last level; whatever else stands there is reported and left alone."""
    tail = data[start:]
    if not tail:
        return PAGE.new(0)
    if bytes(tail[:4]) != PAGE_MAGIC:
        message = f"{len(tail)} bytes after the last level are no page chunk"
        findings.append(Diagnostic("T05", Severity.ERROR, message, "Texm.tail"))
        return PAGE.new(0)
    stated = int.from_bytes(tail[4:PAGE_HEADER_SIZE], "little")
    rows = PAGE.view(tail, offset=PAGE_HEADER_SIZE)[:stated]
    if len(tail) != PAGE_HEADER_SIZE + stated * PAGE.size:
        message = f"{stated} rectangles do not fill {len(tail)} bytes"
        findings.append(Diagnostic("T05", Severity.ERROR, message, PAGE.name, len(rows)))
    return rows


def _page_findings(pages: Rows, header: np.void) -> list[Diagnostic]:
    wide = {name: pages[name].astype(np.int64) for name in "xywh"}
    fits = (wide["x"] >= 0) & (wide["w"] > 0) & (wide["x"] + wide["w"] <= header["width"])
    fits &= (wide["y"] >= 0) & (wide["h"] > 0) & (wide["y"] + wide["h"] <= header["height"])

    def describe(row: int) -> str:
        x, y, w, h = (int(wide[name][row]) for name in "xywh")
        return f"{w} x {h} pixels at ({x}, {y}) of {header['width']} x {header['height']}"

    outside = np.flatnonzero(~fits).tolist()
    return row_findings("T06", Severity.WARNING, PAGE.name, outside, describe)


def _header_findings(header: np.void) -> Iterator[Diagnostic]:
    for name, known in (("flags4", KNOWN_FLAGS4), ("flags5", KNOWN_FLAGS5)):
        if int(header[name]) not in known:
            yield Diagnostic(
                "T07", Severity.WARNING, f"{header[name]:#x} is unusual", HEADER.name, field=name
            )
    needed = int(max(header["width"], header["height"])).bit_length()
    if header["mip_count"] > needed:
        message = f"{header['mip_count']} levels, {needed} reach one pixel"
        yield Diagnostic("T08", Severity.WARNING, message, "Texm.mip", needed)
