"""``texture``: a texture to a PNG image, or an image to a texture."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from viewer.cli import many, output, target
from viewer.cli.converting import texture_folder
from viewer.cli.inputs import file_store, open_item, reading_options, single
from viewer.cli.processes import add_jobs
from viewer.cli.usage.arguments import add_out, whole_number
from viewer.cli.usage.reading_arguments import add_game, add_strictness
from viewer.cli.usage.values import Value, takes
from viewer.cli.usage.verbs import DONE
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, Severity, UsageError, reading_from, reason_of
from viewer.formats.texture import texm, texm_edit
from viewer.formats.texture.pixels import WRITTEN, Image, PixelFormat
from viewer.formats.texture.texm import Texture
from viewer.model.convert.scene_images import SUFFIXES, is_image
from viewer.model.kinds.registry import TEXTURE
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.corpus.many import OutputTask, fill
from viewer.translation import _

FORMATS: Final = tuple(str(int(it)) for it in WRITTEN)
IMAGE_SUFFIX: Final = ".png"
DECODING: Final = "mip", "game", "palette"
ENCODING: Final = "format", "mips", "like"
"""Options that belong to one direction."""
GREY: Final = Diagnostic(
    "", Severity.WARNING, "it does not contain its palette: the image is gray", "header", field="pixel_format"
)


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    many.add_inputs(parser)
    add_out(
        parser,
        "OUT",
        _(
            "an image (OUT.png) of a texture, or a texture (OUT.texm) of an image; with --all a new folder, "
            "or with --into the library; - is standard output; {pattern_help}",
            pattern_help=many.PATTERN_HELP,
        ),
    )
    texture_folder.declare(parser)
    parser.add_argument(
        "--mip", type=whole_number, metavar="N", help="level to decode, default 0, the largest"
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        metavar="F",
        help=_("pixel format to encode: {formats} (0 has a palette)", formats=", ".join(FORMATS)),
    )
    parser.add_argument(
        "--mips", type=whole_number, metavar="N", help="levels to encode, default 1 or those of REF"
    )
    takes(
        parser.add_argument(
            "--like",
            metavar="REF",
            help="encode like this texture: with its format, flags, palette, levels and rectangles",
        ),
        Value.ADDRESS,
    )
    add_game(parser)
    takes(
        parser.add_argument(
            "--palette",
            metavar="PATH[::ENTRY]",
            help="decode with this palette, not with the one of the game that the texture's name selects",
        ),
        Value.ADDRESS,
    )
    add_jobs(parser)
    add_strictness(parser)


def run(options: Namespace) -> int:
    """Decode a texture, or encode an image; or many of them."""
    if options.all or options.into is not None:
        _refuse_others(options)
        return texture_folder.run(options)
    options.out = fill(options.out, {})
    inputs = options.like, options.palette
    if many.is_requested(options):
        is_decoding = Path(options.out).suffix.lower() == IMAGE_SUFFIX
        kinds = frozenset({TEXTURE.id} if is_decoding else SUFFIXES)
        return many.ManyFiles(
            "texture", kinds, "texture" if is_decoding else _("image"), _write_one, inputs=inputs
        ).write(options)
    target.check(options)
    store = file_store(*options.addresses, *inputs)
    address = single(store, options.addresses[0])
    target.refuse_sources(options, address, *(Address.given(it) for it in inputs if it))
    target.write(options, _converted(options, address, store))
    return DONE


def _refuse_others(options: Namespace) -> None:
    """Refuse options that say how one picture is made: all textures keep what they have."""
    given = sorted(name for name in ({*DECODING, *ENCODING} - {"game"}) if getattr(options, name) is not None)
    if given:
        raise UsageError(_("--{option} does not apply with --all", option=given[0]), source="texture")


def _write_one(options: Namespace, store: FileStore, task: OutputTask) -> None:
    """Convert one of many textures or images."""
    target.write(options, _converted(options, task.found.address, store), task.path)


def _converted(options: Namespace, address: Address, store: FileStore) -> Iterable[bytes]:
    """The image of a texture, or the texture of an image."""
    item = open_item(options, address, store)
    is_texture = bytes(item.data[: len(texm.MAGIC)]) == texm.MAGIC or not is_image(address.name, item.data)
    _check(options, address, is_image=not is_texture)
    return [_decoded(options, item, store)] if is_texture else _encoded(options, item, store)


def _check(options: Namespace, address: Address, *, is_image: bool) -> None:
    """Refuse options that belong to the other direction."""
    given = {name for name in (*DECODING, *ENCODING) if getattr(options, name) is not None}
    misplaced = sorted(given & {*(DECODING if is_image else ENCODING)})
    if misplaced:
        kind = _("is an image") if is_image else _("is not an image, so it is read as a texture")
        words = _(
            "--{misplaced} does not apply: {address} {kind}",
            misplaced=misplaced[0],
            address=address,
            kind=kind,
        )
        raise UsageError(words, source="texture")
    if is_image and not given & {"format", "like"}:
        raise UsageError("an image needs --format or --like", source="texture")
    if not is_image and not target.is_standard(options) and Path(options.out).suffix.lower() != IMAGE_SUFFIX:
        words = _("{out!r} does not end in {suffix}", out=options.out, suffix=IMAGE_SUFFIX)
        raise UsageError(words, source="texture")


def _decoded(options: Namespace, item: Item, store: FileStore) -> bytes:
    from viewer.model.convert.pictures import images  # noqa: PLC0415

    texture = _with_palette(options, item, _texture(options, item), store)
    mip = options.mip or 0
    count = int(texture.header["mip_count"])
    if not 0 <= mip < count:
        raise UsageError(
            _("--mip {mip} is not within 0 to {last}", mip=mip, last=count - 1), source="texture"
        )
    if mip >= len(texture.levels):
        raise FormatError("the level is truncated", table=texm.LEVELS, index=mip, source=item.address)
    return images.write_png(texture.level(mip))


def _with_palette(options: Namespace, item: Item, texture: Texture, store: FileStore) -> Texture:
    """A texture with the palette of the options, or with that of the game which its name selects."""
    named, game = options.palette, reading_options(options).game
    if texture.format is not PixelFormat.EXTERNAL:
        if named is not None:
            raise UsageError("--palette does not apply: the pixels have their own colors", source="texture")
        return texture
    from viewer.model.game import game_folder  # noqa: PLC0415 most textures need no game
    from viewer.operations.picturing import PaletteOptions, with_palette  # noqa: PLC0415

    game = game or game_folder.around(store, item.address.path.absolute().parent)
    chosen = PaletteOptions(game, None if named is None else Address.given(named))
    texture, steps = with_palette(store, item, texture, chosen)
    found = [Diagnostic("", Severity.WARNING, it.text) for it in steps if it.is_problem]
    output.write_warnings(item.address, [GREY] if found and game is None else found)
    return texture


def _texture(options: Namespace, item: Item) -> Texture:
    """Decode a texture and report its diagnostics."""
    with reading_from(item.address):
        texture = texm.decode(item.data)
    output.report(item.address, texture.diagnostics, is_strict=options.strict)
    return texture


def _encoded(options: Namespace, item: Item, store: FileStore) -> Iterator[bytes]:
    """The texture of an image, some pixels at a time."""
    from viewer.model.convert.pictures import images  # noqa: PLC0415

    with reading_from(item.address):
        rgba = images.read_image(item.data, texm.MAX_SIDE)
    pixel_format = None if options.format is None else PixelFormat(int(options.format))
    before = None if options.like is None else _reference(options, rgba, store)
    try:
        if before is None:
            parts = texm.build_parts(
                rgba, PixelFormat(int(options.format)), 1 if options.mips is None else options.mips
            )
        else:
            parts = texm_edit.replace_image_parts(before, rgba, pixel_format, options.mips)
        return chain([next(parts)], parts)
    except ValueError as error:
        raise UsageError(reason_of(error), source="texture") from None


def _reference(options: Namespace, rgba: Image, store: FileStore) -> Texture:
    texture = _texture(options, open_item(options, single(store, options.like), store))
    if texm_edit.atlas(texture) and not texm_edit.has_size(texture, rgba):
        width, height = texture.header["width"], texture.header["height"]
        message = _(
            "its rectangles are omitted: they are for {width} x {height} pixels", width=width, height=height
        )
        output.write_warnings(options.like, [Diagnostic("", Severity.WARNING, message, texm.PAGE.name)])
    return texture
