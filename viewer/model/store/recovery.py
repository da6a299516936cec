"""Remains of killed processes in a folder: half written files, half replaced sets, folders set aside.

Files that belong together are replaced under undo records, ``.mshview-*.set``, one in each of their folders:
they are written before the first file takes its name and removed after the last. The folders are locked
meanwhile, so that a record that is found in a locked folder is that of a dead process, and the old files are
put back. Of several records the first one names all others, which name it: as long as it is there the old
files count, in all folders, and once it is removed the new ones do. Folders on different drives of Windows
cannot name each other and are whole each alone.

A folder that makes room for another one, if the system cannot exchange the two in one step, waits in
``.mshview-*.old`` under its own name, and gets its place back if that is free. Where the system has no locks
whatever is left counts as that of a dead process after an hour.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from viewer.bounded_reading import read_at_most
from viewer.model.store.backups import free_backup, link_or_copy
from viewer.model.store.disk import real_path
from viewer.model.store.held import patiently, remove
from viewer.model.store.temporary import (
    TEMPORARY,
    is_abandoned,
    lock,
    locked,
    name_next_to,
    sync_folder,
    temporary_file,
)

_RECORD: Final = re.compile(r"\.mshview-[0-9a-f]{16}\.set")
_ASIDE: Final = re.compile(r"\.mshview-[0-9a-f]{16}-(\d+)\.old")
_LARGEST: Final = 1 << 24
"""Bytes of a record that is read."""
_ATTEMPTS: Final = 3
"""Times that the folders of sets are locked; between two a process may die and leave another set."""
Stamp = tuple[int, int, int]
"""Inode, size and modification time of a file in ns, by which it is known again under another name."""


class Exchange(NamedTuple):
    """A file of a set, by names in its folder.

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


class _Record(NamedTuple):
    """The contents of an undo record.

    Attributes
    ----------
    exchanges
        The files of its folder.
    first
        The first record of the same set; None in that one.
    others
        All others, in the first one.
    """

    exchanges: Sequence[Exchange] = ()
    first: Path | None = None
    others: Sequence[Path] = ()


@contextmanager
def undoable(sets: Mapping[Path, Sequence[Exchange]]) -> Iterator[None]:
    """While files take their names: if that raises, those of all folders are what they were.

    The folders are locked, their links resolved. If the process dies meanwhile, `recover` of any of them puts
    the old files back in all.
    """
    drives = {folder.anchor for folder in sets}
    with ExitStack() as stack:
        for drive in sorted(drives):
            folders = {name_next_to(it / "set", "set"): sets[it] for it in sets if it.anchor == drive}
            stack.enter_context(_undoable(folders))
        yield


@contextmanager
def _undoable(records: Mapping[Path, Sequence[Exchange]]) -> Iterator[None]:
    """While files of a drive take their names: keep a record in each folder, and undo all if that raises."""
    first, *others = records
    try:
        _begin(first, _Record(records[first], others=others))
        for record in others:
            _begin(record, _Record(records[record], first))
        yield
        # From here on the new files count.
        patiently(first.unlink)
        sync_folder(first.parent)  # it must not come back without the others
    except BaseException:
        with suppress(OSError):
            undo(first)
        raise
    finally:
        # As long as it is there the old files count: the names that they have aside are still needed.
        if not first.exists():
            for record in records:
                _end(record, records[record])


def _begin(record: Path, said: _Record) -> None:
    """Give the old files other names, and write the undo record."""
    import json  # noqa: PLC0415 only needed for sets

    for it in said.exchanges:
        # A second name: when the new file takes the first one, the old bytes stay under this.
        if it.aside:
            link_or_copy(record.with_name(it.name), record.with_name(it.aside))
    document = {
        "files": said.exchanges,
        "first": None if said.first is None else _relative(record, said.first),
        "others": [_relative(record, it) for it in said.others],
    }
    with temporary_file(record) as draft:
        # Under its name there is a whole record or none: half of one would undo half of a set.
        draft.write(json.dumps(document).encode())
        draft.close()
        patiently(partial(draft.path.rename, record))
    sync_folder(record.parent)


def _end(record: Path, exchanges: Sequence[Exchange]) -> None:
    """Remove an undo record that is needed no more, and what only it has named."""
    remove(record)
    for it in exchanges:
        if it.aside and not record.exists():
            remove(record.with_name(it.aside))


def undo(record: Path) -> None:
    """Put the old files of a set back in all its folders, which are locked, or end one whose new files count.

    Raises `OSError` if that is not possible.
    """
    found = _read(record)
    first = found.first
    if first is None:
        _undo(record, found)
    elif first.exists():
        undo_first = _read(first)
        if record in undo_first.others:
            _undo(first, undo_first)
    elif first.parent.is_dir():  # a folder that is gone says nothing
        _end(record, found.exchanges)


def _undo(first: Path, found: _Record) -> None:
    """Put the old files back from the first record; it goes last, as without it the new ones would count."""
    others = {it: said for it in found.others if (said := _read_if_there(it)).first == first}
    records = {**others, first: found}
    for record, said in records.items():
        _put_files_back(record.parent, said.exchanges)
    for record, said in records.items():
        _end(record, said.exchanges)


def _put_files_back(folder: Path, exchanges: Sequence[Exchange]) -> None:
    for it in reversed(exchanges):
        now = stamp_of(folder / it.name)
        if now not in (None, it.stamp):
            continue  # it was not replaced yet, or it is somebody else's by now
        if it.aside and (folder / it.aside).exists():
            patiently(partial((folder / it.aside).replace, folder / it.name))
        # No file had this name before.
        elif now is not None and not it.aside:
            patiently((folder / it.name).unlink)
    sync_folder(folder)


def _relative(record: Path, other: Path) -> str:
    """Path of another record from the folder of this one: they may be moved together."""
    return Path(os.path.relpath(other, record.parent)).as_posix()


def _read_if_there(record: Path) -> _Record:
    try:
        return _read(record)
    except OSError:
        return _Record()


def _read(record: Path) -> _Record:
    """Content of a record; nothing if it does not have the form of a record of this user and program."""
    # A record says which files to replace: in a folder that others write to, theirs is not followed.
    if not _is_own(record.lstat()):
        return _Record()
    with record.open("rb") as file:
        text = read_at_most(file, _LARGEST)
    import json  # noqa: PLC0415 only needed for sets

    with suppress(ValueError, TypeError, LookupError, AttributeError, RecursionError):
        document = json.loads(text)
        if isinstance(document, list):  # as earlier versions wrote it
            document = {"files": document, "first": None, "others": []}
        found = [Exchange(*row) for row in document["files"]]
        if all(map(_is_sound, found)):
            return _Record(
                [it._replace(stamp=(it.stamp[0], it.stamp[1], it.stamp[2])) for it in found],
                None if document["first"] is None else _other(record, document["first"]),
                [_other(record, it) for it in document["others"]],
            )
    return _Record()


def _other(record: Path, text: str) -> Path:
    """A record that another one names; raises `ValueError` if it is none."""
    found = PurePosixPath(text)
    if found.is_absolute() or not _RECORD.fullmatch(found.name):
        raise ValueError(text)
    return Path(os.path.normpath(record.parent / found))


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
            patiently(partial(folder.rename, target))
        elif match is not None and now[0] == int(match[1]):
            remove(folder)
        else:
            folder.rename(free_backup(target))
    remove(place)


@lru_cache(maxsize=64)
def sweep(folder: Path) -> None:
    """Undo and remove what killed processes have left in a folder, as `recover`, once in this process."""
    recover(folder)


def recover(folder: Path) -> None:
    """Undo and remove what killed processes of this user have left in a folder; raises no `OSError`.

    Sets of files that are in other folders too are undone there as well.
    """
    folder = real_path(folder)
    for _attempt in range(_ATTEMPTS):
        if not _left(folder):
            return
        folders = _with_linked(folder)
        with locked(folders) as are_locked:
            if _with_linked(folder) <= folders:
                _recover(folder, are_locked=are_locked)
                return


def _recover(folder: Path, *, are_locked: bool) -> None:
    """Undo and remove it, with the folder and those of its sets locked, if the system can lock them."""
    left = _left(folder)
    for path in (it for it in left if not TEMPORARY.fullmatch(it.name)):
        with suppress(OSError):
            if is_abandoned(path.lstat(), is_locked=are_locked or None):
                (undo if _RECORD.fullmatch(path.name) else put_back)(path)
    records = [_read_if_there(it) for it in left if _RECORD.fullmatch(it.name)]
    needed = {it.aside for record in records for it in record.exchanges}  # of those that could not be undone
    for path in (it for it in left if TEMPORARY.fullmatch(it.name)):
        if path.name not in needed:
            _remove_left_over(path)


def _remove_left_over(path: Path) -> None:
    """Remove a temporary file or folder of this user that belongs to no process any more.

    It stays locked until it is gone: its process, if that has only just made it, notices, and makes another.
    """
    descriptor, state = -1, None
    with suppress(OSError):  # Windows opens no folders
        found = path.lstat()
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
        with suppress(OSError):
            descriptor = os.open(path, flags)
            state = lock(descriptor)
        if is_abandoned(found, is_locked=state) and _is_own(found):
            if os.name == "nt" and descriptor >= 0:  # no open file is removed there
                os.close(descriptor)
                descriptor = -1
            remove(path)
    if descriptor >= 0:
        os.close(descriptor)


def _with_linked(folder: Path) -> set[Path]:
    """A folder, and those that have files of the same sets."""
    found = {folder}
    for record in (it for it in _left(folder) if _RECORD.fullmatch(it.name)):
        said = _read_if_there(record)
        first = said if said.first is None else _read_if_there(said.first)
        found.update(it.parent for it in (said.first, *said.others, *first.others) if it is not None)
    return {it for it in found if it.is_dir()}


def _left(folder: Path) -> list[Path]:
    """Paths in a folder that may be left over."""
    with suppress(OSError), os.scandir(folder) as entries:
        return [
            Path(entry.path)
            for entry in entries
            if any(it.fullmatch(entry.name) for it in (TEMPORARY, _RECORD, _ASIDE))
            and _is_own(entry.stat(follow_symlinks=False))
        ]
    return []


def _is_own(found: os.stat_result) -> bool:
    """Whether a file or folder, not a link, belongs to this user."""
    is_plain = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
    return is_plain and found.st_uid == getattr(os, "getuid", lambda: found.st_uid)()
