"""Changes as options: each becomes the script form of a change, in the order of the command line."""

from __future__ import annotations

import json
import re
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from viewer.errors import UsageError, reading_from

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
        Makes the script form of the change; raises `UsageError`.
    help
        What it does.
    """

    name: str
    metavar: tuple[str, ...]
    form: Callable[[Words], Form]
    help: str


class FileBytes(str):
    """The path of a file whose bytes are a value."""

    __slots__ = ()


def value_of(text: str) -> Any:
    """Return the value of a text: JSON, a hexadecimal number, or the text itself."""
    if _HEXADECIMAL.fullmatch(text):
        return int(text, 16)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def set_form(words: Words) -> Form:
    """``TABLE[ROWS].FIELD=VALUE``; raises `UsageError`."""
    place, value = _split(words[0], "=")
    if value is None:
        raise UsageError(f"{words[0]!r} has no '=' after the field")
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
            raise UsageError(f"{path!r} is not a field: a name is empty")
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


def numbers_of(text: str) -> Any:
    """Return the numbers of a text, ``1,0,-2.5`` or ``[1,0,-2.5]``; raises `UsageError`."""
    found = value_of(text if text.startswith("[") else f"[{text}]")
    if not isinstance(found, list):
        raise UsageError(f"{text!r} is not a list of numbers")
    return found


def _node(do: str, *names: str) -> Callable[[Words], Form]:
    """A form of a node's name or number and the values after it."""
    return lambda words: (
        {"do": do, "node": words[0]} | dict(zip(names, map(_or_none, words[1:]), strict=True))
    )


def _or_none(text: str) -> Any:
    return None if text == NONE else value_of(text)


def _text(text: str) -> str | None:
    return None if text == NONE else text


def key_form(words: Words) -> Form:
    """``NODE I FIELD=VALUE``; raises `UsageError`."""
    name, value = _split(words[2], "=")
    if value is None:
        raise UsageError(f"{words[2]!r} has no '=' after the field")
    return {"do": "key", "node": words[0], "index": value_of(words[1]), name: value_of(value)}


def json_form(words: Words) -> Form:
    """A script form as JSON; raises `UsageError`."""
    form = value_of(words[0])
    if not isinstance(form, dict):
        raise UsageError(f"{words[0]!r} is not a JSON object")
    return form


OPTIONS: Final = (
    ChangeOption(
        "--set",
        ("TABLE[ROWS].FIELD=VALUE",),
        set_form,
        "set a field, as inspect --json prints it; ROWS: 3, 2:8, * or a condition such as index_count>300",
    ),
    ChangeOption(
        "--rename-node",
        ("NODE", "NAME"),
        lambda words: {"do": "rename-node", "node": words[0], "name": words[1]},
        "give a node, by index or name, another name",
    ),
    ChangeOption(
        "--parent",
        ("NODE", "PARENT"),
        lambda words: {"do": "parent", "node": words[0], "parent": _text(words[1])},
        "set the parent of a node, or none",
    ),
    ChangeOption(
        "--cell",
        ("NODE", "LOD", "GROUP", "SLOT"),
        _node("cell", "lod", "group", "slot"),
        "show a slot, or none, in a cell of a node",
    ),
    ChangeOption(
        "--key",
        ("NODE", "I", "FIELD=VALUE"),
        key_form,
        "set a key of a node: position=[x,y,z], quaternion=[w,x,y,z] or time=T",
    ),
    ChangeOption(
        "--move",
        ("NODE", "X,Y,Z"),
        lambda words: {"do": "move", "node": words[0], "by": numbers_of(words[1])},
        "move the geometry of a node's slots, in node space",
    ),
    ChangeOption(
        "--transform",
        ("NODE", "NUMBERS"),
        lambda words: {"do": "transform", "node": words[0], "matrix": numbers_of(words[1])},
        "transform it by a matrix, 16 numbers row by row, separated by commas",
    ),
    ChangeOption(
        "--recompute",
        ("WHAT",),
        lambda words: {"do": "recompute", "what": words[0]},
        "recompute bounds, header, normals, links or all from the triangles",
    ),
    ChangeOption(
        "--add-entry",
        ("NAME", "FILE"),
        lambda words: {"do": "add-entry", "name": words[0], "payload": FileBytes(words[1])},
        "add a file to an archive",
    ),
    ChangeOption(
        "--replace-entry",
        ("ENTRY", "FILE"),
        lambda words: {"do": "replace-entry", "entry": words[0], "payload": FileBytes(words[1])},
        "replace the payload of an entry, a name or #index, by a file",
    ),
    ChangeOption(
        "--rename-entry",
        ("ENTRY", "NAME"),
        lambda words: {"do": "rename-entry", "entry": words[0], "name": words[1]},
        "give an entry of an archive another name",
    ),
    ChangeOption(
        "--remove-entry",
        ("ENTRY",),
        lambda words: {"do": "remove-entry", "entry": words[0]},
        "remove an entry from an archive",
    ),
    ChangeOption(
        "--do",
        ("JSON",),
        json_form,
        'make any change, written as in a script: {"do": "move-entry", "entry": "a.msh", "row": 0}',
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
    with reading_from(name):
        return option.form(words)
