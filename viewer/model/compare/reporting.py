"""Edits of files compared and checked: what they change, and the diagnostics that they add."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from viewer.errors import FormatError, MshviewError, Severity
from viewer.formats import splice
from viewer.formats.record import Bytes
from viewer.formats.splice import Splices
from viewer.model.checks.payload import Surroundings
from viewer.model.compare import differences
from viewer.model.compare.added_diagnostics import added, findings, lost_names, to_check
from viewer.model.compare.alignment import NodeRows
from viewer.model.compare.differences import Difference
from viewer.model.compare.edit_report import EditReport, Finding
from viewer.model.compare.files import ComparedPayload, compare, nodes_next_to
from viewer.model.edit.neighbors.follow_nodes import KINDS as NUMBERING
from viewer.model.game import game_folder
from viewer.model.game.registry import MODEL_SUFFIX, Game
from viewer.model.kinds.registry import promised_kind
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder
from viewer.model.store.item import Item


class FileEdit(Struct, frozen=True):
    """An edit of a file.

    Parameters
    ----------
    path
        The file.
    before
        Its bytes before the edit.
    splices
        What is replaced in them.
    addresses
        The payloads that were edited, as called before or after the edit; those around them may be left out.
    """

    path: Path
    before: Bytes
    splices: Splices
    addresses: tuple[Address, ...]


def report(
    library: FileStore,
    edit: FileEdit,
    *,
    game: Path | None = None,
    reading: ReadingChoice = ReadingChoice.AUTO,
    is_checked: bool = True,
) -> EditReport:
    """What an edit changes.

    Parameters
    ----------
    library
        The files around the edited one, unsaved ones included.
    game
        The game in which names are looked up; by default the one around the file.
    reading
        How models are read.
    is_checked
        Whether diagnostics are wanted; they take much longer than everything else.

    Raises
    ------
    ValueError
        If the splices do not fit the bytes.
    """
    path = edit.path
    if not edit.splices:
        return EditReport.unchanged(path, edit.before)
    after = splice.applied(edit.before, edit.splices)
    # One store with the file before, one with the file after; all else is the same in both.
    stores = _store(library, path, edit.before), _store(library, path, after)
    edited = _outermost(stores, path, edit.addresses)
    changed = tuple((it, found) for it in edited for found in _changed(stores, it, reading))
    gone: tuple[Finding, ...] = ()
    new: tuple[Finding, ...] = ()
    if is_checked:
        game = game or game_folder.around(library, path.parent)
        # The same payloads on both sides, so that what was wrong before is never told as new.
        checked = to_check(*stores, edited)
        old, late = (findings(it, checked, _around(it, path, game, reading)) for it in stores)
        # What is resolved is what going back would add.
        gone, new = added(late, old), (*added(old, late), *lost_names(*stores, edited, game))
    return EditReport(path, changed, edit.splices, len(memoryview(edit.before)), len(after), new, gone)


def added_errors(library: FileStore, edit: FileEdit, reading: ReadingChoice) -> tuple[Finding, ...]:
    """The errors that an edit adds to the payloads that it names: it is refused unless it is forced.

    Those of what is around them, and of archives, take longer: `report` has them all.
    """
    after = splice.applied(edit.before, edit.splices)
    stores = _store(library, edit.path, edit.before), _store(library, edit.path, after)
    edited = _outermost(stores, edit.path, edit.addresses)
    checked = {it: True for it in edited if not promised_kind(stores[1].open(it)).is_archive}
    old, new = (findings(it, checked, _around(it, edit.path, None, reading)) for it in stores)
    return tuple(it for it in added(old, new) if it.diagnostic.severity is Severity.ERROR)


def _store(library: FileStore, path: Path, data: Bytes) -> FileStore:
    """A store that has these bytes in place of the file, and otherwise the files of another one."""
    return FileStore(unsaved=UnsavedFiles.of(library.unsaved, {path: data}))


def _around(store: FileStore, path: Path, game: Path | None, reading: ReadingChoice) -> Surroundings:
    return Surroundings(
        folder=CaselessFolder(path.parent, store), game=Game(game, store) if game else None, requested=reading
    )


def _outermost(stores: Sequence[FileStore], path: Path, addresses: Iterable[Address]) -> tuple[Address, ...]:
    """The addresses that both stores have, or what is around them, without those inside others."""
    found: dict[Address, None] = {}
    for wanted in addresses:
        address = Address(path, wanted.entries)
        # An entry that the edit adds or removes is on one side only; the archive around it is on both.
        while address.entries and not all(_has(store, address) for store in stores):
            address = address.parent
        found[address] = None
    return tuple(it for it in found if not any(it in other for other in found))


def _has(store: FileStore, address: Address) -> bool:
    try:
        store.open(address)
    except MshviewError:
        return False
    return True


def _changed(stores: Sequence[FileStore], address: Address, reading: ReadingChoice) -> Iterator[Difference]:
    """The differences of a payload; of one that cannot be read, its bytes."""
    items = [store.open(address) for store in stores]
    before, after = map(ComparedPayload.of, items)
    try:
        nodes = _nodes_next_to(stores, items, reading) if before.kind.id in NUMBERING else None
        found = [*compare(before, after, reading, nodes=nodes)]
    except FormatError:
        found = [*differences.of_bytes("", before.data, after.data)]
    yield from found


def _nodes_next_to(
    stores: Sequence[FileStore], items: Sequence[Item], reading: ReadingChoice
) -> NodeRows | None:
    """The nodes of the model of the same stem before and after."""
    try:
        suffix = MODEL_SUFFIX.decode()
        a, b = (store.sibling(item, suffix) for store, item in zip(stores, items, strict=True))
    except MshviewError:
        return None
    if a is None or b is None:
        return None
    return nodes_next_to(ComparedPayload.of(a), ComparedPayload.of(b), reading)
