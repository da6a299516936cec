"""Vertices moved and transformed: chosen ones, or all that the slots of a node use.

A translation keeps the normals; any other transformation turns them with the vertices, and one that
mirrors flips the triangles. Vertices that are not finite stay as they are. What follows, bounds, face
normals and neighbors, is a consequence.

Source: spec/msh.md 4, 10, 12.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from viewer.errors import EditError, UsageError
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.tables import NORMALS, POSITIONS
from viewer.formats.msh.terrain import FACE
from viewer.formats.msh.vertices import NORMAL_SCALE, POSITION, encode_normals
from viewer.geometry.transforms import Matrix, transform_points, translation
from viewer.model.edit.choices import NodeChoice, RowChoice, node_of
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.slot_triangles import SlotTriangles
from viewer.model.edit.geometry.triangle_changes import flip
from viewer.model.edit.geometry.vertex_tables import put, rows_of
from viewer.model.mesh.draws import Indices
from viewer.model.mesh.model import Model, Variant
from viewer.translation import Sentence

Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class MoveVertices:
    """Move vertices.

    Parameters
    ----------
    rows
        Rows of the positions.
    by
        The way in node space, model units.
    """

    rows: RowChoice
    by: Vector

    @property
    def words(self) -> str:
        """The vertices and the way."""
        return Sentence("move vertices {rows} by {by}", rows=self.rows.shown, by=_shown(self.by))

    def apply(self, draft: Draft) -> None:
        """Move them; raises `EditError` for rows that do not exist and positions beyond binary32."""
        _transform(draft, self.rows.rows(draft, POSITION.name), _translation(self.by))


@dataclass(frozen=True, slots=True)
class TransformVertices:
    """Transform vertices with their normals.

    Parameters
    ----------
    rows
        Rows of the positions.
    matrix
        16 numbers, row by row, for column vectors, affine, in node space.
    """

    rows: RowChoice
    matrix: tuple[float, ...]

    @property
    def words(self) -> str:
        """The vertices."""
        return Sentence("transform vertices {rows}", rows=self.rows.shown)

    def apply(self, draft: Draft) -> None:
        """Transform them; raises `EditError` like `MoveVertices`, `UsageError` for an unusable matrix."""
        _transform(draft, self.rows.rows(draft, POSITION.name), _affine(self.matrix))


@dataclass(frozen=True, slots=True)
class MoveGeometry:
    """Move all vertices that the slots of a node use, in every cell; the node itself stays.

    Parameters
    ----------
    node
        Number or name of the node.
    by
        The way in node space, model units.
    """

    node: NodeChoice
    by: Vector

    @property
    def words(self) -> str:
        """The node and the way."""
        return Sentence("move the geometry of node {node} by {by}", node=self.node, by=_shown(self.by))

    def apply(self, draft: Draft) -> None:
        """Move them; raises `EditError` for a node without geometry and positions beyond binary32."""
        _transform(draft, _vertices_of_node(draft, self.node), _translation(self.by))


@dataclass(frozen=True, slots=True)
class TransformGeometry:
    """Transform all vertices that the slots of a node use, with their normals; the node itself stays.

    Parameters
    ----------
    node
        Number or name of the node.
    matrix
        16 numbers, row by row, for column vectors, affine, in node space.
    """

    node: NodeChoice
    matrix: tuple[float, ...]

    @property
    def words(self) -> str:
        """The node."""
        return Sentence("transform the geometry of node {node}", node=self.node)

    def apply(self, draft: Draft) -> None:
        """Transform them; raises `EditError` like `MoveGeometry`, `UsageError` for an unusable matrix."""
        _transform(draft, _vertices_of_node(draft, self.node), _affine(self.matrix))


def slots_of_nodes(model: Model) -> list[set[int]]:
    """The slots that exist in the matrix of each node."""
    found = model.nodes["slots"].reshape(-1, 15).tolist()
    return [{slot for slot in row if slot != NONE and slot < len(model.slots)} for row in found]


def _vertices_of_node(draft: Draft, choice: NodeChoice) -> Indices:
    """The vertices that the slots of a node use, ascending; notes who else uses them."""
    node = node_of(draft, choice)
    triangles = SlotTriangles.of(draft.model)
    slots = slots_of_nodes(draft.model)
    vertices = np.unique(triangles.corners[np.isin(triangles.slot, [*slots[node]])]).astype(np.int64)
    if not len(vertices):
        raise EditError(Sentence("has no geometry"), table=NODE.name, index=node)
    is_shared = np.isin(triangles.corners, vertices).any(axis=1)
    users = {*np.unique(triangles.slot[is_shared]).tolist()}
    others = [other for other, used in enumerate(slots) if other != node and used & users]
    if others:
        text = ", ".join(map(str, others))
        draft.notes.append(
            Sentence("nodes {others} use vertices of node {node}; they move too", others=text, node=node)
        )
    return vertices


def _translation(by: Sequence[float]) -> Matrix:
    return translation(_finite(by, 3))


def _affine(numbers: Sequence[float]) -> Matrix:
    """The matrix (4, 4) of 16 numbers; raises `UsageError` if it is not affine or has no inverse."""
    matrix = np.array(_finite(numbers, 16)).reshape(4, 4)
    if matrix[3].tolist() != [0, 0, 0, 1]:
        raise UsageError(Sentence("the last row of the matrix is not 0, 0, 0, 1"))
    with np.errstate(over="ignore", invalid="ignore"):
        determinant = float(np.linalg.det(matrix[:3, :3]))
    if not isfinite(determinant) or determinant == 0:
        raise UsageError(Sentence("the matrix has no inverse"))
    return matrix


def _finite(numbers: Sequence[float], count: int) -> list[float]:
    is_number = [isinstance(it, int | float) and not isinstance(it, bool) and isfinite(it) for it in numbers]
    if len(numbers) != count or not all(is_number):
        raise UsageError(
            Sentence("{count} finite numbers are needed, not {value}", count=count, value=_shown(numbers))
        )
    return [*map(float, numbers)]


@np.errstate(over="ignore", invalid="ignore")
def _transform(draft: Draft, vertices: Sequence[int] | Indices, matrix: Matrix) -> None:
    """Transform vertices by a matrix (4, 4); all of them are checked before one is written."""
    chosen = np.asarray(vertices, np.int64)
    positions = rows_of(draft, POSITIONS)
    before = positions["position"][chosen]
    after = transform_points(matrix, before.astype(np.float64)).astype(np.float32)
    after = np.where(np.isfinite(before).all(axis=1, keepdims=True) & (after != before), after, before)
    is_lost = ~np.isfinite(after).all(axis=1) & np.isfinite(before).all(axis=1)
    if is_lost.any():
        raise EditError(
            Sentence("exceeds what a binary32 number holds, {limit}", limit=float(np.finfo(np.float32).max)),
            table=POSITION.name,
            index=int(chosen[is_lost.argmax()]),
            field="position",
        )
    is_mirrored = np.linalg.det(matrix[:3, :3]) < 0
    if is_mirrored and draft.model.variant is Variant.TERRAIN:
        raise EditError(Sentence("the faces of a terrain cannot be mirrored"), table=FACE.name)
    positions["position"][chosen] = after
    put(draft, POSITIONS, positions)
    if not np.array_equal(matrix[:3, :3], np.eye(3)) and draft.model.has(NORMALS):
        _turn_normals(draft, chosen, matrix)
    if is_mirrored:
        _turn_over(draft, chosen)


def _turn_over(draft: Draft, vertices: Indices) -> None:
    """Flip the triangles that were mirrored as a whole, which keeps their fronts outside."""
    triangles = SlotTriangles.of(draft.model)
    is_moved = np.isin(triangles.corners, vertices).all(axis=1)
    flip(draft, np.unique(triangles.first[is_moved]))


def _turn_normals(draft: Draft, vertices: Indices, matrix: Matrix) -> None:
    """Turn the normals of vertices; their lengths and fourth components stay."""
    rows = rows_of(draft, NORMALS)
    chosen = vertices[vertices < len(rows)]
    raw = rows["normal"][chosen]
    directions = raw[:, :3] / NORMAL_SCALE
    length = np.linalg.norm(directions, axis=1, keepdims=True)
    turned = directions @ np.linalg.inv(matrix[:3, :3])
    size = np.linalg.norm(turned, axis=1, keepdims=True)
    turned = np.divide(turned * length, size, out=directions.copy(), where=size > 0)
    rows["normal"][chosen] = encode_normals(turned, raw[:, 3])
    put(draft, NORMALS, rows)


def _shown(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:g}" if isinstance(number, float) else str(number) for number in numbers)
