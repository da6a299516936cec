"""The browser's trees: archives and folders, listed when they are first opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from types import MappingProxyType
from typing import Final

FOLDER: Final = "folder"


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
        The opened archive, folder or file.
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
        """A copy after something below `root` was opened; a folder already shown keeps its position."""
        folders = [shown.address for shown in self.roots if shown.kind == FOLDER]
        is_below = any(PurePath(root.address).is_relative_to(folder) for folder in folders)
        roots = self.roots if is_below or root in self.roots else (root,)
        kept = self.children if roots is self.roots else {}
        return BrowserTree(roots, MappingProxyType({**kept, **children}), current)

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
