"""Endings from outside: a signal, which closes the window as the user would, or a lost display."""

from __future__ import annotations

import ctypes
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from types import FrameType
from typing import Any, Final

from viewer.translation import Message

SIGNALS: Final = tuple(
    number
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")
    if (number := getattr(signal, name, None)) is not None
)
"""The signals that end a program, of those that the platform has."""
LOST: Final = Message("the connection to the display was lost")
_HANDLER: Final = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


@contextmanager
def leaving_on_signals(leave: Callable[[], None], wake: Callable[[], None]) -> Iterator[list[int]]:
    """Call `leave` on the main thread on the first signal; the second one ends the program.

    Signals that are ignored, as those of the terminal under ``nohup``, stay so. Python handles a signal
    between two of its own steps, so a main thread that sleeps elsewhere has to be woken first.

    Parameters
    ----------
    wake
        Ends the sleep of the main thread; called from another one.

    Yields
    ------
    The numbers of the signals that have arrived.
    """
    received: list[int] = []
    earlier = {number: signal.getsignal(number) for number in SIGNALS}
    heeded = [number for number, handler in earlier.items() if handler not in (signal.SIG_IGN, None)]

    def handle(number: int, _: FrameType | None) -> None:
        signal.signal(number, earlier[number])  # so that a second one ends a program that hangs
        received.append(number)
        leave()

    # Python writes the number of each signal to this socket from its C handler, even while the main thread
    # sleeps in GLFW and runs no Python code; the thread that reads it wakes the main thread.
    ear, mouth = socket.socketpair()
    mouth.setblocking(False)
    before = signal.set_wakeup_fd(mouth.fileno(), warn_on_full_buffer=False)
    Thread(target=_listen, args=(ear, wake), name="mshview-signals", daemon=True).start()
    for number in heeded:
        signal.signal(number, handle)
    try:
        yield received
    finally:
        for number in heeded:
            signal.signal(number, earlier[number])
        signal.set_wakeup_fd(before)
        mouth.close()


def _listen(ear: socket.socket, wake: Callable[[], None]) -> None:
    """Wake the main loop once per byte until the socket is closed."""
    with ear:
        while ear.recv(1):
            wake()


@contextmanager
def leaving_without_display(leave: Callable[[], None]) -> Iterator[list[Callable[[], None]]]:
    """Call `leave` when the connection to the X server breaks; it has to end the process.

    Xlib would print a text of its own and end the process with status 1, wherever in the program it is.

    Yields
    ------
    What is done before that; empty at first.
    """
    duties: list[Callable[[], None]] = []
    library = _xlib()
    if library is None:
        yield duties
        return

    def handle(_display: int | None) -> int:
        for duty in duties:
            duty()
        leave()
        return 0

    handler = _HANDLER(handle)  # kept in a variable: ctypes frees a callback that nothing refers to
    library.XSetIOErrorHandler(handler)
    try:
        yield duties
    finally:
        library.XSetIOErrorHandler(None)


def _xlib() -> Any:
    """Xlib, which GLFW uses on this system, or None."""
    try:
        return ctypes.CDLL("libX11.so.6") if sys.platform.startswith("linux") else None
    except OSError:
        return None
