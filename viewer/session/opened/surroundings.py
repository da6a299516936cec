"""Surroundings of a model: points and lines in the spaces of nodes.

Source: spec/field-notes.md 2, 5, spec/msh.md 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from viewer.formats.msh.path_graph import LIGHT_PROBE, PATH_LINK, PATH_NODE
from viewer.geometry.transforms import Doubles
from viewer.model.mesh.model import Model
from viewer.model.tables.neighbors import CONTROL_POINTS, GROUND_POINTS, ModelNeighbors, NeighborRows

SELECTED: Final[Mapping[str, str]] = {
    CONTROL_POINTS: "control_point",
    PATH_NODE.name: "path_node",
    PATH_LINK.name: "path_link",
    LIGHT_PROBE.name: "light_probe",
    GROUND_POINTS: "ground_point",
}
"""The tables whose rows are shown over the model, and the attribute of the selection that has the row."""
ARROW: Final = 0.14
"""Length of an arrow, as a share of half the image's height: that of a stored direction is a magnitude."""
NO_NODE: Final = -1
"""The node of a point in the space of the model."""
Ints = npt.NDArray[np.int64]


class Marks(Struct, frozen=True, eq=False):
    """Points over the image of a model, with arrows at them and lines between them.

    Attributes
    ----------
    table
        The table that the points are rows of; with a row for each of them.
    nodes, points
        The node in whose space each point is, (n,), `NO_NODE` for the model's own, and the point, (n, 3);
        NaN for one in the space of a node that does not exist.
    directions
        Unit vectors in the same space, (n, 3); 0 for none.
    labels
        The name of each point, (n,); empty if they have none.
    lines
        Points at the ends of each line, (k, 2).
    line_table
        The table that the lines are rows of; empty if they are rows of none.
    colors
        Red, green and blue of each point, 0 to 1, (n, 3); None if they have none.
    """

    table: str
    nodes: Ints
    points: Doubles
    directions: Doubles
    labels: tuple[str, ...] = ()
    lines: Ints = field(default_factory=lambda: np.empty((0, 2), np.int64))
    line_table: str = ""
    colors: Doubles | None = None

    @classmethod
    def of(
        cls, model: Model, table: str, nodes: npt.NDArray[Any], points: npt.NDArray[Any], **others: Any
    ) -> Marks:
        """The marks of stored points; of `directions` only where they point to counts."""
        is_known = (nodes >= 0) & (nodes < model.node_count) | (nodes == NO_NODE)
        directions = np.asarray(others.pop("directions", np.zeros_like(points)), np.float64)
        length = np.sqrt((directions**2).sum(axis=1, keepdims=True))
        is_pointing = np.isfinite(length) & (length > 0)
        unit = np.where(is_pointing, directions, 0) / np.where(is_pointing, length, 1)
        placed = np.where(is_known[:, None], points.astype(np.float64), np.nan)
        return cls(table, np.where(is_known, nodes, NO_NODE).astype(np.int64), placed, unit, **others)

    def in_world(self, world: npt.NDArray[np.float32]) -> tuple[Doubles, Doubles]:
        """Points and directions in world space, (n, 3) both, in a pose, (nodes, 4, 4)."""
        # The last matrix, which NO_NODE is the index of, is that of the model's own space.
        matrices = np.concatenate([world, np.eye(4, dtype=np.float32)[None]])[self.nodes].astype(np.float64)
        rotations, origins = matrices[:, :3, :3], matrices[:, :3, 3]
        points = np.einsum("nij,nj->ni", rotations, self.points) + origins
        return points, np.einsum("nij,nj->ni", rotations, self.directions)


def marks_of(model: Model, neighbors: ModelNeighbors) -> dict[str, Marks]:
    """The marks that can be shown over a model, by the table of their points."""
    return {marks.table: marks for marks in _marks(model, neighbors.tables)}


def _marks(model: Model, neighbors: Mapping[str, NeighborRows]) -> Iterator[Marks]:
    points, corners = neighbors.get(CONTROL_POINTS), neighbors.get(GROUND_POINTS)
    if points is not None:
        yield Marks.of(
            model,
            CONTROL_POINTS,
            points.rows["nodes"][:, 0],
            points.rows["position"],
            directions=points.rows["direction"],
            labels=points.labels,
        )
    places, links = (model.tables.get(it.name) for it in (PATH_NODE, PATH_LINK))
    if places is not None and isinstance(places.rows, np.ndarray):
        ends = np.empty((0, 2), np.int64)
        if links is not None and isinstance(links.rows, np.ndarray):
            ends = np.stack([links.rows["start"], links.rows["end"]], axis=1).astype(np.int64)
        nodes = places.rows["node"].view(np.int32)  # 0xFFFFFFFF, for none, is -1
        yield Marks.of(
            model, PATH_NODE.name, nodes, places.rows["position"], lines=ends, line_table=PATH_LINK.name
        )
    probes = model.tables.get(LIGHT_PROBE.name)
    if probes is not None and isinstance(probes.rows, np.ndarray):
        yield Marks.of(
            model,
            LIGHT_PROBE.name,
            probes.rows["node"],
            probes.rows["position"],
            directions=probes.rows["direction"],
            colors=np.clip(np.nan_to_num(probes.rows["color"][:, :3]), 0, 1),
        )
    if corners is not None:
        count = len(corners.rows)
        ends = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
        # Not from the last point of a ring to the first of the next one.
        inside = ~np.isin(ends[:, 1], [part.start for part in corners.parts])
        nodes = np.full(count, NO_NODE)
        yield Marks.of(model, GROUND_POINTS, nodes, corners.rows["position"], lines=ends[inside])
