"""A single window: a later start of the program hands what it was to open to the one that runs.

The first one listens on a local socket, a named pipe on Windows, whose address and key are in a file next to
the settings that only the user can read. There is one for each display, and for each version of the program.
Which one is the first is decided by a lock, before there is a window: a file manager starts the program for
each of several files at the same moment.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from pickle import PickleError
from queue import Empty, SimpleQueue
from secrets import token_bytes
from socket import gethostname
from tempfile import mkstemp
from threading import Thread
from time import monotonic, sleep
from typing import Any, Final

from viewer.control.opening.loading import StartOptions
from viewer.control.settings import user_files
from viewer.model.store.temporary import lock
from viewer.version import VERSION

PATIENCE: Final = 3.0
"""Seconds until the other window has to answer; one that hangs is left alone."""
_PAUSE: Final = 0.02
"""Seconds between two looks for the file of a program that has just started."""
LARGEST: Final = 4096
"""Bytes of the file with address and key."""
_BROKEN: Final = (OSError, EOFError, ValueError, AuthenticationError, PickleError)
"""Errors that a file or another program can cause."""


def place_of(settings: Path) -> Path:
    """The file with the address of the window of this display and version that has these settings."""
    display = os.environ.get("WAYLAND_DISPLAY", ""), os.environ.get("DISPLAY", "")
    known = hashlib.sha256("\n".join((gethostname(), *display, VERSION)).encode()).hexdigest()[:16]
    return settings.parent / f"window-{known}.json"


class Received:
    """The requests that a window received after its start.

    Attributes
    ----------
    wake
        Ends the sleep of the frame loop once there is one; called from a thread.
    """

    def __init__(self, first: Iterable[StartOptions] = ()) -> None:
        self.wake: Callable[[], object] = nothing
        self._left: SimpleQueue[StartOptions] = SimpleQueue()
        for given in first:
            self._left.put(given)

    def add(self, given: Iterable[StartOptions]) -> None:
        """Add what another start of the program names."""
        for it in given:
            self._left.put(it)
        self.wake()

    def taken(self) -> Iterator[StartOptions]:
        """Yield and forget the received requests."""
        with suppress(Empty):
            while True:
                yield self._left.get_nowait()


def nothing() -> None:
    """The wake function without a frame loop: no sleep to end."""


@contextmanager
def claimed(place: Path) -> Iterator[bool]:
    """Be the first program of a place until the end of the block, if no other one is.

    Yields
    ------
    Whether this one is; it is too if the system cannot lock.
    """
    descriptor = -1
    try:
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(place.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        yield descriptor < 0 or lock(descriptor) is not False
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def hand_over(place: Path, given: Sequence[StartOptions]) -> bool:
    """Let the program that is the first one of a place open something; tell whether it does.

    It may be starting at this moment, so that it is waited for.
    """
    answers: SimpleQueue[bool] = SimpleQueue()
    end = monotonic() + PATIENCE

    def ask() -> None:
        while not place.exists() and monotonic() < end:
            sleep(_PAUSE)
        is_taken = False
        with suppress(*_BROKEN), _reached(place) as connection:
            connection.send([*given])
            # Read as a byte: what another program answers is never unpickled.
            is_taken = bool(connection.recv_bytes(1))
        answers.put(is_taken)

    # In a thread: a program that was stopped accepts connections and never answers.
    Thread(target=ask, name="mshview-hand-over", daemon=True).start()
    try:
        return answers.get(timeout=PATIENCE + _PAUSE)
    except Empty:
        return False


def _reached(place: Path) -> Connection[Any, Any]:
    """A connection to the window that listens at a place; raises one of `_BROKEN`."""
    found = json.loads(user_files.read(place, LARGEST))
    if not (isinstance(found, dict) and all(isinstance(found.get(it), str) for it in ("address", "key"))):
        raise ValueError(place)
    return Client(found["address"], authkey=bytes.fromhex(found["key"]))


@contextmanager
def listening(place: Path, received: Received) -> Iterator[None]:
    """Listen at a place until the end of the block; without a socket or a file, nothing comes."""
    key = token_bytes(32)
    try:
        listener = Listener(authkey=key)
        _write(place, {"address": listener.address, "key": key.hex()})
    except OSError:
        yield
        return

    def listen() -> None:
        while True:
            try:
                with listener.accept() as connection:
                    given = connection.recv()
                    if isinstance(given, list) and all(isinstance(it, StartOptions) for it in given):
                        received.add(given)
                        connection.send_bytes(b"1")
            except Exception:  # noqa: BLE001 another build of this version may send what this one cannot load
                if is_over:
                    return

    is_over: list[bool] = []
    Thread(target=listen, name="mshview-windows", daemon=True).start()
    try:
        yield
    finally:
        # Before the listener is closed: the error in accept then ends the thread.
        is_over.append(True)
        with suppress(OSError):
            place.unlink()
        listener.close()


def _write(place: Path, found: dict[str, Any]) -> None:
    """Write a file that only the user can read; raises `OSError`."""
    place.parent.mkdir(parents=True, exist_ok=True)
    # Whole or not at all: another program reads it as soon as it is there. A temporary file has mode 0600.
    descriptor, name = mkstemp(dir=place.parent, prefix=f"{place.stem}-", suffix=".new")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(found, file)
        Path(name).replace(place)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
