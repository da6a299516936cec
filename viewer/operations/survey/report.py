"""The report of a survey: what is written of it, and how two are compared.

It holds numbers and the words of this program. No name, path, text or hash of a game is in it: a value is a
bin of its own only where several files have it.

Source: spec/survey.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final, Literal

import msgspec
from msgspec import Struct

from viewer import typed_json
from viewer.errors import FormatError
from viewer.operations.survey.examples import Value
from viewer.operations.survey.question import COMMON, MOST_BINS, RARE, SurveyQuestion
from viewer.operations.survey.surveying import QUESTIONS, Edition, SurveyCounts
from viewer.operations.survey.tally import Tally
from viewer.translation import Text, _
from viewer.version import VERSION

ReportSchema = Literal["mshview-survey-1"]
SCHEMA: Final[ReportSchema] = "mshview-survey-1"
_DIGITS: Final = 6
"""Digits of a share after the point."""


class MeasuredReading(Struct, frozen=True):
    """A reading of a question: the share of the rows on which it holds, of how many, and its mean error."""

    name: str
    share: float
    of: int
    error: float | None = None


class BinTable(Struct, frozen=True):
    """Counts of values, the most frequent first; all others together as "rare"."""

    name: str
    bins: tuple[tuple[Value, int], ...]


class Answered(Struct, frozen=True):
    """A question, what was measured, its answer, None without one, and why."""

    id: str
    asked: str
    rows: int
    files: int
    damaged: int
    readings: tuple[MeasuredReading, ...]
    tables: tuple[BinTable, ...]
    answer: str | None
    why: str


class Surveyed(Struct, frozen=True):
    """Numbers of surveyed files and rows."""

    archives: int
    entries: int
    kinds: Mapping[str, int]
    bytes: int
    languages: tuple[str, ...]


class SurveyReport(Struct, frozen=True):
    """The report of a survey."""

    schema: ReportSchema
    program: str
    edition: Surveyed
    questions: tuple[Answered, ...]
    seconds: float

    def json(self) -> str:
        """The report as it is written."""
        return json.dumps(msgspec.to_builtins(self), ensure_ascii=False, indent=1) + "\n"


def report_of(found: SurveyCounts, seconds: float) -> SurveyReport:
    """The report of a survey that took some seconds."""
    answers = tuple(_answered(question, found.tally(question)) for question in QUESTIONS)
    return SurveyReport(SCHEMA, VERSION, _surveyed(found.edition), answers, round(seconds, 1))


def _surveyed(edition: Edition) -> Surveyed:
    kinds = dict(sorted(edition.kinds.items()))
    return Surveyed(edition.archives, edition.entries, kinds, edition.bytes, tuple(sorted(edition.letters)))


def _answered(question: SurveyQuestion, tally: Tally) -> Answered:
    answer, why = question.answer(tally)
    readings = tuple(
        MeasuredReading(name, round(it.share, _DIGITS), it.of, _rounded(it.mean_error))
        for name, it in tally.shares.items()
    )
    return Answered(
        question.id,
        english(question.asked),
        tally.rows,
        tally.files,
        tally.damaged,
        (*readings, *_correlations(tally)),
        (*_tables(tally), *_different(tally), *_constants(tally)),
        answer,
        "; ".join(map(english, why)),
    )


def _correlations(tally: Tally) -> Iterator[MeasuredReading]:
    """Correlations of counts of files; none where one of both is the same in all files."""
    for name, pairs in tally.pairs.items():
        share = pairs.squared_correlation
        if share is not None and pairs.count >= COMMON:  # two files always follow each other
            yield MeasuredReading(name, round(share, _DIGITS), pairs.count)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


def _tables(tally: Tally) -> Iterator[BinTable]:
    for name, bins in tally.tables.items():
        shown = sorted(
            ((value, it.rows) for value, it in bins.items() if it.files >= COMMON),
            key=lambda it: (-it[1], str(it[0])),
        )[:MOST_BINS]
        rare = sum(it.rows for it in bins.values()) - sum(rows for _value, rows in shown)
        rare += tally.rare.get(name, 0)
        yield BinTable(name, (*shown, *(((RARE, rare),) if rare else ())))


def _different(tally: Tally) -> Iterator[BinTable]:
    """The count of different numbers of each field, rare ones too."""
    numbers = ((name, sum(not isinstance(it, str) for it in bins)) for name, bins in tally.tables.items())
    found = sorted((it for it in numbers if it[1]), key=lambda it: (-it[1], it[0]))[:MOST_BINS]
    if found:
        yield BinTable("different values", tuple(found))


def _constants(tally: Tally) -> Iterator[BinTable]:
    """The fields that have one value in all rows."""
    same = [name for name, value in tally.constants.items() if value is not None]
    if same:
        yield BinTable("equal in all rows", tuple((name, 1) for name in sorted(same)[:MOST_BINS]))


def english(text: str) -> str:
    """A message in English, in which reports are written whatever the language of the screen is."""
    if not isinstance(text, Text) or not text.values:
        return text.template if isinstance(text, Text) else text
    return text.template.format(**text.values)


def read_report(data: bytes) -> SurveyReport:
    """A report that was written before; raises `FormatError` naming the member that is wrong."""
    form = typed_json.document(data)
    if form.get("schema") != SCHEMA:
        words = _("schema: {found!r} is not {expected!r}", found=form.get("schema"), expected=SCHEMA)
        raise FormatError(words)
    return typed_json.made(SurveyReport, form, is_strict=True)


class Shares(Struct, frozen=True):
    """The shares of a reading in two reports; None where one does not have it."""

    name: str
    a: float | None
    b: float | None


class ComparedQuestion(Struct, frozen=True):
    """A question in two reports: the answers, None without one, and the shares side by side."""

    id: str
    asked: str
    a: str | None
    b: str | None
    readings: tuple[Shares, ...]

    @property
    def is_same(self) -> bool:
        """Whether both answer it alike."""
        return self.a == self.b

    @property
    def has_equal_shares(self) -> bool:
        """Whether all shares are equal too."""
        return all(it.a == it.b for it in self.readings)


def compare(a: SurveyReport, b: SurveyReport) -> list[ComparedQuestion]:
    """The questions of two reports, those with other answers first."""
    mine, other = ({it.id: it for it in report.questions} for report in (a, b))
    rows = [_compared(number, mine.get(number), other.get(number)) for number in sorted({*mine, *other})]
    return sorted(rows, key=lambda it: (it.is_same, it.has_equal_shares, it.id))


def _compared(number: str, a: Answered | None, b: Answered | None) -> ComparedQuestion:
    shares = [{it.name: it.share for it in side.readings} if side else {} for side in (a, b)]
    names = [*dict.fromkeys(name for side in shares for name in side)]
    readings = tuple(Shares(name, shares[0].get(name), shares[1].get(name)) for name in names)
    asked = next(side.asked for side in (a, b) if side)
    return ComparedQuestion(number, asked, a.answer if a else None, b.answer if b else None, readings)
