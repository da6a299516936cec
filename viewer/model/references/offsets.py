"""Offsets of rows and fields in the file that holds them: from a place to its bytes.

The other way, from an offset to its place, is `values.Locator`.
"""

from __future__ import annotations

from msgspec import Struct

from viewer.formats.archive import rsli
from viewer.formats.part import Part, find
from viewer.model.kinds.registry import kind_of
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import Place


class StoredRange(Struct, frozen=True):
    """Bytes in a file.

    Attributes
    ----------
    what
        What they are, for people.
    place
        The table and the row, or the first of several rows.
    offset
        From the start of the file; None inside a packed entry of a library, where the file has other bytes.
    size
        Bytes.
    """

    what: str
    place: Place
    offset: int | None
    size: int


def start_in_file(store: FileStore, address: Address) -> int | None:
    """The offset of a payload in its file; None if a library holds it packed or encrypted.

    Raises `AddressError` or `FormatError` like `FileStore.open`.
    """
    # From the inside outwards: each offset counts from the start of the archive around it (spec/nres.md 1.2),
    # so their sum is the place in the file.
    start = 0
    while address.entries:
        entry = store.open(address).entry
        if entry is None or (isinstance(entry, rsli.PackedEntry) and entry.method):
            return None
        start += entry.offset
        address = address.parent
    return start


class FileRanges:
    """Finds the bytes of rows of one payload in its file.

    Parameters
    ----------
    root
        Its parts, which are made of its bytes by default.
    """

    def __init__(self, store: FileStore, address: Address, root: Part | None = None) -> None:
        self._address, self._start = address, start_in_file(store, address)
        if root is None:
            item = store.open(address)
            root = kind_of(item).parts_in(item)
        self._root = root

    def find(
        self, what: str, table: str, row: int | None = None, field: str = "", count: int = 1
    ) -> StoredRange | None:
        """The bytes of `count` rows of a table, of the table or of a field of a row; None if there are none.

        Parameters
        ----------
        row
            The first row; None for the whole table.
        """
        part = find(self._root, table)
        try:
            start, size = (0, 0) if part is None else part.span(row, field or None)
        except LookupError:
            return None
        # `count` rows from the last one on would reach into the next table.
        if part is None or start + count * size > part.end:
            return None
        place = Place(self._address, table, row, field)
        offset = None if self._start is None else self._start + start
        return StoredRange(what, place, offset, count * size)
