"""Opens addresses and keeps the files that were read: the only file input.

Source: spec/nres.md 6, spec/materials.md 1.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import stat
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from viewer.errors import AddressError, reading_from
from viewer.formats import nres, rsli
from viewer.formats.text import encode, fold
from viewer.model.store.address import SEPARATOR, Address
from viewer.model.store.files import SIZE_LIMIT

if TYPE_CHECKING:
    from viewer.model.mesh.model import Model


@dataclass(frozen=True, slots=True)
class Item:
    """Bytes that an address leads to, and the directory entry that names them (None for a file)."""

    address: Address
    data: memoryview
    entry: nres.Entry | rsli.PackedEntry | None = None

    @property
    def name(self) -> bytes:
        """The name of the directory entry, or of the file."""
        return self.entry.name if self.entry else os.fsencode(self.address.name)

    @property
    def type_id(self) -> int:
        """Type of the directory entry, 0 where there is none."""
        return self.entry.type_id if isinstance(self.entry, nres.Entry) else 0


Container = nres.Archive | rsli.PackedLibrary
Stamp = tuple[int, int]
"""When a file was written last, ns, and its size: with another stamp it may hold other bytes."""
Made = TypeVar("Made")


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of a file as it is now, None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def container_of(data: memoryview) -> Container | None:
    """The archive in `data`, None where it is none; raises `FormatError` for a broken one."""
    if data[:4] == nres.MAGIC:
        return nres.Archive.read(data)
    if data[:4] == rsli.SIGNATURE:
        return rsli.PackedLibrary.read(data)
    return None


class FileStore:
    """Opens addresses and keeps the files it read.

    Parameters
    ----------
    is_mapped
        Map files instead of reading them: opening costs the same whatever their size, but another
        program that cuts a mapped file short ends this one. For short-lived commands.
    """

    def __init__(self, *, is_mapped: bool = False) -> None:
        self._is_mapped = is_mapped
        self._files: dict[Path, tuple[Stamp, memoryview]] = {}
        self._made: dict[Hashable, tuple[object, object]] = {}

    def file(self, path: Path) -> memoryview:
        """The bytes of a file, read again only after it has changed; raises `AddressError`."""
        try:
            status = path.stat()
            if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
                raise AddressError("is no plain file", source=str(path))
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._files.get(path)
            if known is None or known[0] != stamp:
                known = self._files[path] = (stamp, self._read(path, status.st_size))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise AddressError(f"cannot be read: {reason}", source=str(path)) from error
        return known[1]

    def forget(self, path: Path) -> None:
        """Let go of a file that was read; whoever holds its bytes keeps them."""
        self._files.pop(path, None)

    def _read(self, path: Path, size: int) -> memoryview:
        if size > SIZE_LIMIT:
            raise AddressError(f"{size} bytes, at most {SIZE_LIMIT} are read", source=str(path))
        with path.open("rb") as file:
            if self._is_mapped and size:
                return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            return memoryview(file.read(size))

    def shared(self, key: Hashable, stamp: object, make: Callable[[], Made]) -> Made:
        """What was made for `key` before, made again only where `stamp` has changed since.

        Two threads may make it twice; then one of them is kept.
        """
        known = self._made.get(key)
        if known is None or known[0] != stamp:
            known = self._made[key] = (stamp, make())
        return cast(Made, known[1])

    def open(self, address: Address) -> Item:
        """What an address leads to; raises `AddressError` or `FormatError` naming the part that fails."""
        item = Item(Address(address.path), self.file(address.path))
        for entry in address.entries:
            item = self._follow(item, entry)
        return item

    def _follow(self, item: Item, entry: str) -> Item:
        container = self.container(item)
        if container is None:
            raise AddressError(f"is no archive, so it has no entry {entry!r}", source=str(item.address))
        index = index_of(container, entry)
        if index is None:
            raise AddressError(f"has no entry {entry!r}", source=str(item.address))
        address = item.address.child(entry)
        with reading_from(str(address)):
            return Item(address, memoryview(container.payload(index)), container.entries[index])

    def container(self, item: Item) -> Container | None:
        """The archive that an item is, None where it is something else; read once for all its entries."""
        with reading_from(str(item.address)):
            return self.shared((Container, item.address), item.data.obj, lambda: container_of(item.data))

    def model(self, address: Address) -> Model:
        """The model at an address; raises where there is none."""
        from viewer.model.mesh.model import Model  # noqa: PLC0415 of no use for a directory

        item = self.open(address)
        with reading_from(str(address)):
            return Model.read(item.data)

    def sibling(self, address: Address, suffix: str) -> Item | None:
        """What has the same stem and another suffix beside it, in its archive or folder, or None."""
        name = self.sibling_name(address, suffix)
        if not address.entries:
            path = _beside(address.path, name)
            return self.open(Address(path)) if path else None
        item = self.open(address.parent)
        container = self.container(item)
        index = index_of(container, name) if container else None
        return self._follow(item, spelling(container, index)) if container and index is not None else None

    def sibling_name(self, address: Address, suffix: str) -> str:
        """The name that has the same stem and another suffix."""
        stem = address.name if not address.name.startswith("#") else self._stored_name(address)
        return stem.rpartition(".")[0] + suffix

    def _stored_name(self, address: Address) -> str:
        entry = self.open(address).entry
        return entry.text if entry else address.name


def index_of(container: Container, entry: str) -> int | None:
    """The directory index that an entry of an address means, None where there is none."""
    if entry.startswith("#") and entry[1:].isdecimal():
        index = int(entry[1:])
        return index if index < len(container.entries) else None
    with contextlib.suppress(ValueError):
        return container.find(encode(entry))
    return None


def spelling(container: Container, index: int) -> str:
    """How an address names an entry: by its name where that leads there, else by its directory index."""
    text = container.entries[index].text
    is_plain = bool(text) and SEPARATOR not in text and not text.startswith("#")
    return text if is_plain and index_of(container, text) == index else f"#{index}"


def _beside(path: Path, name: str) -> Path | None:
    """The file called `name`, whatever its case, in the folder of `path`."""
    wanted = fold(os.fsencode(name))
    try:
        found = (file for file in path.parent.iterdir() if fold(os.fsencode(file.name)) == wanted)
        return next((file for file in sorted(found) if file.is_file()), None)
    except OSError:
        return None
