"""The index of an unpacked folder, a JSON document of which every value is checked."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from viewer.errors import FormatError
from viewer.model.store.disk import SIZE_LIMIT
from viewer.translation import Sentence

INDEX: Final = "index.json"
SCHEMA: Final = "mshview-extract-1"
"""The name of the JSON Schema that an index follows, which ``mshview schema extract`` prints."""
VERSION: Final = 1
NRES: Final = "nres"
RSLI: Final = "rsli"

SHRUNK: Final = 32 << 20
"""Bytes by which files may be smaller than the payloads that they replace."""

_ENTRIES: Final = "entries"
_REST: Final = "rest"

Piece = tuple[int, bytes]
"""Offset and bytes."""


@dataclass(frozen=True, slots=True)
class IndexRow:
    """An entry of the archive whose payload is a file.

    Parameters
    ----------
    row
        Its row in the index.
    index
        Its directory index.
    name
        Its name; None if the index does not state it.
    file
        The name of its file.
    """

    row: int
    index: int
    name: str | None
    file: str


@dataclass(frozen=True, slots=True)
class FolderIndex:
    """The content of an index.

    Parameters
    ----------
    kind
        `NRES` or `RSLI`.
    size
        Size of the archive, bytes.
    rows
        The entries that are files.
    rest
        The bytes of the archive that are not in a file; None if only chosen entries were unpacked.
    listed
        Sum of the sizes of all payloads when they were unpacked, bytes.
    """

    kind: str
    size: int
    rows: tuple[IndexRow, ...]
    rest: tuple[Piece, ...] | None
    listed: int

    @classmethod
    def parse(cls, text: bytes) -> FolderIndex:
        """Read an index; raises `FormatError` with the location of the first wrong value."""
        document = _document(text)
        if type(document.get("version")) is not int or document["version"] != VERSION:
            raise wrong(Sentence("is not an index of version {version}", version=VERSION), field="version")
        kind, size = document.get("kind"), _number(document, "size")
        if not isinstance(kind, str) or kind not in {NRES, RSLI}:
            raise wrong(Sentence("{kind!r} is neither 'nres' nor 'rsli'", kind=kind), field="kind")
        if size > SIZE_LIMIT:
            message = Sentence("{size} bytes, at most {limit} are written", size=size, limit=SIZE_LIMIT)
            raise wrong(message, field="size")
        entries = _objects(document, _ENTRIES)
        listed = sum(_number(row, "size", _ENTRIES, at) for at, row in enumerate(entries) if "size" in row)
        rest = None if _REST in document and document[_REST] is None else tuple(_pieces(document, size))
        return cls(kind, size, tuple(_rows(entries)), rest, listed)

    def restored(self, files: int) -> bytes:
        """The archive with zeros for payloads that are in files of so many bytes; raises `FormatError`."""
        held = sum(len(piece) for _, piece in self.rest or ())
        if self.size > held + min(self.listed, files + SHRUNK):
            message = Sentence(
                "{size} is stated, {held} bytes and payloads of {listed} in files of {files} exist",
                size=self.size,
                held=held,
                listed=self.listed,
                files=files,
            )
            raise wrong(message, field="size")
        out = bytearray(self.size)
        for start, piece in self.rest or ():
            out[start : start + len(piece)] = piece
        return bytes(out)


def wrong(message: str, table: str = "", index: int | None = None, field: str | None = None) -> FormatError:
    """Return the error of a value in an index."""
    return FormatError(message, table=table, index=index, field=field)


def _document(text: bytes) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        message = Sentence(
            "is not a JSON document: line {line}, column {column}", line=error.lineno, column=error.colno
        )
        raise wrong(message) from None
    except RecursionError:
        raise wrong("is nested too deeply") from None
    except ValueError:
        raise wrong("is not a JSON document: a number is too long, or it is not UTF-8") from None
    if not isinstance(document, dict):
        raise wrong(Sentence("is not an index of version {version}", version=VERSION), field="version")
    return document


def _objects(document: Mapping[str, Any], table: str) -> list[dict[str, Any]]:
    rows = document.get(table)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise wrong("is not a list of objects", table)
    return rows


def _rows(entries: list[dict[str, Any]]) -> Iterator[IndexRow]:
    """The entries that are files; refuses two rows of one entry."""
    seen: dict[int, int] = {}
    for at, row in enumerate(entries):
        index, name = _number(row, "index", _ENTRIES, at), row.get("name")
        if index in seen:
            message = Sentence("{index} is the index of row {row} too", index=index, row=seen[index])
            raise wrong(message, _ENTRIES, at, "index")
        seen[index] = at
        if name is not None and not isinstance(name, str):
            raise wrong(Sentence("{value!r} is not a text", value=name), _ENTRIES, at, "name")
        if "file" in row:
            yield IndexRow(at, index, name, _plain_name(row["file"], at))


def _pieces(document: Mapping[str, Any], size: int) -> Iterator[Piece]:
    """The pieces that are not in a file, all inside the archive."""
    for at, row in enumerate(_objects(document, _REST)):
        start = _number(row, "offset", _REST, at)
        try:
            piece = base64.b64decode(row["bytes"], validate=True)
        except (KeyError, TypeError, ValueError):
            raise wrong("is not base64 text", _REST, at, "bytes") from None
        if start + len(piece) > size:
            message = Sentence("{start} + {length} exceeds {size}", start=start, length=len(piece), size=size)
            raise wrong(message, _REST, at, "offset")
        yield start, piece


def _number(row: Mapping[str, Any], field: str, table: str = "", at: int | None = None) -> int:
    value = row.get(field)
    if type(value) is not int or value < 0:
        raise wrong(Sentence("{value!r} is not a count", value=value), table, at, field)
    return value


def _plain_name(name: object, at: int) -> str:
    if not isinstance(name, str) or not name or name in {".", ".."} or re.search(r"[/\\:\0]", name):
        raise wrong(Sentence("{name!r} is not a plain file name", name=name), _ENTRIES, at, "file")
    return name
