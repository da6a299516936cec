"""Names of nodes in the viewport, and at sockets what they take."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from viewer.model.mesh.animation import Pose
from viewer.session.opened.document import Document
from viewer.session.view.view_state import Overlay, ViewState
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.viewport.world_labels import WorldLabels
from viewer.ui.widgets import theme

Nodes = npt.NDArray[np.int64]


class NodeLabels:
    """The overlays of sockets and of names; owner: the shell."""

    def __init__(self) -> None:
        self._made_of: tuple[object, ...] = ()
        self._sockets: Nodes = np.empty(0, np.int64)
        self._named: Nodes = self._sockets

    def add(self, frame: UiContext, labels: WorldLabels) -> None:
        """Add the labels of the nodes that are shown."""
        document, pose, overlays = frame.document, frame.state.pose, frame.view.overlays
        if document is None or pose is None or not overlays & {Overlay.SOCKETS, Overlay.NAMES}:
            return
        self._choose(document, frame.view)
        if Overlay.SOCKETS in overlays:
            _add(frame, pose, labels, self._sockets, lambda node: socket_text(document, node), theme.ACCENT)
        if Overlay.NAMES in overlays:
            _add(frame, pose, labels, self._named, document.label, theme.TEXT)

    def _choose(self, document: Document, view: ViewState) -> None:
        has_sockets = Overlay.SOCKETS in view.overlays
        shown = document.shown(view)
        made_of = document.identity, document.revision, shown, has_sockets
        if made_of != self._made_of:
            self._made_of = made_of
            kept = np.flatnonzero(shown.kept[: document.model.node_count]).tolist()
            sockets = [node for node in kept if node in document.sockets]
            others = [node for node in kept if not has_sockets or node not in document.sockets]
            self._sockets, self._named = np.array(sockets, np.int64), np.array(others, np.int64)


def _add(
    frame: UiContext,
    pose: Pose,
    labels: WorldLabels,
    nodes: Nodes,
    text_of: Callable[[int], str],
    tint: theme.Color,
) -> None:
    nodes = nodes[nodes < len(pose.world)]
    chosen = np.flatnonzero(np.isin(nodes, frame.view.selection.nodes)).tolist()
    labels.add(pose.world[nodes, :3, 3], lambda index: text_of(int(nodes[index])), tint, chosen)


def socket_text(document: Document, node: int) -> str:
    """Return the name of a socket, and in a second line what it takes if that is known."""
    takes = document.takes[node]
    return (
        f"{document.label(node)}\n{_('takes {label}').format(label=takes)}" if takes else document.label(node)
    )
