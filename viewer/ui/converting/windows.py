"""The windows to and from other programs, which open when there is something to ask or to tell."""

from __future__ import annotations

from viewer.ui.context import UiContext
from viewer.ui.converting.drop_window import DropWindow
from viewer.ui.converting.export_report import ExportReportWindow
from viewer.ui.converting.export_window import ExportWindow
from viewer.ui.converting.import_window import ImportWindow
from viewer.ui.converting.trip_window import TripWindow


class ConvertWindows:
    """Draws all of them; owner: the shell."""

    def __init__(self) -> None:
        self._windows = (ExportWindow(), ExportReportWindow(), TripWindow(), DropWindow(), ImportWindow())

    def draw(self, frame: UiContext) -> None:
        """Draw those that are open."""
        for window in self._windows:
            window.draw(frame)
