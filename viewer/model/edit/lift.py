"""From splices of an entry to splices of its file: archives around it follow its size, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from viewer.errors import AddressError, reading_from
from viewer.formats import splice
from viewer.formats.archive import nres, nres_edit, rsli_edit
from viewer.formats.archive.rsli import PackedLibrary
from viewer.formats.splice import Splices
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, index_of, missing_entry
from viewer.translation import Sentence


def lifted(library: FileStore, address: Address, splices: Splices) -> Splices:
    """Return the splices of the file in which an entry lies, from those of the entry.

    Raises `AddressError` or `FormatError` if an archive on the way cannot take it.
    """
    while address.entries and splices:
        with reading_from(str(address.parent)):
            splices = _in_container(library, address, splices)
        address = address.parent
    return splices


def lifted_together(library: FileStore, payloads: Sequence[tuple[Address, Splices]]) -> Splices:
    """Return the splices of the file in which entries of one archive lie, from those of the entries.

    Raises like `lifted`.
    """
    changed = [(address, splices) for address, splices in payloads if splices]
    if len(changed) < 2:
        return lifted(library, *changed[0]) if changed else ()
    return lifted(library, changed[0][0].parent, in_archive(library, changed))


def in_archive(library: FileStore, payloads: Sequence[tuple[Address, Splices]]) -> Splices:
    """Return the splices of the archive in which entries lie, from those of the entries.

    Raises like `lifted`.
    """
    changed = [(address, splices) for address, splices in payloads if splices]
    if not changed:
        return ()
    holder = changed[0][0].parent
    with reading_from(str(holder)):
        if len(changed) == 1:
            return _in_container(library, *changed[0])
        container = library.container(library.open(holder))
        if not isinstance(container, nres.Archive) or any(it.parent != holder for it, _ in changed):
            raise AddressError(Sentence("the entries are not in one archive"), source=str(holder))
        edit = nres_edit.Edit(container)
        for address, splices in changed:
            index = index_of(container, address.entries[-1])
            if index is None:
                raise AddressError(missing_entry(container, address.name), source=str(holder))
            edit.replace(index, splice.applied(container.payload(index), splices), splices)
        return edit.splices()


def _in_container(library: FileStore, address: Address, splices: Splices) -> Splices:
    """The splices of the archive that holds an entry."""
    holder = library.open(address.parent)
    container = library.container(holder)
    index = None if container is None else index_of(container, address.entries[-1])
    if container is None or index is None:
        raise AddressError(Sentence("has no entry {entry!r}", entry=address.name), source=str(address.parent))
    if isinstance(container, PackedLibrary):
        after = splice.applied(memoryview(container.payload(index)), splices)
        return rsli_edit.replaced(container, {index: after})
    entry = container.entry(index)
    if splice.growth(splices) == 0:
        moved = splice.moved(splices, entry.offset)
        nres_edit.refuse_shared(container, index, moved)
        return moved
    edit = nres_edit.Edit(container)
    edit.replace(index, splice.applied(container.payload(index), splices), splices)
    return edit.splices()
