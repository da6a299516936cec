"""Models of other programs, for ``import``: compared with a template, or as new ones."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from viewer.cli.converting.export import chosen_suffix
from viewer.cli.converting.placing import source_of
from viewer.cli.inputs import is_standard
from viewer.cli.usage.arguments import STANDARD
from viewer.errors import FormatError, OutputError, UsageError
from viewer.model.convert import beside
from viewer.model.convert.importing.findings import ImportChoices, OtherLevels
from viewer.model.convert.text.reading import Resource
from viewer.model.kinds.registry import MODEL, promised_kind
from viewer.model.mesh.reading import ReadingChoice
from viewer.operations import importing
from viewer.operations.importing import ComparedModel, SceneFile

if TYPE_CHECKING:
    from viewer.formats.record import Bytes
    from viewer.model.convert.game_libraries import GameLibraries
    from viewer.model.convert.scene import ClipRange
    from viewer.model.store.file_store import FileStore, Item

FASTEST: Final = 1000.0
"""Most frames per second."""
GAME_LIBRARIES: Final = Path()
"""``--textures`` without a name."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A resource that was read from another format.

    Parameters
    ----------
    resource
        What it is; the template if it was compared with one.
    lossy
        What could not be taken over as it is, a sentence each.
    compared
        What is changed in the template; None if it was not compared with one.
    left_out
        Indices of the changes that are not made.
    beside
        Resources that belong next to it, with names of the same stem, by suffix.
    files
        Further files to be written.
    notes
        What the user should know, a sentence each.
    origin
        The model that the file of a new model came from; empty if it does not say it.
    clips
        The clips of the file.
    """

    resource: Resource
    lossy: Sequence[str] = ()
    compared: ComparedModel | None = None
    left_out: frozenset[int] = frozenset()
    beside: Mapping[str, Resource] = field(default_factory=dict)
    files: Mapping[Path, Bytes] = field(default_factory=dict)
    notes: Sequence[str] = ()
    origin: str = ""
    clips: Sequence[ClipRange] = ()


def declare(parser: ArgumentParser) -> None:
    """Add how a file is compared with a model, and how a new model is made."""
    group = parser.add_argument_group("models of glTF or OBJ")
    group.add_argument(
        "--clear-references",
        action="store_true",
        help="with a template: remove nodes that are not in the file also if something refers to them, and "
        "set that to none; else they stay",
    )
    group.add_argument(
        "--other-levels",
        choices=[*map(str, OtherLevels)],
        default=str(OtherLevels.LEAVE),
        help="with a template: if the geometry of a node changed, leave its LODs and groups "
        "that are not in the file as they are (default), clear them, or reuse the new geometry",
    )
    group.add_argument(
        "--textures",
        nargs="?",
        const=GAME_LIBRARIES,
        type=Path,
        metavar="OUT.lib",
        help="new models: write the textures into this new library, and the materials into Material.lib next "
        "to it; called Textures.lib, its folder is one that --game takes. With a template, without a name: "
        "change Material.lib and Textures.lib of the game folder, and the wear table; NAME.bak keeps them",
    )
    group.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="ITEM",
        help="with a template and --textures: leave the changes of an item out, such as Material.lib::DOME, "
        "as --dry-run lists them; may be repeated",
    )
    axes = group.add_mutually_exclusive_group()
    axes.add_argument("--y-up", action="store_true", default=None, help="OBJ: Y is up")
    axes.add_argument(
        "--z-up",
        dest="y_up",
        action="store_false",
        help="OBJ: Z is up, the default of files without JSON whose comments name no program with Y up",
    )
    group.add_argument(
        "--fps", type=float, default=15.0, metavar="F", help="frames a second of a file that does not say it"
    )


def imported(options: Namespace, store: FileStore, item: Item, template: Item | None) -> Imported:
    """Return what differs from a template, or a new model with its wear table; raises `MshviewError`."""
    if not 0 < options.fps <= FASTEST:
        raise UsageError(f"{options.fps:g} frames a second are not between 0 and {FASTEST:g}", source="--fps")
    file = _file(options, item)
    if template is None:
        return _new(options, file)
    if promised_kind(template) is not MODEL:
        raise _without_model(store, template)
    choices = ImportChoices(options.clear_references, OtherLevels(options.other_levels))
    found = importing.compare(store, file, source_of(options, template.address), choices)
    left_out = _left_out(options, found)
    lost = dict.fromkeys(
        it.loss
        for index, it in zip(found.library_indices, found.found.libraries, strict=True)
        if index in left_out
    )
    resource, losses = Resource(MODEL, bytes(template.data)), (*found.found.losses, *lost)
    return Imported(resource, losses, found, left_out, clips=found.found.clips)


def _without_model(store: FileStore, template: Item) -> FormatError:
    """The error of a template that is not a model, which names the models of an archive."""
    from viewer.cli.documents import without_model  # noqa: PLC0415 rarely needed

    address = template.address
    return without_model(store, address, FormatError("is not a model", source=str(address)))


def _left_out(options: Namespace, found: ComparedModel) -> frozenset[int]:
    """The changes of libraries that are not made: all without ``--textures``, else the declined ones."""
    if options.textures is None:
        return frozenset(found.library_indices)
    if options.textures != GAME_LIBRARIES:
        words = "with a template the libraries of the game folder change; --game names it"
        raise UsageError(words, source="--textures")
    items = [*zip(found.library_indices, found.found.libraries, strict=True)]
    for name in options.without:
        if all(it.item != name for _, it in items):
            known = ", ".join(dict.fromkeys(it.item for _, it in items)) or "no library changes"
            raise UsageError(f"{name!r} is not an item: {known}", source="--without")
    return frozenset(index for index, it in items if it.item in options.without)


def _file(options: Namespace, item: Item) -> SceneFile:
    """The file, with those next to it."""
    folder = beside.nothing if is_standard(options.address) else beside.Folder(item.address.path.parent)
    suffix = chosen_suffix(options, options.address, "PATH")
    return SceneFile(item.address.path, item.data, suffix, folder, options.fps, options.y_up)


def _new(options: Namespace, file: SceneFile) -> Imported:
    """A model of nothing but a scene."""
    reading, has_libraries = ReadingChoice(options.reading), options.textures is not None
    if options.textures == GAME_LIBRARIES:
        raise UsageError("a new model needs the name of a new library", source="--textures")
    made = importing.new_files(file, reading, has_libraries=has_libraries)
    files = {} if made.libraries is None else _libraries(options.textures, made.libraries)
    model, losses, notes = made.model, made.losses, made.notes
    return Imported(
        model,
        losses,
        beside=made.beside,
        files=files,
        notes=notes,
        origin=made.origin,
        clips=made.clips,
    )


def _libraries(textures: Path, made: GameLibraries) -> dict[Path, Bytes]:
    """The libraries by their paths, none of which may exist."""
    if str(textures) == STANDARD:
        raise UsageError("libraries are files", source="--textures")
    files: dict[Path, Bytes] = {textures: made.textures}
    files |= {textures.with_name(name): data for name, data in made.others.items()}
    for path in files:
        if path.exists():
            raise OutputError("exists already; textures go into new libraries", source=str(path))
    return files
