"""A tab with what was read in it: what is kept of the view of before, and where the camera is."""

from __future__ import annotations

from enum import Enum

from msgspec.structs import replace

from viewer.control.opening.loading import StartOptions
from viewer.control.state import State
from viewer.model.store.file_store import FileStore
from viewer.session.opened.document import Document
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.opened.tabs import CameraFit, Tab
from viewer.session.play import playing
from viewer.session.play.stage import stage_of
from viewer.session.view.kept_view import kept
from viewer.session.view.skies import linked_view
from viewer.session.view.state_link import StateLink
from viewer.session.view.view_state import ViewState, for_document, with_drawn, with_look


class Keep(Enum):
    """The kept part of the view when a document is shown."""

    LOOK = "look"
    """Shading and overlays; LOD and group in the same file."""
    DIRECTION = "direction"
    """The look, LOD and group, the direction of the camera and whether it plays: the next model of a kind."""
    CAMERA = "camera"
    """The look, LOD and group, and the camera as it is: the same model in another file."""
    EVERYTHING = "everything"
    """The whole view: the same model is read again."""


def filled(state: State, given: StartOptions, tab: Tab, shown: Document | OpenedResource, keep: Keep) -> Tab:
    """A tab with what was read in it, and the view of that."""
    if not isinstance(shown, Document):
        first = playing.play_resource(for_document(_view_for(state, shown, keep)), shown)
        first = given.first_view(first, shown.address)
        if tab.address == shown.address:
            return tab.showing(shown, tab.view)
        framing = CameraFit.KEPT if stage_of(shown) is None else CameraFit.NEW
        return replace(tab.showing(shown, first), framing=framing)
    old = tab.document
    if keep is Keep.EVERYTHING and old is not None and old.identity == shown.identity:
        return tab.showing(shown, kept(tab.view, old, shown))
    now, visit = state.view, tab.trail.last(shown.address)
    if keep is Keep.LOOK and tab.address != shown.address and visit is not None:
        return tab.showing(shown, kept(with_look(visit.view, now), None, shown))
    view = playing.play_first(shown.first_view(_view_for(state, shown, keep)), shown)
    if keep is not Keep.LOOK and state.axis.moves:
        view = replace(view, is_playing=now.is_playing)
    framing = CameraFit.NEW
    if keep is not Keep.LOOK and old is not None and not now.drawn.is_own_view:
        framing = CameraFit.KEPT if keep is Keep.CAMERA else CameraFit.DIRECTION
    return replace(tab.showing(shown, view), framing=framing)


def looked_at(state: State, library: FileStore, link: StateLink, document: Document) -> ViewState:
    """The view with what a link says of a document; a sky that cannot be used is reported."""
    before = document if state.document is document else None
    view, problem = linked_view(library, link, state.view, before, document)
    if problem:
        state.announce(problem, is_warning=True)
    return view


def _view_for(state: State, shown: Document | OpenedResource, keep: Keep) -> ViewState:
    """The view now, from outside; its cell counts in the same file and for the next one of a kind.

    Models and terrains have cells of different meanings.
    """
    now, view, tab = state.document, state.view, state.tabs.active
    if tab.address is None:
        return view
    view = with_drawn(view, is_own_view=False)
    is_terrain = isinstance(shown, Document) and shown.is_terrain
    is_alike = now is not None and now.is_terrain == is_terrain
    if is_alike and (keep is not Keep.LOOK or tab.address.path == shown.address.path):
        return view
    return replace(view, lod=0, group=0, usual=replace(view.usual, cell=None))
