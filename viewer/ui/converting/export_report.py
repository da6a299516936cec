"""What could not be exported of an archive."""

from __future__ import annotations

from imgui_bundle import ImVec2, imgui

from viewer.session.converting.reports import ExportReport
from viewer.translation import Message, _, translated
from viewer.ui.context import UiContext
from viewer.ui.edits.modal import answer
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import counted
from viewer.ui.widgets.floating import Floating
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import copy_menu, readable, text, tooltip, wrapped


class ExportReportWindow(Floating):
    """Lists the entries that failed, with the reasons; owner: the shell."""

    id = "export_report"
    title = Message("Not everything was exported")
    size = 44, 22

    def draw(self, frame: UiContext) -> None:
        """Draw the window while there is a report."""
        report = frame.state.converting.written
        self.is_open = report is not None
        with self.window() as is_shown:
            if is_shown and report is not None:
                _draw(report, frame)
        if report is not None and not self.is_open:
            frame.commands.exporting.close_report()


def _draw(report: ExportReport, frame: UiContext) -> None:
    written = counted(report.written, "{count} model was exported", "{count} models were exported")
    wrapped(_("{written} to {folder}.").format(written=written, folder=readable(str(report.folder))))
    wrapped(counted(len(report.failures), "{count} failed:", "{count} failed:"), theme.WARNING)
    below = imgui.get_frame_height_with_spacing() + imgui.get_style().item_spacing.y
    height = imgui.get_content_region_avail().y - below
    if imgui.begin_child("failures", ImVec2(0, height), imgui.ChildFlags_.borders):
        for number in rows_on_screen(len(report.failures)):
            failure = report.failures[number]
            text(readable(failure.name))
            imgui.same_line(0, theme.em(0.8))
            reason = readable(translated(failure.reason))
            text(reason, theme.DIM)
            tooltip(reason)
            copy_menu(f"copy{number}", f"{failure.name}: {reason}")
    imgui.end_child()
    if answer(_("Copy list"), "copy", _("Names and reasons, a line each.")):
        lines = (f"{it.name}\t{translated(it.reason)}" for it in report.failures)
        frame.commands.window.copy_text("\n".join(lines))
    if answer(_("Close"), "close"):
        frame.commands.exporting.close_report()
