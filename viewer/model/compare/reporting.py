"""Edits of files compared and checked: what they change, and the diagnostics that they add."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from viewer.errors import FormatError, MshviewError
from viewer.formats.record import Bytes
from viewer.model.checks.payload import Surroundings
from viewer.model.compare import differences
from viewer.model.compare.added_diagnostics import added, findings, lost_names, to_check
from viewer.model.compare.alignment import NodeRows
from viewer.model.compare.differences import Difference
from viewer.model.compare.edit_report import EditReport, Finding
from viewer.model.compare.file_plan import FilePlan
from viewer.model.compare.files import ComparedPayload, compare, nodes_next_to
from viewer.model.edit.neighbors.follow_nodes import KINDS as NUMBERING
from viewer.model.game import game_folder
from viewer.model.game.registry import MODEL_SUFFIX, Game
from viewer.model.kinds.registry import promised_kind
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder
from viewer.model.store.item import Item


def report(
    library: FileStore,
    plan: FilePlan,
    addresses: Iterable[Address] = (),
    *,
    game: Path | None = None,
    reading: ReadingChoice = ReadingChoice.AUTO,
    is_checked: bool = True,
) -> FilePlan:
    """A plan with its findings.

    Parameters
    ----------
    library
        The files around the edited one, unsaved ones included.
    addresses
        The payloads that were edited, as called before or after the edit; those around them may be left out.
        By default those of the steps.
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
    path = plan.path
    if not plan.splices:
        return replace(plan, findings=None)
    stores, edited = _before_and_after(library, plan, addresses)
    changed = tuple((it, found) for it in edited for found in _changed(stores, it, reading))
    gone: tuple[Finding, ...] = ()
    new: tuple[Finding, ...] = ()
    if is_checked:
        game = game or game_folder.around(library, path.parent)
        checked = to_check(*stores, edited)
        old, late = (findings(it, checked, _around(it, path, game, reading)) for it in stores)
        gone, new = added(late, old), (*added(old, late), *lost_names(*stores, edited, game))
    return replace(plan, findings=EditReport(changed, new, gone))


def quick_report(
    library: FileStore, plan: FilePlan, addresses: Iterable[Address], reading: ReadingChoice
) -> FilePlan:
    """A plan with the diagnostics that it adds to the payloads at the addresses.

    Those of what is around them, and of archives, take longer: `report` has them all.
    """
    stores, edited = _before_and_after(library, plan, addresses)
    checked = {it: True for it in edited if not promised_kind(stores[1].open(it)).is_archive}
    old, new = (findings(it, checked, _around(it, plan.path, None, reading)) for it in stores)
    return replace(plan, findings=EditReport(added=added(old, new)))


def _before_and_after(
    library: FileStore, plan: FilePlan, addresses: Iterable[Address]
) -> tuple[tuple[FileStore, FileStore], tuple[Address, ...]]:
    """Stores with the file before and after, and the edited payloads that both have."""
    stores = _store(library, plan.path, plan.before or b""), _store(library, plan.path, plan.after)
    return stores, _outermost(stores, plan.path, tuple(addresses) or plan.addresses)


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
