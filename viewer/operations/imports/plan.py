"""The plan of an import into what exists: its changes are listed, may be declined, and are made as edits.

A file is compared with a model (`compare`), before anything is changed; of what differs some may be left out.
JSON holds every byte of a resource, so that all of it is taken over or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from viewer.diagnostics import Remark, remarks_of
from viewer.errors import MshviewError, UsageError, reading_from
from viewer.formats.record import Bytes
from viewer.model.compare.differences import ChangeKind, Difference
from viewer.model.compare.edit_report import Finding
from viewer.model.compare.file_plan import FilePlan
from viewer.model.compare.row_summary import change_words, summaries
from viewer.model.convert import exchange
from viewer.model.convert.importing.check.appearances import appearance_deviations
from viewer.model.convert.importing.check.deviation import Deviation, grouped
from viewer.model.convert.importing.check.deviations import deviations
from viewer.model.convert.importing.findings import DEFAULT, ImportChoices
from viewer.model.convert.importing.importer import NO_CHANGES, Import, changes_of
from viewer.model.convert.scene import Origin
from viewer.model.convert.scene_file import SceneFile, is_text
from viewer.model.convert.source import ModelSource
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.neighbors.follow_nodes import STATES
from viewer.model.edit.neighbors.following import node_references
from viewer.model.edit.rows.row_changes import AddRows
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import MODEL, promised_kind
from viewer.model.mesh.model import Variant
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.operations.imports.changes import ChangedTable, ImportChange
from viewer.operations.imports.importing import plan_resource, with_files
from viewer.operations.imports.steps import planned_files
from viewer.operations.opening import ModelFiles, Source, model_of
from viewer.progress import checkpoint
from viewer.translation import _

if TYPE_CHECKING:
    from viewer.model.patch.applying import PatchChoices


class ImportPlan(Struct, frozen=True, dict=True):
    """The changes of an import, and what follows from those that are chosen.

    Attributes
    ----------
    path
        The file that was read.
    source
        What it is compared with.
    model, wear
        The model before the import, in the reading in which it was compared, and its wear table, if it has
        one; no model if all is taken over or nothing.
    found
        What the file changes in them, and what is said of it.
    changes
        What can be left out, in the order in which it is made.
    choices
        What the user decided about it.
    left_out
        Indices of `changes` that are not to be made.
    files
        The files that the chosen changes edit; None while that is being found.
    error, problem
        Why the chosen changes cannot be made, and this in words without the address; empty if they can.
    deviations
        In what the model differs from the file after all changes; None while that is being found.
    declined
        In what it differs besides, as changes of it or of its wear table are left out.
    entries
        The changes of the archive that add a new model and its wear table; none if it is compared with one.
    new_libraries
        Libraries that do not exist yet, by their paths; they are written if something is added to them.
    patch
        How the file is applied if it is a patch; None for any other.
    """

    path: Path
    source: Source
    model: ModelSource | None = None
    wear: Address | None = None
    found: Import = NO_CHANGES
    changes: tuple[ImportChange, ...] = ()
    choices: ImportChoices = DEFAULT
    left_out: frozenset[int] = frozenset()
    files: tuple[FilePlan, ...] | None = None
    error: MshviewError | None = None
    problem: str = ""
    deviations: tuple[Deviation, ...] | None = None
    declined: tuple[Deviation, ...] = ()
    entries: tuple[Change, ...] = ()
    new_libraries: Mapping[Path, Bytes] = field(default_factory=dict)
    patch: PatchChoices | None = None

    def without(self, left_out: frozenset[int]) -> ImportPlan:
        """The plan without some changes, of which nothing is known yet."""
        return replace(self, left_out=left_out, files=None, error=None, problem="", declined=())

    def worked_out(self, library: FileStore) -> ImportPlan:
        """The plan with what follows from the chosen changes; takes its time."""
        if self.model is None and not self.entries:
            return self
        library = with_files(library, self.new_libraries)
        try:
            found = replace(self, files=planned_files(library, self))
        except MshviewError as error:
            source = error.source
            error.source = "" if source == str(self.address) else source  # the sheet has it as its title
            problem, error.source = error.text, source
            return replace(self, files=(), error=error, problem=problem)
        found = found.checked(library)
        _ignored = found.differences, found.summary  # here, so that nothing is computed while it is drawn
        return found

    def checked(self, library: FileStore) -> ImportPlan:
        """The plan with what its model differs in from the file.

        What is left out on purpose is no fault of the import: that is what differs after all changes too.
        """
        checkpoint()
        if self.left_out <= self.library_indices:
            return replace(self, deviations=tuple(self._deviations(library)))
        whole = self.deviations
        if whole is None:
            whole = self.without(self.left_out & self.library_indices).worked_out(library).deviations or ()
        declined = tuple(it for it in self._deviations(library) if it not in whole)
        return replace(self, deviations=whole, declined=declined)

    def _deviations(self, library: FileStore) -> Iterator[Deviation]:
        """Yield what differs between the file and the model with the chosen changes."""
        plans = {address: made for file in self.files or () for address, made in file.payloads}
        made = plans.get(self.address)
        if self.model is not None and made is not None:
            yield from deviations(self.found, self.model.edited(made.after), made.moves)
        yield from self._appearances(library)

    def _appearances(self, library: FileStore) -> Iterator[Deviation]:
        """Yield what differs in materials after all changes of libraries: one that is declined is a loss."""
        whole = self.without(self.left_out - self.library_indices)
        if not self.chosen(ChangedTable.LIBRARY):
            return
        files = self.files if whole.left_out == self.left_out else planned_files(library, whole)
        unsaved = UnsavedFiles.of(library.unsaved, {file.path: file.after for file in files or ()})
        after = model_of(FileStore(unsaved=unsaved), self.source)
        known = {*self._lost}
        yield from (it for it in appearance_deviations(self.found, after) if it.words not in known)

    @property
    def address(self) -> Address:
        """The address of what it is compared with."""
        return self.source.address

    def chosen(self, what: ChangedTable) -> list[ImportChange]:
        """The changes of one table that are to be made."""
        chosen = enumerate(self.changes)
        return [it for index, it in chosen if it.what is what and index not in self.left_out]

    @property
    def made_libraries(self) -> dict[Path, Bytes]:
        """The libraries that do not exist yet and get something, empty as they are, by their paths."""
        used = {it.path for it in self.files or () if it.splices}
        return {path: data for path, data in self.new_libraries.items() if path in used}

    @property
    def controller(self) -> Address | None:
        """The controller that may get states for the new clips of the file; None if there are none."""
        return None if self.model is None or not self.found.new_clips else self.model.controller.address

    @property
    def library_indices(self) -> frozenset[int]:
        """The indices of `changes` that are changes of libraries."""
        changes = enumerate(self.changes)
        return frozenset(index for index, it in changes if it.what is ChangedTable.LIBRARY)

    @property
    def library_changes(self) -> list[tuple[ImportChange, bool]]:
        """The changes of libraries, and whether each is made."""
        return [(self.changes[it], it not in self.left_out) for it in sorted(self.library_indices)]

    @property
    def is_new(self) -> bool:
        """Whether it is a model or a resource of its own, which is written as new files."""
        return self.files is not None and all(it.before is None for it in self.files) and bool(self.files)

    @property
    def losses(self) -> tuple[str, ...]:
        """The parts of the file that the model cannot hold, also with unchanged libraries."""
        return tuple(dict.fromkeys((*self._lost, *(it.words for it in self.deviations or ()))))

    @property
    def _lost(self) -> Iterator[str]:
        yield from self.found.losses
        yield from (self.changes[index].loss for index in sorted(self.left_out & self.library_indices))

    @cached_property
    def lost(self) -> tuple[Remark, ...]:
        """The losses as they are listed: what differs in one way in many nodes is one, with its details."""
        known = dict.fromkeys(self._lost)
        found = (it for it in grouped(self.deviations or ()) if it.words not in known)
        return (*remarks_of(known), *found)

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes on the changes, and the differences due to those that are left out."""
        declined = (_("left out: {deviation}", deviation=it.words) for it in self.declined)
        return (*self.found.notes, *declined)

    @cached_property
    def noted(self) -> tuple[Remark, ...]:
        """The notes as they are listed: many of one kind are one, with its details."""
        return tuple(remarks_of(self.notes))

    @property
    def is_planned(self) -> bool:
        """Whether it is known what follows from the chosen changes."""
        return self.files is not None

    @cached_property
    def topics(self) -> tuple[Topic, ...]:
        """The topics of the consequences of the changes."""
        return tuple(topic for file in self.files or () for step in file.steps for topic in step.topics)

    @cached_property
    def byte_count(self) -> int:
        """Number of bytes that are replaced in all files."""
        return sum(it.byte_count for it in self.files or ())

    @cached_property
    def range_count(self) -> int:
        """Number of ranges that are replaced."""
        return sum(len(it.splices) for it in self.files or ())

    @cached_property
    def differences(self) -> tuple[tuple[Address, Difference], ...]:
        """The differences of each payload, by table and field, without references that only follow."""
        changed = (it for file in self.files or () for it in file.report.changed)
        return tuple(
            (address.child(*it.path), replace(it, path=()))
            for address, it in changed
            if it.what is not ChangeKind.RENUMBERED
        )

    @property
    def value_count(self) -> int:
        """Number of all values that change."""
        return sum(it.report.value_count for it in self.files or ())

    @cached_property
    def summary(self) -> tuple[str, ...]:
        """The inserted, removed and renumbered rows in words, of each payload if there are several."""
        return summaries(it for file in self.files or () for it in file.report.changed)

    @cached_property
    def added(self) -> tuple[Finding, ...]:
        """The diagnostics that the changes add."""
        return tuple(finding for it in self.files or () for finding in it.report.added)

    @property
    def is_ready(self) -> bool:
        """Whether there is something to apply, and it can be made."""
        return self.is_planned and self.error is None and self.byte_count > 0


def plan_import(
    library: FileStore, path: Path, source: Source, choices: ImportChoices = DEFAULT
) -> ImportPlan:
    """The plan of a file that is imported into what is at an address; raises `MshviewError`."""
    if is_text(path):  # it holds every byte, so that all of it is taken over or nothing
        return ImportPlan(path, source, files=(plan_resource(library, path, source),))
    kind = promised_kind(library.open(source.address))
    if kind is not MODEL:
        words = _("{kind} is open: only JSON can be imported into it", kind=kind.title)
        raise UsageError(words, source=path)
    compared = compare(library, SceneFile.open(library, path), source, choices)
    checkpoint()
    return compared.worked_out(library)


def compare(
    library: FileStore, file: SceneFile, source: Source, choices: ImportChoices = DEFAULT
) -> ImportPlan:
    """The plan of a scene that is compared with a model, of which all is made.

    Raises `MshviewError` if either cannot be read.
    """
    file = replace(file, is_y_up=choices.is_y_up)
    files = ModelFiles.read(library, source)
    model = _in_reading(files, source.options.reading)
    with reading_from(file.path):
        scene = exchange.read(file, model)
    checkpoint()
    model = _as_exported(files, scene.origin, model)
    model = replace(model, references=tuple(node_references(library, files.item)))
    # a terrain has none, but one for each layer
    has_wear = source.options.wear is not None or model.model.variant is not Variant.TERRAIN
    wear, names = (model.wear, model.wear_names) if has_wear else (None, None)
    found = changes_of(model, scene, names, choices)
    states = tuple(_states(model, found)) if choices.adds_states else ()
    changes = tuple(_listed(model, wear, found, states, source.address))
    return ImportPlan(file.path, source, model, wear, found, changes, choices)


def _states(model: ModelSource, found: Import) -> Iterator[Change]:
    """Yield the changes of the controller that make a state of each new clip."""
    if model.controller.address is None:
        return
    for row, clip in enumerate(found.new_clips, len(model.controller.clips)):
        yield AddRows(STATES)
        yield SetField(STATES, RowChoice.of(row), "frames_a", (clip.first, clip.last))
        yield SetField(STATES, RowChoice.of(row), "milliseconds", 1000 * (clip.seconds or 0))


def _listed(
    model: ModelSource, wear: Address | None, found: Import, states: Sequence[Change], address: Address
) -> Iterator[ImportChange]:
    """Yield everything that can be left out: changes of wear table, model, controller and libraries."""
    given = [*(() if wear is None else found.wear), *found.changes, *states]
    words = change_words(model.model, model.names, given)
    if wear is not None:
        for change in found.wear:
            yield ImportChange(ChangedTable.WEAR, wear, change, *next(words))
    for change in found.changes:
        yield ImportChange(ChangedTable.MODEL, address, change, *next(words))
    for change in states:
        place = model.controller.address or address
        yield ImportChange(ChangedTable.CONTROLLER, place, change, *next(words))
    yield from listed_libraries(found)


def listed_libraries(found: Import) -> Iterator[ImportChange]:
    """Yield the changes of libraries, which can be left out."""
    for it in found.libraries:
        what, words = ChangedTable.LIBRARY, it.change.words
        yield ImportChange(what, it.address, it.change, words, item=it.item, loss=it.loss)


def _in_reading(files: ModelFiles, requested: ReadingChoice) -> ModelSource:
    """A model in a reading, as it is converted."""
    return files.to_convert(files.opened(requested, is_checked=False))


def _as_exported(files: ModelFiles, origin: Origin | None, model: ModelSource) -> ModelSource:
    """A model in the reading in which it was exported: in another one every value of the file would differ.

    So it is with what `export --reading seed` wrote of a model that is read as the field notes have it. Of
    another model, whose reading says nothing about this one, it is not done.
    """
    own = model.origin
    is_same = origin is not None and (origin.sha256 == own.sha256 or origin.name == own.name)
    if origin is None or not is_same or origin.reading == own.reading:
        return model
    found = (_in_reading(files, it) for it in ReadingChoice)
    return next((it for it in found if it.origin.reading == origin.reading), model)
