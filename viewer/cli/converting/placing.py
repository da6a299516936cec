"""Where an imported resource goes: into an archive, or in place of its template, in memory."""

from __future__ import annotations

from collections.abc import Iterator

from viewer.cli.converting.formats import Imported
from viewer.cli.editing.edited import EditedFile, FileEditing, Wish
from viewer.errors import AddressError
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.record import Bytes
from viewer.model.compare.edit_report import FileEdit, report
from viewer.model.edit.archive.entries import AddEntry, DescribeEntry, ReplaceEntry
from viewer.model.edit.archive.suggestion import suggested
from viewer.model.edit.change import Change
from viewer.model.edit.lift import lifted
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, index_of
from viewer.translation import Sentence


def has_entry(store: FileStore, address: Address) -> bool:
    """Whether an archive has the entry at an address; raises `MshviewError` if there is no archive."""
    container = store.container(store.open(address.parent))
    return container is not None and index_of(container, address.entries[-1]) is not None


def put(store: FileStore, address: Address, found: Imported, wish: Wish) -> EditedFile:
    """Return the file at an address with the entry replaced or added; raises `MshviewError`."""
    editing = FileEditing(store, address.path, wish)
    editing.edit(address.parent, [*_changes(store, address, found)])
    return editing.finish()


def _changes(store: FileStore, address: Address, found: Imported) -> Iterator[Change]:
    """The changes of the archive: a payload, and what the directory says of it where the file tells that."""
    name = address.entries[-1]
    stated = {} if found.entry is None else _numbers(found.entry)
    if not has_entry(store, address):
        if name.startswith("#"):
            raise AddressError(Sentence("has no entry {entry!r}", entry=name), source=str(address.parent))
        stated = stated or {"type_id": max(found.kind.type_ids, default=0)}
        yield AddEntry(name, bytes(found.data), **stated)
        yield from _next_to(store, address, found)
        return
    yield ReplaceEntry(name, bytes(found.data))
    known = store.container(store.open(address.parent))
    if isinstance(known, nres.Archive) and stated:
        yield DescribeEntry(name, **stated)


def _next_to(store: FileStore, address: Address, found: Imported) -> Iterator[Change]:
    """Further entries with names of the same stem."""
    stem = address.entries[-1].rpartition(".")[0] or address.entries[-1]
    for suffix, resource in found.beside.items():
        name = f"{stem}{suffix}"
        if has_entry(store, Address(address.path, (*address.entries[:-1], name))):
            yield ReplaceEntry(name, bytes(resource.data))
        else:
            archive = store.container(store.open(address.parent))
            data, type_id = bytes(resource.data), max(resource.kind.type_ids, default=0)
            if isinstance(archive, nres.Archive):
                yield suggested(archive, name, data)
            else:
                yield AddEntry(name, data, type_id=type_id)


def _numbers(entry: nres.Entry) -> dict[str, int]:
    return {"type_id": entry.type_id, "attr1": entry.attr1, "attr2": entry.attr2, "attr3": entry.attr3}


def replaced(store: FileStore, address: Address, data: Bytes, wish: Wish) -> EditedFile:
    """Return the file at an address with other bytes in place of the payload; raises `MshviewError`."""
    splices = splice.between(store.open(address).data, data)
    made = lifted(store, address, splices)
    before = store.file(address.path)
    edit = FileEdit(address.path, before, made, (address,))
    found = report(store, edit, game=wish.game, reading=wish.reading)
    return EditedFile(address.path, before, memoryview(splice.applied(before, made)), (), found)
