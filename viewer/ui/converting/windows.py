"""The windows of converting: what a file is imported into, failures of an export, the round trip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.convert.exchange import RoundTrip
from viewer.operations.corpus.exports import ExportReport, ModelRoundTrips
from viewer.session.exporting import ROUND_TRIPS_LANE, RoundTripReport
from viewer.session.field_text import counted, size_text
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.converting.export_window import ExportWindow
from viewer.ui.converting.files_window import FilesWindow
from viewer.ui.converting.import_window import ImportWindow
from viewer.ui.converting.scene_question import SceneQuestionWindow
from viewer.ui.converting.textures_window import TextureReturnWindow, WrittenPicturesWindow
from viewer.ui.widgets import theme
from viewer.ui.widgets.floating import Floating, answer
from viewer.ui.widgets.table_grid import rows_on_screen, set_up_columns
from viewer.ui.widgets.widgets import copy_menu, empty, identified, labeled, readable, text, tooltip, wrapped


class ConvertWindows:
    """Draws all of them; owner: the shell."""

    def __init__(self) -> None:
        self._windows = (
            ExportWindow(),
            FilesWindow(),
            ExportReportWindow(),
            RoundTripWindow(),
            SceneQuestionWindow(),
            ImportWindow(),
            WrittenPicturesWindow(),
            TextureReturnWindow(),
        )

    def draw(self, frame: UiContext) -> None:
        """Draw the open windows."""
        for window in self._windows:
            window.draw(frame)


COLUMNS: Final = 5
MOST_ROWS: Final = 12
"""Rows of the table that are seen without scrolling."""
SHARE: Final = 0.6
"""Largest share of the window that the table takes if something differs."""
_TABLE_FLAGS: Final = (
    imgui.TableFlags_.row_bg
    | imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.borders_inner_v
    | imgui.TableFlags_.sizing_fixed_fit
)


class RoundTripWindow(Floating):
    """A row for each model and format, and what differs in the one that was clicked; owner: the shell."""

    id = "round_trip"
    title = _("Round trip")
    size = 44, 26

    def __init__(self) -> None:
        super().__init__()
        self._shown: RoundTrip | None = None
        self._made_of: object = None
        self._rows: list[tuple[str, RoundTrip]] = []

    def draw(self, frame: UiContext) -> None:
        """Draw the window while there is a check or its report."""
        report = frame.state.converting.trips
        with self.asked(report, frame.later.calling(frame.control.round_trips.close)) as is_shown:
            if is_shown and report is not None:
                self._draw(report, frame)

    def _draw(self, report: RoundTripReport, frame: UiContext) -> None:
        if report.models is not self._made_of:
            self._made_of, self._rows = report.models, rows_of(report.models)
            self._shown = next((it for _ignored, it in self._rows if not it.is_identical), None)
        text(readable(report.address.name))
        tooltip(readable(str(report.address)))
        imgui.same_line(0, theme.em(0.8))
        if report.is_running:
            text(_("Exporting, importing and comparing…"), theme.DIM)
            _draw_progress(frame)
        elif not self._rows:
            text(_("There is no model in it."), theme.DIM)
        else:
            _draw_summary(self._rows)
        words = _("Exported in memory (OBJ: one cell at rest), imported against itself and compared.")
        wrapped(words, theme.DIM)
        below = imgui.get_frame_height_with_spacing() + imgui.get_style().item_spacing.y
        room = imgui.get_content_region_avail().y - below
        lines = min(len(self._rows), MOST_ROWS) + 1
        used = lines * (imgui.get_text_line_height() + theme.em(0.5)) + theme.em(0.4)
        height = room if self._shown is None else min(used, room * SHARE)
        if self._rows:
            self._draw_table(ImVec2(0, max(height, theme.em(3))))
        if self._shown is not None:
            if imgui.begin_child(
                "differences", ImVec2(0, max(imgui.get_content_region_avail().y - below, 1))
            ):
                _draw_differences(self._shown)
            imgui.end_child()
        words = _("Cancel") if report.is_running else _("Close")
        if answer(words, "close", is_main=not report.is_running):
            frame.later(frame.control.round_trips.close)

    def _draw_table(self, size: ImVec2) -> None:
        if not imgui.begin_table("trips", COLUMNS, int(_TABLE_FLAGS), size):
            return
        titles = (_("Model"), _("Format"), _("Comes back"), _("Size"), _("Out, in"))
        set_up_columns(dict.fromkeys(titles, 0), has_headers=True)
        for number in rows_on_screen(len(self._rows)):
            with identified(number):
                self._draw_row(*self._rows[number])
        imgui.end_table()

    def _draw_row(self, name: str, found: RoundTrip) -> None:
        imgui.table_next_row()
        imgui.table_next_column()
        flags = imgui.SelectableFlags_.span_all_columns
        if imgui.selectable(labeled(readable(name), "row"), found is self._shown, int(flags))[0]:
            self._shown = found
        imgui.table_next_column()
        text(f".{found.suffix}")
        imgui.table_next_column()
        text(*verdict(found))
        imgui.table_next_column()
        text(size_text(found.size) if found.size else "", theme.DIM)
        imgui.table_next_column()
        times = _("{written:.0f} ms, {read:.0f} ms")
        text(times.format(written=found.seconds_out * 1e3, read=found.seconds_in * 1e3), theme.DIM)


def _draw_progress(frame: UiContext) -> None:
    """Draw how far the check is, and the model that it is at."""
    job = next((it for it in frame.state.jobs if it.lane == ROUND_TRIPS_LANE), None)
    if job is not None and job.share is not None:
        imgui.push_style_color(imgui.Col_.plot_histogram, imgui.get_style().color_(imgui.Col_.header))
        imgui.progress_bar(job.share, ImVec2(-1, 0), readable(job.what))
        imgui.pop_style_color()


def rows_of(models: Sequence[ModelRoundTrips]) -> list[tuple[str, RoundTrip]]:
    """Return a row for each model and format, those first that do not come back as they were."""
    rows = [(model.name, found) for model in models for found in model.trips]
    return sorted(rows, key=lambda row: row[1].is_identical) if len(models) > 1 else rows


def verdict(found: RoundTrip) -> tuple[str, theme.Color]:
    """Say whether a model came back, and the color of that."""
    if found.is_identical:
        return f"{fa.ICON_FA_CHECK}  {_('the same bytes')}", theme.GOOD
    if not found.size:
        return f"{fa.ICON_FA_XMARK}  {_('failed')}", theme.ERROR
    words = counted(len(found.differences), "{count} difference", "{count} differences")
    return f"{fa.ICON_FA_TRIANGLE_EXCLAMATION}  {words}", theme.WARNING


def _draw_summary(rows: Sequence[tuple[str, RoundTrip]]) -> None:
    other = sum(not found.is_identical for _ignored, found in rows)
    if other:
        words = _("{other} of {count} come back with differences", other=other, count=len(rows))
        text(words, theme.WARNING)
    else:
        text(_("everything comes back with the same bytes"), theme.GOOD)


def _draw_differences(found: RoundTrip | None) -> None:
    """Draw what differs after a trip, and what the format cannot hold."""
    if found is None:
        return
    if not found.differences and not found.losses:
        empty(_("Nothing differs."))
        return
    lines = (*found.differences, *found.losses)
    for number in rows_on_screen(len(lines)):
        words = readable(translated(lines[number]))
        text(words, theme.TEXT if number < len(found.differences) else theme.DIM)
        tooltip(words)
        copy_menu(f"copy{number}", words)


class ExportReportWindow(Floating):
    """Lists the entries that failed, with the reasons; owner: the shell."""

    id = "export_report"
    title = _("Not everything was written")
    size = 44, 22

    def draw(self, frame: UiContext) -> None:
        """Draw the window while there is a report."""
        report = frame.state.converting.written
        with self.asked(report, frame.later.calling(frame.control.exporting.close_report)) as is_shown:
            if is_shown and report is not None:
                _draw_report(report, frame)


def _draw_report(report: ExportReport, frame: UiContext) -> None:
    entries = counted(report.written, "{count} entry", "{count} entries")
    words = _("{entries} written to {folder}", entries=entries, folder=readable(str(report.folder)))
    wrapped(words)
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
        frame.later(frame.control.window.copy_text, "\n".join(lines))
    if answer(_("Close"), "close", is_main=True):
        frame.later(frame.control.exporting.close_report)
