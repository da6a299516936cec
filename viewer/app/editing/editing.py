"""All of editing behind one object: changes, undo, saving, closing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from viewer.app.editing.bases import Bases
from viewer.app.editing.close_controller import CloseController
from viewer.app.editing.edit_controller import EditController
from viewer.app.editing.renewal import Renewal
from viewer.app.editing.save_controller import SaveController
from viewer.app.jobs import Jobs
from viewer.app.open_controller import OpenController
from viewer.app.state import State
from viewer.ui.requests import Request


class Editing:
    """The controllers of editing; owner: the application, main thread only.

    Parameters
    ----------
    request
        Queues a request.
    leave
        Closes the window.
    """

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        opener: OpenController,
        request: Callable[[Request], None],
        leave: Callable[[], None],
    ) -> None:
        bases = Bases()
        self._renewal = Renewal(state, opener)
        self.edits = EditController(state, opener.library, bases, self._renewal.renew)
        self.saving = SaveController(state, jobs, opener, self.edits, bases, request)
        self.closing = CloseController(state, self.edits, self.saving, opener.close, leave)

    def answers(self) -> dict[type[Any], Callable[[Any], None]]:
        """The handler of each request."""
        return {**self.edits.answers(), **self.saving.answers(), **self.closing.answers()}

    @property
    def is_waiting(self) -> bool:
        """Whether something is to be done in a moment without an event."""
        return self._renewal.is_waiting

    def update(self, now: float) -> None:
        """Do what is due at a time of `perf_counter`, seconds."""
        self._renewal.update(now)
