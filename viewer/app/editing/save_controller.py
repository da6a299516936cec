"""Saving: the sheet of what will be written, and writing it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from viewer.app.jobs import Jobs
from viewer.app.state import State
from viewer.formats import splice
from viewer.formats.splice import Splices
from viewer.model.store.file_store import FileStore
from viewer.session.edits.edited_file import NOT_REACHABLE, EditedFile
from viewer.session.edits.questions import SaveChoice
from viewer.session.edits.save_sheet import SaveSheet, combined
from viewer.ui.edit_requests import AnswerSave, Save, SaveAs


class SaveController:
    """Answers the requests that write edited files; owner: the application, main thread only.

    Parameters
    ----------
    state
        The state whose `edits` are saved, and whose `question` is the sheet.
    library
        The files, with unsaved bytes laid over them.
    """

    def __init__(self, state: State, library: FileStore, jobs: Jobs) -> None:
        self._state = state
        self._library = library
        self._jobs = jobs

    def answers(self) -> dict[type[Any], Callable[[Any], None]]:
        """The handler of each request."""
        return {
            Save: self.save,
            SaveAs: lambda _: None,
            AnswerSave: self.answer,
        }

    def save(self, request: Save) -> None:
        """Show what saving a file will write; nothing for one without changes."""
        edits = self._state.edits
        file = edits.at(self._state.tabs.active.address) if request.path is None else edits.of(request.path)
        if file.is_changed:
            self._state.question = self._sheet(file, file.path)

    def answer(self, request: AnswerSave) -> None:
        """Write the file of the sheet, or close it."""
        if request.choice is SaveChoice.CANCEL:
            self._state.question = None

    def _sheet(self, file: EditedFile, target: Path) -> SaveSheet:
        after = self._library.file(file.path)
        ranges = self._ranges(file, after)
        steps = () if file.saved == NOT_REACHABLE else file.steps[file.saved : file.position]
        before = len(after) - splice.growth(ranges)
        return SaveSheet(file.path, target, steps, max(file.saved, 0), ranges, before, len(after))

    def _ranges(self, file: EditedFile, after: memoryview) -> Splices:
        """What is replaced in the saved file."""
        if file.saved == NOT_REACHABLE:
            return splice.between(file.path.read_bytes(), after)
        return combined(file.at(file.saved).way(file.position))
