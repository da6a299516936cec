"""The survey of an install as its window shows it, and the two reports that are compared."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec import Struct

from viewer.operations.survey.live import SurveyFound
from viewer.operations.survey.report import SurveyReport
from viewer.session.jobs import ReadFiles

SURVEY_LANE: Final = "survey"
"""The lane of its job."""


class ReportSide(Struct, frozen=True, eq=False):
    """One of two reports that are compared.

    Attributes
    ----------
    name
        The path of its file, or what was surveyed; empty before one is chosen.
    report
        None before one is chosen, and if it cannot be read.
    problem
        Why it cannot be read; empty if it can.
    """

    name: str = ""
    report: SurveyReport | None = None
    problem: str = ""


class SurveyState(Struct, frozen=True, eq=False):
    """The last survey.

    Attributes
    ----------
    folder
        The game folder; None before one is chosen.
    found
        What was found so far; None before the first survey.
    is_running
        There may be more.
    problem
        Why it did not run to its end; empty if it did.
    read
        What was surveyed, and when.
    sides
        The two reports that are compared.
    """

    folder: Path | None = None
    found: SurveyFound | None = None
    is_running: bool = False
    problem: str = ""
    read: ReadFiles | None = None
    sides: tuple[ReportSide, ReportSide] = (ReportSide(), ReportSide())

    @property
    def is_whole(self) -> bool:
        """Whether the whole folder was surveyed."""
        return self.found is not None and not self.is_running and not self.problem
