"""Writing a whole folder: it appears complete, in one step in place of an earlier one, or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from viewer.errors import OutputError
from viewer.formats.record import Bytes
from viewer.model.store import recovery
from viewer.model.store.held import patiently, refuse_open_files
from viewer.model.store.temporary import locked, make_folder_of, sync_folder, temporary_folder, writing

MANY_FILES: Final = 100
"""Files of a folder from which on everything is flushed at once, which takes less time than one by one."""
_FROM_HERE: Final = -100
"""``AT_FDCWD`` of Linux."""
_SWAP: Final = 2
"""The flag of Linux and of macOS to exchange two names."""


def write_folder(path: Path, files: Iterable[tuple[str, Bytes]]) -> None:
    """Write a folder of plain files, names and bytes.

    Raises `OutputError`, also if the target exists and is not an empty folder.
    """
    with new_folder(path) as temporary:
        written = []
        for name, data in files:
            written.append(temporary / name)
            with written[-1].open("xb") as file:
                file.write(data)
        _sync_all(written)


@contextmanager
def new_folder(path: Path, may_replace: Callable[[Path], bool] = lambda _: False) -> Iterator[Path]:
    """A temporary folder to fill, which takes the name `path` at the end; if that raises it is removed.

    The folders around it are made if they are missing.

    Raises `OutputError`, also for errors of the system while it is filled.

    Parameters
    ----------
    may_replace
        Whether a folder that exists and is not empty may be replaced with all that is in it.
    """
    with writing(path) as target:
        make_folder_of(target)
        recovery.sweep(target.parent)  # before the lock, which it takes itself
        _check_free(path, target, may_replace)
        with temporary_folder(target) as temporary:
            yield temporary.path
            sync_folder(temporary.path)
            with locked([target.parent]):
                # Once more: filling took its time, and now nobody else of this program writes here.
                _check_free(path, target, may_replace)
                refuse_open_files(path, target)
                temporary.close()  # Windows renames no open folder
                _take_name(temporary.path, target)
                sync_folder(target.parent)


def _take_name(temporary: Path, target: Path) -> None:
    """Give a folder the name of another one, which has that of the first afterwards, or none."""
    if not target.exists():
        patiently(partial(temporary.rename, target))
    elif not _swapped(temporary, target):
        # Two renames instead of one step: between them only `aside`, whose name says what it was, has the old
        # folder; a program that finds it there after a kill puts it back.
        aside = recovery.aside_of(target, temporary.stat().st_ino)
        try:
            aside.mkdir(0o700)
            patiently(partial(target.rename, aside / target.name))
            patiently(partial(temporary.rename, target))
        finally:
            recovery.put_back(aside)


def _swapped(one: Path, other: Path) -> bool:
    """Exchange the names of two folders in one step; False if the system cannot."""
    import ctypes  # noqa: PLC0415 rarely needed

    first, second = os.fsencode(one), os.fsencode(other)
    try:
        if sys.platform == "linux":
            failed = ctypes.CDLL(None).renameat2(_FROM_HERE, first, _FROM_HERE, second, _SWAP)
        elif sys.platform == "darwin":
            failed = ctypes.CDLL(None).renamex_np(first, second, _SWAP)
        else:
            return False
    except (AttributeError, OSError):  # an older system library
        return False
    return bool(failed == 0)


def _sync_all(paths: Sequence[Path]) -> None:
    """Flush written files to the disk; many at once where the system waits for that."""
    if len(paths) > MANY_FILES and sys.platform == "linux":
        os.sync()
        return
    for path in paths:
        with path.open("rb+") as file:
            os.fsync(file.fileno())


def _check_free(path: Path, target: Path, may_replace: Callable[[Path], bool]) -> None:
    """Raise unless the target is absent, or an empty or replaceable folder other than the current one."""
    if not target.exists():
        return
    if not target.is_dir():
        raise OutputError("is not a folder", source=path)
    if any(target.iterdir()) and not may_replace(target):
        raise OutputError("is a folder that is not empty; choose a new folder", source=path)
    if target == Path.cwd():
        raise OutputError("is the current folder; choose a new folder", source=path)
