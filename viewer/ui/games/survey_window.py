"""The window of a survey: what an install says about open questions, what would be shared, two reports."""

from __future__ import annotations

from functools import partial
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.operations.survey.explained import ExplainedLine, explained
from viewer.operations.survey.report import SurveyReport
from viewer.session.field_text import counted
from viewer.session.games.surveyed import SURVEY_LANE, SurveyState
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.fields.result_age import draw_age
from viewer.ui.games.survey_pages import ComparedReportsPage, QuestionsPage
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.floating import Floating, answer
from viewer.ui.widgets.job_progress import draw_progress, draw_unreadable
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import cut, empty, labeled, readable, text, tooltip, wrapped

REPORT: Final = "report.json"
_INTRODUCTION: Final = _(
    "A survey measures on an install what is still open about the formats of the game. Its report holds "
    "numbers only: no names, texts, pictures or bytes of the game."
)


class SurveyWindow(Floating):
    """The survey of the state; owner: the shell."""

    id = "survey"
    title = _("Survey of an install")
    size = 84, 50

    def __init__(self) -> None:
        super().__init__()
        self._questions, self._compared = QuestionsPage(), ComparedReportsPage()
        self._lines = Cached(_lines_of)
        self._goes_to_shared = False

    def show(self, frame: UiContext) -> None:
        """Open the window; the game folder that is known is proposed."""
        self.is_open = True
        frame.later(frame.control.survey.propose)

    def draw(self, frame: UiContext) -> None:
        """Draw the window if it is open."""
        with self.window() as is_shown:
            if is_shown:
                self._draw_request(frame, frame.state.survey)
                self._draw_pages(frame, frame.state.survey)

    def _draw_request(self, frame: UiContext, state: SurveyState) -> None:
        """Draw the folder, what begins the survey, and how far it is."""
        wrapped(str(_INTRODUCTION), theme.DIM)
        choose = f"{fa.ICON_FA_FOLDER_OPEN}  {_('Choose a folder…')}"
        if controls.button(choose, "choose_folder", is_enabled=not state.is_running):
            title = _("Choose the game folder to survey")
            frame.later(frame.control.dialogs.choose_folder, title, frame.control.survey.start)
        imgui.same_line()
        if state.folder is not None and not state.is_running:
            words = _("Survey again") if state.found else _("Survey")
            if controls.button(f"{fa.ICON_FA_CHART_SIMPLE}  {words}", "start_survey"):
                frame.later(frame.control.survey.start, state.folder)
            imgui.same_line()
        if state.is_running:
            imgui.align_text_to_frame_padding()
            draw_progress(frame, SURVEY_LANE, _("Listing the files…"), "cancel_survey")
        elif state.folder is None:
            imgui.align_text_to_frame_padding()
            text(_("no game folder is chosen"), theme.DIM)
        else:
            imgui.align_text_to_frame_padding()
            cut(readable(str(state.folder)))
            tooltip(readable(str(state.folder)))
        if state.problem:
            wrapped(translated(state.problem), theme.ERROR)
            if state.found is not None:
                wrapped(_("What was found until then is shown; it cannot be saved."), theme.DIM)
        if not state.is_running and draw_age(frame, state.read) and state.folder is not None:
            frame.later(frame.control.survey.start, state.folder)

    def _draw_pages(self, frame: UiContext, state: SurveyState) -> None:
        if not imgui.begin_tab_bar("##survey_pages"):
            return
        pages = {
            "questions": (_("Questions"), partial(self._draw_questions, frame, state)),
            "shared": (_("What is shared"), partial(self._draw_shared, frame, state)),
            "reports": (_("Compare reports"), partial(self._compared.draw, frame, state)),
        }
        goes_to, self._goes_to_shared = "shared" if self._goes_to_shared else "", False
        for key, (title, draw) in pages.items():
            flags = imgui.TabItemFlags_.set_selected if key == goes_to else imgui.TabItemFlags_.none
            if imgui.begin_tab_item(labeled(str(title), key), None, flags)[0]:
                draw()
                imgui.end_tab_item()
        imgui.end_tab_bar()

    def _draw_questions(self, frame: UiContext, state: SurveyState) -> None:
        self._questions.draw(frame, state.found, _height_without_buttons())
        if state.found is not None and state.found.problems:
            draw_unreadable(_("These cannot be read:"), state.found.problems)
            imgui.same_line()
            count = len(state.found.problems)
            text(counted(count, "{count} file cannot be read", "{count} files cannot be read"), theme.DIM)
            imgui.same_line(0, theme.em(1.2))
        is_whole, hint = state.is_whole, _("Shows all that the report holds; nothing is sent anywhere.")
        if answer(_("Save the report…"), "to_shared", hint, is_enabled=is_whole):
            self._goes_to_shared = True

    def _draw_shared(self, frame: UiContext, state: SurveyState) -> None:
        """Draw all that the report holds, and what saves it."""
        if state.found is None:
            empty(_("All that the report holds appears here before it is saved."))
            return
        report = state.found.report
        lines = self._lines.of((report,), report)
        note = _("This is all that the report holds, as `survey --explain` prints it. Nothing else is saved.")
        wrapped(note, theme.DIM)
        if imgui.begin_child("explained", ImVec2(0, _height_without_buttons()), imgui.ChildFlags_.borders):
            theme.push_mono()  # its columns are aligned by letters
            for number in rows_on_screen(len(lines)):
                line = lines[number]
                text(line.text, theme.ACCENT if line.is_heading else theme.TEXT)
            imgui.pop_font()
        imgui.end_child()
        words, hint = _("Save this report…"), _("As a file of your own; nothing is sent anywhere.")
        if answer(words, "save_report", hint, is_enabled=state.is_whole, is_main=True):
            frame.later(
                frame.control.dialogs.choose_new,
                _("Save the report"),
                REPORT,
                partial(frame.control.files.save_text, report.json()),
            )
        if answer(_("Copy"), "copy_report"):
            frame.later(frame.control.window.copy_text, "\n".join(it.text for it in lines))


def _height_without_buttons() -> float:
    """The height of a page down to the buttons below it."""
    return imgui.get_content_region_avail().y - imgui.get_frame_height_with_spacing() - theme.em(0.2)


def _lines_of(report: SurveyReport) -> tuple[ExplainedLine, ...]:
    return tuple(explained(report))
