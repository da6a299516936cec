"""Import: what a file of another program changes is shown, and then made as one undo step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from viewer.app.converting import importing
from viewer.app.converting.importing import Planned
from viewer.app.converting.sources import Sources
from viewer.app.editing.edit_controller import EditController
from viewer.app.jobs import Jobs
from viewer.app.open_controller import OpenController
from viewer.app.state import State
from viewer.errors import UsageError
from viewer.model.convert.exchange import JSON, SCENES
from viewer.model.store.address import Address
from viewer.session.converting.import_sheet import DropQuestion
from viewer.session.edits.edited_file import real
from viewer.translation import Message, _, translated
from viewer.ui.convert_requests import AnswerImport, Dropped, ImportFile, LeaveOut, NewModel
from viewer.ui.requests import Open, Request, SaveDialog
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
    request
        Queues a request.
    """

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        opener: OpenController,
        edits: EditController,
        request: Callable[[Request], None],
    ) -> None:
        self._state = state
        self._jobs = jobs
        self._opener = opener
        self._edits = edits
        self._request = request
        self._planned: Planned | None = None

    def answers(self) -> dict[type[Any], Callable[[Any], None]]:
        """The handler of each request."""
        return {
            Dropped: lambda request: self.drop(request.paths),
            ImportFile: lambda request: self.read(request.path),
            LeaveOut: lambda request: self.leave_out(request.indices),
            AnswerImport: lambda request: self.answer(is_wanted=request.is_wanted),
            NewModel: self.make_new,
        }

    def drop(self, paths: Sequence[str]) -> None:
        """Open dropped files, each in a tab of its own; ask about one of another program."""
        for number, path in enumerate(paths[:MOST_DROPPED]):
            suffix = importing.suffix_of(Path(path))
            if suffix in (*SCENES, JSON):
                self._drop_scene(Path(path), can_be_new=suffix != JSON)
                return
            self._request(Open(path, in_new_tab=number > 0))

    def _drop_scene(self, path: Path, *, can_be_new: bool) -> None:
        document = self._state.document
        if not can_be_new:
            self.read(path)
        elif document is None:
            self._request(NewModel(path))
        else:
            self._keep(dropped=DropQuestion(path, document.address))

    def read(self, path: Path) -> None:
        """Read a file, compare it with what is open, and show what it changes."""
        self._keep(dropped=None)
        address = self._state.tabs.active.address
        if not address:
            self._request(NewModel(path))
            return
        where, sources = real(Address.parse(address)), self._sources(address)
        self._jobs.start(
            LANE,
            _("Reading {name}…").format(name=path.name),
            lambda _: importing.read(sources, path, where),
            self._show,
            self._opener.fail,
        )

    def _sources(self, address: str) -> Sources:
        """What the worker reads from: the files as they are now, and the open models in their readings."""
        documents = tuple(
            replace(it, source=replace(it.source, address=real(it.source.address)))
            for it in self._state.tabs.documents
        )
        return Sources(self._opener.library.snapshot(), *self._opener.choices(address), documents)

    def _show(self, planned: Planned) -> None:
        self._planned = planned
        self._keep(sheet=planned.sheet)

    def _keep(self, **fields: Any) -> None:
        self._state.converting = replace(self._state.converting, **fields)

    def leave_out(self, indices: frozenset[int]) -> None:
        """Work out what happens without some of the changes."""
        sheet = self._state.converting.sheet
        if sheet is None:
            return
        asked = importing.unplanned(sheet, indices)
        self._keep(sheet=asked)
        sources = self._sources(asked.address)
        self._jobs.start(LANE, "", lambda _: importing.planned(sources, asked), self._show, self._opener.fail)

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
            for step in planned.steps:
                self._edits.make(step.as_made(None, front))
        except ValueError:
            raise UsageError(_("the file was changed meanwhile"), source=str(sheet.path)) from None
        self._state.announce(_("Imported {path}").format(path=sheet.path))

    def make_new(self, request: NewModel) -> None:
        """Ask where the new model is saved, or write it with its wear table, and open it."""
        self._keep(dropped=None)
        path, target = request.path, request.target
        if target is None:
            name = f"{path.stem}.msh"
            self._request(
                SaveDialog(Message("Save the new model"), name, lambda chosen: NewModel(path, chosen))
            )
            return
        reading = self._opener.choices(str(target))[0]

        def done(losses: tuple[str, ...]) -> None:
            for loss in losses:
                self._state.note(f"{path.name}: {translated(loss)}")
            if losses:
                words = counted(len(losses), "{count} thing was lost", "{count} things were lost")
                self._state.announce(_("{losses}, listed in the log").format(losses=words), is_warning=True)
            self._opener.open(str(target))

        self._jobs.start(
            f"save {target}",
            _("Reading {name}…").format(name=path.name),
            lambda _: importing.write_new(path, target, reading),
            done,
            self._opener.fail,
        )
