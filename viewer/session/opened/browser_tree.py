"""What the browser shows: archives and folders as trees, listed when they are first opened."""

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
        ``PATH`` or ``PATH::ENTRY``, what `Open` and `ListEntries` take.
    name
        As shown.
    kind
        What the payload is, as ``mshview ls`` says: ``msh``, ``nres``, ``wear``, ``folder`` ...
    size
        Bytes; 0 for a folder.
    can_open
        Has entries of its own to list.
    """

    address: str
    name: str
    kind: str
    size: int = 0
    can_open: bool = False


@dataclass(frozen=True, slots=True)
class BrowserTree:
    """Trees and what is known of them.

    Parameters
    ----------
    roots
        What was opened: an archive, a folder, a file.
    children
        Entries of every address listed so far.
    current
        Address of the document shown.
    """

    roots: tuple[BrowserEntry, ...] = ()
    children: Mapping[str, tuple[BrowserEntry, ...]] = field(default_factory=lambda: MappingProxyType({}))
    current: str | None = None

    def listed(self, address: str, entries: tuple[BrowserEntry, ...]) -> BrowserTree:
        """The same trees with the entries of one more address."""
        return replace(self, children=MappingProxyType({**self.children, address: entries}))

    def opened(
        self, root: BrowserEntry, children: Mapping[str, tuple[BrowserEntry, ...]], current: str | None
    ) -> BrowserTree:
        """The trees after something below `root` was opened; a folder shown already keeps its place."""
        folders = [shown.address for shown in self.roots if shown.kind == FOLDER]
        is_below = any(PurePath(root.address).is_relative_to(folder) for folder in folders)
        roots = self.roots if is_below or root in self.roots else (root,)
        kept = self.children if roots is self.roots else {}
        return BrowserTree(roots, MappingProxyType({**kept, **children}), current)

    def way_to(self, address: str | None) -> frozenset[str]:
        """The containers that have to be unfolded to see an entry, as far as they are listed."""
        holder = {row.address: container for container, rows in self.children.items() for row in rows}
        way: set[str] = set()
        while address in holder and holder[address] not in way:
            address = holder[address]
            way.add(address)
        return frozenset(way)

    def neighbour(self, step: int, address: str | None = None) -> BrowserEntry | None:
        """The entry `step` places after another among its siblings of that kind; None beyond the ends.

        Parameters
        ----------
        address
            That other one; the document shown for None.
        """
        address = address or self.current
        for siblings in (self.roots, *self.children.values()):
            kinds = [entry.kind for entry in siblings if entry.address == address]
            alike = [entry for entry in siblings if entry.kind in kinds]
            places = [place for place, entry in enumerate(alike) if entry.address == address]
            if places and 0 <= places[0] + step < len(alike):
                return alike[places[0] + step]
        return None
