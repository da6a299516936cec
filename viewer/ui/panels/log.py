"""Log panel: events, newest at the bottom."""

from __future__ import annotations

from imgui_bundle import imgui

from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import empty, labeled, text


class LogPanel:
    """The lines of the log; follows the end unless scrolled up."""

    id = "log"
    title = Message("Log")

    def draw(self, frame: UiContext) -> None:
        """Draw the lines on screen."""
        if not frame.state.log:
            empty(_("Events are logged here."))
            return
        if imgui.begin_child("##lines"):
            for row in rows_on_screen(len(frame.state.log)):
                text(frame.state.log[row])
            if imgui.get_scroll_y() >= imgui.get_scroll_max_y():
                imgui.set_scroll_here_y(1.0)
            if imgui.begin_popup_context_window("log_menu"):
                if imgui.menu_item_simple(labeled(_("Copy all"), "copy_all")):
                    frame.commands.window.copy_text("\n".join(frame.state.log))
                imgui.end_popup()
        imgui.end_child()
