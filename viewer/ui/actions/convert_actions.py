"""Actions that take models to and from other programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from viewer.model.convert.exchange import SUFFIXES
from viewer.translation import Message
from viewer.ui.actions.actions import Action, has_tab, requesting
from viewer.ui.convert_requests import CheckTrips, ImportFile, ShowExport
from viewer.ui.requests import OpenDialog


def convert_actions() -> Iterator[Action]:
    """Yield export and import, and the check that nothing is lost on the way."""
    yield Action(
        "file.export",
        "file",
        Message("Export…"),
        requesting(ShowExport()),
        "Ctrl+E",
        needs=has_tab,
        begins_group=True,
    )
    importing = OpenDialog(
        requested=lambda path: ImportFile(Path(path)),
        title=Message("Import a glTF, OBJ or JSON file"),
        suffixes=SUFFIXES,
    )
    yield Action(
        "file.import", "file", Message("Import…"), requesting(importing), "Ctrl+I", needs_document=False
    )
    yield Action("file.round_trip", "file", Message("Check round trip"), requesting(CheckTrips()))
