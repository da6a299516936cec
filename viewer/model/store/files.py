"""Plain files: read by name inside one folder, and written atomically."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Final

from viewer.errors import AddressError, OutputError
from viewer.formats.record import Bytes
from viewer.model.store.disk import Revision
from viewer.translation import Sentence

SIZE_LIMIT = 256 << 20
"""Largest size of a file, bytes; larger ones are refused."""
FOLDER_LIMIT = 4 * SIZE_LIMIT
"""Largest total size of the files of one folder, bytes."""

_TEMPORARY: Final = re.compile(r"\.mshview-[0-9a-f]{8}\.tmp")
MANY_FILES: Final = 100
"""Files of a folder from which on everything is flushed at once, which takes less time than one by one."""
LEFT_OVER: Final = 3600.0
"""Age from which a temporary file is one of a killed process, seconds; one that is written is younger."""
_EXISTS: Final = "exists already"
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})
"""Errors of file systems without hard links."""


class PlainFolder:
    """The regular files of one folder, read by names that come from a file; nothing outside it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._room = FOLDER_LIMIT

    def names(self) -> list[str]:
        """The names in the folder, sorted; empty if it cannot be listed."""
        try:
            return sorted(path.name for path in self.path.iterdir())
        except OSError:
            return []

    def read(self, name: str) -> bytes:
        """The bytes of a file; raises `AddressError` if it is not a regular file or outside the folder."""
        path = self.path / name
        try:
            if path.resolve().parent != self.path.resolve():
                raise AddressError("leads out of the folder", source=str(path))
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                raise AddressError("is not a regular file", source=str(path))
            if found.st_size > self._room:
                raise self._too_much()
            with path.open("rb") as file:
                data = file.read(self._room + 1)
        except (OSError, ValueError, RuntimeError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise AddressError(
                Sentence("cannot be read: {reason}", reason=str(reason)), source=str(path)
            ) from error
        self._room -= len(data)
        if self._room < 0:
            raise self._too_much()
        return data

    def _too_much(self) -> AddressError:
        words = Sentence("more than {limit} bytes together", limit=FOLDER_LIMIT)
        return AddressError(words, source=str(self.path))


def in_parts(data: Bytes | Iterable[Bytes]) -> Iterable[Bytes]:
    """Bytes that may come in parts, as parts."""
    return (data,) if isinstance(data, bytes | bytearray | memoryview) else data


def write_atomically(path: Path, data: Bytes | Iterable[Bytes], *, can_replace: bool = True) -> None:
    """Write a file so that it appears whole or not at all; raises `OutputError`.

    The bytes, which may come in parts, go to a temporary file in the same folder, are flushed, and get its
    name. A target that is not a file (a pipe, a device) is written to. With `can_replace` False an existing
    file is an error.
    """
    with _writing(path):
        if _is_device(path):
            with path.open("wb") as file:
                _write_parts(file, data)
            return
    with replacing(path) as place:
        place.write(in_parts(data))
        place.take_name(can_replace=can_replace)


def write_together(files: Sequence[tuple[Path, Iterable[Bytes]]], *, can_replace: bool = True) -> None:
    """Write files of several folders so that all of them appear whole or none at all; raises `OutputError`.

    They appear in this order: one that names others comes after them. If one cannot, those before it are
    again what they were. A target that is not a file is refused. With `can_replace` False one that exists is
    an error.
    """
    with contextlib.ExitStack() as stack:
        places = [stack.enter_context(replacing(path)) for path, _ in files]
        for (path, data), place in zip(files, places, strict=True):
            with _writing(path):
                if _is_device(path):
                    raise OutputError("is not a file", source=str(path))
                place.write(data)
        kept, undo = (stack.enter_context(contextlib.ExitStack()) for _ in range(2))
        for (path, _), place in zip(files, places, strict=True):
            with _writing(path):
                before = _set_aside(place.target) if can_replace else None
                if before is not None:
                    kept.callback(_remove, before)
                place.take_name(can_replace=can_replace)
                undo.callback(_put_back, place.target, before)
        undo.pop_all()


def _set_aside(target: Path) -> Path | None:
    """Another name of a file that will be replaced, or a copy; None if there is none."""
    if not target.exists():
        return None
    aside = _temporary(target)
    if not _linked(target, aside):
        import shutil  # noqa: PLC0415 brings compressors along

        shutil.copy2(target, aside)
    return aside


def _put_back(target: Path, before: Path | None) -> None:
    """Undo a replacement."""
    with contextlib.suppress(OSError):
        if before is None:
            target.unlink()
        else:
            before.replace(target)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A temporary file that will take the name of another one in the same folder.

    Attributes
    ----------
    target
        The file that is replaced, links resolved.
    temporary
        The file that is written.
    """

    target: Path
    temporary: Path

    def write(self, data: Iterable[Bytes]) -> None:
        """Write bytes, which come in parts, and flush them to the disk; raises `OSError`."""
        _write(self.temporary, data)
        _sync(self.temporary)

    def take_name(self, *, can_replace: bool = True) -> Revision:
        """Give it the name and the permissions of what it replaces; raises `OSError`.

        With `can_replace` False a file of that name is an error.
        """
        written = self.temporary.stat()
        _take_name(self.temporary, self.target, can_replace=can_replace)
        return Revision(written.st_mtime_ns, written.st_size)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Replacement]:
    """The replacement of a file, whose temporary file is removed at the end.

    Errors of the system become `OutputError`.
    """
    with _writing(path) as target:
        sweep(target.parent)
        place = Replacement(target, _temporary(target))
        try:
            yield place
        finally:
            _remove(place.temporary)


def write_folder_atomically(path: Path, files: Iterable[tuple[str, Bytes]]) -> None:
    """Write a folder of plain files, names and bytes, so that it appears whole or not at all.

    Raises `OutputError`, also if the target exists and is not an empty folder.
    """
    with new_folder(path) as temporary:
        written = [_write(temporary / name, data) for name, data in files]
        _sync_all(written)


@contextlib.contextmanager
def new_folder(path: Path, may_replace: Callable[[Path], bool] = lambda _: False) -> Iterator[Path]:
    """A temporary folder to fill, which takes the name `path` at the end; if that raises it is removed.

    Raises `OutputError`, also for errors of the system while it is filled.

    Parameters
    ----------
    may_replace
        Whether a folder that exists and is not empty may be replaced with all that is in it.
    """
    with _writing(path) as target:
        _check_free(path, target, may_replace)
        sweep(target.parent)
        temporary = _temporary(target)
        try:
            temporary.mkdir()
            yield temporary
            _sync_folder(temporary)
            _check_free(path, target, may_replace)
            if target.exists() and any(target.iterdir()):
                _exchange(temporary, target)
            else:
                _take_name(temporary, target)
        finally:
            _remove(temporary)


def _exchange(temporary: Path, target: Path) -> None:
    """Give a folder the name of another one, which is removed; if that fails it has its name again."""
    temporary.chmod(target.stat().st_mode & 0o7777)
    replaced = _temporary(target)
    try:
        target.rename(replaced)
        temporary.rename(target)
    except BaseException:
        if replaced.exists() and not target.exists():
            replaced.rename(target)
        raise
    _sync_folder(target.parent)
    _remove(replaced)


def refuse_existing(path: Path) -> None:
    """Raise `OutputError` if a path is taken, unless by a device or a pipe, which is only written to."""
    with _writing(path):
        if path.exists() and not _is_device(path):
            raise OutputError(_EXISTS, source=str(path))


@lru_cache(maxsize=64)
def sweep(folder: Path) -> None:
    """Remove what killed processes of this user have left in a folder; once per folder and process."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _TEMPORARY.fullmatch(entry.name) and _is_left_over(entry.stat(follow_symlinks=False)):
                _remove(Path(entry.path))


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        import shutil  # noqa: PLC0415 brings compressors along

        shutil.rmtree(path, ignore_errors=True)
        return
    with contextlib.suppress(OSError):
        path.unlink()


def _is_left_over(found: os.stat_result) -> bool:
    own = getattr(os, "getuid", lambda: found.st_uid)()
    return found.st_uid == own and time.time() - found.st_mtime > LEFT_OVER


def _is_device(path: Path) -> bool:
    return path.exists() and not (path.is_file() or path.is_dir())


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[Path]:
    """The target of a path with links resolved; errors of the system become `OutputError`."""
    try:
        yield Path(os.path.realpath(path))
    except FileExistsError:
        raise OutputError(_EXISTS, source=str(path)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise OutputError(
            Sentence("cannot be written: {reason}", reason=str(reason)), source=str(path)
        ) from error


def _temporary(target: Path) -> Path:
    """A new name in the folder of `target`, within the length limit of the system."""
    return target.with_name(f".mshview-{os.urandom(4).hex()}.tmp")


def _write(path: Path, data: Bytes | Iterable[Bytes]) -> Path:
    """Write a new file and return its path."""
    with path.open("xb") as file:
        _write_parts(file, data)
        file.flush()
    return path


def _write_parts(file: IO[bytes], data: Bytes | Iterable[Bytes]) -> None:
    for part in in_parts(data):
        file.write(part)


def _sync(path: Path) -> None:
    """Flush a written file to the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _sync_all(paths: Sequence[Path]) -> None:
    """Flush written files to the disk; many at once where the system waits for that."""
    if len(paths) > MANY_FILES and sys.platform == "linux":
        os.sync()
        return
    for path in paths:
        _sync(path)


def _take_name(temporary: Path, target: Path, *, can_replace: bool = True) -> None:
    """Give what was written the name and the permissions of what it replaces."""
    if can_replace and target.exists():
        temporary.chmod(target.stat().st_mode & (0o7777 if target.is_dir() else 0o1777))
        if os.name == "nt" and target.is_dir() and temporary.is_dir():
            target.rmdir()
    if can_replace or not _linked(temporary, target):
        temporary.replace(target)
    _sync_folder(target.parent)


def _linked(temporary: Path, target: Path) -> bool:
    """Link a file to a name that must be free; False if the file system has no links and the name is free.

    Raises `FileExistsError`.
    """
    try:
        target.hardlink_to(temporary)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if target.exists():
            raise FileExistsError from None
        return False
    return True


def _sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk, if the system supports it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _check_free(path: Path, target: Path, may_replace: Callable[[Path], bool]) -> None:
    """Raise unless the target is absent, or an empty or replaceable folder other than the current one."""
    if not target.exists():
        return
    if not target.is_dir():
        raise OutputError("is not a folder", source=str(path))
    if any(target.iterdir()) and not may_replace(target):
        raise OutputError("is a folder that is not empty", source=str(path))
    if target == Path.cwd():
        raise OutputError("is the current folder; choose a new folder", source=str(path))
