"""All of converting behind one object: export, import, and the check of the round trip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from viewer.app.converting.export_controller import ExportController
from viewer.app.converting.scene_imports import SceneImports
from viewer.app.converting.trip_controller import TripController
from viewer.app.editing.edit_controller import EditController
from viewer.app.jobs import Jobs
from viewer.app.open_controller import OpenController
from viewer.app.state import State
from viewer.ui.convert_requests import CloseReport
from viewer.ui.converting.trip_window import LANE
from viewer.ui.requests import Request


class Converting:
    """The controllers of converting; owner: the application, main thread only."""

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        opener: OpenController,
        edits: EditController,
        request: Callable[[Request], None],
    ) -> None:
        self._state = state
        self._jobs = jobs
        self._exports = ExportController(state, jobs, opener)
        self._imports = SceneImports(state, jobs, opener, edits, request)
        self._trips = TripController(state, jobs, opener)

    def answers(self) -> dict[type[Any], Callable[[Any], None]]:
        """The handler of each request."""
        parts = (self._exports, self._imports, self._trips)
        own = {CloseReport: lambda request: self._close(is_check=request.is_check)}
        return {**own, **{request: it for part in parts for request, it in part.answers().items()}}

    def _close(self, *, is_check: bool) -> None:
        """Close a report, and end the check that it waits for."""
        if is_check:
            self._jobs.drop(LANE)
            self._state.converting = replace(self._state.converting, trips=None)
        else:
            self._state.converting = replace(self._state.converting, written=None)
