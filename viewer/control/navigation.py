"""Navigation: framing by the camera, places that are shown, and back and forward through them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from math import inf
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.control.state import State
from viewer.geometry.bounds import Bounds, SupportShape
from viewer.geometry.transforms import transform_points
from viewer.model.store.place import Place
from viewer.session import places
from viewer.session.opened.document import Document
from viewer.session.opened.tabs import TabKey
from viewer.session.places import places_of
from viewer.session.play import posing
from viewer.session.play.playing import play_clip
from viewer.session.play.posing import framed
from viewer.session.play.stage import UnitStage
from viewer.session.selection import SelectionHistory, Stop
from viewer.session.view.camera import FORWARD, Camera, Side
from viewer.session.view.kept_view import existing
from viewer.session.view.view_state import ViewState, show_all

MOST_KEPT: Final = 32
"""Histories of this many documents are kept, the least recently used is forgotten first."""
POINT_SHARE: Final = 0.02
"""Half the size of the box around a node without geometry, as a share of the scene."""
MOST_MOMENTS: Final = 33
MOST_CORNERS: Final = 4_000_000
"""Times at which a model is looked at, and triangles at all of them together, but at least two times."""
VERTEX_SHARE: Final = 0.04
"""Half the size of the box around a vertex that is framed, as a share of the scene."""


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
        history = self._kept.get(state.tabs.active.key)
        if history is None:  # what is shown first is where it begins: one step back leaves it
            history = SelectionHistory((Stop(state.view.selection, place),))
        elif place is not None or state.view.selection != history.current.selection:
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


class Framing(Struct, frozen=True):
    """Places the camera of the active tab; `aspect` gives width by height of the viewport."""

    state: State
    aspect: Callable[[], float]

    def frame_selection(self) -> None:
        """Frame what is selected, or everything if nothing is."""
        frame_selection(self.state, self.aspect())

    def frame_all(self, *, is_over_clip: bool = False) -> None:
        """Frame everything that is visible, now or over the whole of what plays; the direction stays."""
        document, view, stage = self.state.document, self.state.view, self.state.stage
        if document is not None and is_over_clip:
            camera = framed(document, view.camera, view, self.aspect(), moments(document, view))
            self.state.view = replace(view, camera=camera)
        elif document is not None:
            frame(self.state, (), self.aspect())
        elif stage is not None:
            self.state.view = replace(view, camera=stage.framed(view, view.camera, self.aspect()))

    def look_from(self, side: Side) -> None:
        """Look at the same target from one of the six sides."""
        self.state.view = replace(self.state.view, camera=self.state.view.camera.towards(side))

    def restore(self) -> None:
        """Reset the camera to the initial view."""
        restore(self.state, self.aspect())


def restore(state: State, aspect: float, *, keeps_direction: bool = False) -> None:
    """Look at what is open as it is first shown: all of it in its whole clip, from three quarters.

    With `keeps_direction` from the direction of the camera.
    """
    now, stage = state.view.camera, state.stage
    camera = now if keeps_direction else Camera(is_orthographic=now.is_orthographic)
    if state.document is None and stage is not None:
        view = show_all(state.view)
        state.view = replace(state.view, camera=stage.framed(view, camera, aspect))
    elif state.document is not None:
        if state.view.drawn.is_own_view:
            camera = camera.towards(FORWARD)
        view = show_all(state.view)
        camera = framed(state.document, camera, view, aspect, moments(state.document, view))
        state.view = replace(state.view, camera=camera)


def moments(document: Document, view: ViewState) -> tuple[float, ...]:
    """Times over the whole of what a view plays, at which it is looked at for framing."""
    end = posing.end(document, view) if document.animation.is_animated else 0.0
    if not (0 < end < inf) or view.drawn.is_own_view:
        return (0.0,)
    # A model is posed once per moment: large ones at fewer, so that opening stays quick.
    count = min(max(MOST_CORNERS // max(len(document.draws.corners), 1), 2), MOST_MOMENTS)
    return tuple(np.linspace(0.0, end, count).tolist())


def frame(state: State, nodes: Collection[int], aspect: float) -> None:
    """Bring some nodes into view, or everything that is shown; the direction stays."""
    state.update_pose()
    if state.document is None or state.pose is None:
        return
    view = state.view
    posed = state.document.posed(state.pose, view, nodes)
    around = _around(state.pose.world[list(nodes), :3, 3], view.camera.reach * POINT_SHARE)
    shape: SupportShape | None = around if posed.bounds is None else posed
    if shape is not None:
        state.view = replace(view, camera=view.camera.frame(shape, aspect))


def frame_selection(state: State, aspect: float) -> None:
    """Bring the selected vertex into view, else the selected nodes or parts, else all that is shown."""
    if isinstance(state.stage, UnitStage):
        view, chosen = state.view, frozenset(state.view.selection.nodes)
        alone = replace(view, isolated=chosen or view.isolated)
        state.view = replace(view, camera=state.stage.framed(alone, view.camera, aspect))
        return
    state.update_pose()
    selection, document, pose = state.view.selection, state.document, state.pose
    node, vertex = selection.node, selection.vertex
    if document is None or pose is None or node is None or vertex is None:
        frame(state, selection.nodes, aspect)
        return
    points = transform_points(pose.world[node], document.model.positions[vertex : vertex + 1])
    around = _around(points, state.view.camera.reach * VERTEX_SHARE)
    if around is not None:
        state.view = replace(state.view, camera=state.view.camera.frame(around, aspect))


def _around(points: np.ndarray, margin: float) -> Bounds | None:
    box = Bounds.of(points)
    return None if box is None else Bounds(box.low - margin, box.high + margin)
