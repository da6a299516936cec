"""The slots of a model as meshes with vertices of their own for every batch, and what nodes show of them.

For the requested cell it is what the viewer shows (`viewer.model.mesh.shown`). In a further cell a node with
a slot in exactly that cell shows that one, so that every slot is somewhere.

Source: spec/msh.md 3, 4, 5, 8; spec/field-notes.md 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.formats.msh import vertices
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import GROUPS, LODS
from viewer.formats.msh.slots import SLOT
from viewer.formats.record import Record, Rows
from viewer.geometry.transforms import Floats
from viewer.model.convert.scene import NO_FIELDS, Cell, Fields, Indices, Mesh, Options, Primitive, View
from viewer.model.convert.source import ModelSource
from viewer.model.mesh.draws import NO_BATCH, NO_SLOT, Mask
from viewer.model.mesh.model import Variant
from viewer.model.mesh.shown import NO_CELL, PartChoice, PartChooser
from viewer.progress import checkpoint

CELLS = LODS * GROUPS
SPREAD: Final = 8
"""A batch whose vertices lie further apart than this many times their number is searched, not marked."""


class CellParts:
    """The parts of a model by node and cell.

    Attributes
    ----------
    part
        Part of each node in each cell, (n, 15) int64; -1 if there is none.
    chooser
        What the viewer shows.
    """

    def __init__(self, source: ModelSource) -> None:
        parts = source.draws.parts
        self._count = len(parts)
        self.chooser = PartChooser(source.model, source.draws)
        count = max(source.model.node_count, 1 + int(parts.node.max(initial=-1)))
        self.part = np.full((count, CELLS), -1, np.int64)
        for cell in range(CELLS):
            rows = np.flatnonzero(parts.cells >> cell & 1)
            self.part[parts.node[rows], cell] = rows

    def views(self, nodes: Sequence[int], options: Options) -> tuple[View, ...]:
        """What some nodes show: for the cell of the options, then for every other cell that needs it."""
        # The others of the nodes only carry those whose geometry is exported.
        is_wanted = np.zeros(len(self.part), np.bool_)
        is_wanted[list(nodes if options.nodes is None else options.nodes & {*nodes})] = True
        chosen = self._shown(options.cell)
        views = [_view(options.cell, np.where(is_wanted, chosen, NO_CELL), nodes)]
        if options.has_all_cells:
            cells = [(row, column) for row in range(LODS) for column in range(GROUPS)]
            for number, cell in enumerate(cells):
                has_part = self.part[:, number] >= 0
                if (is_wanted & has_part & (chosen != number)).any():
                    shown = np.where(has_part, number, self._shown(cell))
                    views.append(_view(cell, np.where(is_wanted, shown, NO_CELL), nodes))
        return tuple(views)

    def shown_in(self, views: Sequence[View], nodes: Sequence[int]) -> Mask:
        """The parts that some views of nodes show, (p,) bool."""
        cells = ((node, cell) for view in views for node, cell in zip(nodes, view.shown, strict=True) if cell)
        parts = [int(self.part[node, row * GROUPS + column]) for node, (row, column) in cells]
        is_shown = np.zeros(self._count, np.bool_)
        is_shown[parts] = True
        return is_shown

    def _shown(self, cell: Cell) -> Indices:
        return self.chooser.shown(PartChoice(*cell)).cell


def _view(cell: Cell, shown: Indices, nodes: Sequence[int]) -> View:
    numbers = shown[list(nodes)].tolist()
    return View(cell, tuple(None if it == NO_CELL else (it // GROUPS, it % GROUPS) for it in numbers))


def fields_of(record: Record, rows: Rows) -> list[Fields]:
    """The fields of each row: integers, floats, bytes, or nested lists of them, as stored."""
    columns: list[list[Any]] = [rows[field.name].tolist() for field in record.fields]
    names = [field.name for field in record.fields]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


class MeshMaker:
    """Makes the meshes of one model; what several need is decoded once.

    Parameters
    ----------
    material_of_draw
        Index of the material of each draw, (d,).
    """

    def __init__(self, source: ModelSource, material_of_draw: Indices) -> None:
        model = source.model
        self._draws = source.draws
        self._material = material_of_draw.tolist()
        self._positions = model.positions
        self._normals = _unit(model.normals_raw)
        self._uvs = None if model.uvs_raw is None else vertices.decode_uvs(model.uvs_raw)
        self._lightmap_uvs = lightmap_uvs(source)
        self._slots = fields_of(SLOT, model.slots)
        self._batches = [] if model.variant is Variant.TERRAIN else fields_of(BATCH, model.batches)

    def mesh(self, part: int, name: str) -> Mesh:
        """The mesh of a part."""
        checkpoint()
        slot = int(self._draws.parts.slot[part])
        first, last = np.searchsorted(self._draws.part, (part, part + 1)).tolist()
        primitives = tuple(self._primitive(draw) for draw in range(first, last))
        if slot == NO_SLOT:
            return Mesh(name, primitives)
        return Mesh(name, primitives, slot, self._slots[slot])

    def _primitive(self, draw: int) -> Primitive:
        start, end = self._draws.triangle_start[draw : draw + 2].tolist()
        vertices, triangles = compact(self._draws.corners[start:end])
        batch = int(self._draws.batch[draw])
        return Primitive(
            positions=self._positions[vertices],
            triangles=triangles,
            normals=_taken(self._normals, vertices),
            uvs=_taken(self._uvs, vertices),
            lightmap_uvs=_taken(self._lightmap_uvs, vertices),
            material=self._material[draw],
            vertices=vertices,
            batch=None if batch == NO_BATCH else batch,
            fields=NO_FIELDS if batch == NO_BATCH else self._batches[batch],
        )


def compact(corners: npt.NDArray[np.int32]) -> tuple[Indices, Indices]:
    """The distinct vertices (n,) of triangles (t, 3), ascending, and the triangles as rows of these."""
    if not len(corners):
        return np.zeros(0, np.int64), np.zeros((0, 3), np.int64)
    low, high = int(corners.min()), int(corners.max()) + 1
    if high - low > SPREAD * corners.size:
        vertices, triangles = np.unique(corners, return_inverse=True)
        return vertices.astype(np.int64), triangles.reshape(-1, 3).astype(np.int64)
    is_used = np.zeros(high - low, np.bool_)
    is_used[corners - low] = True
    row = np.cumsum(is_used) - 1
    return np.flatnonzero(is_used) + low, row[corners - low]


def lightmap_uvs(source: ModelSource) -> Floats | None:
    """The second texture coordinates of the vertices: of the lightmap, or of a terrain's second layer."""
    raw = source.model.lightmap_uvs_raw
    if raw is None:
        return None
    if source.model.variant is Variant.TERRAIN:
        return vertices.decode_uvs(raw.astype(np.int16))
    return raw.astype(np.float32) / np.float32(vertices.UV_SCALE)


def _unit(raw: npt.NDArray[np.int8] | None) -> Floats | None:
    """Directions of unit length; zero where there is none."""
    if raw is None:
        return None
    directions = vertices.decode_normals(raw).astype(np.float64)
    length = np.sqrt(np.einsum("ij,ij->i", directions, directions))
    return (directions / np.where(length == 0, 1, length)[:, None]).astype(np.float32)


def _taken(values: Floats | None, rows: Indices) -> Floats | None:
    return None if values is None else values[rows]
