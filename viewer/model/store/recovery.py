"""What killed processes have left in a folder: half written files, half replaced sets, folders set aside.

Files that belong together are replaced under an undo record, ``.mshview-*.set``: it is written before the
first of them takes its name and removed after the last. The folder is locked meanwhile, so that one that is
found in a locked folder is that of a dead process, and the old files are put back. A folder that makes room
for another one, if the system cannot exchange the two in one step, waits in ``.mshview-*.old`` under its own
name, and gets its place back if that is free.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from viewer.model.store.backups import free_backup, link_or_copy
from viewer.model.store.locks import locked
from viewer.model.store.temporary import (
    TEMPORARY,
    is_left_over,
    is_own,
    name_next_to,
    remove,
    sync_folder,
    temporary_file,
)

_RECORD: Final = re.compile(r"\.mshview-[0-9a-f]{16}\.set")
_ASIDE: Final = re.compile(r"\.mshview-[0-9a-f]{16}-(\d+)\.old")
_LARGEST: Final = 1 << 24
"""Bytes of a record that is read."""
Stamp = tuple[int, int, int]
"""Inode, size and modification time of a file in ns, by which it is known again under another name."""


class Exchange(NamedTuple):
    """One file of a set, by names in its folder.

    Attributes
    ----------
    name
        The file.
    temporary
        The new one.
    aside
        Another name of the old one; empty if there is none.
    stamp
        That of the new one.
    """

    name: str
    temporary: str
    aside: str
    stamp: Stamp


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of a file, None if there is no such file."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def undoable(sets: Mapping[Path, Sequence[Exchange]]) -> Iterator[None]:
    """While files take their names: if that raises, those of each folder are what they were.

    The folders are locked. If the process dies meanwhile, `recover` puts the old files back.
    """
    records = {name_next_to(folder / "set", "set"): exchanges for folder, exchanges in sets.items()}
    try:
        for record, exchanges in records.items():
            _begin(record, exchanges)
        yield
        for record in records:
            record.unlink()
    except BaseException:
        for record in records:
            with suppress(OSError):
                undo(record)
        raise
    finally:
        for record, exchanges in records.items():
            _remove_asides(record, exchanges)


def _begin(record: Path, exchanges: Sequence[Exchange]) -> None:
    """Give the old files other names, and write the undo record."""
    for it in exchanges:
        if it.aside:
            link_or_copy(record.with_name(it.name), record.with_name(it.aside))
    with temporary_file(record) as draft:
        draft.write(json.dumps(exchanges).encode())
        draft.close()
        draft.path.rename(record)
    sync_folder(record.parent)


def _remove_asides(record: Path, exchanges: Sequence[Exchange]) -> None:
    """Remove what only an undo record has named, unless it is still needed."""
    if not record.exists():
        for it in exchanges:
            if it.aside:
                remove(record.with_name(it.aside))


def undo(record: Path) -> None:
    """Put the old files of a set back; the folder is locked. Raises `OSError` if that is not possible."""
    folder, exchanges = record.parent, _read(record)
    for it in reversed(exchanges):
        now = stamp_of(folder / it.name)
        if now not in (None, it.stamp):
            continue  # it was not replaced yet, or it is somebody else's by now
        if it.aside and (folder / it.aside).exists():
            (folder / it.aside).replace(folder / it.name)
        elif now is not None and not it.aside:
            (folder / it.name).unlink()
    sync_folder(folder)
    record.unlink()
    _remove_asides(record, exchanges)


def _read(record: Path) -> list[Exchange]:
    """The exchanges in a record; none if it does not have the form of a record of this program."""
    with record.open("rb") as file:
        text = file.read(_LARGEST)
    with suppress(ValueError, TypeError, RecursionError):
        found = [Exchange(*row) for row in json.loads(text)]
        if all(map(_is_sound, found)):
            return [it._replace(stamp=(it.stamp[0], it.stamp[1], it.stamp[2])) for it in found]
    return []


def _is_sound(it: Any) -> bool:
    """Whether an exchange names files of its folder alone."""
    names = [name for name in (it.temporary, it.aside) if name]
    is_plain = isinstance(it.name, str) and it.name not in ("", "..") and Path(it.name).name == it.name
    is_stamped = len(it.stamp) == 3 and all(isinstance(number, int) for number in it.stamp)
    return is_plain and is_stamped and all(isinstance(it, str) and TEMPORARY.fullmatch(it) for it in names)


def aside_of(folder: Path, inode: int) -> Path:
    """A new folder in which one waits that makes room for a folder with an inode."""
    return folder.with_name(f"{name_next_to(folder).stem}-{inode}.old")


def put_back(place: Path) -> None:
    """Give a folder that was set aside its place back; the folder around it is locked.

    It is removed if the one that it made room for is there, and kept as a backup if something else is.
    """
    match = _ASIDE.fullmatch(place.name)
    for folder in [*place.iterdir()] if place.exists() else []:
        target = place.with_name(folder.name)
        now = stamp_of(target)
        if now is None:
            folder.rename(target)
        elif match is not None and now[0] == int(match[1]):
            remove(folder)
        else:
            folder.rename(free_backup(target))
    remove(place)


@lru_cache(maxsize=64)
def sweep(folder: Path) -> None:
    """Do the same as `recover`, once per folder and process."""
    recover(folder)


def recover(folder: Path) -> None:
    """Undo and remove what killed processes of this user have left in a folder; raises no `OSError`."""
    if not _left(folder):
        return
    with locked([folder]):
        for path in sorted(_left(folder), key=lambda it: it.suffix != ".set"):  # they need temporary files
            with suppress(OSError):
                if _RECORD.fullmatch(path.name):
                    undo(path)
                elif _ASIDE.fullmatch(path.name):
                    put_back(path)
                elif is_left_over(path):
                    remove(path)


def _left(folder: Path) -> list[Path]:
    """What in a folder may be left over."""
    with suppress(OSError), os.scandir(folder) as entries:
        return [
            Path(entry.path)
            for entry in entries
            if any(it.fullmatch(entry.name) for it in (TEMPORARY, _RECORD, _ASIDE))
            and is_own(entry.stat(follow_symlinks=False))
        ]
    return []
