"""Plain files: read by name inside one folder, and written so that they appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from viewer.errors import AddressError, OutputError
from viewer.formats.record import Bytes

SIZE_LIMIT = 256 << 20
"""Larger files are refused, in bytes."""
FOLDER_LIMIT = 4 * SIZE_LIMIT
"""The most that the files of one folder may hold together, in bytes."""


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
    import shutil  # noqa: PLC0415 brings compressors along

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
    return target.with_name(f".mshview-{os.urandom(4).hex()}.tmp")


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
