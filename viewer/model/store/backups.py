"""The file that was there first stays as ``NAME.bak``: the first write over it makes it, all others keep it.

What another program has written stays too if it is replaced unread, under the next name that is free. If
something else than a file has that name, such as a link or a folder, the backup is ``NAME.1.bak``. What the
program keeps for itself and cannot read stays as ``NAME.damaged``: journals, settings, galleries whose index
says that they are of this program. Reading renames nothing in the folders of the user.
"""

from __future__ import annotations

import filecmp
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from viewer.errors import OutputError
from viewer.model.store.disk import BACKUP_SUFFIX
from viewer.model.store.temporary import take_free_name, temporary_file
from viewer.translation import _

DAMAGED_SUFFIX: Final = ".damaged"
MOST_NAMES: Final = 100
"""Names that are tried for a backup."""


class Backup(NamedTuple):
    """The backup of a file.

    Attributes
    ----------
    path
        Where it is, or will be.
    is_made
        Whether it is there already.
    """

    path: Path
    is_made: bool


def backup_of(target: Path, *, is_exact: bool = False) -> Backup:
    """The backup of a file, or the place for it; raises `OutputError` if there is none.

    Parameters
    ----------
    is_exact
        Whether one with other bytes than the file has now does not count.
    """
    for path in _names(target):
        try:
            if stat.S_ISREG(path.lstat().st_mode) and not (is_exact and _differs(path, target)):
                return Backup(path, is_made=True)
        except FileNotFoundError:
            return Backup(path, is_made=False)
    raise AssertionError  # the names do not end without an error


def _differs(backup: Path, target: Path) -> bool:
    """Whether two files differ, or cannot be compared."""
    try:
        # By their bytes: `copy_to` gives a backup the time of the file, and one that is as long would pass
        # for equal.
        return not filecmp.cmp(backup, target, shallow=False)
    except OSError:
        return True


def free_backup(target: Path) -> Path:
    """A name for a backup that nothing has; raises `OutputError` if there is none."""
    return next(path for path in _names(target) if not os.path.lexists(path))


def set_aside(path: Path) -> Path:
    """Rename a damaged file, so that it is reported once and not lost; returns the new path.

    Raises `OSError`, and `OutputError` if there is no name for it.
    """
    # Also of a link that leads nowhere, which a rename would replace.
    kept = next(it for it in _names(path, DAMAGED_SUFFIX) if not os.path.lexists(it))
    return path.rename(kept)


def _names(target: Path, suffix: str = BACKUP_SUFFIX) -> Iterator[Path]:
    for number in range(MOST_NAMES):
        yield target.with_name(f"{target.name}{f'.{number}' if number else ''}{suffix}")
    words = _("has no backup: {count} names for it are taken", count=MOST_NAMES)
    raise OutputError(words, source=target)


def link_or_copy(target: Path, name: Path) -> None:
    """Give a file another name, or copy it; raises `OSError`, also if something has that name."""
    try:
        name.hardlink_to(target)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        copy_to(target, name)


def copy_to(target: Path, backup: Path) -> None:
    """Copy a file with its times; raises `OSError`, also if something has that name.

    A link would be another name of the living file if that cannot be replaced: Windows removes no name of a
    file that a program has open, and what the program writes into it would be in the backup too.
    """
    found = target.stat()
    with temporary_file(backup, target) as copy:
        copy.write(target.read_bytes())
        copy.close()
        os.utime(copy.path, ns=(found.st_atime_ns, found.st_mtime_ns))
        take_free_name(copy.path, backup)


def take_back(target: Path, backup: Path) -> None:
    """Remove a backup that was made for nothing: of a file that was not replaced."""
    with suppress(OSError):
        # Only while its bytes are still in the file as well.
        if not _differs(backup, target):
            backup.unlink()
