"""The rooms behind the portals of a building, written at the doorways."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.model.mesh.shown import NO_ROOM
from viewer.session.opened.document import Document
from viewer.session.view.view_state import Overlay
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.viewport.world_labels import WorldLabels
from viewer.ui.widgets import theme

Floats = npt.NDArray[np.float64]
_NONE: Final = np.zeros(0, np.int64)


class PortalLabels:
    """The texts of the portal overlay; owner: the shell."""

    def __init__(self) -> None:
        self._made_of: tuple[object, ...] = ()
        self._draws = _NONE
        self._centers: Floats = np.zeros((0, 4))

    def add(self, frame: UiContext, labels: WorldLabels) -> None:
        """Add the name of the room behind each portal that is shown."""
        document, pose = frame.document, frame.state.pose
        if document is None or pose is None or Overlay.PORTALS not in frame.view.overlays:
            return
        self._choose(document, frame)
        if not len(self._draws):
            return
        nodes = document.draws.node[self._draws]
        points = np.einsum("nij,nj->ni", pose.world[nodes, :3], self._centers)
        batches = document.draws.batch[self._draws]
        chosen = np.flatnonzero(batches == frame.view.selection.batch).tolist()
        rooms = document.chooser.room[self._draws].tolist()
        labels.add(points, lambda index: room_text(document, rooms[index]), theme.ACCENT, chosen)

    def _choose(self, document: Document, frame: UiContext) -> None:
        shown = document.shown(frame.view)
        made_of = document.identity, document.revision, shown
        if made_of != self._made_of:
            self._made_of = made_of
            self._draws = np.flatnonzero(shown.portals & (document.draws.triangle_count > 0))
            self._centers = np.array([_center(document, draw) for draw in self._draws.tolist()]).reshape(
                -1, 4
            )


def _center(document: Document, draw: int) -> Floats:
    """The middle of the vertices of a draw in the space of its node, and 1, (4,)."""
    start, end = document.draws.triangle_start[draw : draw + 2]
    points = document.model.positions[np.unique(document.draws.corners[start:end])]
    return np.append((points.min(axis=0) / 2 + points.max(axis=0) / 2).astype(np.float64), 1.0)


def room_text(document: Document, room: int) -> str:
    """Return the name of the room behind a portal."""
    return _("to {room}").format(room=document.label(room)) if room != NO_ROOM else _("portal without a room")
