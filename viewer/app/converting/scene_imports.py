"""Import: what a file of another program changes is shown, and then made as one undo step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from viewer.app import loading
from viewer.app.converting import importing
from viewer.app.converting.importing import Planned
from viewer.app.editing.edit_controller import EditController
from viewer.app.jobs import Jobs
from viewer.app.open_controller import OpenController
from viewer.app.state import State
from viewer.errors import UsageError
from viewer.model.convert.exchange import JSON, SCENES
from viewer.model.convert.importing.findings import DEFAULT, ImportChoices
from viewer.model.store.address import Address
from viewer.operations.importing import NewFiles
from viewer.session.converting.import_sheet import DropQuestion
from viewer.session.edits.edited_file import real
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
        self._planned: Planned | None = None

    def drop(self, paths: Sequence[str]) -> None:
        """Open dropped files, each in a tab of its own; ask about one of another program."""
        for number, path in enumerate(paths[:MOST_DROPPED]):
            suffix = importing.suffix_of(Path(path))
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
            self._keep(sheet=replace(importing.unplanned(sheet, frozenset()), choices=choices))
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
            lambda _: importing.read(library, path, source, choices),
            self._show,
            self._opener.fail,
        )

    def _show(self, planned: Planned) -> None:
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
        asked, library = importing.unplanned(sheet, indices), self._opener.library.snapshot()
        self._keep(sheet=asked)
        self._jobs.start(
            LANE, "", lambda _: importing.planned(library, asked, compared), self._show, self._opener.fail
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
            lambda _: importing.write_new(library, path, target, reading),
            done,
            self._opener.fail,
        )
