"""The undo steps of one file, and which of them are done."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from viewer.formats import splice
from viewer.formats.splice import Splices
from viewer.model.edit.change import Change, Topic
from viewer.model.store.address import Address

NOT_REACHABLE: Final = -1
"""The saved position if the saved bytes are on a branch that was left."""


@dataclass(frozen=True, slots=True)
class Step:
    """One undo step: changes of one payload with what followed from them.

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
    """

    address: Address
    words: str
    splices: Splices
    changes: tuple[Change, ...] = ()
    topics: tuple[Topic, ...] = ()
    gesture: Hashable = None


@dataclass(frozen=True, slots=True)
class EditedFile:
    """The steps of one file; the first `position` of them are done.

    Attributes
    ----------
    path
        The file, absolute.
    steps
        Oldest first; those from `position` on can be redone, until the next edit drops them.
    saved
        The position that is on the disk, or `NOT_REACHABLE`.
    """

    path: Path
    steps: tuple[Step, ...] = ()
    position: int = 0
    saved: int = 0

    @property
    def is_changed(self) -> bool:
        """Whether it differs from the file on the disk."""
        return self.position != self.saved

    @property
    def done(self) -> tuple[Step, ...]:
        """The steps that are done."""
        return self.steps[: self.position]

    def added(self, step: Step) -> EditedFile:
        """The file after one more step; what could be redone is dropped, equal gestures become one step."""
        saved = self.saved if self.saved <= self.position else NOT_REACHABLE
        last = self.steps[self.position - 1] if self.position else None
        if last is None or step.gesture is None or last.gesture != step.gesture or saved == self.position:
            return replace(self, steps=(*self.done, step), position=self.position + 1, saved=saved)
        merged = replace(
            step,
            splices=splice.combined(last.splices, step.splices),
            topics=tuple(dict.fromkeys((*last.topics, *step.topics))),
        )
        return replace(self, steps=(*self.done[:-1], merged), saved=saved)

    def way(self, position: int) -> tuple[Splices, ...]:
        """The splices from here to another position, one after the other."""
        if position >= self.position:
            return tuple(step.splices for step in self.steps[self.position : position])
        back = self.steps[position : self.position]
        return tuple(splice.reverse(step.splices) for step in reversed(back))

    def at(self, position: int) -> EditedFile:
        """The file at another position among its steps."""
        return replace(self, position=max(0, min(position, len(self.steps))))

    def after_saving(self) -> EditedFile:
        """The file with what is done on the disk; its steps can still be undone."""
        return replace(self, saved=self.position)


@dataclass(frozen=True, slots=True)
class Edits:
    """The edited files, by their absolute paths with links resolved."""

    files: dict[Path, EditedFile] = field(default_factory=dict)

    def of(self, path: Path) -> EditedFile:
        """The steps of a file; none if it was not edited."""
        return self.files.get(path) or EditedFile(path)

    def with_file(self, file: EditedFile) -> Edits:
        """The edits with a later state of one file."""
        return Edits({**self.files, file.path: file})

    def without(self, path: Path) -> Edits:
        """The edits without those of a file."""
        return Edits({other: file for other, file in self.files.items() if other != path})

    @property
    def changed(self) -> tuple[EditedFile, ...]:
        """The files that differ from those on the disk."""
        return tuple(file for file in self.files.values() if file.is_changed)

    def is_changed(self, address: Address) -> bool:
        """Whether an unsaved step changed a payload, or one inside it."""
        file = self.files.get(address.path)
        if file is None or not file.is_changed:
            return False
        if file.saved == NOT_REACHABLE:
            return True
        low, high = sorted((file.position, file.saved))
        return any(
            step.address.entries[: len(address.entries)] == address.entries for step in file.steps[low:high]
        )
