"""An archive as a folder: a file per payload, and an index with all other bytes.

The index, a JSON document of which every value is checked, lists the file of each payload. Bytes that are not
in a file (headers, directories, gaps, tails of names, packed streams) are in the index too, so that an
unchanged folder gives the same archive, and a changed payload changes nothing else. If only chosen entries
are unpacked, the index lists them alone; they can replace those of the archive that they come from.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from viewer.dataclass import dataclass
from viewer.errors import Diagnostic, FormatError, Severity, UsageError, reading_from
from viewer.formats.archive import nres, nres_edit, rsli, rsli_edit
from viewer.formats.record import Bytes
from viewer.model.store.disk import SIZE_LIMIT
from viewer.model.store.item import Container
from viewer.model.write.saving import FileNames, leaves_folder
from viewer.translation import _

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
            raise wrong(_("is not an index of version {version}", version=VERSION), field="version")
        kind, size = document.get("kind"), _number(document, "size")
        if not isinstance(kind, str) or kind not in {NRES, RSLI}:
            raise wrong(_("{kind!r} is neither 'nres' nor 'rsli'", kind=kind), field="kind")
        if size > SIZE_LIMIT:
            message = _("{size} bytes, at most {limit} are written", size=size, limit=SIZE_LIMIT)
            raise wrong(message, field="size")
        entries = _objects(document, _ENTRIES)
        listed = sum(_number(row, "size", _ENTRIES, at) for at, row in enumerate(entries) if "size" in row)
        rest = None if _REST in document and document[_REST] is None else tuple(_pieces(document, size))
        return cls(kind, size, tuple(_rows(entries)), rest, listed)

    def restored(self, files: int) -> bytes:
        """The archive with zeros for payloads that are in files of so many bytes; raises `FormatError`."""
        held = sum(len(piece) for _ignored, piece in self.rest or ())
        if self.size > held + min(self.listed, files + SHRUNK):
            words = "{size} is stated, {held} bytes and payloads of {listed} in files of {files} exist"
            message = _(words, size=self.size, held=held, listed=self.listed, files=files)
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
        words = "is not a JSON document: line {line}, column {column}"
        message = _(words, line=error.lineno, column=error.colno)
        raise wrong(message) from None
    except RecursionError:
        raise wrong("is nested too deeply") from None
    except ValueError:
        raise wrong("is not a JSON document: a number is too long, or it is not UTF-8") from None
    if not isinstance(document, dict):
        raise wrong(_("is not an index of version {version}", version=VERSION), field="version")
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
            message = _("{index} is the index of row {row} too", index=index, row=seen[index])
            raise wrong(message, _ENTRIES, at, "index")
        seen[index] = at
        if name is not None and not isinstance(name, str):
            raise wrong(_("{value!r} is not a text", value=name), _ENTRIES, at, "name")
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
            message = _("{start} + {length} exceeds {size}", start=start, length=len(piece), size=size)
            raise wrong(message, _REST, at, "offset")
        yield start, piece


def _number(row: Mapping[str, Any], field: str, table: str = "", at: int | None = None) -> int:
    value = row.get(field)
    if type(value) is not int or value < 0:
        raise wrong(_("{value!r} is not a count", value=value), table, at, field)
    return value


def _plain_name(name: object, at: int) -> str:
    if not isinstance(name, str) or not name or name in {".", ".."} or re.search(r"[/\\:\0]", name):
        raise wrong(_("{name!r} is not a plain file name", name=name), _ENTRIES, at, "file")
    return name


GROWTH: Final = 4
LEAST_ROOM: Final = 128 << 20
"""Allowed total size of payloads, bytes, in addition to `GROWTH` times the archive: stops zip bombs."""


class Unpacking:
    """The files of a folder from which `pack` makes the archive again, each made when it is its turn.

    Iterating yields names and bytes, the index last. Raises `UsageError` for payloads that unpack to much
    more than the archive.

    Parameters
    ----------
    container
        The archive.
    chosen
        Directory indices; None means all. Then entries that are refused, or cannot be read, are in the index.

    Attributes
    ----------
    count
        Number of payloads so far.
    refused
        Diagnostics of entries so far whose names would leave the folder.
    """

    def __init__(self, container: Container, chosen: Collection[int] | None = None) -> None:
        self.count = 0
        self.refused: list[Diagnostic] = []
        self._container = container
        self._chosen = chosen

    def __iter__(self) -> Iterator[tuple[str, Bytes]]:
        names = FileNames([INDEX])
        rows: list[dict[str, Any]] = []
        # Entries may overlap, so a small archive can hold many large payloads.
        room = LEAST_ROOM + GROWTH * len(self._container.data)
        for index in range(len(self._container.rows)) if self._chosen is None else sorted(self._chosen):
            name = self._container.entries[index].text
            row: dict[str, Any] = {"index": index, "name": name}
            rows.append(row)
            payload = None if self._is_refused(index, name) else _payload(self._container, index)
            if payload is not None:
                room -= len(payload)
                if room < 0:
                    size = len(self._container.data)
                    words = "the entries up to {entry} are too large for {size} bytes"
                    message = _(words, entry=index, size=size)
                    raise UsageError(message)
                file = names.add(name, index)
                row |= {"file": file, "size": len(payload), "crc32": zlib.crc32(payload)}
                self.count += 1
                yield file, payload
        yield INDEX, self._index(rows)

    def _is_refused(self, index: int, name: str) -> bool:
        if not leaves_folder(name):
            return False
        message = _("{name!r} would leave the folder: this entry is not extracted", name=name)
        self.refused.append(Diagnostic("", Severity.WARNING, message, nres.ENTRY.name, index, "name"))
        return True

    def _index(self, rows: list[dict[str, Any]]) -> bytes:
        held = {row["index"] for row in rows if "file" in row}
        is_whole = self._chosen is None
        index = {
            "schema": SCHEMA,
            "version": VERSION,
            "kind": RSLI if isinstance(self._container, rsli.PackedLibrary) else NRES,
            "size": len(self._container.data),
            "rest": [*_rest(self._container, held)] if is_whole else None,
            "entries": rows if is_whole else [row for row in rows if "file" in row],
        }
        return json.dumps(index, ensure_ascii=False, indent=1).encode() + b"\n"


def _payload(container: Container, index: int) -> Bytes | None:
    """The bytes of a payload, or None if they cannot be read completely."""
    try:
        if isinstance(container, rsli.PackedLibrary):
            unpacked = container.unpack(index)
            return None if unpacked.diagnostics else unpacked.data
        return container.payload(index)
    except FormatError:
        return None


def _rest(container: Container, held: Collection[int]) -> Iterator[dict[str, Any]]:
    """Bytes that are not in a file, with their offset; always with the packed bytes of a library."""
    owned = []
    if isinstance(container, nres.Archive):
        owned = sorted((container.entries[index].offset, container.entries[index].end) for index in held)
    cursor = 0
    for start, end in [*owned, (len(container.data),) * 2]:
        if start > cursor:
            yield {"offset": cursor, "bytes": base64.b64encode(container.data[cursor:start]).decode()}
        cursor = max(cursor, end)


def pack(
    index: FolderIndex, read: Callable[[str], bytes], source: str = INDEX, base: Container | None = None
) -> bytes:
    """The archive of an index and its files.

    Raises `FormatError` with the location in the index, `UsageError` for chosen entries without a base,
    or the errors of `read`.

    Parameters
    ----------
    read
        Returns the bytes of a file.
    source
        Name of the index in errors.
    base
        The archive whose payloads are replaced; by default the one that the index holds.
    """
    with reading_from(source):
        if base is not None:
            _check_rows(index, base, is_same=False)
        elif index.rest is None:
            message = (
                "holds chosen entries, not the whole archive; --base ARCHIVE replaces them in that archive"
            )
            raise UsageError(message)
        payloads = {row.index: read(row.file) for row in index.rows}
        if base is not None:
            return _rewritten(base, payloads)
        data = index.restored(sum(map(len, payloads.values())))
        container = rsli.PackedLibrary.read(data) if index.kind == RSLI else nres.Archive.read(data)
        _check_rows(index, container, is_same=True)
        if isinstance(container, nres.Archive):
            container = _filled(container, payloads)
        return _rewritten(container, payloads)


def _filled(archive: nres.Archive, payloads: Mapping[int, bytes]) -> nres.Archive:
    """The archive with the payloads whose sizes are still the same, so that they may have bytes in common."""
    data = bytearray(archive.data)
    for index, payload in payloads.items():
        entry = archive.entry(index)
        if not entry.is_damaged and entry.size == len(payload):
            data[entry.offset : entry.end] = payload
    return nres.Archive.read(data)


def _check_rows(index: FolderIndex, container: Container, *, is_same: bool) -> None:
    """Refuse rows of entries that the archive does not have."""
    if not is_same and (index.kind == RSLI) != isinstance(container, rsli.PackedLibrary):
        raise wrong(_("{kind!r} is not the kind of the archive", kind=index.kind), field="kind")
    count = len(container.entries)
    for row in index.rows:
        if row.index >= count:
            words = "{index} of {count} entries"
            raise _wrong_row(row, _(words, index=row.index, count=count), "index")
        name = container.entries[row.index].text
        if not is_same and row.name != name:
            message = _("{name!r}, but the archive has {other!r} there", name=row.name, other=name)
            raise _wrong_row(row, message, "name")


def _wrong_row(row: IndexRow, message: str, field: str) -> FormatError:
    return wrong(message, "entries", row.row, field)


def _rewritten(container: Container, payloads: Mapping[int, bytes]) -> bytes:
    if isinstance(container, rsli.PackedLibrary):
        return rsli_edit.rewrite(container, payloads)
    return nres_edit.rewrite(container, payloads)
