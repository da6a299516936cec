"""Import: what a file of another program changes is shown, and then made as one undo step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from viewer.control.editing.edit_controller import EditController
from viewer.control.editing.file_edits import FileEdits
from viewer.control.jobs import Jobs
from viewer.control.opening import loading
from viewer.control.opening.open_controller import OpenController
from viewer.control.opening.scene_question import ask_about
from viewer.control.state import State
from viewer.control.window_commands import DialogCommands
from viewer.errors import Severity, UsageError
from viewer.model.compare.edit_report import EditReport, Finding
from viewer.model.compare.file_plan import FilePlan
from viewer.model.compare.row_summary import summaries
from viewer.model.convert import scene_images
from viewer.model.convert.importing.findings import DEFAULT, ImportChoices
from viewer.model.convert.scene_file import SceneFile, is_scene, is_text
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.patch.applying import PatchChoices
from viewer.model.patch.patch import is_patch
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.imports.importing import (
    NewFiles,
    has_entry,
    new_files,
    new_of,
    unsaved_files,
)
from viewer.operations.imports.new_model import plan_new, plan_new_entry, plan_new_resource
from viewer.operations.imports.plan import ImportPlan
from viewer.operations.opening import Source
from viewer.operations.patching import plan_file
from viewer.operations.saving import write
from viewer.progress import checkpoint
from viewer.session.edits.edited_file import Step
from viewer.session.field_text import counted
from viewer.session.jobs import TEXTURES
from viewer.translation import _, translated

LANE: Final = "import_scene"
MOST_DROPPED: Final = 16
"""Files that are opened if more are dropped at once."""


class SceneImports:
    """Keeps `State.converting.sheet`, and makes what it says; owner: the application, main thread only.

    Parameters
    ----------
    edits
        Makes the undo steps.
    files
        Puts pictures into textures.
    dialogs
        Ask for paths.
    """

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        opener: OpenController,
        edits: EditController,
        files: FileEdits,
        dialogs: DialogCommands,
    ) -> None:
        self._state = state
        self._jobs = jobs
        self._opener = opener
        self._edits = edits
        self._files = files
        self._dialogs = dialogs

    def drop(self, paths: Sequence[str]) -> None:
        """Open dropped files, several of them each in a tab of its own.

        JSON is imported, and into a texture a picture.
        """
        for path in paths[:MOST_DROPPED]:
            if is_text(Path(path)) or self._texture_for(Path(path)) is not None:
                self.read(Path(path))
                return
            self._opener.open(Address(Path(path)), in_new_tab=len(paths) > 1)

    def _texture_for(self, path: Path) -> Address | None:
        """The open texture or font that the picture in a file can be put into."""
        resource = self._state.resource
        is_picture = path.suffix.lower().removeprefix(".") in scene_images.SUFFIXES
        is_texture = resource is not None and resource.kind in TEXTURES
        return resource.address if resource is not None and is_texture and is_picture else None

    def ask(self, path: Path, archive: Address | None = None) -> None:
        """Ask what becomes of a file, in the open archive or a given one."""
        ask_about(self._state, self._opener.library, path, archive)

    def begin(self, path: Path) -> None:
        """Import a file into what is open; ask if it may be a new model of an archive."""
        if is_scene(path):
            self.ask(path)
            asked = self._state.converting.asked
            if asked is None or asked.model is None or asked.archive is not None:
                return
        self.read(path)

    def choose(self, choices: ImportChoices | PatchChoices) -> None:
        """Compare the file that is shown again, with other choices."""
        sheet = self._state.converting.sheet
        if sheet is not None:
            waiting = sheet.without(frozenset())
            if isinstance(choices, PatchChoices):
                waiting = replace(waiting, patch=choices)
            else:
                waiting = replace(waiting, choices=choices)
            self._keep(sheet=waiting)
            self.read(sheet.path, sheet.address, choices)

    def read(
        self,
        path: Path,
        target: Address | None = None,
        choices: ImportChoices | PatchChoices = DEFAULT,
    ) -> None:
        """Read a file, compare it with a model, by default the open one, and show what it changes.

        Without a model to compare it with, ask what becomes of it. A patch changes the whole file. Into the
        open texture a picture is put at once.
        """
        address, texture = target or self._state.tabs.active.address, self._texture_for(path)
        if target is None and texture is not None:
            self._files.replace_picture(texture, path)
            return
        if target is None and is_scene(path) and self._state.document is None:
            self.ask(path)
            return
        self._keep(asked=None)
        if not address:
            if is_text(path) and is_patch(self._opener.library.file(path)):
                raise UsageError(_("is a patch: open the file that it changes first"), source=path)
            self.make_new(path)
            return
        library, source = self._source(address)
        self._plan(path, lambda: plan_file(library, path, source, choices))

    def add(self, path: Path, target: Address) -> None:
        """Read a file, and show what it adds as a new model at an address, with its materials."""
        self._keep(asked=None)
        library, source = self._source(target)

        def planned() -> ImportPlan:
            if has_entry(library, target):
                raise UsageError(_("has an entry {name!r}", name=target.name), source=target.parent)
            if is_text(path):
                return plan_new_resource(library, path, source).worked_out(library)
            file = SceneFile.open(library, path)
            return plan_new_entry(library, file, source, makes_libraries=True).worked_out(library)

        self._plan(path, planned)

    def look(self, path: Path) -> None:
        """Show a file as a model that is not saved anywhere."""
        self._keep(asked=None)
        library = self._opener.library.snapshot()

        def work(_ignored: object) -> NewFiles:
            return new_files(SceneFile.open(library, path), ReadingChoice.AUTO, has_libraries=True)

        def done(made: NewFiles) -> None:
            for place, data in unsaved_files(made).items():
                self._opener.library.unsaved.overlay(place, data)
            self._report(path.name, made.losses, made.notes)
            self._opener.open(Address(place), is_remembered=False, in_new_tab=True)

        self._jobs.start(LANE, _("Reading {name}…", name=path.name), work, done, self._state.report)

    def _source(self, address: Address) -> tuple[FileStore, Source]:
        """The files as they are now, and a model as it is read."""
        library = self._opener.library.snapshot()
        source = loading.source_of(library, address, self._opener.choices(address))
        return library, replace(source, address=address.real)

    def _plan(self, path: Path, work: Callable[[], ImportPlan]) -> None:
        """Work out what an import changes, and show it."""
        title = _("Reading {name}…", name=path.name)
        self._jobs.start(LANE, title, lambda _ignored: work(), self._show, self._state.report)

    def _show(self, planned: ImportPlan) -> None:
        self._keep(sheet=planned)

    def _keep(self, **fields: Any) -> None:
        self._state.converting = replace(self._state.converting, **fields)

    def leave_out(self, indices: frozenset[int]) -> None:
        """Work out what happens without some of the changes."""
        sheet = self._state.converting.sheet
        if sheet is None:
            return
        asked, library = sheet.without(indices), self._opener.library.snapshot()
        self._keep(sheet=asked)
        self._jobs.start(LANE, "", lambda _ignored: asked.worked_out(library), self._show, self._state.report)

    def answer(self, *, is_wanted: bool) -> None:
        """Make the chosen changes as one undo step, or none; raises `MshviewError` if they do not fit.

        Libraries that the game folder does not have are made at once, without entries.
        """
        sheet = self._state.converting.sheet
        self._keep(sheet=None, asked=None)
        self._jobs.drop(LANE)
        if not is_wanted or sheet is None or not sheet.is_ready:
            return
        front, is_patch = self._state.tabs.active.address, sheet.patch is not None
        is_new = bool(sheet.entries)
        # Empty ones change nothing that the game shows, and what goes into them is undone as everything else.
        write([FilePlan(it, data=data, can_replace=False) for it, data in sheet.made_libraries.items()])
        steps = steps_of(sheet.path.name, sheet.files or (), is_patch=is_patch)
        try:
            self._edits.make_together([step.as_made(None, front) for step in steps])
        except ValueError:
            raise UsageError(_("the file was changed meanwhile"), source=sheet.path) from None
        words = _("Applied {path}") if is_patch else _("Imported {path}")
        self._state.announce(words.format(path=sheet.path))
        if is_new:
            self._opener.open(sheet.address)

    def make_new(self, path: Path, target: Path | None = None) -> None:
        """Ask where the new model is saved, or write it with its wear table, and open it."""
        self._keep(asked=None)
        if target is None:
            made = partial(self.make_new, path)
            has_suffix = is_text(path) and Path(path.stem).suffix  # as in walker.wea.json
            name = path.stem if has_suffix else f"{path.stem}.msh"
            self._dialogs.choose_new(_("Save the new model"), name, made)
            return
        library, source = self._source(Address(target))

        def done(planned: ImportPlan) -> None:
            self._report(path.name, planned.losses, planned.found.notes, planned.added)
            self._opener.open(Address(target))

        self._jobs.start(
            f"save {target}",
            _("Reading {name}…", name=path.name),
            lambda _ignored: write_new(library, path, source),
            done,
            self._state.report,
            is_writing=True,
        )

    def _report(
        self, name: str, losses: Sequence[str], notes: Sequence[str], problems: Iterable[Finding] = ()
    ) -> None:
        """Log what is lost of a new model, what the user should know, and what is wrong with it."""
        for words in (*losses, *notes):
            self._state.note(f"{name}: {translated(words)}")
        problems = [it for it in problems if it.diagnostic.severity is not Severity.INFO]
        for found in problems:
            self._state.note(f"{found.source.name}: {found.diagnostic}")
        counts = []
        if losses:
            counts.append(counted(len(losses), "{count} thing was lost", "{count} things were lost"))
        if problems:
            counts.append(counted(len(problems), "{count} problem found", "{count} problems found"))
        if counts:
            listed = _("{losses}, listed in the log", losses=", ".join(counts))
            self._state.announce(listed, is_warning=True)


def steps_of(name: str, files: Iterable[FilePlan], *, is_patch: bool = False) -> tuple[Step, ...]:
    """The undo steps of the import of a file called `name`, or of a patch, one for each planned file.

    The changes are kept in a step of one payload alone, which can be made again from them.
    """
    made = ((file.report, it) for file in files for it in file.steps if it.splices)
    return tuple(
        Step(
            it.payloads[0][0],
            _patch_words(name, report) if is_patch else _step_words(name, report, it.payloads[0][0]),
            it.splices,
            () if it.others else tuple(step.change for step in it.plan.steps if step.topic is None),
            it.topics,
            others=_inside(report, it.payloads[0][0]) if is_patch else it.others,
        )
        for report, it in made
    )


def _inside(report: EditReport, file: Address) -> tuple[Address, ...]:
    """The entries that a patch changes: it is planned for the file as a whole."""
    return tuple(it for it in report.payloads if it != file)


def _step_words(name: str, report: EditReport, address: Address) -> str:
    """The name of an undo step, with the first thing that happens to its payload."""
    own = summaries((source, it) for source, it in report.changed if source == address)
    for summary in (*own, *report.summary):
        return _("import {name}: {summary}", name=name, summary=summary)
    return _("import {name}", name=name)


def _patch_words(name: str, report: EditReport) -> str:
    """The name of the undo step of a patch."""
    values = counted(report.value_count, "{count} value", "{count} values")
    return _("patch {name}: {values}", name=name, values=values)


def write_new(library: FileStore, path: Path, source: Source) -> ImportPlan:
    """Write what a file holds as the new model of a source; raises `MshviewError`."""
    made = new_of(library, path, source.options.reading)
    checkpoint()
    advice = _("open that model and import the file there, or choose another name")
    planned = plan_new(library, made, source, advice=advice)
    checkpoint()
    write(planned.files or ())
    return planned
