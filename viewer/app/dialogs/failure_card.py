"""The card about a fault of the program: what has happened, what goes on, and its details to be copied."""

from __future__ import annotations

from imgui_bundle import imgui

from viewer.control.state import State
from viewer.translation import _
from viewer.ui.widgets.floating import Floating, answer
from viewer.ui.widgets.widgets import readable, wrapped


class FailureCard(Floating):
    """Shows the fault of the state until it is closed; owner: the application."""

    id = "failure"
    title = _("A fault of the program")
    size = 34, 0

    def draw(self, state: State) -> None:
        """Draw the card if there is a fault."""
        failure = state.failure
        with self.asked(failure, state.dismiss_failure) as is_shown:
            if failure is None or not is_shown:
                return
            wrapped(_("{part} has failed and was ended.", part=failure.part))
            imgui.spacing()
            wrapped(_("All else goes on, and unsaved changes are kept."))
            wrapped(_("A panel that failed is closed; the menu Window opens it again."))
            imgui.spacing()
            if answer(_("Copy details"), "copy", _("For a report: where it happened, and on what system.")):
                imgui.set_clipboard_text(readable(f"{state.about.text}\n{failure.details}"))
            if answer(_("Close"), "close", is_main=True):
                self.is_open = False
