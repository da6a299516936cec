"""Questions about edits: before a save, a close, a reload, a removal; possible repairs."""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.model.compare.edit_report import Finding
from viewer.model.compare.file_plan import FilePlan, refused
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.repair import FoundRepair
from viewer.model.store.address import Address
from viewer.session.edits.edited_file import EditedFile, Step


class SaveSheet(Struct, frozen=True):
    """The sheet that is shown before a file is written.

    Parameters
    ----------
    plan
        The edited file, and what is replaced in it; once it was compared its findings too. From then on it is
        of the file of another program, if there is one and that is replaced as a whole.
    target
        Where it will be written: the file itself, or another one for "save as".
    steps
        The unsaved undo steps, oldest first.
    first
        Position of the first of them among all steps of the file.
    undone
        The names of the saved steps that were undone instead, the last of them first.
    is_compared
        Whether its findings are known.
    is_over
        Whether the file on the disk is what another program has made of it, and is replaced as a whole.
    kept
        The name under which that is kept; empty if it is gone.
    others
        The sheets of files that are written with it, all or none: its steps have changed them too.
    """

    plan: FilePlan
    target: Path
    steps: tuple[Step, ...]
    first: int
    undone: tuple[str, ...] = ()
    is_compared: bool = False
    is_over: bool = False
    kept: str = ""
    others: tuple[SaveSheet, ...] = ()

    @property
    def path(self) -> Path:
        """The edited file."""
        return self.plan.path

    @property
    def all(self) -> tuple[SaveSheet, ...]:
        """The sheet of the file and those of the files that are written with it."""
        return self, *self.others

    @property
    def is_ready(self) -> bool:
        """Whether all that it shows has been found."""
        return all(it.is_compared for it in self.all)

    @property
    def is_blocked(self) -> bool:
        """Whether saving has to be forced: the edit adds errors, to this file or another one."""
        return bool(refused(it.plan for it in self.all))

    @property
    def all_added(self) -> tuple[Finding, ...] | None:
        """The diagnostics that the edit adds to all files; None while they are being found."""
        return tuple(found for it in self.all for found in it.plan.report.added) if self.is_ready else None

    @property
    def topics(self) -> tuple[Topic, ...]:
        """The consequences that were made, each once."""
        return tuple(dict.fromkeys(topic for step in self.steps for topic in step.topics))

    def touched(self, cells: int) -> npt.NDArray[np.bool_]:
        """Mask of `cells` equal parts of the saved file that have changed bytes, (cells,) bool."""
        found, size = np.zeros(cells, np.bool_), max(self.plan.size_before, 1)
        for it in self.plan.splices:
            first = min(it.offset * cells // size, cells - 1)
            # The last changed byte is end - 1; where bytes were only removed, the cell of the gap is marked.
            last = min((max(it.end, it.offset + 1) - 1) * cells // size, cells - 1)
            found[first : last + 1] = True
        return found


class SaveChoice(Enum):
    """Answers to a `SaveSheet`."""

    WRITE = "write"
    CANCEL = "cancel"


class CloseChoice(Enum):
    """Answers to a `CloseQuestion`."""

    SAVE = "save"
    """Save all of them, then close."""
    DISCARD = "discard"
    """Close; the changes are lost."""
    CANCEL = "cancel"
    """Close nothing."""


class ConflictChoice(Enum):
    """Answers to a `Conflict`."""

    KEEP_MINE = "keep mine"
    """Write the edited bytes over what is on the disk."""
    TAKE_THEIRS = "take theirs"
    """Drop the changes and show what is on the disk."""
    ONTO_THEIRS = "onto theirs"
    """Make the changes again on what is on the disk."""
    COMPARE = "compare"
    """Find the differences; the question is asked again with them."""
    CANCEL = "cancel"
    """Write and drop nothing."""


class RefusalChoice(Enum):
    """Answers to a `SaveRefusal`."""

    WRITABLE = "writable"
    """Clear the attribute of the file, and save."""
    AGAIN = "again"
    """Save once more."""
    SAVE_AS = "save as"
    """Write the file somewhere else."""
    CANCEL = "cancel"
    """Write and drop nothing."""


class RecoveryChoice(Enum):
    """Answers to a `Recovery`, for the files that are named."""

    REPLAY = "replay"
    """Make the changes again and open the files."""
    DISCARD = "discard"
    """The changes are lost."""
    LATER = "later"
    """Ask again at the next start."""


class SubstituteChoice(Enum):
    """Answers to a `SubstituteQuestion`."""

    CREATE = "create"
    """Add a material of the missing name, a copy of the substitute with the changes."""
    CHANGE = "change"
    """Change the substitute, for everything that shows it; not asked again for this name."""
    CANCEL = "cancel"
    """Change nothing."""


class DiskState(Enum):
    """The state of a file on the disk compared with the edited one."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"


class CloseQuestion(Struct, frozen=True):
    """Files with unsaved changes are about to be closed.

    Parameters
    ----------
    files
        Those files.
    tab
        The tab that is about to be closed; None for the whole window.
    """

    files: tuple[EditedFile, ...]
    tab: int | None = None


class WritingQuestion(Struct, frozen=True):
    """The window is about to be closed while files are made; not asked any more once all are there.

    Parameters
    ----------
    titles
        What is being made: ``Saving turn.webp…``.
    """

    titles: tuple[str, ...]


class Conflict(Struct, frozen=True):
    """A file has changed on the disk since it was edited.

    Parameters
    ----------
    file
        The file with its steps.
    state
        Changed or gone.
    target
        Where it was to be written.
    differences
        How the file on the disk differs from the one that was edited, in words; None before that was
        asked for.
    is_recovered
        Whether an earlier run has made the changes: the bytes that were edited are not known any more, so
        that they can neither be written nor compared.
    """

    file: EditedFile
    state: DiskState
    target: Path
    differences: tuple[str, ...] | None = None
    is_recovered: bool = False


class SaveRefusal(Struct, frozen=True):
    """A file that is read-only or open in another program was not written, nor were those saved with it.

    Parameters
    ----------
    sheet
        What was to be written.
    refused
        The file that the system refuses to write, one of the sheet.
    is_read_only
        Whether its attribute is the reason.
    words
        Why it was not written.
    """

    sheet: SaveSheet
    refused: SaveSheet
    is_read_only: bool
    words: str


class SubstituteQuestion(Struct, frozen=True):
    """A material is about to be changed that the game shows in place of missing ones.

    Parameters
    ----------
    address
        The substitute: DEFAULT, or the first material of the library.
    name
        The missing material, for which it was edited.
    changes
        The changes.
    """

    address: Address
    name: str
    changes: tuple[Change, ...]


class RecoverableFile(Struct, frozen=True):
    """Changes of a file that an earlier run of the program has not saved.

    Parameters
    ----------
    path
        The file.
    steps
        The names of the steps that were done, oldest first.
    modified
        When the last of them was made, in local time.
    state
        Whether the file is still the one that was edited; if it has changed it is asked whether they are made
        again on that, and if it is gone they cannot be.
    undone
        The names of the saved steps that were undone, the last of them first.
    """

    path: Path
    steps: tuple[str, ...]
    modified: datetime
    state: DiskState
    undone: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """Number of changes: the steps, and those that were undone."""
        return len(self.steps) + len(self.undone)

    @property
    def can_replay(self) -> bool:
        """Whether the changes can be made again."""
        return self.state is not DiskState.GONE


class Recovery(Struct, frozen=True):
    """An earlier run of the program has ended without saving."""

    files: tuple[RecoverableFile, ...]


class RemovalQuestion(Struct, frozen=True):
    """Parts are about to be removed to which something refers.

    Parameters
    ----------
    address
        The model.
    changes
        What was requested.
    references
        Each part with what refers to it, in words.
    """

    address: Address
    changes: tuple[Change, ...]
    references: tuple[str, ...]


Question = (
    SaveSheet
    | CloseQuestion
    | WritingQuestion
    | Conflict
    | SaveRefusal
    | Recovery
    | SubstituteQuestion
    | RemovalQuestion
)
"""The open question; there is at most one."""


class RepairList(Struct, frozen=True):
    """The faults of a payload that can be repaired.

    Parameters
    ----------
    address
        The payload.
    repairs
        What can be repaired; None while it is being found.
    """

    address: Address
    repairs: tuple[FoundRepair, ...] | None = None
