"""The rows of the browser: entries of folders and archives, made when they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from enum import StrEnum
from functools import cached_property
from typing import Final, overload

import numpy as np
from msgspec import Struct

from viewer.formats.archive.rsli import PackedLibrary
from viewer.formats.text import encode, names_of
from viewer.geometry.transforms import Indices, Mask
from viewer.model.game.part_names import PartName
from viewer.model.kinds.entry_kinds import EntryKinds, entry_kinds
from viewer.model.kinds.registry import ARCHIVES
from viewer.model.query.names import NameFilter, NameTable
from viewer.model.store.address import SEPARATOR, Address
from viewer.model.store.item import Container

FOLDER: Final = "folder"


class BrowserEntry(Struct, frozen=True):
    """A row of the browser: a folder, a file or an entry of an archive.

    Parameters
    ----------
    address
        That of the folder, file or entry.
    name
        The name shown.
    kind
        Kind of the payload, as in ``mshview ls``: ``msh``, ``nres``, ``wear``, ``folder`` ...
    size
        Bytes; 0 for a folder.
    can_open
        Whether it has entries to list.
    called
        What the game calls the part: its name on screen and its code; empty if it is none, or unknown.
    """

    address: Address
    name: str
    kind: str
    size: int = 0
    can_open: bool = False
    called: str = ""


CONTAINERS: Final = ARCHIVES | {FOLDER}
"""Kinds of entries with entries of their own, tables of models aside."""


class EntryOrder(StrEnum):
    """The order of entries in the browser."""

    FILE = "file"
    NAME = "name"
    KIND = "kind"
    SIZE = "size"


class EntryList(Sequence[BrowserEntry]):
    """The entries below one address.

    Attributes
    ----------
    kinds
        The kinds of the entries.
    sizes
        Their sizes, bytes, (n,) int64.
    """

    kinds: EntryKinds
    sizes: Indices

    def __len__(self) -> int:
        return len(self.sizes)

    def entry(self, index: int) -> BrowserEntry:
        """The entry at an index."""
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> BrowserEntry: ...
    @overload
    def __getitem__(self, index: slice) -> list[BrowserEntry]: ...
    def __getitem__(self, index: int | slice) -> BrowserEntry | list[BrowserEntry]:
        indices = range(len(self))[index]
        return self.entry(indices) if isinstance(indices, int) else [*map(self.entry, indices)]

    def find(self, address: Address) -> int | None:
        """The index of the entry with an address, or None."""
        raise NotImplementedError

    def matching(self, requested: NameFilter) -> Mask:
        """Tell for each entry whether a filter lets its name through, (n,)."""
        raise NotImplementedError

    def _by_name(self) -> Indices:
        raise NotImplementedError

    def of_kinds(self, kinds: frozenset[str]) -> list[int]:
        """The indices of the entries of some kinds."""
        found: list[int] = np.flatnonzero(self.kinds.are(kinds)).tolist()
        return found

    def order(self, by: EntryOrder) -> Indices:
        """The indices of the entries in an order: folders first, the largest first, equal ones by name."""
        if by is EntryOrder.FILE:
            return np.arange(len(self))
        order = self._by_name()
        if by is EntryOrder.SIZE:
            # Stable, and in the order of names before: so equal sizes stay by name.
            order = order[np.argsort(-self.sizes[order], kind="stable")]
        if by is EntryOrder.KIND:
            # The inverse of an order: of ids c a b, the order is 1 2 0, and the rank of each is 2 0 1.
            rank = np.argsort(np.argsort(np.array(self.kinds.ids, np.str_)))
            order = order[np.argsort(rank[self.kinds.codes[order]], kind="stable")]
        is_file = ~self.kinds.are(frozenset({FOLDER}))
        return order[np.argsort(is_file[order], kind="stable")]


class ArchiveEntries(EntryList):
    """The entries of an archive; its bytes are not kept.

    Parameters
    ----------
    address
        The address of the archive.
    container
        Its directory.
    """

    def __init__(self, address: Address, container: Container) -> None:
        self._address = address
        self._called: Mapping[int, str] = {}
        names = names_of(container.rows["name"])
        self.kinds, self.names = entry_kinds(container, names), NameTable(names)
        field = "unpacked_size" if isinstance(container, PackedLibrary) else "size"
        self.sizes = container.rows[field].astype(np.int64)

    def with_names(self, called: Mapping[int, PartName]) -> ArchiveEntries:
        """The rows with the game's names of parts, by the indices of their entries."""
        rows = copy(self)
        rows._called = {index: str(name) for index, name in called.items()}  # noqa: SLF001
        return rows

    @cached_property
    def _is_named(self) -> Mask:
        """Whether an entry is found by its name; the others are addressed by their number, (n,)."""
        raw = self.names.names
        is_plain: Mask = (raw[:, 0] != 0) & (raw[:, 0] != ord("#"))
        is_split = (raw[:, :-1] == ord(SEPARATOR[0])) & (raw[:, 1:] == ord(SEPARATOR[1]))
        is_named: Mask = is_plain & ~is_split.any(axis=1) & self.names.is_unique
        return is_named

    def part(self, index: int) -> str:
        """The part of an address for an entry: the name if that leads to the entry, else the number."""
        return self.names[index] if self._is_named[index] else f"#{index}"

    def entry(self, index: int) -> BrowserEntry:
        """The entry at an index."""
        kind, part = self.kinds[index], self.part(index)
        name = self.names[index] or part
        size, called = int(self.sizes[index]), self._called.get(index, "")
        return BrowserEntry(self._address.child(part), name, kind, size, kind in ARCHIVES, called)

    def find(self, address: Address) -> int | None:
        """The index of the entry with an address, or None."""
        if not address.entries or address.parent != self._address:
            return None
        part = address.entries[-1]
        if part.startswith("#"):
            index = int(part[1:]) if part[1:].isdecimal() and len(part) < 12 else len(self)
            return index if index < len(self) else None
        try:
            return self.names.find(encode(part))
        except ValueError:
            return None

    def matching(self, requested: NameFilter) -> Mask:
        """Tell for each entry whether a filter lets its name through, with that of its part, (n,)."""
        found = self.names.matching(requested)
        for index, called in self._called.items():
            found[index] = found[index] or requested.matches(f"{self.names[index]} {called}")
        return found

    def _by_name(self) -> Indices:
        return self.names.order


class FileEntries(EntryList):
    """Entries that are given one by one: the files of a folder.

    Parameters
    ----------
    entries
        The entries.
    """

    def __init__(self, entries: Sequence[BrowserEntry]) -> None:
        self._entries = tuple(entries)
        self.kinds = EntryKinds.of([entry.kind for entry in entries])
        self.sizes = np.array([entry.size for entry in entries], np.int64)

    @cached_property
    def _indices(self) -> dict[Address, int]:
        return {entry.address: index for index, entry in enumerate(self._entries)}

    def entry(self, index: int) -> BrowserEntry:
        """The entry at an index."""
        return self._entries[index]

    def find(self, address: Address) -> int | None:
        """The index of the entry with an address, or None."""
        return self._indices.get(address)

    def matching(self, requested: NameFilter) -> Mask:
        """Tell for each entry whether a filter lets its name through, (n,)."""
        return np.array([requested.matches(entry.name) for entry in self._entries], bool)

    def _by_name(self) -> Indices:
        names = [entry.name.casefold() for entry in self._entries]
        return np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)


def columns_of(entries: Sequence[BrowserEntry]) -> EntryList:
    """Return entries in columns."""
    return entries if isinstance(entries, EntryList) else FileEntries(entries)
