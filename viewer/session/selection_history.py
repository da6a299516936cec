"""Back and forward among what was selected and shown in one document."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from viewer.model.store.place import Place
from viewer.session.selection import Selection

MOST_STOPS: Final = 100
"""Older ones are forgotten."""


class Stop(NamedTuple):
    """A selection, and the place that was shown with it, if one was requested."""

    selection: Selection = Selection()
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class SelectionHistory:
    """What was selected in turn, and which of it is selected now.

    Parameters
    ----------
    stops
        The oldest first, at least one.
    position
        Index of the current one.
    """

    stops: tuple[Stop, ...] = (Stop(),)
    position: int = 0

    @property
    def current(self) -> Stop:
        """What is selected now."""
        return self.stops[self.position]

    def visited(self, stop: Stop) -> SelectionHistory:
        """The history after something else was selected; what lay ahead is forgotten."""
        if stop == self.current:
            return self
        stops = (*self.stops[: self.position + 1], stop)[-MOST_STOPS:]
        return SelectionHistory(stops, len(stops) - 1)

    def can_step(self, step: int) -> bool:
        """Whether there is a stop `step` further."""
        return 0 <= self.position + step < len(self.stops)

    def stepped(self, step: int) -> SelectionHistory:
        """The history with the stop `step` further as the current one, if there is one."""
        return replace(self, position=self.position + step) if self.can_step(step) else self
