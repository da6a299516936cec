"""Edits: from the changes that panels request to unsaved bytes, undo steps and renewed tabs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from viewer.app.state import State
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.splice import Splices
from viewer.model.edit import lift
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import Plan, plan, words_of
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.edits.edited_file import EditedFile, Step
from viewer.ui.edit_requests import Edit, GoToEdit, StepEdits


class EditController:
    """Answers the requests that change bytes; owner: the application, main thread only.

    Parameters
    ----------
    state
        The state whose `edits` it keeps.
    library
        The files, with unsaved bytes laid over them.
    renew
        Shows what is open of a file again, after its bytes have changed.
    """

    def __init__(self, state: State, library: FileStore, renew: Callable[[Path], None]) -> None:
        self._state = state
        self._library = library
        self._renew = renew

    def answers(self) -> dict[type[Any], Callable[[Any], None]]:
        """The handler of each request."""
        return {
            Edit: self.edit,
            StepEdits: lambda request: self.step(request.step),
            GoToEdit: lambda request: self.go_to(request.path, request.position),
        }

    def edit(self, request: Edit) -> None:
        """Apply changes to a payload as one undo step; raises `MshviewError` if they are refused."""
        where = real(Address.parse(request.address))
        changes = request.changes
        made = self.planned(where, changes, request.declined, request.wanted)
        if not made.splices:
            return
        splices = lift.lifted(self._library, where, made.splices)
        step = Step(where, words_of(changes), splices, changes, made.topics, request.gesture)
        file = self._state.edits.of(where.path)
        self._lay(file, (splices,), file.added(step))

    def planned(
        self,
        address: Address,
        changes: Sequence[Change],
        declined: frozenset[Topic] = frozenset(),
        wanted: frozenset[Topic] = frozenset(),
    ) -> Plan:
        """What changes would do to a payload; raises `MshviewError` if they are refused."""
        item = self._library.open(address)
        entry = item.entry if isinstance(item.entry, nres.Entry) else None
        return plan(Draft(promised_kind(item), item.data, entry), changes, declined=declined, wanted=wanted)

    def go_to(self, path: Path, position: int) -> None:
        """Go to a position among the steps of a file."""
        file = self._state.edits.of(path)
        after = file.at(position)
        self._lay(file, file.way(after.position), after)

    def step(self, step: int) -> None:
        """Undo (step -1) or redo (1) in the file of the active tab."""
        address = self._state.tabs.active.address
        if address:
            file = self._state.edits.of(real(Address.parse(address)).path)
            self.go_to(file.path, file.position + step)

    def _lay(self, file: EditedFile, way: Sequence[Splices], after: EditedFile) -> None:
        """Lay new bytes over a file and renew what is open of it."""
        data = self._library.file(file.path)
        for splices in way:
            data = memoryview(splice.applied(data, splices))
        self._library.unsaved.lay(file.path, data)
        self._state.edits = self._state.edits.with_file(after)
        self._renew(file.path)


def real(address: Address) -> Address:
    """The address with an absolute path without links, by which its edits are found."""
    return Address(Path(os.path.realpath(address.path)), address.entries)
