"""A scene of a file compared with its template: the changes of the model, and of the wear table beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from viewer.cli.converting.formats import Imported
from viewer.cli.editing.edited import EditedFile, FileEditing, Wish
from viewer.errors import MshviewError, UsageError
from viewer.formats.text import decode
from viewer.model.convert.from_model import origin_of
from viewer.model.convert.importing.importer import Import, changes_of
from viewer.model.convert.scene import Origin, Scene
from viewer.model.convert.source import ModelSource
from viewer.model.kinds.registry import MODEL, promised_kind
from viewer.model.material import wear_table
from viewer.model.material.wear_table import WearTable
from viewer.model.mesh import draw_builder, reading
from viewer.model.mesh.model import Variant
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.mesh.skeleton import Skeleton
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, Item
from viewer.translation import Sentence


def compared(
    store: FileStore, template: Item, read: Callable[[ModelSource], Scene], requested: ReadingChoice
) -> Imported:
    """What the scene that is read for a model changes in it.

    Raises `UsageError` if the template is not a model, and `FormatError` for one that cannot be read.
    """
    if promised_kind(template) is not MODEL:
        raise UsageError(Sentence("is not a model"), source=str(template.address))
    wear = wear_of(store, template.address)
    source = source_of(store, template, requested, wear.row_count)
    scene = read(source)
    if requested is ReadingChoice.AUTO and scene.origin is not None:
        source = _as_exported(store, template, scene.origin, source)
    found = changes_of(source, scene, names_of(wear))
    return Imported(MODEL, template.data, None, found.losses, found, reading=source.choice.requested)


def _as_exported(store: FileStore, template: Item, origin: Origin, source: ModelSource) -> ModelSource:
    """A model in the reading in which the same bytes were exported, if that is one with a name."""
    own = origin_of(source)
    if origin.sha256 == own.sha256 and origin.reading != own.reading:
        for choice in (ReadingChoice.SEED, ReadingChoice.FIELD):
            named = source_of(store, template, choice, None)
            if origin.reading == origin_of(named).reading:
                return named
    return source


def wear_of(store: FileStore, model: Address) -> WearTable:
    """The wear table of a model; none for a terrain, which has one for each layer."""
    if store.model(model).variant is Variant.TERRAIN:
        return wear_table.NOWHERE
    return wear_table.of_model(store, model)


def names_of(wear: WearTable) -> tuple[str, ...] | None:
    """The materials of a wear table; None if there is none."""
    if wear.table is None:
        return None
    return tuple(decode(row.name) for row in wear.table.materials)


def source_of(store: FileStore, item: Item, requested: ReadingChoice, wear_rows: int | None) -> ModelSource:
    """A model as it is compared: without the pictures of its materials."""
    model = store.model(item.address)
    draws = draw_builder.build(model)
    choice = reading.choose(model, Skeleton(model), draws, requested=requested, wear_rows=wear_rows)
    return ModelSource(item.name.decode("cp1251", "replace"), model, choice)


def edited(store: FileStore, address: Address, found: Import, wish: Wish, *, has_wear: bool) -> EditedFile:
    """The file of a model with its changes, in memory; raises `MshviewError` if one of them is refused.

    Parameters
    ----------
    has_wear
        Whether the wear table in the same archive changes too; else what it needs is noted.
    """
    notes = [*found.notes]
    beside = _wear_address(store, address) if found.wear else None
    is_written = beside is not None and has_wear and beside.path == address.path
    if beside is not None and not is_written:
        # the batches are checked against the rows that are needed
        FileEditing(store, beside.path, wish).edit(beside, found.wear)
        notes += _needed(found, beside)
    editing = FileEditing(store, address.path, wish)
    if beside is not None and is_written:
        editing.edit(beside, found.wear)
    if found.changes:
        editing.edit(address, found.changes)
    made = editing.finish()
    return EditedFile(
        made.path, made.before, made.after, made.plans, made.report, (*dict.fromkeys((*notes, *made.notes)),)
    )


def _wear_address(store: FileStore, model: Address) -> Address | None:
    try:
        item = store.sibling(model, wear_table.SUFFIX)
    except MshviewError:
        return None
    return None if item is None else item.address


def _needed(found: Import, beside: Address) -> Iterator[str]:
    """Say what the wear table needs, which is not written."""
    for change in found.wear:
        yield Sentence("{wear} is not changed; it needs: {change}", wear=str(beside), change=change.words)
