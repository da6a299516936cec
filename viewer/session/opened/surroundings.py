"""What is around a model: tables of its neighbors, and points and lines in the spaces of its nodes.

Source: spec/field-notes.md 2, 5, spec/msh.md 9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass, field
from viewer.errors import MshviewError
from viewer.formats.msh.path_graph import LIGHT_PROBE, PATH_LINK, PATH_NODE
from viewer.formats.neighbors import control_points, damage, ground_plan
from viewer.formats.record import Record, Rows
from viewer.formats.text import decode
from viewer.geometry.transforms import Doubles
from viewer.model.mesh.model import Model
from viewer.model.mesh.row_tables import NamedRows
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.model.store.place import Place

CONTROL_POINTS: Final = "control_points.points"
DAMAGE: Final = "damage.nodes"
GROUND_POINTS: Final = "ground_plan.points"
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


class NeighborPart(NamedTuple):
    """A table of a neighbor: its path, and its first row among those of its parts."""

    path: str
    start: int


@dataclass(frozen=True, slots=True, eq=False)
class NeighborRows(NamedRows):
    """Rows of a neighbor: of one table, or of several tables of one record.

    Parameters
    ----------
    address
        Its address.
    parts
        Its tables.
    labels
        The name of each row; empty if rows have none.
    """

    rows: Rows
    record: Record
    address: Address = CURRENT
    parts: tuple[NeighborPart, ...] = ()
    labels: tuple[str, ...] = ()

    def place(self, row: int) -> Place:
        """The place of a row in the neighbor."""
        part = max((it for it in self.parts if it.start <= row), key=lambda it: it.start)
        return Place(self.address, part.path, row - part.start)


@dataclass(frozen=True, slots=True, eq=False)
class ModelNeighbors:
    """The tables of the neighbors of a model, by name; those without rows are left out.

    Attributes
    ----------
    made_of
        What tells two revisions apart.
    """

    tables: Mapping[str, NeighborRows] = field(default_factory=lambda: MappingProxyType({}))
    made_of: tuple[int, ...] = ()


def neighbors_of(library: FileStore, model: Item) -> ModelNeighbors:
    """The neighbors of a model; what cannot be read is left out."""
    tables: dict[str, NeighborRows] = {}
    values: list[int] = []
    readers: tuple[tuple[str, Any, Callable[[Address, Any], NeighborRows]], ...] = (
        (".cpt", control_points, _control_points),
        (".ndp", damage, _damage),
        (".bas", ground_plan, _ground_plan),
    )
    for suffix, form, read in readers:
        with suppress(MshviewError):
            item = library.sibling(model, suffix)
            if item is not None:
                value = item.decoded(form.decode)
                table = read(item.address, value)
                values.append(id(value))
                tables |= {table.name: table} if len(table.rows) else {}
    return ModelNeighbors(MappingProxyType(tables), tuple(values))


def _control_points(address: Address, value: control_points.ControlPoints) -> NeighborRows:
    labels = tuple(decode(name) for name in value.names)
    record = control_points.POINT
    parts = (NeighborPart(record.name, 0),)
    return NeighborRows(CONTROL_POINTS, value.points, record, address, parts, labels)


def _damage(address: Address, value: damage.Damage) -> NeighborRows:
    record = damage.NODE_DAMAGE
    return NeighborRows(DAMAGE, value.rows, record, address, (NeighborPart(record.name, 0),))


def _ground_plan(address: Address, value: ground_plan.GroundPlan) -> NeighborRows:
    rings, record = [ring.point_rows for ring in value.rings], ground_plan.POINT
    starts = np.cumsum([0, *map(len, rings)]).tolist()
    places = [
        f"{name}[{index}].{record.name}"
        for name, rows in ((ground_plan.INNER, value.inner), (ground_plan.OUTER, value.outer))
        for index in range(len(rows))
    ]
    parts = (NeighborPart(place, start) for place, start in zip(places, starts, strict=False))
    rows = np.concatenate(rings) if rings else record.new(0)
    return NeighborRows(GROUND_POINTS, rows, record, address, tuple(parts))


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
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
    """What can be shown over a model, by the table of its points."""
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
