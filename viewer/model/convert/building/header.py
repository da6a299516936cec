"""The header with the bounds of a model as it stands at time 0.

The arithmetic is elementwise and in double precision, so that every machine gives the same bytes.

Source: spec/msh.md 3; spec/field-notes.md 1.1, 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from viewer.formats.msh.keys import QuaternionOrder, decode_quaternion
from viewer.formats.msh.nodes import FLAG_COCKPIT
from viewer.formats.msh.slots import HEADER
from viewer.formats.msh.tracks import Pool
from viewer.formats.record import Rows
from viewer.geometry.bounds import Bounds
from viewer.model.convert.building.geometry import Geometry
from viewer.model.edit.geometry.bounds import header_of
from viewer.model.mesh.animation import rotations
from viewer.model.mesh.skeleton import ROOT

Doubles = npt.NDArray[np.float64]
FIRST_CELL = (0, 0)


def header_row(
    geometry: Geometry,
    cells: Sequence[Mapping[tuple[int, int], int]],
    parents: Sequence[int],
    nodes: Rows,
    pool: Pool,
    order: QuaternionOrder,
) -> Rows:
    """The header, one row; zero if row 0, column 0 shows nothing."""
    turned, moved = _world(parents, pool, order)
    posed = [
        _posed(geometry.points(found[FIRST_CELL]), turned[row], moved[row])
        for row, found in enumerate(cells)
        if FIRST_CELL in found and not nodes["flags"][row] & FLAG_COCKPIT
    ]
    return enclosing(np.concatenate([np.empty((0, 3)), *posed]))


def enclosing(points: Doubles) -> Rows:
    """The header around points (n, 3), one row, zero without any; the sphere is as small as can be."""
    bounds = Bounds.of(points)
    if bounds is None:
        return HEADER.new()
    made = header_of(bounds)
    away = points - made["sphere_center"].astype(np.float64)
    reach = np.sqrt((away * away).sum(axis=1).max())
    radius = np.float32(reach)
    made["sphere_radius"] = radius if radius >= reach else np.nextafter(radius, np.float32(np.inf))
    return made


def _world(parents: Sequence[int], pool: Pool, order: QuaternionOrder) -> tuple[Doubles, Doubles]:
    """Rotations (n, 3, 3) and positions (n, 3) of all nodes at time 0, from the stored keys."""
    first = np.concatenate(([0], pool.fallbacks.astype(np.int64) + 1))[: len(parents)]
    keys = pool.keys[first]
    turned = rotations(decode_quaternion(keys["quaternion"], order).astype(np.float64))
    moved = keys["position"].astype(np.float64)
    for row, parent in enumerate(parents):
        if parent != ROOT:
            above = turned[parent]
            moved[row] = (above * moved[row]).sum(axis=1) + moved[parent]
            turned[row] = (above[:, :, None] * turned[row][None]).sum(axis=1)
    return turned, moved


def _posed(points: npt.NDArray[np.float32], rotation: Doubles, position: Doubles) -> Doubles:
    x, y, z = (points[:, [axis]].astype(np.float64) for axis in range(3))
    columns = rotation.T
    posed: Doubles = x * columns[0] + y * columns[1] + z * columns[2] + position
    return posed
