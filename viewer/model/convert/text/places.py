"""Locations in a JSON text: the line and column of a path, and of what no parser accepts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from json.decoder import JSONDecodeError
from typing import Any, Final, NoReturn

from viewer.errors import FormatError
from viewer.formats.record import Bytes
from viewer.translation import Text, _

Step = str | int
Path = tuple[Step, ...]
"""The way to a value: names of members, and indices in lists."""

MOST_NESTED: Final = 200
"""Lists and objects inside each other."""
MOST_DIGITS: Final = 1000
"""Digits of a number; Python reads 4,300 of an integer."""
MOST_SHOWN: Final = 40
"""Characters of a value in a message."""
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')
_CONSTANTS: Final = frozenset({"NaN", "Infinity", "-Infinity"})
_DECODER: Final = json.JSONDecoder()


class JsonFault(Exception):  # noqa: N818 it becomes a FormatError as soon as its line is known
    """A mistake at a path of a text."""

    def __init__(self, path: Path, template: str, **values: object) -> None:
        self.path = path
        self.message = _(template, **values) if values else template
        super().__init__(self.message)


class _RefusedError(ValueError):
    """Valid JSON that is not accepted; `problems` finds where."""


def parse(text: Bytes, source: str = "") -> tuple[str, Any]:
    """A JSON text and its value; raises `FormatError` with the line and the column of a mistake."""
    raw = bytes(text)
    try:
        decoded = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8", "replace")
        message = _("byte {byte:#04x} is not UTF-8", byte=raw[error.start])
        raise _at(before, len(before), message, source) from None
    try:
        # Python's parser accepts names that are there twice, NaN and Infinity: the hooks refuse them without
        # a place, and `problems` looks for that only then.
        value = json.loads(decoded, object_pairs_hook=_unique, parse_constant=_no_constant)
    except JSONDecodeError as error:
        reason = _("{reason}", reason=error.msg[:1].lower() + error.msg[1:])
        raise _at(decoded, error.pos, reason, source) from None
    except (ValueError, RecursionError):
        offset, problem = next(problems(decoded), (0, _("cannot be read")))
        raise _at(decoded, offset, problem, source) from None
    return decoded, value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _RefusedError
    return found


def _no_constant(_ignored: str) -> NoReturn:
    raise _RefusedError


def problems(text: str) -> Iterator[tuple[int, str]]:
    """Offset and message of what JSON allows in this text, but not here."""
    nested: list[set[str] | None] = []
    pending: tuple[int, str] | None = None
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word in "{[":
            nested.append(set() if word == "{" else None)
            if len(nested) > MOST_NESTED:
                yield (
                    token.start(),
                    _("more than {most} lists and objects in each other", most=MOST_NESTED),
                )
        elif word in "}]":
            # A slice, as what is no JSON may close more than it has opened.
            del nested[-1:]
        elif word == ":" and pending and nested and nested[-1] is not None:
            # "a" and "\u0061" are one name.
            name = json.loads(pending[1], strict=False)
            if name in nested[-1]:
                yield pending[0], _("{name!r} is there twice", name=short(name))
            nested[-1].add(name)
        elif word in _CONSTANTS:
            yield token.start(), _('{word} is no number; "nan" and "inf" in quotes are', word=word)
        elif word[0] != '"' and len(word) > MOST_DIGITS:
            yield token.start(), _("a number of {count} digits", count=len(word))
        pending = (token.start(), word) if word[0] == '"' else None


def located(text: str, fault: JsonFault, source: str = "") -> FormatError:
    """A mistake as an error with line, column and JSON path."""
    where = path_text(fault.path)
    message = _("{path}: {message}", path=where, message=Text.of(fault.message)) if where else fault.message
    return _at(text, offset_of(text, fault.path), message, source)


def _at(text: str, offset: int, message: str, source: str) -> FormatError:
    # rfind gives -1 on the first line, so its columns count from 1 too.
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    return FormatError(message, table=f"line {line} column {column}", source=source)


def path_text(path: Sequence[Step]) -> str:
    """A path as text: ``entries[0].nodes[3].parent``."""
    texts = (f"[{step}]" if isinstance(step, int) else f".{short(step)}" for step in path)
    return "".join(texts).removeprefix(".")


def short(value: object) -> str:
    """A value for a message, shortened if it is long."""
    text = (
        value
        if isinstance(value, str)
        else json.dumps(value)
        if value is None or isinstance(value, bool)
        else str(value)
    )
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def offset_of(text: str, path: Path) -> int:
    """The offset of the value at a path of a JSON text; of what is around it if it is not there."""
    offset = _skip(text, 0)
    for step in path:
        found = _element(text, offset, step) if isinstance(step, int) else _value(text, offset, step)
        if found is None:
            break
        offset = found
    return offset


def _skip(text: str, offset: int) -> int:
    found = _SPACE.match(text, offset)
    return found.end() if found else offset


def _value(text: str, offset: int, name: str) -> int | None:
    """The offset of a member of the object at an offset."""
    offset = _skip(text, offset + 1) if text[offset] == "{" else len(text)
    while text[offset : offset + 1] == '"':
        found, offset = _DECODER.raw_decode(text, offset)
        # Over the colon and the white space on both sides of it.
        offset = _skip(text, _skip(text, offset) + 1)
        if found == name:
            return offset
        offset = _next(text, offset)
    return None


def _element(text: str, offset: int, index: int) -> int | None:
    """The offset of an element of the list at an offset."""
    offset = _skip(text, offset + 1) if text[offset] == "[" else len(text)
    for _ignored in range(index):
        offset = _next(text, offset)
    return offset if offset < len(text) else None


def _next(text: str, offset: int) -> int:
    """The offset of what follows a value and a comma."""
    _ignored, offset = _DECODER.raw_decode(text, offset)
    offset = _skip(text, offset)
    return _skip(text, offset + 1) if text[offset : offset + 1] == "," else len(text)
