"""What a tab showed before and after, for the way back along links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from viewer.session.view.view_state import ViewState

MOST_VISITS: Final = 50
"""Older ones are forgotten."""


class Visit(NamedTuple):
    """An address, and how it was looked at."""

    address: str
    view: ViewState


@dataclass(frozen=True, slots=True)
class Trail:
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

    def last(self, address: str) -> Visit | None:
        """The last visit to an address, or None."""
        visits = (*reversed(self.earlier), *self.later)
        return next((it for it in visits if it.address == address), None)

    def stepped(self, step: int, now: Visit) -> Trail:
        """The trail after going to `next`, away from `now`."""
        if step < 0:
            return Trail(self.earlier[:-1], (now, *self.later))
        return Trail((*self.earlier, now), self.later[1:])


NO_TRAIL: Final = Trail()
