"""Vertices moved and transformed: chosen ones, or all that the slots of a node use.

A translation keeps the normals; any other transformation turns them with the vertices, and one that
mirrors flips the triangles. Vertices that are not finite stay as they are. What follows, bounds, face
normals and neighbors, is a consequence.

Source: spec/msh.md 4, 10, 12.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Final

import numpy as np

from viewer.errors import EditError, UsageError
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.nodes import NONE as NO_SLOT
from viewer.formats.msh.tables import BATCHES, INDICES, NORMALS, POSITIONS, SLOTS, TRIANGLES
from viewer.formats.msh.terrain import FACE
from viewer.formats.msh.triangles import ALL_NONE, NO_SELECTOR
from viewer.formats.msh.triangles import NONE as NO_LINK
from viewer.formats.msh.vertices import NORMAL_SCALE, POSITION, encode_normals
from viewer.formats.record import Rows
from viewer.geometry.transforms import Indices, Mask, Matrix, transform_points, translation
from viewer.model.edit.change import Change, change, refusal
from viewer.model.edit.draft import Draft, renumbered
from viewer.model.edit.geometry.slot_triangles import NONE, SlotTriangles
from viewer.model.edit.geometry.vertex_tables import edited, put, refuse_terrain, replace, rows_of
from viewer.model.edit.typed_words import NODE_WORD, Typed, Word, numbers_of
from viewer.model.edit.values import NodeChoice, RowChoice, node_of
from viewer.model.mesh.draws import expand, wide_ranges
from viewer.model.mesh.model import Model, Variant
from viewer.translation import Text, _

TRIANGLE: Final = "triangles"
"""Name of the triangles in errors."""


@change("flip", icon="arrows-rotate", menu={"flip_triangles": _("Turn the triangles over")})
class FlipTriangles(Change, frozen=True):
    """Turn triangles over: their winding, and with it their face normals.

    Parameters
    ----------
    triangles
        Numbers of triangles.
    """

    triangles: tuple[int, ...]

    @property
    def words(self) -> str:
        """The triangle, or how many."""
        return _counted("flip", self.triangles)

    def apply(self, draft: Draft) -> None:
        """Swap two corners of each triangle; raises `EditError` for a triangle that does not exist."""
        refuse_terrain(draft, INDICES)
        flip(draft, _firsts(draft.model, self.triangles))


@change("remove-triangles", icon="trash", menu={"remove_triangles": _("Remove the triangles")})
class RemoveTriangles(Change, frozen=True):
    """Remove triangles with their descriptors; their vertices stay.

    Parameters
    ----------
    triangles
        Numbers of triangles.
    """

    triangles: tuple[int, ...]

    @property
    def words(self) -> str:
        """The triangle, or how many."""
        return _counted("remove", self.triangles)

    def apply(self, draft: Draft) -> None:
        """Remove the triangles; raises `EditError` for a missing one, or one of which others use a part."""
        refuse_terrain(draft, INDICES)
        remove(draft, _firsts(draft.model, self.triangles))


def _counted(verb: str, triangles: tuple[int, ...]) -> str:
    if len(triangles) == 1:
        return _("{verb} triangle {triangle}", verb=Text.of(verb), triangle=triangles[0])
    return _("{verb} {count} triangles", verb=Text.of(verb), count=len(triangles))


def all_firsts(model: Model) -> Indices:
    """The first index of every triangle of every batch whose indices exist, (t,), with repetitions."""
    start, count = wide_ranges(model.batches, "index")
    is_there = start + count <= len(model.indices)
    start, count = start[is_there], count[is_there] // 3
    # Batches of 2 and 1 triangles from indices 0 and 6: 0 1 0 times 3, and 0 0 6, give 0 3 6.
    return expand(np.zeros(len(start), np.int64), count) * 3 + np.repeat(start, count)


def _firsts(model: Model, triangles: tuple[int, ...]) -> Indices:
    """The first indices of triangles by their numbers, ascending."""
    firsts = np.unique(all_firsts(model))
    missing = set(triangles).difference((firsts // 3).tolist())
    if missing:
        raise EditError(_("no batch has this triangle"), table=TRIANGLE, index=min(missing))
    found: Indices = firsts[np.isin(firsts // 3, triangles)]
    return found


def flip(draft: Draft, firsts: Indices) -> None:
    """Swap the last two corners of triangles given by their first indices, with their links and selectors."""
    triangles = SlotTriangles.of(draft.model)
    with edited(draft, INDICES) as rows:
        # The first corner stays the first, so numbers of triangles and picking still agree.
        second, third = rows["index"][firsts + 1], rows["index"][firsts + 2]
        rows["index"][firsts + 1], rows["index"][firsts + 2] = third, second
    if draft.model.has(TRIANGLES):
        turned = np.unique(triangles.row[np.isin(triangles.first, firsts)])
        with edited(draft, TRIANGLES) as descriptors:
            _flip(descriptors, turned[turned != NONE])


def _flip(rows: Rows, turned: Indices) -> None:
    """Turn some descriptors: their edges 0 and 2 change places, also for their neighbors."""
    # One element more: links to no descriptor, which are larger than any row, find False there.
    is_turned = np.zeros(len(rows) + 1, np.bool_)
    is_turned[turned] = True
    links, words = rows["links"].astype(np.int64), rows["selectors"].astype(np.int64)
    selectors = words[:, None] >> np.array([0, 2, 4]) & NO_SELECTOR
    leads = is_turned[np.minimum(links, len(rows))]
    # Corners 0 1 2 have edges 01 12 20. With 0 2 1 they are 02 21 10: edges 0 and 2 change places, 1 stays.
    selectors = np.where(leads & (selectors != NO_SELECTOR), 2 - selectors, selectors)
    links[turned], selectors[turned] = links[turned][:, ::-1], selectors[turned][:, ::-1]
    rows["links"] = links
    rows["selectors"] = words & ~ALL_NONE | (selectors << np.array([0, 2, 4])).sum(axis=1)


def remove(draft: Draft, firsts: Indices) -> None:
    """Remove triangles given by their first indices, with their descriptors."""
    model = draft.model
    is_gone = np.zeros(len(model.indices), np.bool_)
    is_gone[(firsts[:, None] + np.arange(3)).reshape(-1)] = True
    _refuse_torn(model, is_gone)
    batches, slots = rows_of(draft, BATCHES), rows_of(draft, SLOTS)
    _shrink(batches, "index", ~is_gone)
    made = {INDICES: rows_of(draft, INDICES)[~is_gone], BATCHES: batches}
    if model.has(TRIANGLES):
        kept = ~_gone_descriptors(model, is_gone)
        _shrink(slots, "tri", kept)
        made |= {SLOTS: slots, TRIANGLES: without_descriptors(rows_of(draft, TRIANGLES), kept)}
    replace(draft, made)


def _refuse_torn(model: Model, is_gone: Mask) -> None:
    """Refuse to remove indices that other triangles use together with indices that stay."""
    firsts = np.unique(all_firsts(model))
    # 0 of 3 stays, 3 of 3 goes; 1 or 2 belong to overlapping triangles of another batch.
    parts = is_gone[firsts[:, None] + np.arange(3)].sum(axis=1)
    is_torn = (parts != 0) & (parts != 3)
    if is_torn.any():
        words = "shares indices with triangles that are to be removed"
        raise refusal(words, TRIANGLE, int(firsts[is_torn][0]) // 3)


def _gone_descriptors(model: Model, is_gone: Mask) -> Mask:
    """The descriptors of removed triangles, (n,); refuses those of which another triangle stays."""
    triangles = SlotTriangles.of(model)
    is_removed = is_gone[triangles.first]
    found = np.zeros(len(model.tri_descriptors), np.bool_)
    found[triangles.row[is_removed & (triangles.row != NONE)]] = True
    shared = triangles.row[~is_removed & (triangles.row != NONE)]
    if found[shared].any():
        row = int(shared[found[shared]][0])
        raise refusal("is the descriptor of a triangle that stays, too", "tri_descriptors", row)
    return found


def _shrink(rows: Rows, prefix: str, kept: Mask) -> None:
    """Set ranges of rows to what is left of them; ranges that exceed the table stay."""
    before = np.concatenate(([0], np.cumsum(kept)))
    start, count = wide_ranges(rows, prefix)
    # before[i] counts the kept rows of 0..i: a range start..end becomes before[start]..before[end].
    fits = start + count <= len(kept)
    first, last = (before[np.minimum(it, len(kept))] for it in (start, start + count))
    rows[f"{prefix}_start"] = np.where(fits, first, start)
    rows[f"{prefix}_count"] = np.where(fits, last - first, count)


def without_descriptors(rows: Rows, kept: Mask) -> Rows:
    """Descriptors without some; links to those that are gone become none."""
    # Of rows 0 1 2 without 1: row 2 is number 1 now; links to row 1 become none.
    relinked(rows, np.where(kept, np.cumsum(kept) - 1, NO_LINK))
    return rows[kept]


def relinked(rows: Rows, number: Indices) -> Mask:
    """Give the links of descriptors new numbers, and return the links that became none, (n, 3).

    Parameters
    ----------
    number
        The new number of each old descriptor, `NO_LINK` for one that is gone.
    """
    links = rows["links"].astype(np.int64)
    rows["links"] = found = renumbered(links, number)
    is_lost: Mask = (links < len(number)) & (found == NO_LINK)
    # A selector is two bits, and 3 is none: or-ing 3 << 2 n makes edge n none without touching the others.
    masks = np.where(is_lost, NO_SELECTOR << np.array([0, 2, 4]), 0).sum(axis=1)
    rows["selectors"] = rows["selectors"] | masks.astype(np.uint16)
    return is_lost


Vector = tuple[float, float, float]


@change("move-vertices", "move vertices {rows} by {by}")
class MoveVertices(Change, frozen=True):
    """Move vertices.

    Parameters
    ----------
    rows
        Rows of the positions.
    by
        The translation in node space, model units.
    """

    rows: RowChoice
    by: Vector

    def apply(self, draft: Draft) -> None:
        """Move the vertices; raises `EditError` for rows that do not exist and positions beyond binary32."""
        _transform(draft, self.rows.rows(draft, POSITION.name), _translation(self.by))


@change("transform-vertices", "transform vertices {rows}")
class TransformVertices(Change, frozen=True):
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

    def apply(self, draft: Draft) -> None:
        """Transform the vertices; raises like `MoveVertices`, and `UsageError` for an unusable matrix."""
        _transform(draft, self.rows.rows(draft, POSITION.name), _affine(self.matrix))


@change(
    "move",
    "move the geometry of node {node} by {by}",
    typed=Typed(
        "move the geometry of a node's slots, in node space", (NODE_WORD, Word("X,Y,Z", "by", numbers_of))
    ),
)
class MoveGeometry(Change, frozen=True):
    """Move all vertices that the slots of a node use, in every cell; the node itself stays.

    Parameters
    ----------
    node
        Number or name of the node.
    by
        The translation in node space, model units.
    """

    node: NodeChoice
    by: Vector

    def apply(self, draft: Draft) -> None:
        """Move the vertices; raises `EditError` for a node without geometry and positions beyond binary32."""
        _transform(draft, _vertices_of_node(draft, self.node), _translation(self.by))


@change(
    "transform",
    "transform the geometry of node {node}",
    typed=Typed(
        "transform it by a matrix, 16 numbers row by row, separated by commas",
        (NODE_WORD, Word("NUMBERS", "matrix", numbers_of)),
    ),
)
class TransformGeometry(Change, frozen=True):
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

    def apply(self, draft: Draft) -> None:
        """Transform the vertices; raises like `MoveGeometry`, and `UsageError` for an unusable matrix."""
        _transform(draft, _vertices_of_node(draft, self.node), _affine(self.matrix))


def slots_of_nodes(model: Model) -> list[set[int]]:
    """The slots that exist in the matrix of each node."""
    found = model.nodes["slots"].reshape(-1, 15).tolist()
    return [{slot for slot in row if slot != NO_SLOT and slot < len(model.slots)} for row in found]


def _vertices_of_node(draft: Draft, choice: NodeChoice) -> Indices:
    """The vertices that the slots of a node use, ascending; notes who else uses them."""
    node = node_of(draft, choice)
    triangles = SlotTriangles.of(draft.model)
    slots = slots_of_nodes(draft.model)
    vertices = np.unique(triangles.corners[np.isin(triangles.slot, [*slots[node]])]).astype(np.int64)
    if not len(vertices):
        raise EditError(_("has no geometry"), table=NODE.name, index=node)
    is_shared = np.isin(triangles.corners, vertices).any(axis=1)
    users = {*np.unique(triangles.slot[is_shared]).tolist()}
    others = [other for other, used in enumerate(slots) if other != node and used & users]
    if others:
        text = ", ".join(map(str, others))
        words = "nodes {others} use vertices of node {node}; they move too"
        draft.notes.append(_(words, others=text, node=node))
    return vertices


def _translation(by: Sequence[float]) -> Matrix:
    return translation(_finite(by, 3))


def _affine(numbers: Sequence[float]) -> Matrix:
    """The matrix (4, 4) of 16 numbers; raises `UsageError` if it is not affine or has no inverse."""
    matrix = np.array(_finite(numbers, 16)).reshape(4, 4)
    if matrix[3].tolist() != [0, 0, 0, 1]:
        raise UsageError(_("the last row of the matrix is not 0, 0, 0, 1"))
    with np.errstate(over="ignore", invalid="ignore"):
        determinant = float(np.linalg.det(matrix[:3, :3]))
    if not isfinite(determinant) or determinant == 0:
        raise UsageError(_("the matrix has no inverse"))
    return matrix


def _finite(numbers: Sequence[float], count: int) -> list[float]:
    is_number = [isinstance(it, int | float) and not isinstance(it, bool) and isfinite(it) for it in numbers]
    if len(numbers) != count or not all(is_number):
        words = "{count} finite numbers are needed, not {value}"
        shown = ", ".join(f"{it:g}" if isinstance(it, float) else str(it) for it in numbers)
        raise UsageError(_(words, count=count, value=shown))
    return [*map(float, numbers)]


@np.errstate(over="ignore", invalid="ignore")
def _transform(draft: Draft, vertices: Sequence[int] | Indices, matrix: Matrix) -> None:
    """Transform vertices by a matrix (4, 4); all of them are checked before one is written."""
    chosen = np.asarray(vertices, np.int64)
    positions = rows_of(draft, POSITIONS)
    before = positions["position"][chosen]
    after = transform_points(matrix, before.astype(np.float64)).astype(np.float32)
    # Unmoved components keep their bits, -0.0 among them; a vertex that is not finite cannot be transformed.
    after = np.where(np.isfinite(before).all(axis=1, keepdims=True) & (after != before), after, before)
    is_lost = ~np.isfinite(after).all(axis=1) & np.isfinite(before).all(axis=1)
    if is_lost.any():
        row, limit = int(chosen[is_lost.argmax()]), float(np.finfo(np.float32).max)
        raise refusal(
            "exceeds what a binary32 number holds, {limit}", POSITION.name, row, "position", limit=limit
        )
    is_mirrored = np.linalg.det(matrix[:3, :3]) < 0
    if is_mirrored and draft.model.variant is Variant.TERRAIN:
        raise EditError(_("the faces of a terrain cannot be mirrored"), table=FACE.name)
    positions["position"][chosen] = after
    put(draft, POSITIONS, positions)
    if not np.array_equal(matrix[:3, :3], np.eye(3)) and draft.model.has(NORMALS):
        _turn_normals(draft, chosen, matrix)
    if is_mirrored:
        # A mirror reverses the winding: what moved as a whole is flipped, so that fronts stay outside.
        triangles = SlotTriangles.of(draft.model)
        is_moved = np.isin(triangles.corners, chosen).all(axis=1)
        flip(draft, np.unique(triangles.first[is_moved]))


def _turn_normals(draft: Draft, vertices: Indices, matrix: Matrix) -> None:
    """Turn the normals of vertices; their lengths and fourth components stay."""
    with edited(draft, NORMALS) as rows:
        chosen = vertices[vertices < len(rows)]
        raw = rows["normal"][chosen]
        directions = raw[:, :3] / NORMAL_SCALE
        length = np.linalg.norm(directions, axis=1, keepdims=True)
        # Normals are multiplied by the transposed inverse; for rows on the left that is the inverse itself.
        turned = directions @ np.linalg.inv(matrix[:3, :3])
        size = np.linalg.norm(turned, axis=1, keepdims=True)
        turned = np.divide(turned * length, size, out=directions.copy(), where=size > 0)
        rows["normal"][chosen] = encode_normals(turned, raw[:, 3])
