"""``thumbnail``: one small picture of a file, as file managers show it."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import Final

import numpy as np

from viewer.cli import target
from viewer.cli.inputs import file_store, single
from viewer.cli.usage.arguments import ADDRESS, add_out
from viewer.cli.usage.verbs import DONE
from viewer.errors import FormatError, reading_from
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import Image
from viewer.model.convert import images
from viewer.model.kinds.entry_kinds import entry_kinds
from viewer.model.kinds.registry import ARCHIVE, MODEL, PACKED, TEXTURE, UNIT, kind_of
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item, spelling
from viewer.translation import _

SIZE: Final = 256
LARGEST: Final = 2048
DEEPEST: Final = 4
"""Archives in archives that are looked into."""


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument(
        "address",
        metavar="PATH[::ENTRY]",
        help=_("{address}; of an archive its first model is shown, else its first texture", address=ADDRESS),
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
    """Write the picture."""
    target.check(options)
    store = file_store(options.address)
    item = _shown(store, store.open(single(store, options.address)), DEEPEST)
    target.write(options, images.write_png(_picture(store, item, options.size)))
    return DONE


def _shown(store: FileStore, item: Item, depth: int) -> Item:
    """What of an item is shown: itself, or the first model, else the first texture, of an archive."""
    if kind_of(item).id not in (ARCHIVE.id, PACKED.id) or not depth:
        return item
    container = store.container(item)
    if container is None:
        return item
    kinds = entry_kinds(container)
    for wanted in ({MODEL.id}, {TEXTURE.id}, {ARCHIVE.id, PACKED.id}):
        rows = np.flatnonzero(kinds.are(frozenset(wanted)))
        if len(rows):
            entry = item.address.child(spelling(container, int(rows[0])))
            return _shown(store, store.open(entry), depth - 1)
    return item


def _picture(store: FileStore, item: Item, size: int) -> Image:
    kind = kind_of(item)
    if kind is TEXTURE:
        return _of_texture(store, item, size)
    if kind is MODEL:
        return _of_model(store, item, size)
    if kind is UNIT:
        return _of_unit(store, item, size)
    raise FormatError(
        _("there is no picture of a file of this kind: {title}", title=kind.title), source=str(item.address)
    )


def _of_texture(store: FileStore, item: Item, size: int) -> Image:
    """The level of a texture that is just large enough, made smaller to fit."""
    import PIL.Image  # noqa: PLC0415 not needed for models

    from viewer.model.game import game_folder  # noqa: PLC0415
    from viewer.operations.picturing import PaletteOptions, with_palette  # noqa: PLC0415

    game = game_folder.around(store, item.address.path.absolute().parent)
    with reading_from(str(item.address)):
        texture, _ = with_palette(store, item, texm.decode(item.data), PaletteOptions(game))
        if not texture.levels:
            raise FormatError("the level is truncated", table=texm.LEVELS, index=0)
    fitting = [at for at in range(len(texture.levels)) if max(texture.level(at).shape[:2]) >= size]
    picture = PIL.Image.fromarray(texture.level(max(fitting, default=0)))
    picture.thumbnail((size, size))
    return np.asarray(picture.convert("RGBA"))


def _of_model(store: FileStore, item: Item, size: int) -> Image:
    from viewer.cli.picturing.process_renderer import renderer_of  # noqa: PLC0415 not needed for textures
    from viewer.dataclass import replace  # noqa: PLC0415
    from viewer.operations.opening import Source  # noqa: PLC0415
    from viewer.render import offscreen  # noqa: PLC0415
    from viewer.session.opened.document import Document  # noqa: PLC0415
    from viewer.session.view.camera import Camera  # noqa: PLC0415

    document = Document.open(store, Source(item.address))
    view = offscreen.plain_view(document)
    if not document.shown(view).triangle_count:
        raise FormatError("the model has no triangles", source=str(item.address))
    camera, *_others = offscreen.cameras(document, view, [0.0], [Camera()], 1.0)
    with renderer_of(document) as renderer:
        return renderer.image(replace(view, camera=camera), (size, size), is_transparent=True)


def _of_unit(store: FileStore, item: Item, size: int) -> Image:
    from viewer.cli.picturing.unit_pictures import UnitPictures  # noqa: PLC0415 rarely needed
    from viewer.cli.usage.parser import parser_of  # noqa: PLC0415
    from viewer.session.view.camera import Camera  # noqa: PLC0415

    options = parser_of("render").parse([str(item.address), "-o", "-", "--transparent"])
    return next(UnitPictures(options, store, item, (size, size)).images([Camera()]))
