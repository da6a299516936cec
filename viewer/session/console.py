"""The lines of the console, and the texts that were typed before."""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from msgspec import Struct

MOST_LINES: Final = 5000
"""Older lines are forgotten."""
LONGEST_LINE: Final = 2000
"""Characters of a line that are kept."""


class LineKind(Enum):
    """Origin of a line of the console."""

    INPUT = "input"
    OUTPUT = "output"
    ERROR = "error"


class ConsoleLine(NamedTuple):
    """A line of the console."""

    kind: LineKind
    text: str


class ConsoleState(Struct, frozen=True):
    """The lines of the console, and the texts typed before.

    Parameters
    ----------
    lines
        The lines, oldest first.
    typed
        What was typed, oldest first, each text once in a row.
    is_running
        A command runs.
    is_continued
        The command typed so far is not whole: the next line belongs to it.
    """

    lines: tuple[ConsoleLine, ...] = ()
    typed: tuple[str, ...] = ()
    is_running: bool = False
    is_continued: bool = False
