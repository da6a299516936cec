"""Showing a place in what is open: what it selects, and what the panels are to bring forward."""

from __future__ import annotations

from dataclasses import replace

from viewer.app.state import State
from viewer.model.store.place import Place
from viewer.session import places
from viewer.session.play.playable import play_clip


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
    state.reveal = replace(place)
    return True


def reveal_opened(state: State, place: Place) -> None:
    """Show a place of what has just been opened, which may be a folder."""
    if not reveal(state, place):
        state.reveal = replace(place)
