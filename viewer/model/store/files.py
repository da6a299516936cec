"""Plain files: read by name inside one folder, and written atomically."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from viewer.errors import AddressError, OutputError
from viewer.formats.record import Bytes
from viewer.translation import Sentence

SIZE_LIMIT = 256 << 20
"""Largest size of a file, bytes; larger ones are refused."""
FOLDER_LIMIT = 4 * SIZE_LIMIT
"""Largest total size of the files of one folder, bytes."""


class PlainFolder:
    """The regular files of one folder, read by names that come from a file; nothing outside it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._room = FOLDER_LIMIT

    def read(self, name: str) -> bytes:
        """The bytes of a file; raises `AddressError` if it is not a regular file or outside the folder."""
        path = self.path / name
        try:
            if path.resolve().parent != self.path.resolve():
                raise AddressError("leads out of the folder", source=str(path))
            if not stat.S_ISREG(path.stat().st_mode):
                raise AddressError("is not a regular file", source=str(path))
            with path.open("rb") as file:
                data = file.read(self._room + 1)
        except (OSError, ValueError, RuntimeError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise AddressError(
                Sentence("cannot be read: {reason}", reason=str(reason)), source=str(path)
            ) from error
        self._room -= len(data)
        if self._room < 0:
            raise AddressError(
                Sentence("more than {limit} bytes together", limit=FOLDER_LIMIT), source=str(self.path)
            )
        return data


def write_atomically(path: Path, data: Bytes) -> None:
    """Write a file so that it appears whole or not at all; raises `OutputError`.

    The bytes go to a temporary file in the same folder, are flushed, and get its name. A target that is not
    a file (a pipe, a device) is written to.
    """
    with _writing(path) as target:
        if path.exists() and not (path.is_file() or path.is_dir()):
            path.write_bytes(data)
            return
        temporary = _temporary(target)
        try:
            _write(temporary, data)
            _move_over(temporary, target)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()


def write_folder_atomically(path: Path, files: Mapping[str, Bytes]) -> None:
    """Write a folder of plain files so that it appears whole or not at all.

    Raises `OutputError`, also if the target exists and is not an empty folder.
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
            _move_over(temporary, target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[Path]:
    """The target of a path with links resolved; errors of the system become `OutputError`."""
    try:
        yield Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise OutputError(
            Sentence("cannot be written: {reason}", reason=str(reason)), source=str(path)
        ) from error


def _temporary(target: Path) -> Path:
    """A new name in the folder of `target`, within the length limit of the system."""
    return target.with_name(f".mshview-{os.urandom(4).hex()}.tmp")


def _write(path: Path, data: Bytes) -> None:
    """Write a new file and flush it to the disk."""
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _move_over(temporary: Path, target: Path) -> None:
    """Give the written file the name and the permissions of the one that it replaces."""
    if target.exists():
        temporary.chmod(target.stat().st_mode & 0o7777)
        if os.name == "nt" and target.is_dir() and temporary.is_dir():
            target.rmdir()
    temporary.replace(target)
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk, if the system supports it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _check_free(path: Path, target: Path) -> None:
    """Raise unless the target is absent or an empty folder other than the current one."""
    if not target.exists():
        return
    if not target.is_dir():
        raise OutputError("is not a folder", source=str(path))
    if any(target.iterdir()):
        raise OutputError("is a folder that is not empty", source=str(path))
    if target == Path.cwd():
        raise OutputError("is the current folder; choose a new folder", source=str(path))
