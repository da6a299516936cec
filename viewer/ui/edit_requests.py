"""Requests of panels that change, undo or save bytes; `requests` has all others."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path

from viewer.model.edit.change import Change, Topic
from viewer.session.edits.questions import (
    CloseChoice,
    ConflictChoice,
    RecoveryChoice,
    SaveChoice,
    SubstituteChoice,
)


@dataclass(frozen=True, slots=True)
class Edit:
    """Change the payload at an address, as one undo step.

    Parameters
    ----------
    changes
        What is wanted.
    gesture
        Requests with the same key that follow each other are one undo step: one for each drag.
    declined, wanted
        Consequences that are not to be made, and those that are made though they are only offered.
    shows_refusal
        Whether the field that requests it shows why it was refused; else a message does.
    substitute_for
        The missing material in whose place the payload is shown, about which is asked first; empty for none.
    is_forced
        Whether it is made even if it adds errors to the payload.
    """

    address: str
    changes: tuple[Change, ...]
    gesture: Hashable = None
    declined: frozenset[Topic] = frozenset()
    wanted: frozenset[Topic] = frozenset()
    shows_refusal: bool = False
    substitute_for: str = ""
    is_forced: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Refusal:
    """The last request that was refused and shows it, the reason, and whether it can be forced."""

    request: Edit
    reason: str
    can_force: bool = False


@dataclass(frozen=True, slots=True)
class StepEdits:
    """Undo (step -1) or redo (1) what was done last in the active tab or in its file."""

    step: int


@dataclass(frozen=True, slots=True)
class GoToEdit:
    """Go to a position among the undo steps of a file."""

    path: Path
    position: int


@dataclass(frozen=True, slots=True)
class Decide:
    """Make an undo step again with other consequences, and the later ones after it.

    Parameters
    ----------
    position
        Index of the step among those of the file.
    """

    path: Path
    position: int
    declined: frozenset[Topic] = frozenset()
    wanted: frozenset[Topic] = frozenset()


@dataclass(frozen=True, slots=True)
class Save:
    """Show what saving a file will write; without a path, the file of the active tab."""

    path: Path | None = None


@dataclass(frozen=True, slots=True)
class SaveAs:
    """Show what saving the file of the active tab under another path will write; None asks for the path."""

    target: Path | None = None


@dataclass(frozen=True, slots=True)
class SavePatch:
    """Write the unsaved changes of the file of the active tab as a patch; None asks for its path."""

    target: Path | None = None


@dataclass(frozen=True, slots=True)
class AnswerSave:
    """Answer the `SaveSheet`; errors that the edit adds block writing unless it is forced."""

    choice: SaveChoice
    is_forced: bool = False


@dataclass(frozen=True, slots=True)
class AnswerClose:
    """Answer the `CloseQuestion`."""

    choice: CloseChoice


@dataclass(frozen=True, slots=True)
class AnswerConflict:
    """Answer the `Conflict`."""

    choice: ConflictChoice


@dataclass(frozen=True, slots=True)
class AnswerRecovery:
    """Answer the `Recovery` for some of its files; without paths, for all of them."""

    choice: RecoveryChoice
    paths: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerSubstitute:
    """Answer the `SubstituteQuestion`."""

    choice: SubstituteChoice


@dataclass(frozen=True, slots=True)
class AnswerRemoval:
    """Answer the `RemovalQuestion`: remove the parts and clear what refers to them, or do nothing."""

    is_wanted: bool


@dataclass(frozen=True, slots=True)
class AddFile:
    """Add a file to the archive at an address, as an entry with its name."""

    address: str
    path: Path


@dataclass(frozen=True, slots=True)
class ReplaceByFile:
    """Replace the bytes of the entry at an address by those of a file."""

    address: str
    path: Path


@dataclass(frozen=True, slots=True)
class ReplacePicture:
    """Put a PNG file into the texture at an address."""

    address: str
    path: Path


@dataclass(frozen=True, slots=True)
class FindMends:
    """Look for what can be mended in the payload at an address."""

    address: str


@dataclass(frozen=True, slots=True)
class ShowRepair:
    """Show the window with what can be mended of what the active tab shows."""


EditRequest = (
    Edit
    | StepEdits
    | GoToEdit
    | Decide
    | Save
    | SaveAs
    | SavePatch
    | AnswerSave
    | AnswerClose
    | AnswerConflict
    | AnswerRecovery
    | AnswerRemoval
    | AnswerSubstitute
    | AddFile
    | ReplaceByFile
    | ReplacePicture
    | FindMends
    | ShowRepair
)
