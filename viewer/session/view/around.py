"""The overlays of what is around a model, which `inspect` reads without any view."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from viewer.formats.msh.path_graph import LIGHT_PROBE, PATH_NODE
from viewer.model.mesh.model import Model
from viewer.model.tables.neighbors import CONTROL_POINTS, GROUND_POINTS, ModelNeighbors
from viewer.session.opened.surroundings import Marks, marks_of
from viewer.session.view.overlays import Overlay

AROUND: Final[Mapping[Overlay, str]] = {
    Overlay.CONTROL_POINTS: CONTROL_POINTS,
    Overlay.PATH_GRAPH: PATH_NODE.name,
    Overlay.LIGHT_PROBES: LIGHT_PROBE.name,
    Overlay.GROUND_PLAN: GROUND_POINTS,
}
"""The overlays, and the tables that their points are rows of."""


def shown_marks(model: Model, neighbors: ModelNeighbors, overlays: Collection[Overlay]) -> tuple[Marks, ...]:
    """The marks of the overlays that are shown."""
    if not any(overlay in overlays for overlay in AROUND):
        return ()
    known = marks_of(model, neighbors)
    return tuple(known[it] for overlay, it in AROUND.items() if overlay in overlays and it in known)
