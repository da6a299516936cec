"""A file of each of some entries: their bytes, or a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.control.converting.folder_writer import FolderWriter, asked_folder
from viewer.control.jobs import Jobs
from viewer.control.opening import loading
from viewer.control.opening.loading import OpenOptions
from viewer.control.opening.open_controller import OpenController
from viewer.control.settings.user_files import default_folder
from viewer.control.state import State
from viewer.control.window_commands import ModelImages
from viewer.errors import MshviewError
from viewer.formats.texture.texm import MAX_SIDE
from viewer.model.compare.file_plan import FilePlan
from viewer.model.convert.pictures.png import picture_png
from viewer.model.kinds.registry import ALL_KINDS, promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.corpus.exports import preview_of, tasks_of
from viewer.operations.corpus.many import FoundItem, ItemFinder, OutputTask
from viewer.operations.exporting import ExportPreview
from viewer.operations.extracting import plan_payload
from viewer.session.exporting import PICTURED, EntryFile, FilesQuestion
from viewer.session.jobs import TEXTURES
from viewer.session.opened import opened_resource
from viewer.session.opened.document import Document
from viewer.session.play.posing import framed
from viewer.session.view.options import textures
from viewer.session.view.options.textures import TextureView
from viewer.session.view.view_state import ViewState
from viewer.translation import _

PREVIEW: Final = "files_preview"
"""The lane of the job that finds what will be written."""


class EntryFilesController(FolderWriter):
    """Keeps `State.converting.files`, and writes what it says; owner: the application, main thread only.

    Parameters
    ----------
    images
        Draws models.
    """

    def __init__(self, state: State, jobs: Jobs, opener: OpenController, images: ModelImages) -> None:
        super().__init__(state, jobs, opener)
        self._images = images

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
        draw = PictureMaking(library, self._opener.chooser, self._images, self._state.view, question)

        def plans(task: OutputTask) -> Sequence[FilePlan]:
            if question.what is EntryFile.PICTURE:
                return (FilePlan(task.path, data=draw.png(task.found.address)),)
            return (plan_payload(library.open(task.found.address), task.path),)

        words = _("Drawing pictures…") if question.what is EntryFile.PICTURE else _("Extracting entries…")
        self._write_each(words, question.folder, lambda: tasks(library, question), plans)


class PictureMaking(Struct, frozen=True):
    """Makes the pictures of entries, in a worker thread.

    Parameters
    ----------
    choices
        The user's choices for an address.
    view
        What models are drawn as; its camera gives the direction.
    """

    library: FileStore
    choices: Callable[[Address], OpenOptions]
    images: ModelImages
    view: ViewState
    question: FilesQuestion

    def png(self, address: Address) -> bytes:
        """The file of the picture of a model or a texture; raises `MshviewError`."""
        chosen = self.choices(address)
        if promised_kind(self.library.open(address)).id in TEXTURES:
            game = loading.game_of(self.library, address, chosen)
            shown = TextureView(opened_resource.texture_at(self.library, address, game))
            return picture_png(textures.decode(shown, MAX_SIDE))
        width, height = size = self.question.size
        document = Document.open(self.library, loading.source_of(self.library, address, chosen))
        view = document.first_view(self.view)
        view = replace(view, camera=framed(document, self.view.camera, view, width / height))
        is_transparent = self.question.is_transparent
        return picture_png(self.images.image(document, view, size, is_transparent=is_transparent))


def tasks(library: FileStore, question: FilesQuestion) -> list[OutputTask]:
    """The files of a question; raises `UsageError` if two would be the same."""
    if question.what is EntryFile.PICTURE:
        found = ItemFinder(library, PICTURED, _("model or a texture")).find(question.entries)
        return tasks_of(found, question.folder, ".png")
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
