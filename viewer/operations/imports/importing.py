"""Import of what is compared with nothing: what a file is as a model or a resource, and what it replaces.

A plan says what is replaced in which files, and what that means; nothing is written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import AddressError, OutputError, UsageError, reading_from
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.record import Bytes
from viewer.formats.splice import Splices
from viewer.formats.text import decode
from viewer.model.compare.file_plan import FilePlan
from viewer.model.convert import exchange
from viewer.model.convert.building.wear_rows import GameLibraries, libraries_of
from viewer.model.convert.importing.check.deviation import Deviation
from viewer.model.convert.scene import ClipRange, Scene
from viewer.model.convert.scene_file import SceneFile, is_text
from viewer.model.edit.archive.entries import AddEntry, DescribeEntry, ReplaceEntry
from viewer.model.edit.change import Change
from viewer.model.edit.neighbors.following import CombinedEdit
from viewer.model.edit.plan import Plan
from viewer.model.game.registry import TEXTURES
from viewer.model.kinds.registry import MODEL, by_id, promised_kind
from viewer.model.material import selectors
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import index_of
from viewer.operations.editing import EditOptions, plan_edit, plan_steps
from viewer.operations.opening import Source
from viewer.progress import checkpoint
from viewer.translation import _

if TYPE_CHECKING:
    from viewer.model.convert.text.reading import Resource


class NewFiles(Struct, frozen=True):
    """The files of a new model, without a template to compare with.

    Attributes
    ----------
    path
        The file.
    model, wear
        The model and its wear table; without one any resource, as JSON holds it.
    libraries
        The libraries of its materials and textures; None if they were not asked for.
    stated
        What the file says and they cannot hold.
    deviations
        What the model differs in from the file.
    notes
        What the user should know.
    origin
        The name of the model that the file was exported from; empty if it does not say it.
    clips
        The clips of the file.
    """

    path: Path
    model: Resource
    wear: Resource | None = None
    stated: tuple[str, ...] = ()
    deviations: tuple[Deviation, ...] = ()
    notes: tuple[str, ...] = ()
    libraries: GameLibraries | None = None
    origin: str = ""
    clips: tuple[ClipRange, ...] = ()

    @property
    def losses(self) -> tuple[str, ...]:
        """Sentences about all losses."""
        return (*self.stated, *(it.words for it in self.deviations))

    @property
    def resources(self) -> dict[str, Resource]:
        """The resources next to the model, by suffix."""
        return {} if self.wear is None else {selectors.SUFFIX: self.wear}

    def at(self, path: Path) -> dict[Path, Resource]:
        """The resources by their paths if the model is written to one: the model is the last."""
        return {**{path.with_suffix(it): made for it, made in self.resources.items()}, path: self.model}

    def refuse_replacing(self, path: Path, advice: str) -> None:
        """Raise `OutputError` if it would take the place of another model, or of its wear table.

        What the file does not hold, such as other cells than its own, would be lost with the old model.

        Parameters
        ----------
        path
            Where the model is written.
        advice
            What to do instead.
        """
        for target in self.at(path):
            if target.is_file():
                words = _("exists already; {advice}", advice=advice)
                if self.origin:
                    came = "exists already; {file} came from {origin}: {advice}"
                    words = _(came, file=self.path.name, origin=self.origin, advice=advice)
                raise OutputError(words, source=target)


def new_resource(library: FileStore, path: Path) -> NewFiles:
    """The resource whose bytes a JSON file holds; raises `MshviewError`."""
    from viewer.model.convert.text.reading import resource_of  # noqa: PLC0415 only JSON needs it

    return NewFiles(path, resource_of(library.file(path), str(path)))


def new_of(library: FileStore, path: Path, reading: ReadingChoice) -> NewFiles:
    """The new model, or the resource, of a file in the format of its suffix; raises `MshviewError`."""
    if is_text(path):
        return new_resource(library, path)
    return new_files(SceneFile.open(library, path), reading)


def new_files(file: SceneFile, reading: ReadingChoice, *, has_libraries: bool = False) -> NewFiles:
    """The new model of a file; raises `MshviewError` for what no model can hold."""
    with reading_from(file.path):
        return files_of_scene(exchange.read(file), file.path, reading, has_libraries=has_libraries)


def files_of_scene(
    scene: Scene, path: Path, reading: ReadingChoice, *, has_libraries: bool = False
) -> NewFiles:
    """The new model of the scene of a file; raises `FormatError` for what no model can hold."""
    from viewer.model.convert.building.tables import made_of  # noqa: PLC0415 most imports change a model
    from viewer.model.convert.importing.check.new_model import new_model_deviations  # noqa: PLC0415
    from viewer.model.convert.motion.new_frames import in_a_row  # noqa: PLC0415
    from viewer.model.convert.text.reading import Resource  # noqa: PLC0415

    scene = in_a_row(scene)
    checkpoint()
    made = made_of(scene, reading)
    checkpoint()
    found = new_model_deviations(scene, made)
    libraries = libraries_of(scene, made.wear) if has_libraries else None
    losses = made.losses if libraries is None else (*made.losses, *libraries.losses)
    model, wear = Resource(MODEL, made.data), Resource(by_id("wear"), made.wear.text)
    origin = "" if scene.origin is None else scene.origin.name
    return NewFiles(path, model, wear, losses, found, made.notes, libraries, origin, scene.clip_ranges)


def unsaved_files(made: NewFiles) -> dict[Path, Bytes]:
    """The files of a new model with its libraries, in a folder with the path of its file, which is none.

    Nothing on the disk can have these paths; the model is the last.
    """
    path = made.path / f"{made.path.stem.removesuffix('.msh')}.msh"
    files: dict[Path, Bytes] = {}
    if made.libraries is not None:
        libraries = {decode(TEXTURES): made.libraries.textures, **made.libraries.others}
        files = {path.with_name(name): data for name, data in libraries.items()}
    return files | {place: it.data for place, it in made.at(path).items()}


def plan_resource(library: FileStore, path: Path, source: Source) -> FilePlan:
    """Plan of the resource of a JSON file that takes the place of what is at an address.

    Raises `MshviewError` if that is of another kind, or its archive cannot take it.
    """
    address = source.address
    kind = promised_kind(library.open(address))
    resource = new_resource(library, path).model
    if resource.kind is not kind:
        words = _("holds {given}, and {kind} is open", given=resource.kind.id, kind=kind.id)
        raise UsageError(words, source=path)
    if not address.entries:
        planned = FilePlan.replaced(address.path, library.file(address.path), resource.data)
        return replaced_file(library, source, planned)
    with reading_from(address.parent):
        step = plan_edit(library, address.parent, entry_changes(library, address, resource))
    (found,) = reported(library, [step], source)
    return found


def replaced_file(library: FileStore, source: Source, planned: FilePlan) -> FilePlan:
    """The plan of a file of which other bytes are all that is known, as one step and with its findings."""
    made = Plan((), (), memoryview(planned.before or b""), planned.after, planned.splices)
    step = CombinedEdit(((Address(planned.path), made),), planned.splices)
    (found,) = reported(library, [step], source)
    return found


def entry_changes(
    library: FileStore, address: Address, resource: Resource, others: Mapping[str, Resource] | None = None
) -> list[Change]:
    """The changes of an archive that put a resource into an entry, and others next to a new one."""
    return [*_changes(library, address, resource, others or {})]


def _changes(
    library: FileStore, address: Address, resource: Resource, others: Mapping[str, Resource]
) -> Iterator[Change]:
    """The changes of the archive: a payload, and what the directory says of it where the file has that."""
    name = address.entries[-1]
    fields = () if resource.entry is None else ("type_id", "attr1", "attr2", "attr3")
    stated: dict[str, int] = {field: getattr(resource.entry, field) for field in fields}
    if not has_entry(library, address):
        if name.startswith("#"):
            raise AddressError(_("has no entry {entry!r}", entry=name), source=address.parent)
        yield AddEntry(name, bytes(resource.data), **stated)
        yield from _next_to(library, address, others)
        return
    yield ReplaceEntry(name, bytes(resource.data))
    if stated and isinstance(library.open(address.parent).container, nres.Archive):
        yield DescribeEntry(name, **stated)


def has_entry(library: FileStore, address: Address) -> bool:
    """Whether an archive has the entry at an address; raises `MshviewError` if there is no archive."""
    container = library.open(address.parent).container
    return container is not None and index_of(container, address.entries[-1]) is not None


def _next_to(library: FileStore, address: Address, others: Mapping[str, Resource]) -> Iterator[Change]:
    """Further entries with names of the same stem."""
    stem = address.entries[-1].rpartition(".")[0] or address.entries[-1]
    for suffix, other in others.items():
        name, data = f"{stem}{suffix}", bytes(other.data)
        is_known = has_entry(library, Address(address.path, (*address.entries[:-1], name)))
        yield ReplaceEntry(name, data) if is_known else AddEntry(name, data)


def reported(library: FileStore, steps: Iterable[CombinedEdit], source: Source) -> tuple[FilePlan, ...]:
    """The files of steps, each checked among the others as they will be."""
    by_file: dict[Path, list[CombinedEdit]] = {}
    for step in steps:
        by_file.setdefault(step.payloads[0][0].path, []).append(step)
    splices = {path: splice.combined_all([it.splices for it in made]) for path, made in by_file.items()}
    around = overlaid(library, splices)
    options = checking(library, source)
    found = []
    for path, made in by_file.items():
        checkpoint()
        found.append(plan_steps(around, path, library.file(path), made, options))
    return tuple(found)


def overlaid(library: FileStore, splices: Mapping[Path, Splices]) -> FileStore:
    """A store in which files have other bytes."""
    return with_files(
        library, {path: splice.applied(library.file(path), it) for path, it in splices.items() if it}
    )


def with_files(library: FileStore, files: Mapping[Path, Bytes]) -> FileStore:
    """A store in which files, which need not exist, have these bytes."""
    return FileStore(unsaved=UnsavedFiles.of(library.unsaved, files)) if files else library


def checking(library: FileStore, source: Source) -> EditOptions:
    """Options of edits of a source: its reading and its game folder."""
    return EditOptions(options=replace(source.options, game=source.find_game(library).folder))
