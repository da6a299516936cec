"""Edits: from the changes that panels request to unsaved bytes, undo steps and renewed tabs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from viewer.app.editing.bases import Bases, FileBase
from viewer.app.editing.followed_tabs import followed
from viewer.app.editing.journal import Journal
from viewer.app.state import State
from viewer.errors import MshviewError, UsageError
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.splice import Splices
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.neighbors.following import together
from viewer.model.edit.plan import Plan, plan, words_of
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import MODEL, promised_kind
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import ResolvedReading
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, Item
from viewer.model.write.saving import SavedFile
from viewer.session.edits import journal_lines
from viewer.session.edits.edited_file import EditedFile, Step, real
from viewer.translation import _, translated
from viewer.ui.edit_requests import Decide, Edit, GoToEdit, Refusal, StepEdits

Renew = Callable[[Path, Collection[Address]], None]


class EditController:
    """Answers the requests that change bytes; owner: the application, main thread only.

    Parameters
    ----------
    state
        The state whose `edits` it keeps.
    library
        The files, with unsaved bytes laid over them.
    journal
        Where every step is kept until it is saved.
    bases
        The saved bytes of the files that are edited.
    renew
        Shows the new bytes of a file; gets its path and the payloads in which they have changed.
    """

    def __init__(
        self, state: State, library: FileStore, journal: Journal, bases: Bases, renew: Renew
    ) -> None:
        self._state = state
        self._journal = journal
        self._library = library
        self._bases = bases
        self._renew = renew

    def answers(self) -> dict[type[Any], Callable[[Any], None]]:
        """The handler of each request."""
        return {
            Edit: self.edit,
            StepEdits: lambda request: self.step(request.step),
            GoToEdit: lambda request: self.go_to(request.path, request.position),
            Decide: self.decide,
        }

    def edit(self, request: Edit) -> None:
        """Apply changes to a payload as one undo step; raises `MshviewError` if they are refused."""
        where = real(Address.parse(request.address))
        try:
            step = self._step(where, request.changes, request.declined, request.wanted)
        except MshviewError as error:
            if not request.shows_refusal:
                raise
            self._state.refusal = Refusal(request, error.message)
            return
        if step is None:
            return
        self.make(step.as_made(request.gesture, self._state.tabs.active.address))

    def make(self, step: Step) -> None:
        """Make a step that was worked out; raises `ValueError` if the file has other bytes now."""
        file = self._state.edits.of(step.address.path)
        self._begin(file)
        self._lay_bytes(file.path, (step.splices,))
        self._journal.append(file.path, journal_lines.step_line(step))
        self._show(file.added(step), step.payloads)

    def planned(
        self,
        address: Address,
        changes: Sequence[Change],
        declined: Collection[Topic] = (),
        wanted: Collection[Topic] = (),
    ) -> Plan:
        """What changes would do to a payload; raises `MshviewError` if they are refused."""
        return plan(self._draft(address), changes, declined=declined, wanted=wanted)

    def _draft(self, address: Address) -> Draft:
        """A draft of a payload as it is now."""
        item = self._library.open(address)
        entry = item.entry if isinstance(item.entry, nres.Entry) else None
        kind = promised_kind(item)
        return Draft(kind, item.data, entry, resolved=self._reading(address), value=self._model(item, kind))

    def _model(self, item: Item, kind: Kind) -> Model | None:
        """The model in an item if it is one that can be read, which is shared with what shows it."""
        with suppress(MshviewError):
            return self._library.model(item.address) if kind is MODEL else None
        return None

    def _reading(self, address: Address) -> ResolvedReading | None:
        """The reading in which a model is open, or None."""
        documents = self._state.tabs.documents
        return next((it.choice for it in documents if real(it.source.address) == address), None)

    def go_to(self, path: Path, position: int) -> None:
        """Go to a position among the steps of a file."""
        file = self._state.edits.of(path)
        after = file.at(position)
        if after.position != file.position:
            self._begin(file)
            self._journal.append(path, journal_lines.position_line(after.position))
            self._lay_bytes(file.path, file.way(after.position))
            self._show(after, file.changed_between(file.position, after.position))

    def step(self, step: int) -> None:
        """Undo (step -1) or redo (1) what was done in the active tab or its file."""
        address, edits = self._state.tabs.active.address, self._state.edits
        file = edits.next_undo(address) if step < 0 else edits.next_redo(address)
        self.go_to(file.path, file.position + step)

    def active(self) -> EditedFile:
        """The file of the active tab."""
        return self._state.edits.at(self._state.tabs.active.address)

    def drop(self, path: Path) -> None:
        """Drop all changes of a file and show it as it is on the disk."""
        self._forget(path)
        self._renew(path, ())

    def restore(self, file: EditedFile) -> None:
        """Make the unsaved changes of a file again that an earlier run has made."""
        self._lay_bytes(file.path, file.way_from_saved)
        self._show(file, file.unsaved_payloads)

    def _journal_since(self, written: EditedFile, after: EditedFile, base: FileBase) -> None:
        """Begin the journal of a file that was changed while it was written."""
        common = after.saved if after.left is None else after.left.position
        self._journal.begin(written.after_saving(), base)
        self._journal.append(after.path, journal_lines.steps_line(common, after.steps[common:]))
        self._journal.append(after.path, journal_lines.position_line(after.position))

    def _begin(self, file: EditedFile) -> None:
        """Remember the saved bytes of a file that is about to be changed, and begin its journal."""
        if not file.is_changed:
            self._bases.note(file.path, self._library.file(file.path))
            self._journal.begin(file, self._bases.of(file.path))

    def _forget(self, path: Path) -> None:
        self._journal.drop(path)
        self._library.unsaved.revert(path)
        self._state.edits = self._state.edits.without(path)
        self._bases.forget(path)

    def take_saved(self, written: EditedFile, saved: SavedFile, base: FileBase) -> None:
        """Go on with a file that was written, under its own path or another one.

        Parameters
        ----------
        written
            The state that was written; there may have been steps since.
        """
        now = self._state.edits.of(written.path)
        self._bases.set(saved.path, base)
        if saved.path == written.path:
            after = now.after_saving(written)
            self._state.edits = self._state.edits.with_file(after)
            self._journal.drop(saved.path)
            if after.is_changed:
                self._journal_since(written, after, base)
            else:
                self._library.adopt(saved.path, saved.revision)
            return
        self._forget(written.path)
        self._state.edits = self._state.edits.with_file(written.moved_to(saved.path))
        self._renew(written.path, ())

    def decide(self, request: Decide) -> None:
        """Make a step again with other consequences, and those after it.

        Raises `MshviewError` if one of them is refused then; nothing changes.
        """
        file = self._state.edits.of(request.path)
        data = self._library.file(file.path)
        try:
            made = self._made_again(file, request)
        except MshviewError:
            self._library.unsaved.lay(file.path, data)
            raise
        self._journal.append(file.path, journal_lines.steps_line(request.position, made))
        changed = file.changed_between(request.position, file.position)
        self._show(file.with_steps(request.position, made), changed)

    def _made_again(self, file: EditedFile, request: Decide) -> list[Step]:
        """Lay the steps from one on again, the first with other consequences, and return them."""
        later = file.done[request.position :]
        if not all(step.changes for step in later):
            raise UsageError(_("a step is known by its bytes alone, so it cannot be made again"))
        self._lay_bytes(file.path, file.way(request.position))
        made: list[Step] = []
        for number, old in enumerate(later):
            declined, wanted = (old.declined, old.wanted) if number else (request.declined, request.wanted)
            new = self._step(old.address, old.changes, declined, wanted)
            if new is not None:
                self._lay_bytes(file.path, (new.splices,))
                made.append(new.as_made(old.gesture, old.made_in))
        return made

    def _step(
        self,
        where: Address,
        changes: tuple[Change, ...],
        declined: Collection[Topic],
        wanted: Collection[Topic],
    ) -> Step | None:
        """The undo step of changes; None if they change nothing."""
        made = self.planned(where, changes, declined, wanted)
        step = together(self._library, where, made, self._draft, declined)
        if not step.splices:
            return None
        for note in map(translated, step.notes):
            if self._state.notice != note:
                self._state.announce(note, is_warning=True)
        return Step(
            where,
            words_of(changes),
            step.splices,
            changes,
            step.topics,
            declined=frozenset(declined),
            wanted=frozenset(wanted),
            offered=tuple(dict.fromkeys(found.topic for found in made.offered)),
            others=step.others,
        )

    def _show(self, file: EditedFile, changed: Collection[Address]) -> None:
        """Take over the steps of a file and renew what is open of it."""
        self._state.edits = self._state.edits.with_file(file)
        self._renew(file.path, changed)

    def _lay_bytes(self, path: Path, way: Sequence[Splices]) -> None:
        before, splices = self._library.file(path), splice.combined_all(way)
        self._library.change(path, splices)
        after = self._library.file(path)
        tabs = followed(self._state.tabs, path, before, after, splices)
        if tabs is not self._state.tabs:
            self._state.show(tabs)
