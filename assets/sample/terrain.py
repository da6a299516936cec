"""A tiny map: sixteen tiles of hills around a pond, in two levels of detail and two layers of material."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from viewer.formats.archive.nres import NewEntry, build
from viewer.formats.msh import nodes, tables, terrain, triangles, vertices
from viewer.formats.record import Bytes, Rows
from viewer.geometry.transforms import Indices
from viewer.model.convert.building.geometry import measured
from viewer.model.convert.building.motion import VisibleVertices
from viewer.model.edit.geometry.links import Edges, linked
from viewer.model.edit.geometry.slot_triangles import SlotTriangles

TILES = 4
TILE_SIZE = 40.0
FINE, COARSE = 6, 2
"""Squares along a tile's side, by level of detail."""

WATER_LEVEL = 1.5
ROCK_FROM = 0.57
"""Slope from which the ground is rock, as rise per unit of way."""
MATERIALS = ("GRASS", "ROCK", "SAND")
"""Rows of both wear tables."""

GRASS, ROCK, SAND = range(3)
HAS_MICROTEXTURE = 0x400
NEW_BATCH = 0x0010

Points = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Level:
    """Vertices of one level of detail as a square grid, and faces tile by tile."""

    points: Points
    faces: Indices
    faces_per_tile: int


def height(x: Points, y: Points) -> Points:
    """Hills, a ridge and a hollow, in model units; same shape as the inputs."""
    u, v = x / (TILES * TILE_SIZE), y / (TILES * TILE_SIZE)
    crest = 0.7 + 0.06 * np.sin(7 * v)
    ridge = 27 * np.exp(-((u - crest) ** 2) / 0.012 - (v - 0.62) ** 2 / 0.09) * (1 + 0.25 * np.sin(16 * v))
    knoll = 11 * np.exp(-((u - 0.16) ** 2 + (v - 0.8) ** 2) / 0.012)
    hollow = -10 * np.exp(-((u - 0.33) ** 2 + (v - 0.36) ** 2) / 0.022)
    waves = 1.6 * np.sin(9 * u + 1) * np.cos(8 * v) + 0.8 * np.sin(21 * u) * np.sin(19 * v + 2)
    rounded: Points = np.round((6 + ridge + knoll + hollow + waves) * 64) / 64
    return rounded


def _level(squares: int) -> _Level:
    side = TILES * squares
    steps = np.arange(side + 1) * (TILE_SIZE / squares)
    x, y = np.meshgrid(steps, steps, indexing="ij")
    points = np.stack([x, y, height(x, y)], axis=-1).reshape(-1, 3)
    faces = []
    for tile in range(TILES * TILES):
        ix, iy = divmod(tile, TILES)
        for square in range(squares * squares):
            dx, dy = divmod(square, squares)
            corner = (ix * squares + dx) * (side + 1) + iy * squares + dy
            across, up = corner + side + 1, corner + 1
            faces += [(corner, across, across + 1), (corner, across + 1, up)]
    return _Level(points, np.array(faces), 2 * squares * squares)


def land_msh() -> bytes:
    """``Land.msh``: tables in the order of retail maps."""
    levels = (_level(FINE), _level(COARSE))
    positions = np.concatenate([level.points for level in levels])
    starts = (0, len(levels[0].points))
    faces = np.concatenate([level.faces + start for level, start in zip(levels, starts, strict=True)])
    payloads: dict[int, Bytes] = {
        tables.NODES: _nodes().tobytes(),
        tables.SLOTS: VisibleVertices.still(positions.astype(np.float32)).header.tobytes()
        + _slots(levels, positions, faces).tobytes(),
        tables.POSITIONS: positions.astype("<f4").tobytes(),
        tables.NORMALS: vertices.encode_normals(_vertex_normals(positions, faces)).tobytes(),
        tables.UVS: vertices.encode_uvs((positions[:, :2] * (1, -1) + (0, TILES * TILE_SIZE)) / 20).tobytes(),
        tables.STREAM18: vertices.encode_uvs(positions[:, 1::-1] / 14 % 16).tobytes(),
        tables.STREAM14: _weights(positions).tobytes(),
        tables.DRAW_LIST: _draw_list(len(faces)).tobytes(),
        tables.FACES: _faces(positions, faces, len(levels[0].faces)).tobytes(),
    }
    return build(_entry(type_id, payload) for type_id, payload in payloads.items())


def _entry(type_id: int, payload: Bytes) -> NewEntry:
    attributes = tables.attributes(type_id, len(payload), node_count=TILES * TILES, frame_count=1)
    if type_id == tables.NODES:
        attributes = (attributes[0], TILES, attributes[2])
    return NewEntry(type_id, payload, b"Res%d" % type_id, *attributes)


def _nodes() -> Rows:
    rows = nodes.NODE.new(TILES * TILES)
    rows["parent"] = rows["map_start"] = rows["slots"] = nodes.NONE
    for tile in range(len(rows)):
        rows["slots"][tile][0, :2] = tile, len(rows) + tile
    return rows


def _slots(levels: tuple[_Level, _Level], positions: Points, faces: Indices) -> Rows:
    """A slot for each tile of each level."""
    counts = np.repeat([level.faces_per_tile for level in levels], TILES * TILES)
    slot = np.repeat(np.arange(len(counts)), counts)
    rows = measured(_triangles(positions, faces, slot))
    rows["tri_start"], rows["tri_count"] = np.cumsum(counts) - counts, counts
    return rows


def _triangles(positions: Points, faces: Indices, slot: Indices) -> SlotTriangles:
    numbers, slots = np.arange(len(faces), dtype=np.int32), slot.astype(np.int32)
    corners, points = faces.astype(np.int32), positions.astype(np.float32)
    return SlotTriangles(int(slot[-1]) + 1, slots, slots, numbers, corners, numbers, points)


def _face_normals(positions: Points, faces: Indices) -> Points:
    a, b, c = (positions[faces[:, corner]] for corner in range(3))
    raw: Points = np.cross(b - a, c - a)
    return raw


def _vertex_normals(positions: Points, faces: Indices) -> Points:
    total = np.zeros_like(positions)
    for corner in range(3):
        np.add.at(total, faces[:, corner], _face_normals(positions, faces))
    unit: Points = np.round(total / np.linalg.norm(total, axis=1, keepdims=True), 6)
    return unit


def _draw_list(count: int) -> Rows:
    """Every face in order; the first word of each tile starts a batch."""
    rows = terrain.DRAW.new(count)
    rows["face"] = np.arange(count)
    rows["flags"] = 0x0048
    fine = 2 * FINE * FINE
    rows["flags"][: fine * TILES * TILES : fine] |= NEW_BATCH
    return rows


def _faces(positions: Points, faces: Indices, fine_count: int) -> Rows:
    rows = terrain.FACE.new(len(faces))
    raw = _face_normals(positions, faces)
    unit = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    first, second = _layers(_ground(positions)[faces])
    rows["flags"] = HAS_MICROTEXTURE
    rows["material_a"], rows["material_b"], rows["opaque6"] = first, second, 0xFFFF
    rows["vertices"], rows["normal"] = faces, triangles.encode_normal(unit)
    level = (np.arange(len(faces)) >= fine_count).astype(np.int64)
    edges = Edges.of(_triangles(positions, faces, level), len(faces))
    rows["neighbours"], rows["edges"] = linked(*edges.neighbors())
    return rows


def _ground(positions: Points) -> Indices:
    """Material at each vertex: sand by the water, rock where the hills are steep, at both levels alike."""
    steep = _slope(positions[:, 0], positions[:, 1]) > ROCK_FROM
    return np.where(positions[:, 2] < WATER_LEVEL + 2.0, SAND, np.where(steep, ROCK, GRASS))


def _slope(x: Points, y: Points) -> Points:
    """Rise per unit of way where the hills rise the most; same shape as the inputs."""
    step = TILE_SIZE / FINE
    along_x, along_y = height(x + step, y) - height(x - step, y), height(x, y + step) - height(x, y - step)
    rise: Points = np.hypot(along_x, along_y) / (2 * step)
    return rise


def _weights(positions: Points) -> npt.NDArray[np.float32]:
    """Weight of the first layer at each vertex: of the grass, where it meets something else."""
    weight: npt.NDArray[np.float32] = np.where(_ground(positions) == GRASS, 1, 0).astype("<f4")
    return weight


def _layers(corners: Indices) -> tuple[Indices, Indices]:
    """Both materials of faces with these at their corners, (n, 3): grass lies over what it meets."""
    other = corners.max(axis=1)
    is_mixed = (corners.min(axis=1) == GRASS) & (other != GRASS)
    return np.where(is_mixed, GRASS, other), np.where(is_mixed, other, terrain.NO_LAYER)
