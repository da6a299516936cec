"""Parsing of the options that are changes, in the order of the command line."""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from typing import Any, Final

from viewer.cli.editing.change_options import OPTIONS, Form, Words
from viewer.errors import reading_from

SCRIPT: Final = "--script"
"""The option that names a file of changes."""


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
    with reading_from(name):
        return option.form(words)
