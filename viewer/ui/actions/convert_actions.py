"""Actions that take models to and from other programs."""

from __future__ import annotations

from collections.abc import Iterator

from viewer.model.convert.exchange import SUFFIXES
from viewer.translation import Message
from viewer.ui.actions.actions import Action, commanding, has_tab
from viewer.ui.context import UiContext


def convert_actions() -> Iterator[Action]:
    """Yield export and import, and the check that nothing is lost on the way."""
    yield Action(
        "file.export",
        "file",
        Message("Export…"),
        commanding(lambda do: do.exporting.show()),
        "Ctrl+E",
        needs=has_tab,
        begins_group=True,
    )
    yield Action("file.import", "file", Message("Import…"), _import, "Ctrl+I", needs_document=False)
    yield Action(
        "file.round_trip",
        "file",
        Message("Check round trip"),
        commanding(lambda do: do.trips.check()),
    )


def _import(frame: UiContext) -> None:
    title = Message("Import a glTF, OBJ or JSON file")
    frame.commands.dialogs.choose_file(title, frame.commands.importing.read, SUFFIXES)
