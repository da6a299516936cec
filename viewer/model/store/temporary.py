"""Temporary files and folders next to what they replace, and the locks of those who write them.

The system releases a lock when its process ends, however it ends. Each temporary file is locked as long as
its process writes it, so that one that can be locked is left over from another one. It has the permissions
and the owner of what it replaces before its first byte.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from viewer.errors import InUseError, OutputError, reason_of
from viewer.formats.record import Bytes
from viewer.model.store.disk import real_path
from viewer.model.store.held import HeldError, held_words, remove
from viewer.translation import _

PATIENCE: Final = 10.0
"""Seconds after which a folder that another process keeps locked is an error; milliseconds are usual."""
PATIENCE_WITH_OTHERS: Final = 2.0
"""Seconds after which a lock is given up on a folder that other users can open, and so lock, too."""
_PAUSE: Final = 0.005
"""Seconds between two attempts."""
_TAKEN: Final = frozenset({errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK, 0})
"""Errors of a lock that another open file has; Wine gives no number."""
_FAR: Final = 0x7FFFFFFE
"""The byte that is locked on Windows: locked bytes cannot be read by others, so one behind all content."""
LEFT_OVER: Final = 3600.0
"""Age from which what the system cannot lock is left over from a killed process, seconds."""


def lock(descriptor: int) -> bool | None:
    """Lock an open file or folder until it is closed.

    Returns True if it is locked now, False if another open file has it locked, and None if the system cannot
    lock it.
    """
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 Windows only

            os.lseek(descriptor, _FAR, os.SEEK_SET)
            try:  # not LK_LOCK, which waits ten seconds by itself
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            finally:
                os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            import fcntl  # noqa: PLC0415 not on Windows

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in _TAKEN else None
    return True


def is_abandoned(found: os.stat_result, *, is_locked: bool | None) -> bool:
    """Whether what `lock` was tried on belongs to no process any more; without locks its age decides."""
    return time.time() - found.st_mtime > LEFT_OVER if is_locked is None else is_locked


def _is_shared(descriptor: int) -> bool:
    """Whether other users can open what is locked; never on Windows, where the file is this user's."""
    found = os.fstat(descriptor)
    owner = getattr(os, "getuid", lambda: found.st_uid)()
    can_be_opened = found.st_mode & (stat.S_IRGRP | stat.S_IROTH) and os.name != "nt"
    return found.st_uid != owner or bool(can_be_opened)


@contextmanager
def locked(folders: Iterable[Path]) -> Iterator[bool]:
    """Exclude all other writers of this program, in any process or thread, from some folders.

    The folders themselves are locked, so that nothing is left in them. Yields whether the system can lock
    all of them. Raises `OutputError` for one that stays locked.
    """
    with ExitStack() as stack:
        ordered = sorted({*folders})  # in one order, so that two processes never wait for each other
        states = [stack.enter_context(_locked(folder)) for folder in ordered]
        yield all(states)


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    descriptor = _locked_descriptor(folder)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            with suppress(OSError):  # nothing was written through it
                os.close(descriptor)
            if os.name == "nt":  # where no file is removed that another process has open by now
                with suppress(OSError):
                    _lock_path(folder).unlink()


def _locked_descriptor(folder: Path) -> int | None:
    """The locked folder, or a file that stands for it if folders cannot be locked; None without locks."""
    for opened in (_folder_itself, _lock_file):
        with suppress(OSError):
            descriptor = opened(folder)
            state = _has_locked(descriptor, folder)
            if state:
                return descriptor
            os.close(descriptor)
            if state is False:
                return None
            # The system locks no folders: the file that stands for it is tried next.
    return None


def _folder_itself(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY)


def _lock_file(folder: Path) -> int:
    """A file in the folder of temporary files: Windows opens no folders, NFS locks none."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    return os.open(_lock_path(folder), flags, 0o600)


def _lock_path(folder: Path) -> Path:
    import tempfile  # noqa: PLC0415 rarely needed
    from hashlib import sha256  # noqa: PLC0415

    return Path(tempfile.gettempdir(), f"mshview-{sha256(os.fsencode(folder)).hexdigest()[:16]}.lock")


def _has_locked(descriptor: int, folder: Path) -> bool | None:
    """Wait for a lock; False if others may keep it, None if the system cannot lock this.

    Raises `OutputError` if a process of this user keeps it.

    Any user who can open a folder can keep it locked, which must not stop others: without it files are still
    compared with what was read and renamed whole, and what was left over goes by its age.
    """
    is_shared = _is_shared(descriptor)
    end = time.monotonic() + (PATIENCE_WITH_OTHERS if is_shared else PATIENCE)
    while (state := lock(descriptor)) is False:
        if time.monotonic() > end:
            if is_shared:
                return False
            os.close(descriptor)
            words = _("another program has been writing here for {seconds} seconds", seconds=PATIENCE)
            raise OutputError(words, source=folder)
        time.sleep(_PAUSE)
    return state


TEMPORARY: Final = re.compile(r"\.mshview-[0-9a-f]{8,16}\.tmp")
EXISTS: Final = "exists already"
_FILE_MODE: Final = 0o1777
"""Permissions that a file takes over: not the right to run as its owner, whose bytes are others now."""
_FOLDER_MODE: Final = 0o7777
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EINVAL})
"""Errors of file systems without hard links; Windows says EINVAL of FAT and exFAT."""


class Temporary:
    """A temporary file or folder.

    Attributes
    ----------
    path
        Where it is.
    target
        What it is made for, for messages.
    descriptor
        The open file, which has the lock; negative for a folder that the system cannot open.
    """

    def __init__(self, target: Path) -> None:
        self.path = name_next_to(target)
        self.target = target
        self.descriptor = -1

    def write(self, data: Bytes | Iterable[Bytes]) -> None:
        """Write a file, whose bytes may come in parts, and flush it to the disk."""
        with os.fdopen(self.descriptor, "wb", closefd=False) as file:
            for part in in_parts(data):
                file.write(part)
            file.flush()
            os.fsync(self.descriptor)

    def close(self) -> None:
        """Give the lock up; raises `OutputError`: some file systems say only now that a write has failed."""
        descriptor, self.descriptor = self.descriptor, -1
        if descriptor >= 0:
            try:
                os.close(descriptor)
            except OSError as error:
                words = _("cannot be written: {reason}", reason=reason_of(error))
                raise OutputError(words, source=self.target) from error


def in_parts(data: Bytes | Iterable[Bytes]) -> Iterable[Bytes]:
    """Bytes that may come in parts, as parts."""
    return (data,) if isinstance(data, bytes | bytearray | memoryview) else data


def make_folder_of(target: Path) -> None:
    """Make the folder that a file or a folder is to be in, and those around it, if they are missing."""
    if not target.parent.exists():
        target.parent.mkdir(parents=True, exist_ok=True)


def name_next_to(target: Path, suffix: str = "tmp") -> Path:
    """A new name in the folder of `target`, within the length limit of the system."""
    return target.with_name(f".mshview-{os.urandom(8).hex()}.{suffix}")


@contextmanager
def temporary_file(target: Path, model: Path | None = None) -> Iterator[Temporary]:
    """A new file, open for writing, with the permissions and the owner of another one; removed at the end.

    The other one is `target`, if no other `model` is given.
    """
    made = Temporary(target)
    try:
        like = _state(model or target)
        while made.descriptor < 0:
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            made.descriptor = os.open(made.path, flags, 0o666 if like is None else 0o600)
            if lock(made.descriptor) is False or not os.fstat(made.descriptor).st_nlink:
                made.close()  # another process took it for one that was left over, and removes it
                made.path = name_next_to(target)
        if like is not None:
            _dress(made.path, made.descriptor, like, _FILE_MODE)
            _copy_access(model or target, made.path)
        yield made
    finally:
        try:
            made.close()
        finally:
            remove(made.path)


@contextmanager
def temporary_folder(target: Path) -> Iterator[Temporary]:
    """A new folder with the permissions and the owner of `target`; what has its name then is removed."""
    made = Temporary(target)
    try:
        like = _state(target)
        made.path.mkdir(0o777 if like is None else 0o700)
        with suppress(OSError):  # Windows opens no folders
            made.descriptor = os.open(made.path, os.O_RDONLY)
            while lock(made.descriptor) is False or not os.fstat(made.descriptor).st_nlink:
                made.close()  # as for a file
                made.path = name_next_to(target)
                made.path.mkdir(0o777 if like is None else 0o700)
                made.descriptor = os.open(made.path, os.O_RDONLY)
        if like is not None:
            _dress(made.path, made.descriptor, like, _FOLDER_MODE)
        yield made
    finally:
        try:
            made.close()
        finally:
            remove(made.path)


def take_free_name(temporary: Path, target: Path) -> None:
    """Rename a temporary file to a name that must be free; raises `FileExistsError`, and `OSError`.

    A link fails if the name is taken meanwhile, where a rename would replace what took it.
    """
    try:
        target.hardlink_to(temporary)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(target):
            raise FileExistsError from None
        temporary.rename(target)


def _state(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _dress(path: Path, descriptor: int, like: os.stat_result, mask: int) -> None:
    """Give a new file the owner and the permissions of another one.

    If its group cannot be had the own group gets no more than all others have.
    """
    mode = like.st_mode & mask
    place = path if descriptor < 0 or os.name == "nt" else descriptor
    if hasattr(os, "chown"):
        # The group first: who is no longer the owner may not change it.
        for owner, group in ((-1, like.st_gid), (like.st_uid, -1)):
            with suppress(PermissionError):
                os.chown(place, owner, group)
        if os.stat(place).st_gid != like.st_gid:  # noqa: PTH116 of an open file
            # 0o664 becomes 0o644: the bits of the group are ANDed with those of all others, moved up
            # by three; the right to run as the group goes.
            mode &= ~0o2070 | (mode & 0o007) << 3
    os.chmod(place, mode)  # noqa: PTH101 of an open file


_KEPT_ATTRIBUTES: Final = (
    stat.FILE_ATTRIBUTE_HIDDEN | stat.FILE_ATTRIBUTE_SYSTEM | stat.FILE_ATTRIBUTE_NOT_CONTENT_INDEXED
)
"""Attributes of Windows that a file takes over, besides read-only: a file that has this is not replaced."""


def _copy_access(source: Path, target: Path) -> None:
    """Copy what a file says of access beyond its permissions, and what the user noted of it, if it does.

    On Windows these are its attributes; its alternate streams are not copied.
    """
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415 Windows only

        given = source.stat().st_file_attributes & _KEPT_ATTRIBUTES
        if given:
            new = target.stat().st_file_attributes
            ctypes.windll.kernel32.SetFileAttributesW(str(target), new | given)
    for name in getattr(os, "listxattr", lambda _ignored: ())(source):
        if name.startswith("user.") or name == "system.posix_acl_access":
            with suppress(OSError):
                os.setxattr(target, name, os.getxattr(source, name))


MOST_LINKS: Final = 40
"""Links on the way to a file, as many as Linux follows."""
_OTHERS_MAY_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """The target of a path with links resolved; errors of the system become `OutputError`.

    A link that another user may have put there is refused: it leads to a file of that user's choice.
    """
    try:
        if hasattr(os, "getuid"):
            _refuse_planted_links(path)
        yield real_path(path)
    except FileExistsError:
        raise OutputError(EXISTS, source=path) from None
    except HeldError as error:
        raise InUseError(held_words(error), source=path) from error
    except (OSError, ValueError) as error:
        raise OutputError(_("cannot be written: {reason}", reason=reason_of(error)), source=path) from error


def _refuse_planted_links(path: Path) -> None:
    """Raise `OutputError` for a link on the way to a file that neither this user nor the system has made.

    The system does not refuse them where files are made under other names and renamed
    (``fs.protected_symlinks`` is about opening).
    """
    trusted = {0, os.getuid()}
    here, *left = Path.cwd().joinpath(path).parts
    folder = Path(here)
    links = 0
    while left:
        part = left.pop(0)
        place = folder / part
        try:
            found = place.lstat()
        except FileNotFoundError:
            return
        if not stat.S_ISLNK(found.st_mode):
            # `folder` has no links, so that its parent is that of the system.
            folder = folder.parent if part == ".." else place
            continue
        target = place.readlink()
        around = folder.stat()
        is_own_folder = around.st_uid in trusted and not around.st_mode & _OTHERS_MAY_WRITE
        if found.st_uid not in trusted and not is_own_folder:
            words = _("is a link of another user to {target}, which is not followed", target=target)
            raise OutputError(words, source=place)
        links += 1
        if links > MOST_LINKS:
            return  # the system says so when the file is opened
        folder = Path(target.anchor) if target.is_absolute() else folder
        left = [*target.parts[1 if target.is_absolute() else 0 :], *left]


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk, if the system supports it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
