"""An archive as a folder: a file per payload, and an index with all other bytes.

The index, a JSON document of which every value is checked, lists the file of each payload. Bytes that are not
in a file (headers, directories, gaps, tails of names, packed streams) are in the index too, so that an
unchanged folder gives the same archive, and a changed payload changes nothing else. If only chosen entries
are unpacked, the index lists them alone; they can replace those of the archive that they come from.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Final, Literal

from msgspec import Struct

from viewer import typed_json
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, Severity, UsageError, reading_from
from viewer.formats.archive import nres, nres_edit, rsli, rsli_edit
from viewer.formats.findings import Rule
from viewer.formats.record import Bytes
from viewer.model.store.disk import SIZE_LIMIT
from viewer.model.store.item import Container
from viewer.model.write.saving import FileNames, leaves_folder
from viewer.translation import _
from viewer.typed_json import COUNT, Base64, Limits, Pattern

INDEX: Final = "index.json"
SCHEMA: Final = "mshview-extract-1"
"""The name of the JSON Schema that an index follows, which ``mshview schema extract`` prints."""
VERSION: Final = 1
NRES: Final = "nres"
RSLI: Final = "rsli"
ENTRIES: Final = "entries"
"""The list of entries in errors."""

SHRUNK: Final = 32 << 20
"""Bytes by which files may be smaller than the payloads that they replace."""

Count = Annotated[int, COUNT]
PLAIN_NAME: Final = Pattern(r"(?!\.\.?$)[^/\\:\x00]+", _("is not a plain file name"))
"""The names of files in an index, which never lead out of its folder."""


class IndexEntry(Struct, frozen=True):
    """An entry of the archive, as the index states it.

    Parameters
    ----------
    index
        Its directory index.
    name
        Its name; None if the index does not state it.
    file
        The name of the file that has its payload; None if the bytes are in the index.
    size, crc32
        Of the payload when it was unpacked.
    """

    index: Count
    name: str | None = None
    file: Annotated[str, PLAIN_NAME] | None = None
    size: Count | None = None
    crc32: Annotated[int, Limits(0xFFFFFFFF)] | None = None


class IndexPiece(Struct, frozen=True):
    """Bytes of the archive that are not in a file."""

    offset: Count
    bytes: Base64


class FolderIndex(Struct, frozen=True):
    """The content of an index.

    Parameters
    ----------
    kind
        Of the archive.
    size
        Size of the archive, bytes.
    rest
        The bytes of the archive that are not in a file; None if only chosen entries were unpacked.
    entries
        The entries, those that are files and others.
    """

    kind: Literal["nres", "rsli"]
    size: Annotated[int, Limits(SIZE_LIMIT)]
    rest: tuple[IndexPiece, ...] | None
    entries: tuple[IndexEntry, ...]

    @classmethod
    def parse(cls, text: bytes) -> FolderIndex:
        """Read an index; raises `FormatError` with the location of the first wrong value."""
        form = typed_json.document(text)
        # Not `isinstance`: true is an integer of Python, and no version.
        if type(form.get("version")) is not int or form["version"] != VERSION:
            raise FormatError(_("is not an index of version {version}", version=VERSION), field="version")
        index = typed_json.made(cls, form)
        seen: dict[int, int] = {}
        for row, entry in enumerate(index.entries):
            if entry.index in seen:
                words, first = "{index} is the index of row {row} too", seen[entry.index]
                raise Rule("", ENTRIES, "index").failure(words, row, index=entry.index, row=first)
            seen[entry.index] = row
        for row, piece in enumerate(index.rest or ()):
            if piece.offset + len(piece.bytes) > index.size:
                words, extent = "{start} + {length} exceeds {size}", (piece.offset, len(piece.bytes))
                rule = Rule("", "rest", "offset")
                raise rule.failure(words, row, start=extent[0], length=extent[1], size=index.size)
        return index

    def restored(self, files: int) -> bytes:
        """The archive with zeros for payloads that are in files of so many bytes; raises `FormatError`."""
        held = sum(len(piece.bytes) for piece in self.rest or ())
        listed = sum(entry.size or 0 for entry in self.entries)
        # Before anything is allocated: a small index may state an archive of gigabytes.
        if self.size > held + min(listed, files + SHRUNK):
            words = "{size} is stated, {held} bytes and payloads of {listed} in files of {files} exist"
            raise Rule("", field="size").failure(words, size=self.size, held=held, listed=listed, files=files)
        out = bytearray(self.size)
        for piece in self.rest or ():
            out[piece.offset : piece.offset + len(piece.bytes)] = piece.bytes
        return bytes(out)


GROWTH: Final = 4
LEAST_ROOM: Final = 128 << 20
"""Allowed total size of payloads, bytes, in addition to `GROWTH` times the archive: stops zip bombs."""


class UnpackedRoom:
    """Room for the payloads of an archive: its entries may overlap, so a small one can hold many."""

    def __init__(self, container: Container) -> None:
        self._size = len(container.data)
        self._left = LEAST_ROOM + GROWTH * self._size

    def take(self, index: int, size: int) -> None:
        """Count the bytes of an entry; raises `UsageError` if all so far are too many."""
        self._left -= size
        if self._left < 0:
            words = "the entries up to {entry} are too large for {size} bytes"
            raise UsageError(_(words, entry=index, size=self._size))


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
        entries: list[IndexEntry] = []
        room = UnpackedRoom(self._container)
        for index in range(len(self._container.rows)) if self._chosen is None else sorted(self._chosen):
            name = self._container.entries[index].text
            refusal = refusal_of(index, name)
            self.refused += [refusal] if refusal else []
            payload = None if refusal else _payload(self._container, index)
            if payload is None:
                entries.append(IndexEntry(index, name))
                continue
            room.take(index, len(payload))
            file = names.add(name, index)
            entries.append(IndexEntry(index, name, file, len(payload), zlib.crc32(payload)))
            self.count += 1
            yield file, payload
        yield INDEX, self._index(entries)

    def _index(self, entries: Sequence[IndexEntry]) -> bytes:
        files = tuple(entry for entry in entries if entry.file is not None)
        is_whole = self._chosen is None
        index = FolderIndex(
            RSLI if isinstance(self._container, rsli.PackedLibrary) else NRES,
            len(self._container.data),
            tuple(_rest(self._container, files)) if is_whole else None,
            tuple(entries) if is_whole else files,
        )
        form = {"schema": SCHEMA, "version": VERSION, **typed_json.plain_fields(index)}
        return json.dumps(form, ensure_ascii=False, indent=1).encode() + b"\n"


def refusal_of(index: int, name: str) -> Diagnostic | None:
    """The reason why an entry does not become a file; None for one whose name stays in the folder."""
    if not leaves_folder(name):
        return None
    words = "{name!r} would leave the folder: this entry is not extracted"
    return Rule("", nres.ENTRY.name, "name", Severity.WARNING).finding(words, index, name=name)


def _payload(container: Container, index: int) -> Bytes | None:
    """The bytes of a payload, or None if they cannot be read completely."""
    try:
        if isinstance(container, rsli.PackedLibrary):
            unpacked = container.unpack(index)
            return None if unpacked.diagnostics else unpacked.data
        return container.payload(index)
    except FormatError:
        return None


def _rest(container: Container, files: Iterable[IndexEntry]) -> Iterator[IndexPiece]:
    """Bytes that are not in a file, with their offset; always with the packed bytes of a library."""
    owned = []
    if isinstance(container, nres.Archive):
        held = (container.entries[entry.index] for entry in files)
        owned = sorted((entry.offset, entry.end) for entry in held)
    cursor = 0
    for start, end in [*owned, (len(container.data),) * 2]:
        if start > cursor:
            yield IndexPiece(cursor, Base64(bytes(container.data[cursor:start])))
        # Payloads may overlap, and one may end before another that began earlier.
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
            words = (
                "holds chosen entries, not the whole archive; --base ARCHIVE replaces them in that archive"
            )
            raise UsageError(words)
        payloads = {it.index: read(it.file) for it in index.entries if it.file is not None}
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
        raise Rule("", field="kind").failure("{kind!r} is not the kind of the archive", kind=index.kind)
    count = len(container.entries)
    for row, it in enumerate(index.entries):
        if it.file is None:
            continue
        if it.index >= count:
            rule = Rule("", ENTRIES, "index")
            raise rule.failure("{index} of {count} entries", row, index=it.index, count=count)
        name = container.entries[it.index].text
        if not is_same and it.name != name:
            words = "{name!r}, but the archive has {other!r} there"
            raise Rule("", ENTRIES, "name").failure(words, row, name=it.name, other=name)


def _rewritten(container: Container, payloads: Mapping[int, bytes]) -> bytes:
    if isinstance(container, rsli.PackedLibrary):
        return rsli_edit.rewrite(container, payloads)
    return nres_edit.rewrite(container, payloads)
