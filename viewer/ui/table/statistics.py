"""Statistics panel: the values of one field over all models, what stands out, and what holds for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.model.store.address import SEPARATOR
from viewer.operations.corpus.statistics import FieldStatistics
from viewer.session.field_text import counted
from viewer.session.jobs import STATISTICS_LANE, CorpusScope, StatisticsRequest, StatisticsState
from viewer.translation import Text, _, count_text, translated
from viewer.ui.context import UiContext
from viewer.ui.fields.resource_links import draw_row_link
from viewer.ui.fields.result_age import draw_age
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.input.filter_field import FilterField
from viewer.ui.widgets.job_progress import draw_progress, draw_unreadable
from viewer.ui.widgets.table_grid import rows_on_screen, table_rows
from viewer.ui.widgets.widgets import copy_menu, cut, empty, labeled, readable, text, tooltip, wrapped

SCOPES: Final = {
    CorpusScope.FILE: _("This file"),
    CorpusScope.OPEN: _("Everything open"),
    CorpusScope.GAME: _("Game folder"),
}
SCOPE_HINTS: Final = {
    CorpusScope.FILE: _("The file of the active tab, with everything in it."),
    CorpusScope.OPEN: _("All files and folders in the browser."),
    CorpusScope.GAME: _("Every model of the game folder from the settings."),
    CorpusScope.ENTRIES: _("The entries that were selected in an overview."),
}
_WHERE: Final = _("Only rows that fulfill a condition: index_count > 300 and flags & 8")
_FLAGS: Final = imgui.TableFlags_.scroll_y | imgui.TableFlags_.row_bg
_WHOLE_ROW: Final = imgui.SelectableFlags_.span_all_columns


class StatisticsPanel:
    """The statistics of a field: request, histogram, and answer; owner: the shell."""

    id = "statistics"
    title = _("Statistics")

    def __init__(self) -> None:
        self._where = FilterField("statistics_where", _("All rows"), _WHERE)
        self._names = FilterField("statistics_fields", _("Filter fields"))
        self._request: StatisticsRequest | None = None

    def draw(self, frame: UiContext) -> None:
        """Draw what can be chosen, and the statistics of all fields or of the field chosen."""
        state = frame.state.corpus
        request = state.request or StatisticsRequest()
        if state.request is not self._request:
            self._request = state.request
            self._where.put(request.where)
        self._draw_choices(frame, request)
        if not state.is_running and draw_age(frame, state.read):
            frame.later(frame.control.statistics.count_again)
        if state.is_running:
            draw_progress(frame, STATISTICS_LANE, _("Counting…"), "cancel_statistics")
        elif state.problem:
            wrapped(translated(state.problem), theme.ERROR)
        elif request.field and state.found:
            _draw_found(frame, state, state.found[0])
        elif state.found:
            self._draw_summary(frame, request, state.found)
        else:
            empty(_("Count shows what values the fields of all models have."))

    def _draw_choices(self, frame: UiContext, request: StatisticsRequest) -> None:
        scopes = {scope: str(title) for scope, title in SCOPES.items()}
        if request.entries:
            words = counted(len(request.entries), "{count} selected entry", "{count} selected entries")
            scopes[CorpusScope.ENTRIES] = words
        scope = controls.choose("##scope", scopes, request.scope, 9, hints=SCOPE_HINTS)
        chosen = replace(request, scope=scope)
        imgui.same_line()
        if request.field:
            if controls.button(f"{fa.ICON_FA_ARROW_LEFT}  {_('All fields')}", "all_fields"):
                chosen = replace(request, field="")
            imgui.same_line()
            controls.label(request.field, color=theme.TEXT)
        self._where.draw(room=theme.em(8) if request.field else imgui.get_content_region_avail().x / 2)
        if self._where.is_entered or (self._where.is_empty and request.where):
            chosen = replace(chosen, where=self._where.text.strip())
        imgui.same_line()
        if not request.field:
            self._names.draw(room=theme.em(8))
            imgui.same_line()
        is_again = controls.button(
            _("Count"), "count_again", _("Count again, with what has changed since"), width=-1
        )
        if chosen != request:
            frame.later(frame.control.statistics.count, chosen)
        elif is_again:
            frame.later(frame.control.statistics.count_again)

    def _draw_summary(
        self, frame: UiContext, request: StatisticsRequest, found: Sequence[FieldStatistics]
    ) -> None:
        """Draw a row for each field; a click shows its values."""
        shown = [it for it in found if self._names.names.matches(it.field)]
        columns = {labeled(title, key): width for key, (title, width) in _COLUMNS.items()}
        for row in table_rows("##fields", columns, rows_on_screen(len(shown)), _SUMMARY, has_headers=True):
            it = shown[row]
            if imgui.selectable(labeled(it.field, it.field), False, _WHOLE_ROW)[0]:
                frame.later(frame.control.statistics.count, replace(request, field=it.field))
            tooltip(partial(_facts, it))
            copy_menu(f"copy_{it.field}", it.field)
            ends = "" if it.least is None else f"{value_text(it.least)} … {value_text(it.greatest)}"
            counts = (count_text(it.rows), count_text(it.distinct), ends)
            for words in (*counts, count_text(it.outlier_count) if it.outlier_count else ""):
                imgui.table_next_column()
                text(words, theme.DIM)
            imgui.table_next_column()
            text("; ".join(it.invariants))


_SUMMARY: Final = _FLAGS | imgui.TableFlags_.resizable | imgui.TableFlags_.no_saved_settings
_COLUMNS: Final[Mapping[str, tuple[Text, float]]] = {
    "field": (_("field"), 14),
    "rows": (_("rows"), 4),
    "distinct": (_("distinct"), 4),
    "range": (_("range"), 10),
    "outliers": (_("outliers"), 4),
    "invariants": (_("invariants"), -1),
}
"""The columns of the summary, and their widths as in `set_up_columns`."""


def _draw_found(frame: UiContext, state: StatisticsState, found: FieldStatistics) -> None:
    """Draw the facts, and below them the histogram beside the outliers."""
    cut("; ".join(_facts(found)))
    tooltip(partial(_facts, found))
    if state.unreadable:
        draw_unreadable(_("These cannot be read:"), state.unreadable)
    room = imgui.get_content_region_avail()
    share = 0.5 if found.outliers else 1.0
    imgui.begin_child("histogram", ImVec2(room.x * share - theme.em(0.5), 0))
    _draw_histogram(found)
    imgui.end_child()
    if found.outliers:
        imgui.same_line()
        imgui.begin_child("outliers", ImVec2(0, 0))
        _draw_outliers(frame, found)
        imgui.end_child()


def _facts(found: FieldStatistics) -> Iterator[str]:
    """Lines of the number of values, the range, and what holds for all rows."""
    models = counted(found.models, "{count} model", "{count} models")
    yield counted(found.rows, "{count} row in {models}", "{count} rows in {models}", models=models)
    yield counted(found.distinct, "{count} distinct value", "{count} distinct values")
    if found.least is not None:
        ends = {"least": value_text(found.least), "greatest": value_text(found.greatest)}
        yield _("{least} to {greatest}", **ends)
    yield from found.invariants


def _draw_histogram(found: FieldStatistics) -> None:
    """Draw a bar for each value, or for each range of values."""
    if found.bin_width is not None:
        words = _("Each bar is {width} wide and begins at its value.", width=value_text(found.bin_width))
        text(words, theme.DIM)
    elif len(found.histogram) < found.distinct:
        text(_("The most frequent values:"), theme.DIM)
    names = [value_text(value) for value, _count in found.histogram]
    most = max((count for _value, count in found.histogram), default=1)
    width = max((imgui.calc_text_size(it).x for it in names), default=0.0)
    widths = min(width, theme.em(16)), imgui.calc_text_size(count_text(most)).x
    columns = {"value": widths[0] / theme.em(), "count": widths[1] / theme.em(), "bar": -1}
    for row in table_rows("##bars", columns, rows_on_screen(len(names)), _FLAGS):
        text(readable(names[row]))
        copy_menu(f"copy{row}", names[row])
        imgui.table_next_column()
        count = found.histogram[row][1]
        text(count_text(count), theme.DIM if count else theme.FAINT)
        imgui.table_next_column()
        at, height = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
        wide = imgui.get_content_region_avail().x * count / most
        end = ImVec2(at.x + max(wide, 1.0 if count else 0.0), at.y + height)
        imgui.get_window_draw_list().add_rect_filled(at, end, theme.packed(theme.ACCENT), theme.em(0.15))
        imgui.dummy(ImVec2(1, height))


def _draw_outliers(frame: UiContext, found: FieldStatistics) -> None:
    """Draw a link to the row of each outlier."""
    words = counted(found.outlier_count, "{count} outlier", "{count} outliers")
    if found.outlier_count > len(found.outliers):
        words = _("{words}, of which {count} are listed", words=words, count=len(found.outliers))
    text(words, theme.DIM)
    on_screen = rows_on_screen(len(found.outliers))
    for row in table_rows("##outliers", {"value": 7, "place": -1}, on_screen, _FLAGS):
        outlier = found.outliers[row]
        place = outlier.place
        go_to = frame.later.calling(frame.control.opening.go_to, place)
        hints = str(place), _("Ctrl or middle click: in another tab")
        draw_row_link(labeled(value_text(outlier.value), f"outlier{row}"), str(place), hints, go_to)
        imgui.table_next_column()
        text(f"{SEPARATOR.join(place.address.entries) or place.address.name}: {place.in_file}", theme.DIM)


def value_text(value: object) -> str:
    """A value as text: six digits of a float, a word for none."""
    if value is None:
        return _("none")
    return f"{value:.6g}" if isinstance(value, float) else str(value)
