"""The model after an import compared with the file again: what differs, with its place and size.

An import finds its changes by rows and ids. Here nothing is known of these: triangles are compared by their
corners, nodes by their places in every whole frame. So what an import gets wrong is found, why ever it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.msh import vertices
from viewer.formats.msh.nodes import GROUPS
from viewer.geometry.transforms import Floats, Indices
from viewer.model.convert.from_model import CellParts, lightmap_uvs, without_seam
from viewer.model.convert.importing.check.carried import carried
from viewer.model.convert.importing.check.deviation import Deviation, DeviationKind
from viewer.model.convert.importing.check.poses import PoseDifference, Poses
from viewer.model.convert.importing.check.surfaces import (
    ALL,
    ANY,
    ROUNDED_UV,
    SAME_ANGLE,
    SAME_NORMAL,
    TriangleMatch,
    Triangles,
    angles,
    farthest,
    matched,
    within,
)
from viewer.model.convert.importing.importer import Import
from viewer.model.convert.importing.matching import Comparison
from viewer.model.convert.importing.vertices import TURNS
from viewer.model.convert.motion.rotations import unit
from viewer.model.convert.options import Cell
from viewer.model.convert.scene import NEW, ONE, Node, Primitive, Scene
from viewer.model.convert.source import ModelSource, wear_rows_of_draws
from viewer.model.edit.draft import RowMoves
from viewer.model.edit.geometry.slot_changes import ReplaceSlots
from viewer.model.edit.nodes.node_count import RemoveNode, SetCell
from viewer.model.mesh.draws import NO_SLOT, chunks, expand
from viewer.model.mesh.model import Variant
from viewer.model.mesh.pose.skeleton import ROOT
from viewer.translation import _

MOST_TRIANGLES: Final = 1 << 15
"""Triangles that are compared at once; their values on both sides take some 20 MB with what is computed."""


def deviations(found: Import, made: ModelSource, moves: RowMoves | None = None) -> tuple[Deviation, ...]:
    """The deviations of the model that the changes of an import made from the file.

    Parameters
    ----------
    made
        The model after the changes.
    moves
        The rows that the changes moved.
    """
    if found.comparison is None:
        return ()
    is_rebuilt = any(isinstance(it, ReplaceSlots | SetCell | RemoveNode) for it in found.changes)
    moved = carried(found.comparison) if is_rebuilt else ()
    numbers = present_numbers(found.comparison.given, found.numbers, made, moves or RowMoves())
    return (
        *(Deviation(DeviationKind.CARRIED, it.target, it.count, other=it.source) for it in moved),
        *Check(found.comparison, numbers, found.wear_rows, made),
    )


class _ShownPair(Struct, frozen=True):
    """The geometry of a node in a cell: the mesh of the file, or None, and the model's part, -1 for none.

    `is_elsewhere` if the node is not at its place.
    """

    node: int
    mesh: int | None
    part: int
    is_elsewhere: bool


class Check:
    """Compares the nodes of a file one by one, and yields what differs.

    Parameters
    ----------
    numbers
        The node of the model of each node of the file; None for one that is not there.
    wear_rows
        The wear row of each material of the file.
    """

    def __init__(
        self,
        comparison: Comparison,
        numbers: Sequence[int | None],
        wear_rows: Sequence[int],
        made: ModelSource,
    ) -> None:
        self._comparison, self._numbers, self._made = comparison, numbers, made
        # Where clips were put together the file has the movement in them.
        tracks = comparison.film or [it.track for it in comparison.given.nodes]
        nodes = (replace(it, track=track) for it, track in zip(comparison.given.nodes, tracks, strict=True))
        self._given = replace(comparison.given, nodes=tuple(nodes))
        self._poses = Poses(self._given, made)
        self._surfaces = ModelSurfaces(made)
        materials = {it.material for mesh in self._given.meshes for it in mesh.primitives}
        # In a file without materials there is none that could differ; nor has it one of a batch that is left.
        # Materials index it: the one after the last is that of batches that are left, and -1, no material, is
        # the end.
        self._rows = np.array([*wear_rows, ANY, NEW if materials - {None} else ANY], np.int64)
        self._left_material = len(wear_rows)
        self._parents = [
            self._has_parent(it, number) for it, number in zip(self._given.nodes, self._numbers, strict=True)
        ]
        shown = zip(self._numbers, self._parents, strict=True)
        before = [None if known is None else known.track for _node, known in comparison.pairs]
        numbers = [number if has_parent else None for number, has_parent in shown]
        self._pose = self._poses.differences(numbers, before)

    def __iter__(self) -> Iterator[Deviation]:
        surfaces = self._differing()
        for index, node in enumerate(self._given.nodes):
            number = self._numbers[index]
            if number is None:
                yield Deviation(DeviationKind.NODE, node.name)
                continue
            name = node.name or self._made.names[number] or str(number)
            if not self._parents[index]:
                above = int(self._made.skeleton.parents[number])
                other = self._made.names[above] or str(above) if above >= 0 else _("no node")
                yield Deviation(DeviationKind.PARENT, name, other=str(other))
            found = [it for pair in surfaces.get(index, ()) for it in self._of_pair(name, pair)]
            pose = self._pose[index]
            if pose is not None:
                yield from _of_pose(name, pose, is_same=bool(node.cells) and not found)
            yield from found

    def _has_parent(self, node: Node, number: int | None) -> bool:
        """Whether a node of the model is below the one that it is under in the file."""
        parent = None if node.parent is None else self._numbers[node.parent]
        return number is not None and int(self._made.skeleton.parents[number]) == (
            ROOT if parent is None else parent
        )

    def _pairs(self) -> Iterator[_ShownPair]:
        """The cells that nodes show in the file and in the model, each once."""
        seen: set[tuple[int | None, int]] = set()
        for index, (node, number) in enumerate(zip(self._given.nodes, self._numbers, strict=True)):
            at = self._comparison.nodes[index]
            known: Mapping[Cell, int] = {} if at is None else self._comparison.expected.nodes[at].cells
            is_elsewhere = self._pose[index] is not None or node.scale != ONE
            if number is None:
                continue
            for cell in sorted({*node.cells, *known}):
                if node.cells.get(cell) in self._comparison.left:
                    continue
                pair = _ShownPair(
                    index, node.cells.get(cell), self._surfaces.part(number, cell), is_elsewhere
                )
                key = pair.mesh, self._surfaces.slot(pair.part)
                # Nodes that show one mesh and one slot show the same, unless one of them is elsewhere.
                if key not in seen or is_elsewhere:
                    yield pair
                seen.add(key)

    def _differing(self) -> dict[int, list[_ShownPair]]:
        """The pairs that are not the same triangle by triangle, by node."""
        found: dict[int, list[_ShownPair]] = {}
        equal: list[_ShownPair] = []
        sizes: list[int] = []
        for pair in self._pairs():
            size = self._surfaces.count(pair.part)
            if pair.mesh is None or pair.is_elsewhere or size != self._count(pair.mesh) or not size:
                found.setdefault(pair.node, []).append(pair)
            else:
                equal.append(pair)
                sizes.append(size)
        for block in chunks(np.array(sizes, np.int64), MOST_TRIANGLES):
            for pair in self._unlike(equal[block]):
                found.setdefault(pair.node, []).append(pair)
        return found

    def _unlike(self, pairs: Sequence[_ShownPair]) -> Iterator[_ShownPair]:
        """The pairs of which any triangle differs from the one at its place."""
        meshes, parts = [it.mesh for it in pairs if it.mesh is not None], [it.part for it in pairs]
        counts = [self._surfaces.count(it) for it in parts]
        starts = np.cumsum([0, *counts])
        near = np.repeat([*map(self._near, pairs, self._surfaces.largest(parts).tolist())], counts)
        found = np.empty(len(near), np.bool_)
        # A pair may have more triangles than are compared at once; their values take 240 bytes each.
        for first in range(0, len(near), MOST_TRIANGLES):
            some = slice(first, first + MOST_TRIANGLES)
            given, made = self._triangles(meshes, some), self._surfaces.of_parts(parts, some)
            found[some] = given.is_same(made, near[some])
        is_same = np.logical_and.reduceat(found, starts[:-1])
        yield from (pair for pair, same in zip(pairs, is_same.tolist(), strict=True) if not same)

    def _near(self, pair: _ShownPair, size: float) -> float:
        """Distance of equal positions of a mesh that a node shows, whose largest coordinate is `size`."""
        rounding = self._given.meshes[pair.mesh or 0].rounding
        return self._poses.near(self._numbers[pair.node] or 0, size) + rounding

    def _count(self, mesh: int) -> int:
        return sum(len(it.triangles) for it in self._given.meshes[mesh].primitives)

    def _triangles(self, meshes: Sequence[int], some: slice = ALL) -> Triangles:
        """The triangles of meshes of the file, or some of these."""
        primitives = (it for mesh in meshes for it in self._given.meshes[mesh].primitives)
        return Triangles.of([*map(self._stored, primitives)], self._rows, some)

    def _stored(self, primitive: Primitive) -> Primitive:
        """A primitive as it is stored; the material of one that is left is not compared."""
        made = self._comparison.as_stored(primitive)
        is_left = primitive.batch in self._comparison.left_batches
        return replace(made, material=self._left_material) if is_left else made

    def _of_pair(self, name: str, pair: _ShownPair) -> Iterator[Deviation]:
        made = self._surfaces.of_parts([pair.part])
        if pair.mesh is None:
            if count := int((~made.is_flat).sum()):
                yield Deviation(DeviationKind.EXTRA, name, count)
            return
        given = self._triangles([pair.mesh])
        near = self._near(pair, float(np.abs(made.positions).max(initial=0)))
        match = matched(given, made, near)
        if pair.is_elsewhere and (len(match.new) or len(match.gone)):
            number = self._numbers[pair.node] or 0
            placed = given.placed(self._poses.offset(self._given.nodes[pair.node], number))
            # Ten times: an inverse and a product more have rounded the places.
            other = matched(placed, made, 10 * near)
            if len(other.new) < len(match.new):
                given, match = placed, other
        yield from self._of_surface(name, given, made, match)

    def _of_surface(
        self, name: str, given: Triangles, made: Triangles, match: TriangleMatch
    ) -> Iterator[Deviation]:
        new, gone = len(match.new), len(match.gone)
        moved = min(new, gone)
        if moved:
            points = [
                it.positions[rows].reshape(-1, 3) for it, rows in ((given, match.new), (made, match.gone))
            ]
            away = max(farthest(*points), farthest(*reversed(points)))
            yield Deviation(DeviationKind.MOVED, name, moved, away)
        if new > moved:
            yield Deviation(DeviationKind.MISSING, name, new - moved)
        if gone > moved:
            yield Deviation(DeviationKind.EXTRA, name, gone - moved)
        yield from self._of_corners(name, given, made, match)

    def _of_corners(
        self, name: str, given: Triangles, made: Triangles, match: TriangleMatch
    ) -> Iterator[Deviation]:
        if not len(match.given):
            return
        yield from _of_normals(name, given, made, match)
        is_ground = self._surfaces.is_ground
        yield from _of_uvs(
            DeviationKind.UVS, name, *match.of_corners(given.uvs, made.uvs), is_ground=is_ground
        )
        pair = match.of_corners(given.lightmap_uvs, made.lightmap_uvs)
        yield from _of_uvs(DeviationKind.LIGHTMAP_UVS, name, *pair, is_ground=is_ground)
        material, stored = given.material[match.given[:, 0] // 3], made.material[match.made[:, 0] // 3]
        is_none = material == NEW
        is_other = (material != stored) & ~is_none & (material != ANY)
        if is_other.any():
            yield Deviation(DeviationKind.MATERIAL, name, int(is_other.sum()))
        if is_none.any():
            yield Deviation(DeviationKind.NO_MATERIAL, name, int(is_none.sum()))


def _of_pose(name: str, pose: PoseDifference, *, is_same: bool) -> Iterator[Deviation]:
    """Deviation of a node's pose; `is_same` if all that it shows is in its place."""
    if pose.frame is None and is_same and not pose.angle:
        yield Deviation(DeviationKind.ORIGIN, name, size=pose.away)
        return
    kinds = DeviationKind.MOVED_PLACE, DeviationKind.MOVED_TURN
    if pose.frame is None:
        kinds = DeviationKind.PLACE, DeviationKind.TURN
    elif pose.is_between:
        kinds = DeviationKind.BETWEEN_PLACE, DeviationKind.BETWEEN_TURN
    for kind, size in zip(kinds, (pose.away, pose.angle), strict=True):
        if size:
            yield Deviation(kind, name, pose.count, size, pose.frame or 0.0)


def _of_normals(name: str, given: Triangles, made: Triangles, match: TriangleMatch) -> Iterator[Deviation]:
    one, other = match.of_corners(given.normals, made.normals)
    with np.errstate(invalid="ignore"):
        # Of few corners the angles have to be measured.
        rest = np.flatnonzero((np.abs(one - other) > SAME_NORMAL).any(axis=1))
    if not len(rest):
        return
    found = angles(unit(one[rest]), other[rest])
    found[given.is_flat[match.given.reshape(-1)[rest] // 3]] = 0
    if (found > SAME_ANGLE).any():
        yield Deviation(DeviationKind.NORMALS, name, int((found > SAME_ANGLE).sum()), float(found.max()))


def _of_uvs(
    kind: DeviationKind, name: str, one: Floats, other: Floats, *, is_ground: bool
) -> Iterator[Deviation]:
    """The deviation of texture coordinates of corners (3 t, 2) of a file from those of the model."""
    if np.isnan(one[:, 0]).all():
        return
    with np.errstate(invalid="ignore"):
        apart = (one - other).reshape(-1, 3, 2)
        # Textures repeat, those of terrain too, lightmaps do not.
        apart -= np.rint(apart[:, :1]) if is_ground or kind is DeviationKind.UVS else 0
        # On terrain they may also start over within a triangle.
        apart -= TURNS * np.rint(apart / TURNS) if is_ground else 0
        away = np.abs(apart).max(axis=2).reshape(-1)
    # Of a file without them nothing can differ.
    is_off = ~(away <= ROUNDED_UV) & ~np.isnan(one[:, 0])
    if not is_off.any():
        return
    if np.isnan(other[is_off]).any():
        yield Deviation(
            DeviationKind.SECOND_UVS if kind is DeviationKind.LIGHTMAP_UVS else kind, name, int(is_off.sum())
        )
    else:
        yield Deviation(kind, name, int(is_off.sum()), float(away[is_off].max()))


def _over_seam(uvs: Floats) -> Floats:
    """Coordinates of the corners of triangles of terrain, (t, 3, 2); NaN if there are none."""
    return uvs if np.isnan(uvs).any() else without_seam(uvs)


class ModelSurfaces:
    """The triangles of the parts of a model."""

    def __init__(self, source: ModelSource) -> None:
        model = source.model
        self.is_ground = model.variant is Variant.TERRAIN
        self._draws, self._part = source.draws, CellParts(source).part
        normals, uvs, second = model.normals_raw, model.uvs_raw, lightmap_uvs(source)
        self._reach = np.abs(model.positions).max(axis=1, initial=0)
        none = np.full((len(model.positions), 3), np.nan, np.float32)
        self._streams = (
            model.positions,
            none if normals is None else unit(vertices.decode_normals(normals)).astype(np.float32),
            none[:, :2] if uvs is None else vertices.decode_uvs(uvs),
            none[:, :2] if second is None else second,
        )
        self._row = wear_rows_of_draws(source)
        self._counts = np.diff(source.draws.triangle_start)
        self._starts = np.searchsorted(source.draws.part, np.arange(len(source.draws.parts) + 1))

    def part(self, number: int, cell: Cell) -> int:
        """The part that a node shows in a cell, -1 for none."""
        return int(self._part[number, cell[0] * GROUPS + cell[1]]) if number < len(self._part) else -1

    def slot(self, part: int) -> int:
        """The slot of a part, or a number below -1 that no other part has."""
        slot = NO_SLOT if part < 0 else int(self._draws.parts.slot[part])
        return -2 - part if slot == NO_SLOT else slot

    def count(self, part: int) -> int:
        """Number of triangles of a part."""
        first, last = self._range(part)
        return int(self._draws.triangle_start[last] - self._draws.triangle_start[first])

    def _range(self, part: int) -> tuple[int, int]:
        """The first draw of a part and the one after its last; none of -1."""
        # Draws are in the order of their parts: those of a part are one run.
        return (int(self._starts[part]), int(self._starts[part + 1])) if part >= 0 else (0, 0)

    def largest(self, parts: Sequence[int]) -> Floats:
        """The largest coordinate of each part that has triangles, (p,)."""
        draws = self._draws_of(parts)
        corners = self._draws.corners[expand(self._draws.triangle_start[draws], self._counts[draws])]
        starts = np.cumsum([0, *(self.count(it) for it in parts[:-1])])
        return np.maximum.reduceat(self._reach[corners].max(axis=1), starts)

    def of_parts(self, parts: Sequence[int], some: slice = ALL) -> Triangles:
        """The triangles of parts, one after the other, or some of these; none of -1."""
        draws = self._draws_of(parts)
        first, taken = within(self._counts[draws], some)
        corners = self._draws.corners[expand(self._draws.triangle_start[draws] + first, taken)]
        positions, normals, uvs, second = (it[corners] for it in self._streams)
        if self.is_ground:
            uvs, second = (_over_seam(it) for it in (uvs, second))
        return Triangles(positions, normals, uvs, second, np.repeat(self._row[draws], taken))

    def _draws_of(self, parts: Sequence[int]) -> Indices:
        """The draws of parts, one after the other."""
        first, last = np.array([self._range(it) for it in parts], np.int64).reshape(-1, 2).T
        return expand(first, last - first)


def present_numbers(
    given: Scene, numbers: Sequence[int | None], made: ModelSource, moves: RowMoves
) -> list[int | None]:
    """The number that each node of a file has in the model; None for one that is not there.

    Parameters
    ----------
    numbers
        Those that they had while they were compared, new ones from the end on.
    """
    count = made.model.node_count
    if moves.nodes is None:
        return [None if it is None or it >= count else it for it in numbers]
    present = {old: index for index, old in enumerate(moves.nodes.order) if old is not None}
    added = [index for index, old in enumerate(moves.nodes.order) if old is None]
    found = [present.get(-1 if it is None else it) for it in numbers]
    new = [index for index, it in enumerate(numbers) if it is not None and it >= moves.nodes.count]
    # Rows say nothing of new nodes: of several each has its name.
    for index in sorted(new, key=lambda it: numbers[it] or 0):
        named = [it for it in added if made.names[it] == given.nodes[index].name] or added
        if named:
            found[index] = named[0]
            added.remove(named[0])
    return found
