"""The protocol of a change, and the names of its consequences.

A change is a frozen dataclass of plain values. It says what is wanted, not which bytes: applied to a draft it
gives splices, whose reverse undoes it exactly. It refuses what the format cannot hold with an `EditError`
that names table, row, field and limit, and leaves the draft as it was.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from viewer.dataclass import dataclass

if TYPE_CHECKING:
    from viewer.model.edit.draft import Draft


@runtime_checkable
class Change(Protocol):
    """What is wanted of one payload."""

    @property
    def words(self) -> str:
        """Its name in the list of undo steps: ``rename node 3 to turret``, a `Sentence`."""

    def apply(self, draft: Draft) -> None:
        """Change a draft; raises `EditError` or `UsageError` before anything is changed."""


class Topic(StrEnum):
    """What follows from changes, by the name under which it is listed and can be declined.

    See spec/msh.md 12, the dependency matrix.
    """

    BOUNDS = "slot bounds"
    HEADER = "header"
    NORMALS = "normals"
    LINKS = "neighbor links"
    VERTEX_COUNTS = "vertex counts"
    UNUSED_VERTICES = "unused vertices"
    ATTRIBUTES = "attributes"
    FRAME_MAP = "frame map"
    REFERENCES = "references"
    DURATIONS = "durations"
    COUNTS = "counts"
    ORDER = "sort indices"


@dataclass(frozen=True, slots=True)
class Consequence:
    """What follows from changes that were made, as a change of its own.

    Parameters
    ----------
    topic
        The name under which it is listed.
    change
        What it does.
    is_default
        Done unless declined; else only offered, and done if it is asked for.
    """

    topic: Topic
    change: Change
    is_default: bool = True
