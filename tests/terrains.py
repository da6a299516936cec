"""Small flat terrains made in memory with the project's own writers."""

from __future__ import annotations

import numpy as np

from tests.builders import container
from viewer.formats.msh import nodes, slots, vertices
from viewer.formats.msh.tables import (
    DRAW_LIST,
    FACES,
    NODES,
    NORMALS,
    POSITIONS,
    SLOTS,
    STREAM14,
    STREAM18,
    UVS,
)
from viewer.formats.msh.terrain import DRAW, FACE
from viewer.formats.record import Rows
from viewer.geometry.bounds import Bounds


def terrain(
    columns: int = 2,
    rows: int = 2,
    *,
    tile: float = 10.0,
    is_coarse: bool = True,
    coarse: tuple[int, int] = (0, 1),
) -> bytes:
    """A flat terrain of square tiles: two faces each in the fine level, the same two in the coarse one.

    Node ``ix * rows + iy`` is the tile of column ix and row iy; material rows alternate by column. The
    coarse level is in the cell `coarse`, LOD and group.
    """
    count = columns * rows
    grid = [(ix, iy) for ix in range(columns) for iy in range(rows)]
    points = np.array([(x * tile, y * tile, 0) for x in range(columns + 1) for y in range(rows + 1)], "<f4")
    levels = 2 if is_coarse else 1
    tiles, header, areas = nodes.NODE.new(count), slots.HEADER.new(), slots.SLOT.new(count * levels)
    faces, draws = FACE.new(2 * count * levels), DRAW.new(2 * count * levels)
    tiles["parent"], tiles["map_start"], tiles["slots"] = nodes.NONE, nodes.NONE, nodes.NONE
    for level in range(levels):
        for number, (ix, iy) in enumerate(grid):
            slot = level * count + number
            tiles["slots"][(number, *((0, 0), coarse)[level])] = slot
            corner = ix * (rows + 1) + iy
            across = corner + rows + 1
            _tile(faces[2 * slot : 2 * slot + 2], (corner, across, across + 1, corner + 1), ix % 2)
            area = areas[slot]
            area["tri_start"], area["tri_count"] = 2 * slot, 2
            area["aabb_min"], area["aabb_max"] = points[corner], points[across + 1]
            area["sphere_center"] = (points[corner] + points[across + 1]) / 2
            area["sphere_radius"] = tile
    draws["face"] = np.arange(len(draws))
    bounds = Bounds.of(points)
    if bounds is not None:
        header["hull"] = bounds.corners
    payloads = {
        NODES: tiles.tobytes(),
        SLOTS: header.tobytes() + areas.tobytes(),
        POSITIONS: points.tobytes(),
        NORMALS: vertices.encode_normals(np.tile((0, 0, 1), (len(points), 1))).tobytes(),
        UVS: vertices.encode_uvs(points[:, :2] / tile).tobytes(),
        STREAM18: bytes(4 * len(points)),
        STREAM14: bytes(4 * len(points)),
        DRAW_LIST: draws.tobytes(),
        FACES: faces.tobytes(),
    }
    return container(payloads, node_count=count, changed={NODES: (count, columns, nodes.NODE.size)})


def _tile(faces: Rows, corners: tuple[int, int, int, int], material: int) -> None:
    south_west, south_east, north_east, north_west = corners
    faces["vertices"] = [(south_west, south_east, north_east), (south_west, north_east, north_west)]
    faces["neighbours"], faces["opaque6"] = 0xFFFF, 0xFFFF
    faces["material_a"], faces["material_b"] = material, 0xFF
    faces["normal"] = (0, 0, 32767)
