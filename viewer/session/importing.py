"""The windows to and from other programs: what they ask, and the changes of an import by their subject."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import MshviewError
from viewer.model.convert.scene_file import is_text
from viewer.model.convert.source import ModelSource
from viewer.model.edit.nodes.node_count import AddNode
from viewer.model.kinds.registry import ARCHIVE, MODEL, promised_kind
from viewer.model.store.address import Address
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.operations.corpus.exports import ExportReport
from viewer.operations.imports.changes import ChangedTable, ImportChange
from viewer.operations.imports.plan import ImportPlan
from viewer.operations.textures.texture_folders import ReturnPlan
from viewer.session.exporting import ExportQuestion, FilesQuestion, RoundTripReport
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.opened.document import Document
from viewer.session.opened.listing import entries_of
from viewer.session.opened.tabs import Tab
from viewer.session.view.view_state import ViewState
from viewer.translation import Text, _


class ChangeGroup(Struct, frozen=True):
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
    """The subject of a change: the part of a model that is changed."""
    match listed.what:
        case ChangedTable.WEAR:
            return _("Wear table"), ""
        case ChangedTable.CONTROLLER:
            return _("Controller"), listed.address.name
        case ChangedTable.LIBRARY:
            return _("Library"), listed.item
    return (_("Part"), listed.node) if listed.node else _part_of_model(model, listed)


def _part_of_model(model: ModelSource | None, listed: ImportChange) -> tuple[Text, str]:
    """The subject of a change of a model, if that is not the vertices of one node."""
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


class SceneQuestion(Struct, frozen=True):
    """The question about the import of a file of another program.

    Attributes
    ----------
    path
        The file.
    model
        The open model, which it can be imported into; None if none is open.
    archive
        The archive that it can become a new entry of; None if none is open.
    name
        The name of the new entry there.
    models
        The entries of the archive one of which it can be imported into: models, or of the kind of a JSON.
    """

    path: Path
    model: Address | None = None
    archive: Address | None = None
    name: str = ""
    models: tuple[str, ...] = ()


def question_of(
    library: FileStore, path: Path, front: Address | None, archive: Address | None = None, *, is_model: bool
) -> SceneQuestion:
    """The question about the import of a file of another program.

    Parameters
    ----------
    front
        The open model or resource.
    archive
        The archive that was chosen for it; None for the one that is open, or that has what is open, if it is
        one of models.
    is_model
        Whether a model is open.
    """
    around = [archive] if archive else [] if front is None else [front.real, front.real.parent]
    found = next((it for it in around if it is not None and _is_archive(library, it)), None)
    model = front if is_model and archive is None else None
    if found is None:
        return SceneQuestion(path, model)
    rows = entries_of(library.open(found))
    if is_text(path):  # walker.wea.json may take the place of any wear table
        name, suffix = path.stem, Path(path.stem).suffix.casefold()
        names = (it.address.name for it in rows)
        alike = tuple(it for it in names if suffix and Path(it).suffix.casefold() == suffix)
        return SceneQuestion(path, None, found, name, alike)
    models = tuple(rows.entry(row).address.name for row in rows.of_kinds(frozenset({MODEL.id})))
    if archive is None and rows and not models:
        return SceneQuestion(path, model)  # a library of something else is open
    return SceneQuestion(path, model, found, new_name(path, models), models)


def _is_archive(library: FileStore, address: Address) -> bool:
    """Whether entries can be added at an address."""
    try:
        item = library.open(address)
    except MshviewError:  # a folder, or what was open and is gone
        return False
    return promised_kind(item) is ARCHIVE


def new_name(path: Path, taken: Collection[str]) -> str:
    """The name of the model of a file in an archive: that of the file, with a number if it is taken."""
    stem = path.stem.removesuffix(".msh")
    names = (f"{stem}_{number}.msh" if number > 1 else f"{stem}.msh" for number in count(1))
    known = {it.casefold() for it in taken}
    return next(it for it in names if it.casefold() not in known)


PICTURES_LANE: Final = "texture_folder"
"""The job that reads the pictures of a folder."""


class WrittenPictures(Struct, frozen=True, eq=False):
    """The result of writing a library of textures as pictures.

    Attributes
    ----------
    folder
        Has the pictures and their index.
    count
        Number of pictures.
    refused
        Why textures have no picture.
    """

    library: Address
    folder: Path
    count: int
    refused: tuple[Diagnostic, ...] = ()


class RetexturedModel(Struct, frozen=True, eq=False):
    """A model or a unit with the textures of now, and with those of a folder of pictures.

    Attributes
    ----------
    shown
        The document or the unit of the tab.
    view
        How the tab looked at it.
    plan
        What the folder changes.
    before, after
        What is drawn.
    problem
        Why it cannot be drawn; empty if it can.
    """

    shown: object
    view: ViewState
    plan: ReturnPlan
    before: AssembledUnit = AssembledUnit()
    after: AssembledUnit = AssembledUnit()
    problem: str = ""

    @classmethod
    def read(cls, library: FileStore, tab: Tab, plan: ReturnPlan) -> RetexturedModel:
        """Read what a tab shows again with the textures of a plan; why that fails is in the result."""
        before = unit_of(tab)
        begun = cls(tab.document or before, tab.view, plan, before)
        # A store of its own: what it makes of other bytes stands in no cache of the files that are open.
        store = FileStore(unsaved=UnsavedFiles.of(library.unsaved, {plan.file.path: plan.file.after}))
        try:
            read = {it: Document.open(store, it.source, has_effects=True) for it in _documents(before)}
        except MshviewError as error:
            return replace(begun, problem=error.text)
        documents = {component: read[it] for component, it in before.documents.items()}
        return replace(begun, after=replace(before, documents=MappingProxyType(documents)))


def unit_of(tab: Tab) -> AssembledUnit:
    """The unit in a tab, or the model as its only part; an empty one for anything else."""
    if tab.document is not None:
        return AssembledUnit.of_model(tab.document)
    unit = None if tab.resource is None else tab.resource.unit
    return AssembledUnit() if unit is None else unit


def tabs_with(tabs: Iterable[Tab], plan: ReturnPlan) -> tuple[Tab, ...]:
    """The tabs with models that show textures that a plan changes."""
    changed = {it.address.real for it in plan.changed}
    return tuple(tab for tab in tabs if any(it.real in changed for it in dict.fromkeys(_textures(tab))))


def first_library(tab: Tab) -> Address | None:
    """The archive that has the first texture of the model or unit in a tab; None without one."""
    return next((it.parent for it in _textures(tab) if it.entries), None)


def _textures(tab: Tab) -> Iterator[Address]:
    """The textures and lightmaps of all materials in a tab, the lightmap of each after its textures."""
    for document in _documents(unit_of(tab)):
        for row in document.materials.rows:
            yield from (it.address for it in (*row.textures, row.lightmap) if it is not None)


def _documents(unit: AssembledUnit) -> tuple[Document, ...]:
    """The models of a unit, each once."""
    return tuple(dict.fromkeys(unit.documents.values()))


class TextureReturn(Struct, frozen=True, eq=False):
    """The pictures of a folder that become textures of a library.

    Attributes
    ----------
    plan
        What they change; None before they are read, and if they cannot be.
    left_out
        The indices of changes that are left out; the plan has them too once it is worked out.
    is_running
        The plan is worked out.
    problem
        Why they cannot be read; empty if they can.
    model
        An open model with the textures of both; None before one is read.
    """

    library: Address
    folder: Path
    plan: ReturnPlan | None = None
    left_out: frozenset[int] = frozenset()
    is_running: bool = True
    problem: str = ""
    model: RetexturedModel | None = None

    @property
    def is_ready(self) -> bool:
        """Whether the plan is worked out as it is asked for, and changes something."""
        plan = self.plan
        return plan is not None and plan.left_out == self.left_out and bool(plan.chosen)


class Converting(Struct, frozen=True):
    """The questions and reports of export, import and round trip; None for those that are not open.

    Attributes
    ----------
    export
        What is to be exported.
    files
        What is to be written of each of some entries.
    written
        What was written of many, if something of it failed.
    trips
        Whether models come back as they were.
    sheet
        What an import will change.
    asked
        A file of another program, about which is asked what becomes of it.
    pictures
        What was written of a library of textures.
    textures
        What a folder of pictures will change in one.
    """

    export: ExportQuestion | None = None
    files: FilesQuestion | None = None
    written: ExportReport | None = None
    trips: RoundTripReport | None = None
    sheet: ImportPlan | None = None
    asked: SceneQuestion | None = None
    pictures: WrittenPictures | None = None
    textures: TextureReturn | None = None


NOTHING: Final = Converting()
