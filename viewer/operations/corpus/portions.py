"""Portions of many files: everything that a folder holds, divided so that processes can share the work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from viewer.errors import MshviewError, error_text
from viewer.model.kinds.registry import ARCHIVES, promised_kind
from viewer.model.store.address import Address
from viewer.model.store.disk import BACKUP_SUFFIX, is_link
from viewer.model.store.file_store import FileStore
from viewer.progress import checkpoint

PORTION = 32
"""Entries of an archive in one portion: few enough that two processes end together."""


class Portion(Struct, frozen=True):
    """A file, or some entries of an archive.

    Attributes
    ----------
    address
        The file, or the archive.
    indices
        The directory indices of the entries; None for a file that is no archive.
    size
        Their bytes, about.
    problem
        Why nothing can be read there; empty if that is not known yet.
    """

    address: Address
    indices: Sequence[int] | None = None
    size: int = 0
    problem: str = ""

    @property
    def is_first(self) -> bool:
        """Whether it begins an archive: one portion alone speaks for the archive as a whole."""
        return self.indices is not None and (not self.indices or self.indices[0] == 0)

    @property
    def count(self) -> int:
        """The number of entries, or one file."""
        return 1 if self.indices is None else len(self.indices)


def portions_below(store: FileStore, folder: Path) -> Iterator[Portion]:
    """The files below a folder and the entries of its archives; backups and links to folders are left out.

    Folders and archives that cannot be read are portions with a problem.
    """
    for path, problem in files_below(store, folder):
        checkpoint()
        if problem:
            yield Portion(Address(path), problem=problem)
            continue
        yield from _of_file(store, Address(path))
        store.forget(path)


def files_below(store: FileStore, folder: Path) -> Iterator[tuple[Path, str]]:
    """Each file below a folder, in the order of the names; of a folder that cannot be listed also why."""
    try:
        names = store.names(folder)
    except MshviewError as error:
        yield folder, error_text(error)
        return
    for name in names:
        path = folder / name
        if not store.is_folder(path):
            if path.suffix != BACKUP_SUFFIX:
                yield path, ""
        elif not is_link(path):
            yield from files_below(store, path)


def _of_file(store: FileStore, address: Address) -> Iterator[Portion]:
    """The portions of a file."""
    try:
        item = store.open(address)
        if promised_kind(item).id not in ARCHIVES:
            yield Portion(address, None, len(item.data))
            return
        count = 0 if item.container is None else len(item.container.rows)
        # A file whose name promises an archive and whose bytes are none: opening it says why.
        if item.container is None:
            promised_kind(item).decode(item.data)
    except MshviewError as error:
        yield Portion(address, problem=error_text(error))
        return
    yield from divided(address, range(count), len(item.data) // max(1, count))


def divided(archive: Address, indices: Sequence[int], size: int) -> Iterator[Portion]:
    """Portions of entries of an archive, of about so many bytes each; at least one, perhaps of none."""
    for start in range(0, max(1, len(indices)), PORTION):
        some = indices[start : start + PORTION]
        yield Portion(archive, some, size * len(some))
