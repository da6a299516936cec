"""``validate``: checks files, archives and folders against the rules of the formats, in several processes."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from viewer.cli import output, text_table
from viewer.cli.answers import Answer
from viewer.cli.inputs import expand, reading_options, unsaved_files
from viewer.cli.processes import SharedWork, add_jobs, job_count
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.arguments import add_forms, add_paths
from viewer.cli.usage.reading_arguments import add_reading_choice
from viewer.cli.usage.verbs import DONE, FAILED, FOUND
from viewer.cli.watching import add_watch
from viewer.errors import Severity
from viewer.json_types import JsonObject, Natural, Number, members, names_of
from viewer.model.kinds.columns import DiagnosticRow, diagnostic_rows
from viewer.model.store.address import Address
from viewer.model.validation.batch_validation import ValidationTask
from viewer.model.validation.validate import Report
from viewer.operations.checking.validating import ValidationOptions
from viewer.translation import _, counted, translated

DEFAULT: Final = ValidationOptions()


def reports(
    tasks: Sequence[ValidationTask], jobs: int, options: ValidationOptions = DEFAULT
) -> Iterator[Report]:
    """The reports of all tasks in order, made by `jobs` processes; 1 means this process only."""
    sizes = [task.size for task in tasks]
    for found in SharedWork("validate", _("files"), options.begin, sizes).results(tasks, jobs):
        yield from found


class FileStatus(StrEnum):
    """Result of the checks of a file."""

    OK = "ok"
    ERRORS = "errors"
    UNREADABLE = "unreadable"


EXIT: Final = {FileStatus.OK: DONE, FileStatus.ERRORS: FOUND, FileStatus.UNREADABLE: FAILED}


class FileReport(JsonObject, frozen=True):
    """A file or an entry with what is wrong with it."""

    source: str
    format: str
    status: FileStatus
    diagnostics: Sequence[DiagnosticRow]


class ValidationSummary(JsonObject, frozen=True):
    """All files in numbers."""

    files: Natural
    ok: Natural
    errors: Natural
    unreadable: Natural
    seconds: Number
    bytes: Natural


class ValidateAnswer(Struct, frozen=True):
    """Faults of files and of their contents."""

    files: Sequence[FileReport]
    summary: ValidationSummary


class FoundProblem(JsonObject, frozen=True):
    """A row of the table of diagnostics: a `DiagnosticRow` with its file."""

    source: str
    format: str
    rule: str
    severity: Severity
    table: str
    index: int | None
    field: str | None
    message: str


ANSWER: Final = ValidateAnswer
STYLES: Final = {Severity.ERROR: Style.ERROR, Severity.WARNING: Style.WARNING}


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_paths(
        parser,
        "a file, an archive with everything inside it, an entry (archive::name), or a folder with "
        "everything below it; - is standard input",
        "PATH",
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--strict", action="store_true", default=True, help="every broken rule is an error (default)"
    )
    group.add_argument(
        "--tolerant",
        action="store_false",
        dest="strict",
        help="only files that cannot be opened are errors; tolerated damage is a warning",
    )
    add_jobs(parser)
    add_watch(parser)
    add_reading_choice(parser)
    parser.add_argument("--info", action="store_true", help="also list diagnostics of severity info")
    add_forms(parser, "the diagnostics")


def run(options: Namespace) -> int:
    """Check everything at the addresses and print the diagnostics."""
    started = time.perf_counter()
    expand(options)
    unsaved = unsaved_files(*options.addresses)
    addresses = [*map(Address.given, options.addresses)]
    jobs = 1 if unsaved.paths else options.jobs  # other processes do not have standard input
    checking = ValidationOptions(reading_options(options), unsaved)
    tasks = checking.plan(addresses, is_divided=jobs != 1)
    count = job_count([task.size for task in tasks], jobs)
    found = [it if options.strict else it.tolerated for it in reports(tasks, count, checking)]
    _report_unreadable(found, {*addresses})
    summary = _summary(found, tasks, time.perf_counter() - started)
    answer = Answer(
        lambda: ValidateAnswer([*map(_row, found)], summary),
        lambda: _lines(found, summary, has_info=options.info),
        lambda: _diagnostic_rows(found, has_info=options.info),
    )
    answer.write("validate", options, names_of(FoundProblem))
    if not found:
        output.write_error(
            _("{addresses}: there is no file to check", addresses=", ".join(options.addresses))
        )
        return FAILED
    return max(EXIT[status_of(report)] for report in found)


def _report_unreadable(reports: Iterable[Report], named: Collection[Address]) -> None:
    """Print an error for each input that cannot be read, also if JSON is all that standard output has."""
    for report in reports:
        if report.source in named and not report.is_readable:
            output.write_error(f"{report.source}: {report.diagnostics[0]}")


def status_of(report: Report) -> FileStatus:
    """The status in one word."""
    if not report.is_readable:
        return FileStatus.UNREADABLE
    return FileStatus.ERRORS if report.errors else FileStatus.OK


def _row(report: Report) -> FileReport:
    return FileReport(str(report.source), report.kind, status_of(report), diagnostic_rows(report.diagnostics))


def _diagnostic_rows(reports: Iterable[Report], *, has_info: bool) -> list[FoundProblem]:
    return [
        FoundProblem.of(it, source=str(report.source), format=report.kind)
        for report in reports
        for it in report.diagnostics
        if has_info or it.severity is not Severity.INFO
    ]


def _summary(reports: Sequence[Report], tasks: Iterable[ValidationTask], seconds: float) -> ValidationSummary:
    counts = Counter(map(status_of, reports))
    return ValidationSummary(
        files=len(reports),
        **{str(status): counts[status] for status in FileStatus},
        seconds=round(seconds, 3),
        bytes=sum(task.size for task in tasks),
    )


def _lines(reports: Iterable[Report], summary: ValidationSummary, *, has_info: bool) -> Iterator[str]:
    for report in reports:
        yield from _report_lines(report, has_info=has_info)
    yield _(
        "{files} checked: {ok} ok, {errors} with errors, {unreadable} unreadable; {size:.1f} MB in "
        "{seconds:.2f} s",
        **members(summary),
        size=summary.bytes / 1e6,
    )


def _report_lines(report: Report, *, has_info: bool) -> Iterator[str]:
    shown = [item for item in report.diagnostics if has_info or item.severity is not Severity.INFO]
    if not shown:
        return
    counts = Counter(item.severity for item in shown)
    total = ", ".join(_counted(counts[severity], severity) for severity in Severity if counts[severity])
    yield Styled(str(report.source), Style.HEADING, after=f" ({report.kind}): {total}")
    for severity in Severity:
        for item in shown:
            if item.severity is severity:
                after = f"  {item.rule.ljust(6)}  {item}"
                style = STYLES.get(severity)
                word = translated(severity).ljust(max(len(translated(it)) for it in Severity))
                yield Styled(word, style, text_table.INDENT, after) if style else f"  {word}{after}"
    yield ""


def _counted(count: int, severity: Severity) -> str:
    if severity is Severity.ERROR:
        return counted(count, "{count} error", "{count} errors")
    if severity is Severity.WARNING:
        return counted(count, "{count} warning", "{count} warnings")
    return _("{count} info", count=count)
