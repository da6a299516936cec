"""The options of ``edit`` that are changes, as their declarations say, in the order of the command line."""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any, Final

from viewer.cli.usage.values import Value, takes
from viewer.errors import UsageError, reading_from, reason_of
from viewer.model.edit.script import CHANGES, DO, ROOMS
from viewer.model.edit.typed_words import Typed, Word, parsed
from viewer.translation import _

Form = dict[str, Any]
Words = Sequence[str]
SCRIPT: Final = "--script"
"""The option that names a file of changes."""
JSON: Final = "--do"
"""The option that makes any change."""


def json_form(words: Words) -> Form:
    """A script form as JSON; raises `UsageError`."""
    try:
        form = parsed(words[0])
    except (ValueError, RecursionError) as error:
        raise UsageError(
            _("{words!r} cannot be read as JSON: {error}", words=words[0], error=reason_of(error))
        ) from None
    if not isinstance(form, dict):
        raise UsageError(_("{words!r} is not a JSON object", words=words[0]))
    return form


def _options() -> dict[str, tuple[str, Typed]]:
    """The changes that have an option by its name, each with its own; by the order of their modules."""
    modules = [it.__name__ for it in ROOMS]
    found = {name: it.typed for name, it in CHANGES.items() if it.typed is not None}
    order = {name: CHANGES[name].__module__ for name in found}
    names = sorted(found, key=lambda name: modules.index(order[name]))
    return {found[name].option or f"--{name}": (name, found[name]) for name in names}


OPTIONS: Final = _options()
ANY: Final = Typed(
    'make any change, as in a script: {"do": "add-slot"}; "mshview schema script" lists all of them',
    (Word("JSON"),),
)
"""The option whose value is a script form."""


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
    for name, typed in (*((name, it) for name, (_do, it) in OPTIONS.items()), (JSON, ANY)):
        first, *others = (it.metavar for it in typed.words)
        added = group.add_argument(
            name,
            dest="changes",
            action=_Append,
            nargs=1 + len(others) if others else None,
            metavar=(first, *others) if others else first,
            help=typed.help,
        )
        takes(added, *(Value(it.names) for it in typed.words))
    takes(
        group.add_argument(
            SCRIPT,
            dest="changes",
            action=_Append,
            metavar="PATH.json",
            help='changes as JSON: [{"do": "set", "table", "rows", "field", "value"}, ...]; - is standard '
            "input",
        ),
        Value.FILE,
    )


def form_of(name: str, words: Words) -> Form:
    """Return the script form of an option with its values; raises `UsageError`."""
    with reading_from(name):
        if name == JSON:
            return json_form(words)
        do, typed = OPTIONS[name]
        return {DO: do, **typed.fields(words)}
