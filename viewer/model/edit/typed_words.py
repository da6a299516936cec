"""Changes as they are typed in a shell: the words of an option of ``edit``, and what they mean."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct

from viewer.errors import UsageError
from viewer.model.edit.set_place import rows_of, steps
from viewer.translation import _
from viewer.typed_json import once

NONE: Final = "none"
_HEXADECIMAL: Final = re.compile(r"-?0[xX][0-9a-fA-F]+")
Fields = dict[str, Any]
"""The fields of a change by their names, as JSON has them."""


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


def value_or_none(text: str) -> Any:
    """Return None for ``none``, else as `value_of`."""
    return None if text == NONE else value_of(text)


def text_or_none(text: str) -> str | None:
    """Return None for ``none``, else the text."""
    return None if text == NONE else text


def numbers_of(text: str) -> Any:
    """Return the numbers of a text, ``1,0,-2.5`` or ``[1,0,-2.5]``; raises `UsageError`."""
    found = value_of(text if text.startswith("[") else f"[{text}]")
    if not isinstance(found, list):
        raise UsageError(_("{text!r} is not a list of numbers", text=text))
    return found


def chosen_rows(text: str) -> Fields:
    """The table and the rows of ``TABLE[ROWS]``; raises `UsageError`."""
    table, rows = rows_of([*steps(text)])
    if not rows:
        raise UsageError(_("{text!r} has no rows in brackets", text=text))
    return {"table": table, "rows": rows}


class Word(Struct, frozen=True):
    """A word in the value of an option.

    Parameters
    ----------
    metavar
        Its placeholder in the help.
    field
        The field of the change that it is; empty if all words are read together.
    read
        Makes the value in JSON; raises `UsageError`.
    names
        What it is, for completion: a ``node``, an ``entry`` or a ``table`` of the edited file, or a ``file``.
    """

    metavar: str
    field: str = ""
    read: Callable[[str], Any] = str
    names: str = ""


class Typed(Struct, frozen=True):
    """The option of ``edit`` that makes a change; it is called like the change.

    Parameters
    ----------
    help
        What it does.
    words
        Its values.
    read
        Makes the fields of the change of all words; None: each word is a field.
    option
        Its name, if it is not that of the change.
    """

    help: str
    words: tuple[Word, ...]
    read: Callable[[Sequence[str]], Fields] | None = None
    option: str = ""

    def fields(self, words: Sequence[str]) -> Fields:
        """The fields of the change that the words stand for; raises `UsageError`."""
        if self.read is not None:
            return self.read(words)
        return {it.field: it.read(word) for it, word in zip(self.words, words, strict=True)}


NODE_WORD: Final = Word("NODE", "node", names="node")
PARENT_WORD: Final = Word("PARENT", "parent", text_or_none, "node")
NAME_WORD: Final = Word("NAME", "name")
KEY_WORD: Final = Word("I", "index", value_of)
ENTRY_WORD: Final = Word("ENTRY", "entry", names="entry")
FILE_WORD: Final = Word("FILE", "payload", FileBytes, "file")
"""Words that several changes have."""
