"""The open tabs, one of them active: what each shows, how it is looked at, and what it showed before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from functools import reduce
from itertools import count
from typing import Any, Final, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from viewer.model.store.address import Address, is_same
from viewer.operations.units.tried_parts import NO_PARTS, TriedParts
from viewer.session.opened.document import Document
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.view.view_state import ViewState, for_document, with_look

MOST_VISITS: Final = 50
"""Older ones are forgotten."""


class Visit(NamedTuple):
    """An address, and how it was looked at; a unit with which parts."""

    address: Address | None
    view: ViewState
    tried: TriedParts = NO_PARTS


class Trail(Struct, frozen=True):
    """The visits before and after the present one, each in the order of the visits."""

    earlier: tuple[Visit, ...] = ()
    later: tuple[Visit, ...] = ()

    def left(self, visit: Visit) -> Trail:
        """The trail after something new was opened; what lay ahead is forgotten."""
        return Trail((*self.earlier, visit)[-MOST_VISITS:])

    def next(self, step: int) -> Visit | None:
        """The visit before (step -1) or after (1) the present one, or None."""
        visits = self.earlier[-1:] if step < 0 else self.later[:1]
        return visits[0] if visits else None

    def last(self, address: Address) -> Visit | None:
        """The last visit to an address, or None."""
        visits = (*reversed(self.earlier), *self.later)
        return next((it for it in visits if it.address == address), None)

    def stepped(self, step: int, now: Visit) -> Trail:
        """The trail after going to `next`, away from `now`."""
        if step < 0:
            return Trail(self.earlier[:-1], (now, *self.later))
        return Trail((*self.earlier, now), self.later[1:])


NO_TRAIL: Final = Trail()


class CameraFit(Enum):
    """Placing of the camera once the viewport has its size."""

    KEPT = "kept"
    """No change of the camera."""
    DIRECTION = "direction"
    """All of the model from the present direction."""
    NEW = "new"
    """All of the model from three quarters."""


TabKey = tuple[int, Address | None]
"""Identity of a tab and the address in it: another one as soon as the tab shows something else."""


class Tab(Struct, frozen=True, eq=False):
    """An open model or resource, or an empty tab.

    Parameters
    ----------
    view
        How it is looked at; everything but the look of the program belongs to this tab alone.
    document, resource
        At most one of them is set: a model, or anything else.
    framing
        How the camera is placed once the viewport has its size.
    trail
        What it showed before and after.
    is_kept
        It was opened in a tab of its own, or something was changed in it: what is opened next takes no place
        of its.
    problem
        Why it does not show what is on the disk, if that cannot be read; else empty.
    identity
        The same as long as the tab is open, whatever is opened in it.
    """

    view: ViewState = field(default_factory=ViewState)
    document: Document | None = None
    resource: OpenedResource | None = None
    framing: CameraFit = CameraFit.KEPT
    trail: Trail = NO_TRAIL
    is_kept: bool = False
    problem: str = ""
    identity: int = field(default_factory=count(1).__next__)

    @property
    def address(self) -> Address | None:
        """Address of what it shows; None for an empty tab."""
        shown = self.document or self.resource
        return None if shown is None else shown.address

    @property
    def key(self) -> TabKey:
        """The key under which panels remember values for the content of this tab."""
        return self.identity, self.address

    @property
    def visit(self) -> Visit:
        """The content and the view of the tab, for the way back."""
        return Visit(self.address, self.view, self.tried)

    @property
    def tried(self) -> TriedParts:
        """The parts that are tried on the unit of the tab."""
        return NO_PARTS if self.resource is None else self.resource.tried

    def leading_to(self, visit: Visit) -> Tab:
        """A copy from which the way forward leads to a visit."""
        return replace(self, trail=replace(self.trail, later=(visit, *self.trail.later)))

    def showing(self, shown: Document | OpenedResource, view: ViewState) -> Tab:
        """A copy that shows another document or resource, or another state of the one that it shows."""
        is_model = isinstance(shown, Document)
        is_left = bool(self.address) and shown.address != self.address
        return Tab(
            view,
            shown if isinstance(shown, Document) else None,
            shown if isinstance(shown, OpenedResource) else None,
            framing=self.framing if is_model else CameraFit.KEPT,
            trail=self.trail.left(self.visit) if is_left else self.trail,
            is_kept=self.is_kept and not is_left,
            identity=self.identity,
        )


def short_names(addresses: Iterable[Address]) -> dict[Address, tuple[str, str]]:
    """The names of what is open, each with the nearest archive or folder that tells it from its namesakes.

    That is empty for a name that only one has.
    """
    found: dict[str, list[Address]] = {}
    for address in dict.fromkeys(addresses):
        found.setdefault(address.name, []).append(address)
    return {it: (name, _told_by(it, same)) for name, same in found.items() for it in same}


def _told_by(address: Address, same: Sequence[Address]) -> str:
    """The text next to the name of an address: the shortest end that tells the address from others."""
    own, others = _parts(address), [_parts(it) for it in same if it != address]
    for size in range(2, len(own) + 1):
        if others and all(it[-size:] != own[-size:] for it in others):
            return own[-size]
    return own[0] if others else ""


def _parts(address: Address) -> tuple[str, ...]:
    return *address.path.parts, *address.entries


class Tabs(Struct, frozen=True):
    """Tabs in the order they are shown; there is always one, empty if nothing is open.

    Parameters
    ----------
    position
        Index of the active tab.
    """

    tabs: tuple[Tab, ...] = field(default_factory=lambda: (Tab(),))
    position: int = 0

    @classmethod
    def of(cls, view: ViewState, document: Document | None = None) -> Tabs:
        """The tabs of a single document, or of nothing."""
        return cls((Tab(view, document),))

    @property
    def active(self) -> Tab:
        """The tab in front."""
        return self.tabs[self.position]

    @property
    def opened(self) -> tuple[Tab, ...]:
        """The tabs that are not empty."""
        return tuple(tab for tab in self.tabs if tab.address)

    @property
    def addresses(self) -> tuple[Address, ...]:
        """The addresses of the open tabs."""
        return tuple(tab.address for tab in self.tabs if tab.address)

    @property
    def documents(self) -> tuple[Document, ...]:
        """The models that are open."""
        return tuple(tab.document for tab in self.tabs if tab.document is not None)

    def at(self, address: Address) -> Tab | None:
        """The tab that shows an address, or None; in a folder that ignores case, however that is spelled."""
        found = (tab for tab in self.opened if tab.address is not None and is_same(tab.address, address))
        return min(found, key=lambda tab: tab.address != address, default=None)

    def tried(self, address: Address) -> TriedParts:
        """The parts that are tried on a unit that is open."""
        tab = self.at(address)
        return NO_PARTS if tab is None else tab.tried

    def find(self, identity: int) -> Tab | None:
        """The tab with an identity; None if it is closed."""
        return next((tab for tab in self.tabs if tab.identity == identity), None)

    def changed(self, **fields: Any) -> Tabs:
        """The tabs with fields of the active one changed."""
        return self.with_tab(replace(self.active, **fields))

    def with_tab(self, tab: Tab) -> Tabs:
        """The tabs with a later state of one of them, or with one more at the end."""
        if self.find(tab.identity) is None:
            return replace(self, tabs=(*self.tabs, tab))
        return replace(self, tabs=tuple(tab if old.identity == tab.identity else old for old in self.tabs))

    def activated(self, identity: int) -> Tabs:
        """The tabs with another one in front, which is looked at in the look of the program."""
        found = self.find(identity)
        if found is None or found.identity == self.active.identity:
            return self
        look = self.active.view
        tabs = replace(self, position=self.tabs.index(found))
        return tabs.changed(view=with_look(found.view, look))

    def keeping(self, *addresses: Address | None) -> Tabs:
        """The tabs of which those that show some addresses are kept."""
        found = [it for it in self.opened if not it.is_kept and it.address in addresses]
        return reduce(Tabs.with_tab, (replace(it, is_kept=True) for it in found), self)

    def closed(self, identity: int) -> Tabs:
        """The tabs without one; if it was active, the next one is, else the one before."""
        found = self.find(identity)
        if found is None:
            return self
        rest = tuple(tab for tab in self.tabs if tab is not found)
        if not rest:
            return Tabs.of(for_document(found.view))
        if found is not self.active:
            return replace(self, tabs=rest, position=rest.index(self.active))
        heir = rest[min(self.position, len(rest) - 1)]
        return self.activated(heir.identity).closed(identity)

    def stepped(self, step: int) -> Tab:
        """The tab some steps after the active one, cyclically."""
        return self.tabs[(self.position + step) % len(self.tabs)]

    def ordered(self, identities: Iterable[int]) -> Tabs:
        """The tabs in another order; tabs that are not named keep theirs at the end."""
        rank = {identity: place for place, identity in enumerate(identities)}
        tabs = tuple(sorted(self.tabs, key=lambda tab: rank.get(tab.identity, len(rank))))
        return replace(self, tabs=tabs, position=tabs.index(self.active))
