"""Base of the controllers that work on the state, in worker threads where that takes time."""

from __future__ import annotations

from viewer.control.jobs import Jobs
from viewer.control.opening.open_controller import OpenController
from viewer.control.state import State


class JobController:
    """Works on the state with jobs and with what opens files; owner: the application, main thread only."""

    def __init__(self, state: State, jobs: Jobs, opener: OpenController) -> None:
        self._state = state
        self._jobs = jobs
        self._opener = opener
