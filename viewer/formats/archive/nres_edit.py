"""Editing a container without changing anything else.

Directory order, gaps, unindexed regions, padding, attributes and the bytes after a name's NUL are
copied. Offsets follow moved payloads; sort indices are recomputed only if names or entries
change.

Source: spec/nres.md 5.
Status: proven.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import FormatError
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.findings import Rule
from viewer.formats.record import Bytes, Rows
from viewer.formats.splice import Splice, Splices, same_bytes
from viewer.formats.text import until_nul
from viewer.translation import _

MOST_BYTES: Final = 0xFFFFFFFF
"""Largest size and offset that the fields hold."""


def rewrite(archive: nres.Archive, payloads: Mapping[int, Bytes]) -> bytes:
    """The container with some payloads replaced and every other byte unchanged; raises like `Edit.encode`."""
    edit = Edit(archive)
    for index, payload in payloads.items():
        edit.replace(index, payload)
    return edit.encode()


class _Row(Struct, frozen=True):
    """A row of the new directory: its original entry, if any, and its changes."""

    origin: int | None
    added: nres.NewEntry | None = None
    payload: bytes | None = None
    splices: Splices | None = None
    name_field: bytes | None = None
    attributes: tuple[int, int, int] | None = None

    @property
    def is_described(self) -> bool:
        """Whether anything except the payload has changed."""
        return self.name_field is not None or self.attributes is not None


class Edit:
    """Changes to a container, collected until it is encoded.

    Row indices are those of the new directory: removing a row moves the rows after it.
    """

    def __init__(self, archive: nres.Archive) -> None:
        self._archive = archive
        self._rows = [_Row(entry.index) for entry in archive.entries]

    def __len__(self) -> int:
        return len(self._rows)

    def replace(self, row: int, payload: Bytes, splices: Splices | None = None) -> None:
        """Set the payload of a row; nothing changes if it is equal.

        `splices` are what is replaced in the old payload, if that is known.
        """
        old = self._rows[row]
        if (
            old.origin is not None
            and not self._is_damaged(old)
            and same_bytes(self._archive.payload(old.origin), payload)
        ):
            self._rows[row] = replace(old, payload=None)
        else:
            self._rows[row] = replace(old, payload=bytes(payload), splices=splices)

    def rename(self, row: int, name: bytes) -> None:
        """Set the name of a row, 1 to 35 bytes, with the rest of its field zero; raises `ValueError`."""
        if not name:
            raise ValueError(_("a name requires at least one byte"))
        self._rows[row] = replace(self._rows[row], name_field=nres.NewEntry(0, b"", name).name_field)

    def describe(self, row: int, attr1: int, attr2: int, attr3: int) -> None:
        """Set the attributes of a row."""
        self._rows[row] = replace(self._rows[row], attributes=(attr1, attr2, attr3))

    def add(self, entry: nres.NewEntry, row: int | None = None) -> int:
        """Insert a new entry before a row, or after the last; return its row."""
        index = len(self._rows) if row is None else row
        self._rows.insert(index, _Row(None, entry, bytes(entry.payload), name_field=entry.name_field))
        return index

    def remove(self, row: int) -> None:
        """Remove a row and its payload; regions without an entry stay."""
        del self._rows[row]

    def reorder(self, order: Sequence[int]) -> None:
        """Reorder the rows; `order` has their current indices. Raises `ValueError`."""
        if sorted(order) != list(range(len(self._rows))):
            raise ValueError(f"{list(order)} is not an order of {len(self._rows)} rows")
        self._rows = [self._rows[row] for row in order]

    def encode(self) -> bytes:
        """The edited container; raises like `splices`."""
        return splice.applied(self._archive.data, self.splices())

    def splices(self) -> Splices:
        """Splices of the container.

        Raises `FormatError` if a payload that is replaced or removed has bytes of another one, if a damaged
        entry could be read after it, or if the container becomes too large.
        """
        # Nothing moves: bytes are changed where they are, and not even a wrong size or offset elsewhere is
        # touched.
        if self._keeps_sizes() and self._keeps_rows():
            return self._patches()
        return self._moves()

    def _is_damaged(self, row: _Row) -> bool:
        return row.origin is not None and self._archive.entries[row.origin].is_damaged

    def _keeps_rows(self) -> bool:
        return [row.origin for row in self._rows] == list(range(len(self._archive.entries)))

    def _keeps_sizes(self) -> bool:
        return all(
            row.payload is None
            or (
                row.origin is not None
                and not self._is_damaged(row)
                and len(row.payload) == self._archive.entries[row.origin].size
            )
            for row in self._rows
        )

    @property
    def _changed(self) -> dict[int, _Row]:
        """The rows by their entries whose payload is replaced where it is."""
        return {
            row.origin: row
            for row in self._rows
            if row.origin is not None and row.payload is not None and not self._is_damaged(row)
        }

    def _patches(self) -> Splices:
        """Payloads of the same size and directory rows replaced where they are."""
        archive = self._archive
        found: list[Splice] = []
        for index, row in self._changed.items():
            entry = archive.entry(index)
            made = _replaced(archive, entry.offset, entry.end, row.payload or b"")
            refuse_shared(archive, index, made)
            found += made
        if any(row.is_described for row in self._rows):
            directory = self._directory({}).tobytes()
            found += _replaced(archive, archive.directory_offset, archive.total_size, directory)
        return splice.ordered(found)

    def _moves(self) -> Splices:
        """Payloads of another size, and entries added or removed; what follows them moves."""
        changed = self._changed
        kept = {row.origin for row in self._rows}
        found: list[Splice] = []
        offsets: dict[int, int] = {}
        grown = 0
        removed = {entry.index for entry in self._archive.entries if entry.index not in kept}
        order = self._by_offset(changed.keys() | removed)
        # Padding ends where a payload begins, but an empty one begins nowhere.
        starts = [entry.offset for entry in order if entry.size]
        for entry in order:
            # `grown` is what the splices before this payload have added: 13 bytes replaced by 20 at offset
            # 16, with 3 bytes of padding that become 4, move all others by 8.
            offsets[entry.index] = entry.offset + grown
            if entry.index not in changed and entry.index not in removed:
                continue
            end = self._after_padding(entry.end, starts)
            made = self._in_place(entry, end, changed.get(entry.index), grown)
            found += made
            grown += splice.growth(made)
        offsets |= self._damaged_offsets(found)
        found += self._new_end(offsets, grown)
        return splice.ordered(found)

    def _damaged_offsets(self, made: Sequence[Splice]) -> dict[int, int]:
        """The offsets of entries that cannot be read but begin among the payloads: they move with these."""
        archive = self._archive
        return {
            entry.index: entry.offset + splice.growth(tuple(it for it in made if it.end <= entry.offset))
            for entry in archive.entries
            if entry.is_damaged and nres.HEADER.size <= entry.offset <= archive.directory_offset
        }

    def _in_place(self, entry: nres.Entry, end: int, row: _Row | None, grown: int) -> Splices:
        """Splices of a payload and its padding up to `end`; it moves by `grown`; None removes it.

        What follows is aligned as before, also behind bytes without an entry.
        """
        archive, start = self._archive, entry.offset
        following = end if end < archive.directory_offset else 0
        if row is None or row.payload is None:
            # `start + grown` is where this one is written: as many bytes stay as keep the next one as
            # aligned as it is.
            kept = (following - start - grown) % nres.ALIGNMENT if following else 0
            return _replaced(archive, start, end, bytes(kept))
        padding = bytes((following - start - grown - len(row.payload)) % nres.ALIGNMENT)
        if row.splices is None:
            return _replaced(archive, start, end, row.payload + padding)
        inside = splice.moved(row.splices, start)
        return splice.ordered((*inside, *_replaced(archive, entry.end, end, padding)))

    def _new_end(self, offsets: Mapping[int, int], grown: int) -> Iterator[Splice]:
        """The header, and the added payloads with the directory; `offsets` are those of moved payloads."""
        archive = self._archive
        start = archive.directory_offset
        added = bytearray()
        directory = self._directory(offsets, added, start + grown)
        header = nres.HEADER.new()
        size = start + grown + len(added) + directory.nbytes
        if size > MOST_BYTES:
            rule = Rule("", nres.HEADER.name, "total_size")
            raise rule.failure("{size} bytes, at most {limit} fit", size=size, limit=MOST_BYTES)
        self._refuse_invented(directory, start + grown + len(added))
        header[0] = (nres.MAGIC, nres.VERSION, len(directory), size)
        yield from _replaced(archive, 0, nres.HEADER.size, header.tobytes())
        if added:
            yield Splice(start, b"", bytes(added))
        yield from splice.moved(
            _rows_replaced(archive.data[start : archive.total_size], directory.tobytes()), start
        )

    def _refuse_invented(self, directory: Rows, end: int) -> None:
        """Raise if a damaged entry would have bytes of others in a data area that ends at `end`."""
        for number, row in enumerate(self._rows):
            if row.origin is None or row.payload is not None or not self._is_damaged(row):
                continue
            offset, size = (int(directory[number][name]) for name in ("data_offset", "size"))
            # The offset of a damaged entry stays while the data area grows. If it comes to lie inside, the
            # entry would show bytes of others as its payload, and nobody would know.
            if nres.HEADER.size <= offset <= end - size:
                words = (
                    "is damaged, but would have bytes of others after this change; replace or remove it first"
                )
                raise Rule("", nres.ENTRY.name, "size").failure(words, row.origin)

    def _by_offset(self, touched: Collection[int]) -> list[nres.Entry]:
        """The readable entries by offset; raises if one of the touched has bytes of another."""
        readable = (entry for entry in self._archive.entries if not entry.is_damaged)
        # By offset; of those that begin together an empty one first, which shares no byte with the other.
        order = sorted(readable, key=lambda entry: (entry.offset, entry.end, entry.index))
        furthest: nres.Entry | None = None
        furthest_touched: nres.Entry | None = None
        for entry in order:
            # A touched payload must share no byte with any other; two that are not touched may overlap, as
            # they move together.
            before = furthest if entry.index in touched else furthest_touched
            if before is not None and entry.offset < before.end:
                raise _shared(entry, before.index)
            furthest = _further(furthest, entry)
            if entry.index in touched:
                furthest_touched = _further(furthest_touched, entry)
        return order

    def _after_padding(self, position: int, starts: Sequence[int]) -> int:
        """End of the zero padding after `position`; `position` itself if there is none.

        `starts` are the sorted offsets of payloads.
        """
        archive = self._archive
        # Rounded up: -(-13 // 8) * 8 is 16.
        end = min(-(-position // nres.ALIGNMENT) * nres.ALIGNMENT, archive.directory_offset)
        following = bisect_left(starts, position)
        if following < len(starts):
            end = min(end, starts[following])
        # Bytes that are not zero are no padding but data without an entry, which stays.
        return position if any(archive.data[position:end]) else end

    def _directory(self, offsets: Mapping[int, int], added: bytearray | None = None, start: int = 0) -> Rows:
        """The directory rows; payloads of added entries are appended to `added`, which begins at `start`."""
        archive = self._archive
        stored = archive.rows
        rows = nres.ENTRY.new(len(self._rows))
        for number, row in enumerate(self._rows):
            if row.origin is not None:
                rows[number] = stored[row.origin]
                rows[number]["data_offset"] = offsets.get(row.origin, stored[row.origin]["data_offset"])
            elif row.added is not None:
                rows[number]["type_id"] = row.added.type_id
                for name in ("attr1", "attr2", "attr3"):
                    rows[number][name] = getattr(row.added, name)
            if row.payload is not None:
                # The payload of a new entry, or of a damaged one, comes after all others.
                if added is not None and (row.origin is None or self._is_damaged(row)):
                    rows[number]["data_offset"] = _append(row.payload, added, start)
                rows[number]["size"] = len(row.payload)
            if row.name_field is not None:
                rows[number]["name"] = row.name_field
            if row.attributes is not None:
                rows[number]["attr1"], rows[number]["attr2"], rows[number]["attr3"] = row.attributes
        # Else as stored, even if the table is wrong: only what an edit is about changes.
        if not self._keeps_rows() or any(row.name_field for row in self._rows):
            rows["sort_index"] = nres.sort_order([until_nul(bytes(name)) for name in rows["name"].tolist()])
        return rows


def _append(payload: bytes, added: bytearray, start: int) -> int:
    """Append a payload to `added`, which begins at `start`; return its offset."""
    added += bytes(-(start + len(added)) % nres.ALIGNMENT)
    offset = start + len(added)
    added += payload
    # Behind it as well: canonical containers pad their last payload.
    added += bytes(-(start + len(added)) % nres.ALIGNMENT)
    return offset


def refuse_shared(archive: nres.Archive, index: int, splices: Splices) -> None:
    """Raise `FormatError` if splices of the container change bytes of another readable entry than `index`."""
    starts = archive.rows["data_offset"].astype(np.int64)
    ends = starts + archive.rows["size"]
    # An end of 0 is before every splice: entries that cannot be read are in no one's way.
    ends[(starts < nres.HEADER.size) | (ends > archive.directory_offset)] = 0
    # None overlaps another: an entry meets the first that ends after its start, or none.
    first = np.searchsorted([it.end for it in splices], starts, side="right")
    offsets = np.array([*(it.offset for it in splices), np.iinfo(np.int64).max], np.int64)
    has_bytes = offsets[first] < ends
    has_bytes[index] = False
    if has_bytes.any():
        raise _shared(archive.entry(index), int(has_bytes.argmax()))


def _shared(entry: nres.Entry, other: int) -> FormatError:
    words = "overlaps the payload of entry {index}, so it cannot be changed alone"
    return Rule("", nres.ENTRY.name, "data_offset").failure(words, entry.index, index=other)


def _further(one: nres.Entry | None, other: nres.Entry) -> nres.Entry:
    """The entry that ends later."""
    return other if one is None or other.end > one.end else one


def _rows_replaced(before: memoryview, after: bytes) -> Splices:
    """The splices that turn a directory into another one: rows inserted, or added or removed at its end."""
    shared = min(len(before), len(after))
    end = Splice(shared, bytes(before[shared:]), after[shared:])
    at_end = splice.ordered((*splice.between(before[:shared], after[:shared]), end))
    # A row inserted in front moves all the others, and what both ends share leaves little; rows changed all
    # over with one more at the end are few bytes each. Whichever of the two changes less.
    return min(splice.between(before, after), at_end, key=splice.total)


def _replaced(archive: nres.Archive, start: int, end: int, after: bytes) -> Splices:
    """The splices that put bytes in place of a range."""
    return splice.moved(splice.between(archive.data[start:end], after), start)
