"""Showing a place in what is open, and going back and forward through what was selected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from viewer.app.state import State
from viewer.model.store.place import Place
from viewer.session import places
from viewer.session.opened.tabs import TabKey
from viewer.session.places import places_of
from viewer.session.play.playable import play_clip
from viewer.session.selection_history import SelectionHistory, Stop
from viewer.session.view.kept_view import existing

MOST_KEPT: Final = 32
"""Histories of this many documents are kept, the least recently used is forgotten first."""


def reveal(state: State, place: Place) -> bool:
    """Show a place of the document or of the resource that is open; tell whether it lies in one of them."""
    document, resource = state.document, state.resource
    if document is not None and document.address == place.address:
        place = places.nearest(document, place)
        if places.is_selectable(document, place):
            chosen = places.selection_at(document, place, state.view.selection)
            state.view = replace(state.view, selection=chosen)
        elif place.table == places.CLIPS and place.row is not None:
            state.view = replace(play_clip(state.view, place.row), is_playing=True)
    elif resource is None or resource.address != place.address:
        return False
    state.reveal = replace(place)  # a new object, so that revealing the same place twice scrolls to it twice
    return True


def reveal_opened(state: State, place: Place) -> None:
    """Show a place of what has just been opened, which may be a folder."""
    if not reveal(state, place):
        state.reveal = replace(place)


class SelectionHistories:
    """Back and forward; owner: the application, main thread only.

    Parameters
    ----------
    retrace
        Shows what the active tab showed before (-1) or after (1); called where its history ends.
    """

    def __init__(self, state: State, retrace: Callable[[int], None]) -> None:
        self._state = state
        self._retrace = retrace
        self._kept: dict[TabKey, SelectionHistory] = {}
        self._reveal: Place | None = None

    @property
    def current(self) -> SelectionHistory:
        """The history of what the active tab shows."""
        start = Stop(self._state.view.selection)
        return self._kept.get(self._state.tabs.active.key, SelectionHistory((start,)))

    def record(self) -> None:
        """Take note of what is selected now, and of a place that was just requested."""
        state = self._state
        place, self._reveal = state.reveal if state.reveal is not self._reveal else None, state.reveal
        history = self.current
        if place is not None or state.view.selection != history.current.selection:
            history = history.visited(Stop(state.view.selection, place))
        self._keep(history)

    def step(self, step: int) -> None:
        """Select what was selected before or after, with the place shown then; then leave the document."""
        history = self.current
        if not history.can_step(step):
            self._retrace(step)
            return
        self._keep(history.stepped(step))
        state, stop = self._state, self.current.current
        selection = stop.selection
        if state.document is not None:
            selection = existing(selection, state.document)
            state.view = replace(state.view, selection=selection)
        place = stop.place
        if place is None and state.document is not None:
            # The smallest thing selected, or the whole document, so that its panel comes forward.
            found = [*places_of(state.document, selection)]
            place = found[-1] if found else Place(state.document.address)
        self._reveal = state.reveal = None if place is None else replace(place)

    def _keep(self, history: SelectionHistory) -> None:
        key = self._state.tabs.active.key
        self._kept.pop(key, None)
        self._kept[key] = history
        if len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
