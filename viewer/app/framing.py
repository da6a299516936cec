"""Camera placement: framing, looking along an axis, resetting."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, Final

import numpy as np

from viewer.app.state import State
from viewer.geometry.bounds import Bounds, Shape
from viewer.geometry.transforms import transform_points
from viewer.session.view.camera import FORWARD, Camera, Side
from viewer.session.view.view_state import show_all
from viewer.ui.requests import FrameAll, FrameSelection, LookFrom, RestoreCamera

POINT_SHARE: Final = 0.02
"""Half the size of the box around a node without geometry, as a share of the scene."""

VERTEX_SHARE: Final = 0.04
"""Half the size of the box around a vertex that is framed, as a share of the scene."""


def answers(state: State, aspect: Callable[[], float]) -> dict[type[Any], Callable[[Any], None]]:
    """The handler of each request; `aspect` gives width by height of the viewport."""
    return {
        FrameAll: lambda _: frame(state, (), aspect()),
        FrameSelection: lambda _: frame_selection(state, aspect()),
        LookFrom: lambda request: look_from(state, request.side),
        RestoreCamera: lambda _: restore(state, aspect()),
    }


def restore(state: State, aspect: float) -> None:
    """Look at the document as it is first shown: all of it, from three quarters."""
    if state.document is not None:
        camera = Camera(is_orthographic=state.view.camera.is_orthographic)
        if state.view.drawn.is_own_view:
            camera = camera.towards(FORWARD)
        framed = state.document.framed(camera, show_all(state.view), aspect)
        state.view = replace(state.view, camera=framed)


def frame(state: State, nodes: Collection[int], aspect: float) -> None:
    """Bring some nodes into view, or everything that is shown; the direction stays."""
    state.update_pose()
    if state.document is None or state.pose is None:
        return
    view = state.view
    posed = state.document.posed(state.pose, view, nodes)
    around = _around(state.pose.world[list(nodes), :3, 3], view.camera.reach * POINT_SHARE)
    shape: Shape | None = around if posed.bounds is None else posed
    if shape is not None:
        state.view = replace(view, camera=view.camera.frame(shape, aspect))


def frame_selection(state: State, aspect: float) -> None:
    """Bring the selected vertex into view, else the selected nodes, else everything that is shown."""
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


def look_from(state: State, side: Side) -> None:
    """Look at the same target from one of the six sides."""
    state.view = replace(state.view, camera=state.view.camera.towards(side))


def _around(points: np.ndarray, margin: float) -> Bounds | None:
    box = Bounds.of(points)
    return None if box is None else Bounds(box.low - margin, box.high + margin)
