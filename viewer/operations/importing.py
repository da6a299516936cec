"""Import: what a file of another program changes, worked out before anything is changed.

A file is compared with a model (`compare`), of which some changes may be left out (`plan_changes`), or it is
a resource that replaces an entry or is added to an archive (`plan_resource`). A plan says what is replaced in
which files, and what that means; nothing is written here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from viewer.dataclass import dataclass, replace
from viewer.errors import AddressError, OutputError, UsageError, reading_from
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.record import Bytes
from viewer.formats.splice import Splices
from viewer.formats.text import decode
from viewer.model.convert import exchange, resolver
from viewer.model.convert.building.tables import made_of
from viewer.model.convert.building.wear_rows import GameLibraries, libraries_of
from viewer.model.convert.from_model import origin_of
from viewer.model.convert.importing.findings import DEFAULT, ImportChoices
from viewer.model.convert.importing.importer import Import, changes_of
from viewer.model.convert.resolver import Resolver, nothing
from viewer.model.convert.scene import ClipRange, Origin, Scene
from viewer.model.convert.source import ModelSource
from viewer.model.convert.text.reading import Resource
from viewer.model.edit.change import Change
from viewer.model.edit.entries import AddEntry, DescribeEntry, ReplaceEntry
from viewer.model.edit.neighbors.following import CombinedEdit, node_references, together
from viewer.model.edit.plan import Plan, lifted, plan
from viewer.model.kinds.registry import MODEL, by_id, promised_kind
from viewer.model.material import selectors
from viewer.model.material.selectors import NOWHERE, WearTable
from viewer.model.mesh.model import Variant
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store import recovery
from viewer.model.store.address import Address
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import index_of
from viewer.operations import editing
from viewer.operations.editing import EditOptions, PlannedFile, plan_edit, planned_file
from viewer.operations.exporting import suffix_of
from viewer.operations.opening import Source, model_of, wears_of
from viewer.progress import checkpoint
from viewer.translation import _


@dataclass(frozen=True, slots=True)
class SceneFile:
    """A file of another program.

    Parameters
    ----------
    path, data
        Its name, for messages too, and its bytes.
    suffix
        Its format, one of `exchange.SCENES`.
    next_to
        The files next to it.
    fps
        Frames per second of a file that does not say it.
    is_y_up
        Whether Y is up in an OBJ file; None if it is not said.
    """

    path: Path
    data: Bytes
    suffix: str
    next_to: Resolver = nothing
    fps: float | None = None
    is_y_up: bool | None = None

    @classmethod
    def open(cls, library: FileStore, path: Path, suffix: str = "") -> SceneFile:
        """The file at a path, by default in the format of its suffix; raises `MshviewError`."""
        with reading_from(path):
            suffix = suffix or suffix_of(path.name)
        if suffix not in exchange.SCENES:
            raise UsageError("holds no scene", source=path)
        recovery.recover(path.absolute().parent)  # the files next to it belong together
        return cls(path, library.file(path), suffix, resolver.Folder(path.parent))

    def scene(self, template: ModelSource | None = None) -> Scene:
        """The scene in it; raises `MshviewError` that names the file."""
        data, name = memoryview(self.data), self.path.name
        with reading_from(self.path):
            return exchange.read(
                data, name, self.suffix, self.next_to, template, fps=self.fps, is_y_up=self.is_y_up
            )


@dataclass(frozen=True, slots=True)
class NewFiles:
    """What a file is without a model to compare it with.

    Attributes
    ----------
    model, wear
        The model and its wear table; without one any resource, as JSON holds it.
    libraries
        The libraries of its materials and textures; None if they were not asked for.
    losses, notes
        What the file says and they cannot hold, and what the user should know.
    origin
        The name of the model that the file was exported from; empty if it does not say it.
    clips
        The clips of the file.
    """

    model: Resource
    wear: Resource | None = None
    losses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    libraries: GameLibraries | None = None
    origin: str = ""
    clips: tuple[ClipRange, ...] = ()

    @property
    def resources(self) -> dict[str, Resource]:
        """What belongs next to the model, by suffix."""
        return {} if self.wear is None else {selectors.SUFFIX: self.wear}

    def at(self, path: Path) -> dict[Path, Resource]:
        """The resources by their paths if the model is written to one: the model is the last."""
        return {**{path.with_suffix(it): made for it, made in self.resources.items()}, path: self.model}

    def refuse_replacing(self, source: Path, path: Path, advice: str) -> None:
        """Raise `OutputError` if it would take the place of another model, or of its wear table.

        What the file does not hold, such as other cells than its own, would be lost with the old model.

        Parameters
        ----------
        source
            The file that it is made of.
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
                    words = _(came, file=source.name, origin=self.origin, advice=advice)
                raise OutputError(words, source=target)


def new_files(file: SceneFile, reading: ReadingChoice, *, has_libraries: bool = False) -> NewFiles:
    """The new model of a file; raises `MshviewError` for what no model can hold."""
    scene = file.scene()
    checkpoint()
    with reading_from(file.path):
        made = made_of(scene, reading)
        libraries = libraries_of(scene, made.wear) if has_libraries else None
    losses = made.losses if libraries is None else (*made.losses, *libraries.losses)
    model, wear = Resource(MODEL, made.data), Resource(by_id("wear"), made.wear.text)
    origin = "" if scene.origin is None else scene.origin.name
    return NewFiles(model, wear, losses, made.notes, libraries, origin, scene.clip_ranges)


@dataclass(frozen=True, slots=True)
class ComparedModel:
    """A file compared with a model.

    Attributes
    ----------
    source
        How the model was asked for.
    model, wear
        The model, in the reading in which it was compared, and its wear table, both before the import.
    found
        What the file changes in them.
    """

    source: Source
    model: ModelSource
    wear: WearTable
    found: Import

    @property
    def changes(self) -> tuple[Change, ...]:
        """Everything that can be left out, in order: changes of the wear table, the model, the libraries."""
        return (*self.found.wear, *self.found.changes, *(it.change for it in self.found.libraries))

    @property
    def library_indices(self) -> range:
        """The indices of `changes` that are changes of libraries."""
        return range(len(self.found.wear) + len(self.found.changes), len(self.changes))

    @property
    def addresses(self) -> tuple[Address, ...]:
        """What each of `changes` is a change of."""
        wear = (self.wear.source for _ignored in self.found.wear)  # a terrain has none
        own = (*wear, *(self.source.address for _ignored in self.found.changes))
        return (*own, *(it.address for it in self.found.libraries))


def compare(
    library: FileStore, file: SceneFile, source: Source, choices: ImportChoices = DEFAULT
) -> ComparedModel:
    """What a file changes in a model.

    Raises `UsageError` if there is no model, and `MshviewError` if either cannot be read.
    """
    if promised_kind(library.open(source.address)) is not MODEL:
        raise UsageError(_("is not a model"), source=source.address)
    model = model_of(library, source)
    scene = file.scene(model)
    checkpoint()
    model = _as_exported(library, scene.origin, source, model)
    wear = _wear_of(library, source, model)
    names = None if wear.table is None else tuple(decode(row.name) for row in wear.table.materials)
    model = replace(model, references=tuple(node_references(library, source.address)))
    return ComparedModel(source, model, wear, changes_of(model, scene, names, choices))


def _as_exported(
    library: FileStore, origin: Origin | None, source: Source, model: ModelSource
) -> ModelSource:
    """A model in the reading in which it was exported: in another one every value of the file would differ.

    So it is with what `export --reading seed` wrote of a model that is read as the field notes have it. Of
    another model, whose reading says nothing about this one, it is not done.
    """
    own = origin_of(model)
    is_same = origin is not None and (origin.sha256 == own.sha256 or origin.name == own.name)
    if origin is None or not is_same or origin.reading == own.reading:
        return model
    found = (model_of(library, replace(source, reading=choice)) for choice in ReadingChoice)
    return next((it for it in found if origin_of(it).reading == origin.reading), model)


def _wear_of(library: FileStore, source: Source, model: ModelSource) -> WearTable:
    """The wear table of a model; none for a terrain, which has one for each layer."""
    if source.wear is None and model.model.variant is Variant.TERRAIN:
        return NOWHERE
    return wears_of(library, source, model.model)[0]


def plan_changes(
    library: FileStore, compared: ComparedModel, left_out: Collection[int] = ()
) -> tuple[PlannedFile, ...]:
    """What an import replaces, in which files; raises `MshviewError` if a change refuses.

    Parameters
    ----------
    left_out
        Indices of `ComparedModel.changes` that are not made.
    """
    pairs = zip(compared.addresses, compared.changes, strict=True)
    kept = [(index, *it) for index, it in enumerate(pairs) if index not in left_out]
    wears, libraries_start = len(compared.found.wear), compared.library_indices.start
    wear = [change for index, _ignored, change in kept if index < wears]
    changes = [change for index, _ignored, change in kept if wears <= index < libraries_start]
    libraries = [(address, change) for index, address, change in kept if index >= libraries_start]
    steps = (*_steps(library, compared, wear, changes), *_library_steps(library, libraries))
    return _reported(library, steps, compared.source)


def _library_steps(library: FileStore, changes: Sequence[tuple[Address, Change]]) -> Iterator[CombinedEdit]:
    """Yield a step for each library, in which the changes are made one after the other."""
    for path in dict.fromkeys(address.path for address, _ignored in changes):
        payloads, made, laid = list[tuple[Address, Plan]](), list[Splices](), library
        for address, change in changes:
            if address.path == path:
                with reading_from(address):
                    planned = plan(editing.DEFAULT.draft(laid, address), [change])
                payloads.append((address, planned))
                made.append(lifted(laid, address, planned.splices))
                laid = _laid(library, {path: splice.combined_all(made)})
        notes = dict.fromkeys(note for _ignored, planned in payloads for note in planned.notes)
        yield CombinedEdit(tuple(payloads), splice.combined_all(made), tuple(notes))


def _steps(
    library: FileStore, compared: ComparedModel, wear: Sequence[Change], changes: Sequence[Change]
) -> Iterator[CombinedEdit]:
    """Yield the steps: one for a model with a wear table in its archive, else one for each of them."""
    address = compared.source.address
    options = EditOptions(resolved={address: compared.model.choice})
    others = []
    if wear:
        place = compared.wear.source
        with reading_from(place):
            made = plan(editing.DEFAULT.draft(library, place), wear)
        if place.entries and place.parent == address.parent:
            others = [(place, made)]
        else:
            in_file = lifted(library, place, made.splices)
            yield CombinedEdit(((place, made),), in_file, tuple(made.notes))
            library = _laid(library, {place.path: in_file})
    with reading_from(address):
        made = plan(options.draft(library, address), changes)
        yield together(library, address, made, partial(options.draft, library), others=others)


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
    if address.entries:
        with reading_from(address.parent):
            step = plan_edit(library, address.parent, [*_changes(library, address, resource, others or {})])
    else:
        before, after = library.file(address.path), memoryview(resource.data)
        made = Plan((), (), before, after, splice.between(before, after))
        step = CombinedEdit(((address, made),), made.splices)
    (planned,) = _reported(library, [step], source)
    return planned


def _changes(
    library: FileStore, address: Address, resource: Resource, others: Mapping[str, Resource]
) -> Iterator[Change]:
    """The changes of the archive: a payload, and what the directory says of it where the file has that."""
    name = address.entries[-1]
    stated = {} if resource.entry is None else _numbers(resource.entry)
    if not has_entry(library, address):
        if name.startswith("#"):
            raise AddressError(_("has no entry {entry!r}", entry=name), source=address.parent)
        yield AddEntry(name, bytes(resource.data), **stated)
        yield from _next_to(library, address, others)
        return
    yield ReplaceEntry(name, bytes(resource.data))
    if stated and isinstance(library.container(library.open(address.parent)), nres.Archive):
        yield DescribeEntry(name, **stated)


def has_entry(library: FileStore, address: Address) -> bool:
    """Whether an archive has the entry at an address; raises `MshviewError` if there is no archive."""
    container = library.container(library.open(address.parent))
    return container is not None and index_of(container, address.entries[-1]) is not None


def _next_to(library: FileStore, address: Address, others: Mapping[str, Resource]) -> Iterator[Change]:
    """Further entries with names of the same stem."""
    stem = address.entries[-1].rpartition(".")[0] or address.entries[-1]
    for suffix, other in others.items():
        name, data = f"{stem}{suffix}", bytes(other.data)
        is_known = has_entry(library, Address(address.path, (*address.entries[:-1], name)))
        yield ReplaceEntry(name, data) if is_known else AddEntry(name, data)


def _numbers(entry: nres.Entry) -> dict[str, int]:
    return {"type_id": entry.type_id, "attr1": entry.attr1, "attr2": entry.attr2, "attr3": entry.attr3}


def _reported(library: FileStore, steps: Iterable[CombinedEdit], source: Source) -> tuple[PlannedFile, ...]:
    """The files of steps, each checked among the others as they will be."""
    by_file: dict[Path, list[CombinedEdit]] = {}
    for step in steps:
        by_file.setdefault(step.payloads[0][0].path, []).append(step)
    splices = {path: splice.combined_all([it.splices for it in made]) for path, made in by_file.items()}
    around = _laid(library, splices)
    options = EditOptions(reading=source.reading, game=source.find_game(library).folder)
    found = []
    for path, made in by_file.items():
        checkpoint()
        found.append(planned_file(around, library.file(path), made, splices[path], options))
    return tuple(found)


def _laid(library: FileStore, splices: Mapping[Path, Splices]) -> FileStore:
    """A store in which files have other bytes."""
    files = {path: splice.applied(library.file(path), made) for path, made in splices.items() if made}
    return FileStore(unsaved=UnsavedFiles.of(library.unsaved, files)) if files else library
