"""Generated models and archives of any size, written by the project's own encoders.

Each node has a slot of its own with one batch: a bent sheet of quads. With more than one frame
every node turns between two keys, or between more if the frame map has room.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.archive import nres
from viewer.formats.msh.tables import STREAM15
from viewer.model.convert.scene import Material, Mesh, Node, Primitive, Scene, Track
from viewer.model.convert.tables import tables_of
from viewer.model.mesh.quaternions import conjugate
from viewer.model.mesh.reading import SEED

MESH_TYPE: Final = int.from_bytes(b"MESH", "little")
MATERIALS: Final = 20
CHILDREN: Final = 8
"""Children per node, while nodes remain."""
SIZES: Final = 7
"""Sizes of the sheets."""
REACH: Final = 60.0
"""Spread of the nodes around the origin, model units."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Plan:
    """The size of a generated model.

    Parameters
    ----------
    node_count
        Nodes, slots and batches.
    rows, columns
        Quads of each batch's sheet; two triangles each.
    frame_count, key_count
        Frames of the model and keys of each node; one frame means no animation.
    """

    node_count: int
    rows: int
    columns: int
    frame_count: int = 1
    key_count: int = 2

    @property
    def triangle_count(self) -> int:
        """Triangles of the whole model."""
        return 2 * self.rows * self.columns * self.node_count

    @property
    def keys_per_node(self) -> int:
        """Number of keys of each node."""
        return self.key_count if self.frame_count > 1 else 1


def make_model(plan: Plan) -> bytes:
    """A model of the planned size, in the seed reading, without unknown tables."""
    made = tables_of(make_scene(plan), SEED)
    made.missing.add(STREAM15)
    return made.build()


def make_archive(count: int, plan: Plan) -> bytes:
    """An archive of `count` entries that hold the same model."""
    model = make_model(plan)
    return nres.build(nres.NewEntry(MESH_TYPE, model, b"model_%05d.msh" % number) for number in range(count))


def make_scene(plan: Plan) -> Scene:
    """The scene of a model of the planned size."""
    points, corners = _sheet(plan)
    uvs = (points[:, :2] / 2 + 0.5).astype(np.float32)
    up = np.tile(np.array([0, 0, 1], np.float32), (len(points), 1))
    scales = [(points * (0.5 + kind / 8)).astype(np.float32) for kind in range(SIZES)]
    numbers = range(plan.node_count)
    meshes = tuple(
        Mesh(
            f"mesh_{number}",
            (Primitive(scales[number % SIZES], corners, up, uvs, material=number % MATERIALS),),
        )
        for number in numbers
    )
    tracks = _tracks(plan)
    nodes = tuple(
        Node(
            f"node_{number}",
            (number - 1) // CHILDREN if number else None,
            {(0, 0): number},
            track=track,
        )
        for number, track in enumerate(tracks)
    )
    return Scene("bench", nodes, meshes, tuple(Material(f"MATERIAL_{row}", row) for row in range(MATERIALS)))


def _sheet(plan: Plan) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Vertices (v, 3) within -1..1 and triangles (t, 3) of one batch."""
    down, across = np.mgrid[0 : plan.rows + 1, 0 : plan.columns + 1]
    x, y = 2 * across / plan.columns - 1, 2 * down / plan.rows - 1
    points = np.stack([x, y, 0.5 * (1 - x * x) * (1 - y * y)], axis=-1).reshape(-1, 3)
    row, column = np.mgrid[0 : plan.rows, 0 : plan.columns].reshape(2, -1)
    first = row * (plan.columns + 1) + column
    above = first + plan.columns + 1
    corners = np.stack([first, first + 1, above + 1, first, above + 1, above], axis=-1)
    return points, corners.reshape(-1, 3)


def _tracks(plan: Plan) -> Iterator[Track]:
    """Yield the keys of each node: its own position, and a rotation about a tilted axis from key to key."""
    spread = np.arange(plan.node_count)[:, None] * np.array([0.6180339887, 0.7548776662, 0.5698402909])
    positions = ((spread % 1 - 0.5) * REACH).astype(np.float32)
    times = np.rint(np.linspace(0, plan.frame_count - 1, plan.keys_per_node))
    angle = times / plan.frame_count
    half = np.sin(angle / 2)
    stored = np.stack([np.cos(angle / 2), half * 0.6, half * 0.0, half * 0.8], axis=-1)
    rotations = conjugate(stored).astype(np.float32)
    for position in positions:
        yield Track(times, np.tile(position, (len(times), 1)), rotations)
