"""Generated models and archives of any size, written by the project's own encoders.

Each node has a slot of its own with one batch: a bent sheet of quads. With more than one frame
every node turns between two keys, or between more if the frame map has room.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.archive import nres
from viewer.formats.msh import (
    container,
    frame_map,
    keys,
    nodes,
    normals,
    slots,
    strings,
    tables,
    texcoords,
    triangles,
)
from viewer.formats.msh.batches import BATCH
from viewer.formats.record import Rows
from viewer.geometry.bounds import Bounds
from viewer.model.mesh.model import Model
from viewer.session.opened.document import Document
from viewer.session.view.view_state import ViewState

MESH_TYPE: Final = int.from_bytes(b"MESH", "little")
MATERIALS: Final = 20
CHILDREN: Final = 8
"""Children per node, while nodes remain."""
REACH: Final = 60.0
"""Spread of the nodes around the origin, model units."""
MOST_DESCRIPTORS: Final = 0xFFFF
"""Most descriptors that a slot can address: its first one is stored in 16 bits."""

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
    """A model of the planned size, in the seed reading, with correct bounds."""
    model = Model.read(container.build(_payloads(plan), frame_count=plan.frame_count))
    document = Document.of("", model)
    bounds = document.bounds(document.animation.pose(0.0), ViewState())
    if bounds is None:
        return bytes(model.archive.data)
    slots_payload = bytes(model.payload(tables.SLOTS)[slots.HEADER.size :])
    return model.encode({tables.SLOTS: _header(bounds) + slots_payload})


def make_archive(count: int, plan: Plan) -> bytes:
    """An archive of `count` entries that hold the same model."""
    model = make_model(plan)
    return nres.build(nres.NewEntry(MESH_TYPE, model, b"model_%05d.msh" % number) for number in range(count))


def _payloads(plan: Plan) -> dict[int, bytes]:
    """The payload of each table, with an empty header."""
    points, corners = _sheet(plan)
    count = plan.node_count
    scale = 0.5 + (np.arange(count) % 7)[:, None, None] / 8
    positions = (points * scale).astype("<f4")
    uvs = points[:, :2] / 2 + 0.5
    up = np.tile((0.0, 0.0, 1.0), (len(points), 1))
    has_descriptors = plan.triangle_count <= MOST_DESCRIPTORS
    sheet_slots = _slots(positions, len(corners) if has_descriptors else 0)
    return {
        tables.NODES: _nodes(plan).tobytes(),
        tables.SLOTS: slots.HEADER.new().tobytes() + sheet_slots.tobytes(),
        tables.POSITIONS: positions.tobytes(),
        tables.NORMALS: np.tile(normals.encode(up), (count, 1)).tobytes(),
        tables.UVS: np.tile(texcoords.encode(uvs), (count, 1)).tobytes(),
        tables.BATCHES: _batches(count, len(points), corners.size).tobytes(),
        tables.INDICES: np.tile(corners.reshape(-1), count).astype("<u2").tobytes(),
        tables.TRIANGLES: _descriptors(plan.triangle_count if has_descriptors else 0).tobytes(),
        tables.KEYS: _keys(plan).tobytes(),
        tables.FRAME_MAP: _frame_map(plan).tobytes(),
        tables.STRINGS: strings.build(b"node_%d" % node for node in range(count)),
    }


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


def _nodes(plan: Plan) -> Rows:
    numbers = np.arange(plan.node_count)
    rows = nodes.NODE.new(plan.node_count)
    rows["parent"] = (numbers - 1) // CHILDREN
    rows["parent"][:1] = nodes.NONE
    is_animated = plan.frame_count > 1
    rows["map_start"] = numbers * plan.frame_count if is_animated else nodes.NONE
    rows["fallback_key"] = (numbers + 1) * plan.keys_per_node - 1
    rows["slots"] = nodes.NONE
    rows["slots"][:, 0, 0] = numbers
    return rows


def _slots(positions: npt.NDArray[np.float32], triangle_count: int) -> Rows:
    """A slot per node over the positions (n, v, 3) of its batch; `triangle_count` is that of one batch."""
    rows = slots.SLOT.new(len(positions))
    rows["batch_start"], rows["batch_count"] = np.arange(len(rows)), 1
    rows["tri_start"], rows["tri_count"] = np.arange(len(rows)) * triangle_count, triangle_count
    low, high = positions.min(axis=1), positions.max(axis=1)
    rows["aabb_min"], rows["aabb_max"] = low, high
    rows["sphere_center"] = (low + high) / 2
    rows["sphere_radius"] = np.linalg.norm(high - low, axis=1) / 2
    return rows


def _batches(count: int, vertex_count: int, index_count: int) -> Rows:
    numbers = np.arange(count)
    rows = BATCH.new(count)
    rows["material"] = numbers % MATERIALS
    rows["index_count"], rows["index_start"] = index_count, numbers * index_count
    rows["base_vertex"], rows["opaque14"] = numbers * vertex_count, vertex_count
    return rows


def _descriptors(count: int) -> Rows:
    rows = triangles.TRIANGLE.new(count)
    rows["links"] = triangles.NONE
    rows["normal"] = (0, 0, triangles.SCALE)
    rows["selectors"] = triangles.ALL_NONE
    return rows


def _keys(plan: Plan) -> Rows:
    """Keys of each node: its own position, and a rotation about a tilted axis from key to key."""
    spread = np.arange(plan.node_count)[:, None] * np.array([0.6180339887, 0.7548776662, 0.5698402909])
    position = (spread % 1 - 0.5) * REACH
    time = _key_times(plan)
    angle = np.tile(time / plan.frame_count, plan.node_count)
    half = np.sin(angle / 2)
    rows = keys.KEY.new(len(angle))
    rows["position"] = np.repeat(position, plan.keys_per_node, axis=0)
    rows["time"] = np.tile(time, plan.node_count)
    quaternion = np.stack([np.cos(angle / 2), half * 0.6, half * 0.0, half * 0.8], axis=-1)
    rows["quaternion"] = keys.encode_quaternion(quaternion, keys.QuaternionOrder.XYZW)
    return rows


def _key_times(plan: Plan) -> Floats:
    """Whole frames from the first to the last."""
    return np.rint(np.linspace(0, plan.frame_count - 1, plan.keys_per_node))


def _frame_map(plan: Plan) -> npt.NDArray[np.uint16]:
    if plan.frame_count == 1:
        return np.empty(0, np.uint16)
    block = frame_map.encode_block(_key_times(plan), 0, plan.frame_count)
    first = np.arange(plan.node_count)[:, None] * plan.keys_per_node
    return (first + block).astype("<u2").reshape(-1)


def _header(bounds: Bounds) -> bytes:
    """The header of Res2 from the posed box."""
    low, high, center = bounds.low, bounds.high, bounds.center
    row = slots.HEADER.new()
    row["hull"] = bounds.corners
    row["sphere_center"], row["sphere_radius"] = center, bounds.diagonal / 2
    row["capsule_a"], row["capsule_b"] = (*center[:2], low[2]), (*center[:2], high[2])
    row["capsule_radius"] = np.linalg.norm(bounds.size[:2]) / 2
    return row.tobytes()
