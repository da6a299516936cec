"""The browser's trees: archives and folders, listed when they are first opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from types import MappingProxyType
from typing import Final

from viewer.model.store.address import SEPARATOR

FOLDER: Final = "folder"
MOST_ROOTS: Final = 50
"""Opened folders and files that are shown."""


@dataclass(frozen=True, slots=True)
class BrowserEntry:
    """One row: a folder, a file or an entry of an archive.

    Parameters
    ----------
    address
        ``PATH`` or ``PATH::ENTRY``, as `Open` and `ListEntries` take it.
    name
        The name shown.
    kind
        Kind of the payload, as in ``mshview ls``: ``msh``, ``nres``, ``wear``, ``folder`` ...
    size
        Bytes; 0 for a folder.
    can_open
        Whether it has entries to list.
    """

    address: str
    name: str
    kind: str
    size: int = 0
    can_open: bool = False


@dataclass(frozen=True, slots=True)
class BrowserTree:
    """Trees and their listed entries.

    Parameters
    ----------
    roots
        The opened archives, folders and files.
    children
        Entries of every listed address.
    current
        Address of the shown document.
    """

    roots: tuple[BrowserEntry, ...] = ()
    children: Mapping[str, tuple[BrowserEntry, ...]] = field(default_factory=lambda: MappingProxyType({}))
    current: str | None = None

    def listed(self, address: str, entries: tuple[BrowserEntry, ...]) -> BrowserTree:
        """A copy with the entries of one more address."""
        return replace(self, children=MappingProxyType({**self.children, address: entries}))

    def opened(
        self, root: BrowserEntry, children: Mapping[str, tuple[BrowserEntry, ...]], current: str | None
    ) -> BrowserTree:
        """A copy after something below `root` was opened.

        A root that is shown keeps its position; a new one comes last, in place of those that lie in it. Of
        too many the oldest ones are closed.
        """
        if any(_is_in(root, shown) for shown in self.roots if shown.kind == FOLDER):
            tree = self
        elif any(shown.address == root.address for shown in self.roots):
            roots = tuple(root if shown.address == root.address else shown for shown in self.roots)
            tree = replace(self, roots=roots)
        else:
            others = (shown for shown in self.roots if root.kind != FOLDER or not _is_in(shown, root))
            tree = replace(self, roots=(*others, root))
        tree = tree.without(*(shown.address for shown in tree.roots[:-MOST_ROOTS]))
        return replace(tree, children=MappingProxyType({**tree.children, **children}), current=current)

    def without(self, *addresses: str) -> BrowserTree:
        """A copy without some roots and what was listed below them."""
        roots = tuple(root for root in self.roots if root.address not in addresses)
        closed = [root for root in self.roots if root.address in addresses]
        children = {
            address: rows
            for address, rows in self.children.items()
            if not any(_holds(root, address) for root in closed)
        }
        return replace(self, roots=roots, children=MappingProxyType(children)) if closed else self

    def way_to(self, address: str | None) -> frozenset[str]:
        """The listed containers that have to be unfolded to show an entry."""
        holder = {row.address: container for container, rows in self.children.items() for row in rows}
        way: set[str] = set()
        while address in holder and holder[address] not in way:
            address = holder[address]
            way.add(address)
        return frozenset(way)

    def neighbour(self, step: int, address: str | None = None) -> BrowserEntry | None:
        """The entry `step` rows after another among its siblings of the same kind; None beyond the ends.

        Parameters
        ----------
        address
            Address of that other entry; None means the shown document.
        """
        address = address or self.current
        for siblings in (self.roots, *self.children.values()):
            kinds = [entry.kind for entry in siblings if entry.address == address]
            alike = [entry for entry in siblings if entry.kind in kinds]
            rows = [row for row, entry in enumerate(alike) if entry.address == address]
            if rows and 0 <= rows[0] + step < len(alike):
                return alike[rows[0] + step]
        return None


def _is_in(entry: BrowserEntry, folder: BrowserEntry) -> bool:
    """Whether a file or folder is another folder or lies in it."""
    return PurePath(entry.address).is_relative_to(folder.address)


def _holds(root: BrowserEntry, address: str) -> bool:
    """Whether an address is that of a root or lies below it."""
    path = address.partition(SEPARATOR)[0]
    return PurePath(path).is_relative_to(root.address) if root.kind == FOLDER else path == root.address
