"""Statistics of fields and of readings as the window asks for them and shows them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from viewer.dataclass import dataclass, field
from viewer.operations.corpus.readings import ReadingScores
from viewer.operations.corpus.statistics import FieldStatistics

STATISTICS_LANE: Final = "statistics"
"""The lane of the job that counts."""
SCORES_LANE: Final = "scores"
"""The lane of the job that judges readings."""


class StatisticsScope(StrEnum):
    """What is counted: the file of the active tab, everything open, or the game folder."""

    FILE = "file"
    OPEN = "open"
    GAME = "game"


@dataclass(frozen=True, slots=True)
class StatisticsRequest:
    """What is to be counted.

    Parameters
    ----------
    field
        ``TABLE.FIELD`` or an element of it; empty for a summary of all fields.
    where
        The condition that rows have to fulfill; empty for all.
    """

    field: str = ""
    scope: StatisticsScope = StatisticsScope.OPEN
    where: str = ""


@dataclass(frozen=True, slots=True)
class StatisticsState:
    """The last statistics.

    Attributes
    ----------
    request
        What was asked for; None before the first time.
    asked
        A new object each time the panel is asked for.
    found
        The statistics: of all fields, or of the requested one; empty before they are known.
    unreadable
        What could not be read, and why.
    is_running
        Counting has not ended.
    problem
        Why it did not run to its end; empty if it did.
    """

    request: StatisticsRequest | None = None
    asked: object = None
    found: tuple[FieldStatistics, ...] = ()
    unreadable: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    is_running: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ScoreState:
    """The readings that were judged last; `found` and `problem` as in `StatisticsState`."""

    scope: StatisticsScope = StatisticsScope.FILE
    found: ReadingScores | None = None
    is_running: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class TableFilter:
    """A filter that a table is to have, a new object each time it is asked for."""

    table: str
    text: str
