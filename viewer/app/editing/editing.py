"""All of editing behind one object: changes, undo, saving."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from viewer.app.editing.edit_controller import EditController
from viewer.app.editing.save_controller import SaveController
from viewer.app.jobs import Jobs
from viewer.app.open_controller import OpenController
from viewer.app.state import State


class Editing:
    """The controllers of editing; owner: the application, main thread only."""

    def __init__(self, state: State, jobs: Jobs, opener: OpenController) -> None:
        self.edits = EditController(state, opener.library, opener.renew_file)
        self.saving = SaveController(state, opener.library, jobs)

    def answers(self) -> dict[type[Any], Callable[[Any], None]]:
        """The handler of each request."""
        return {**self.edits.answers(), **self.saving.answers()}
