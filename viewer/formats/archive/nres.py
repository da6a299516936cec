"""NRes, the container of archives, models and maps: reading, lookup and canonical writing.

The engine's raw mode, in which any file is a container of one nameless entry, is not supported:
files without the magic are refused (N01).

Source: spec/nres.md.
Status: proven.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from io import BytesIO
from itertools import chain, count
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.formats.archive.stretches import Stretches, StretchParts, divide
from viewer.formats.findings import Findings, Rule
from viewer.formats.part import Part, group, listing, raw, single, table
from viewer.formats.record import ASCII, CP1251, Bytes, Field, Record, Rows, Status
from viewer.formats.text import decode as decode_text
from viewer.formats.text import fold, folded_bytes, names_of, padded, until_nul

MAGIC = b"NRes"
VERSION = 0x100
ALIGNMENT = 8
NAME_SIZE = 36
FEW = 50_000
"""Entries whose names are sorted for the first name that is looked up."""
# Names looked up by a scan in a large directory; from the next one on all its names are kept.
MOST_SCANS = 8

HEADER = Record(
    "container",
    16,
    Field("magic", "S4", 'Always "NRes".', encoding=ASCII),
    Field("version", "<u4", "Always 0x100."),
    Field("entry_count", "<i4", "Number of directory entries."),
    Field("total_size", "<u4", "Length of the container.", unit="bytes"),
    doc="Size and number of entries of the container.",
)

ENTRY = Record(
    "directory",
    64,
    Field("type_id", "<u4", "Resource type: a small number inside models, four letters in archives."),
    Field("attr1", "<u4", "By type; usually the number of records."),
    Field("attr2", "<u4", "By type; for example the frame count of a frame map."),
    Field("size", "<u4", "Length of the payload.", unit="bytes"),
    Field("attr3", "<u4", "By type; usually the size of one record."),
    Field(
        "name", f"V{NAME_SIZE}", "Up to 35 bytes and a NUL; bytes after the NUL are kept.", encoding=CP1251
    ),
    Field("data_offset", "<u4", "Offset of the payload in this container.", unit="bytes"),
    Field(
        "sort_index",
        "<u4",
        "Element of a permutation: the entry at this position in name order.",
        refers_to="directory",
        status=Status.PROVEN,
    ),
    doc="Type, attributes, name and offset of a payload.",
)


class Entry(NamedTuple):
    """A directory entry; `is_damaged` if its payload is not inside the container.

    A tuple because a directory may have a million entries.
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, which has no meaning here
    type_id: int
    attr1: int
    attr2: int
    size: int
    attr3: int
    name_raw: bytes
    offset: int
    sort_index: int
    is_damaged: bool = False

    @property
    def name(self) -> bytes:
        """The name up to its NUL."""
        return until_nul(self.name_raw)

    @property
    def text(self) -> str:
        """The name as text."""
        return decode_text(self.name)

    @property
    def end(self) -> int:
        """First byte after the payload."""
        return self.offset + self.size


class NewEntry(Struct, frozen=True):
    """An entry to be written; `name_raw` keeps all 36 bytes of an existing name field."""

    type_id: int
    payload: Bytes
    name: bytes = b""
    attr1: int = 0
    attr2: int = 0
    attr3: int = 0
    name_raw: bytes | None = None

    @property
    def name_field(self) -> bytes:
        """The 36 bytes of the name field; raises `ValueError` for a name that does not fit."""
        if self.name_raw is not None:
            return self.name_raw
        return padded(self.name, NAME_SIZE)


class Archive(Struct, frozen=True, eq=False, dict=True):
    """An open container as a view of bytes that it does not own; nothing is copied.

    Parameters
    ----------
    data
        The container and the bytes after it.
    header
        One `HEADER` record.
    rows
        The directory, `ENTRY` records.
    total_size
        Length stated in the header; `data` may be longer.
    """

    data: memoryview
    header: np.void
    rows: Rows
    total_size: int

    @classmethod
    def read(cls, data: Bytes) -> Archive:
        """Open a container; raises `FormatError` if header or directory are invalid."""
        data = memoryview(data).cast("B").toreadonly()
        header = _read_header(data)
        total_size = int(header["total_size"])
        count = int(header["entry_count"])
        # No field says where the directory is: it is the last 64 * count bytes.
        rows = ENTRY.view(data, offset=total_size - count * ENTRY.size, count=count)
        return cls(data, header, rows, total_size)

    @cached_property
    def _entries(self) -> dict[int, Entry]:
        """The entries that were asked for, by index."""
        return {}

    @cached_property
    def _scans(self) -> Iterator[int]:
        """Numbers the scans for a name."""
        return count()

    @property
    def entries(self) -> Sequence[Entry]:
        """The entries of the directory, each made on first access."""
        return _Entries(self)

    def entry(self, index: int) -> Entry:
        """The entry at an index, made on first access."""
        # An archive is never changed, so what was read of it stays as long as it does.
        found = self._entries.get(index)
        if found is None:
            found = self._entries[index] = self._read_entry(index)
        return found

    def _read_entry(self, index: int) -> Entry:
        type_id, attr1, attr2, size, attr3, name, offset, sort_index = self.rows[index].tolist()
        is_damaged = offset < HEADER.size or offset + size > self.directory_offset
        return Entry(index, type_id, attr1, attr2, size, attr3, name, offset, sort_index, is_damaged)

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of the container: its header, directory and payloads."""
        return tuple(_findings(self))

    @property
    def directory_offset(self) -> int:
        """First byte of the directory, the end of the data area."""
        return self.total_size - len(self.rows) * ENTRY.size

    def payload(self, index: int) -> memoryview:
        """The bytes of an entry; raises `FormatError` if they are not inside the container."""
        entry = self.entry(index)
        if entry.is_damaged:  # not between the header and the directory
            rule = Rule("N05", ENTRY.name, "data_offset" if entry.offset < HEADER.size else "size")
            limits = {"header_size": HEADER.size, "directory_offset": self.directory_offset}
            raise rule.failure(_OUTSIDE, index, offset=entry.offset, size=entry.size, **limits)
        return self.data[entry.offset : entry.end]

    @cached_property
    def _folded_names(self) -> list[bytes]:
        folded = folded_bytes(names_of(self.rows["name"]))
        # numpy's S drops the zeros at the end, so the padding is gone.
        names: list[bytes] = folded.view(f"S{NAME_SIZE}").ravel().tolist()
        return names

    @cached_property
    def _first_by_name(self) -> dict[bytes, int]:
        names = self._folded_names
        # The last one written stays: in reverse that is the first entry of a name.
        return {names[index]: index for index in reversed(range(len(names)))}

    def first_of_type(self, type_id: int) -> dict[bytes, int]:
        """The first entry of a type with each of their names, which are folded."""
        names, indices = self._folded_names, np.flatnonzero(self.rows["type_id"] == type_id)
        return {names[index]: index for index in indices[::-1].tolist()}

    def find(self, name: bytes) -> int | None:
        """The first entry with the name `name`, ASCII case-insensitive.

        The engine's binary search over a valid sort table, and its linear fallback over a broken
        one, both end at the first match in directory order.
        """
        if len(self.rows) > FEW and "_first_by_name" not in self.__dict__ and next(self._scans) < MOST_SCANS:
            return self._scan(fold(name))
        return self._first_by_name.get(fold(name))

    def _scan(self, folded: bytes) -> int | None:
        """The first entry with a folded name, by a scan: sorting a large directory costs many scans."""
        if len(folded) > NAME_SIZE:
            return None
        fields = self.rows.view(np.uint8).reshape(-1, ENTRY.size)[:, ENTRY.field("name").offset :]
        found = np.arange(len(fields))
        # From the NUL backwards: names that begin alike, OBJ_0001 and OBJ_0002, differ at their ends.
        for place in reversed(range(min(len(folded) + 1, NAME_SIZE))):
            letter = folded[place] if place < len(folded) else 0
            found = found[folded_bytes(fields[found, place]) == letter]
        return int(found[0]) if len(found) else None

    @cached_property
    def _first_by_type(self) -> dict[int, int]:
        types: list[int] = self.rows["type_id"].tolist()
        return {types[index]: index for index in reversed(range(len(types)))}

    def find_type(self, type_id: int) -> int | None:
        """The first entry of a type in directory order."""
        return self._first_by_type.get(type_id)

    @cached_property
    def types(self) -> frozenset[int]:
        """All type ids present."""
        return frozenset(self._first_by_type)


class _Entries(Sequence[Entry]):
    """The entries of an archive; there may be a million, of which few are used."""

    __slots__ = ("_archive",)

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def __len__(self) -> int:
        return len(self._archive.rows)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        indices = range(len(self))[index]
        if isinstance(indices, int):
            return self._archive.entry(indices)
        return [*map(self._archive.entry, indices)]

    def __iter__(self) -> Iterator[Entry]:
        return map(self._archive.entry, range(len(self)))


DATA = "data"
"""The part between header and directory."""


def stretches(archive: Archive) -> Stretches:
    """The ranges between the header and the directory."""
    # Sums of 32-bit words would wrap: 0xFFFFFFF0 + 0x20 is 0x10.
    offsets = archive.rows["data_offset"].astype(np.int64)
    ends = offsets + archive.rows["size"]
    inside = np.flatnonzero((offsets >= HEADER.size) & (ends <= archive.directory_offset))
    return divide(offsets, ends, inside, (HEADER.size, archive.directory_offset), ALIGNMENT)


def parts(archive: Archive) -> Part:
    """The tree of parts; payloads are bytes."""
    area = listing(
        DATA,
        StretchParts(archive.data, stretches(archive)),
        HEADER.size,
        "Payloads, padding, and bytes without an entry.",
    )
    return around(archive, (area,))


def around(archive: Archive, data: Sequence[Part]) -> Part:
    """The tree of a container with these parts as its data area."""
    header = single(HEADER, archive.header)
    directory = table(ENTRY, archive.rows, archive.directory_offset)
    tail = raw("tail", archive.data[archive.total_size :], archive.total_size, "Bytes after the container.")
    return group((header, *data, directory, tail))


def decode(data: Bytes) -> Archive:
    """The container in `data`; raises `FormatError` if header or directory are invalid."""
    return Archive.read(data)


def encode(archive: Archive) -> bytes:
    """The container from header and directory; the data area and the bytes after the container are copied."""
    area = archive.data[HEADER.size : archive.directory_offset]
    tail = archive.data[archive.total_size :]
    return b"".join((archive.header.tobytes(), area, archive.rows.tobytes(), tail))


def _read_header(data: memoryview) -> np.void:
    """The header, with its counts checked against the available bytes."""
    if len(data) < HEADER.size:
        words = "{size} bytes, a header requires {header_size}"
        raise Rule("N01", HEADER.name).failure(words, size=len(data), header_size=HEADER.size)
    if data[:4] != MAGIC:
        words = "{found!r} is not {expected!r}; raw files, without a directory, are not supported"
        raise Rule("N01", HEADER.name, "magic").failure(words, found=bytes(data[:4]), expected=MAGIC)
    row = HEADER.read(data)
    version, count, total_size = int(row["version"]), int(row["entry_count"]), int(row["total_size"])
    if version != VERSION:
        rule = Rule("N01", HEADER.name, "version")
        raise rule.failure("{version:#x} is not {expected:#x}", version=version, expected=VERSION)
    if total_size > len(data):
        words = "{total_size} bytes stated, {size} present"
        raise Rule("N03", HEADER.name, "total_size").failure(words, total_size=total_size, size=len(data))
    if count < 0:
        raise Rule("N02", HEADER.name, "entry_count").failure("{count} entries", count=count)
    # The directory ends with the stated size, not with the file: bytes after the container are a tail (N03).
    if HEADER.size + count * ENTRY.size > total_size:
        words = "{count} entries do not fit {total_size} bytes"
        raise Rule("N04", HEADER.name, "entry_count").failure(words, count=count, total_size=total_size)
    return row


def _findings(archive: Archive) -> Iterator[Diagnostic]:
    numbers = len(archive.data), archive.total_size, len(archive.rows), archive.directory_offset
    size, total, counts, limit = (np.array([it], np.int64) for it in numbers)
    rules = chain(bytes_after(size, total), unreadable_entries(archive.rows, counts, limit))
    return chain.from_iterable(found for _, found in rules)


def bytes_after(size: npt.NDArray[np.int64], total_size: npt.NDArray[np.int64]) -> Findings:
    """N03: containers with more bytes than they state, (m,) both."""
    left = size - total_size
    words, rule = "{left} bytes follow the {total_size} stated", Rule("N03", HEADER.name, "total_size")
    yield from rule.of_subjects(left > 0, words, left=left, total_size=total_size)


def unreadable_entries(rows: Rows, counts: npt.NDArray[np.int64], limit: npt.NDArray[np.int64]) -> Findings:
    """N05, N06: entries (n,) outside the data area or with an endless name, of containers with so many each.

    `limit` is the offset of each container's directory, (m,).
    """
    start, size = rows["data_offset"].astype(np.int64), rows["size"]
    limits = np.repeat(limit, counts)
    is_early = start < HEADER.size
    is_late = start + size > limits
    values = {"offset": start, "size": size, "header_size": HEADER.size, "directory_offset": limits}
    for is_outside, name in ((is_early, "data_offset"), (is_late & ~is_early, "size")):
        yield from Rule("N05", ENTRY.name, name).in_joined(is_outside, counts, _OUTSIDE, **values)
    names = np.frombuffer(rows["name"].tobytes(), np.uint8).reshape(-1, NAME_SIZE)
    is_endless = np.asarray(names.all(axis=1))
    yield from Rule("N06", ENTRY.name, "name").in_joined(is_endless, counts, "no NUL in the name")


_OUTSIDE = "payload {offset} + {size} is not inside {header_size}..{directory_offset}"


def build(entries: Iterable[NewEntry]) -> bytes:
    """Write a container from scratch in canonical form: payloads in order, 8-aligned, zero padded."""
    out, rows, names = BytesIO(), [], []
    out.write(bytes(HEADER.size))
    for entry in entries:  # which may be made one by one: the payloads are not kept beside the data
        payload = memoryview(entry.payload).cast("B")
        rows.append((entry.type_id, entry.attr1, entry.attr2, len(payload), entry.attr3, out.tell()))
        names.append(entry.name_field)
        out.write(payload)
        # Up to the next multiple of 8: 13 bytes are followed by 3, 16 by none.
        out.write(bytes(-len(payload) % ALIGNMENT))
    order = sort_order([until_nul(name) for name in names])
    directory = ENTRY.new(len(names))
    for index, (*attributes, start) in enumerate(rows):
        directory[index] = (*attributes, names[index], start, order[index])
    out.write(directory.tobytes())
    size = out.tell()
    out.seek(0)
    out.write(_header(len(directory), size))
    return out.getvalue()  # which does not copy, as `bytes` of a bytearray would


def close(out: bytearray, directory: Rows) -> bytes:
    """The container with its header, from space for the header and the data area, and the directory."""
    out += directory.tobytes()
    out[: HEADER.size] = _header(len(directory), len(out))
    return bytes(out)


def _header(entry_count: int, total_size: int) -> bytes:
    header = HEADER.new()
    header[0] = (MAGIC, VERSION, entry_count, total_size)
    return header.tobytes()


def sort_order(names: Sequence[bytes]) -> list[int]:
    """The entry indices in folded-name order, which the directory stores as its sort indices."""
    folded = [fold(name) for name in names]
    # Stable: of equal names the first entry stays the first, which the game's search returns (spec/nres.md
    # 2).
    return sorted(range(len(folded)), key=folded.__getitem__)
