"""What the window asks about edited files, one question at a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path

from viewer.model.edit.change import Change
from viewer.model.store.address import Address
from viewer.session.edits.edited_file import EditedFile
from viewer.session.edits.save_sheet import SaveSheet


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
    """Nothing is closed."""


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
    """Nothing is written, nothing is dropped."""


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
    """Nothing is changed."""


class DiskState(Enum):
    """What is on the disk in comparison with what was edited."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class CloseQuestion:
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


@dataclass(frozen=True, slots=True)
class Conflict:
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


@dataclass(frozen=True, slots=True)
class SubstituteQuestion:
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


@dataclass(frozen=True, slots=True)
class RecoverableFile:
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
    """

    path: Path
    steps: tuple[str, ...]
    modified: datetime
    state: DiskState

    @property
    def can_replay(self) -> bool:
        """Whether the changes can be made again."""
        return self.state is not DiskState.GONE


@dataclass(frozen=True, slots=True)
class Recovery:
    """An earlier run of the program has ended without saving."""

    files: tuple[RecoverableFile, ...]


@dataclass(frozen=True, slots=True)
class RemovalQuestion:
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

    address: str
    changes: tuple[Change, ...]
    references: tuple[str, ...]


Question = SaveSheet | CloseQuestion | Conflict | Recovery | SubstituteQuestion | RemovalQuestion
"""What is asked; at most one question is open."""
