"""The console: Python with the library, whose edits are undo steps of the window.

Commands run in a worker thread, so that the window stays alive; they change files on the main thread.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from code import InteractiveConsole
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from io import TextIOBase
from pathlib import Path
from queue import Empty, SimpleQueue
from rlcompleter import Completer
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from viewer.control.converting.importing import steps_of
from viewer.control.editing.edit_controller import EditController
from viewer.control.editing.save_controller import SaveController
from viewer.control.editing.save_sheets import plan_of
from viewer.control.jobs import Jobs
from viewer.control.state import State
from viewer.errors import MshviewError, UsageError
from viewer.model.compare.file_plan import FilePlan
from viewer.model.edit.change import Change
from viewer.model.store.address import Address
from viewer.model.store.disk import real_path
from viewer.model.store.file_store import FileStore
from viewer.operations.editing import with_findings
from viewer.operations.saving import write
from viewer.progress import Cancelled, checkpoint
from viewer.session.console import LONGEST_LINE, MOST_LINES, ConsoleLine, LineKind
from viewer.translation import _

LANE: Final = "console"
HERE: Final = "here"
"""The name of what the active tab shows."""
STEP: Final = 0.05
"""Seconds between two looks whether a command that waits for the main thread was cancelled."""
MOST_COMPLETIONS: Final = 200
_Value = TypeVar("_Value")
_Task = Callable[[], None]


class WindowFiles:
    """The files of the window as the library sees them; for the thread of the console.

    Parameters
    ----------
    on_main
        Calls a function on the main thread and returns its value.
    """

    def __init__(
        self,
        state: State,
        edits: EditController,
        saving: SaveController,
        store: FileStore,
        on_main: Callable[[Callable[[], Any]], Any],
    ) -> None:
        self.store = store
        self._state = state
        self._edits = edits
        self._saving = saving
        self._on_main = on_main

    def edit(self, address: Address, changes: Sequence[Change], _options: object) -> None:
        """Make one undo step of changes, in the readings in which models are open; raises `MshviewError`."""

        def make() -> bool:
            self._edits.edit(address, tuple(changes))
            return self._state.question is None

        if not self._on_main(make):
            raise UsageError(_("the window asks about it first"), source=address)

    def take(self, name: str, path: Path, files: Sequence[FilePlan], options: object) -> None:
        """Make what was planned of a file called `name` as undo steps that are undone together."""
        del path, options
        steps = [replace(it, address=it.address.real) for it in steps_of(name, files)]
        self._on_main(lambda: self._edits.make_together(steps))

    def changes(self, path: Path) -> list[dict[str, Any]]:
        """The unsaved changes of a file, a row for each field."""
        file = self._state.edits.of(real_path(path))
        if not file.is_changed:
            return []
        plan = plan_of(file, self.store.file(path))
        found = with_findings(self.store, plan, addresses=file.unsaved_payloads, is_checked=False)
        return [*found.report.rows]

    def save(self, path: Path, target: Path, *, is_forced: bool) -> None:
        """Show what saving a file will write, or write another file."""
        del is_forced  # the window asks whether errors are written
        if real_path(target) == real_path(path):
            self._on_main(lambda: self._saving.save(real_path(path)))
        else:
            write([FilePlan(path, self.store.file(path), target=target)])

    def discard(self, path: Path | None) -> None:
        """Undo all unsaved steps of a file, or of all files."""

        def undo() -> None:
            for file in self._state.edits.changed:
                if path is not None and file.path != real_path(path):
                    continue
                if file.left is None:
                    self._edits.go_to(file.path, file.saved)
                else:  # the saved steps were undone and others made: no undoing leads back to them
                    self._edits.drop(file.path)

        self._on_main(undo)

    def warn_of_others(self, path: Path, stack_level: int) -> None:
        """Warn of nothing: the window says itself that another program has written a file."""


Names = Callable[[WindowFiles], Mapping[str, Any]]
"""Gives the names that commands start with, for the files of the window: the shell knows the library."""


class _Output(TextIOBase):
    """The stream that keeps printed texts as lines of a kind."""

    def __init__(self, put: Callable[[ConsoleLine], None]) -> None:
        self._put = put
        self._begun = ""

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            self._put(ConsoleLine(LineKind.OUTPUT, line))
        return len(text)

    def end(self) -> None:
        """Put a line that was not ended."""
        if self._begun:
            self.write("\n")


class _Interpreter(InteractiveConsole):
    """Python whose errors are lines of the console; those of the library are one line."""

    def __init__(self, names: dict[str, Any], put: Callable[[ConsoleLine], None]) -> None:
        super().__init__(names, "<console>")
        self._put = put

    def write(self, data: str) -> None:
        for line in data.splitlines():
            self._put(ConsoleLine(LineKind.ERROR, line))

    def showtraceback(self) -> None:
        error = sys.exc_info()[1]
        if isinstance(error, MshviewError):
            self.write(str(error))
        elif isinstance(error, (KeyboardInterrupt, Cancelled)):
            self.write(_("Cancelled"))
        else:
            super().showtraceback()


class ConsoleController:
    """Runs what is typed; owner: the editing, main thread only.

    Parameters
    ----------
    files
        Makes these files, of what calls functions on the main thread.
    """

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        names: Names,
        files: Callable[[Callable[[Callable[[], Any]], Any]], WindowFiles],
    ) -> None:
        self._state = state
        self._jobs = jobs
        self._lines: SimpleQueue[ConsoleLine] = SimpleQueue()
        self._tasks: SimpleQueue[_Task] = SimpleQueue()
        self._names: dict[str, Any] = {"__name__": "__console__", "__doc__": None}
        self._make_names: Callable[[], Mapping[str, Any]] = lambda: names(files(self._call_on_main))
        self._interpreter = _Interpreter(self._names, self._put)
        self._thread = 0
        self._lock = threading.Lock()

    def run(self, text: str) -> None:
        """Run a line, or add it to the command that is not whole yet."""
        before = self._state.console
        typed = (*before.typed, text) if text.strip() and (text,) != before.typed[-1:] else before.typed
        self._put(ConsoleLine(LineKind.INPUT, f"{'...' if before.is_continued else '>>>'} {text}"))
        self._state.console = replace(before, typed=typed)
        self._start(lambda: self._interpreter.push(text))

    def run_script(self, path: Path) -> None:
        """Run a file with the names of the console."""
        self._put(ConsoleLine(LineKind.INPUT, f">>> # {path}"))

        def run() -> bool:
            try:
                code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
            except (OSError, ValueError, SyntaxError) as error:
                self._interpreter.write(f"{path}: {error}")
            else:
                self._interpreter.runcode(code)
            return False

        self._start(run)

    def stop(self) -> None:
        """Cancel the command that runs."""
        self._jobs.cancel(LANE)
        # The worker clears the thread under the lock: no error is raised after its command.
        with self._lock:
            if self._thread:
                _raise_in(self._thread, KeyboardInterrupt)

    def clear(self) -> None:
        """Clear the lines of the console."""
        self._state.console = replace(self._state.console, lines=())

    def complete(self, text: str) -> tuple[str, ...]:
        """The completions of the last name of a text, in order."""
        word = text[max(text.rfind(it) for it in " ([{,=+-*/<>:\"'") + 1 :]
        if not word:
            return ()
        completer, found = Completer(self._names), list[str]()
        try:
            while len(found) < MOST_COMPLETIONS and (it := completer.complete(word, len(found))) is not None:
                found.append(it)
        except Exception:  # noqa: BLE001 a property of what is completed may raise any
            return ()
        return tuple(text[: len(text) - len(word)] + it for it in found)

    def update(self) -> None:
        """Do what commands wait for, and show what they have printed."""
        for task in _all(self._tasks):
            task()
        new = _all(self._lines)
        if new:
            console = self._state.console
            self._state.console = replace(console, lines=(*console.lines, *new)[-MOST_LINES:])

    def _start(self, work: Callable[[], bool]) -> None:
        if self._state.console.is_running:
            self._put(ConsoleLine(LineKind.ERROR, _("a command is running")))
            return
        self._state.console = replace(self._state.console, is_running=True)
        address = self._state.tabs.active.address

        def run(_ignored: object) -> bool:
            output = _Output(self._put)
            self._thread = threading.get_ident()
            try:
                with redirect_stdout(output):
                    if "mshview" not in self._names:
                        self._names.update(self._make_names())
                    library: Any = self._names.get("mshview")
                    self._names[HERE] = library.open(str(address)) if library and address else None
                    return work()
            except SystemExit:
                return False
            finally:
                with self._lock:
                    self._thread = 0
                    _raise_in(threading.get_ident(), None)  # a late one would end the worker
                output.end()

        def done(is_continued: bool) -> None:
            self._state.console = replace(self._state.console, is_running=False, is_continued=is_continued)

        def failed(error: BaseException) -> None:
            self._put(ConsoleLine(LineKind.ERROR, str(error)))
            self._interpreter.resetbuffer()
            done(False)

        self._jobs.start(LANE, "", run, done, failed, is_background=True)

    def _put(self, line: ConsoleLine) -> None:
        self._lines.put(ConsoleLine(line.kind, line.text[:LONGEST_LINE]))
        self._jobs.wake()

    def _call_on_main(self, task: Callable[[], _Value]) -> _Value:
        """Call a function on the main thread and return its value, or raise its error; in a worker."""
        values: SimpleQueue[tuple[_Value | None, MshviewError | None]] = SimpleQueue()

        def call() -> None:
            try:
                values.put((task(), None))
            except MshviewError as error:
                values.put((None, error))

        self._tasks.put(call)
        self._jobs.wake()
        while True:
            checkpoint()
            try:
                value, error = values.get(timeout=STEP)
            except Empty:
                continue
            if error is not None:
                raise error
            return value  # type: ignore[return-value]


def _all(queue: SimpleQueue[_Value]) -> list[_Value]:
    """All values that wait in a queue."""
    return [queue.get() for _ignored in range(queue.qsize())]


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an error in another thread as soon as it runs Python code; None takes one back."""
    raised = ctypes.py_object(error) if error is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)
