"""The units that use an entry: the references in all files of a game, followed from each unit.

Source: spec/objects.md 1 to 3; spec/materials.md 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from viewer.errors import MshviewError
from viewer.formats.record import ENTRY
from viewer.model.clips.started_effects import started_effects
from viewer.model.kinds.registry import UNIT, by_id
from viewer.model.references.targets import ResourceName, Targets
from viewer.model.references.users import can_refer, references_of
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.corpus.portions import files_below

_CONTROLLER = "control"


class UsesTask(Struct, frozen=True):
    """A file whose references are read."""

    path: Path
    size: int = 0


class FileUses(Struct, frozen=True):
    """The references of the payloads in a file.

    Attributes
    ----------
    uses
        The payload, and the name that it refers to, or the address of what belongs to it.
    units
        The payloads that are units.
    """

    uses: tuple[tuple[Address, ResourceName | Address], ...] = ()
    units: tuple[Address, ...] = ()


def uses_tasks(store: FileStore, game: Path) -> Iterator[UsesTask]:
    """A task for each file of a game that may refer to something."""
    for path, problem in files_below(store, game):
        revision = None if problem else store.revision(path)
        if revision is not None and can_refer(store, path):
            yield UsesTask(path, revision.size)


def uses_of(store: FileStore, task: UsesTask) -> FileUses:
    """The references of the payloads in a file, each pair once; none of a file that cannot be read."""
    uses: dict[tuple[Address, ResourceName | Address], None] = {}
    units: dict[Address, None] = {}
    for it in references_of(store, task.path):
        source, to = it.place.address, it.name or it.neighbor
        if it.kind == UNIT.id:
            units[source] = None
        if to is not None:
            uses[source, to] = None
    for source in {source for source, _ in uses} | {to for _, to in uses if isinstance(to, Address)}:
        for name in _started(store, source):
            uses[source, name] = None
    return FileUses(tuple(uses), tuple(units))


def _started(store: FileStore, address: Address) -> Iterator[ResourceName]:
    """The effects that a controller starts, which no declared field names."""
    kind = by_id(_CONTROLLER)
    if not address.name.casefold().endswith(".ctl"):
        return
    try:
        decoded = kind.read(store.open(address))
    except MshviewError:
        return
    for it in started_effects(decoded):
        yield ResourceName(ENTRY, it.name, it.archive)


class RealAddresses:
    """Addresses with paths without links; each path is looked up once."""

    def __init__(self) -> None:
        self._paths: dict[Path, Path] = {}

    def of(self, address: Address) -> Address:
        """The address whatever the spelling of its path."""
        if address.path not in self._paths:
            self._paths[address.path] = address.real.path
        return Address(self._paths[address.path], address.entries)


def users_in(
    store: FileStore, game: Path, files: Iterable[FileUses]
) -> Mapping[Address, tuple[Address, ...]]:
    """The units that use each payload, in the order of their names, by its real address."""
    targets, real = Targets(store, game), RealAddresses()
    edges: defaultdict[Address, set[Address]] = defaultdict(set)
    units: set[Address] = set()
    for file in files:
        units |= {real.of(it) for it in file.units}
        for source, to in file.uses:
            found = to if isinstance(to, Address) else _target(targets, to)
            if found is not None:
                edges[real.of(source)].add(real.of(found))
    users: defaultdict[Address, list[Address]] = defaultdict(list)
    for unit in sorted(units, key=lambda it: (it.name.casefold(), str(it))):
        for used in _reached(edges, unit):
            users[used].append(unit)
    return {used: tuple(found) for used, found in users.items()}


def _target(targets: Targets, name: ResourceName) -> Address | None:
    place = targets.find(name).place
    return None if place is None or not place.address.entries else place.address


def _reached(edges: Mapping[Address, set[Address]], start: Address) -> set[Address]:
    """Payloads that a payload refers to, directly or not, without itself."""
    seen, waiting = {start}, [start]
    while waiting:
        fresh = edges.get(waiting.pop(), set()) - seen
        seen |= fresh
        waiting += fresh
    return seen - {start}
