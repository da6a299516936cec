"""Users of a payload: the materials of a texture, the wear tables of a material, and so on.

For each file, what its payloads refer to by name, and their own names.

Source: spec/materials.md 1; spec/objects.md 1; spec/land.md 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from viewer import progress
from viewer.errors import FormatError, MshviewError
from viewer.formats.archive import nres
from viewer.formats.text import decode, encode, fold
from viewer.model.game.registry import MODEL_SUFFIX, NEIGHBORS, stem_of
from viewer.model.kinds.registry import ARCHIVE, KINDS, MODEL, TEXTURE, WEAR, kind_of, presumed_id
from viewer.model.references.targets import ResourceName, Targets, names_in
from viewer.model.store.address import Address
from viewer.model.store.disk import Revision
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import files_below
from viewer.model.store.item import Item, entry_of, index_of, spelling
from viewer.model.store.place import Place
from viewer.progress import Progress

TERRAIN_MODEL: Final = "Land.msh"
TERRAIN_WEARS: Final = (b"land1.wea", b"land2.wea")
"""The wear tables of a terrain: its materials, and their microtextures."""
UNIT_SUFFIX: Final = "dat"
MOST_IN_UNIT: Final = 1 << 20
"""Files with the suffix of units may be anything; larger ones are not read."""
DEEPEST: Final = 4
"""Depth to which archives in archives are searched."""
_KNOWN: Final = frozenset(kind.id for kind in KINDS) | {UNIT_SUFFIX}
_NAMELESS: Final = (MODEL, TEXTURE)
"""Kinds that name no other resource."""


class StoredReference(Struct, frozen=True):
    """A reference in a file.

    Attributes
    ----------
    place
        The place of the name; the whole payload if it refers by its own name.
    kind
        The kind of that payload.
    name
        The name, or None for a neighbor.
    neighbor
        The address of the neighbor; None for a name.
    """

    place: Place
    kind: str
    name: ResourceName | None = None
    neighbor: Address | None = None


def can_refer(library: FileStore, path: Path) -> bool:
    """Whether a file may hold references, by its name and its size."""
    kind, revision = presumed_id(path.name), library.revision(path)
    is_small = revision is not None and revision.size <= MOST_IN_UNIT
    return kind in _KNOWN and (kind != UNIT_SUFFIX or is_small)


def references_of(library: FileStore, path: Path) -> tuple[StoredReference, ...]:
    """The references in a file and its entries; none if it cannot be read, and none of packed entries."""
    try:
        item = library.open(Address(path))
        return (*_in_folder(library, item), *_in_item(item))
    except MshviewError:
        return ()


def _in_item(item: Item, depth: int = 0) -> Iterator[StoredReference]:
    kind = kind_of(item)
    if kind is ARCHIVE and isinstance(item.container, nres.Archive) and depth < DEEPEST:
        yield from _in_archive(item, item.container, depth)
    # A damaged payload ends only its own part: `_in_archive` goes on with the next entry.
    elif kind.is_checked and not kind.is_archive and kind not in _NAMELESS:
        for stored in names_in(kind.parts_in(item)):
            place = Place(item.address, stored.table, stored.row, stored.field)
            yield StoredReference(place, kind.id, stored.name)


def _in_archive(item: Item, archive: nres.Archive, depth: int) -> Iterator[StoredReference]:
    for entry in archive.entries:
        progress.checkpoint()
        if entry.is_damaged:
            continue
        with suppress(FormatError):
            below = entry_of(item, archive, entry.index)
            yield from _in_item(below, depth + 1)

    def neighbor(name: bytes) -> Address | None:
        # Found as the game does it, so of equal names the first (spec/nres.md 2).
        index = archive.find(name)
        return None if index is None else item.address.child(spelling(archive, index))

    for entry in archive.entries:
        model = item.address.child(spelling(archive, entry.index))
        yield from _neighbors(entry.name, model, neighbor)


def _in_folder(library: FileStore, item: Item) -> Iterator[StoredReference]:
    """The files next to a model that belong to it."""
    path = item.address.path
    if not fold(item.name).endswith(MODEL_SUFFIX):
        return
    # Reversed, so that of names that differ in case alone the first is written last and stays.
    names = {fold(encode_name(name)): name for name in reversed(library.names(path.parent))}

    def neighbor(name: bytes) -> Address | None:
        found = names.get(fold(name))
        return None if found is None else Address(path.with_name(found))

    yield from _neighbors(item.name, item.address, neighbor)


def _neighbors(
    name: bytes, model: Address, neighbor: Callable[[bytes], Address | None]
) -> Iterator[StoredReference]:
    """The payloads that belong to a model; `neighbor` gives the address of a name, or None."""
    if not fold(name).endswith(MODEL_SUFFIX):
        return
    stem = stem_of(name)
    wears = TERRAIN_WEARS if decode(fold(name)) == TERRAIN_MODEL.lower() else ()
    for requested in (*(stem + suffix for suffix in NEIGHBORS), *wears):
        address = neighbor(requested)
        if address is not None:
            yield StoredReference(Place(model), MODEL.id, neighbor=address)


def encode_name(name: str) -> bytes:
    """The bytes of a file name; of a name that the game cannot have, none that it could look up."""
    try:
        return encode(name)
    except ValueError:
        return name.encode(errors="surrogateescape")


MOST_FILES: Final = 20_000
"""Files of a folder that are searched."""
MOST_USERS: Final = 10_000
"""Users of a payload that are listed."""
OBJECTS: Final = "objects"
PASSED_ON: Final = (WEAR.id, OBJECTS)
"""Kinds whose users are users of what they refer to: a wear table's model uses its materials."""

_FileReferences = tuple[StoredReference, ...]


class User(Struct, frozen=True):
    """A payload that refers to another one.

    Attributes
    ----------
    place
        Where it refers to it; the whole payload if it refers by its own name.
    kind
        Its kind.
    through
        Address of the payload that it refers to instead, which refers to the other one; None if none.
    """

    place: Place
    kind: str
    through: Address | None = None


class Users(Struct, frozen=True):
    """The users of a payload, the direct ones first, and the number of files that were searched."""

    users: tuple[User, ...]
    file_count: int


class UserSearch:
    """Finds users; what was read of a file is kept until the file changes.

    A file is read by a store of its own and then forgotten, so that a search keeps no file in memory;
    of files outside the last scope nothing is kept.
    One thread at a time.
    """

    def __init__(self) -> None:
        self._files: dict[Path, tuple[Revision | None, _FileReferences]] = {}
        self._made_of: object = None
        self._index: dict[Address, tuple[StoredReference, ...]] = {}

    def find(
        self,
        library: FileStore,
        address: Address,
        scope: Iterable[Path],
        game: Path | None,
        progress: Progress,
    ) -> Users:
        """The users of the payload at an address, in its file, some files and folders, and its game.

        Parameters
        ----------
        scope
            The files and folders to search too.
        game
            The game folder in which names are looked up, or None.
        """
        paths = [*scope, *([game] if game else []), address.path]
        below = dict.fromkeys(files_below(library, paths, MOST_FILES))
        files = [path for path in below if can_refer(library, path)]
        found = self._read(library, files, progress)
        self._build(library, found, game)
        return Users(tuple(self._users(spelled(library, address).real)), len(files))

    def _read(
        self, library: FileStore, files: list[Path], progress: Progress
    ) -> dict[Path, tuple[Revision | None, _FileReferences]]:
        """The references of each file, read again if it has changed."""
        # Edits that are not saved count: what a person sees is what refers.
        own = FileStore(unsaved=library.unsaved)
        found: dict[Path, tuple[Revision | None, _FileReferences]] = {}
        for path in progress.over(files, lambda path: path.name):
            revision, known = library.revision(path), self._files.get(path)
            if known is None or known[0] != revision:
                known = revision, references_of(own, path)
                own.forget(path)
            found[path] = self._files[path] = known
        # Files outside of this scope are dropped, so that the memory is that of one search.
        self._files = found
        return found

    def _build(
        self,
        library: FileStore,
        found: Mapping[Path, tuple[Revision | None, _FileReferences]],
        game: Path | None,
    ) -> None:
        """Sort the references by the address that they lead to, unless that is done."""
        # The game folder belongs to the key: it decides where names lead.
        made_of = game, tuple((path, revision) for path, (revision, _) in found.items())
        if made_of == self._made_of:
            return
        targets = Targets(library, game)
        index: dict[Address, list[StoredReference]] = {}
        for _, references in found.values():
            for reference in references:
                address = _target(targets, reference)
                if address is not None:
                    # By the real path: a folder that is reached by two links is one.
                    index.setdefault(address.real, []).append(reference)
        self._index = {address: tuple(references) for address, references in index.items()}
        self._made_of = made_of

    def _users(self, address: Address) -> Iterator[User]:
        """Direct users, then those through a wear table or an object, each payload followed once."""
        # Breadth first, so that direct users come first; `seen` ends circles, as objects that refer to each
        # other.
        waiting: list[tuple[Address, Address | None]] = [(address, None)]
        seen, count = {address}, 0
        while waiting:
            here, through = waiting.pop(0)
            for reference in self._index.get(here, ()):
                if count >= MOST_USERS:
                    return
                count += 1
                yield User(reference.place, reference.kind, through)
                user = reference.place.address.real
                if reference.kind in PASSED_ON and user not in seen:
                    seen.add(user)
                    waiting.append((user, reference.place.address))


def spelled(library: FileStore, address: Address) -> Address:
    """An address with every entry named as `spelling` names it."""
    result = Address(address.path)
    for entry in address.entries:
        container = library.open(result).container
        index = index_of(container, entry) if container else None
        result = result.child(spelling(container, index) if container and index is not None else entry)
    return result


def _target(targets: Targets, reference: StoredReference) -> Address | None:
    if reference.name is None:
        return reference.neighbor
    place = targets.find(reference.name).place
    return place.address if place else None
