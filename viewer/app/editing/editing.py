"""All of editing behind one object: changes, undo, saving, closing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from viewer.app.converting.exporting import ExportController, RoundTripController
from viewer.app.converting.importing import SceneImports
from viewer.app.editing.edit_controller import EditController
from viewer.app.editing.journal import Bases, Journal
from viewer.app.editing.prepared_edits import EntryImports, RepairController
from viewer.app.editing.renewal import ChangedBytes, Renewal, ResourceNames
from viewer.app.editing.save_controller import SaveController
from viewer.app.editing.unsaved import CloseController, RecoveryController
from viewer.app.jobs import Jobs
from viewer.app.open_controller import OpenController
from viewer.app.state import State
from viewer.errors import FormatError
from viewer.translation import _, translated
from viewer.ui.commands import Commands

FOLDER: Final = "journals"
"""The folder next to the settings that keeps unsaved changes."""


class Editing:
    """The controllers of editing; owner: the application, main thread only.

    Parameters
    ----------
    commands
        Queues calls.
    leave
        Closes the window.
    settings_path
        The settings, next to which journals are; None writes none.
    """

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        opener: OpenController,
        commands: Commands,
        leave: Callable[[], None],
        settings_path: Path | None = None,
    ) -> None:
        bases = Bases()
        folder = None if settings_path is None else settings_path.parent / FOLDER
        self._journal = journal = Journal(folder, jobs, self._note_refusal, self._note_damage)
        self._state = state
        self._renewal = Renewal(state, opener)
        self.names = ResourceNames(opener.library, lambda address: opener.choices(address)[1])
        self.changed = ChangedBytes(state, opener.library)
        self.edits = EditController(state, opener.library, journal, bases, self._renewal.note)
        self.saving = SaveController(state, jobs, opener, self.edits, bases, commands)
        self.recovery = RecoveryController(state, jobs, opener, self.edits, self.saving, journal, bases)
        self.entries = EntryImports(jobs, commands, opener.fail)
        self.exporting = ExportController(state, jobs, opener)
        self.importing = SceneImports(state, jobs, opener, self.edits, commands)
        self.round_trips = RoundTripController(state, jobs, opener)
        self.repair = RepairController(state, jobs, opener)
        self.closing = CloseController(state, self.edits, self.saving, opener.close, leave)

    @property
    def is_waiting(self) -> bool:
        """Whether something is to be done in a moment without an event."""
        return self._renewal.is_waiting

    def renew(self) -> None:
        """Show what has changed in this frame."""
        self._renewal.renew()

    def update(self, now: float) -> None:
        """Do what is due at a time of `perf_counter`, seconds."""
        self._renewal.update(now)

    def close(self) -> None:
        """Leave the journals of unsaved changes for the next start."""
        self.recovery.close()
        self._journal.close()

    def _note_damage(self, kept: Path, error: FormatError) -> None:
        words = _("Unsaved changes of an earlier run cannot be read and are set aside as {path}: {error}")
        self._state.complain(words.format(path=kept, error=translated(error.message)))

    def _note_refusal(self, error: OSError) -> None:
        words = _("unsaved changes are not kept for a crash: {error}")
        self._state.note(words.format(error=error.strerror or error))
