"""The browser's trees: archives and folders, listed when they are first opened or searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from types import MappingProxyType
from typing import Final, TypeVar

from viewer.model.store.address import SEPARATOR
from viewer.session.opened.browser_entry import FOLDER, BrowserEntry, container_of

MOST_ROOTS: Final = 50
"""Opened folders and files that are shown."""

Contents = Mapping[str, int]
"""The number of payloads of each kind, by its id."""
Known = TypeVar("Known")
Listings = Mapping[str, Sequence[BrowserEntry]]


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
    unreadable
        Containers in which a filter found nothing.
    contents
        The contents of counted folders and archives, by address.
    """

    roots: tuple[BrowserEntry, ...] = ()
    children: Listings = field(default_factory=lambda: MappingProxyType({}))
    current: str | None = None
    unreadable: frozenset[str] = frozenset()
    contents: Mapping[str, Contents] = field(default_factory=lambda: MappingProxyType({}))

    def listed(self, address: str, entries: Sequence[BrowserEntry]) -> BrowserTree:
        """A copy with the entries of one more address."""
        return self.with_listings({address: entries})

    def with_listings(self, listings: Listings, unreadable: frozenset[str] = frozenset()) -> BrowserTree:
        """A copy with the entries of more addresses, and with containers that cannot be read."""
        children = MappingProxyType({**self.children, **listings})
        return replace(self, children=children, unreadable=self.unreadable | unreadable)

    def counted(self, contents: Mapping[str, Contents]) -> BrowserTree:
        """A copy with the contents of more folders and archives."""
        return replace(self, contents=MappingProxyType({**self.contents, **contents}))

    def opened(self, root: BrowserEntry, children: Listings, current: str | None) -> BrowserTree:
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
        return replace(tree.with_listings(children), current=current)

    def without(self, *addresses: str) -> BrowserTree:
        """A copy without some roots and what was listed below them."""
        roots = tuple(root for root in self.roots if root.address not in addresses)
        closed = [root for root in self.roots if root.address in addresses]
        if not closed:
            return self
        children = _outside(closed, self.children)
        return replace(self, roots=roots, children=children, contents=_outside(closed, self.contents))

    def way_to(self, address: str | None) -> frozenset[str]:
        """The listed containers that have to be unfolded to show an entry."""
        way: set[str] = set()
        while address and (above := container_of(address)) in self.children and above not in way:
            way.add(above)
            address = above
        return frozenset(way)

    def siblings(self, address: str | None) -> Sequence[BrowserEntry]:
        """The entries among which an address is listed; empty if it is not listed."""
        if address is None or any(root.address == address for root in self.roots):
            return self.roots if address else ()
        return self.children.get(container_of(address), ())


def _outside(closed: Sequence[BrowserEntry], known: Mapping[str, Known]) -> Mapping[str, Known]:
    """What is known of addresses that are not in closed roots."""
    kept = {at: it for at, it in known.items() if not any(_holds(root, at) for root in closed)}
    return MappingProxyType(kept)


def _is_in(entry: BrowserEntry, folder: BrowserEntry) -> bool:
    """Whether a file or folder is another folder or lies in it."""
    return PurePath(entry.address).is_relative_to(folder.address)


def _holds(root: BrowserEntry, address: str) -> bool:
    """Whether an address is that of a root or lies below it."""
    path = address.partition(SEPARATOR)[0]
    return PurePath(path).is_relative_to(root.address) if root.kind == FOLDER else path == root.address
