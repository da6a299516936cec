"""A process that has loaded the program, and runs copies of it: starting takes most of what a verb does.

``python -m tests.program SOCKET`` answers calls of `call_program`, each with a copy that has the folder, the
environment and the open files of the caller. What starting is, what it loads, and signals are tested with
processes of their own.
"""

from __future__ import annotations

import array
import fcntl
import gc
import importlib
import json
import os
import pkgutil
import selectors
import signal
import socket
import sys
from contextlib import suppress
from typing import Final, NoReturn

from viewer import cli
from viewer.__main__ import console

STANDARD: Final = ("stdin", "stdout", "stderr")
MOST_BYTES: Final = 1 << 20
"""Of a request that are received at once."""


def serve(path: str) -> None:
    """Answer calls until standard input ends."""
    listening, (awake, waking) = socket.socket(socket.AF_UNIX), socket.socketpair()
    listening.bind(path)
    listening.listen()
    waking.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
    running: dict[int, socket.socket] = {}
    with selectors.DefaultSelector() as selector:
        for it in (sys.stdin, listening, awake):
            selector.register(it, selectors.EVENT_READ)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while sys.stdin not in (ready := [key.fileobj for key, _ in selector.select()]):
            if listening in ready:
                line = listening.accept()[0]
                child = os.fork()
                if not child:
                    become(line)
                running[child] = line
            if awake in ready:
                awake.recv(MOST_BYTES)
                answer(running)


def answer(running: dict[int, socket.socket]) -> None:
    """Tell the callers of copies that have ended their status."""
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            with running.pop(ended[0]) as line, suppress(OSError):  # the caller may have left
                line.send(array.array("i", [os.waitstatus_to_exitcode(ended[1])]).tobytes())


def become(line: socket.socket) -> NoReturn:
    """Be the process that a caller wants, and end with it."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        sys.argv = ["mshview", *taken_over(line)]
        console()
    except SystemExit as ended:
        os._exit(ended.code if isinstance(ended.code, int) else ended.code is not None)
    finally:
        os._exit(os.EX_SOFTWARE)


def taken_over(line: socket.socket) -> list[str]:
    """The arguments of a call, whose folder, environment and files this process has from now on."""
    data, files, _flags, _address = socket.recv_fds(line, MOST_BYTES, len(STANDARD))
    while more := line.recv(MOST_BYTES):
        data += more
    folder, environment, arguments, streams = json.loads(data)
    beyond = [fcntl.fcntl(it, fcntl.F_DUPFD_CLOEXEC, 10) for it in files]
    kept = dict(zip(streams, beyond, strict=True))
    os.closerange(0, len(STANDARD))
    for number, name in enumerate(STANDARD):
        stream = None  # as Python has it where a stream is closed
        if number in kept:
            os.dup2(kept[number], number)
            errors = "backslashreplace" if name == "stderr" else "strict"
            buffering = 1 if os.isatty(number) or name == "stderr" else -1
            mode = "w" if number else "r"
            stream = os.fdopen(number, mode, buffering, encoding="utf-8", errors=errors)
        setattr(sys, name, stream)
    for it in (*files, *beyond):
        os.close(it)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    return [*map(str, arguments)]


if __name__ == "__main__":
    for found in pkgutil.walk_packages(cli.__path__, f"{cli.__name__}."):
        importlib.import_module(found.name)
    gc.collect()
    gc.freeze()
    serve(sys.argv[1])
