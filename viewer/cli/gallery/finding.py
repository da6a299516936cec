"""The models of a gallery: those of archives and folders, and what should be one but cannot be read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from viewer.errors import AddressError, MshviewError
from viewer.formats.archive import nres, rsli
from viewer.model.kinds.registry import MODEL, presumed_id, promised_kind
from viewer.model.store.address import SEPARATOR, Address
from viewer.model.store.backups import BACKUP_SUFFIX
from viewer.model.store.file_store import FileStore
from viewer.progress import checkpoint
from viewer.session.opened import listing
from viewer.session.opened.entry_list import ARCHIVES

DEEPEST: Final = 8
"""Archives in archives that are searched."""
_MODELS: Final = frozenset({MODEL.id})
_MAGICS: Final = (nres.MAGIC, rsli.SIGNATURE)


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model, or something that should hold models.

    Attributes
    ----------
    address
        Where it is.
    label
        The same from the folder that everything is in: a path with ``/`` and entries. No two are equal.
    base
        That folder, absolute; empty if there is none.
    problem
        Why nothing can be read there; empty if that is not known yet.
    """

    address: Address
    label: str
    base: Path = Path()
    problem: str = ""

    @property
    def name(self) -> str:
        """The last part of the label: an entry or a file name."""
        return self.label.rpartition(SEPARATOR)[2] if SEPARATOR in self.label else PurePath(self.label).name

    @property
    def holder(self) -> str:
        """The label of the archive that it is in, or of the folder; empty for the uppermost folder."""
        above, separator, _ = self.label.rpartition(SEPARATOR)
        return above if separator else self.label.rpartition("/")[0]


def find_models(addresses: Sequence[Address], store: FileStore) -> list[FoundModel]:
    """Everything to show, in the order of the addresses and of the archives, each once.

    Raises `AddressError` for an address that does not exist, or if there is no model at all.
    """
    base = _base(addresses, store)
    found: dict[str, FoundModel] = {}
    for address in addresses:
        if store.is_folder(address.path) and not address.entries:
            below = _below_folder(address.path, store)
        else:
            store.open(address)
            below = _below(address, store)
        for where, problem in below:
            checkpoint()
            label = _label(where, base)
            found.setdefault(label, FoundModel(where, label, base, problem))
    if not found:
        raise AddressError("holds no model", source=", ".join(map(str, addresses)))
    return [*found.values()]


def _base(addresses: Iterable[Address], store: FileStore) -> Path:
    """The folder that everything is in."""
    paths = [address.path.absolute() for address in addresses]
    folders = [path if store.is_folder(path) else path.parent for path in paths]
    try:
        return Path(os.path.commonpath(folders))
    except ValueError:  # other drives
        return Path()


def _label(address: Address, base: Path) -> str:
    path = address.path.absolute()
    shown = path.relative_to(base) if path.is_relative_to(base) else path
    return SEPARATOR.join((shown.as_posix(), *address.entries))


def _below_folder(folder: Path, store: FileStore) -> Iterator[tuple[Address, str]]:
    """What is in the files of a folder and of those below it; links to folders are not followed.

    What was kept of a file that was saved is not a model of its own.
    """
    try:
        paths = [folder / name for name in store.names(folder)]
    except AddressError as error:
        yield Address(folder), error.message
        return
    for path in paths:
        if store.is_folder(path):
            if not path.is_symlink():
                yield from _below_folder(path, store)
        elif path.suffix != BACKUP_SUFFIX and _may_hold_models(path, store):
            yield from _below(Address(path), store)
            store.forget(path)


def _may_hold_models(path: Path, store: FileStore) -> bool:
    if presumed_id(path.name) in {MODEL.id, *ARCHIVES}:
        return True
    try:
        return store.revision(path) is not None and bytes(store.head(path, 4)) in _MAGICS
    except MshviewError:
        return False


def _below(address: Address, store: FileStore, depth: int = 0) -> Iterator[tuple[Address, str]]:
    """A model, or the models in an archive and those in it."""
    try:
        kind = promised_kind(store.open(address)).id
        if kind == MODEL.id:
            yield address, ""
        if kind not in ARCHIVES or depth == DEEPEST:
            return
        rows = listing.entries_below(store, address)
        inside = sorted(rows.of_kinds(_MODELS | ARCHIVES))
    except MshviewError as error:
        yield address, ": ".join(part for part in (error.where, error.message) if part)
        return
    for index in inside:
        row = rows.entry(index)
        if row.kind == MODEL.id:
            yield Address.parse(row.address), ""
        else:
            yield from _below(Address.parse(row.address), store, depth + 1)
