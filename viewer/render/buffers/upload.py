"""A model on the graphics card: vertex buffers, node matrices, and submission of triangles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

import moderngl
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.geometry.transforms import Indices, Mask
from viewer.render.buffers.draw_list import DrawList
from viewer.render.buffers.merge import MergedDraws
from viewer.render.portions import Portions
from viewer.render.programs import GROUP_UNIT, NODE_UNIT
from viewer.render.targets import new_texture

INDICES: Final = "indices"
"""The name of the index table of a mesh; no vertex shader has an input of that name."""
# A texture, as a uniform array of matrices has room for some 80 nodes only (GL 3.3 guarantees 1,024
# components a stage, twelve a node). 256 nodes of three texels are 768, which is below the 1,024 texels that
# GL 3.3 guarantees for a side. Node 300 is at texel (300 & 255) * 3 = 132 of row 300 >> 8 = 1.
NODES_PER_ROW = 256
"""Nodes per row of the matrix texture, three texels each; shaders/include/nodes.glsl relies on it."""
NUMBERS_PER_ROW: Final = 4096
"""Triangles per row of the texture; shaders/surface.frag relies on it."""


OtherTables = Mapping[str, tuple[moderngl.Buffer, str]]
"""Buffers and layouts by the names of inputs."""
NO_OTHERS: Final[OtherTables] = MappingProxyType({})


class UploadedTable(Struct, frozen=True, eq=False):
    """A table on the graphics card; owner: the meshes that share it, lifetime: the last of them.

    Attributes
    ----------
    layout
        The moderngl format of a vertex; empty for indices.
    """

    data: npt.NDArray[Any]
    layout: str
    buffer: moderngl.Buffer


class MeshBuffers:
    """The merged vertices and triangles; owner: the renderer, lifetime: one model.

    Vertices stay in the file's own encoding. Without triangles there are no buffers.

    Parameters
    ----------
    before
        The previous mesh: a table with equal values keeps its buffer.
    """

    def __init__(self, ctx: moderngl.Context, merged: MergedDraws, before: MeshBuffers | None = None) -> None:
        self.ctx = ctx
        self.merged = merged
        known = before.tables if before else {}
        self.tables: dict[str, UploadedTable] = {}
        for name, (data, layout) in _contents(merged).items():
            it = known.get(name)
            if not it or it.layout != layout or not (it.data is data or np.array_equal(it.data, data)):
                it = UploadedTable(data, layout, ctx.buffer(data))
            self.tables[name] = it

    @property
    def size(self) -> int:
        """Bytes of its tables."""
        return sum(table.data.nbytes for table in self.tables.values())

    @property
    def index_buffer(self) -> moderngl.Buffer | None:
        """The indices of all triangles; None if there are none."""
        return self.tables[INDICES].buffer if self.tables else None

    def vertex_array(
        self, program: moderngl.Program, index_buffer: moderngl.Buffer | None, others: OtherTables = NO_OTHERS
    ) -> moderngl.VertexArray:
        """A vertex array of the inputs of the program; without indices each vertex is drawn once.

        `others` are buffers and layouts that take the place of those of the mesh.
        """
        # moderngl raises KeyError for an input that the compiler has left out as unused, so only those of the
        # program are named.
        tables = {name: (table.buffer, table.layout) for name, table in self.tables.items()} | dict(others)
        content = [(*table, name) for name, table in tables.items() if name in program]
        return self.ctx.vertex_array(program, content, index_buffer, 4)


def _contents(merged: MergedDraws) -> dict[str, tuple[npt.NDArray[Any], str]]:
    """The tables of some draws and their layouts, by name; none without triangles."""
    if not merged.triangle_count:
        return {}
    # Two bytes per vertex are saved if the node numbers fit them.
    is_wide = int(merged.node.max()) > 0xFFFF
    node = merged.node if is_wide else merged.node.astype(np.uint16)
    # moderngl has no normalized integers but unsigned bytes, and GL 4.2 changed the rule for signed ones. So
    # whole numbers arrive as floats, and shaders divide by 127 and 1024 as spec/msh.md 4 says.
    tables: dict[str, tuple[npt.NDArray[Any], str]] = {
        "in_position": (merged.positions, "3f"),
        "in_normal": (merged.normals, "4i1"),
        "in_uv": (merged.uvs, "2i2"),
        "in_lightmap_uv": (merged.lightmap_uvs, "2u2"),
        "in_node": (node, "1u4" if is_wide else "1u2"),
        INDICES: (merged.corners, ""),
    }
    if merged.second_alphas is not None:
        tables["in_second_alpha"] = (merged.second_alphas, "1f4")
    return tables


class Submission:
    """Triangles of a mesh, drawn with any program; owner: the renderer, lifetime: that of the mesh.

    Drawn as few runs of the mesh's index buffer, or as a compacted index buffer, which is
    rewritten only when other draws become visible.
    """

    def __init__(self, mesh: MeshBuffers) -> None:
        self._mesh = mesh
        merged = mesh.merged
        self.draws = DrawList.of(np.zeros(len(merged.draw), np.bool_), merged.triangle_start)
        self._compacted: moderngl.Buffer | None = None
        self._vertices: moderngl.Buffer | None = None
        # The draw list that the vertex numbers were written for, and how many they are.
        self._vertices_of: tuple[DrawList | None, int] = None, 0
        self._arrays: dict[tuple[object, ...], moderngl.VertexArray] = {}

    def show(self, visible: Mask) -> None:
        """Set the visible merged draws, (m,) bool."""
        if np.array_equal(visible, self.draws.visible):
            return
        self.draws = DrawList.of(visible, self.draws.triangle_start)
        if self.draws.is_compacted:
            corners = self._mesh.merged.corners
            if self._compacted is None:
                # As large as all triangles, so that it never has to be replaced: vertex arrays refer to it.
                self._compacted = self._mesh.ctx.buffer(reserve=corners.nbytes, dynamic=True)
            self._compacted.write(self.draws.compacted(corners))

    def render(self, program: moderngl.Program, portions: Portions) -> None:
        """Draw the triangles with the current state; ``triangle_start`` is set if the program has it."""
        if self.draws.triangle_count:
            self.render_runs(program, self.draws.runs, portions)

    def render_runs(
        self, program: moderngl.Program, runs: Iterable[tuple[int, int]], portions: Portions
    ) -> None:
        """Draw some runs of the triangles in the same way, each a first triangle and a count."""
        array = self.array(program)
        has_start = "triangle_start" in program
        for run in runs:
            for start, count in portions.pieces(*run):
                if has_start:  # each call counts its triangles from 0, in `gl_PrimitiveID`
                    program["triangle_start"] = start
                # `first` counts indices, not bytes.
                array.render(vertices=count * 3, first=start * 3)

    def array(self, program: moderngl.Program) -> moderngl.VertexArray:
        """The vertex array that the runs of `draws` index."""
        indices = self._compacted if self.draws.is_compacted else self._mesh.index_buffer
        return self._array(program, indices)

    def render_triangle(self, program: moderngl.Program, triangle: int, portions: Portions) -> None:
        """Draw one merged triangle, whether visible or not."""
        if portions.is_due():
            self._array(program, self._mesh.index_buffer).render(vertices=3, first=triangle * 3)

    def render_vertices(
        self, program: moderngl.Program, portions: Portions, others: OtherTables = NO_OTHERS
    ) -> None:
        """Draw every vertex of the visible draws once, as a point; `others` take the place of its tables."""
        if not self.draws.triangle_count:
            return
        if self._vertices_of[0] is not self.draws:
            vertex_start = self._mesh.merged.vertex_start
            rows = np.flatnonzero(np.repeat(self.draws.visible, np.diff(vertex_start)))
            if self._vertices is None:
                self._vertices = self._mesh.ctx.buffer(reserve=4 * int(vertex_start[-1]), dynamic=True)
            self._vertices.write(rows.astype(np.uint32))
            self._vertices_of = self.draws, len(rows)
        array = self._array(program, self._vertices, others)
        for start, count in portions.pieces(0, self._vertices_of[1]):
            array.render(moderngl.POINTS, vertices=count, first=start)

    def _array(
        self, program: moderngl.Program, index_buffer: moderngl.Buffer | None, others: OtherTables = NO_OTHERS
    ) -> moderngl.VertexArray:
        # A vertex array belongs to a program, as inputs have the locations that its linker chose.
        key = (program, index_buffer, tuple(others.items()))
        if key not in self._arrays:
            self._arrays[key] = self._mesh.vertex_array(program, index_buffer, others)
        return self._arrays[key]


class NodeMatrices:
    """World matrices of all nodes in a texture; owner: the renderer, lifetime: one model."""

    def __init__(self, ctx: moderngl.Context, node_count: int) -> None:
        rows = max(1, -(-node_count // NODES_PER_ROW))  # rounded up
        # Three rows of four: the last row of an affine matrix is always 0 0 0 1. Unused nodes are the
        # identity.
        self._data = np.zeros((rows * NODES_PER_ROW, 3, 4), np.float32)
        self._data[:] = np.eye(3, 4)
        self.texture = new_texture(ctx, (NODES_PER_ROW * 3, rows), 4, self._data, dtype="f4")
        self.texture.filter = (moderngl.NEAREST, moderngl.NEAREST)

    @property
    def size(self) -> int:
        """Bytes of the texture."""
        return self._data.nbytes

    def write(self, world: npt.NDArray[np.float32]) -> None:
        """Upload ``world_from_node``, (n, 4, 4)."""
        self._data[: len(world)] = world[:, :3]
        self.texture.write(self._data)

    def bind(self) -> None:
        """Bind the matrices for all shaders."""
        self.texture.use(NODE_UNIT)


class GroupNumbers:
    """The number of each submitted triangle; owner: the renderer, lifetime: one model."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._texture: moderngl.Texture | None = None
        self._written: tuple[object, ...] = ()

    def write(self, numbers: Indices, listed: DrawList) -> None:
        """Upload the numbers of all merged triangles (t,) for the triangles that a frame submits."""
        # The shader looks up by the position in the index buffer: the merged order is the same in every
        # frame, that of a compacted buffer only as long as the same draws are visible.
        order = listed if listed.is_compacted else None
        if self._written and self._written[0] is numbers and self._written[1] is order:
            return
        self._written = numbers, order
        if order is not None:
            numbers = numbers[np.repeat(order.visible, np.diff(order.triangle_start))]
        height = max(1, -(-len(numbers) // NUMBERS_PER_ROW))
        padded = np.zeros(height * NUMBERS_PER_ROW, np.uint32)
        padded[: len(numbers)] = numbers.astype(np.uint32)
        if self._texture is None or self._texture.height != height:
            self._texture = new_texture(self._ctx, (NUMBERS_PER_ROW, height), 1, dtype="u4")
        self._texture.write(padded)

    def bind(self) -> None:
        """Bind the numbers for all shaders."""
        if self._texture is not None:
            self._texture.use(GROUP_UNIT)
