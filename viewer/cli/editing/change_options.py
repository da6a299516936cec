"""The options of ``edit`` that are changes, in the order of the command line, each with its script form."""

from __future__ import annotations

import json
import re
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct

from viewer.cli.usage.values import Value, takes
from viewer.errors import UsageError, reading_from, reason_of
from viewer.model.edit.set_place import rows_of, set_form, split, steps
from viewer.translation import _
from viewer.typed_json import once

NONE: Final = "none"
_HEXADECIMAL: Final = re.compile(r"-?0[xX][0-9a-fA-F]+")

Form = dict[str, Any]
Words = Sequence[str]


class ChangeOption(Struct, frozen=True):
    """An option that is a change.

    Parameters
    ----------
    metavar
        Its values, as the help shows them, separated by blanks.
    form
        Makes the script form of the change; raises `UsageError`.
    help
        What it does.
    takes
        What the first of its values are, for completion.
    """

    metavar: str
    form: Callable[[Words], Form]
    help: str
    takes: tuple[Value, ...] = ()


class FileBytes(str):
    """The path of a file whose bytes are a value."""

    __slots__ = ()


class ImageFile(str):
    """The path of an image that is a value."""

    __slots__ = ()


def parsed(text: str | bytes) -> Any:
    """The value of a JSON text; raises `ValueError` or `RecursionError`, also for a repeated key."""
    return json.loads(text, object_pairs_hook=once)


def value_of(text: str) -> Any:
    """Return the value of a text: JSON, a hexadecimal number, or the text itself."""
    if _HEXADECIMAL.fullmatch(text):
        return int(text, 16)
    try:
        return parsed(text)
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


def _form(do: str, **fields: Callable[[str], Any]) -> Callable[[Words], Form]:
    """A form whose fields are read from the words, each from the one in its place."""
    return lambda words: (
        {"do": do} | {name: read(word) for (name, read), word in zip(fields.items(), words, strict=True)}
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


def recompute_form(words: Words) -> Form:
    """``WHAT`` or ``WHAT:NODE``."""
    what, colon, node = words[0].partition(":")
    return {"do": "recompute", "what": what, **({"node": node} if colon else {})}


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
            _("{words!r} cannot be read as JSON: {error}", words=words[0], error=reason_of(error))
        ) from None
    if not isinstance(form, dict):
        raise UsageError(_("{words!r} is not a JSON object", words=words[0]))
    return form


OPTIONS: Final = {
    "--set": ChangeOption(
        "TABLE[ROWS].FIELD=VALUE",
        assigned,
        "set a field, as inspect --json prints it; ROWS: 3, 2:8, * or a condition such as index_count>300",
    ),
    "--rename-node": ChangeOption(
        "NODE NAME",
        _form("rename-node", node=str, name=str),
        "give a node, by index or name, another name",
        (Value.NODE,),
    ),
    "--parent": ChangeOption(
        "NODE PARENT",
        _form("parent", node=str, parent=_text),
        "set the parent of a node, or none",
        (Value.NODE, Value.NODE),
    ),
    "--cell": ChangeOption(
        "NODE LOD GROUP SLOT",
        _form("cell", node=str, lod=_or_none, group=_or_none, slot=_or_none),
        "show a slot, or none, in a cell of a node",
        (Value.NODE,),
    ),
    "--key": ChangeOption(
        "NODE I FIELD=VALUE",
        key_form,
        "set a key of a node: position=[x,y,z], quaternion=[w,x,y,z] or time=T",
        (Value.NODE,),
    ),
    "--add-key": ChangeOption(
        "NODE TIME",
        _form("add-key", node=str, time=value_of),
        "add a key to a node at a time, with the pose that it has there",
        (Value.NODE,),
    ),
    "--remove-key": ChangeOption(
        "NODE I", _form("remove-key", node=str, index=value_of), "remove a key of a node", (Value.NODE,)
    ),
    "--retime": ChangeOption(
        "A:B C:D", retime_form, "move or stretch the keys of all nodes in frames A to B to frames C to D"
    ),
    "--add-node": ChangeOption(
        "NAME PARENT",
        _form("add-node", name=str, parent=_text),
        "add a node that shows nothing, after the others; PARENT may be none",
        (Value.OTHER, Value.NODE),
    ),
    "--remove": ChangeOption(
        "NODE", _form("remove-node", node=str), "remove a node; its slots stay", (Value.NODE,)
    ),
    "--move": ChangeOption(
        "NODE X,Y,Z",
        _form("move", node=str, by=numbers_of),
        "move the geometry of a node's slots, in node space",
        (Value.NODE,),
    ),
    "--transform": ChangeOption(
        "NODE NUMBERS",
        _form("transform", node=str, matrix=numbers_of),
        "transform it by a matrix, 16 numbers row by row, separated by commas",
        (Value.NODE,),
    ),
    "--recompute": ChangeOption(
        "WHAT[:NODE]",
        recompute_form,
        "recompute bounds, header, normals, links or all from the triangles, of all nodes or of one",
    ),
    "--material": ChangeOption(
        "ROWS ROW",
        _form("material", rows=str, material=value_of),
        "give batches, by number, range or condition, the material in a row of the wear table",
        (Value.OTHER, Value.MATERIAL),
    ),
    "--add-rows": ChangeOption(
        "TABLE COUNT",
        _form("add-rows", table=str, count=value_of),
        "add rows at the end of a table",
        (Value.TABLE,),
    ),
    "--remove-rows": ChangeOption(
        "TABLE[ROWS]",
        lambda words: {"do": "remove-rows", **_chosen(words[0])},
        "remove rows of a table; counts and references follow",
    ),
    "--move-rows": ChangeOption(
        "TABLE[ROWS] BEFORE",
        lambda words: {"do": "move-rows", **_chosen(words[0]), "before": _or_none(words[1])},
        "move rows before another one, or to the end if BEFORE is none",
    ),
    "--picture": ChangeOption(
        "IMAGE",
        _form("replace-texture", picture=ImageFile),
        "put an image into a texture, stored in its format",
        (Value.FILE,),
    ),
    "--add-entry": ChangeOption(
        "NAME FILE",
        _form("add-entry", name=str, payload=FileBytes),
        "add a file to an archive, with the type and attributes that such entries have there",
        (Value.OTHER, Value.FILE),
    ),
    "--replace-entry": ChangeOption(
        "ENTRY FILE",
        _form("replace-entry", entry=str, payload=FileBytes),
        "replace the payload of an entry, a name or #index, by a file",
        (Value.ENTRY, Value.FILE),
    ),
    "--rename-entry": ChangeOption(
        "ENTRY NAME",
        _form("rename-entry", entry=str, name=str),
        "give an entry of an archive another name",
        (Value.ENTRY,),
    ),
    "--remove-entry": ChangeOption(
        "ENTRY", _form("remove-entry", entry=str), "remove an entry from an archive", (Value.ENTRY,)
    ),
    "--add-effect": ChangeOption(
        "KIND NAME",
        _form("add-effect", kind=str, name=str),
        "add a new effect to an archive: glow, smoke, flash, explosion, dome, bolt or light",
    ),
    "--do": ChangeOption(
        "JSON",
        json_form,
        'make any change, as in a script: {"do": "add-slot"}; "mshview schema script" lists all of them',
    ),
}
"""By their names, in the order of the help."""


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
    for name, option in OPTIONS.items():
        first, *others = option.metavar.split()
        takes(
            group.add_argument(
                name,
                dest="changes",
                action=_Append,
                nargs=1 + len(others) if others else None,
                metavar=(first, *others) if others else first,
                help=option.help,
            ),
            *option.takes,
        )
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
        return OPTIONS[name].form(words)
