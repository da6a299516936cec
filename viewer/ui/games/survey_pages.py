"""Pages of the survey's window: the questions with readings, bins and examples; two reports side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.store.address import SEPARATOR
from viewer.model.store.place import Place
from viewer.operations.survey.examples import SurveyExamples
from viewer.operations.survey.live import SurveyFound
from viewer.operations.survey.report import (
    Answered,
    BinTable,
    ComparedQuestion,
    MeasuredReading,
    compare,
)
from viewer.operations.survey.surveying import QUESTIONS
from viewer.session.field_text import counted
from viewer.session.games.surveyed import ReportSide, SurveyState
from viewer.translation import Text, _, count_text, translated
from viewer.ui.context import UiContext
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.table_grid import LIST, rows_on_screen, table_rows
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import (
    copy_menu,
    cut,
    empty,
    identified,
    labeled,
    readable,
    text,
    tooltip,
    wrapped,
)

MOST_LINES: Final = 14
"""Examples that are seen at once."""
WIDTH: Final = 34.0
"""Width of their list, font heights."""
_PLAIN: Final = imgui.TableFlags_.row_bg | imgui.TableFlags_.no_saved_settings
_ASKED: Final[Mapping[str, Text]] = {it.id: it.asked for it in QUESTIONS}
_UNASKED: Final = tuple(Answered(it.id, it.asked, 0, 0, 0, (), (), None, "") for it in QUESTIONS)
"""The questions before a survey."""
JSON: Final = ".json"


def asked_text(number: str, words: str) -> str:
    """A question of a report in the user's language; one that this program does not know as it is."""
    return str(_ASKED.get(number, words))


class QuestionsPage:
    """All questions in a list, and beside it what is measured for one; owner: the window."""

    def __init__(self) -> None:
        self._chosen = next(iter(_ASKED))

    def draw(self, frame: UiContext, found: SurveyFound | None, height: float) -> None:
        """Draw the list and the chosen question."""
        width = imgui.get_content_region_avail().x * 0.45
        if imgui.begin_child("questions", ImVec2(width, height)):
            self._draw_list(found.report.questions if found else _UNASKED)
        imgui.end_child()
        imgui.same_line()
        if imgui.begin_child("question", ImVec2(0, height)):
            if found is None:
                words = _("Choose the folder of the game: what it says about each question appears here.")
                if frame.state.survey.folder is not None:
                    words = _("Press Survey: what the install says about each question appears here.")
                empty(words)
            else:
                question = next(it for it in found.report.questions if it.id == self._chosen)
                examples = found.examples.get(question.id, SurveyExamples())
                _draw_question(frame, question, found.reasons[question.id], examples)
        imgui.end_child()

    def _draw_list(self, questions: Sequence[Answered]) -> None:
        rows = rows_on_screen(len(questions))
        for row in table_rows("##questions", _COLUMNS, rows, LIST, has_headers=True):
            it = questions[row]
            icon, color = _state_of(it)
            is_chosen = it.id == self._chosen
            label = labeled(it.id, f"choose_{it.id}")
            if imgui.selectable(label, is_chosen, imgui.SelectableFlags_.span_all_columns)[0]:
                self._chosen = it.id
            tooltip(partial(_hints, it))
            imgui.table_next_column()
            text(icon, color)
            imgui.table_next_column()
            cut(asked_text(it.id, it.asked), theme.TEXT if it.rows or not it.why else theme.DIM)
            imgui.table_next_column()
            text(count_text(it.rows) if it.why else "", theme.DIM)


_COLUMNS: Final[Mapping[Text, float]] = {_("no."): 2.4, Text(""): 1.2, _("question"): -1, _("rows"): 4}


def _state_of(it: Answered) -> tuple[str, Color]:
    """The icon of a question: answered, open, or nothing to ask here."""
    if not it.why:  # not asked yet
        return "", theme.DIM
    if it.answer is not None:
        return fa.ICON_FA_CIRCLE_CHECK, theme.GOOD
    return (fa.ICON_FA_CIRCLE_QUESTION, theme.DIM) if it.rows else (fa.ICON_FA_MINUS, theme.FAINT)


def _hints(it: Answered) -> list[str]:
    answers = [_("answer: {answer}", answer=it.answer or _("none"))] if it.why else []
    return [asked_text(it.id, it.asked), *answers]


def _draw_question(frame: UiContext, it: Answered, reasons: Sequence[Text], examples: SurveyExamples) -> None:
    """Draw a question with its answer, its readings and its tables."""
    wrapped(f"{it.id}  {asked_text(it.id, it.asked)}", theme.ACCENT)
    values = {"files": count_text(it.files), "damaged": count_text(it.damaged)}
    words = _("{rows} rows of {files} files, {damaged} damaged", rows=count_text(it.rows), **values)
    text(words, theme.DIM)
    icon, color = _state_of(it)
    wrapped(f"{icon}  {it.answer or _('no answer')}", color)
    copy_menu("copy_answer", it.answer or "")
    for reason in reasons:
        wrapped(str(reason), theme.DIM)
    if it.readings:
        _draw_readings(frame, it.readings, examples)
    for number, table in enumerate(it.tables):
        with identified(number):
            _draw_bins(frame, table, examples)


def _draw_readings(frame: UiContext, readings: Sequence[MeasuredReading], examples: SurveyExamples) -> None:
    """Draw the share of each reading, and where it holds and where not."""
    imgui.spacing()
    columns = {
        _("reading"): -1.0,
        _("share"): 3.2,
        Text(""): 4.5,
        _("rows"): 4.2,
        _("error"): 4.0,
        _("examples"): 5.2,
    }
    has_errors = any(it.error is not None for it in readings)
    if not has_errors:
        del columns[_("error")]
    for number in table_rows("##readings", columns, range(len(readings)), _PLAIN, has_headers=True):
        it = readings[number]
        with identified(number):
            cut(it.name)
            tooltip(it.name)
            imgui.table_next_column()
            text(share_text(it.share))
            imgui.table_next_column()
            _draw_bar(it.share)
            imgui.table_next_column()
            text(count_text(it.of), theme.DIM)
            if has_errors:
                imgui.table_next_column()
                text("" if it.error is None else f"{it.error:.4g}", theme.DIM)
            imgui.table_next_column()
            for is_held, icon in ((True, fa.ICON_FA_CHECK), (False, fa.ICON_FA_XMARK)):
                found = examples.of_reading(it.name, is_held=is_held)
                title = _("Where it holds: {name}") if is_held else _("Where it does not: {name}")
                _draw_examples(frame, f"{icon} {len(found)}", title.format(name=it.name), found)
                imgui.same_line()


def _draw_bar(share: float) -> None:
    """Draw a bar as long as a share of the room that is left."""
    at, height = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
    length = imgui.get_content_region_avail().x * share
    end = ImVec2(at.x + max(length, 1.0 if share else 0.0), at.y + height)
    imgui.get_window_draw_list().add_rect_filled(at, end, theme.packed(theme.ACCENT), theme.em(0.15))
    imgui.dummy(ImVec2(1, height))


def _draw_bins(frame: UiContext, table: BinTable, examples: SurveyExamples) -> None:
    """Draw the values of a table with their counts; a value leads to rows that have it."""
    if not table.bins:
        return
    imgui.separator_text(readable(table.name))
    most = max(count for _value, count in table.bins)
    for number in table_rows(
        "##bins", {"value": -1.4, "count": 5, "bar": -1}, range(len(table.bins)), _PLAIN
    ):
        value, count = table.bins[number]
        with identified(number):
            words = f"{value:.6g}" if isinstance(value, float) else str(value)
            found = examples.of_value(table.name, value)
            _draw_examples(frame, words, f"{table.name}: {words}", found)
            imgui.table_next_column()
            text(count_text(count), theme.DIM)
            imgui.table_next_column()
            _draw_bar(count / most)


def _draw_examples(frame: UiContext, words: str, title: str, found: Sequence[Place]) -> None:
    """Draw a link that lists the first row of each file; without any the words alone."""
    key = f"examples{title}"
    if not found:
        cut(words, theme.FAINT if words[:1] in _ICONS else theme.TEXT)
        return
    if imgui.text_link(labeled(readable(words), key)):
        imgui.open_popup(key)
    tooltip([title, _("On this computer only: the report holds no names.")])
    if not imgui.begin_popup(key):
        return
    text(readable(title), theme.DIM)
    text(
        counted(len(found), "{count} file, its first row", "{count} files, the first row of each"), theme.DIM
    )
    height = min(len(found), MOST_LINES) * imgui.get_text_line_height_with_spacing()
    if imgui.begin_child("places", ImVec2(theme.em(WIDTH), height)):
        for number in rows_on_screen(len(found)):
            place = found[number]
            if imgui.selectable(labeled(_short(place), f"place{number}"), False)[0]:
                frame.later(frame.control.opening.go_to, place)
                imgui.close_current_popup()
            tooltip(readable(str(place)))
    imgui.end_child()
    imgui.end_popup()


_ICONS: Final = (fa.ICON_FA_CHECK, fa.ICON_FA_XMARK)


def _short(place: Place) -> str:
    """A place by the names of its file and entry, without the folders."""
    names = (place.address.path.name, *place.address.entries)
    where = f"  {place.in_file}" if place.in_file else ""
    return readable(SEPARATOR.join(names) + where)


def share_text(share: float | None) -> str:
    """A share in percent; a dash without one."""
    return "-" if share is None else f"{share:.1%}"


class ComparedReportsPage:
    """Two reports side by side; owner: the window."""

    def __init__(self) -> None:
        self._rows = Cached(compare)

    def draw(self, frame: UiContext, state: SurveyState) -> None:
        """Draw what is compared, and the questions, those with other answers first."""
        for number, side in enumerate(state.sides):
            _draw_side(frame, state, number, side)
        a, b = (side.report for side in state.sides)
        if a is None or b is None:
            empty(_("Choose two reports: their answers and shares are shown side by side."))
            return
        rows = self._rows.of((a, b), a, b)
        others = sum(not it.is_same for it in rows)
        words = counted(
            others, "{count} question is answered differently", "{count} questions are answered differently"
        )
        text(words, theme.WARNING if others else theme.GOOD)
        lines = _lines(rows)
        for number in table_rows("##compared", _COMPARED, rows_on_screen(len(lines)), LIST, has_headers=True):
            with identified(number):
                for column, (words, color) in enumerate(lines[number]):
                    if column:
                        imgui.table_next_column()
                    cut(words, color)
                    tooltip(words)


_COMPARED: Final = {_("question, reading"): -2.0, _("first report"): -1.0, _("second report"): -1.0}


def _draw_side(frame: UiContext, state: SurveyState, number: int, side: ReportSide) -> None:
    """Draw which report a side has, and what chooses it."""
    with identified(number):
        title = _("First report:") if number == 0 else _("Second report:")
        controls.label(title, 8.0)
        if controls.button(f"{fa.ICON_FA_FOLDER_OPEN}  {_('Choose a report…')}", "choose_report"):
            frame.later(
                frame.control.dialogs.choose_file,
                _("Choose a report of a survey"),
                partial(frame.control.survey.compare_file, number),
                [JSON],
            )
        imgui.same_line()
        hint = _("The survey that has just ended, without saving it")
        is_possible = state.is_whole
        if controls.button(_("This survey"), "compare_this", hint, is_enabled=is_possible):
            frame.later(frame.control.survey.compare_current, number)
        imgui.same_line()
        imgui.align_text_to_frame_padding()
        text(readable(side.name) or _("none is chosen"), theme.TEXT if side.name else theme.DIM)
        if side.problem:
            wrapped(translated(side.problem), theme.ERROR)


Cell = tuple[str, Color]


def _lines(rows: Sequence[ComparedQuestion]) -> list[tuple[Cell, Cell, Cell]]:
    """A line for the answers of each question, and for each of its shares that differs."""
    found: list[tuple[Cell, Cell, Cell]] = []
    for it in rows:
        color = theme.TEXT if it.is_same else theme.WARNING
        first, second = ((words or str(_("no answer")), color) for words in (it.a, it.b))
        found.append(((f"{it.id}  {asked_text(it.id, it.asked)}", color), first, second))
        for reading in it.readings:
            if reading.a != reading.b:
                shares = share_text(reading.a), share_text(reading.b)
                first, second = ((words, theme.DIM) for words in shares)
                found.append(((f"      {reading.name}", theme.DIM), first, second))
    return found
