"""``survey``: what an install says about the open questions of the formats, without its content."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from viewer.cli import output, target
from viewer.cli.answers import Answer
from viewer.cli.inputs import file_store
from viewer.cli.processes import SharedWork, add_jobs, job_count
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.arguments import add_json, add_out
from viewer.cli.usage.values import Value, takes
from viewer.cli.usage.verbs import DONE, FAILED, FOUND
from viewer.errors import UsageError, reading_from
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.corpus.portions import Portion
from viewer.operations.survey.explained import explained
from viewer.operations.survey.report import (
    ComparedQuestion,
    SurveyReport,
    compare,
    read_report,
    report_of,
)
from viewer.operations.survey.surveying import SurveyCounts, begin, plan, together
from viewer.translation import _

COMPARISON: Final = "mshview-survey-comparison-1"
"""Name of the schema of a comparison, which is not a report."""


class SurveyAnswer(Struct, frozen=True):
    """Two reports, those questions first that are answered differently."""

    schema: Literal["mshview-survey-comparison-1"]
    a: str
    b: str
    same: bool
    questions: Sequence[ComparedQuestion]


ANSWER: Final = (SurveyAnswer, SurveyReport)


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    takes(
        parser.add_argument(
            "paths", nargs="+", metavar="PATH", help="the game folder; with --compare two reports"
        ),
        Value.ADDRESS,
    )
    parser.add_argument(
        "--compare", action="store_true", help="print two reports side by side, other answers first"
    )
    parser.add_argument("--explain", action="store_true", help="print all that the report holds")
    add_jobs(parser)
    add_out(parser, "OUT.json", "the report to write; - is standard output", is_required=False)
    add_json(parser)


def run(options: Namespace) -> int:
    """Survey a game, or compare two reports."""
    expected = 2 if options.compare else 1
    if len(options.paths) != expected:
        words = _("takes {expected} paths, not {count}", expected=expected, count=len(options.paths))
        raise UsageError(words, source="--compare" if options.compare else "survey")
    return _compare(options) if options.compare else _survey(options)


def _survey(options: Namespace) -> int:
    if options.out:
        target.check(options)
    started = time.perf_counter()
    folder = Path(options.paths[0])
    tasks = plan(FileStore(), folder)
    # An earlier report may lie in the folder; it is replaced as any output is.
    target.refuse_sources(options, *(it.address for it in tasks if not _is_report(it.address.path)))
    found = together(_found(tasks, folder, options.jobs))
    output.write_unreadable(found.problems)
    if not found.read:
        output.write_error(_("{folder}: nothing could be read", folder=folder))
        return FAILED
    report = report_of(found, time.perf_counter() - started)
    if options.explain:
        output.write_lines(_explained(report))
    elif not target.is_standard(options):
        output.write_lines(report.json().splitlines() if options.json else _answers(report))
    if options.out:
        target.write(options, report.json().encode())
    elif not options.explain:
        output.write_hint(_("-o OUT.json writes the report, --explain prints all that it holds"))
    return DONE


def _is_report(path: Path) -> bool:
    """Whether a file may be an earlier report: no file of the game has this suffix."""
    return path.suffix.casefold() == ".json"


def _found(tasks: Sequence[Portion], folder: Path, jobs: int | None) -> Iterator[SurveyCounts]:
    """Findings of each task, made by several processes."""
    sizes = [task.size for task in tasks]
    work = SharedWork("survey", _("files"), begin(folder), sizes)
    return work.results(tasks, job_count(sizes, jobs))


def _answers(report: SurveyReport) -> Iterator[str]:
    """Each question with its answer, and why."""
    for it in report.questions:
        yield Styled(f"{it.id} {it.asked}", Style.HEADING)
        yield f"  {it.answer or _('no answer')}"
        yield f"    {it.why}"


def _explained(report: SurveyReport) -> Iterator[str]:
    """Lines of the whole report, question by question."""
    for line in explained(report):
        yield Styled(line.text, Style.HEADING) if line.is_heading else line.text


def _compare(options: Namespace) -> int:
    store = file_store(*options.paths)
    first, second = options.paths
    a, b = (_read(store, Address.given(path)) for path in (first, second))
    found = compare(a, b)
    is_same = all(it.is_same and it.has_equal_shares for it in found)
    answer = Answer(
        lambda: SurveyAnswer(COMPARISON, first, second, is_same, found),
        lambda: _compared(found),
    )
    answer.write("survey", options)
    return DONE if is_same else FOUND


def _read(store: FileStore, address: Address) -> SurveyReport:
    data = store.open(address).data
    with reading_from(address):
        return read_report(bytes(data))


def _compared(found: Iterable[ComparedQuestion]) -> Iterator[str]:
    """Lines of each question with both answers, and the shares that differ."""
    for it in found:
        style = Style.HEADING if it.is_same else Style.CHANGED
        yield Styled(f"{it.id} {it.asked}", style)
        yield f"  {it.a or _('no answer')} | {it.b or _('no answer')}"
        for reading in it.readings:
            if reading.a != reading.b:
                yield f"    {reading.name}: {_share(reading.a)} | {_share(reading.b)}"


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"
