"""The windows to and from other programs: what they ask, and the changes of an import by their subject."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from viewer.dataclass import dataclass
from viewer.model.convert.source import ModelSource
from viewer.model.edit.nodes.node_count import AddNode
from viewer.model.store.address import Address
from viewer.operations.exporting import ExportReport
from viewer.operations.import_plan import ChangedTable, ImportChange, ImportPlan
from viewer.session.exporting import ExportQuestion, RoundTripReport
from viewer.translation import Text, _


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """Changes of one node, or of one table, by their indices in the sheet.

    Attributes
    ----------
    name
        The node; empty if `title` says it all.
    """

    title: Text
    name: str
    indices: tuple[int, ...]


def groups_of(sheet: ImportPlan) -> tuple[ChangeGroup, ...]:
    """The changes by what they are about, each group where its first change is."""
    found: dict[tuple[str, str], tuple[Text, list[int]]] = {}
    for index, change in enumerate(sheet.changes):
        title, name = _subject(sheet.model, change)
        found.setdefault((title.template, name), (title, []))[1].append(index)
    return tuple(
        ChangeGroup(title, name, tuple(indices)) for (_ignored, name), (title, indices) in found.items()
    )


def _subject(model: ModelSource | None, listed: ImportChange) -> tuple[Text, str]:
    """What a change is about."""
    if listed.what is ChangedTable.WEAR:
        return _("Wear table"), ""
    if listed.what is ChangedTable.CONTROLLER:
        return _("Controller"), listed.address.name
    if listed.what is ChangedTable.LIBRARY:
        return _("Library"), listed.item
    change, names = listed.change, () if model is None else model.names
    if isinstance(change, AddNode):
        return _("New parts"), ""
    node = getattr(change, "node", None)
    if isinstance(node, int | str):
        is_known = isinstance(node, str) or node < len(names)
        name = names[node] if isinstance(node, int) and is_known else str(node)
        return (_("Part"), name or str(node)) if is_known else (_("New parts"), "")
    table = getattr(change, "table", "")
    return (_("Table"), str(table)) if table else (_("Geometry"), "")


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
    address: Address


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
    sheet: ImportPlan | None = None
    dropped: DropQuestion | None = None


NOTHING: Final = Converting()
