"""Debounced background writing of the settings file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Lock
from typing import Final

from viewer.control.jobs import Jobs
from viewer.control.settings import settings_file as files
from viewer.control.settings.settings import Settings
from viewer.control.settings.settings_damage import SettingsDamage
from viewer.errors import MshviewError
from viewer.model.store.address import Address

LANE: Final = "settings"
REST: Final = 1.0
"""Seconds without another change until something is written."""


class SettingsWriter:
    """Keeps one file in step; owner: the application, main thread only.

    Parameters
    ----------
    path
        The file; nothing is written for None.
    remembered
        What the file held at the start.
    learn
        Takes the addresses that another window has opened meanwhile.
    refuse
        Callback for write errors; the write is retried after the next change.
    warn
        Callback for what another program has left unusable in the file.
    """

    def __init__(
        self,
        path: Path | None,
        remembered: Settings,
        jobs: Jobs,
        learn: Callable[[Iterable[Address]], None],
        refuse: Callable[[BaseException], None],
        warn: Callable[[SettingsDamage], None],
    ) -> None:
        self._path = path
        self._jobs = jobs
        self._learn = learn
        self._refuse = refuse
        self._warn = warn
        self._damages: list[SettingsDamage] = []
        self._base = self._newest = self._handled = remembered
        self._changed = 0.0
        self._is_writing = False
        self._lock = Lock()
        self._started = self._written = 0

    @property
    def is_waiting(self) -> bool:
        """Whether something has changed and is not written yet."""
        return self._path is not None and self._newest != self._handled

    def update(self, settings: Settings, now: float) -> None:
        """Take the settings at a time, seconds; write them once they have stopped changing."""
        if settings != self._newest:
            self._newest, self._changed = settings, now
        if self.is_waiting and not self._is_writing and now - self._changed >= REST:
            self._start(settings)

    def finish(self, settings: Settings) -> None:
        """Write now; errors go to the callback."""
        self._newest = settings
        try:
            self._write(self._next_number(), settings)
        except MshviewError as error:
            self._refuse(error)
        self._report()

    def _start(self, settings: Settings) -> None:
        number = self._next_number()
        self._is_writing = True

        def done(written: Settings) -> None:
            self._end(settings)
            self._learn(address for address in written.recent if address not in settings.recent)
            # What the file holds now is the base of the next merge: only later changes are ours.
            self._base = settings.with_recent(written.recent)

        def failed(error: BaseException) -> None:
            self._end(settings)
            self._refuse(error)

        self._jobs.start(LANE, "", lambda _: self._write(number, settings), done, failed)

    def _end(self, settings: Settings) -> None:
        self._is_writing = False
        self._handled = settings
        self._report()

    def _report(self) -> None:
        """Report what was found while writing, in a worker thread."""
        while self._damages:
            self._warn(self._damages.pop(0))

    def _next_number(self) -> int:
        self._started += 1
        return self._started

    def _write(self, number: int, settings: Settings) -> Settings:
        """Write, unless something newer has been written; raises `OutputError`."""
        # A write that was started earlier may come later: two workers and `finish` share the file.
        with self._lock:
            if self._path is None or number < self._written:
                return settings
            self._written = number
            return files.save(self._path, settings, self._base, self._damages.append)
