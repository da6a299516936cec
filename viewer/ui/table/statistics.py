"""Statistics panel: the values of one field over all models, what stands out, and what holds for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.dataclass import replace
from viewer.model.store.address import SEPARATOR
from viewer.operations.corpus.statistics import FieldStatistics, Outlier
from viewer.session.jobs import RunningJob
from viewer.session.statistics import (
    STATISTICS_LANE,
    StatisticsRequest,
    StatisticsScope,
    StatisticsState,
)
from viewer.translation import Text, _, translated
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import count_text, counted
from viewer.ui.widgets.filter_field import FilterField
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import (
    copy_menu,
    cut,
    empty,
    ghost_button,
    labeled,
    readable,
    text,
    tooltip,
    wrapped,
)

SCOPES: Final = {
    StatisticsScope.FILE: (_("This file"), _("The file of the active tab, with everything in it.")),
    StatisticsScope.OPEN: (_("Everything open"), _("All files and folders in the browser.")),
    StatisticsScope.GAME: (_("Game folder"), _("Every model of the game folder from the settings.")),
}
_WHERE: Final = _("Only rows that fulfill a condition: index_count > 300 and flags & 8")
MOST_NAMED: Final = 12
"""Unreadable files that a tooltip names."""
_FLAGS: Final = imgui.TableFlags_.scroll_y | imgui.TableFlags_.row_bg


class StatisticsPanel:
    """What is counted, the histogram, and what was found; owner: the shell."""

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
        job = next((it for it in frame.state.jobs if it.lane == STATISTICS_LANE), None)
        if state.is_running:
            _draw_progress(frame, job)
        elif state.problem:
            wrapped(translated(state.problem), theme.ERROR)
        elif request.field and state.found:
            _draw_found(frame, state, state.found[0])
        elif state.found:
            self._draw_summary(frame, request, state.found)
        else:
            empty(_("Count shows what values the fields of all models have."))

    def _draw_choices(self, frame: UiContext, request: StatisticsRequest) -> None:
        chosen = request
        imgui.set_next_item_width(theme.em(9))
        if imgui.begin_combo("##scope", str(SCOPES[request.scope][0])):
            for scope, (title, hint) in SCOPES.items():
                if imgui.selectable(labeled(str(title), scope), scope is request.scope)[0]:
                    chosen = replace(request, scope=scope)
                tooltip(str(hint))
            imgui.end_combo()
        imgui.same_line()
        if request.field:
            if imgui.button(labeled(f"{fa.ICON_FA_ARROW_LEFT}  {_('All fields')}", "all_fields")):
                chosen = replace(request, field="")
            imgui.same_line()
            imgui.align_text_to_frame_padding()
            text(request.field)
            imgui.same_line()
        self._where.draw(room=theme.em(8) if request.field else imgui.get_content_region_avail().x / 2)
        if self._where.is_entered or (self._where.is_empty and request.where):
            chosen = replace(chosen, where=self._where.text.strip())
        imgui.same_line()
        if not request.field:
            self._names.draw(room=theme.em(8))
            imgui.same_line()
        is_again = imgui.button(labeled(_("Count"), "count_again"), ImVec2(-1, 0))
        tooltip(_("Count again, with what has changed since"))
        if chosen != request:
            frame.commands.statistics.count(chosen)
        elif is_again:
            frame.commands.statistics.count_again()

    def _draw_summary(
        self, frame: UiContext, request: StatisticsRequest, found: Sequence[FieldStatistics]
    ) -> None:
        """Draw a row for each field; a click shows its values."""
        rows = [it for it in found if self._names.names.matches(it.field)]
        if not imgui.begin_table("##fields", len(_COLUMNS), _SUMMARY, imgui.get_content_region_avail()):
            return
        for key, (title, width) in _COLUMNS.items():
            flag = imgui.TableColumnFlags_.width_fixed if width else imgui.TableColumnFlags_.width_stretch
            imgui.table_setup_column(labeled(str(title), key), flag, theme.em(width) if width else 1.0)
        imgui.table_setup_scroll_freeze(0, 1)
        imgui.table_headers_row()
        for row in rows_on_screen(len(rows)):
            it = rows[row]
            imgui.table_next_row()
            imgui.table_next_column()
            if imgui.selectable(labeled(it.field, it.field), False, imgui.SelectableFlags_.span_all_columns)[
                0
            ]:
                frame.commands.statistics.count(replace(request, field=it.field))
            tooltip(partial(_facts, it))
            copy_menu(f"copy_{it.field}", it.field)
            ends = "" if it.least is None else f"{value_text(it.least)} … {value_text(it.greatest)}"
            counts = (count_text(it.rows), count_text(it.distinct), ends)
            for words in (*counts, count_text(it.outlier_count) if it.outlier_count else ""):
                imgui.table_next_column()
                text(words, theme.DIM)
            imgui.table_next_column()
            text("; ".join(it.invariants))
        imgui.end_table()


_SUMMARY: Final = _FLAGS | imgui.TableFlags_.resizable | imgui.TableFlags_.no_saved_settings
_COLUMNS: Final[Mapping[str, tuple[Text, float]]] = {
    "field": (_("field"), 14),
    "rows": (_("rows"), 4),
    "distinct": (_("distinct"), 4),
    "range": (_("range"), 10),
    "outliers": (_("outliers"), 4),
    "invariants": (_("invariants"), 0),
}
"""The columns of the summary, and their widths in font heights; 0 for the rest."""


def _draw_progress(frame: UiContext, job: RunningJob | None) -> None:
    words = _("Counting…")
    if job is not None and job.total:
        words = _("{done} of {total}: {name}", done=job.done, total=job.total, name=job.what)
    text(words, theme.DIM)
    if job is not None and not job.is_cancelled:
        imgui.same_line()
        if ghost_button(fa.ICON_FA_XMARK, "cancel_statistics", _("Cancel"), theme.DIM):
            frame.commands.window.cancel_job(STATISTICS_LANE)


def _draw_found(frame: UiContext, state: StatisticsState, found: FieldStatistics) -> None:
    """Draw the facts, and below them the histogram beside the outliers."""
    cut("; ".join(_facts(found)))
    tooltip(partial(_facts, found))
    if state.unreadable:
        text(fa.ICON_FA_TRIANGLE_EXCLAMATION, theme.WARNING)
        reasons = [f"{name}: {translated(why)}" for name, why in state.unreadable.items()]
        tooltip([_("These cannot be read:"), *reasons[:MOST_NAMED]])
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
    """How much was counted, the range, and what holds for all rows."""
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
    if not imgui.begin_table("##bars", 3, _FLAGS, imgui.get_content_region_avail()):
        return
    names = [value_text(value) for value, _count in found.histogram]
    most = max((count for _value, count in found.histogram), default=1)
    width = max((imgui.calc_text_size(it).x for it in names), default=0.0)
    imgui.table_setup_column("value", imgui.TableColumnFlags_.width_fixed, min(width, theme.em(16)))
    imgui.table_setup_column(
        "count", imgui.TableColumnFlags_.width_fixed, imgui.calc_text_size(count_text(most)).x
    )
    imgui.table_setup_column("bar", imgui.TableColumnFlags_.width_stretch)
    for row in rows_on_screen(len(names)):
        imgui.table_next_row()
        imgui.table_next_column()
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
    imgui.end_table()


def _draw_outliers(frame: UiContext, found: FieldStatistics) -> None:
    """Draw a link to the row of each outlier."""
    words = counted(found.outlier_count, "{count} outlier", "{count} outliers")
    if found.outlier_count > len(found.outliers):
        words = _("{words}, of which {count} are listed", words=words, count=len(found.outliers))
    text(words, theme.DIM)
    if not imgui.begin_table("##outliers", 2, _FLAGS, imgui.get_content_region_avail()):
        return
    imgui.table_setup_column("value", imgui.TableColumnFlags_.width_fixed, theme.em(7))
    imgui.table_setup_column("place", imgui.TableColumnFlags_.width_stretch)
    for row in rows_on_screen(len(found.outliers)):
        imgui.table_next_row()
        imgui.table_next_column()
        _draw_outlier(frame, row, found.outliers[row])
    imgui.end_table()


def _draw_outlier(frame: UiContext, row: int, found: Outlier) -> None:
    label = labeled(value_text(found.value), f"outlier{row}")
    is_clicked = imgui.selectable(label, False, imgui.SelectableFlags_.span_all_columns)[0]
    in_new_tab = imgui.is_item_clicked(imgui.MouseButton_.middle)
    tooltip([str(found.place), _("Ctrl or middle click: in another tab")])
    copy_menu(f"copy_outlier{row}", str(found.place))
    if is_clicked or in_new_tab:
        frame.commands.opening.go_to(found.place, in_new_tab=in_new_tab or imgui.get_io().key_ctrl)
    imgui.table_next_column()
    name = SEPARATOR.join(found.place.address.entries) or found.place.address.name
    text(f"{name}: {found.place.spot}", theme.DIM)


def value_text(value: object) -> str:
    """A value as text: six digits of a float, a word for none."""
    if value is None:
        return _("none")
    return f"{value:.6g}" if isinstance(value, float) else str(value)
