"""Export: the question, what it will write, the writing, and the round trip that checks it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from viewer.control.converting.folder_writer import FolderWriter, asked_folder
from viewer.control.job_controller import JobController
from viewer.control.opening import loading
from viewer.control.opening.loading import OpenOptions
from viewer.control.settings.user_files import default_folder
from viewer.errors import AddressError, MshviewError
from viewer.model.convert.scene_file import GLB, JSON
from viewer.model.convert.source import ModelSource
from viewer.model.kinds.registry import ARCHIVE, MODEL, PACKED
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.model.write.saving import FileNames
from viewer.operations.corpus.exports import (
    ModelRoundTrips,
    preview_of,
    round_trips,
    tasks_in,
    tasks_of,
)
from viewer.operations.corpus.many import ItemFinder, OutputTask
from viewer.operations.export_sources import SourceReader
from viewer.operations.exporting import (
    SCENE_KINDS,
    ExportPlan,
    ExportPreview,
    plan_export,
)
from viewer.operations.opening import Source, title_of
from viewer.operations.saving import write
from viewer.progress import Progress
from viewer.session.exporting import ROUND_TRIPS_LANE, ExportQuestion, ExportScope, RoundTripReport
from viewer.session.field_text import size_text
from viewer.session.opened.document import Document
from viewer.translation import _

PREVIEW: Final = "export_preview"
"""The lane of the job that finds what will be written."""


class ExportController(FolderWriter):
    """Keeps `State.converting.export`, and writes what it says; owner: the application, main thread only."""

    def show_entries(self, entries: Sequence[Address]) -> None:
        """Ask how to export some entries, each as a file."""
        question = ExportQuestion(
            entries[0],
            "",
            None,
            is_model=False,
            scope=ExportScope.ENTRIES,
            choices=self._state.settings.export,
            folder=asked_folder(self._state.settings.save_folder, default_folder()),
            stem="",
            entries=tuple(entries),
        )
        self.ask(question)

    def show(
        self, address: Address | None = None, kind: str = "", scope: ExportScope = ExportScope.MODEL
    ) -> None:
        """Ask how to export what is at an address, or in the active tab."""
        tab = self._state.tabs.active
        address = address or tab.address
        shown = tab.document or tab.resource
        if not address:
            return
        kind = kind or (MODEL.id if tab.document is not None else getattr(shown, "kind", ""))
        is_archive = kind in (ARCHIVE.id, PACKED.id)
        archive = address if is_archive else address.parent if address.entries else None
        is_open = tab.document is not None and address == tab.address
        view, last = self._state.view, self._state.settings.export
        # JSON is the text of a whole model, so that it cannot be that of a selection.
        is_text_of_part = scope is ExportScope.SELECTION and last.suffix == JSON
        question = ExportQuestion(
            address,
            kind,
            archive,
            kind in SCENE_KINDS,
            ExportScope.ARCHIVE if is_archive else scope,
            replace(last, suffix=GLB) if is_text_of_part else last,
            asked_folder(self._state.settings.save_folder, default_folder()),
            stem_of(address.name, kind),
            view.selection.nodes if is_open else (),
            (view.lod, view.group) if is_open else (0, 0),
        )
        self.ask(question)

    def ask(self, question: ExportQuestion) -> None:
        """Ask with these choices, remember them, and find what they will write."""
        asked = replace(question, preview=None)
        self._keep(asked)
        self._state.set(export=question.choices)
        read = self._reading()

        def done(found: ExportPreview) -> None:
            # By identity: other choices, or none, may be asked about meanwhile.
            if self._state.converting.export is asked:
                self._keep(replace(asked, preview=found))

        self._jobs.start(PREVIEW, "", lambda _ignored: preview(read, asked), done)

    def _keep(self, question: ExportQuestion | None) -> None:
        self._state.converting = replace(self._state.converting, export=question)

    def place(self, path: Path) -> None:
        """Export to another file or folder."""
        question = self._state.converting.export
        if question is None:
            return
        is_many = question.scope.is_many
        folder, stem = (path, question.stem) if is_many else (path.parent, path.stem)
        self.ask(replace(question, folder=folder, stem=stem))

    def run(self, *, is_wanted: bool) -> None:
        """Write what is asked, or only close the question."""
        question = self._state.converting.export
        self._keep(None)
        self._jobs.drop(PREVIEW)
        if question is None or not is_wanted:
            return
        read = self._reading()
        if question.scope.is_many:
            self._write_each(
                _("Exporting {name}…", name=(question.archive or question.address).name),
                question.folder,
                lambda: tasks(read, question),
                lambda task: plan(read, question, task).files,
            )
            return
        self._state.set(save_folder=str(question.folder))

        def work(_ignored: object) -> int:
            return sum(it.revision.size for it in write(plan(read, question).files))

        def done(size: int) -> None:
            words = _("Exported as {path}, {size}", path=question.path, size=size_text(size))
            self._state.announce(words)

        title = _("Exporting {name}…", name=question.path.name)
        self._jobs.start(f"save {question.path}", title, work, done, is_writing=True)

    def _reading(self) -> SourceReader:
        """The snapshot of the files of now, which the worker reads."""
        library, choices = self._opener.library.snapshot(), self._opener.chooser
        return reader(library, choices, self._state.tabs.documents)


def stem_of(name: str, kind: str) -> str:
    """The name of an exported file without its format: of a model its stem, of others the whole name."""
    plain = name.lstrip("#")
    return FileNames().add(Path(plain).stem if kind in SCENE_KINDS else plain, 0)


def plan(read: SourceReader, question: ExportQuestion, task: OutputTask | None = None) -> ExportPlan:
    """The files of a resource, or of one of those of an archive; raises `MshviewError`."""
    address, path = question.address, question.path
    if task is not None:
        address, path = task.found.address, task.path
    return plan_export(read.library.open(address), question.options, path, read)


def tasks(read: SourceReader, question: ExportQuestion) -> list[OutputTask]:
    """The export tasks of an archive or of some entries; none for an empty archive."""
    archive, options, folder = question.archive or question.address, question.options, question.folder
    with suppress(AddressError):
        if question.scope is not ExportScope.ENTRIES:
            return tasks_in(read.library, archive, options, folder)
        found = ItemFinder(read.library, options.kinds, options.what).find(question.entries)
        return tasks_of(found, folder, f".{options.suffix}")
    return []


def preview(read: SourceReader, question: ExportQuestion) -> ExportPreview:
    """The files that an export will write, or its error."""
    try:
        if not question.scope.is_many:
            return plan(read, question).preview
        return preview_of(tasks(read, question), question.folder)
    except MshviewError as error:
        return ExportPreview(error=error.text)


def reader(
    library: FileStore, choices: Callable[[Address], OpenOptions], documents: Sequence[Document] = ()
) -> SourceReader:
    """A reader of what is exported, with the user's choices for each; open models are known already."""

    def known(item: Item) -> ModelSource | None:
        found = (it for it in documents if it.source.address == item.address and it.opened.is_checked)
        return next((it.to_convert(title_of(item)) for it in found), None)

    def source_of(address: Address) -> Source:
        return loading.source_of(library, address, choices(address))

    return SourceReader(library, source_of, known)


class RoundTripController(JobController):
    """Keeps `State.converting.trips`; owner: the application, main thread only."""

    def check(self, address: Address | None = None) -> None:
        """Check the models at an address, an archive or a model; without one the open model."""
        document = self._state.document
        checked = address or (None if document is None else document.source.address)
        if checked is None:
            return
        started = RoundTripReport(checked)
        self._state.converting = replace(self._state.converting, trips=started)
        library = self._opener.library.snapshot()
        read = reader(library, self._opener.chooser, self._state.tabs.documents)

        def done(found: tuple[ModelRoundTrips, ...]) -> None:
            if self._state.converting.trips is started:
                report = RoundTripReport(checked, found, is_running=False)
                self._state.converting = replace(self._state.converting, trips=report)

        def failed(error: BaseException) -> None:
            done(())  # the report shows that it has ended
            self._state.report(error)

        def work(progress: Progress) -> tuple[ModelRoundTrips, ...]:
            return round_trips(library, checked, read, progress)

        title = _("Checking the round trip of {name}…", name=checked.name)
        self._jobs.start(ROUND_TRIPS_LANE, title, work, done, failed, is_background=True)

    def close(self) -> None:
        """Close the report, and end the check that it waits for."""
        self._jobs.drop(ROUND_TRIPS_LANE)
        self._state.converting = replace(self._state.converting, trips=None)
