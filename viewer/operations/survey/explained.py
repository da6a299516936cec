"""A report of a survey as lines: all that is written of it, which the shell and the window show before.

Source: spec/survey.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from viewer.operations.survey.report import Answered, SurveyReport
from viewer.translation import _

INDENT: Final = "  "


class ExplainedLine(Struct, frozen=True):
    """A line, and whether a section begins with it."""

    text: str
    is_heading: bool = False


def explained(report: SurveyReport) -> Iterator[ExplainedLine]:
    """The content of a report, every number as it is written."""
    edition = report.edition
    yield ExplainedLine(_("what was surveyed"), is_heading=True)
    words = _("{archives} archives, {entries} entries, {size} bytes", **_sizes(report))
    yield ExplainedLine(f"{INDENT}{words}")
    width = max(map(len, edition.kinds), default=0)
    for kind, count in edition.kinds.items():
        yield ExplainedLine(f"{INDENT}{kind:{width}}  {count}")
    letters = ", ".join(edition.languages) or "-"
    yield ExplainedLine(INDENT + _("letters of descriptions: {letters}", letters=letters))
    made = _("schema {schema}, program {program}, {seconds} s", **_program(report))
    yield ExplainedLine(INDENT + made)
    for question in report.questions:
        yield ExplainedLine("")
        yield ExplainedLine(f"{question.id} {question.asked}", is_heading=True)
        yield from (ExplainedLine(INDENT + line) for line in _question(question))


def _sizes(report: SurveyReport) -> dict[str, int]:
    edition = report.edition
    return {"archives": edition.archives, "entries": edition.entries, "size": edition.bytes}


def _program(report: SurveyReport) -> dict[str, object]:
    return {"schema": report.schema, "program": report.program, "seconds": report.seconds}


def _question(it: Answered) -> Iterator[str]:
    yield _(
        "{rows} rows of {files} files, {damaged} damaged", rows=it.rows, files=it.files, damaged=it.damaged
    )
    yield _("answer: {answer}", answer=it.answer or _("none"))
    yield _("reason: {why}", why=it.why)
    width = max((len(reading.name) for reading in it.readings), default=0)
    for reading in it.readings:
        error = "" if reading.error is None else "  " + _("error {error}", error=reading.error)
        words = _("{share} of {count} rows", share=reading.share, count=reading.of)
        yield f"{reading.name:{width}}  {words}{error}"
    for table in it.tables:
        yield _("table: {name}", name=table.name)
        width = max((len(str(value)) for value, _rows in table.bins), default=0)
        yield from (f"{INDENT}{value!s:>{width}}  {rows}" for value, rows in table.bins)
