"""The thread that draws all pictures of this process, and a process that draws for copies of it.

OpenGL belongs to one thread, and to one process: a context that was used before a fork waits forever for
threads that the copy does not have, and so does any other context of the same driver. A copy of a process
that has drawn therefore lets a new process draw, which it keeps.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from threading import Lock
from typing import IO, Any, Final, Protocol

from viewer.errors import MshviewError
from viewer.formats.texture.pixels import Image
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.translation import _

COMMAND: Final = "import sys; sys.path[:] = {path}; from mshview.drawing import serve; serve()"
"""The program of a process that draws; it finds what this one finds."""
FORKED: Final = _(
    "this process is a copy of one that has drawn, in which OpenGL does not work; start it anew, as "
    "multiprocessing does with 'spawn'"
)


class Picture(Protocol):
    """The content of a picture: plain values, which can be sent to another process."""

    def draw(self, store: FileStore) -> Image:
        """The picture, in the thread that draws; raises `MshviewError`."""


class _Drawing:
    """The state of drawing in this process.

    Attributes
    ----------
    has_drawn
        Whether this process has an OpenGL context, so that copies of it cannot draw.
    is_copy
        Whether it is such a copy.
    """

    def __init__(self) -> None:
        self.has_drawn = self.is_copy = False
        self.lock = Lock()
        self.thread: ThreadPoolExecutor | None = None
        self.process: subprocess.Popen[bytes] | None = None

    def copied(self) -> None:
        """Leave the thread and the context to the process that this one is a copy of."""
        self.is_copy = self.is_copy or self.has_drawn
        self.lock, self.thread, self.process = Lock(), None, None


_DRAWING: Final = _Drawing()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_DRAWING.copied)


def drawn(picture: Picture, store: FileStore) -> Image:
    """A picture, after those that other threads have asked for; raises `MshviewError`."""
    if _DRAWING.is_copy:
        return _drawn_elsewhere(picture, store.unsaved)
    with _DRAWING.lock:
        if _DRAWING.thread is None:
            _DRAWING.thread = ThreadPoolExecutor(1, "mshview-drawing")
        _DRAWING.has_drawn = True
        waiting = _DRAWING.thread.submit(copy_context().run, picture.draw, store)
    return waiting.result()


def _drawn_elsewhere(picture: Picture, unsaved: UnsavedFiles) -> Image:
    """A picture of the process that draws for this copy, which is started for the first one."""
    if getattr(sys, "frozen", False):
        raise MshviewError(FORKED)
    files = {path: bytes(found[1]) for path in unsaved.paths if (found := unsaved.find(path))}
    with _DRAWING.lock:
        process = _DRAWING.process
        if process is None or process.poll() is not None:
            command = [sys.executable, "-c", COMMAND.format(path=sys.path)]
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            _DRAWING.process = process
            atexit.register(_end, process)
        answer: Any = None
        if process.stdin is not None and process.stdout is not None:
            try:
                _send(process.stdin, (Path.cwd(), picture, files))
                answer = pickle.load(process.stdout)
            except (OSError, EOFError, pickle.UnpicklingError):
                answer = MshviewError(_("the process that draws has died"))
    if isinstance(answer, MshviewError):
        raise answer
    image: Image = answer
    return image


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process that draws: it has nothing to read any more."""
    if process is _DRAWING.process and process.stdin is not None:
        process.stdin.close()
        process.wait()


def _send(file: IO[bytes], value: object) -> None:
    pickle.dump(value, file)
    file.flush()


def serve() -> None:
    """Draw what standard input asks for until it ends, and answer on standard output."""
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # what else is printed is no answer
        while True:
            try:
                folder, picture, files = pickle.load(sys.stdin.buffer)
            except EOFError:
                return
            _send(answers, _answer(folder, picture, files))


def _answer(folder: Path, picture: Picture, files: Mapping[Path, bytes]) -> object:
    """A picture, or the error for which there is none."""
    try:
        os.chdir(folder)
        return drawn(picture, FileStore(unsaved=UnsavedFiles.of(UnsavedFiles(), files)))
    except MshviewError as error:
        return error
