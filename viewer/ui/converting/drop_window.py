"""The question what becomes of a file of another program that was dropped on the window."""

from __future__ import annotations

from typing import Final

from viewer.model.store.address import Address
from viewer.session.converting.import_sheet import DropQuestion
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.edits.modal import answer, is_dismissed, modal
from viewer.ui.widgets.widgets import readable, wrapped

WIDTH: Final = 40.0
"""Font heights."""


class DropWindow:
    """Draws the question while it is asked; owner: the shell."""

    def draw(self, frame: UiContext) -> None:
        """Draw it, or close it."""
        asked = frame.state.converting.dropped
        with modal("dropped", _("Import"), WIDTH, is_asked=asked is not None) as is_shown:
            if is_shown and asked is not None:
                _draw(asked, frame)


def _draw(asked: DropQuestion, frame: UiContext) -> None:
    name = readable(Address.parse(asked.address).name)
    wrapped(_("What becomes of {file}?").format(file=readable(asked.path.name)))
    hint = _("Compare it with the open model, and show what it changes there.")
    if answer(_("Import into {name}").format(name=name), "into", hint, is_main=True):
        frame.commands.importing.read(asked.path)
    if answer(_("New model…"), "new", _("Make a model file of its own, with a wear table beside it.")):
        frame.commands.importing.make_new(asked.path)
    if answer(_("Cancel"), "cancel") or is_dismissed():
        frame.commands.importing.answer(is_wanted=False)
