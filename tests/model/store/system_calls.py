"""Processes that are stopped at their system calls, and get a signal at one that changes a file."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import struct
import sys
import traceback
from collections.abc import Callable
from typing import Final, NamedTuple

Program = Callable[[], int]
"""What a process does, and its exit status."""

_TRACEME, _CONTINUE, _SYSCALL, _SETOPTIONS, _GET_SYSCALL_INFO = 0, 7, 24, 0x4200, 0x420E
_MARK_CALLS: Final = 1
"""``PTRACE_O_TRACESYSGOOD``: a stop at a system call is told from a signal."""
_STOP_IF_FILTERED: Final = 0x80
"""``PTRACE_O_TRACESECCOMP``: a stop at the calls that the process has named in a filter."""
KILL: Final = getattr(signal, "SIGKILL", signal.SIGTERM)
"""The signal that no process survives; Windows has none, where nothing is run here."""
_TRAP: Final = getattr(signal, "SIGTRAP", 5)
_AT_FILTERED: Final = _TRAP | 7 << 8
"""The state of a process that stopped at such a call, without its lowest byte."""
_NUMBERS: Final = {
    "x86_64": {
        "openat": 257, "open": 2, "creat": 85, "write": 1, "pwrite64": 18, "writev": 20, "truncate": 76,
        "ftruncate": 77, "fsync": 74, "fdatasync": 75, "sync": 162, "rename": 82, "renameat": 264,
        "renameat2": 316, "link": 86, "linkat": 265, "symlink": 88, "symlinkat": 266, "unlink": 87,
        "unlinkat": 263, "mkdir": 83, "mkdirat": 258, "rmdir": 84, "chmod": 90, "fchmod": 91, "fchmodat": 268,
        "chown": 92, "fchown": 93, "lchown": 94, "fchownat": 260, "utimensat": 280, "setxattr": 188,
        "sendfile": 40, "copy_file_range": 326,
    },
    "aarch64": {
        "openat": 56, "write": 64, "pwrite64": 68, "writev": 66, "truncate": 45, "ftruncate": 46, "fsync": 82,
        "fdatasync": 83, "sync": 81, "renameat": 38, "renameat2": 276, "linkat": 37, "symlinkat": 36,
        "unlinkat": 35, "mkdirat": 34, "fchmod": 52, "fchmodat": 53, "fchown": 55, "fchownat": 54,
        "utimensat": 88, "setxattr": 5, "sendfile": 71, "copy_file_range": 285,
    },
}  # fmt: skip
_CHANGING: Final = {number: name for name, number in _NUMBERS.get(platform.machine(), {}).items()}
_OPENING: Final = {"openat": 2, "open": 1}
"""The argument that has the flags."""
_WRITING: Final = frozenset({"write", "writev", "pwrite64"})
_LIBRARY: Final = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


class _CallInfo(ctypes.Structure):
    """``struct ptrace_syscall_info``."""

    _fields_ = (
        ("operation", ctypes.c_uint8),
        ("padding", ctypes.c_uint8 * 3),
        ("machine", ctypes.c_uint32),
        ("instruction", ctypes.c_uint64),
        ("stack", ctypes.c_uint64),
        ("number", ctypes.c_uint64),
        ("arguments", ctypes.c_uint64 * 6),
    )


class _Filter(ctypes.Structure):
    """``struct sock_fprog``: a program that looks at each call."""

    _fields_ = (("length", ctypes.c_ushort), ("program", ctypes.c_char_p))


class Ended(NamedTuple):
    """How a process ended.

    Attributes
    ----------
    status
        Its exit status, negative for a signal.
    calls
        The names of its calls that change files, up to the end or the signal.
    was_hit
        Whether it got the signal.
    """

    status: int
    calls: tuple[str, ...]
    was_hit: bool


def run(program: Program, number: int = 0, at: int = -1, *, is_before: bool = False) -> Ended:
    """Run a copy of this process, which gets a signal at its `at`-th call that changes files.

    Parameters
    ----------
    is_before
        Whether the signal comes before the call; SIGKILL prevents it then. After it otherwise.
    """
    process = os.fork()
    if not process:
        _run_traced(program)
    try:
        return _traced(process, number, at, is_before=is_before)
    except BaseException:
        os.kill(process, signal.SIGKILL)
        raise


def _run_traced(program: Program) -> None:
    """Run a program in this process, and end it."""
    status = 99
    try:
        _call(_TRACEME, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        _stop_at_changes()
        status = program()
    except BaseException:  # noqa: BLE001 it has no other place to go
        traceback.print_exc()
    finally:
        os._exit(status)


def _traced(process: int, number: int, at: int, *, is_before: bool) -> Ended:
    """Follow a process to its end."""
    os.waitpid(process, 0)
    _call(_SETOPTIONS, process, _MARK_CALLS | _STOP_IF_FILTERED)
    calls: list[str] = []
    was_hit, passed, is_awaited = False, 0, False
    while True:
        # Only the end of the call that is to be hit is awaited: each stop takes as long as many calls.
        _call(_SYSCALL if is_awaited else _CONTINUE, process, passed)
        _, state = os.waitpid(process, 0)
        if not os.WIFSTOPPED(state):
            return Ended(os.waitstatus_to_exitcode(state), tuple(calls), was_hit)
        passed = 0
        if state >> 8 == _AT_FILTERED:
            name = "" if was_hit else _name(_info(process))
            calls += [name] * bool(name)
            is_hit = bool(name) and len(calls) == at + 1
            is_awaited, is_hit = is_hit and not is_before, is_hit and is_before
        elif os.WSTOPSIG(state) == _TRAP | 0x80:
            is_awaited, is_hit = False, True
        else:
            passed, is_hit = os.WSTOPSIG(state), False  # a signal, which is handed on
        if is_hit:
            was_hit = True
            os.kill(process, number)
            if number == KILL:
                _, state = os.waitpid(process, 0)
                return Ended(os.waitstatus_to_exitcode(state), tuple(calls), was_hit)


def _stop_at_changes() -> None:
    """Have this process stop at all calls that may change files: Linux runs a program of BPF at each call."""
    load, compare, answer = 0x20, 0x15, 0x06
    passed, stopped = 0x7FFF0000, 0x7FF00000
    numbers = (*_CHANGING,)
    steps = [(load, 0, 0, 0)]  # the number of the call
    # If it is equal, all steps that remain and the first answer are jumped over.
    steps += [(compare, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
    steps += [(answer, 0, 0, passed), (answer, 0, 0, stopped)]
    program = b"".join(struct.pack("HBBI", *it) for it in steps)
    assert _LIBRARY is not None
    zero = ctypes.c_ulong(0)
    _LIBRARY.prctl(
        38, ctypes.c_ulong(1), zero, zero, zero
    )  # PR_SET_NO_NEW_PRIVS, without which none has a filter
    filtered = ctypes.byref(_Filter(len(steps), program))
    if _LIBRARY.prctl(22, ctypes.c_ulong(2), filtered, zero, zero):  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        raise OSError(ctypes.get_errno(), "no calls can be filtered")


def _info(process: int) -> _CallInfo:
    """The call at which a process has stopped."""
    info = _CallInfo()
    _call(_GET_SYSCALL_INFO, process, ctypes.addressof(info), ctypes.sizeof(info))
    return info


def _name(info: _CallInfo) -> str:
    """The name of a call that changes a file, else empty."""
    name = _CHANGING.get(info.number, "")
    flags = info.arguments[_OPENING[name]] if name in _OPENING else os.O_WRONLY
    if not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) or (name in _WRITING and info.arguments[0] <= 2):
        return ""
    return name


def _call(request: int, process: int, data: int = 0, size: int = 0) -> None:
    assert _LIBRARY is not None
    address = ctypes.c_void_p(size or None)
    if _LIBRARY.ptrace(request, process, address, ctypes.c_void_p(data or None)) < 0:
        raise OSError(ctypes.get_errno(), f"ptrace request {request:#x}")


def _is_possible() -> bool:
    """Whether the system lets a process follow its children, and says what they call."""
    if _LIBRARY is None or not _CHANGING:
        return False
    try:
        return run(lambda: 3).status == 3
    except OSError:
        return False


IS_POSSIBLE: Final = _is_possible()
"""Whether `run` works here."""
