"""Questions: what is asked of a game, how one file answers it, and when the answers of many are one.

A question is declared once, by `Survey.question` over the function that measures it.

Source: spec/survey.md.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct

from viewer.operations.survey.tally import Tally
from viewer.translation import Text, _

SURE: Final = 0.95
"""Share of the rows on which a reading must hold to be an answer."""
APART: Final = 0.2
"""Least distance between the shares of the best reading and the next."""
ENOUGH_ROWS, ENOUGH_FILES = 200, 3
"""Rows and files without which nothing is answered: one exporter's habit is in many rows of one file."""
MOST_BINS: Final = 64
"""Bins of a table in a report."""
COMMON: Final = 3
"""Files that must have a value before a report holds it: a value of one file could tell the file."""
ZERO: Final = "zero"
"""The reading of rows whose bytes are all zero, in every question that has it."""
RARE: Final = "rare"
"""The bin of all other values."""


class Asked(StrEnum):
    """Kind of subject of a question."""

    MODEL = "model"
    TERRAIN = "terrain"
    TEXTURE = "texture"
    CONTROL = "control"
    MATERIAL = "material"
    EFFECT = "effect"
    ARCHIVE = "archive"
    FILE = "file"


class SurveyQuestion(Struct, frozen=True):
    """An open question about the formats.

    Attributes
    ----------
    id
        Its number in spec/survey.md.
    asked
        The question, as it is shown and reported.
    of
        What it is asked of.
    readings
        The readings, in groups that exclude each other: each group has an answer of its own. What else is
        measured is evidence, which the report holds beside them. Their names are words of the report, which
        programs read: they are not translated.
    measure
        Counts in a subject of that sort, see `subjects`, what the question is about.
    """

    id: str
    asked: Text
    of: Asked
    readings: tuple[tuple[str, ...], ...]
    measure: Callable[[Any, Tally], None]

    def answer(self, tally: Tally) -> tuple[str | None, tuple[Text, ...]]:
        """The answer, None if there is none, and why: a reason of each group of readings."""
        if not tally.rows:
            return None, (_("no such rows here"),)
        if tally.rows < ENOUGH_ROWS or tally.files < ENOUGH_FILES:
            words = _(
                "too few: {rows} rows of {files} files; {enough} of {several} are needed",
                rows=tally.rows,
                files=tally.files,
                enough=ENOUGH_ROWS,
                several=ENOUGH_FILES,
            )
            return None, (words,)
        if not self.readings:
            return None, (_("no reading is asked for: the figures stand"),)
        found = [_best(tally, group) for group in self.readings]
        answers = [name for name, _why in found if name is not None]
        return "; ".join(answers) or None, tuple(why for _name, why in found)


def _best(tally: Tally, group: tuple[str, ...]) -> tuple[str | None, Text]:
    """The reading of a group that holds, None if none does, and why."""
    judged = [(name, tally.shares[name]) for name in group if name in tally.shares]
    ranked = sorted((it for it in judged if it[1].of >= ENOUGH_ROWS), key=lambda it: -it[1].share)
    if not ranked:
        return None, _("too few rows to judge {names}", names=", ".join(group))
    (name, first), others = ranked[0], ranked[1:]
    if first.share < SURE:
        return None, _("none of these: the best, {name}, holds on {share:.1%}", name=name, share=first.share)
    # 0.95 - 0.75 is 0.19999999999999996.
    if others and round(first.share - others[0][1].share, 9) < APART:
        return None, _("not decided: {name} and {other} both hold", name=name, other=others[0][0])
    words = _("{name} holds on {share:.1%} of {rows} rows", name=name, share=first.share, rows=first.of)
    return name, words


class SurveyQuestions:
    """The questions of one module, in the order of their declaration."""

    def __init__(self) -> None:
        self.all: list[SurveyQuestion] = []

    def ask(
        self, number: str, of: Asked, asked: Text, *readings: tuple[str, ...]
    ) -> Callable[[Callable[[Any, Tally], None]], Callable[[Any, Tally], None]]:
        """Declare a question with the groups of its readings over the function that measures it."""

        def declare(measure: Callable[[Any, Tally], None]) -> Callable[[Any, Tally], None]:
            self.all.append(SurveyQuestion(number, asked, of, readings, measure))
            return measure

        return declare
