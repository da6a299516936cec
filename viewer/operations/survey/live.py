"""A survey with a report of what is known so far, for a window that shows it while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Final

from msgspec import Struct

from viewer.errors import UsageError
from viewer.model.store.file_store import FileStore
from viewer.operations.survey.examples import SurveyExamples
from viewer.operations.survey.report import SurveyReport, report_of
from viewer.operations.survey.surveying import QUESTIONS, SurveyCounts, Surveyor, plan
from viewer.progress import Progress
from viewer.translation import Text, _

LEAST_WAIT: Final = 0.4
"""Seconds between two reports: figures that change faster cannot be read."""
WAIT_SHARE: Final = 10
"""The wait as a multiple of the time of making a report, whose bins are sorted: reports cost at most a
tenth of the survey."""


class SurveyFound(Struct, frozen=True, eq=False):
    """The findings of a survey so far.

    Attributes
    ----------
    report
        All that would be written of it.
    reasons
        Why each question has its answer, or none, by its number.
    examples
        Places of the rows behind the figures, by the number of the question; never written.
    problems
        What could not be read, and why, by address; never written.
    """

    report: SurveyReport
    reasons: Mapping[str, tuple[Text, ...]]
    examples: Mapping[str, SurveyExamples]
    problems: Mapping[str, str]

    @classmethod
    def of(cls, counts: SurveyCounts, seconds: float) -> SurveyFound:
        """The findings of some counts, which may grow later."""
        reasons = {it.id: it.answer(counts.tally(it))[1] for it in QUESTIONS}
        return cls(report_of(counts, seconds), reasons, dict(counts.examples), dict(counts.problems))


def survey(folder: Path, progress: Progress, publish: Callable[[SurveyFound], None]) -> SurveyFound:
    """The survey of a game folder; `publish` gets what is known so far.

    Raises `MshviewError` if the folder cannot be listed or nothing in it can be read.
    """
    started = shown = perf_counter()
    tasks, surveyor = plan(FileStore(), folder), Surveyor(folder, has_examples=True)
    counts, wait = SurveyCounts(), 0.0
    progress.begin(len(tasks))
    for task, found in zip(tasks, surveyor.survey_all(tasks), strict=True):
        counts.add(found)
        progress.what = task.address.name
        progress.advance()
        now = perf_counter()
        if now - shown >= wait:
            publish(SurveyFound.of(counts, now - started))
            shown = perf_counter()
            wait = max(LEAST_WAIT, WAIT_SHARE * (shown - now))
    if not counts.read:
        raise UsageError(_("{folder}: nothing could be read", folder=folder))
    return SurveyFound.of(counts, perf_counter() - started)
