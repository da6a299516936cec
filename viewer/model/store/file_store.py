"""Opens addresses and caches the files that were read: the only file input.

Source: spec/nres.md 6, spec/materials.md 1.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Hashable
from copy import copy
from io import BytesIO, FileIO
from pathlib import Path
from typing import Final, TypeVar, cast

from msgspec import Struct, field

from viewer import progress
from viewer.errors import AddressError, MshviewError, reason_of
from viewer.formats import splice
from viewer.formats.splice import Splices
from viewer.formats.text import fold
from viewer.model.store.address import STANDARD_INPUT, Address
from viewer.model.store.disk import (
    SIZE_LIMIT,
    Disk,
    PinnedDisk,
    Revision,
    SnapshotDisk,
    UnsavedFiles,
    real_path,
    revision_of,
    unchanging,
)
from viewer.model.store.following import rebased
from viewer.model.store.item import UNSAVED, Item, Made
from viewer.model.store.recently_used import RecentlyUsed
from viewer.translation import _

MOST_FILES: Final = 64
CAPACITY: Final = 256 << 20
"""Bounds of the files that a store caches, their number and their bytes."""
MOST_SHARED: Final = 4
"""Values from several files that a store caches, such as the materials of a game."""
AT_ONCE: Final = 4 << 20
"""Bytes of a file that are read without a look at the progress."""
PIECE: Final = 256 << 10
"""Bytes of a larger one that are read between two checks of the progress."""
_Value = TypeVar("_Value")


class _ReadFile(Struct, frozen=True):
    """A file that was read, and the values derived from it."""

    revision: Revision
    data: memoryview
    made: Made = field(default_factory=dict)

    def again(self, revision: Revision, data: memoryview) -> _ReadFile:
        """The file as it was read later: what was derived from the same bytes is kept."""
        # What was made of unsaved bytes is marked with `UNSAVED`, which only `adopt` takes off.
        is_of_disk = not self.revision.unsaved and not revision.unsaved
        is_same = is_of_disk and unchanging(self.data) == unchanging(data)
        return _ReadFile(revision, self.data, self.made) if is_same else _ReadFile(revision, data)

    def after(self, revision: Revision, data: memoryview, splices: Splices) -> _ReadFile:
        """The file after an edit that gives it these bytes."""
        return _ReadFile(revision, data, {**rebased(self.made, data, splices), UNSAVED: True})


class FileStore:
    """Opens addresses and caches the files used last, with everything derived from them.

    At most `MOST_FILES` are cached, and `CAPACITY` bytes of them; what is in use stays in memory anyway.

    Parameters
    ----------
    unsaved
        Unsaved bytes in place of files; none by default.
    """

    def __init__(self, *, unsaved: UnsavedFiles | None = None) -> None:
        self.unsaved = UnsavedFiles() if unsaved is None else unsaved
        self._disk = Disk(self.unsaved)
        # By the path as it is written: links are not resolved for each reading. Files of another revision are
        # read again where they are asked for.
        self._files: RecentlyUsed[Path, _ReadFile] = RecentlyUsed(
            MOST_FILES, CAPACITY, lambda file: len(file.data)
        )
        self._made: RecentlyUsed[Hashable, tuple[object, object]] = RecentlyUsed(MOST_SHARED)

    def snapshot(self) -> FileStore:
        """A store for one reading, which queries each file and folder once and shares this store's cache."""
        # The copy is shallow: both have the same caches.
        store = copy(self)
        store._disk = SnapshotDisk(self.unsaved)  # noqa: SLF001
        return store

    def pinned(self) -> FileStore:
        """A store for one edit, which queries each file once, and sees unsaved bytes at once."""
        store = copy(self)
        store._disk = PinnedDisk(self.unsaved)  # noqa: SLF001
        return store

    def apart(self) -> FileStore:
        """A store with unsaved bytes of its own, at first those of this one, that shares its cache."""
        store = copy(self)
        store.unsaved = UnsavedFiles.of(self.unsaved, {})
        store._disk = Disk(store.unsaved)  # noqa: SLF001
        return store

    @property
    def revisions(self) -> dict[Path, Revision | None]:
        """The files that a snapshot has queried, None for an absent one; empty for other stores."""
        seen = self._disk.seen if isinstance(self._disk, SnapshotDisk) else {}
        return {path: status.revision for path, status in list(seen.items()) if not status.is_folder}

    def revision(self, path: Path) -> Revision | None:
        """The current revision of a file, or None if there is no regular file."""
        return self._disk.status(path).revision

    def is_folder(self, path: Path) -> bool:
        """Whether a path is a folder; False if the system cannot resolve it."""
        return self._disk.status(path).is_folder

    def is_denied(self, path: Path) -> bool:
        """Whether the system refuses to look at a path."""
        return self._disk.status(path).is_denied

    def names(self, folder: Path) -> tuple[str, ...]:
        """The names of all files and folders in a folder, sorted; raises `AddressError`."""
        return self._disk.names(folder)

    def file(self, path: Path) -> memoryview:
        """The bytes of a file, cached until it changes; raises `AddressError`."""
        return self._read_file(path).data

    def _read_file(self, path: Path) -> _ReadFile:
        progress.checkpoint()
        status = self._disk.status(path)
        if status.revision is None:
            raise AddressError(status.problem, source=path)
        known = self._files.get(path)
        if known is None or known.revision != status.revision:
            is_old = known is not None and known.revision.unsaved > status.revision.unsaved > 0
            data = self._read(path, status.revision.size)
            known = _ReadFile(status.revision, data) if known is None else known.again(status.revision, data)
            if not is_old:  # by a snapshot from before an edit
                self._files.put(path, known)
        return known

    def change(self, path: Path, splices: Splices) -> None:
        """Lay bytes over a file: the present ones, with some of them replaced.

        What was derived from entries of archives whose bytes and names are the same afterwards is kept:
        `open` gives items of them with the same `data` and `made`.

        Raises
        ------
        AddressError
            If the file cannot be read.
        ValueError
            If it has other bytes than the splices expect.
        """
        before = self._read_file(path)
        data = memoryview(splice.applied(before.data, splices))
        spellings = self._spellings(path, before.revision)
        revision = self.unsaved.overlay(path, data)
        for other, known in spellings.items():
            self._files.put(other, known.after(revision, data, splices))

    def adopt(self, path: Path, revision: Revision) -> None:
        """Drop the unsaved bytes of a file, which are those on the disk since it was saved.

        What was derived from them is kept.

        Parameters
        ----------
        revision
            Of the written file.
        """
        unsaved = self.unsaved.find(path)
        if unsaved is None:
            return
        spellings = self._spellings(path, unsaved[0])
        self.unsaved.revert(path)
        for other, known in spellings.items():
            made = {key: value for key, value in known.made.items() if key != UNSAVED}
            self._files.put(other, _ReadFile(revision, known.data, made))

    def _spellings(self, path: Path, revision: Revision) -> dict[Path, _ReadFile]:
        """The cached readings of a revision of a file, by its paths: relative, absolute, through links."""
        real = real_path(path)
        return {
            other: known
            for other, known in self._files.items()
            if known.revision == revision and real_path(other) == real
        }

    def head(self, path: Path, size: int) -> memoryview:
        """The first bytes of a file, without reading the rest; raises `AddressError`."""
        known = self._files.get(path)
        status = self._disk.status(path)
        if status.revision is None:
            raise AddressError(status.problem, source=path)
        if known is not None and known.revision == status.revision:
            return known.data[:size]
        return self._read(path, min(size, status.revision.size))[:size]

    @property
    def cached(self) -> dict[Path, Revision]:
        """The cached files and the revisions that were read; those with unsaved bytes are left out."""
        return {path: file.revision for path, file in self._files.items() if not file.revision.unsaved}

    def is_outdated(self, path: Path) -> bool:
        """Whether other bytes than the cached ones of a file are on the disk or laid over it now."""
        known = self._files.get(path)
        # The same object, not equal bytes: a file that is read again with equal bytes keeps it (`again`).
        return known is not None and known.data is not self.file(path)

    def has(self, path: Path) -> bool:
        """Whether a file is in the cache."""
        return path in self._files

    def forget(self, path: Path) -> None:
        """Drop a file from the cache; its bytes stay valid for their users."""
        self._files.forget(path)

    def _read(self, path: Path, size: int) -> memoryview:
        if size > SIZE_LIMIT:
            raise AddressError(
                _("{size} bytes, at most {limit} are read", size=size, limit=SIZE_LIMIT), source=path
            )
        unsaved = self.unsaved.find(path)
        if unsaved is not None:
            return unsaved[1]
        try:
            with path.open("rb", buffering=0) as file:
                if isinstance(self._disk, SnapshotDisk):
                    # The open file may be another one than the snapshot has queried: replaced since.
                    found = os.fstat(file.fileno())
                    revision = self._disk.status(path).revision
                    if revision is not None and revision_of(found) != revision:
                        raise AddressError("was changed by another program while it was read", source=path)
                return memoryview(_read_pieces(file, size))
        except (OSError, ValueError) as error:
            raise AddressError(_("cannot be read: {reason}", reason=reason_of(error)), source=path) from error

    def shared(self, key: Hashable, stamp: object, make: Callable[[], _Value]) -> _Value:
        """The value cached for `key` from several files; made again if `stamp` has changed.

        Two threads may make it at the same time; then one of them is kept.
        """
        known = self._made.get(key)
        if known is None or known[0] != stamp:
            known = (stamp, make())
            self._made.put(key, known)
        return cast(_Value, known[1])

    def open(self, address: Address) -> Item:
        """The item at an address; raises `AddressError` or `FormatError` with the part that fails."""
        file = self._read_file(address.path)
        item = Item(Address(address.path), file.data, made=file.made)
        for entry in address.entries:
            item = item.follow(entry)
        return item

    def sibling(self, item: Item, suffix: str) -> Item | None:
        """The item with the same stem and another suffix in the same archive or folder, or None."""
        return self.neighbor(item, item.sibling_name(suffix))

    def neighbor(self, item: Item, name: str) -> Item | None:
        """The item called `name`, ignoring case, in the same archive or folder as another one, or None."""
        if item.holder is not None:
            return item.holder.find(name)
        path = self._in_folder(item.address.path, name)
        return self.open(Address(path)) if path else None

    def _in_folder(self, path: Path, name: str) -> Path | None:
        """The file `name`, ignoring case, in the folder of `path`."""
        if path == STANDARD_INPUT:
            return None
        requested = fold(os.fsencode(name))
        with contextlib.suppress(MshviewError):
            # A folder of that name has no revision and is passed over.
            names = (other for other in self.names(path.parent) if fold(os.fsencode(other)) == requested)
            return next((file for other in names if self.revision(file := path.parent / other)), None)
        return None


def _read_pieces(file: FileIO, size: int) -> bytes:
    """The bytes of a file, at most `size`, in pieces if many; counted if the work counts nothing else."""
    if size <= AT_ONCE:
        return file.read(size)
    watched = progress.current()
    counted = progress.Progress() if watched.total else watched
    counted.begin(size)
    read = BytesIO()
    # One buffer that stays in the processor's cache: the system clears the memory of each new piece first.
    piece = memoryview(bytearray(min(size, PIECE)))
    while counted.done < size and (count := file.readinto(piece[: size - counted.done])):
        watched.check()
        read.write(piece[:count])
        counted.advance(count)
    counted.begin(0)
    return read.getvalue()  # which does not copy, as joining would
