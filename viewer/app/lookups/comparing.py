"""Comparing two payloads in a worker thread."""

from __future__ import annotations

from typing import Final

from viewer.app.controller import Controller
from viewer.dataclass import replace
from viewer.model.store.address import Address
from viewer.session.opened.comparison import ComparedSide, ComparisonState, OpenedComparison
from viewer.translation import _

LANE: Final = "compare"


class ComparisonController(Controller):
    """Keeps `State.comparison`; owner: the application, main thread only."""

    def choose(self, address: Address | None) -> None:
        """Choose what is compared with the next one; None chooses nothing."""
        self._state.comparison = replace(self._state.comparison, first=address)
        if address is not None:
            self._state.announce(_("{name} is compared with what is chosen next", name=address.name))

    def compare(self, first: ComparedSide, second: ComparedSide) -> None:
        """Compare two payloads, and show what differs."""
        sides = first, second
        self._state.comparison = ComparisonState(self._state.comparison.first, sides)
        library = self._opener.library.snapshot()
        reading, lookup = self._opener.choices(second.address)

        def done(found: OpenedComparison) -> None:
            if self._state.comparison.sides == sides:
                self._state.comparison = replace(self._state.comparison, shown=found)

        def failed(error: BaseException) -> None:
            self.close()
            self._opener.fail(error)

        def work(_ignored: object) -> OpenedComparison:
            return OpenedComparison.read(library, sides, reading, lookup.game or lookup.set_game)

        self._jobs.start(LANE, _("Comparing {name}…", name=second.name), work, done, failed)

    def close(self) -> None:
        """Close the comparison."""
        self._jobs.drop(LANE)
        self._state.comparison = ComparisonState(self._state.comparison.first)
