"""The header with the bounds of a model as it stands at time 0.

The arithmetic is elementwise and in double precision, so that every machine gives the same bytes.

Source: spec/msh.md 3; spec/field-notes.md 1.1, 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from viewer.formats.msh.keys import QuaternionOrder, decode_quaternion
from viewer.formats.msh.nodes import FLAG_COCKPIT
from viewer.formats.msh.slots import HEADER
from viewer.formats.msh.tracks import Pool
from viewer.formats.record import Rows
from viewer.geometry.bounds import Bounds
from viewer.geometry.transforms import Doubles
from viewer.model.convert.building.geometry import Geometry
from viewer.model.edit.geometry.measures import header_of, rounded_up
from viewer.model.mesh.animation import rotations
from viewer.model.mesh.draws import Indices, chunks, expand
from viewer.model.mesh.skeleton import levels_of

FIRST_CELL = (0, 0)
LARGEST = float(np.finfo(np.float32).max) / 4
"""Bounds of models that reach further are cut, so that all of their numbers are finite."""
AT_ONCE = 1 << 14
"""Vertices that are posed together; limits the memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The vertices that a model shows first, in its rest pose.

    Attributes
    ----------
    positions
        Vertices in the space of their nodes, (v, 3).
    start, count
        First vertex that each shown node has, and their number, (n,), none of them zero.
    rotation, position
        ``world_from_node`` of each shown node, (n, 3, 3) and (n, 3).
    """

    positions: npt.NDArray[np.float32]
    start: Indices
    count: Indices
    rotation: Doubles
    position: Doubles

    @classmethod
    def still(cls, positions: npt.NDArray[np.float32]) -> Shown:
        """Vertices that are in the model's space already."""
        count = np.array([len(positions)])
        return cls(positions, np.zeros(1, np.int64), count[count > 0], np.eye(3)[None], np.zeros((1, 3)))

    @property
    def header(self) -> Rows:
        """The header around them, one row, zero without any; the sphere is as small as its center allows."""
        boxes = [Bounds.of(points) for points in self._points()]
        bounds = reduce(Bounds.union, filter(None, boxes)) if boxes else None
        if bounds is None:
            return HEADER.new()
        made = header_of(Bounds(np.maximum(bounds.low, -LARGEST), np.minimum(bounds.high, LARGEST)))
        center = made["sphere_center"].astype(np.float64)
        reach = np.sqrt(max(((points - center) ** 2).sum(axis=1).max() for points in self._points()))
        made["sphere_radius"] = rounded_up(min(reach, LARGEST))
        return made

    def _points(self) -> Iterator[Doubles]:
        """Yield the vertices of some nodes at a time in the model's space, (k, 3)."""
        pieces = -(-self.count // AT_ONCE)
        whose = np.repeat(np.arange(len(pieces)), pieces)
        first = AT_ONCE * expand(np.zeros_like(pieces), pieces)
        start, count = self.start[whose] + first, np.minimum(self.count[whose] - first, AT_ONCE)
        for some in chunks(count, AT_ONCE):
            points = self.positions[expand(start[some], count[some])].astype(np.float64)
            node = np.repeat(whose[some], count[some])
            turned = self.rotation[node]
            x, y, z = (turned[:, :, axis] * points[:, axis, None] for axis in range(3))
            yield x + y + z + self.position[node]


def shown_first(
    geometry: Geometry,
    cells: Sequence[Mapping[tuple[int, int], int]],
    parents: Sequence[int],
    nodes: Rows,
    pool: Pool,
    order: QuaternionOrder,
) -> Shown:
    """What row 0, column 0 shows at time 0, without cockpits."""
    shown = [
        (row, found[FIRST_CELL])
        for row, found in enumerate(cells)
        if FIRST_CELL in found and not nodes["flags"][row] & FLAG_COCKPIT
    ]
    row, slot = np.array(shown, np.int64).reshape(-1, 2).T
    first = geometry.slots["batch_start"][slot].astype(np.int64)
    start = geometry.vertex_starts[first]
    count = geometry.vertex_starts[first + geometry.slots["batch_count"][slot]] - start
    turned, moved = _world(parents, pool, order)
    row, start, count = row[count > 0], start[count > 0], count[count > 0]
    return Shown(geometry.positions, start, count, turned[row], moved[row])


def _world(parents: Sequence[int], pool: Pool, order: QuaternionOrder) -> tuple[Doubles, Doubles]:
    """Rotations (n, 3, 3) and positions (n, 3) of all nodes at time 0, from the stored keys."""
    first = np.concatenate(([0], pool.fallbacks.astype(np.int64) + 1))[: len(parents)]
    keys = pool.keys[first]
    turned = rotations(decode_quaternion(keys["quaternion"], order).astype(np.float64))
    moved = keys["position"].astype(np.float64)
    parent = np.array(parents, np.int64)
    for rows in levels_of(parent)[1:]:
        above = turned[parent[rows]]
        moved[rows] = (above * moved[rows][:, None]).sum(axis=2) + moved[parent[rows]]
        turned[rows] = (above[..., None] * turned[rows][:, None]).sum(axis=2)
    return turned, moved
