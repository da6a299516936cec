"""The saved bytes from which edited ones were made: by their digest a save notices a changed file."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from viewer.formats.record import Bytes
from viewer.model.store.writing import digest_of


class FileBase:
    """The saved bytes of a file that is being edited; for several threads.

    The bytes are kept only until their digest is known.

    Parameters
    ----------
    data
        The bytes.
    """

    def __init__(self, data: Bytes) -> None:
        self.size = memoryview(data).nbytes
        self._data: Bytes | None = data
        self._digest = b""
        self._lock = Lock()

    @property
    def digest(self) -> bytes:
        """SHA-256 of the bytes; of a large file to be asked for in a worker thread first."""
        with self._lock:
            if self._data is not None:
                self._digest, self._data = digest_of(self._data), None
            return self._digest

    @classmethod
    def known(cls, digest: bytes, size: int) -> FileBase:
        """The base of bytes whose digest is known."""
        base = cls(b"")
        base.size, base._digest, base._data = size, digest, None
        return base


class Bases:
    """The bases of the edited files by their paths; owner: the editing, main thread only."""

    def __init__(self) -> None:
        self._bases: dict[Path, FileBase] = {}

    def note(self, path: Path, data: Bytes) -> bool:
        """Remember the saved bytes of a file that is about to be edited; tell whether they are new."""
        is_new = path not in self._bases
        if is_new:
            self._bases[path] = FileBase(data)
        return is_new

    def set(self, path: Path, base: FileBase) -> None:
        """Remember what is on the disk now."""
        self._bases[path] = base

    def of(self, path: Path) -> FileBase:
        """The base of an edited file; raises `KeyError` for another one."""
        return self._bases[path]

    def forget(self, path: Path) -> None:
        """Forget a file without changes."""
        self._bases.pop(path, None)
