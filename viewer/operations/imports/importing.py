"""Import of what is new: a model of nothing but a file, and a resource that takes the place at an address.

Neither is compared with what is there. A plan says what is replaced in which files, and what that means;
nothing is written here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from viewer.diagnostics import Diagnostic, Remark, remarks_of
from viewer.errors import AddressError, FormatError, OutputError, reading_from
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.record import Bytes
from viewer.formats.splice import Splices
from viewer.formats.text import decode
from viewer.model.checks.payload import Payload, Surroundings
from viewer.model.compare.edit_report import Finding
from viewer.model.convert import exchange
from viewer.model.convert.building.wear_rows import GameLibraries, libraries_of
from viewer.model.convert.importing.check.deviation import Deviation, grouped
from viewer.model.convert.scene import ClipRange, Scene
from viewer.model.convert.scene_file import JSON, SceneFile
from viewer.model.edit.change import Change
from viewer.model.edit.entries import AddEntry, DescribeEntry, ReplaceEntry
from viewer.model.edit.neighbors.following import CombinedEdit
from viewer.model.edit.plan import Plan
from viewer.model.game.registry import TEXTURES
from viewer.model.kinds.registry import MODEL, by_id
from viewer.model.material import selectors
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import index_of
from viewer.model.store.writing import NewFile, WrittenFile
from viewer.model.write import saving
from viewer.operations.editing import EditOptions, PlannedFile, plan_edit, planned_file
from viewer.operations.opening import Source
from viewer.progress import checkpoint
from viewer.translation import _

if TYPE_CHECKING:
    from viewer.model.convert.text.reading import Resource


class NewFiles(Struct, frozen=True):
    """What a file is without a model to compare it with.

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
        """All that is lost, a sentence each."""
        return (*self.stated, *(it.words for it in self.deviations))

    @property
    def lost(self) -> tuple[Remark, ...]:
        """The losses as they are listed: what differs in one way in many nodes is one, with its details."""
        return (*remarks_of(self.stated), *grouped(self.deviations))

    @property
    def resources(self) -> dict[str, Resource]:
        """What belongs next to the model, by suffix."""
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


class WrittenImport(Struct, frozen=True):
    """The files that an import writes.

    Attributes
    ----------
    before, after
        The bytes of the resource or of its archive: what was there, and what is written.
    edited
        The file in which that changes something; None if there was nothing to compare with.
    others
        What is edited with it: libraries, and the wear table if that is a file.
    over_themselves
        Those of `others` that are written over themselves.
    files
        New files that belong to it.
    """

    before: Bytes
    after: Bytes
    edited: PlannedFile | None = None
    others: tuple[PlannedFile, ...] = ()
    over_themselves: tuple[PlannedFile, ...] = ()
    files: Mapping[Path, Bytes] = field(default_factory=dict)

    @property
    def edits(self) -> list[PlannedFile]:
        """All files that are edited."""
        return [*([] if self.edited is None else [self.edited]), *self.others]


class NewImport(Struct, frozen=True):
    """A new model, or any resource as JSON holds it, as it is written.

    Attributes
    ----------
    made
        The model, with its losses and notes.
    path
        Where it is written; None for nowhere or standard output.
    files
        The files that are written next to it: libraries, and its wear table if it has a path.
    problems
        What is wrong with the model and its wear table.
    """

    made: NewFiles
    path: Path | None
    files: Mapping[Path, Bytes]
    problems: tuple[Finding, ...]

    def apply(self) -> list[WrittenFile]:
        """Write the files, the model last; raises `MshviewError`, and then leaves all as they were."""
        model = {} if self.path is None else {self.path: self.made.model.data}
        return saving.write([NewFile(path, data) for path, data in {**self.files, **model}.items()])


def new_resource(library: FileStore, path: Path) -> NewFiles:
    """The resource whose bytes a JSON file holds; raises `MshviewError`."""
    from viewer.model.convert.text.reading import resource_of  # noqa: PLC0415 only JSON needs it

    return NewFiles(path, resource_of(library.file(path), str(path)))


def new_of(library: FileStore, path: Path, reading: ReadingChoice) -> NewFiles:
    """The new model, or the resource, of a file in the format of its suffix; raises `MshviewError`."""
    if path.suffix.lower().removeprefix(".") == JSON:
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
    from viewer.model.convert.new_frames import in_a_row  # noqa: PLC0415
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


def plan_new(
    library: FileStore,
    made: NewFiles,
    source: Source,
    libraries: Mapping[Path, Bytes] | None = None,
    *,
    has_place: bool = True,
    advice: str = "",
) -> NewImport:
    """What is written of a new model, and what is wrong with it.

    Raises `OutputError` if it would take the place of another model.

    Parameters
    ----------
    source
        The model, with the game folder that names are looked up in.
    libraries
        The libraries that are written with it.
    has_place
        Whether it is written there, so that its names are looked up among the files around it.
    advice
        What to do instead of replacing another model; empty if it may be replaced. A resource of JSON may, as
        it has every byte.
    """
    files = {**(libraries or {})}
    path = source.address.path
    if has_place and made.resources and advice:
        made.refuse_replacing(path, advice)
    checkpoint()
    found = tuple(_problems_of(library, made, files, source, has_place=has_place))
    if not has_place:
        return NewImport(made, None, files, found)
    files |= {place: it.data for place, it in made.at(path).items() if it is not made.model}
    return NewImport(made, path, files, found)


def _problems_of(
    library: FileStore, made: NewFiles, libraries: Mapping[Path, Bytes], source: Source, *, has_place: bool
) -> Iterator[Finding]:
    """Yield what is wrong with a new model, which is written with `libraries`."""
    path = source.address.path
    if not has_place:
        yield from _checked(made.model, path, b"", Surroundings(requested=source.reading))
        return
    own = made.at(path)
    files = {**libraries, **{place: it.data for place, it in own.items()}}
    library = with_files(library, files)
    around = _options(library, source).surroundings(library, path)
    for place, it in own.items():
        yield from _checked(it, place, os.fsencode(place.name), around)


def _checked(resource: Resource, path: Path, name: bytes, around: Surroundings) -> Iterator[Finding]:
    payload = Payload(memoryview(resource.data), resource.entry, name, around)
    try:
        found = resource.kind.check(payload) if resource.kind.is_known else []
    except FormatError as error:
        found = [Diagnostic.of(error)]
    return (Finding(Address(path), it) for it in found)


def plan_resource(
    library: FileStore, source: Source, resource: Resource, others: Mapping[str, Resource] | None = None
) -> PlannedFile:
    """What is replaced if a resource takes the place at an address: a file, or an entry, which may be new.

    Raises `MshviewError` if the archive cannot take it.

    Parameters
    ----------
    others
        What goes into the archive with a new entry, under names of the same stem, by suffix.
    """
    address = source.address
    if not address.entries:
        return replaced_file(library, source, resource.data)
    with reading_from(address.parent):
        step = plan_edit(library, address.parent, entry_changes(library, address, resource, others))
    (planned,) = reported(library, [step], source)
    return planned


def replaced_file(library: FileStore, source: Source, data: Bytes) -> PlannedFile:
    """What is replaced if the file of a source gets other bytes; raises `AddressError`."""
    address = Address(source.address.path)
    before, after = library.file(address.path), memoryview(data)
    made = Plan((), (), before, after, splice.between(before, after))
    (planned,) = reported(library, [CombinedEdit(((address, made),), made.splices)], source)
    return planned


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


def reported(library: FileStore, steps: Iterable[CombinedEdit], source: Source) -> tuple[PlannedFile, ...]:
    """The files of steps, each checked among the others as they will be."""
    by_file: dict[Path, list[CombinedEdit]] = {}
    for step in steps:
        by_file.setdefault(step.payloads[0][0].path, []).append(step)
    splices = {path: splice.combined_all([it.splices for it in made]) for path, made in by_file.items()}
    around = overlaid(library, splices)
    options = _options(library, source)
    found = []
    for path, made in by_file.items():
        checkpoint()
        found.append(planned_file(around, library.file(path), made, splices[path], options))
    return tuple(found)


def overlaid(library: FileStore, splices: Mapping[Path, Splices]) -> FileStore:
    """A store in which files have other bytes."""
    return with_files(
        library, {path: splice.applied(library.file(path), it) for path, it in splices.items() if it}
    )


def with_files(library: FileStore, files: Mapping[Path, Bytes]) -> FileStore:
    """A store in which files, which need not exist, have these bytes."""
    return FileStore(unsaved=UnsavedFiles.of(library.unsaved, files)) if files else library


def _options(library: FileStore, source: Source) -> EditOptions:
    """How changes of a model are checked."""
    return EditOptions(reading=source.reading, game=source.find_game(library).folder)
