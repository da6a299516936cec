"""Requests of panels that change, undo or save bytes; `requests` has all others."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path

from viewer.model.edit.change import Change, Topic


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
    """

    address: str
    changes: tuple[Change, ...]
    gesture: Hashable = None
    declined: frozenset[Topic] = frozenset()
    wanted: frozenset[Topic] = frozenset()


@dataclass(frozen=True, slots=True)
class StepEdits:
    """Undo (step -1) or redo (1) in the file of the active tab."""

    step: int


@dataclass(frozen=True, slots=True)
class GoToEdit:
    """Go to a position among the undo steps of a file."""

    path: Path
    position: int


EditRequest = Edit | StepEdits | GoToEdit
