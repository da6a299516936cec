"""``thumbnail``: one small picture of a file, as file managers show it."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import ceil, sqrt
from typing import Final

import numpy as np

from viewer.cli import target
from viewer.cli.inputs import file_store, single
from viewer.cli.usage.arguments import ADDRESS, add_out
from viewer.cli.usage.values import Value, takes
from viewer.cli.usage.verbs import DONE
from viewer.errors import FormatError, reading_from
from viewer.formats import mat0, wear
from viewer.formats.archive import nres
from viewer.formats.texture import palette, texm
from viewer.formats.texture.pixels import Image
from viewer.model.convert.pictures.images import write_png
from viewer.model.game import game_folder
from viewer.model.kinds.entry_kinds import entry_kinds
from viewer.model.kinds.registry import ARCHIVES, EFFECT, MATERIAL, MODEL, TEXTURE, UNIT, WEAR, kind_of
from viewer.model.material.lookup import MaterialLookup
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item, spelling
from viewer.translation import _

SIZE: Final = 256
LARGEST: Final = 2048
DEEPEST: Final = 4
"""Archives in archives that are looked into."""
MOST_SQUARES: Final = 16
"""Materials of a library or a wear table that are shown."""
SQUARE: Final = 64
"""Least size of their textures, pixels."""
MOMENT_RATE: Final = 3.0
"""Moments of an effect that are tried, a second,"""
MOST_MOMENTS: Final = 6
"""and altogether."""
OBJECTS: Final = "objects"
PALETTE: Final = "palette"


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    takes(
        parser.add_argument(
            "address",
            metavar="PATH[::ENTRY]",
            help=_(
                "{address}; of an archive its first model is shown, else its first texture or effect, else "
                "its materials or palettes, else the model of its first object",
                address=ADDRESS,
            ),
        ),
        Value.ADDRESS,
    )
    add_out(parser, "OUT.png", "the picture, a PNG whatever its name; - is standard output")
    parser.add_argument(
        "--size", type=_size, default=SIZE, metavar="N", help="longest side, pixels; default %(default)s"
    )


def _size(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= LARGEST:
        raise ArgumentTypeError(_("{text!r} is not 1 to {largest}", text=text, largest=LARGEST))
    return int(text)


def run(options: Namespace) -> int:
    """Write the thumbnail."""
    target.check(options)
    store = file_store(options.address)
    address = single(store, options.address)
    target.refuse_sources(options, address)
    picture = picture_of(store, store.open(address), options.size)
    target.write(options, write_png(picture))
    return DONE


def picture_of(store: FileStore, item: Item, size: int) -> Image:
    """The picture of an item, RGBA, at most `size` pixels wide and high; raises `MshviewError` if none is."""
    return _picture(store, _shown(item, DEEPEST), size)


def _shown(item: Item, depth: int) -> Item:
    """The shown item: itself, or the first resource of an archive with a picture of its own."""
    if kind_of(item).id not in ARCHIVES or not depth:
        return item
    container = item.container
    if container is None:
        return item
    kinds = entry_kinds(container)
    for wanted in ({MODEL.id}, {TEXTURE.id}, {EFFECT.id}, ARCHIVES):
        rows = np.flatnonzero(kinds.are(frozenset(wanted)))
        if len(rows):
            return _shown(item.follow(spelling(container, int(rows[0]))), depth - 1)
    return item


def _picture(store: FileStore, item: Item, size: int) -> Image:
    kind = kind_of(item)
    if kind.id in OF_KINDS:
        return OF_KINDS[kind.id](store, item, size)
    container, entries = item.container if kind.id in ARCHIVES else None, list[Item]()
    if container is not None:
        rows = range(len(container.entries))[:MOST_SQUARES]
        entries = [item.follow(spelling(container, row)) for row in rows]
    if kind.id == OBJECTS or any(kind_of(it).id == OBJECTS for it in entries):
        return _of_objects(store, entries or [item], size)
    squares = [it for entry in entries or [item] for it in islice(_squares(store, entry), MOST_SQUARES)]
    if not squares:
        words = _("there is no picture of a file of this kind: {title}", title=kind.title)
        raise FormatError(words, source=item.address)
    return _side_by_side(squares[:MOST_SQUARES], size)


def _of_objects(store: FileStore, items: Iterable[Item], size: int) -> Image:
    """The model of the first object that has one in its game folder."""
    from viewer.model.game.registry import Game, existing  # noqa: PLC0415 rarely needed

    for item in items:
        folder = game_folder.around(store, item.address.path.absolute().parent)
        game = None if folder is None else Game(folder, store)
        _outcome, reference = game.model(item.name) if game else (None, None)
        for address in existing(game, reference) if game and reference else ():
            return _of_model(store, store.open(address), size)
    raise FormatError(_("no object has a model in its game folder"), source=item.address)


def _squares(store: FileStore, item: Item) -> Iterator[Image]:
    """The squares of a material, a wear table or a palette: textures and colors, RGBA, (h, w, 4)."""
    kind = kind_of(item).id
    folder = game_folder.around(store, item.address.path.absolute().parent)
    lookup = None if folder is None else MaterialLookup.of(store, folder)
    materials: Iterable[mat0.MaterialRecord | None] = ()
    with reading_from(item.address):
        if kind == PALETTE:
            yield palette.decode(item.data).colors.reshape(16, 16, 4)
        elif kind == MATERIAL.id:
            version = item.entry.attr2 if isinstance(item.entry, nres.Entry) else mat0.VERSION
            materials = [mat0.decode(item.data, version)]
        elif kind == WEAR.id and lookup is not None:
            materials = (lookup.material(row.name).stored for row in wear.decode(item.data).materials)
    for material in materials:
        if material is not None and len(material.phases):
            found = lookup.texture(material.texture(0)).texture if lookup else None
            color = np.array([[[*material.phases[0]["diffuse"], 255]]], np.uint8)
            yield color if found is None else _small_level(found.texture, SQUARE)


def _side_by_side(squares: Sequence[Image], size: int) -> Image:
    """Images as equal squares in rows, in a square."""
    import PIL.Image  # noqa: PLC0415

    columns = ceil(sqrt(len(squares)))
    side = max(1, size // columns)
    sheet = PIL.Image.new("RGBA", (side * columns, side * ceil(len(squares) / columns)))
    for place, square in enumerate(squares):
        filled = PIL.Image.fromarray(square).convert("RGB").resize((side, side), PIL.Image.Resampling.BOX)
        sheet.paste(filled, (place % columns * side, place // columns * side))
    return np.asarray(sheet)


def _of_effect(store: FileStore, item: Item, size: int) -> Image:
    """The moment of an effect, of some in its life, that shows most."""
    from viewer.cli.picturing.effect_pictures import EffectPictures, images  # noqa: PLC0415 rarely needed
    from viewer.cli.usage.parser import parser_of  # noqa: PLC0415
    from viewer.session.view.camera import Camera  # noqa: PLC0415

    options = parser_of("render").parse([str(item.address), "-o", "-"])
    pictures = EffectPictures(options, store, item, (size, size), 1.0)
    moments = pictures.appearances(None, MOMENT_RATE, [Camera()])
    some = moments[:: max(1, len(moments) // MOST_MOMENTS)]
    return max(images(some), key=lambda image: float(image[..., :3].std()))


def _of_texture(store: FileStore, item: Item, size: int) -> Image:
    """The level of a texture that is just large enough, made smaller to fit."""
    import PIL.Image  # noqa: PLC0415 not needed for models

    from viewer.operations.picturing import PaletteOptions, with_palette  # noqa: PLC0415

    game = game_folder.around(store, item.address.path.absolute().parent)
    with reading_from(item.address):
        texture, _ = with_palette(store, item, texm.decode(item.data), PaletteOptions(game))
        if not texture.levels:
            raise FormatError("the level is truncated", table=texm.LEVELS, index=0)
    picture = PIL.Image.fromarray(_small_level(texture, size))
    picture.thumbnail((size, size))
    return np.asarray(picture.convert("RGBA"))


def _small_level(texture: texm.Texture, size: int) -> Image:
    """The smallest level that is at least `size` pixels wide or high, else the largest."""
    fitting = [at for at, level in enumerate(texture.levels) if max(level.width, level.height) >= size]
    return texture.level(max(fitting, default=0))


def _of_model(store: FileStore, item: Item, size: int) -> Image:
    from msgspec.structs import replace  # noqa: PLC0415

    from viewer.cli.picturing.process_renderer import renderer_of  # noqa: PLC0415 not needed for textures
    from viewer.operations.opening import Source  # noqa: PLC0415
    from viewer.render import offscreen  # noqa: PLC0415
    from viewer.session.opened.document import Document  # noqa: PLC0415
    from viewer.session.view.camera import Camera  # noqa: PLC0415

    document = Document.open(store, Source(item.address))
    view = offscreen.plain_view(document)
    if not document.shown(view).triangle_count:
        raise FormatError("the model has no triangles", source=item.address)
    camera, *_others = offscreen.cameras(document, view, [0.0], [Camera()], 1.0)
    with renderer_of(document) as renderer:
        return renderer.image(replace(view, camera=camera), (size, size), is_transparent=True)


def _of_unit(store: FileStore, item: Item, size: int) -> Image:
    from viewer.cli.picturing.unit_pictures import UnitPictures  # noqa: PLC0415 rarely needed
    from viewer.cli.usage.parser import parser_of  # noqa: PLC0415
    from viewer.session.view.camera import Camera  # noqa: PLC0415

    options = parser_of("render").parse([str(item.address), "-o", "-", "--transparent"])
    return next(UnitPictures(options, store, item, (size, size)).images([Camera()]))


OF_KINDS: Final = {
    TEXTURE.id: _of_texture,
    MODEL.id: _of_model,
    UNIT.id: _of_unit,
    EFFECT.id: _of_effect,
}
"""Drawings by kind of resource that has a picture of its own."""
