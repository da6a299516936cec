"""An archive as a folder: a file per payload, and an index with all other bytes.

The index lists the file of each payload. Bytes that are not in a file (headers, directories, gaps,
tails of names, packed streams) are in the index too, so that an unchanged folder gives the same archive, and
a changed payload changes nothing else. If only chosen entries are unpacked, the index lists them alone; they
can replace those of the archive that they come from.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from viewer.errors import Diagnostic, FormatError, Severity, UsageError, reading_from
from viewer.formats.archive import nres, nres_edit, rsli, rsli_edit
from viewer.formats.record import Bytes
from viewer.model.store.file_store import Container
from viewer.model.write.file_names import FileNames, leaves_folder
from viewer.model.write.folder_index import INDEX, NRES, RSLI, SCHEMA, VERSION, FolderIndex, IndexRow, wrong
from viewer.translation import Sentence

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
        room = LEAST_ROOM + GROWTH * len(self._container.data)
        for index in range(len(self._container.rows)) if self._chosen is None else sorted(self._chosen):
            name = self._container.entries[index].text
            row: dict[str, Any] = {"index": index, "name": name}
            rows.append(row)
            payload = None if self._is_refused(index, name) else _payload(self._container, index)
            if payload is not None:
                room -= len(payload)
                self._check(room, index)
                file = names.add(name, index)
                row |= {"file": file, "size": len(payload), "crc32": zlib.crc32(payload)}
                self.count += 1
                yield file, payload
        yield INDEX, self._index(rows)

    def _is_refused(self, index: int, name: str) -> bool:
        if not leaves_folder(name):
            return False
        message = Sentence("{name!r} would leave the folder: this entry is not extracted", name=name)
        self.refused.append(Diagnostic("", Severity.WARNING, message, nres.ENTRY.name, index, "name"))
        return True

    def _check(self, room: int, index: int) -> None:
        if room < 0:
            size = len(self._container.data)
            message = Sentence(
                "the entries up to {entry} are too large for {size} bytes", entry=index, size=size
            )
            raise UsageError(message)

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
        raise wrong(Sentence("{kind!r} is not the kind of the archive", kind=index.kind), field="kind")
    count = len(container.entries)
    for row in index.rows:
        if row.index >= count:
            raise _wrong_row(
                row, Sentence("{index} of {count} entries", index=row.index, count=count), "index"
            )
        name = container.entries[row.index].text
        if not is_same and row.name != name:
            message = Sentence("{name!r}, but the archive has {other!r} there", name=row.name, other=name)
            raise _wrong_row(row, message, "name")


def _wrong_row(row: IndexRow, message: str, field: str) -> FormatError:
    return wrong(message, "entries", row.row, field)


def _rewritten(container: Container, payloads: Mapping[int, bytes]) -> bytes:
    if isinstance(container, rsli.PackedLibrary):
        return rsli_edit.rewrite(container, payloads)
    return nres_edit.rewrite(container, payloads)
