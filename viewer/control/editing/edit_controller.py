"""Edits: from changes to unsaved bytes, undo steps and renewed tabs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from pathlib import Path
from uuid import uuid4

from msgspec.structs import replace

from viewer.control.editing.journal import Bases, FileBase, Journal
from viewer.control.editing.renewal import followed
from viewer.control.state import State
from viewer.errors import MshviewError, UsageError
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.splice import Splices
from viewer.model.compare.edit_report import Finding
from viewer.model.compare.file_plan import FilePlan, refused
from viewer.model.compare.reporting import quick_report
from viewer.model.edit.archive.entries import AddEntry
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.nodes.node_edit import ReferencedError
from viewer.model.kinds.registry import promised_kind
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.following import new_entries
from viewer.model.store.writing import WrittenFile
from viewer.operations.editing import EditOptions, clearing, plan_edit
from viewer.session.edits import journal_lines
from viewer.session.edits.edited_file import EditedFile, Step
from viewer.session.edits.questions import (
    DiskState,
    RemovalQuestion,
    SubstituteChoice,
    SubstituteQuestion,
)
from viewer.translation import _, translated

Renew = Callable[[Path, Collection[Address]], None]
Refused = Callable[[str, bool], None]
"""Gets the reason for which an edit was refused, and whether it can be forced."""


class AddsErrorsError(UsageError):
    """A change that adds errors to its payload, the first of which it names."""

    def __init__(self, found: Sequence[Finding]) -> None:
        first = found[0].diagnostic
        words = f"{first.where}: {translated(first.message)}"
        if len(found) > 1:
            words = _("{problem} ({count} errors)", problem=words, count=len(found))
        super().__init__(words)


class EditController:
    """Changes payloads, and keeps their undo steps; owner: the application, main thread only.

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
        self._substitutes: set[tuple[Address, str]] = set()

    def edit(
        self,
        address: Address,
        changes: tuple[Change, ...],
        *,
        gesture: Hashable = None,
        refused: Refused | None = None,
        substitute_for: str = "",
        is_forced: bool = False,
    ) -> None:
        """Apply changes to a payload as one undo step.

        Raises `MshviewError` if they are refused, unless `refused` gets the reason.

        Parameters
        ----------
        gesture
            Edits with the same key that follow each other are one undo step: one for each drag.
        refused
            Gets the reason of a refusal.
        substitute_for
            The missing material in whose place the payload is shown, about which the user is asked first.
        is_forced
            Whether it is made even if it adds errors to the payload.
        """
        where = address.real
        self._refuse_stale(where)
        if substitute_for and (where, substitute_for) not in self._substitutes:
            question = SubstituteQuestion(where, substitute_for, changes)
            if self._state.question is None or isinstance(self._state.question, SubstituteQuestion):
                self._state.question = question
            return
        try:
            step = self._step(where, changes)
            # While the mouse drags, a check in every frame would be too slow.
            if step is not None and gesture is None and not is_forced:
                self._refuse_errors(step)
        except ReferencedError as error:
            self._state.question = RemovalQuestion(address, changes, error.nodes)
            return
        except MshviewError as error:
            if refused is None:
                raise
            refused(error.message, isinstance(error, AddsErrorsError))
            return
        if step is not None:
            self.make(step.as_made(gesture, self._state.tabs.active.address))

    def _refuse_stale(self, where: Address) -> None:
        """Raise `UsageError` if what is shown of a payload is not what is on the disk."""
        file, tabs = self._state.edits.of(where.path), self._state.tabs.opened
        stale = next((it for it in tabs if it.problem and it.address and it.address.real == where), None)
        if stale is not None:
            raise UsageError(stale.problem)
        if not file.is_changed and self._library.is_outdated(where.path):
            self.follow_disk(where.path)
            self._renew(where.path, ())
            raise UsageError(
                _("was changed by another program, so nothing was changed here"), source=where.path
            )

    def answer_substitute(self, choice: SubstituteChoice) -> None:
        """Change a substitute, or create the material for which it stands in; raises `MshviewError`."""
        asked, self._state.question = self._state.question, None
        if not isinstance(asked, SubstituteQuestion) or choice is SubstituteChoice.CANCEL:
            return
        if choice is SubstituteChoice.CHANGE:
            self._substitutes.add((asked.address, asked.name))
            self.edit(asked.address, asked.changes)
            return
        entry = self._library.open(asked.address).entry
        payload = bytes(plan_edit(self._library, asked.address, asked.changes).plan.after)
        numbers = (
            (entry.type_id, entry.attr1, entry.attr2, entry.attr3) if isinstance(entry, nres.Entry) else ()
        )
        self.edit(asked.address.parent, (AddEntry(asked.name, payload, *numbers),))

    def _refuse_errors(self, step: Step) -> None:
        """Raise `AddsErrorsError` if a step adds errors, as ``edit`` does; saving checks drags."""
        path = step.address.path
        plan = FilePlan(path, self._library.file(path), step.splices)
        resolved = self._options().resolved.get(step.address)
        reading = ReadingChoice.AUTO if resolved is None else resolved.requested
        if found := refused([quick_report(self._library, plan, (step.address,), reading)]):
            raise AddsErrorsError(found)

    def answer_removal(self, *, is_wanted: bool) -> None:
        """Remove the parts that were asked about and clear what refers to them in one step, or do nothing."""
        asked = self._state.question
        if isinstance(asked, RemovalQuestion):
            self._state.question = None
            if is_wanted:
                self.edit(asked.address, tuple(clearing(asked.changes)))

    def make(self, step: Step) -> None:
        """Make a step that was worked out; raises `ValueError` if the file has other bytes now."""
        self._begin(step.address.path)
        file = self._state.edits.of(step.address.path)
        before = self._library.open(step.address)
        self._overlay_bytes(file.path, (step.splices,))
        if promised_kind(before).is_archive:
            new = new_entries(before.data, self._library.open(step.address).data)
            others = dict.fromkeys((*step.others, *map(step.address.child, new)))
            step = replace(step, others=tuple(others))
        self._journal.append(file.path, journal_lines.step_line(step))
        tabs = self._state.tabs
        shown = [it.address for it in tabs.opened if it.address and it.address.real in step.payloads]
        self._state.tabs = tabs.keeping(step.made_in, *shown)
        self._show(file.added(step), step.payloads)

    def make_together(self, steps: Sequence[Step]) -> None:
        """Make steps of several files, which are undone together; raises `ValueError` like `make`."""
        group = uuid4().hex if len(steps) > 1 else ""
        for number, step in enumerate(steps):
            try:
                self.make(replace(step, group=group))
            except ValueError:
                if number:  # the steps so far are one group: undoing one of them undoes all
                    self.step(-1)
                raise

    def _options(self, declined: Collection[Topic] = (), wanted: Collection[Topic] = ()) -> EditOptions:
        """Options of changes: models are edited in the readings in which they are open."""
        resolved = {it.source.address.real: it.choice for it in self._state.tabs.documents}
        return EditOptions(declined, wanted, resolved=resolved)

    def go_to(self, path: Path, position: int) -> None:
        """Go to a position among the steps of a file."""
        file = self._state.edits.of(path)
        after = file.at(position)
        if after.position != file.position and self._begin(path):
            self._journal.append(path, journal_lines.position_line(after.position))
            self._overlay_bytes(file.path, file.splices_to(after.position))
            self._show(after, file.changed_between(file.position, after.position))
            for step in file.crossed(after.position):
                self._follow(step, 1 if after.position > file.position else -1)

    def _follow(self, step: Step, direction: int) -> None:
        """Undo (-1) or make again (1) the parts of a step in other files."""
        # `go_to` comes back here for each file; it ends because a file that is there already does not move.
        for other in self._state.edits.next_of_group(step, direction):
            self.go_to(other.path, other.position + direction)
        for other in self._state.edits.kept_of_group(step) if direction < 0 else ():
            words = _("{name} was changed later, so it keeps its part of the step")
            self._state.announce(words.format(name=other.path.name), is_warning=True)

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

    def make_again(self, file: EditedFile) -> tuple[str, ...]:
        """Make the unsaved steps of a file again, one by one, on what is on the disk now.

        Returns
        -------
        What does not fit any more and is left out, with the reason; raises `MshviewError` if the file cannot
        be read, and then leaves everything as it is.
        """
        path = file.path
        FileStore().file(path)  # raises before anything is dropped if the file cannot be read
        words = map(translated, file.undone)
        unfit: list[str] = [_("undoing {words}: that is on the disk", words=it) for it in words]
        self._forget(path)
        for step in file.unsaved:
            try:
                self._make_step_again(step)
            except MshviewError as error:
                unfit.append(f"{translated(step.words)}: {translated(error.message)}")
        self._renew(path, ())
        return tuple(unfit)

    def _make_step_again(self, step: Step) -> None:
        """Make the changes of a step on other bytes; raises `MshviewError` if one of them is refused.

        A step without a description, as that of a patch, replaces its bytes where they still are.
        """
        if not step.changes:
            self._replace_again(step)
            return
        new = self._step(step.address, step.changes, step.declined, step.wanted)
        if new is not None:
            self.make(replace(new.as_made(step.gesture, step.made_in), group=step.group))

    def _replace_again(self, step: Step) -> None:
        """Replace the bytes of a step in other bytes; raises `MshviewError` if one of them is not there."""
        data = self._library.file(step.address.path)
        lost = next((it for it in step.splices if data[it.offset : it.end] != it.before), None)
        if lost is not None:
            words = _("it replaces bytes at 0x{offset:X} that are not there any more", offset=lost.offset)
            raise UsageError(words)
        self.make(step)

    def restore(self, file: EditedFile) -> None:
        """Make the unsaved changes of a file again that an earlier run has made."""
        self._overlay_bytes(file.path, file.splices_from_saved)
        self._show(file, file.unsaved_payloads)

    def _begin(self, path: Path) -> bool:
        """Remember the saved bytes of a file that is about to be changed, and begin its journal.

        Tells whether its steps fit what is on the disk; those that do not are dropped before.
        """
        is_fit = self.follow_disk(path)
        file = self._state.edits.of(path)
        if not file.is_changed:
            self._bases.note(path, self._library)
            self._journal.begin(file, self._bases.of(path))
        return is_fit

    def follow_disk(self, path: Path) -> bool:
        """Show what is on the disk of a file without unsaved changes; tell whether its steps still fit that.

        Those that do not are dropped. Of a file that is gone the bytes stay: they may be the only copy.
        """
        base = self._bases.find(path)
        if base is None or self._state.edits.of(path).is_changed:
            return True
        found = base.state_of(path)
        if found is DiskState.SAME and base.revision is not None:
            self._library.adopt(path, base.revision)
        elif found is DiskState.CHANGED:
            has_steps = bool(self._state.edits.of(path).steps)
            self.drop(path)
            words = _("{name} was changed by another program, so its undo steps are dropped", name=path.name)
            if has_steps:
                self._state.announce(words, is_warning=True)
        return found is not DiskState.CHANGED

    def _forget(self, path: Path) -> None:
        self._journal.drop(path)
        self._library.unsaved.revert(path)
        self._state.edits = self._state.edits.without(path)
        self._bases.forget(path)

    def take_saved(self, written: EditedFile, saved: WrittenFile, base: FileBase) -> None:
        """Go on with a file that was written, under its own path or another one.

        Parameters
        ----------
        written
            The state that was written; there may have been steps since.
        """
        now = self._state.edits.of(written.path)
        if saved.target == written.path:
            self._bases.set(saved.target, base)
            after = now.after_saving(written)  # steps that were made while it was written are unsaved still
            self._state.edits = self._state.edits.with_file(after)
            self._journal.drop(saved.target)
            if after.is_changed:
                # The file was changed while it was written: its journal begins with the steps after that.
                common = after.first
                self._journal.begin(written.after_saving(), base)
                self._journal.append(after.path, journal_lines.steps_line(common, after.steps[common:]))
                self._journal.append(after.path, journal_lines.position_line(after.position))
            else:
                self._library.adopt(saved.target, saved.revision)
            return
        for path in (written.path, saved.target):
            self._forget(path)
            self._renew(path, ())
        self._bases.set(saved.target, base)
        self._state.edits = self._state.edits.with_file(written.moved_to(saved.target))

    def decide(
        self, path: Path, position: int, declined: Collection[Topic] = (), wanted: Collection[Topic] = ()
    ) -> None:
        """Make a step again with other consequences, and those after it.

        Raises `MshviewError` if one of them is refused then; nothing changes.
        """
        file = self._state.edits.of(path)
        data = self._library.file(file.path)
        try:
            made = self._made_again(file, position, declined, wanted)
        except MshviewError:  # back to the bytes before: some of the steps may be in them
            self._library.unsaved.overlay(file.path, data)
            raise
        self._journal.append(file.path, journal_lines.steps_line(position, made))
        changed = file.changed_between(position, file.position)
        self._show(file.with_steps(position, made), changed)

    def _made_again(
        self, file: EditedFile, position: int, declined: Collection[Topic], wanted: Collection[Topic]
    ) -> list[Step]:
        """Make the steps from a position on again, the first with other consequences, and return them."""
        later = file.done[position:]
        if not all(step.changes for step in later):
            raise UsageError(_("a step is known by its bytes alone, so it cannot be made again"))
        self._overlay_bytes(file.path, file.splices_to(position))
        made: list[Step] = []
        for number, old in enumerate(later):
            if number:  # only the first step is decided anew
                declined, wanted = old.declined, old.wanted
            new = self._step(old.address, old.changes, declined, wanted)
            if new is not None:
                self._overlay_bytes(file.path, (new.splices,))
                made.append(new.as_made(old.gesture, old.made_in))
        return made

    def _step(
        self,
        where: Address,
        changes: tuple[Change, ...],
        declined: Collection[Topic] = (),
        wanted: Collection[Topic] = (),
    ) -> Step | None:
        """The undo step of changes; None if they change nothing."""
        step = plan_edit(self._library, where, changes, self._options(declined, wanted))
        if not step.splices:
            return None
        self._tell([*map(translated, step.notes)])
        return Step(
            where,
            step.plan.words,
            step.splices,
            changes,
            step.topics,
            declined=frozenset(declined),
            wanted=frozenset(wanted),
            offered=tuple(dict.fromkeys(found.topic for found in step.plan.offered)),
            others=step.others,
        )

    def _tell(self, notes: Sequence[str]) -> None:
        """Show the first of the notes of a step, and log all of them; once for a gesture."""
        if not notes:
            return
        words = _("{note}; {count} more in the log", note=notes[0], count=len(notes) - 1)
        shown = words if len(notes) > 1 else notes[0]
        if self._state.notice != shown:  # a gesture makes the same step in every frame
            for note in notes if len(notes) > 1 else ():
                self._state.note(note)
            self._state.announce(shown, is_warning=True)

    def _show(self, file: EditedFile, changed: Collection[Address]) -> None:
        """Take over the steps of a file and renew what is open of it."""
        self._state.edits = self._state.edits.with_file(file)
        self.follow_disk(file.path)
        self._renew(file.path, changed)

    def _overlay_bytes(self, path: Path, steps: Sequence[Splices]) -> None:
        before, splices = self._library.file(path), splice.combined_all(steps)
        self._library.change(path, splices)
        after = self._library.file(path)
        # Before and after, since an entry may have another name or row now.
        tabs = followed(self._state.tabs, path, before, after, splices)
        if tabs is not self._state.tabs:
            self._state.show(tabs)
