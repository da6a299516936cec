"""``texture``: a texture as a picture, or a picture as a texture."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any, Final

from viewer.cli import output
from viewer.cli.arguments import add_out, add_strictness
from viewer.cli.inputs import open_item
from viewer.errors import Diagnostic, FormatError, Severity, UsageError, reading_from
from viewer.formats.texture import texm, texm_edit
from viewer.formats.texture.pixels import WRITTEN, Image, PixelFormat
from viewer.formats.texture.texm import Texture
from viewer.model.store.file_store import Item
from viewer.model.store.files import write_atomically

FORMATS: Final = tuple(map(int, WRITTEN))
PICTURE_SUFFIX: Final = ".png"
GREY: Final = Diagnostic(
    "", Severity.WARNING, "its palette is not in it: the picture is grey", "header", field="pixel_format"
)


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument("address", metavar="PATH[::ENTRY]", help="a texture, or a PNG picture")
    add_out(parser, "OUT", "a picture (OUT.png) of a texture, or a texture (OUT.texm) of a picture")
    parser.add_argument("--mip", type=int, metavar="N", help="level to decode, default 0, the largest")
    parser.add_argument(
        "--format",
        type=int,
        choices=FORMATS,
        metavar="F",
        help=f"pixel format to encode: {', '.join(map(str, FORMATS))} (0 has a palette)",
    )
    parser.add_argument("--mips", type=int, metavar="N", help="levels to encode, default 1 or those of REF")
    parser.add_argument(
        "--like",
        metavar="REF",
        help="encode as this texture is: its format, flags, palette, levels, rectangles",
    )
    add_strictness(parser)


def run(options: Namespace) -> int:
    """Decode or encode, as the input asks for."""
    from viewer.model.convert import png  # noqa: PLC0415

    item = open_item(options, options.address)
    is_picture = bytes(item.data[: len(png.SIGNATURE)]) == png.SIGNATURE
    _check(options, is_picture=is_picture)
    data = _encoded(options, item) if is_picture else _decoded(options, item)
    write_atomically(Path(options.out), data)
    output.write_lines([f"wrote {options.out}"])
    return 0


def _check(options: Namespace, *, is_picture: bool) -> None:
    """Refuse options that belong to the other direction."""
    given = {name for name in ("mip", "format", "mips", "like") if getattr(options, name) is not None}
    misplaced = sorted(given & ({"mip"} if is_picture else {"format", "mips", "like"}))
    if misplaced:
        kind = "is a picture" if is_picture else "is no PNG picture, so it is read as a texture"
        raise UsageError(f"--{misplaced[0]} makes no sense: {options.address} {kind}", source="texture")
    if is_picture and not given & {"format", "like"}:
        raise UsageError("a picture needs --format or --like", source="texture")
    if not is_picture and Path(options.out).suffix.lower() != PICTURE_SUFFIX:
        raise UsageError(f"{options.out!r} does not end in {PICTURE_SUFFIX}", source="texture")


def _decoded(options: Namespace, item: Item) -> bytes:
    from viewer.model.convert import png  # noqa: PLC0415

    texture = _texture(options, item)
    mip = options.mip or 0
    count = int(texture.header["mip_count"])
    if not 0 <= mip < count:
        raise UsageError(f"--mip {mip} is not within 0 to {count - 1}", source="texture")
    if mip >= len(texture.levels):
        raise FormatError("the level is cut", table=texm.LEVELS, index=mip, source=options.address)
    if texture.format is PixelFormat.EXTERNAL and texture.palette is None:
        output.write_warnings(options.address, [GREY])
    return png.write(texture.level(mip))


def _texture(options: Namespace, item: Item) -> Texture:
    """A texture that can be read, its damage reported."""
    with reading_from(str(item.address)):
        texture = texm.decode(item.data)
    output.report(str(item.address), texture.diagnostics, is_strict=options.strict)
    return texture


def _encoded(options: Namespace, item: Item) -> bytes:
    from viewer.model.convert import png  # noqa: PLC0415

    with reading_from(options.address):
        rgba = png.read(item.data)
    given: dict[str, Any] = {} if options.mips is None else {"mip_count": options.mips}
    pixel_format = None if options.format is None else PixelFormat(options.format)
    try:
        if options.like is None:
            return texm.build(rgba, PixelFormat(options.format), **given)
        return texm_edit.replace_image(_reference(options, rgba), rgba, pixel_format=pixel_format, **given)
    except ValueError as error:
        raise UsageError(str(error), source="texture") from None


def _reference(options: Namespace, rgba: Image) -> Texture:
    texture = _texture(options, open_item(options, options.like))
    if texm_edit.atlas(texture) and not texm_edit.has_size(texture, rgba):
        width, height = texture.header["width"], texture.header["height"]
        message = f"its rectangles are left out: they are for {width} x {height} pixels"
        output.write_warnings(options.like, [Diagnostic("", Severity.WARNING, message, texm.PAGE.name)])
    return texture
