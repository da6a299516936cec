"""Who refers to a payload: the materials of a texture, the wear tables of a material, and so on."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from viewer.errors import MshviewError
from viewer.model.kinds.registry import WEAR
from viewer.model.references.stored import StoredReference, can_refer, references_of
from viewer.model.references.targets import Targets
from viewer.model.store.address import Address
from viewer.model.store.disk import Revision
from viewer.model.store.file_store import FileStore, index_of, spelling
from viewer.model.store.place import Place
from viewer.progress import Progress

MOST_FILES: Final = 20_000
"""Files of a folder that are searched."""
MOST_USERS: Final = 10_000
"""Users of a payload that are listed."""
OBJECTS: Final = "objects"
_PASSED_ON: Final = (WEAR.id, OBJECTS)
"""Kinds whose users are users of what they refer to: a wear table's model uses its materials."""

_FileReferences = tuple[StoredReference, ...]


@dataclass(frozen=True, slots=True)
class User:
    """A payload that refers to another one.

    Attributes
    ----------
    place
        Where it refers to it; the whole payload if it refers by its own name.
    kind
        Its kind.
    through
        Address of the payload that it refers to instead, which refers to the other one; empty if none.
    """

    place: Place
    kind: str
    through: str = ""


@dataclass(frozen=True, slots=True)
class Users:
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
        self._index: dict[str, tuple[StoredReference, ...]] = {}

    def find(
        self,
        library: FileStore,
        address: Address,
        scope: Iterable[Path],
        game: Path | None,
        progress: Progress,
    ) -> Users:
        """The users of the payload at an address.

        Parameters
        ----------
        scope
            The files and folders to search.
        game
            The game folder in which names are looked up, or None.
        """
        files = list(dict.fromkeys(_files(library, scope)))
        found = self._read(library, files, progress)
        self._build(library, found, game)
        return Users(tuple(self._users(_key(str(spelled(library, address))))), len(files))

    def _read(
        self, library: FileStore, files: list[Path], progress: Progress
    ) -> dict[Path, tuple[Revision | None, _FileReferences]]:
        """The references of each file, read again if it has changed."""
        own = FileStore(unsaved=library.unsaved)
        found: dict[Path, tuple[Revision | None, _FileReferences]] = {}
        for path in progress.over(files, lambda path: path.name):
            revision, known = library.revision(path), self._files.get(path)
            if known is None or known[0] != revision:
                known = revision, references_of(own, path)
                own.forget(path)
            found[path] = self._files[path] = known
        self._files = found
        return found

    def _build(
        self,
        library: FileStore,
        found: Mapping[Path, tuple[Revision | None, _FileReferences]],
        game: Path | None,
    ) -> None:
        """Sort the references by the address that they lead to, unless that is done."""
        made_of = game, tuple((path, revision) for path, (revision, _) in found.items())
        if made_of == self._made_of:
            return
        targets = Targets(library, game)
        index: dict[str, list[StoredReference]] = {}
        for _, references in found.values():
            for reference in references:
                address = _target(targets, reference)
                if address:
                    index.setdefault(_key(address), []).append(reference)
        self._index = {address: tuple(references) for address, references in index.items()}
        self._made_of = made_of

    def _users(self, address: str) -> Iterator[User]:
        """Direct users, then those through a wear table or an object, each payload followed once."""
        waiting, seen, count = [(address, "")], {address}, 0
        while waiting:
            here, through = waiting.pop(0)
            for reference in self._index.get(here, ()):
                if count >= MOST_USERS:
                    return
                count += 1
                yield User(reference.place, reference.kind, through)
                user = _key(reference.place.address)
                if reference.kind in _PASSED_ON and user not in seen:
                    seen.add(user)
                    waiting.append((user, reference.place.address))


def spelled(library: FileStore, address: Address) -> Address:
    """An address with every entry named as `spelling` names it."""
    result = Address(address.path)
    for entry in address.entries:
        container = library.container(library.open(result))
        index = index_of(container, entry) if container else None
        result = result.child(spelling(container, index) if container and index is not None else entry)
    return result


def _target(targets: Targets, reference: StoredReference) -> str:
    if reference.name is None:
        return reference.neighbor
    place = targets.find(reference.name).place
    return place.address if place else ""


def _key(address: str) -> str:
    """An address for comparison: links in the path of its file are resolved."""
    parsed = Address.parse(address)
    return str(Address(Path(os.path.realpath(parsed.path)), parsed.entries))


def _files(library: FileStore, scope: Iterable[Path]) -> Iterator[Path]:
    """The files of a scope that may refer to something; links to folders are not followed."""
    waiting, left = [*scope], MOST_FILES
    while waiting and left > 0:
        path = waiting.pop(0)
        if not library.is_folder(path):
            left -= 1
            if can_refer(library, path):
                yield path
            continue
        try:
            below = [path / name for name in library.names(path) if not name.startswith(".")]
        except MshviewError:
            continue
        waiting += (it for it in below if not (library.is_folder(it) and it.is_symlink()))
