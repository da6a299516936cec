"""The window before a report is saved: what it holds, and what was removed from it."""

from __future__ import annotations

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.operations.checking import bug_report
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.floating import Floating
from viewer.ui.widgets.table_grid import table_rows
from viewer.ui.widgets.widgets import wrapped

NAME = "mshview-report.zip"


class ReportWindow(Floating):
    """Says what a report holds, and saves it."""

    id = "report"
    title = _("Copy report")
    size = 36, 22

    def draw(self, frame: UiContext) -> None:
        """Draw the window if it is open."""
        with self.window() as is_shown:
            if is_shown:
                self._draw_content(frame)

    def _draw_content(self, frame: UiContext) -> None:
        wrapped(_("A zip for a bug report about what is open. It holds these files and nothing else:"))
        imgui.spacing()
        rows = ((name, translated(what)) for name, what in bug_report.WHAT.items())
        for name, what in table_rows(
            "##files", {"name": 8, "value": 0}, rows, imgui.TableFlags_.no_saved_settings
        ):
            wrapped(name, theme.DIM)
            imgui.table_next_column()
            wrapped(what)
        imgui.spacing()
        wrapped(
            _("User names and folders are removed. Nothing is sent: look through it, and send it yourself.")
        )
        imgui.spacing()
        if controls.button(f"{fa.ICON_FA_FLOPPY_DISK}  {_('Save report as…')}", "save_report"):
            frame.later(
                frame.control.dialogs.choose_new,
                _("Save report as"),
                NAME,
                frame.control.pictures.save_report,
                suffixes=(".zip",),
            )
            self.is_open = False
