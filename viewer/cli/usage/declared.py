"""The arguments of the verbs as data, read from their parsers."""

from __future__ import annotations

from argparse import Action
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from viewer.cli.usage.parser import Parser

FOLDERS: Final = ("DIR", "FOLDER")
FILES: Final = ("PATH", "OUT", "ARCHIVE", "REF", "A", "B")
"""What the placeholder of a value that is a path starts with."""


class Value(Enum):
    """What an argument takes."""

    NOTHING = auto()
    CHOICE = auto()
    FILE = auto()
    FOLDER = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a verb.

    Parameters
    ----------
    names
        The spellings of an option; empty for an input.
    metavar
        The placeholder of its value; empty if it takes none.
    help
        Its meaning, with its default.
    value
        What it takes.
    choices
        The values that it accepts, if these are a few.
    is_repeated
        Whether it takes several values.
    """

    names: tuple[str, ...]
    metavar: str
    help: str
    value: Value
    choices: tuple[str, ...] = ()
    is_repeated: bool = False


def arguments_of(parser: Parser) -> list[Argument]:
    """All arguments of a parser, in the order of its help."""
    return [_argument(parser, action) for action in parser.actions]


def _argument(parser: Parser, action: Action) -> Argument:
    choices = tuple(map(str, action.choices or ()))
    named = action.metavar or f"{{{','.join(choices)}}}"
    metavar = "" if action.nargs == 0 else named if isinstance(named, str) else " ".join(named)
    return Argument(
        tuple(action.option_strings),
        metavar,
        parser.help_of(action),
        _value(action, metavar),
        choices,
        action.nargs in ("*", "+"),
    )


def _value(action: Action, metavar: str) -> Value:
    if action.nargs == 0:
        return Value.NOTHING
    if action.choices:
        return Value.CHOICE
    name = metavar.partition("[")[0].partition(".")[0]
    if name in FOLDERS:
        return Value.FOLDER
    is_short_option = action.option_strings and len(name) == 1
    return Value.FILE if name in FILES and not is_short_option else Value.OTHER
