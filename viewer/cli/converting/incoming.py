"""Models of other programs, for ``import``: compared with a template, or as new ones."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from viewer.cli.arguments import STANDARD
from viewer.cli.converting.formats import Imported, Resource, suffix_of
from viewer.cli.inputs import is_standard
from viewer.errors import OutputError, UsageError, reading_from
from viewer.model.convert import exchange
from viewer.model.kinds.registry import MODEL, by_id
from viewer.model.material import wear_table
from viewer.model.mesh.reading import ReadingChoice

if TYPE_CHECKING:
    from viewer.formats.record import Bytes
    from viewer.model.convert.building.wear_rows import WearRows
    from viewer.model.convert.scene import Scene
    from viewer.model.convert.source import ModelSource
    from viewer.model.store.file_store import FileStore, Item

FASTEST: Final = 1000.0
"""Most frames per second."""


def declare(parser: ArgumentParser) -> None:
    """Add how a new model is made."""
    group = parser.add_argument_group("new models of glTF or OBJ")
    group.add_argument(
        "--textures",
        type=Path,
        metavar="OUT.lib",
        help="write the textures into this new library, and the materials into Material.lib next to it; "
        "called Textures.lib, its folder is one that --game takes",
    )
    axes = group.add_mutually_exclusive_group()
    axes.add_argument("--y-up", action="store_true", default=None, help="OBJ: Y is up")
    axes.add_argument(
        "--z-up", dest="y_up", action="store_false", help="OBJ: Z is up, the default of files without JSON"
    )
    group.add_argument(
        "--fps", type=float, default=15.0, metavar="F", help="frames a second of a file that does not say it"
    )


def imported(options: Namespace, store: FileStore, item: Item, template: Item | None) -> Imported:
    """Return what differs from a template, or a new model with its wear table; raises `MshviewError`."""
    if not 0 < options.fps <= FASTEST:
        raise UsageError(f"{options.fps:g} frames a second are not between 0 and {FASTEST:g}", source="--fps")
    if template is None:
        with reading_from(options.address):
            return _new(options, _scene(options, item))
    if options.textures is not None:
        raise UsageError("libraries are made for new models, not with a template", source="--textures")
    from viewer.cli.converting.against import compared  # noqa: PLC0415

    def read(source: ModelSource) -> Scene:
        with reading_from(options.address):
            return _scene(options, item, source)

    return compared(store, template, read, ReadingChoice(options.reading))


def _scene(options: Namespace, item: Item, template: ModelSource | None = None) -> Scene:
    """The scene of a file, with the files next to it."""
    from viewer.model.convert import beside  # noqa: PLC0415

    folder = beside.nothing if is_standard(options.address) else beside.folder(item.address.path.parent)
    suffix, name = suffix_of(options.address, options.format, "PATH"), item.address.path.name
    up, fps = options.y_up, options.fps
    return exchange.read(item.data, name, suffix, folder, template, fps=fps, is_y_up=up)


def _new(options: Namespace, scene: Scene) -> Imported:
    """A model of nothing but a scene."""
    from viewer.model.convert.new_model import made_of  # noqa: PLC0415

    made = made_of(scene, ReadingChoice(options.reading))
    lossy = [*made.losses]
    files: Mapping[Path, Bytes] = {}
    if options.textures is not None:
        files = _libraries(options.textures, scene, made.wear, lossy)
    wear = Resource(by_id("wear"), made.wear.text)
    return Imported(MODEL, made.data, lossy=lossy, beside={wear_table.SUFFIX: wear}, files=files)


def _libraries(textures: Path, scene: Scene, wear: WearRows, lossy: list[str]) -> dict[Path, Bytes]:
    """The libraries of a scene's materials, none of which may exist."""
    from viewer.model.convert.game_libraries import libraries_of  # noqa: PLC0415

    if str(textures) == STANDARD:
        raise UsageError("libraries are files", source="--textures")
    made = libraries_of(scene, wear)
    lossy += made.losses
    files: dict[Path, Bytes] = {textures: made.textures}
    files |= {textures.with_name(name): data for name, data in made.others.items()}
    for path in files:
        if path.exists():
            raise OutputError("exists already; textures go into new libraries", source=str(path))
    return files
