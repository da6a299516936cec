"""A tiny map: sixteen tiles of hills around a pond, in two levels of detail.

Both materials of a face are rows of Land1.wea, Land2.wea names the microtexture of each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from viewer.formats.archive.nres import NewEntry, build
from viewer.formats.msh import nodes, tables, terrain, triangles, vertices
from viewer.formats.msh.terrain import FLAG_MICROTEXTURE, FLAG_WATER, NO_LAYER, SURFACE_WATER
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
BED_TO = 2.6
"""Height above the water to which the bed fades out."""
ROCK_FROM, ROCK_TO = 0.5, 0.95
"""Slopes between which the ground turns to rock, as rise per unit of way."""
BROAD, GRAIN = 200.0, 20.0
"""Units for a turn of the textures of the materials, and of their microtextures."""
MATERIALS = ("GRASS", "ROCK", "BED", "WATER")
"""Rows of Land1.wea."""
MICROTEXTURES = ("GRAIN", "GRAVEL", "GRAIN", "WATER")
"""Rows of Land2.wea: the materials whose second blocks are the microtextures of the same rows."""

GRASS, ROCK, BED, WATER = range(4)
EVERYWHERE, SECOND, UNDER_WATER, NO_LAVA = 0x0200, 0x0004, 0x2000, 0x100000
"""Flags of faces: of all, with a second material, of a bed under a liquid, of what is not lava."""
LISTED, NEW_BATCH = 0x0048, 0x0010

Points = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Level:
    """Vertices and faces of one level of detail, the faces tile by tile.

    `tile` is the tile of each face, `is_water` says whether it is of the water that lies over the ground.
    """

    points: Points
    faces: Indices
    tile: Indices
    is_water: npt.NDArray[np.bool_]


def height(x: Points, y: Points) -> Points:
    """Hills, a ridge and a hollow, in model units; same shape as the inputs."""
    u, v = x / (TILES * TILE_SIZE), y / (TILES * TILE_SIZE)
    crest = 0.7 + 0.06 * np.sin(7 * v)
    ridge = 27 * np.exp(-((u - crest) ** 2) / 0.012 - (v - 0.62) ** 2 / 0.09) * (1 + 0.25 * np.sin(16 * v))
    knoll = 11 * np.exp(-((u - 0.16) ** 2 + (v - 0.8) ** 2) / 0.012)
    hollow = -11 * np.exp(-((u - 0.33) ** 2 + (v - 0.36) ** 2) / 0.03)
    waves = 1.6 * np.sin(9 * u + 1) * np.cos(8 * v) + 0.8 * np.sin(21 * u) * np.sin(19 * v + 2)
    rounded: Points = np.round((6 + ridge + knoll + hollow + waves) * 64) / 64
    return rounded


def _level(squares: int) -> _Level:
    side = TILES * squares
    steps = np.arange(side + 1) * (TILE_SIZE / squares)
    x, y = np.meshgrid(steps, steps, indexing="ij")
    ground = np.stack([x, y, height(x, y)], axis=-1).reshape(-1, 3)
    column, row = (it.ravel() for it in np.meshgrid(np.arange(side), np.arange(side), indexing="ij"))
    corner = column * (side + 1) + row
    across, up = corner + side + 1, corner + 1
    faces = np.stack([corner, across, across + 1, corner, across + 1, up], axis=1).reshape(-1, 3)
    tile = np.repeat(column // squares * TILES + row // squares, 2)
    # The water lies over every square that reaches below it, so that the ground makes the line of the shore.
    is_wet = np.repeat(ground[faces, 2].min(axis=1).reshape(-1, 2).min(axis=1) < WATER_LEVEL, 2)
    used, water = np.unique(faces[is_wet], return_inverse=True)
    surface = ground[used] * (1, 1, 0) + (0, 0, WATER_LEVEL)
    every = np.concatenate([faces, water.reshape(-1, 3) + len(ground)])
    of_tile = np.concatenate([tile, tile[is_wet]])
    order = np.argsort(of_tile, kind="stable")
    is_water = np.arange(len(every)) >= len(faces)
    return _Level(np.concatenate([ground, surface]), every[order], of_tile[order], is_water[order])


def land_msh() -> bytes:
    """``Land.msh``: tables in the order of retail maps."""
    levels = (_level(FINE), _level(COARSE))
    positions = np.concatenate([level.points for level in levels])
    starts = (0, len(levels[0].points))
    faces = np.concatenate([level.faces + start for level, start in zip(levels, starts, strict=True)])
    is_water = np.concatenate([level.is_water for level in levels])
    slot = np.concatenate([level.tile + TILES * TILES * number for number, level in enumerate(levels)])
    rows = _faces(positions, faces, slot, is_water)
    flat = positions[:, :2] * (1, -1)
    payloads: dict[int, Bytes] = {
        tables.NODES: _nodes().tobytes(),
        tables.SLOTS: VisibleVertices.still(positions.astype(np.float32)).header.tobytes()
        + _slots(positions, faces, slot).tobytes(),
        tables.POSITIONS: positions.astype("<f4").tobytes(),
        tables.NORMALS: vertices.encode_normals(_vertex_normals(positions, faces)).tobytes(),
        tables.UVS: vertices.encode_uvs(flat / BROAD).tobytes(),
        tables.STREAM18: vertices.encode_uvs(flat / GRAIN).tobytes(),
        tables.STREAM14: _shares(positions).max(axis=1).astype("<f4").tobytes(),
        tables.DRAW_LIST: _draw_list(rows, slot).tobytes(),
        tables.FACES: rows.tobytes(),
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


def _slots(positions: Points, faces: Indices, slot: Indices) -> Rows:
    """A slot for each tile of each level."""
    counts = np.bincount(slot)
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


def _draw_list(faces: Rows, slot: Indices) -> Rows:
    """The faces of each slot in the fewest batches of equal materials."""
    word = slot << 16 | faces["material_a"].astype(np.int64) << 8 | faces["material_b"]
    order = np.argsort(word, kind="stable")
    rows = terrain.DRAW.new(len(order))
    rows["face"], rows["flags"] = order, LISTED
    rows["flags"][np.flatnonzero(np.diff(word[order], prepend=-1))] |= NEW_BATCH
    return rows


def _faces(positions: Points, faces: Indices, slot: Indices, is_water: npt.NDArray[np.bool_]) -> Rows:
    rows = terrain.FACE.new(len(faces))
    raw = _face_normals(positions, faces)
    unit = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    first, second = _materials(_shares(positions)[faces])
    first[is_water], second[is_water] = WATER, NO_LAYER
    is_bed = ~is_water & (positions[faces, 2] < WATER_LEVEL).all(axis=1)
    rows["flags"] = EVERYWHERE | FLAG_MICROTEXTURE | NO_LAVA
    for flags, is_set in (
        (SECOND, second != NO_LAYER),
        (UNDER_WATER, is_bed),
        (FLAG_WATER | SURFACE_WATER, is_water),
    ):
        rows["flags"][is_set] |= flags
    rows["material_a"], rows["material_b"], rows["opaque6"] = first, second, 0xFFFF
    rows["vertices"], rows["normal"] = faces, triangles.encode_normal(unit)
    # Faces are neighbors within a level, the water apart from the ground.
    sheet = (slot >= TILES * TILES) * 2 + is_water
    edges = Edges.of(_triangles(positions, faces, sheet.astype(np.int64)), len(faces))
    rows["neighbours"], rows["edges"] = linked(*edges.neighbors())
    return rows


def _shares(positions: Points) -> Points:
    """Shares of rock and of the bed over the grass at each vertex, (n, 2)."""
    above = positions[:, 2] - WATER_LEVEL
    bed = 1 - _smooth(above, 0.6, BED_TO)
    rock = _smooth(_slope(positions[:, 0], positions[:, 1]), ROCK_FROM, ROCK_TO)
    # Rock keeps away from the shore: the opacity of a vertex is that of one second material alone.
    shares: Points = np.stack([rock * _smooth(above, BED_TO, BED_TO + 2), bed], axis=1)
    return shares.round(3)


def _smooth(values: Points, low: float, high: float) -> Points:
    """0 below `low`, 1 above `high`, smooth between."""
    part = np.clip((values - low) / (high - low), 0, 1)
    smooth: Points = part * part * (3 - 2 * part)
    return smooth


def _slope(x: Points, y: Points) -> Points:
    """Rise per unit of way where the hills rise the most; same shape as the inputs."""
    step = TILE_SIZE / FINE
    along_x, along_y = height(x + step, y) - height(x - step, y), height(x, y + step) - height(x, y - step)
    rise: Points = np.hypot(along_x, along_y) / (2 * step)
    return rise


def _materials(shares: Points) -> tuple[Indices, Indices]:
    """Two materials of each face with these shares at its corners, (n, 3, 2)."""
    over = np.where(shares[..., 0].sum(axis=1) > shares[..., 1].sum(axis=1), ROCK, BED)
    share = shares.max(axis=2)
    is_bare, is_covered = share.max(axis=1) == 0, share.min(axis=1) == 1
    first = np.where(is_covered, over, GRASS)
    return first, np.where(is_bare | is_covered, NO_LAYER, over)
