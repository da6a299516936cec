"""The options of ``edit`` that are changes, in the order of the command line, each with its script form."""

from __future__ import annotations

import json
import re
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import Any, Final

from viewer.dataclass import dataclass
from viewer.errors import UsageError, reading_from
from viewer.model.edit.set_place import rows_of, set_form, split, steps
from viewer.translation import _

NONE: Final = "none"
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


class ImageFile(str):
    """The path of a PNG image that is a value."""

    __slots__ = ()


def parsed(text: str | bytes) -> Any:
    """The value of a JSON text; raises `ValueError` or `RecursionError`, also for a repeated key."""
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        key = next(key for at, (key, _) in enumerate(pairs) if key in dict(pairs[:at]))
        raise ValueError(_("the key {key!r} is there twice in one object", key=key[:40]))
    return found


def value_of(text: str) -> Any:
    """Return the value of a text: JSON, a hexadecimal number, or the text itself."""
    if _HEXADECIMAL.fullmatch(text):
        return int(text, 16)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def assigned(words: Words) -> Form:
    """``TABLE[ROWS].FIELD=VALUE``; raises `UsageError`."""
    place, value = split(words[0], "=")
    if value is None:
        raise UsageError(_("{words!r} has no '=' after the field", words=words[0]))
    return set_form(place, value_of(value))


def numbers_of(text: str) -> Any:
    """Return the numbers of a text, ``1,0,-2.5`` or ``[1,0,-2.5]``; raises `UsageError`."""
    found = value_of(text if text.startswith("[") else f"[{text}]")
    if not isinstance(found, list):
        raise UsageError(_("{text!r} is not a list of numbers", text=text))
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
    name, value = split(words[2], "=")
    if value is None:
        raise UsageError(_("{words!r} has no '=' after the field", words=words[2]))
    return {"do": "key", "node": words[0], "index": value_of(words[1]), name: value_of(value)}


def retime_form(words: Words) -> Form:
    """``A:B C:D``, two ranges of frames; raises `UsageError`."""
    ranges = [text.split(":") for text in words]
    if any(len(ends) != 2 for ends in ranges):
        raise UsageError(_("{words!r} is not two ranges, such as 0:20 0:40", words=" ".join(words)))
    names = ("start", "end", "to_start", "to_end")
    ends = [value_of(end) for ends in ranges for end in ends]
    return {"do": "retime", **dict(zip(names, ends, strict=True))}


def _chosen(text: str) -> Form:
    """The table and the rows of ``TABLE[ROWS]``; raises `UsageError`."""
    table, rows = rows_of([*steps(text)])
    if not rows:
        raise UsageError(_("{text!r} has no rows in brackets", text=text))
    return {"table": table, "rows": rows}


def json_form(words: Words) -> Form:
    """A script form as JSON; raises `UsageError`."""
    try:
        form = parsed(words[0])
    except (ValueError, RecursionError) as error:
        raise UsageError(
            _("{words!r} cannot be read as JSON: {error}", words=words[0], error=error)
        ) from None
    if not isinstance(form, dict):
        raise UsageError(_("{words!r} is not a JSON object", words=words[0]))
    return form


OPTIONS: Final = (
    ChangeOption(
        "--set",
        ("TABLE[ROWS].FIELD=VALUE",),
        assigned,
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
        "--add-key",
        ("NODE", "TIME"),
        lambda words: {"do": "add-key", "node": words[0], "time": value_of(words[1])},
        "add a key to a node at a time, with the pose that it has there",
    ),
    ChangeOption(
        "--remove-key",
        ("NODE", "I"),
        lambda words: {"do": "remove-key", "node": words[0], "index": value_of(words[1])},
        "remove a key of a node",
    ),
    ChangeOption(
        "--retime",
        ("A:B", "C:D"),
        retime_form,
        "move or stretch the keys of all nodes in frames A to B to frames C to D",
    ),
    ChangeOption(
        "--add-node",
        ("NAME", "PARENT"),
        lambda words: {"do": "add-node", "name": words[0], "parent": _text(words[1])},
        "add a node that shows nothing, after the others; PARENT may be none",
    ),
    ChangeOption(
        "--remove",
        ("NODE",),
        lambda words: {"do": "remove-node", "node": words[0]},
        "remove a node; its slots stay",
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
        "--material",
        ("ROWS", "ROW"),
        lambda words: {"do": "material", "rows": words[0], "material": value_of(words[1])},
        "give batches, by number, range or condition, the material in a row of the wear table",
    ),
    ChangeOption(
        "--add-rows",
        ("TABLE", "COUNT"),
        lambda words: {"do": "add-rows", "table": words[0], "count": value_of(words[1])},
        "add rows at the end of a table",
    ),
    ChangeOption(
        "--remove-rows",
        ("TABLE[ROWS]",),
        lambda words: {"do": "remove-rows", **_chosen(words[0])},
        "remove rows of a table; counts and references follow",
    ),
    ChangeOption(
        "--move-rows",
        ("TABLE[ROWS]", "BEFORE"),
        lambda words: {"do": "move-rows", **_chosen(words[0]), "before": _or_none(words[1])},
        "move rows before another one, or to the end if BEFORE is none",
    ),
    ChangeOption(
        "--picture",
        ("PNG",),
        lambda words: {"do": "replace-texture", "picture": ImageFile(words[0])},
        "put an image into a texture, stored in its format",
    ),
    ChangeOption(
        "--add-entry",
        ("NAME", "FILE"),
        lambda words: {"do": "add-entry", "name": words[0], "payload": FileBytes(words[1])},
        "add a file to an archive, with the type and attributes that such entries have there",
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
        "--add-effect",
        ("KIND", "NAME"),
        lambda words: {"do": "add-effect", "kind": words[0], "name": words[1]},
        "add a new effect to an archive: glow, smoke, flash, explosion, dome, bolt or light",
    ),
    ChangeOption(
        "--do",
        ("JSON",),
        json_form,
        'make any change, as in a script: {"do": "add-slot"}; "mshview schema script" lists all of them',
    ),
)
"""In the order of the help."""


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
