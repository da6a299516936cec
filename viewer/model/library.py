"""Archives and files: the only file input and output.

An address is ``PATH``, ``PATH::ENTRY`` or ``PATH::#N``, nested as deep as the archives are. Output
appears whole or not at all.

Source: spec/nres.md 6, spec/materials.md 1.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

from viewer.errors import AddressError, OutputError, UsageError, reading_from
from viewer.formats import nres, rsli
from viewer.formats.record import Bytes
from viewer.formats.text import encode, fold
from viewer.model.model import Model

SEPARATOR = "::"
SIZE_LIMIT = 256 << 20
"""Larger files are refused, in bytes."""
FOLDER_LIMIT = 4 * SIZE_LIMIT
"""The most that the files of one folder may hold together, in bytes."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where something lies: a file, and the entries to follow inside it.

    An entry is a name as the engine looks it up, or ``#`` and a directory index.
    """

    path: Path
    entries: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Address:
        """The address that `text` spells; raises `UsageError` for an empty part."""
        path, *entries = text.split(SEPARATOR)
        if not path or not all(entries):
            raise UsageError(f"{text!r} is no address: a part of it is empty")
        return cls(Path(path), tuple(entries))

    def __str__(self) -> str:
        return SEPARATOR.join((str(self.path), *self.entries))

    def child(self, entry: str) -> Address:
        """The address of an entry of what lies here."""
        return Address(self.path, (*self.entries, entry))

    @property
    def parent(self) -> Address:
        """The container of what lies here; the file itself where this is a file."""
        return Address(self.path, self.entries[:-1])

    @property
    def name(self) -> str:
        """The last part: entry or file name."""
        return self.entries[-1] if self.entries else self.path.name


@dataclass(frozen=True, slots=True)
class Item:
    """Bytes that an address leads to, and the directory entry that names them (None for a file)."""

    address: Address
    data: memoryview
    entry: nres.Entry | rsli.Entry | None = None

    @property
    def type_id(self) -> int:
        """Type of the directory entry, 0 where there is none."""
        return self.entry.type_id if isinstance(self.entry, nres.Entry) else 0


Container = nres.Archive | rsli.Archive
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
        return rsli.Archive.read(data)
    return None


class Library:
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


class PlainFolder:
    """The plain files of one folder, to be read by names that come from a file: nothing outside it is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._room = FOLDER_LIMIT

    def read(self, name: str) -> bytes:
        """The bytes of a file; raises `AddressError` where that is no plain file or lies elsewhere."""
        path = self.path / name
        try:
            if path.resolve().parent != self.path.resolve():
                raise AddressError("leads out of the folder", source=str(path))
            if not stat.S_ISREG(path.stat().st_mode):
                raise AddressError("is no plain file", source=str(path))
            with path.open("rb") as file:
                data = file.read(self._room + 1)
        except (OSError, ValueError, RuntimeError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise AddressError(f"cannot be read: {reason}", source=str(path)) from error
        self._room -= len(data)
        if self._room < 0:
            raise AddressError(f"more than {FOLDER_LIMIT} bytes together", source=str(self.path))
        return data


def write_atomically(path: Path, data: Bytes) -> None:
    """Write a file so that it appears whole or not at all; raises `OutputError`.

    The bytes go to a temporary file beside it, reach the disk, and take its name. What is no file
    (a pipe, a device) is written to.
    """
    with _writing(path) as target:
        if path.exists() and not (path.is_file() or path.is_dir()):
            path.write_bytes(data)
            return
        temporary = _temporary(target)
        try:
            _write(temporary, data)
            _take_place(temporary, target)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()


def write_folder_atomically(path: Path, files: Mapping[str, Bytes]) -> None:
    """Write a folder of plain files so that it appears whole or not at all.

    Raises `OutputError`, also where something is there already; an empty folder may be.
    """
    with _writing(path) as target:
        _check_free(path, target)
        temporary = _temporary(target)
        try:
            temporary.mkdir()
            for name, data in files.items():
                _write(temporary / name, data)
            _sync_folder(temporary)
            _take_place(temporary, target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[Path]:
    """Where a path leads, links followed; whatever the system objects to becomes an `OutputError`."""
    try:
        yield Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise OutputError(f"cannot be written: {reason}", source=str(path)) from error


def _temporary(target: Path) -> Path:
    """A new name beside `target`, short enough wherever that is."""
    return target.with_name(f".mshview-{secrets.token_hex(4)}.tmp")


def _write(path: Path, data: Bytes) -> None:
    """Write a new file down to the disk."""
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _take_place(temporary: Path, target: Path) -> None:
    """Give what is written the name and the permissions of what it replaces."""
    if target.exists():
        temporary.chmod(target.stat().st_mode & 0o7777)
        if os.name == "nt" and target.is_dir() and temporary.is_dir():
            target.rmdir()
    temporary.replace(target)
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _check_free(path: Path, target: Path) -> None:
    """Refuse to replace anything but an empty folder that nobody stands in."""
    if not target.exists():
        return
    if not target.is_dir():
        raise OutputError("is no folder", source=str(path))
    if any(target.iterdir()):
        raise OutputError("is a folder that is not empty", source=str(path))
    if target == Path.cwd():
        raise OutputError("is the current folder; name one that is yet to be made", source=str(path))
