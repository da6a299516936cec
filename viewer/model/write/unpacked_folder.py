"""An archive as a folder: a file per payload, and an index with all other bytes.

The index lists the file of each payload. Bytes that are not in a file (headers, directories, gaps,
tails of names, packed streams) are in the index too, so that an unchanged folder gives the same archive, and
a changed payload changes nothing else.
"""

from __future__ import annotations

import base64
import json
import re
import unicodedata
import zlib
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from viewer.errors import FormatError, UsageError, reading_from
from viewer.formats.archive import nres, nres_edit, rsli, rsli_edit
from viewer.model.store.file_store import Container
from viewer.model.store.files import SIZE_LIMIT
from viewer.translation import Sentence

INDEX: Final = "index.json"
VERSION: Final = 1
GROWTH: Final = 4
LEAST_ROOM: Final = 128 << 20
"""Allowed total size of payloads, bytes, in addition to `GROWTH` times the archive: stops zip bombs."""

_RESERVED: Final = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)")
"""Names that are devices on Windows, with any suffix."""
_UNSAFE: Final = re.compile(r'[<>:"/\\|?*%]')
_LEAVES: Final = re.compile(r"^[/\\]|^[A-Za-z]:|(^|[/\\])\.\.([/\\]|$)")
"""Names that, as paths, leave a folder."""


def unpack(container: Container, chosen: Collection[int] | None = None) -> dict[str, bytes]:
    """The files of a folder, by name, from which `pack` makes the archive again.

    `chosen` are directory indices, all of them by default; entries that are not chosen, or cannot
    be read, are in the index completely. Raises `UsageError` for a name that would leave the folder, and for
    payloads that unpack to much more than the archive.
    """
    files: dict[str, bytes] = {}
    rows = []
    room = LEAST_ROOM + GROWTH * len(container.data)
    for entry in container.entries:
        row: dict[str, Any] = {"index": entry.index, "name": entry.text}
        payload = _payload(container, entry.index) if chosen is None or entry.index in chosen else None
        if payload is not None:
            room -= len(payload)
            if room < 0:
                raise UsageError(
                    Sentence(
                        "the entries up to {entry} are too large for {size} bytes",
                        entry=entry.index,
                        size=len(container.data),
                    )
                )
            row["file"] = file_name(entry.text, entry.index, {*files, INDEX})
            row |= {"size": len(payload), "crc32": zlib.crc32(payload)}
            files[row["file"]] = payload
        rows.append(row)
    held = {row["index"] for row in rows if "file" in row}
    index = {
        "version": VERSION,
        "kind": "rsli" if isinstance(container, rsli.PackedLibrary) else "nres",
        "size": len(container.data),
        "rest": [{"offset": start, "bytes": text} for start, text in _rest(container, held)],
        "entries": rows,
    }
    return {INDEX: json.dumps(index, ensure_ascii=False, indent=1).encode() + b"\n", **files}


def _payload(container: Container, index: int) -> bytes | None:
    """The bytes of a payload, or None if they cannot be read completely."""
    try:
        if isinstance(container, rsli.PackedLibrary):
            unpacked = container.unpack(index)
            return None if unpacked.diagnostics else unpacked.data
        return bytes(container.payload(index))
    except FormatError:
        return None


def _rest(container: Container, held: Collection[int]) -> list[tuple[int, str]]:
    """Bytes that are not in a file, as offset and base64; always with the packed bytes of a library."""
    owned = []
    if isinstance(container, nres.Archive):
        owned = sorted((container.entries[index].offset, container.entries[index].end) for index in held)
    result = []
    cursor = 0
    for start, end in [*owned, (len(container.data),) * 2]:
        if start > cursor:
            result.append((cursor, base64.b64encode(container.data[cursor:start]).decode()))
        cursor = max(cursor, end)
    return result


def file_name(name: str, index: int, taken: Collection[str]) -> str:
    """A file name for an entry that is valid on every system and different from those in `taken`.

    Characters that a system refuses are written as ``%`` and two digits, a repeated name gets the entry's
    number. Raises `UsageError` for a name that, as a path, leaves the folder.
    """
    if _LEAVES.search(name):
        raise UsageError(
            Sentence("entry {index} has the name {name!r}, which leaves the folder", index=index, name=name)
        )
    safe = "".join(letter if _is_safe(letter) else _escaped(letter) for letter in name) or f"#{index}"
    if safe[-1] in ". ":
        safe = safe[:-1] + _escaped(safe[-1])
    if _RESERVED.match(safe):
        safe = _escaped(safe[0]) + safe[1:]
    used = {_folded(other) for other in taken}
    stem, dot, suffix = safe.rpartition(".")
    numbered = f"{stem}~{index}{dot}{suffix}" if stem else f"{safe}~{index}"
    while _folded(safe) in used:
        safe, numbered = numbered, f"{numbered}~"
    return safe


def _is_safe(letter: str) -> bool:
    return letter.isprintable() and not _UNSAFE.match(letter)


def _escaped(letter: str) -> str:
    return "".join(f"%{byte:02X}" for byte in letter.encode())


def _folded(name: str) -> str:
    """A name as compared by the least strict file system."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def pack(index: bytes, read: Callable[[str], bytes], source: str = INDEX) -> bytes:
    """The archive of an index and its files; `read` returns the bytes of a file.

    Raises `FormatError` with the location in the index, whose name is `source`, or the errors of `read`.
    """
    with reading_from(source):
        document = _parsed(index)
        files = {
            _number(row, "index", row_index): _plain_name(row["file"], row_index)
            for row_index, row in enumerate(document["entries"])
            if "file" in row
        }
        base = _restored(document)
        payloads = {number: read(name) for number, name in files.items()}
        return _rewritten(_opened(document, base), payloads)


def _rewritten(container: Container, payloads: Mapping[int, bytes]) -> bytes:
    beyond = max(payloads, default=-1)
    if beyond >= len(container.entries):
        raise _wrong(
            Sentence("{beyond} of {entries} entries", beyond=beyond, entries=len(container.entries)),
            field="index",
        )
    if isinstance(container, rsli.PackedLibrary):
        return rsli_edit.rewrite(container, payloads)
    return nres_edit.rewrite(container, payloads)


def _opened(document: Mapping[str, Any], base: bytes) -> Container:
    return rsli.PackedLibrary.read(base) if document["kind"] == "rsli" else nres.Archive.read(base)


def _restored(document: Mapping[str, Any]) -> bytes:
    """The original archive, with zeros for payloads that are in files."""
    size = document["size"]
    pieces = [_piece(row, row_index, size) for row_index, row in enumerate(document["rest"])]
    held = sum(len(piece) for _, piece in pieces)
    listed = sum(row.get("size", 0) for row in document["entries"])
    if size > held + listed:
        raise _wrong(
            Sentence(
                "{size} is stated, {held} bytes and payloads of {listed} exist",
                size=size,
                held=held,
                listed=listed,
            ),
            field="size",
        )
    out = bytearray(size)
    for start, piece in pieces:
        out[start : start + len(piece)] = piece
    return bytes(out)


def _piece(row: Mapping[str, Any], row_index: int, size: int) -> tuple[int, bytes]:
    """Offset and bytes of a piece that is not in a file."""
    start = _number(row, "offset", row_index, "rest")
    try:
        piece = base64.b64decode(row["bytes"], validate=True)
    except (KeyError, TypeError, ValueError):
        raise _wrong("is not base64 text", "rest", row_index, "bytes") from None
    if start + len(piece) > size:
        raise _wrong(
            Sentence("{start} + {length} exceeds {size}", start=start, length=len(piece), size=size),
            "rest",
            row_index,
            "offset",
        )
    return start, piece


def _parsed(index: bytes) -> dict[str, Any]:
    """The index, with its structure checked."""
    try:
        document = json.loads(index)
    except (ValueError, RecursionError) as error:
        raise _wrong(Sentence("is not a JSON document: {error}", error=str(error))) from None
    if not isinstance(document, dict) or document.get("version") != VERSION:
        raise _wrong(Sentence("is not an index of version {version}", version=VERSION), field="version")
    if document.get("kind") not in {"nres", "rsli"}:
        raise _wrong(
            Sentence("{kind!r} is neither 'nres' nor 'rsli'", kind=document.get("kind")), field="kind"
        )
    if _number(document, "size", None) > SIZE_LIMIT:
        raise _wrong(
            Sentence("{size} bytes, at most {limit} are written", size=document["size"], limit=SIZE_LIMIT),
            field="size",
        )
    for table in ("rest", "entries"):
        rows = document.get(table)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise _wrong("is not a list of objects", table)
    for row_index, row in enumerate(document["entries"]):
        if "size" in row:
            _number(row, "size", row_index)
    return document


def _number(row: Mapping[str, Any], field: str, row_index: int | None, table: str = "entries") -> int:
    value = row.get(field)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _wrong(
            Sentence("{value!r} is not a count", value=value),
            table if row_index is not None else "",
            row_index,
            field,
        )
    return value


def _plain_name(name: object, row_index: int) -> str:
    if not isinstance(name, str) or not name or name in {".", ".."} or re.search(r"[/\\:\0]", name):
        raise _wrong(Sentence("{name!r} is not a plain file name", name=name), "entries", row_index, "file")
    return name


def _wrong(message: str, table: str = "", index: int | None = None, field: str | None = None) -> FormatError:
    return FormatError(message, table=table, index=index, field=field)
