"""The survey of an install in a worker thread, and reports of earlier ones."""

from __future__ import annotations

from collections import deque
from pathlib import Path

from msgspec.structs import replace

from viewer.control.jobs import Jobs, problem_of
from viewer.control.lookups.corpus import paths_of
from viewer.control.state import State
from viewer.errors import UsageError, reading_from
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.survey.live import SurveyFound, survey
from viewer.operations.survey.report import SurveyReport, read_report
from viewer.progress import Progress
from viewer.session.games.surveyed import SURVEY_LANE, ReportSide, SurveyState
from viewer.session.jobs import CorpusScope, ReadFiles
from viewer.translation import _


class SurveyController:
    """Keeps `State.survey`; owner: the application, main thread only."""

    def __init__(self, state: State, jobs: Jobs) -> None:
        self._state = state
        self._jobs = jobs
        self._published: deque[SurveyFound] = deque(maxlen=1)

    def propose(self) -> None:
        """Choose the game folder that is set or around the open model, unless one is chosen."""
        if self._state.survey.folder is None:
            try:
                folder = paths_of(self._state, CorpusScope.GAME)[0]
            except UsageError:
                return
            self._state.survey = replace(self._state.survey, folder=folder)

    def start(self, folder: Path) -> None:
        """Survey a game folder; one that runs ends."""
        self._jobs.drop(SURVEY_LANE)
        published: deque[SurveyFound] = deque(maxlen=1)
        self._published = published
        read = ReadFiles.now([folder])
        self._state.survey = SurveyState(folder, is_running=True, read=read, sides=self._state.survey.sides)

        def work(progress: Progress) -> SurveyFound:
            return survey(folder, progress, published.append)

        def done(found: SurveyFound) -> None:
            published.clear()
            self._end("", found)

        title = _("Surveying {name}…", name=folder.name)
        self._jobs.start(SURVEY_LANE, title, work, done, self._fail, is_background=True)

    def update(self) -> None:
        """Take over what was found since the last frame."""
        if self._published and self._state.survey.is_running:
            self._state.survey = replace(self._state.survey, found=self._published.pop())

    def compare_file(self, side: int, path: Path) -> None:
        """Compare a report that was saved, as the first (0) or the second (1) one."""
        self._set_side(side, ReportSide(path.name))

        def done(report: SurveyReport) -> None:
            self._set_side(side, ReportSide(path.name, report))

        def failed(error: BaseException) -> None:
            self._set_side(side, ReportSide(path.name, problem=problem_of(error)))

        title = _("Opening {name}…", name=path.name)
        self._jobs.start(f"report {side}", title, lambda _ignored: _read(path), done, failed)

    def compare_current(self, side: int) -> None:
        """Compare the report of the survey that has just ended."""
        found, folder = self._state.survey.found, self._state.survey.folder
        if found is not None and folder is not None:
            self._set_side(side, ReportSide(_("this survey: {name}", name=folder.name), found.report))

    def _set_side(self, side: int, chosen: ReportSide) -> None:
        first, second = self._state.survey.sides
        sides = (chosen, second) if side == 0 else (first, chosen)
        self._state.survey = replace(self._state.survey, sides=sides)

    def _end(self, problem: str, found: SurveyFound | None) -> None:
        found = found or self._state.survey.found
        self._state.survey = replace(self._state.survey, found=found, is_running=False, problem=problem)

    def _fail(self, error: BaseException) -> None:
        self.update()
        self._end(problem_of(error), None)


def _read(path: Path) -> SurveyReport:
    address = Address(path)
    data = FileStore().open(address).data
    with reading_from(address):
        return read_report(bytes(data))
