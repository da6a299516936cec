"""What a save will write: every change in words and bytes, and what it adds to the diagnostics."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from viewer.errors import Diagnostic, Severity
from viewer.formats import splice
from viewer.formats.splice import Splices
from viewer.model.compare.edit_report import ChangedValue
from viewer.model.edit.change import Topic
from viewer.session.edits.edited_file import Step


@dataclass(frozen=True, slots=True)
class AddedDiagnostic:
    """A diagnostic that the saved file does not have and the edited one has."""

    address: str
    diagnostic: Diagnostic

    @property
    def is_error(self) -> bool:
        """Whether it blocks saving unless that is forced."""
        return self.diagnostic.severity is Severity.ERROR


@dataclass(frozen=True, slots=True)
class SaveSheet:
    """What is shown before a file is written.

    Parameters
    ----------
    path
        The edited file.
    target
        Where it will be written: the file itself, or another one for "save as".
    steps
        The unsaved undo steps, oldest first; empty if the saved state cannot be reached by undoing.
    first
        Position of the first of them among all steps of the file.
    undone
        The saved steps that were undone instead, the last of them first.
    ranges
        What is replaced in the saved file, in the order of the offsets.
    size_before, size_after
        Bytes of the saved and of the edited file.
    changes, change_count
        The first of the changed values, and how many there are; None while they are being found.
    summary
        The inserted, removed and renumbered rows in words.
    added
        The diagnostics that the edit adds; None while they are being found.
    is_over
        Whether the file on the disk is not the saved one, and is written over.
    others
        The sheets of files that are written with it, all or none: its steps have changed them too.
    """

    path: Path
    target: Path
    steps: tuple[Step, ...]
    first: int
    ranges: Splices
    size_before: int
    size_after: int
    undone: tuple[Step, ...] = ()
    changes: tuple[ChangedValue, ...] | None = None
    change_count: int = 0
    summary: tuple[str, ...] = ()
    added: tuple[AddedDiagnostic, ...] | None = None
    is_over: bool = False
    others: tuple[SaveSheet, ...] = ()

    @property
    def all(self) -> tuple[SaveSheet, ...]:
        """Its own sheet and those of the files that are written with it."""
        return self, *self.others

    @property
    def is_ready(self) -> bool:
        """Whether all that it shows has been found."""
        return all(it.changes is not None and it.added is not None for it in self.all)

    @property
    def byte_count(self) -> int:
        """Number of changed bytes: of each range the longer of old and new."""
        return splice.total(self.ranges)

    @property
    def is_blocked(self) -> bool:
        """Whether saving has to be forced: the edit adds errors, to this file or another one."""
        return any(item.is_error for item in self.all_added or ())

    @property
    def all_added(self) -> tuple[AddedDiagnostic, ...] | None:
        """The diagnostics that the edit adds to all files; None while they are being found."""
        found = [it.added for it in self.all]
        return None if None in found else tuple(item for added in found for item in added or ())

    @property
    def topics(self) -> tuple[Topic, ...]:
        """The consequences that were made, each once."""
        return tuple(dict.fromkeys(topic for step in self.steps for topic in step.topics))

    def touched(self, cells: int) -> npt.NDArray[np.bool_]:
        """Which of `cells` equal parts of the saved file have changed bytes, (cells,) bool."""
        return touched(self.ranges, self.size_before, cells)


def touched(ranges: Splices, size: int, cells: int) -> npt.NDArray[np.bool_]:
    """Which of `cells` equal parts of `size` bytes are changed by splices, (cells,) bool."""
    found = np.zeros(cells, np.bool_)
    for it in ranges:
        first = min(it.offset * cells // max(size, 1), cells - 1)
        last = min((max(it.end, it.offset + 1) - 1) * cells // max(size, 1), cells - 1)
        found[first : last + 1] = True
    return found
