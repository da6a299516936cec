"""Actions that take models to and from other programs."""

from __future__ import annotations

from collections.abc import Iterator

from viewer.translation import Message
from viewer.ui.actions.actions import Action, has_tab, requesting
from viewer.ui.convert_requests import CheckTrips, ShowExport


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
    yield Action("file.round_trip", "file", Message("Check round trip"), requesting(CheckTrips()))
