"""A file of each of some entries: their bytes, or a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from viewer.control.converting.folder_writer import FolderWriter, asked_folder
from viewer.control.settings.user_files import default_folder
from viewer.errors import MshviewError
from viewer.model.compare.file_plan import FilePlan
from viewer.model.kinds.registry import ALL_KINDS
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.corpus.exports import preview_of, tasks_of
from viewer.operations.corpus.many import FoundItem, ItemFinder, OutputTask
from viewer.operations.exporting import ExportPreview
from viewer.operations.extracting import plan_payload
from viewer.session.exporting import EntryFile, FilesQuestion
from viewer.translation import _

PREVIEW: Final = "files_preview"
"""The lane of the job that finds what will be written."""


class EntryFilesController(FolderWriter):
    """Keeps `State.converting.files`, and writes what it says; owner: the application, main thread only."""

    def show(self, what: EntryFile, entries: Sequence[Address]) -> None:
        """Ask where to write a file of each of some entries."""
        folder = asked_folder(self._state.settings.save_folder, default_folder())
        self.ask(FilesQuestion(what, tuple(entries), folder))

    def ask(self, question: FilesQuestion) -> None:
        """Ask with these choices, and find what they will write."""
        asked = replace(question, preview=None)
        self._keep(asked)
        library = self._opener.library.snapshot()

        def done(found: ExportPreview) -> None:
            # By identity: other choices, or none, may be asked about meanwhile.
            if self._state.converting.files is asked:
                self._keep(replace(asked, preview=found))

        self._jobs.start(PREVIEW, "", lambda _ignored: preview(library, asked), done)

    def place(self, folder: Path) -> None:
        """Write to another folder."""
        question = self._state.converting.files
        if question is not None:
            self.ask(replace(question, folder=folder))

    def _keep(self, question: FilesQuestion | None) -> None:
        self._state.converting = replace(self._state.converting, files=question)

    def run(self, *, is_wanted: bool) -> None:
        """Write what is asked, or only close the question."""
        question = self._state.converting.files
        self._keep(None)
        self._jobs.drop(PREVIEW)
        if question is None or not is_wanted:
            return
        library = self._opener.library.snapshot()

        def plans(task: OutputTask) -> Sequence[FilePlan]:
            return (plan_payload(library.open(task.found.address), task.path),)

        title = _("Extracting {name}…", name=question.entries[0].name)
        self._write_each(title, question.folder, lambda: tasks(library, question), plans)


def tasks(library: FileStore, question: FilesQuestion) -> list[OutputTask]:
    """The files of a question; raises `UsageError` if two would be the same."""
    found = ItemFinder(library, ALL_KINDS, "resource").each(question.entries)
    return tasks_of([*map(_checked, found)], question.folder, "")


def _checked(found: FoundItem) -> FoundItem:
    """A resource with the reason for which it is not extracted."""
    return found if found.address.entries else replace(found, problem=_("is a file, not an entry"))


def preview(library: FileStore, question: FilesQuestion) -> ExportPreview:
    """The files that will be written, or an error."""
    try:
        return preview_of(tasks(library, question), question.folder)
    except MshviewError as error:
        return ExportPreview(error=error.text)
