"""The facade of editing: changes, undo, saving, closing; and edits that worker threads prepare."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from viewer.control.converting.exporting import ExportController, RoundTripController
from viewer.control.converting.importing import SceneImports
from viewer.control.converting.texture_folders import TextureFolders
from viewer.control.editing.console import ConsoleController, WindowFiles
from viewer.control.editing.edit_controller import EditController
from viewer.control.editing.file_edits import FileEdits
from viewer.control.editing.file_watch import FileWatch
from viewer.control.editing.journal import Bases, Journal
from viewer.control.editing.renewal import ChangedBytes, Renewal, ResourceNames
from viewer.control.editing.save_controller import SaveController
from viewer.control.editing.unsaved import CloseController, RecoveryController
from viewer.control.job_controller import JobController
from viewer.control.jobs import Jobs
from viewer.control.later import Later
from viewer.control.opening.open_controller import OpenController
from viewer.control.state import State
from viewer.control.window_commands import DialogCommands
from viewer.errors import FormatError, reason_of
from viewer.model.convert.scene_file import is_scene, is_text
from viewer.model.edit.repair import FoundRepair
from viewer.model.store.address import Address
from viewer.operations.editing import EditOptions
from viewer.operations.repairing import repairs_of
from viewer.session.edits.questions import RepairList
from viewer.translation import _, translated

FOLDER: Final = "journals"
"""The folder next to the settings that keeps unsaved changes."""


class Editing:
    """The controllers of editing; owner: the application, main thread only.

    Parameters
    ----------
    later
        Keeps calls until the panels have drawn.
    dialogs
        Ask for paths.
    follow
        Shows the new bytes of a file where it is not open in a tab.
    settings_path
        The settings, next to which journals are; None writes none.
    """

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        opener: OpenController,
        later: Later,
        dialogs: DialogCommands,
        follow: Callable[[Path], None],
        settings_path: Path | None = None,
    ) -> None:
        bases = Bases()
        folder = None if settings_path is None else settings_path.parent / FOLDER
        self._journal = journal = Journal(folder, jobs, self._note_refusal, self._note_damage)
        self._state = state
        self._renewal = Renewal(state, opener, follow)
        self.names = ResourceNames(opener.library, opener.choices)
        self.changed = ChangedBytes(state, opener.library)
        self.edits = EditController(state, opener.library, journal, bases, self._renewal.note)
        self.saving = SaveController(state, jobs, opener, self.edits, bases, dialogs)
        self.recovery = RecoveryController(state, jobs, opener, self.edits, self.saving, journal, bases)
        self.exporting = ExportController(state, jobs, opener)
        files = FileEdits(jobs, later, self.edits)
        self.importing = SceneImports(state, jobs, opener, self.edits, files, dialogs)
        self.textures = TextureFolders(state, jobs, opener, self.edits)
        self.entries = EntryImports(files, self.importing)
        self.round_trips = RoundTripController(state, jobs, opener)
        self.repair = RepairController(state, jobs, opener)
        self.watch = FileWatch(state, opener, self.edits, bases, self.saving, follow, jobs.wake)
        window_files = partial(WindowFiles, state, self.edits, self.saving, opener.library)
        self.console = ConsoleController(state, jobs, opener.given.names, window_files)
        self.closing = CloseController(state, jobs, self.edits, self.saving, opener.close)

    @property
    def is_waiting(self) -> bool:
        """Whether something is to be done in a moment without an event."""
        return self._renewal.is_waiting

    def renew(self) -> None:
        """Renew the tabs with the changes of this frame."""
        self._renewal.renew()

    def update(self, now: float) -> None:
        """Do what is due at a time of `perf_counter`, seconds, and what other threads wait for."""
        self.watch.update()
        self.closing.update()
        self.console.update()
        self._renewal.update(now)

    def close(self) -> None:
        """Leave the journals of unsaved changes for the next start."""
        self.watch.close()
        self.recovery.close()
        self._journal.close()

    def _note_damage(self, kept: Path, error: FormatError) -> None:
        words = _("Unsaved changes of an earlier run cannot be read and are set aside as {path}: {error}")
        self._state.complain(words.format(path=kept, error=translated(error.message)))

    def _note_refusal(self, error: OSError) -> None:
        words = _("unsaved changes are not kept for a crash: {error}")
        self._state.note(words.format(error=reason_of(error)))


class EntryImports:
    """Puts files into archives and textures, scenes as an import; owner: the application, main thread only.

    Parameters
    ----------
    files
        Reads the files and makes the edits.
    importing
        Imports scenes and JSON.
    """

    def __init__(self, files: FileEdits, importing: SceneImports) -> None:
        self._files = files
        self._importing = importing

    def add(self, address: Address, path: Path) -> None:
        """Add a file to the archive at an address, as an entry with its name; ask about a scene or JSON."""
        if is_scene(path) or is_text(path):
            self._importing.ask(path, address)
        else:
            self._files.add(address, path)

    def replace(self, address: Address, path: Path) -> None:
        """Replace the bytes of an entry by those of a file; import a scene or JSON into it."""
        if is_scene(path) or is_text(path):
            self._importing.read(path, address)
        else:
            self._files.replace(address, path)

    def replace_picture(self, address: Address, path: Path) -> None:
        """Put an image into the texture at an address."""
        self._files.replace_picture(address, path)


class RepairController(JobController):
    """Keeps `State.repairs`; owner: the application, main thread only."""

    def find(self, address: Address) -> None:
        """Find what can be repaired of a payload; whatever was found before is forgotten."""
        self._state.repairs = RepairList(address)

        library = self._opener.library
        lookup = self._opener.choices(address)

        def work(_ignored: object) -> list[FoundRepair]:
            options = EditOptions(options=lookup.in_game(library, address))
            return repairs_of(library, address, options)

        def done(found: list[FoundRepair]) -> None:
            self._state.repairs = RepairList(address, tuple(found))

        title = _("Looking for what can be repaired…")
        self._jobs.start("repair", title, work, done)
