"""What still refers to entries that an edit renames or removes, in the whole game folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from viewer.errors import Diagnostic, MshviewError, Severity
from viewer.formats.archive import nres
from viewer.formats.text import fold
from viewer.model.compare.added_diagnostics import Finding
from viewer.model.compare.differences import same_bytes
from viewer.model.references.users import User, UserSearch
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, spelling
from viewer.model.store.place import Place
from viewer.progress import Progress
from viewer.translation import Sentence


def lost_names(
    before: FileStore, after: FileStore, addresses: Iterable[Address], game: Path | None
) -> Iterator[Finding]:
    """A warning for each payload that refers to an entry that is gone from the archives at some addresses.

    `game` is the game folder; without one only the file of the archive is searched.
    """
    search = UserSearch()
    for archive in addresses:
        lost = [*_lost(before, after, archive)]
        scope = dict.fromkeys((archive.path, game or archive.path))
        for name, address in lost:
            for user in search.find(before, address, scope, game, Progress()).users:
                if not user.through and _stays(before, after, user):
                    yield _finding(user.place, name)


def _lost(before: FileStore, after: FileStore, address: Address) -> Iterator[tuple[str, Address]]:
    """The entries of an archive whose name no entry has after the edit, with their addresses before it."""
    archives = [_archive(store, address) for store in (before, after)]
    old, new = archives
    if old is None or new is None:
        return
    names = {fold(entry.name) for entry in new.entries}
    for entry in old.entries:
        if fold(entry.name) not in names:
            yield entry.text, address.child(spelling(old, entry.index))


def _archive(store: FileStore, address: Address) -> nres.Archive | None:
    try:
        container = store.container(store.open(address))
    except MshviewError:
        return None
    return container if isinstance(container, nres.Archive) else None


def _stays(before: FileStore, after: FileStore, user: User) -> bool:
    """Whether a payload refers to the same name after the edit: nothing has changed it."""
    address = Address.parse(user.place.address)
    try:
        return same_bytes(before.open(address).data, after.open(address).data)
    except MshviewError:
        return False


def _finding(place: Place, name: str) -> Finding:
    message = Sentence("refers to {name}, which would not be there any more", name=name)
    return Finding(
        place.address, Diagnostic("", Severity.WARNING, message, place.table, place.row, place.field)
    )
