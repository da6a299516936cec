"""Changes as options: each becomes the script form of a change, in the order of the command line."""

from __future__ import annotations

import json
import re
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from viewer.errors import UsageError

SCRIPT: Final = "--script"
"""The option that names a file of changes."""
NONE: Final = "none"
_QUOTES: Final = "\"'"
_HEXADECIMAL: Final = re.compile(r"-?0[xX][0-9a-fA-F]+")

Form = dict[str, Any]
Words = Sequence[str]


@dataclass(frozen=True, slots=True)
class ChangeOption:
    """An option that is a change.

    Parameters
    ----------
    name
        The option.
    metavar
        Its values, as the help shows them.
    form
        Makes the script form of the change; raises `ValueError`.
    help
        What it does.
    """

    name: str
    metavar: tuple[str, ...]
    form: Callable[[Words], Form]
    help: str


def value_of(text: str) -> Any:
    """Return the value of a text: JSON, a hexadecimal number, or the text itself."""
    if _HEXADECIMAL.fullmatch(text):
        return int(text, 16)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def set_form(words: Words) -> Form:
    """``TABLE[ROWS].FIELD=VALUE``; raises `ValueError`."""
    place, value = _split(words[0], "=")
    if value is None:
        raise ValueError(f"{words[0]!r} has no '=' after the field")
    steps = [*_steps(place)]
    table, rows = ".".join(steps[:-1]), ""
    if table.endswith("]"):
        table, rows = _rows(steps[:-1])
    return {"do": "set", "table": table, "rows": rows, "field": steps[-1], "value": value_of(value)}


def _rows(steps: Sequence[str]) -> tuple[str, str]:
    """The path of a table without the brackets at its end, and what is in these."""
    name, rows = _split(steps[-1], "[")
    return ".".join((*steps[:-1], name)), (rows or "").removesuffix("]").strip()


def _steps(path: str) -> Iterator[str]:
    """The names of a path; dots in brackets do not separate."""
    rest: str | None = path
    while rest is not None:
        step, rest = _split(rest, ".")
        if not step:
            raise ValueError(f"{path!r} is not a field: a name is empty")
        yield step


def _split(text: str, separator: str) -> tuple[str, str | None]:
    """What is before and after the first separator outside of brackets and quotes; None if there is none."""
    depth, quote = 0, ""
    for index, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character == separator and not depth:
            return text[:index], text[index + 1 :]
        elif character in _QUOTES and depth:
            quote = character
        else:
            depth += (character == "[") - (character == "]")
    return text, None


OPTIONS: Final = (
    ChangeOption(
        "--set",
        ("TABLE[ROWS].FIELD=VALUE",),
        set_form,
        "set a field, as inspect --json prints it; ROWS: 3, 2:8, * or a condition such as index_count>300",
    ),
)
"""In the order of the help."""


class _Append(Action):
    """Adds a change to those before it, whatever option they came from."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: Any, option_string: str | None = None
    ) -> None:
        words = [values] if isinstance(values, str) else values
        changes = [*(getattr(namespace, self.dest) or ()), (option_string, [*map(str, words)])]
        setattr(namespace, self.dest, changes)


def add_changes(parser: ArgumentParser) -> None:
    """Add the options that are changes, and the script; they are collected in order in ``changes``."""
    group = parser.add_argument_group("changes, made in the order in which they are given")
    for option in OPTIONS:
        count = len(option.metavar)
        metavar: Any = option.metavar[0] if count == 1 else option.metavar
        group.add_argument(
            option.name,
            dest="changes",
            action=_Append,
            nargs=None if count == 1 else count,
            metavar=metavar,
            help=option.help,
        )
    group.add_argument(
        SCRIPT,
        dest="changes",
        action=_Append,
        metavar="PATH.json",
        help='changes as JSON: [{"do": "set", "table", "rows", "field", "value"}, ...]; - is standard input',
    )


def form_of(name: str, words: Words) -> Form:
    """Return the script form of an option with its values; raises `UsageError`."""
    option = next(option for option in OPTIONS if option.name == name)
    try:
        return option.form(words)
    except ValueError as error:
        raise UsageError(str(error), source=name) from None
