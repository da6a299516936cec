"""The contents of a folder that are compared: loose files and entries of archives, each with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from viewer.formats.archive import nres, rsli
from viewer.formats.text import encode, fold
from viewer.model.kinds.entry_kinds import entry_kinds
from viewer.model.kinds.registry import ARCHIVES, promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Container, Item, entry_of, spelling
from viewer.operations.corpus.portions import files_below

Stated = tuple[int, ...]
"""Values of a directory about an entry besides its name and place: type and attributes, or the method."""


class FolderEntry(Struct, frozen=True):
    """A loose file, or an entry of an archive.

    Attributes
    ----------
    address
        Its address, relative to the folder.
    holder, name
        The archive or the folder that it is in, and its own name, as the game compares them.
    index
        Its index in the directory; -1 for a file.
    size
        Bytes of its payload.
    spelled
        Its name as it is written, of which the game ignores the case.
    stated
        Type and attributes, or the method; None for a file.
    """

    address: Address
    holder: str
    name: bytes
    index: int
    size: int
    kind: str
    spelled: bytes
    stated: Stated | None = None

    @property
    def order(self) -> str:
        """The key that sorts entries."""
        return str(self.address)


class FolderFile(Struct, frozen=True):
    """A file of a folder.

    Attributes
    ----------
    path
        Relative to the folder.
    problem
        Why it, or everything in it, cannot be read; empty if that is not known yet.
    """

    path: Path
    problem: str = ""

    @property
    def key(self) -> str:
        """The path as the game compares it."""
        return folded_path(self.path)


def folded_path(path: Path) -> str:
    """A relative path in lower case: the game ignores the case of names."""
    return path.as_posix().casefold()


class FolderSide:
    """One of two folders; raises `AddressError` if it cannot be listed.

    Parameters
    ----------
    root
        The folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = FileStore()
        self.store.names(root)
        found = files_below(self.store, root)
        self.files = [FolderFile(path.relative_to(root), problem) for path, problem in found]

    def item(self, file: FolderFile) -> Item:
        """The bytes of a file; raises `MshviewError`."""
        return self.store.open(self.at(Address(file.path)))

    def at(self, address: Address) -> Address:
        """The address in this folder of what a relative one names."""
        return Address(self.root / address.path, address.entries)


def paired_files(
    a: Sequence[FolderFile], b: Sequence[FolderFile]
) -> Iterator[tuple[FolderFile | None, FolderFile | None]]:
    """The files of two folders with the same path, then those whose paths differ in case, then all others."""
    pairs: list[tuple[FolderFile | None, FolderFile | None]] = []
    left_a, left_b = [*a], [*b]
    keys: tuple[Callable[[FolderFile], str], ...] = (lambda it: it.path.as_posix(), lambda it: it.key)
    for key in keys:
        of_b: dict[str, list[FolderFile]] = {}
        for it in reversed(left_b):
            of_b.setdefault(key(it), []).append(it)
        rest: list[FolderFile] = []
        for it in left_a:
            others = of_b.get(key(it))
            if others:
                pairs.append((it, others.pop()))
            else:
                rest.append(it)
        taken = {it.path for _, it in pairs if it}
        left_a, left_b = rest, [it for it in left_b if it.path not in taken]
    yield from sorted(
        [*pairs, *((it, None) for it in left_a), *((None, it) for it in left_b)],
        key=lambda pair: next(it.path.as_posix() for it in pair if it),
    )


def container_of(item: Item) -> Container | None:
    """The archive that a file is; None for other files; raises `MshviewError` for one that cannot be read."""
    kind = promised_kind(item)
    if kind.id not in ARCHIVES:
        return None
    if item.container is None:  # its name promises an archive: reading it says why it is none
        kind.decode(item.data)
    return item.container


def entries_of(file: FolderFile, item: Item, container: Container | None) -> list[FolderEntry]:
    """A loose file, or the entries of an archive."""
    if container is None:
        spelled, kind = _encoded(file.path.name), promised_kind(item).id
        holder = folded_path(file.path.parent)
        return [FolderEntry(Address(file.path), holder, fold(spelled), -1, len(item.data), kind, spelled)]
    return [*_entries(file, container)]


def _entries(file: FolderFile, container: Container) -> Iterator[FolderEntry]:
    kinds = entry_kinds(container)
    for index in range(len(container.rows)):
        entry = container.entry(index)
        address = Address(file.path, (spelling(container, index),))
        stated = stated_of(container, index)
        yield FolderEntry(
            address, file.key, fold(entry.name), index, entry.size, kinds[index], entry.name, stated
        )


DIRECTORY = nres.ENTRY.name
"""The table whose fields these are."""
_STATED = "type_id", "attr1", "attr2", "attr3"
_PACKED = ("flags",)


def stated_of(container: Container, index: int) -> Stated:
    """The values in the directory of an archive about an entry."""
    return _stated(container.entry(index))


def _stated(entry: nres.Entry | rsli.PackedEntry) -> Stated:
    names = _STATED if isinstance(entry, nres.Entry) else _PACKED
    return tuple(getattr(entry, name) for name in names)


def stated_differences(a: Item, b: Item) -> Iterator[tuple[str, int, int]]:
    """The fields that the directories state differently of two entries of archives of one kind."""
    if a.entry is None or b.entry is None or type(a.entry) is not type(b.entry):
        return
    names = _STATED if isinstance(a.entry, nres.Entry) else _PACKED
    for name, before, after in zip(names, _stated(a.entry), _stated(b.entry), strict=True):
        if before != after:
            yield name, before, after


def _encoded(name: str) -> bytes:
    try:
        return encode(name)
    except ValueError:
        return name.encode(errors="surrogateescape")


def payload(item: Item, container: Container | None, index: int) -> memoryview:
    """The bytes of an entry, or of the file; raises `FormatError` for a damaged one."""
    return item.data if container is None else entry_of(item, container, index).data


def paired(a: Sequence[FolderEntry], b: Sequence[FolderEntry]) -> Iterator[tuple[int, int]]:
    """The entries of two archives with the same name; of equal names the first with the first."""
    places: dict[tuple[bytes, int], int] = {}
    counts: dict[bytes, int] = {}
    for at, entry in enumerate(b):
        number = counts[entry.name] = counts.get(entry.name, -1) + 1
        places[entry.name, number] = at
    counts = {}
    for at, entry in enumerate(a):
        number = counts[entry.name] = counts.get(entry.name, -1) + 1
        other = places.get((entry.name, number))
        if other is not None:
            yield at, other
