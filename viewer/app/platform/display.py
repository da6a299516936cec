"""Losing the display: the X server has ended, or the connection to it."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from viewer.translation import Message

LOST: Final = Message("the connection to the display was lost")
_HANDLER: Final = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


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

    handler = _HANDLER(handle)
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
