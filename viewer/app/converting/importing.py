"""Import: what a file of another program changes is shown, and then made as one undo step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from viewer.app import loading
from viewer.app.editing.edit_controller import EditController
from viewer.app.jobs import Jobs
from viewer.app.open_controller import OpenController
from viewer.app.state import State
from viewer.errors import MshviewError, UsageError
from viewer.formats import splice
from viewer.model.compare.edit_report import EditReport
from viewer.model.compare.row_summary import change_words, summaries
from viewer.model.convert import beside
from viewer.model.convert.exchange import JSON, SCENES, SUFFIXES, import_words
from viewer.model.convert.importing.findings import DEFAULT, ImportChoices
from viewer.model.convert.text.reading import resource_of
from viewer.model.kinds.registry import MODEL, promised_kind
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store import recovery
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.writing import NewFile
from viewer.model.write import saving
from viewer.operations.editing import PlannedFile
from viewer.operations.importing import (
    ComparedModel,
    NewFiles,
    SceneFile,
    compare,
    new_files,
    plan_changes,
    plan_resource,
    refuse_replacing,
)
from viewer.operations.opening import Source
from viewer.progress import checkpoint
from viewer.session.edits.edited_file import Step, real
from viewer.session.edits.questions import AddedDiagnostic
from viewer.session.importing import DropQuestion, ImportSheet
from viewer.translation import Message, _, translated
from viewer.ui.commands import Commands
from viewer.ui.widgets.field_text import counted

LANE: Final = "import_scene"
MOST_DROPPED: Final = 16
"""Files that are opened if more are dropped at once."""


class SceneImports:
    """Keeps `State.converting.sheet`, and makes what it says; owner: the application, main thread only.

    Parameters
    ----------
    edits
        Makes the undo steps.
    commands
        Queues calls.
    """

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        opener: OpenController,
        edits: EditController,
        commands: Commands,
    ) -> None:
        self._state = state
        self._jobs = jobs
        self._opener = opener
        self._edits = edits
        self._commands = commands
        self._planned: PlannedImport | None = None

    def drop(self, paths: Sequence[str]) -> None:
        """Open dropped files, each in a tab of its own; ask about one of another program."""
        for number, path in enumerate(paths[:MOST_DROPPED]):
            suffix = suffix_of(Path(path))
            if suffix in (*SCENES, JSON):
                self._drop_scene(Path(path), can_be_new=suffix != JSON)
                return
            self._commands.opening.open(path, in_new_tab=number > 0)

    def _drop_scene(self, path: Path, *, can_be_new: bool) -> None:
        document = self._state.document
        if not can_be_new:
            self.read(path)
        elif document is None:
            self._commands.importing.make_new(path)
        else:
            self._keep(dropped=DropQuestion(path, document.address))

    def choose(self, choices: ImportChoices) -> None:
        """Compare the file that is shown again, with other choices."""
        sheet = self._state.converting.sheet
        if sheet is not None:
            self._keep(sheet=replace(unplanned(sheet, frozenset()), choices=choices))
            self.read(sheet.path, choices)

    def read(self, path: Path, choices: ImportChoices = DEFAULT) -> None:
        """Read a file, compare it with what is open, and show what it changes."""
        self._keep(dropped=None)
        address = self._state.tabs.active.address
        if not address:
            self._commands.importing.make_new(path)
            return
        library = self._opener.library.snapshot()
        source = loading.source_of(library, Address.parse(address), *self._opener.choices(address))
        source = replace(source, address=real(source.address))
        self._jobs.start(
            LANE,
            _("Reading {name}…").format(name=path.name),
            lambda _: read_import(library, path, source, choices),
            self._show,
            self._opener.fail,
        )

    def _show(self, planned: PlannedImport) -> None:
        self._planned = planned
        self._keep(sheet=planned.sheet)

    def _keep(self, **fields: Any) -> None:
        self._state.converting = replace(self._state.converting, **fields)

    def leave_out(self, indices: frozenset[int]) -> None:
        """Work out what happens without some of the changes."""
        sheet = self._state.converting.sheet
        compared = None if self._planned is None else self._planned.compared
        if sheet is None or compared is None:
            return
        asked, library = unplanned(sheet, indices), self._opener.library.snapshot()
        self._keep(sheet=asked)
        self._jobs.start(
            LANE, "", lambda _: plan_import(library, asked, compared), self._show, self._opener.fail
        )

    def answer(self, *, is_wanted: bool) -> None:
        """Make the chosen changes as one undo step, or none; raises `UsageError` if they do not fit."""
        sheet, planned = self._state.converting.sheet, self._planned
        self._keep(sheet=None, dropped=None)
        self._jobs.drop(LANE)
        self._planned = None
        if not is_wanted or planned is None or sheet is not planned.sheet or not sheet.is_ready:
            return
        front = self._state.tabs.active.address
        try:
            self._edits.make_together([step.as_made(None, front) for step in planned.steps])
        except ValueError:
            raise UsageError(_("the file was changed meanwhile"), source=str(sheet.path)) from None
        self._state.announce(_("Imported {path}").format(path=sheet.path))

    def make_new(self, path: Path, target: Path | None = None) -> None:
        """Ask where the new model is saved, or write it with its wear table, and open it."""
        self._keep(dropped=None)
        if target is None:
            made = partial(self._commands.importing.make_new, path)
            self._commands.dialogs.choose_new(Message("Save the new model"), f"{path.stem}.msh", made)
            return
        reading, library = self._opener.choices(str(target))[0], self._opener.library.snapshot()

        def done(made: NewFiles) -> None:
            losses = made.losses
            for found in (*losses, *made.notes):
                self._state.note(f"{path.name}: {translated(found)}")
            if losses:
                words = counted(len(losses), "{count} thing was lost", "{count} things were lost")
                self._state.announce(_("{losses}, listed in the log").format(losses=words), is_warning=True)
            self._opener.open(str(target))

        self._jobs.start(
            f"save {target}",
            _("Reading {name}…").format(name=path.name),
            lambda _: write_new(library, path, target, reading),
            done,
            self._opener.fail,
        )


@dataclass(frozen=True, slots=True)
class PlannedImport:
    """An import as it will be made.

    Attributes
    ----------
    sheet
        As it is shown.
    steps
        The undo steps: one, and one more before it for a wear table that is a file of its own.
    compared
        What can be left out; None if it is all or nothing.
    """

    sheet: ImportSheet
    steps: tuple[Step, ...] = ()
    compared: ComparedModel | None = None


def read_import(
    library: FileStore, path: Path, source: Source, choices: ImportChoices = DEFAULT
) -> PlannedImport:
    """What a file changes in what is open; raises `MshviewError`."""
    if suffix_of(path) == JSON:
        return _text(library, path, source)
    if promised_kind(library.open(source.address)) is not MODEL:
        raise UsageError(_("only JSON can be imported into what is no model"), source=str(path))
    compared = compare(library, _file(library, path), source, choices)
    sheet = ImportSheet(
        path,
        str(source.address),
        compared.changes,
        change_words(compared.model.model, compared.model.names, compared.changes),
        len(compared.found.wear),
        libraries=tuple(it.item for it in compared.found.libraries),
        node_names=compared.model.names,
        losses=compared.found.losses,
        notes=compared.found.notes,
        choices=choices,
        has_outdated=compared.found.has_outdated,
        has_referenced=compared.found.has_referenced,
    )
    checkpoint()
    return plan_import(library, sheet, compared)


def _text(library: FileStore, path: Path, source: Source) -> PlannedImport:
    """What a text changes, which holds every byte: all of it or nothing."""
    kind = promised_kind(library.open(source.address))
    found = resource_of(library.file(path), str(path))
    if found.kind is not kind:
        words = _("holds {given}, and {kind} is open").format(given=found.kind.id, kind=kind.id)
        raise UsageError(words, source=str(path))
    files = (plan_resource(library, source, found),)
    sheet = ImportSheet(path, str(source.address))
    return PlannedImport(_shown(sheet, files), _steps(path, files))


def unplanned(sheet: ImportSheet, left_out: frozenset[int]) -> ImportSheet:
    """A sheet of the same file without some changes, of which nothing is known yet."""
    return replace(
        sheet,
        left_out=left_out,
        is_planned=False,
        problem="",
        topics=(),
        byte_count=0,
        range_count=0,
        values=(),
        value_count=0,
        summary=(),
        added=(),
    )


def plan_import(library: FileStore, sheet: ImportSheet, compared: ComparedModel) -> PlannedImport:
    """The chosen changes of a sheet with what follows from them; a refusal is in the sheet."""
    try:
        files = plan_changes(library, compared, sheet.left_out)
    except MshviewError as error:
        error.source = "" if error.source == sheet.address else error.source
        refused = replace(unplanned(sheet, sheet.left_out), is_planned=True, problem=error.text)
        return PlannedImport(refused, compared=compared)
    return PlannedImport(_shown(sheet, files), _steps(sheet.path, files), compared)


def _steps(path: Path, files: tuple[PlannedFile, ...]) -> tuple[Step, ...]:
    """The undo steps; the changes are kept in one of a payload alone, which can be made again from them."""
    made = ((file.report, it) for file in files for it in file.steps if it.splices)
    return tuple(
        Step(
            it.payloads[0][0],
            import_words(path.name, _main_words(report, it.payloads[0][0])),
            it.splices,
            () if it.others else tuple(step.change for step in it.payloads[0][1].steps if step.topic is None),
            it.topics,
            others=it.others,
        )
        for report, it in made
    )


def _main_words(report: EditReport, address: Address) -> str:
    """The first thing that happens to a payload, without its name, which the step has already."""
    own = summaries((source, it) for source, it in report.changed if source == str(address))
    return next(iter((*own, *report.summary)), "")


def _shown(sheet: ImportSheet, files: tuple[PlannedFile, ...]) -> ImportSheet:
    """The sheet with what the files change value by value, and the problems that they add."""
    reports = [file.report for file in files]
    return replace(
        unplanned(sheet, sheet.left_out),
        is_planned=True,
        topics=tuple(topic for file in files for step in file.steps for topic in step.topics),
        byte_count=sum(splice.total(it.ranges) for it in reports),
        range_count=sum(len(it.ranges) for it in reports),
        values=tuple(value for it in reports for value in it.values),
        value_count=sum(it.value_count for it in reports),
        summary=tuple(words for it in reports for words in it.summary),
        added=tuple(AddedDiagnostic(it.source, it.diagnostic) for found in reports for it in found.added),
    )


def write_new(library: FileStore, path: Path, target: Path, reading: ReadingChoice) -> NewFiles:
    """Write the model of a file with its wear table, and return them; raises `MshviewError`."""
    made = new_files(_file(library, path), reading)
    checkpoint()
    places = (target, *(target.with_suffix(suffix) for suffix in made.beside))
    advice = _("open that model and import the file there, or choose another name")
    refuse_replacing(path, made.origin, places, advice)
    others = [NewFile(target.with_suffix(suffix), it.data) for suffix, it in made.beside.items()]
    saving.write([*others, NewFile(target, made.model.data)])
    return made


def _file(library: FileStore, path: Path) -> SceneFile:
    """A file of another program, with those next to it."""
    suffix = suffix_of(path)
    if suffix not in SCENES:
        known = ", ".join(f".{it}" for it in SUFFIXES)
        raise UsageError(_("is none of {formats}").format(formats=known), source=str(path))
    recovery.recover(path.absolute().parent)  # the files next to it belong together
    return SceneFile(path, library.file(path), suffix, beside.Folder(path.parent))


def suffix_of(path: Path) -> str:
    """The format of a file by its name."""
    return path.suffix.lower().removeprefix(".")
