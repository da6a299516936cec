"""The import window: what an import will change in the open file, and what is asked before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from viewer.model.compare.edit_report import ChangedValue
from viewer.model.convert.importing.findings import DEFAULT, ImportChoices
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.nodes.node_count import AddNode
from viewer.operations.exporting import ExportReport
from viewer.session.edits.questions import AddedDiagnostic
from viewer.session.exporting import ExportQuestion, RoundTripReport
from viewer.translation import Message


@dataclass(frozen=True, slots=True)
class ImportSheet:
    """The changes of an import, and what follows from those that are chosen.

    Attributes
    ----------
    path
        The file that was read.
    address
        What it is compared with.
    changes
        What differs, in the order in which it is made.
    words
        What each of them does.
    wear_count
        How many of them, the first, are changes of the wear table.
    left_out
        Indices of those that are not to be made.
    libraries
        What the last of them change or add: an entry of a library of the game folder, as ``LIBRARY::ENTRY``.
    node_names
        Names of the nodes of the open model.
    losses, notes
        What the file says and the model cannot hold, and what the user should know.
    choices
        What the user decided about it.
    has_outdated, has_referenced
        Which of the choices make a difference, as in `Import`.
    is_planned
        Whether the rest is known.
    problem
        Why the chosen changes cannot be made; empty if they can.
    topics
        What follows from them.
    byte_count, range_count
        What they replace in the file.
    values, value_count
        The first of the values that change, and how many there are.
    summary
        The inserted, removed and renumbered rows in words.
    added
        The diagnostics that they add.
    """

    path: Path
    address: str
    changes: tuple[Change, ...] = ()
    words: tuple[str, ...] = ()
    wear_count: int = 0
    left_out: frozenset[int] = frozenset()
    libraries: tuple[str, ...] = ()
    node_names: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    choices: ImportChoices = DEFAULT
    has_outdated: bool = False
    has_referenced: bool = False
    is_planned: bool = False
    problem: str = ""
    topics: tuple[Topic, ...] = ()
    byte_count: int = 0
    range_count: int = 0
    values: tuple[ChangedValue, ...] = ()
    value_count: int = 0
    summary: tuple[str, ...] = ()
    added: tuple[AddedDiagnostic, ...] = ()

    @property
    def is_ready(self) -> bool:
        """Whether there is something to apply, and it can be made."""
        return self.is_planned and not self.problem and self.byte_count > 0


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """Changes of one node, or of one table, by their indices in the sheet.

    Attributes
    ----------
    name
        The node; empty if `title` says it all.
    """

    title: Message
    name: str
    indices: tuple[int, ...]


def groups_of(sheet: ImportSheet) -> tuple[ChangeGroup, ...]:
    """The changes by what they are about, each group where its first change is."""
    found: dict[tuple[str, str], tuple[Message, list[int]]] = {}
    for index, change in enumerate(sheet.changes):
        title, name = _subject(sheet, index, change)
        found.setdefault((title.template, name), (title, []))[1].append(index)
    return tuple(ChangeGroup(title, name, tuple(indices)) for (_, name), (title, indices) in found.items())


def _subject(sheet: ImportSheet, index: int, change: Change) -> tuple[Message, str]:
    """What a change is about."""
    if index < sheet.wear_count:
        return Message("Wear table"), ""
    library = index - (len(sheet.changes) - len(sheet.libraries))
    if library >= 0:
        return Message("Library"), sheet.libraries[library]
    if isinstance(change, AddNode):
        return Message("New parts"), ""
    for node in _nodes(change):
        is_known = isinstance(node, str) or node < len(sheet.node_names)
        name = sheet.node_names[node] if isinstance(node, int) and is_known else str(node)
        return (Message("Part"), name or str(node)) if is_known else (Message("New parts"), "")
    table = getattr(change, "table", "")
    return (Message("Table"), str(table)) if table else (Message("Geometry"), "")


def _nodes(change: Change) -> Iterator[int | str]:
    """Yield the node that a change names, if it names one."""
    node = getattr(change, "node", None)
    if isinstance(node, int | str):
        yield node


@dataclass(frozen=True, slots=True)
class DropQuestion:
    """What becomes of a file of another program that was dropped on the window.

    Attributes
    ----------
    path
        The file.
    address
        The open model, which it can be imported into.
    """

    path: Path
    address: str


@dataclass(frozen=True, slots=True)
class Converting:
    """What is asked and reported; None for what is not.

    Attributes
    ----------
    export
        What is to be exported.
    written
        What the export of an archive has written, if something in it failed.
    trips
        Whether models come back as they were.
    sheet
        What an import will change.
    dropped
        A file of another program that was dropped on the window.
    """

    export: ExportQuestion | None = None
    written: ExportReport | None = None
    trips: RoundTripReport | None = None
    sheet: ImportSheet | None = None
    dropped: DropQuestion | None = None


NOTHING: Final = Converting()
