"""Repairs of payloads, made as edits: in memory, not written."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from viewer.errors import UsageError
from viewer.model.checks.containers import overlapping
from viewer.model.edit.faults import Fault
from viewer.model.edit.repair import FoundRepair, found_repairs
from viewer.model.kinds.registry import ARCHIVE, promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item, spelling
from viewer.model.validation.validate import MAX_DEPTH, surroundings_of
from viewer.operations.editing import DEFAULT, EditOptions, FileEditing
from viewer.translation import _


def repairs_of(library: FileStore, address: Address, options: EditOptions = DEFAULT) -> list[FoundRepair]:
    """The possible repairs of a payload; raises `MshviewError`."""
    item = library.open(address)
    around = surroundings_of(item, options.surroundings(library, address.path))
    return [*found_repairs(options.draft(library, address), item.name, around)]


def repair(
    editing: FileEditing, address: Address, named: Collection[Fault] = (), *, depth: int = 0
) -> Iterator[tuple[Address, FoundRepair]]:
    """Repair the named faults of a payload, then of its entries, and yield each; raises `MshviewError`.

    Without names all are yielded, and made unless something is empty or cut afterwards.
    """
    library = editing.library
    kind = promised_kind(library.open(address))
    if not kind.is_known:
        if not depth:
            raise UsageError(_("nothing is known of the format {kind}", kind=kind.id))
        return
    found = repairs_of(library, address, editing.options)
    found = [it for it in found if not named or it.change.fault in named]
    editing.edit(address, [it.change for it in found if it.is_made(named)])
    yield from ((address, it) for it in found)
    if kind is ARCHIVE and len(address.entries) < MAX_DEPTH:
        for entry in _entries(library.open(address)):
            yield from repair(editing, address.child(entry), named, depth=depth + 1)


def _entries(item: Item) -> list[str]:
    """The entries of an archive that have bytes of their own, as they are called in addresses."""
    archive = item.archive
    if archive is None:
        return []
    shared = overlapping(archive)  # bytes of two entries, so that a repair of one would change the other
    return [
        spelling(archive, it.index) for it in archive.entries if not it.is_damaged and it.index not in shared
    ]
