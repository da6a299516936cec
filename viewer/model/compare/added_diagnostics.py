"""The diagnostics that an edit adds, and what still refers to entries that it renames or removes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from viewer.diagnostics import Diagnostic
from viewer.errors import MshviewError, Severity
from viewer.formats.archive import nres
from viewer.formats.splice import same_bytes
from viewer.formats.text import fold
from viewer.model.checks.payload import Surroundings
from viewer.model.compare.edit_report import Finding
from viewer.model.kinds.registry import promised_kind
from viewer.model.references.users import User, UserSearch
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import spelling
from viewer.model.store.place import Place
from viewer.model.validation.validate import MAX_DEPTH, check_item, surroundings_of
from viewer.progress import Progress
from viewer.translation import _

_KEYS: Final[tuple[Callable[[Finding], Hashable], ...]] = (
    lambda it: it,
    lambda it: (it.source, it.diagnostic.rule, it.diagnostic.table, it.diagnostic.index, it.diagnostic.field),
    lambda it: (
        it.source,
        it.diagnostic.rule,
        it.diagnostic.table,
        it.diagnostic.field,
        it.diagnostic.message,
    ),
)
"""Keys of equal diagnostics, the strictest first: rows may have moved, or values in the message."""


def added(before: Sequence[Finding], after: Sequence[Finding]) -> tuple[Finding, ...]:
    """The diagnostics after an edit that have no partner before it."""
    left, new = list(before), list(after)
    # Exact matches are taken away first; then a diagnostic whose row moved, or whose values changed, finds
    # its partner among the rest.
    for key in _KEYS:
        known = Counter(map(key, left))
        partners = Counter(map(key, new))
        left = [*_without(left, partners, key)]
        new = [*_without(new, known, key)]
    return tuple(new)


def _without(
    found: Iterable[Finding], partners: Counter[Hashable], key: Callable[[Finding], Hashable]
) -> Iterator[Finding]:
    """The diagnostics without a partner; each partner counts once."""
    for it in found:
        if partners[key(it)]:
            partners[key(it)] -= 1
        else:
            yield it


def to_check(before: FileStore, after: FileStore, addresses: Iterable[Address]) -> dict[Address, bool]:
    """The payloads whose diagnostics an edit may change, and whether with those of what is inside.

    These are the edited ones, of an edited archive the entries that are new to it; their siblings
    with an equal stem, as a model and its wear table depend on each other; and the archives around them.
    """
    found: dict[Address, bool] = {}
    for address in addresses:
        new = _new_entries(before, after, address)
        found.update(dict.fromkeys(new or (), True))
        found[address] = new is None
        for edited in new or (address,):
            for sibling in _siblings(after, edited):
                # What is already listed keeps how far it is to be checked.
                found.setdefault(sibling, True)
        for depth in range(len(address.entries)):
            # The archives around have rules of their own, over their directory: the entries that did not
            # change are left out.
            found.setdefault(Address(address.path, address.entries[:depth]), False)
    return found


def findings(store: FileStore, checked: Mapping[Address, bool], around: Surroundings) -> tuple[Finding, ...]:
    """The diagnostics of payloads; `around` are the surroundings of their file."""
    found = (it for address, is_whole in checked.items() for it in _of(store, address, around, is_whole))
    return tuple(dict.fromkeys(found))


def _new_entries(before: FileStore, after: FileStore, address: Address) -> list[Address] | None:
    """The entries of an archive that it did not have before, under any name; None for anything else."""
    old, new = (_archive(store, address, with_models=False) for store in (before, after))
    if old is None or new is None:
        return None
    known = {_identity(old, index) for index in range(len(old.rows))}
    return [
        address.child(spelling(new, index))
        for index in range(len(new.rows))
        if _identity(new, index) not in known
    ]


def _archive(store: FileStore, address: Address, *, with_models: bool) -> nres.Archive | None:
    """The archive at an address, or that of the tables of a model if they count; None for anything else."""
    try:
        item = store.open(address)
    except MshviewError:
        return None
    return item.archive if with_models or promised_kind(item).is_archive else None


def _identity(archive: nres.Archive, index: int) -> Hashable:
    """The key of an entry's checks: its bytes, and its row of the directory without the name."""
    entry = archive.entry(index)
    # By content, not by name or place: an entry that was renamed or moved is no new one.
    data = None if entry.is_damaged else sha256(archive.payload(index)).digest()
    return entry.type_id, entry.attr1, entry.attr2, entry.attr3, data


def _siblings(store: FileStore, address: Address) -> Iterator[Address]:
    """The entries of an archive with the stem of one, as ``tank.wea`` of ``tank.msh``, itself included."""
    try:
        item = store.open(address)
    except MshviewError:
        return
    stem, container = _stem(item.name), item.holder.container if item.holder else None
    for entry in container.entries if container and stem else ():
        if container and _stem(entry.name) == stem:
            yield address.parent.child(spelling(container, entry.index))


def _stem(name: bytes) -> bytes:
    return fold(name.rpartition(b".")[0])


def _of(store: FileStore, address: Address, around: Surroundings, is_whole: bool) -> Iterator[Finding]:
    """The diagnostics of a payload, `is_whole` with those of what is inside it."""
    try:
        item = store.open(address)
        inside = surroundings_of(item, around)
    except MshviewError:
        return
    part, depth = (None, 0) if is_whole else (range(1), MAX_DEPTH)
    for report in check_item(item, inside, part, depth):
        yield from (Finding(report.source, it) for it in report.diagnostics)


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
                # What reaches the entry through others is reported where they are.
                if not user.through and _stays(before, after, user):
                    yield _finding(user.place, name)


def _lost(before: FileStore, after: FileStore, address: Address) -> Iterator[tuple[str, Address]]:
    """The entries of an archive whose name no entry has after the edit, with their addresses before it."""
    old, new = (_archive(store, address, with_models=True) for store in (before, after))
    if old is None or new is None:
        return
    names = {fold(entry.name) for entry in new.entries}
    for entry in old.entries:
        if fold(entry.name) not in names:
            yield entry.text, address.child(spelling(old, entry.index))


def _stays(before: FileStore, after: FileStore, user: User) -> bool:
    """Whether a payload refers to the same name after the edit: nothing has changed it."""
    address = user.place.address
    try:
        return same_bytes(before.open(address).data, after.open(address).data)
    except MshviewError:
        return False


def _finding(place: Place, name: str) -> Finding:
    message = _("refers to {name}, which would not be there any more", name=name)
    return Finding(
        place.address, Diagnostic("", Severity.WARNING, message, place.table, place.row, place.field)
    )
