"""The undo steps of files, which of them are done, and what differs from the disk."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import count, takewhile
from pathlib import Path
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from viewer.formats import splice
from viewer.formats.splice import Splices
from viewer.model.convert.scene_file import is_of_scene
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.set_field import SetField
from viewer.model.store.address import Address
from viewer.model.store.disk import real_path

NOT_REACHABLE: Final = -1
"""The saved position if the saved bytes are on a branch that was left."""


class Step(Struct, frozen=True):
    """An undo step: changes of one payload, and their consequences.

    Parameters
    ----------
    address
        The payload that was changed, as it was called then.
    words
        Its name in the History panel.
    splices
        What it replaces in the file; offsets count in the file after the steps before it.
    changes
        What was asked for; empty for a step without a description of its own, such as a reverted file.
    topics
        The consequences that were made.
    gesture
        Steps with the same key that follow each other become one; None never does.
    declined, wanted
        The consequences that were not to be made, and those that were made though they are only offered.
    offered
        The consequences that would follow but were not made.
    made_in
        Address of what was in front when it was made.
    others
        Other payloads of the file that it changes too: those that follow, and a wear table of an import.
    group
        Steps of several files with the same group are one for the user; empty for a step of its own.
    serial
        Increases from step to step over all files.
    """

    address: Address
    words: str
    splices: Splices
    changes: tuple[Change, ...] = ()
    topics: tuple[Topic, ...] = ()
    gesture: Hashable = None
    declined: frozenset[Topic] = frozenset()
    wanted: frozenset[Topic] = frozenset()
    offered: tuple[Topic, ...] = ()
    made_in: Address | None = None
    others: tuple[Address, ...] = ()
    group: str = ""
    serial: int = field(default_factory=count(1).__next__)

    def as_made(self, gesture: Hashable, made_in: Address | None) -> Step:
        """The step as part of a gesture, made while something was in front."""
        return replace(self, gesture=gesture, made_in=made_in)

    @property
    def payloads(self) -> tuple[Address, ...]:
        """All payloads that the step changes."""
        return self.address, *self.others

    def moved_to(self, path: Path) -> Step:
        """The step in a file that was saved under another path."""
        address, *others = (Address(path, it.entries) for it in self.payloads)
        return replace(self, address=address, others=tuple(others))

    def after(self, last: Step) -> Step:
        """The step that combines another one and this one."""
        # The second part of a gesture alone tells what both do if it sets the same fields.
        is_set_again = len(last.changes) == len(self.changes) and all(
            isinstance(one, SetField) and isinstance(other, SetField) and one.target == other.target
            for one, other in zip(last.changes, self.changes, strict=True)
        )
        return replace(
            self,
            splices=splice.combined(last.splices, self.splices),
            changes=self.changes if is_set_again else (*last.changes, *self.changes),
            topics=tuple(dict.fromkeys((*last.topics, *self.topics))),
            others=tuple(dict.fromkeys((*last.others, *self.others))),
        )


class LeftBranch(Struct, frozen=True):
    """The splices from saved bytes on an abandoned branch to the steps of the file.

    Parameters
    ----------
    position
        Where it arrives among the steps.
    splices
        What leads there from the saved bytes.
    addresses
        The payloads that it changes.
    undone
        The names of the saved steps that it undoes, the last of them first.
    """

    position: int
    splices: Splices
    addresses: frozenset[Address]
    undone: tuple[str, ...] = ()


class EditedFile(Struct, frozen=True):
    """The steps of one file; the first `position` of them are done.

    Attributes
    ----------
    path
        The file, absolute.
    steps
        Oldest first; those from `position` on can be redone, until the next edit drops them.
    saved
        The position that is on the disk, or `NOT_REACHABLE`.
    left
        Where the saved bytes are if no position is.
    """

    path: Path
    steps: tuple[Step, ...] = ()
    position: int = 0
    saved: int = 0
    left: LeftBranch | None = None

    @property
    def is_changed(self) -> bool:
        """Whether the bytes differ from the file on the disk."""
        return self.position != self.saved

    @property
    def can_undo(self) -> bool:
        """Whether a step is done."""
        return self.position > 0

    @property
    def can_redo(self) -> bool:
        """Whether a step was undone and not dropped."""
        return self.position < len(self.steps)

    @property
    def done(self) -> tuple[Step, ...]:
        """The steps that are done."""
        return self.steps[: self.position]

    @property
    def first(self) -> int:
        """The position from which on the done steps are unsaved."""
        return self.saved if self.left is None else self.left.position

    @property
    def unsaved(self) -> tuple[Step, ...]:
        """The unsaved steps that are done, oldest first."""
        return self.steps[self.first : self.position]

    @property
    def undone(self) -> tuple[str, ...]:
        """The names of the saved steps that are undone, the last of them first."""
        left = () if self.left is None else self.left.undone
        return (*left, *_undone(self.steps[self.position : self.first]))

    def added(self, step: Step) -> EditedFile:
        """The file after one more step; what could be redone is dropped, equal gestures become one step."""
        file = self._branched(self.position)
        last = file.steps[-1] if file.steps else None
        if last is None or step.gesture is None or last.gesture != step.gesture or file.is_fixed:
            return replace(file, steps=(*file.steps, step), position=file.position + 1)
        return replace(file, steps=(*file.steps[:-1], step.after(last)))

    def with_steps(self, position: int, steps: Sequence[Step]) -> EditedFile:
        """The file with other steps from a position on, all of them done."""
        file = self._branched(position)
        done = (*file.steps, *steps)
        return replace(file, steps=done, position=len(done))

    @property
    def is_fixed(self) -> bool:
        """Whether the saved bytes are found by the step before this position, which therefore stays."""
        return self.position == self.first

    def _branched(self, position: int) -> EditedFile:
        """The file at a position, without the steps after it."""
        file = replace(self.at(position), steps=self.steps[:position])
        start = self.first
        if start <= position:
            return file
        to_left = () if self.left is None else (self.left.splices,)
        splices = splice.combined_all((*to_left, *self.at(start).splices_to(position)))
        earlier = self.left.addresses if self.left else frozenset()
        addresses = self.changed_between(position, start) | earlier
        left = LeftBranch(position, splices, addresses, self.at(position).undone)
        return replace(file, saved=NOT_REACHABLE, left=left)

    @property
    def splices_from_saved(self) -> tuple[Splices, ...]:
        """The splices from the saved bytes to those of this position, one after the other."""
        if self.left is None:
            return self.at(self.saved).splices_to(self.position)
        return self.left.splices, *self.at(self.left.position).splices_to(self.position)

    @property
    def unsaved_payloads(self) -> frozenset[Address]:
        """The payloads that differ from the saved ones."""
        if self.left is None:
            return self.changed_between(self.saved, self.position)
        return self.left.addresses | self.changed_between(self.left.position, self.position)

    @property
    def unsaved_groups(self) -> frozenset[str]:
        """The groups of the steps between the saved bytes and this position."""
        return frozenset(step.group for step in self.crossed(self.first)) - {""}

    def splices_to(self, position: int) -> tuple[Splices, ...]:
        """The splices from here to another position, one after the other."""
        if position >= self.position:
            return tuple(step.splices for step in self.steps[self.position : position])
        back = self.steps[position : self.position]
        return tuple(splice.reverse(step.splices) for step in reversed(back))

    def crossed(self, position: int) -> tuple[Step, ...]:
        """The steps that are undone or made again on the way to a position."""
        low, high = sorted((position, self.position))
        return self.steps[low:high]

    def changed_between(self, position: int, other: int) -> frozenset[Address]:
        """The payloads that change on the way between two positions."""
        low, high = sorted((position, other))
        return frozenset(it for step in self.steps[low:high] for it in step.payloads)

    def at(self, position: int) -> EditedFile:
        """The file at another position among its steps."""
        return replace(self, position=max(0, min(position, len(self.steps))))

    def after_saving(self, saved: EditedFile | None = None) -> EditedFile:
        """The file with what is done on the disk; its steps can still be undone.

        Parameters
        ----------
        saved
            The state that was written, if there were steps since.
        """
        written = self if saved is None else saved
        pairs = zip(written.done, self.steps, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
        if same == written.position:
            return replace(self, saved=same, left=None)
        splices = splice.combined_all(written.splices_to(same))
        changed = written.changed_between(same, written.position)
        left = LeftBranch(same, splices, changed, _undone(written.steps[same : written.position]))
        return replace(self, saved=NOT_REACHABLE, left=left)

    def moved_to(self, path: Path) -> EditedFile:
        """The steps of a file that was saved under another path."""
        steps = tuple(it.moved_to(path) for it in self.steps)
        return replace(self, path=path, steps=steps, saved=self.position, left=None)


def _undone(steps: Sequence[Step]) -> tuple[str, ...]:
    return tuple(step.words for step in reversed(steps))


class Edits(Struct, frozen=True):
    """The edited files, by their absolute paths with links resolved."""

    files: Mapping[Path, EditedFile] = field(default_factory=dict)

    def of(self, path: Path) -> EditedFile:
        """The steps of a file; none if it was not edited."""
        return self.files.get(path) or EditedFile(path)

    def at(self, address: Address | None) -> EditedFile:
        """The steps of the file of an address; of no file for None."""
        return EditedFile(Path()) if address is None else self.of(address.real.path)

    def with_file(self, file: EditedFile) -> Edits:
        """The edits with a later state of one file."""
        return Edits({**self.files, file.path: file})

    def without(self, path: Path) -> Edits:
        """The edits without those of a file."""
        return Edits({other: file for other, file in self.files.items() if other != path})

    def next_undo(self, address: Address | None) -> EditedFile:
        """The file in which the next step is undone while an address is in front.

        Its own file, or another one that was changed later from there, as a material library is.
        """
        can = (it for it in self._around(address) if it.can_undo and self._belongs(it, it.done[-1], address))
        # Serials count the steps of all files in the order they were made.
        return max(can, key=lambda it: it.done[-1].serial, default=self.at(address))

    def next_redo(self, address: Address | None) -> EditedFile:
        """The file in which the next step is made again while an address is in front."""
        around = self._around(address)
        can = (it for it in around if it.can_redo and self._belongs(it, it.steps[it.position], address))
        return min(can, key=lambda it: it.steps[it.position].serial, default=self.at(address))

    def next_save(self, address: Address | None) -> EditedFile:
        """The file that is saved while an address is in front: its own, or one changed from there."""
        own = self.at(address)
        if own.is_changed:
            return own
        others = (it for it in self.changed if any(step.made_in == address for step in it.steps))
        return next(others, own)

    def saved_with(self, file: EditedFile) -> tuple[EditedFile, ...]:
        """The other files that the unsaved steps of a file have changed too, and those of these files."""
        groups, found = file.unsaved_groups, dict[Path, EditedFile]()
        while True:
            others = (it for it in self.changed if it.path != file.path and it.path not in found)
            more = [it for it in others if it.unsaved_groups & groups]
            if not more:
                return tuple(found.values())
            for it in more:
                found[it.path] = it
                groups |= it.unsaved_groups

    def next_of_group(self, step: Step, direction: int) -> tuple[EditedFile, ...]:
        """The files in which the next step to be undone (-1) or made again (1) belongs to a step."""
        found = []
        for file in self.files.values():
            can = file.can_undo if direction < 0 else file.can_redo
            index = file.position - (direction < 0)
            if step.group and can and file.steps[index].group == step.group:
                found.append(file)
        return tuple(found)

    def kept_of_group(self, step: Step) -> tuple[EditedFile, ...]:
        """The files that were changed after their part of a step, which therefore is still done."""
        if not step.group:
            return ()
        return tuple(file for file in self.files.values() if step.group in {it.group for it in file.done})

    def _around(self, address: Address | None) -> tuple[EditedFile, ...]:
        return tuple(self.files.values()) if address else ()

    def _belongs(self, file: EditedFile, step: Step, address: Address | None) -> bool:
        return step.made_in == address or file.path == self.at(address).path

    @property
    def changed(self) -> tuple[EditedFile, ...]:
        """The files that differ from those on the disk."""
        return tuple(file for file in self.files.values() if file.is_changed)

    def is_changed(self, address: Address) -> bool:
        """Whether an unsaved step changed a payload, or one inside it."""
        file = self.files.get(address.path)
        if file is None or not file.is_changed:
            return False
        depth = len(address.entries)
        return any(it.entries[:depth] == address.entries for it in file.unsaved_payloads)


class ChangedRanges:
    """Ranges of offsets, of which single fields and rows are looked up in every frame.

    Parameters
    ----------
    ranges
        Start and end of each, half open; they do not overlap.
    """

    def __init__(self, ranges: Iterable[tuple[int, int]] = ()) -> None:
        ordered = sorted(it for it in ranges if it[0] < it[1])
        self._starts = [start for start, _ in ordered]
        self._ends = [end for _, end in ordered]

    def __bool__(self) -> bool:
        return bool(self._starts)

    @property
    def spans(self) -> Iterator[tuple[int, int]]:
        """Offset and length of each range, in order."""
        return ((start, end - start) for start, end in zip(self._starts, self._ends, strict=True))

    def touches(self, start: int, size: int) -> bool:
        """Tell whether any of `size` bytes from an offset on has changed."""
        # The first range that ends after `start`; ranges that end there do not touch it.
        index = bisect_right(self._ends, start)
        return size > 0 and index < len(self._starts) and self._starts[index] < start + size


NO_RANGES: Final = ChangedRanges()
"""Ranges of a file without changes."""


class UnsavedMarks:
    """Answers about rows in every frame, so it remembers its answers until the edits change."""

    def __init__(self) -> None:
        self._edits = Edits()
        self._around: frozenset[Path] = frozenset()
        self._known: dict[Address, bool] = {}
        self._real: dict[Path, Path] = {}

    def follow(self, edits: Edits) -> None:
        """Take the edits of now, which the marks are of."""
        if edits is not self._edits:
            self._edits, self._known = edits, {}
            self._around = frozenset(folder for file in edits.changed for folder in file.path.parents)

    def is_unsaved(self, address: Address) -> bool:
        """Whether what is at an address, or anything inside it, was changed and not saved, or has no file."""
        if is_of_scene(address.path):
            return True
        if not self._around:
            return False
        if address not in self._known:
            if address.path not in self._real:
                self._real[address.path] = real_path(address.path)
            path = self._real[address.path]
            is_folder = not address.entries and path in self._around
            self._known[address] = is_folder or self._edits.is_changed(Address(path, address.entries))
        return self._known[address]
