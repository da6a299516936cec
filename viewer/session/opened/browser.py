"""The browser's trees, and what it shows of them: a filter, also in folded archives, and an order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeVar

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.geometry.transforms import Indices, Mask
from viewer.model.kinds.registry import ARCHIVES
from viewer.model.query.names import NameFilter
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.disk import is_link
from viewer.progress import checkpoint
from viewer.session.opened.entry_list import (
    CONTAINERS,
    FOLDER,
    BrowserEntry,
    EntryList,
    EntryOrder,
    columns_of,
)

MOST_ROOTS: Final = 50
"""Opened folders and files that are shown."""

Contents = Mapping[str, int]
"""The number of payloads of each kind, by its id."""
Known = TypeVar("Known")
Listings = Mapping[Address, Sequence[BrowserEntry]]


class BrowserTree(Struct, frozen=True):
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
    current: Address | None = None
    unreadable: frozenset[Address] = frozenset()
    contents: Mapping[Address, Contents] = field(default_factory=lambda: MappingProxyType({}))

    def listed(self, address: Address, entries: Sequence[BrowserEntry]) -> BrowserTree:
        """A copy with the entries of one more address."""
        return self.with_listings({address: entries})

    def with_listings(self, listings: Listings, unreadable: frozenset[Address] = frozenset()) -> BrowserTree:
        """A copy with the entries of more addresses, and with containers that cannot be read."""
        children = MappingProxyType({**self.children, **listings})
        return replace(self, children=children, unreadable=self.unreadable | unreadable)

    def counted(self, contents: Mapping[Address, Contents]) -> BrowserTree:
        """A copy with the contents of more folders and archives."""
        return replace(self, contents=MappingProxyType({**self.contents, **contents}))

    def opened(self, root: BrowserEntry, children: Listings, current: Address | None) -> BrowserTree:
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

    def without(self, *addresses: Address) -> BrowserTree:
        """A copy without some roots and what was listed below them."""
        roots = tuple(root for root in self.roots if root.address not in addresses)
        closed = [root for root in self.roots if root.address in addresses]
        if not closed:
            return self
        children = _outside(closed, self.children)
        return replace(self, roots=roots, children=children, contents=_outside(closed, self.contents))

    def containers_above(self, address: Address | None) -> frozenset[Address]:
        """The listed containers that have to be unfolded to show an entry."""
        found: set[Address] = set()
        while address and (above := address.container) in self.children and above not in found:
            found.add(above)
            address = above
        return frozenset(found)

    def siblings(self, address: Address | None) -> Sequence[BrowserEntry]:
        """The entries among which an address is listed; empty if it is not listed."""
        if address is None or any(root.address == address for root in self.roots):
            return self.roots if address else ()
        return self.children.get(address.container, ())


def _outside(closed: Sequence[BrowserEntry], known: Mapping[Address, Known]) -> Mapping[Address, Known]:
    """The known values of addresses outside of closed roots."""
    kept = {at: it for at, it in known.items() if not any(_holds(root, at) for root in closed)}
    return MappingProxyType(kept)


def _is_in(entry: BrowserEntry, folder: BrowserEntry) -> bool:
    """Whether a file or folder is another folder or lies in it."""
    return entry.address.path.is_relative_to(folder.address.path)


def _holds(root: BrowserEntry, address: Address) -> bool:
    """Whether an address is that of a root or lies below it."""
    path, above = address.path, root.address.path
    return path.is_relative_to(above) if root.kind == FOLDER else path == above


ROOTS: Final = CURRENT
"""The address under which the roots are listed."""
MOST_CONTAINERS: Final = 20_000
"""Archives and folders that a filter looks into; of the others it says that they were not read."""
NEXT: Final = 64
"""Unread containers that are named at a time."""
_ALL: Final = NameFilter()


class Listed(Struct, frozen=True, eq=False):
    """A shown list of a tree.

    Attributes
    ----------
    rows, entries
        The list as the tree has it, and in columns.
    order
        Its indices in the requested order, (n,).
    is_match
        Which entries pass the filter, (n,).
    shown
        The indices to show, in order: the matches, and what holds matches further below.
    """

    rows: Sequence[BrowserEntry]
    entries: EntryList
    order: Indices
    is_match: Mask
    shown: Indices


class BrowserArrangement(Struct, frozen=True, eq=False):
    """The lists of a tree for one filter and order.

    Attributes
    ----------
    tree
        What was arranged.
    requested, order
        The filter and the order.
    lists
        The lists by the address that they are below; the roots are below `ROOTS`.
    hits
        Number of entries that pass the filter.
    unread
        The next containers to read; empty if all were.
    read, total
        Archives that were read or cannot be, and the archives known so far.
    has_more
        Whether there are more containers than a filter looks into.
    """

    tree: BrowserTree = field(default_factory=BrowserTree)
    requested: NameFilter = _ALL
    order: EntryOrder = EntryOrder.FILE
    lists: Mapping[Address, Listed] = field(default_factory=lambda: MappingProxyType({}))
    hits: int = 0
    unread: tuple[Address, ...] = ()
    read: int = 0
    total: int = 0
    has_more: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether every entry is shown in the order of its file."""
        return self.requested.is_empty and self.order is EntryOrder.FILE

    def shown(self, address: Address, rows: Sequence[BrowserEntry]) -> tuple[EntryList, Indices]:
        """A list in columns, and the indices to show of it, in order.

        Of a list that was read later than the arrangement was made a filter shows nothing yet.
        """
        found = self.lists.get(address)
        if found is not None and found.rows is rows:
            return found.entries, found.shown
        entries = columns_of(rows)
        return entries, np.arange(len(entries) if self.requested.is_empty else 0)


def arrange(
    tree: BrowserTree, requested: NameFilter, order: EntryOrder, before: BrowserArrangement | None = None
) -> BrowserArrangement:
    """Arrange the lists of a tree; what has not changed since `before` is taken from there.

    It may take long, so it checks whether the work of its thread was cancelled.
    """
    kept = {} if before is None or before.order is not order else before.lists
    same = {} if before is None or before.requested != requested else before.lists
    everything = {ROOTS: tree.roots, **tree.children}
    lists = {}
    for address, rows in everything.items():
        checkpoint()
        known, matched = kept.get(address), same.get(address)
        entries = known.entries if known and known.rows is rows else columns_of(rows)
        ordered = known.order if known and known.rows is rows else entries.order(order)
        is_same = matched is not None and matched.rows is rows
        is_match = matched.is_match if matched and is_same else entries.matching(requested)
        lists[address] = Listed(rows, entries, ordered, is_match, ordered)
    if requested.is_empty:
        return BrowserArrangement(tree, requested, order, MappingProxyType(lists))
    unread = _Unread(tree, lists)
    return BrowserArrangement(
        tree,
        requested,
        order,
        MappingProxyType(dict(_with_holders(lists))),
        sum(int(found.is_match.sum()) for found in lists.values()),
        () if unread.is_too_much else unread.next,
        unread.read,
        unread.total,
        unread.is_too_much and bool(unread.next),
    )


def _with_holders(lists: Mapping[Address, Listed]) -> Iterator[tuple[Address, Listed]]:
    """Yield the lists with what is shown of them, the innermost first, the roots last."""
    masks = {address: found.is_match.copy() for address, found in lists.items()}
    for address in sorted(lists, key=_depth, reverse=True):
        found, mask = lists[address], masks[address]
        yield address, replace(found, shown=found.order[mask[found.order]])
        if mask.any():
            above = ROOTS if lists[ROOTS].entries.find(address) is not None else address.container
            index = lists[above].entries.find(address) if above in lists else None
            if index is not None:
                masks[above][index] = True


def _depth(address: Address) -> int:
    """Number of folders and archives around an entry; the list of the roots is above them all."""
    return -1 if address == ROOTS else len(address.path.parts) + len(address.entries)


class _Unread:
    """The containers in some lists that a filter has not looked into."""

    def __init__(self, tree: BrowserTree, lists: Mapping[Address, Listed]) -> None:
        self.read = self.total = 0
        found: list[Address] = []
        for listed in lists.values():
            for entry in (listed.entries.entry(index) for index in listed.entries.of_kinds(CONTAINERS)):
                checkpoint()
                is_read = entry.address in tree.children or entry.address in tree.unreadable
                self.total += entry.kind in ARCHIVES
                self.read += entry.kind in ARCHIVES and is_read
                if not is_read and len(found) < NEXT and not _is_link(entry):
                    found.append(entry.address)
        self.next = tuple(found)
        self.is_too_much = len(tree.children) + len(tree.unreadable) >= MOST_CONTAINERS


def _is_link(entry: BrowserEntry) -> bool:
    """Whether a folder is a link, which may lead around in a circle."""
    return entry.kind == FOLDER and is_link(entry.address.path)


def neighbour(
    tree: BrowserTree, arrangement: BrowserArrangement, step: int, address: Address | None = None
) -> BrowserEntry | None:
    """Return the entry `step` rows after another one of the same kind, as shown; None beyond the ends.

    Parameters
    ----------
    address
        Address of that other entry; None means the shown document.
    """
    address = address or tree.current
    siblings = tree.siblings(address)
    if address is None or not siblings:
        return None
    is_root = siblings is tree.roots
    entries, shown = arrangement.shown(ROOTS if is_root else address.container, siblings)
    index = entries.find(address)
    if index is None:
        return None
    order = shown if index in shown else np.arange(len(entries))
    alike = order[entries.kinds.codes[order] == entries.kinds.codes[index]]
    place = int(np.flatnonzero(alike == index)[0]) + step
    return entries.entry(int(alike[place])) if 0 <= place < len(alike) else None
