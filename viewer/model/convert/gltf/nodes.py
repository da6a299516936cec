"""The node tree of a file, and rigid parts out of nodes with scale, whose vertices are stretched instead.

The world of a node is W * L: a rigid W, and L, which its vertices get. A child that is moved by t and turned
by R under a parent with L is moved by L * t; where L is a scale by one factor, mirrored or not, it is turned
by L * R / L, at any time. Otherwise the parts below would be sheared when they turn, which is a loss.

Source: glTF 2.0, 3.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.errors import FormatError
from viewer.geometry.transforms import Floats, Indices, Matrix, nearest_rotation
from viewer.model.convert.gltf.arrays import GltfFile
from viewer.model.convert.gltf.document import JsonItem
from viewer.model.convert.motion.rotations import Axes, turn_matrix, unit_rotations
from viewer.model.convert.scene import IDENTITY, ZERO, Rotation, Track, Vector
from viewer.model.mesh.pose.skeleton import ROOT, levels_of
from viewer.translation import _

UNIT: Final = np.eye(3)
"""The stretch of a node without scale, this very object."""
LIGHTS: Final = "KHR_lights_punctual"
UNIT_WITHIN: Final = 1e-5
"""Largest difference from 1 of the length of a rotation that is scaled to 1."""
_SQUARE: Final = 1e-5
"""Largest cosine between the axes of a matrix that is not sheared."""
_NO_VALUES: Final = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0)
_IDENTITY: Final = tuple(np.eye(4).ravel().tolist())
SAME: Final = 1e-5
"""A stretch this near to none is none: other programs round."""
LARGEST: Final = float(np.finfo(np.float32).max)


class PlacedNode(Struct, frozen=True, eq=False):
    """A node of the file in the model's axes: a vertex is stretched, turned, then moved.

    Attributes
    ----------
    parent
        Index of its parent in the file; None for a root.
    rotation
        w, x, y, z, (4,) float32.
    stretch
        (3, 3): scale, which no rigid part has; with shear, if its matrix has that.
    """

    item: JsonItem
    parent: int | None
    position: npt.NDArray[np.float32]
    rotation: npt.NDArray[np.float32]
    stretch: Matrix


def parents_of(document: GltfFile) -> list[int | None]:
    """The parent of every node; raises `FormatError` for nodes with two parents, and for circles."""
    count = document.count("nodes")
    parents: list[int | None] = [None] * count
    children = [item.indices("children", count) for item in document.items("nodes")]
    for node, below in enumerate(children):
        for at, child in enumerate(below):
            if parents[child] is not None or child == node:
                path = f"nodes[{node}].children[{at}]"
                raise FormatError(_("node {node} has a parent already", node=child), table=path)
            parents[child] = node
    reached = len(from_the_roots(parents))
    if reached < count:
        raise FormatError(_("{count} nodes form a circle", count=count - reached), table="nodes")
    return parents


def nodes_of_scene(document: GltfFile, parents: list[int | None], scene: JsonItem | None) -> list[int]:
    """The nodes of a scene in the order of the file; all of them if there is none."""
    count = document.count("nodes")
    if scene is None:
        return list(range(count))
    roots = scene.indices("nodes", count)
    for at, root in enumerate(roots):
        if parents[root] is not None:
            path = f"{scene.path}.nodes[{at}]"
            raise FormatError(_("node {node} has a parent", node=root), table=path)
    children = [item.indices("children", count) for item in document.items("nodes")]
    return sorted(set(_below(roots, children)))


def from_the_roots(parents: Sequence[int | None]) -> list[int]:
    """All nodes that are below a root, each after its parent."""
    children: list[list[int]] = [[] for _ignored in parents]
    for node, parent in enumerate(parents):
        if parent is not None:
            children[parent].append(node)
    return _below([node for node, parent in enumerate(parents) if parent is None], children)


def _below(roots: Iterable[int], children: list[list[int]]) -> list[int]:
    """Nodes and everything below them, parents first."""
    # The list grows while it is read, so parents come before their children.
    found = list(roots)
    for node in found:
        found.extend(children[node])
    return found


def placed(axes: Axes, items: Sequence[JsonItem], parents: Sequence[int | None]) -> list[PlacedNode]:
    """The nodes with their transforms."""
    values = np.array([_values(item) for item in items]).reshape(-1, 10)
    single = values[:, :7].astype(np.float32)
    positions = axes.inward(single[:, :3])
    rotations = unit_rotations(axes.rotations_inward(single[:, 3:]), UNIT_WITHIN)
    stretches = [UNIT] * len(items)
    for node in np.flatnonzero((values[:, 7:] != 1).any(axis=1)).tolist():
        # From the axes of the model to those of the file, scaled there, and back.
        stretches[node] = axes.matrix @ np.diag(values[node, 7:]) @ axes.matrix.T
    made = map(PlacedNode, items, parents, positions, rotations, stretches)
    return [_of_matrix(axes, it.item, it.parent) if "matrix" in it.item else it for it in made]


def _values(item: JsonItem) -> tuple[float, ...]:
    """Translation, rotation and scale of a node; none of one that has a matrix."""
    if "matrix" in item:
        return _NO_VALUES
    return (
        *item.numbers("translation", _NO_VALUES[:3]),
        *item.numbers("rotation", _NO_VALUES[3:7]),
        *item.numbers("scale", _NO_VALUES[7:]),
    )


def _of_matrix(axes: Axes, item: JsonItem, parent: int | None) -> PlacedNode:
    """A node whose transform is a matrix, column by column."""
    matrix = np.array(item.numbers("matrix", _IDENTITY)).reshape(4, 4).T
    linear = axes.matrix @ matrix[:3, :3] @ axes.matrix.T
    if np.abs(matrix).max() > np.finfo(np.float32).max:
        raise item.wrong("matrix", "is too large")
    # A mirror is no rotation: the x axis is turned over first, and the stretch turns it over again.
    mirror = np.diag([-1.0 if np.linalg.det(linear) < 0 else 1.0, 1, 1])
    turn = nearest_rotation(_orthonormal(linear @ mirror))
    stretch = turn_matrix(turn).T @ linear
    position = axes.inward(matrix[None, :3, 3])[0].astype(np.float32)
    return PlacedNode(item, parent, position, turn.astype(np.float32), stretch)


def _orthonormal(linear: Matrix) -> Matrix:
    """The rotation of a matrix without its scale; with shear the nearest one."""
    # Columns are where the axes go; with shear they are not at right angles.
    length = np.linalg.norm(linear, axis=0)
    columns = linear / np.where(length == 0, 1, length)
    if (length > 0).all() and np.abs(columns.T @ columns - np.eye(3)).max() < _SQUARE:
        return columns
    left, _ignored, right = np.linalg.svd(linear)
    return np.asarray(left @ np.diag([1, 1, np.linalg.det(left @ right)]) @ right)


class Rigid(Struct, frozen=True, eq=False):
    """A node as a rigid part.

    Attributes
    ----------
    position, rotation
        Its rest pose in its parent's space.
    stretch
        What its vertices, and the positions of its children, are multiplied with, (3, 3).
    outer
        The stretch of its parent.
    """

    position: Vector
    rotation: Rotation
    stretch: Matrix
    outer: Matrix


NOTHING: Final = Rigid(ZERO, IDENTITY, UNIT, UNIT)


def rigid(node: PlacedNode, outer: Matrix) -> Rigid:
    """A node below a stretch."""
    rotation: npt.NDArray[np.float32] = node.rotation
    position = node.position
    if outer is UNIT:
        stretch = node.stretch
    else:
        position = (outer @ position).astype(np.float32)
        rotation = _turned(rotation[None], outer)[0]
        stretch = turn_matrix(rotation).T @ outer @ turn_matrix(node.rotation) @ node.stretch
    is_none = stretch is UNIT or np.abs(stretch - UNIT).max() < SAME
    x, y, z = position.tolist()
    w, i, j, k = rotation.tolist()
    return Rigid((x, y, z), (w, i, j, k), UNIT if is_none else stretch, outer)


def is_similar(stretch: Matrix) -> bool:
    """Whether a stretch is a scale by one factor, mirrored or not, and turned or not."""
    # Of a rotation or mirror R times s this is s * s times the identity.
    square = stretch.T @ stretch
    size = square.trace() / 3
    return bool(np.abs(square - size * UNIT).max() <= SAME * size)


def stretched_track(track: Track, outer: Matrix) -> Track:
    """The movement of a node below a stretch."""
    positions = (track.positions @ outer.T).astype(np.float32)
    return Track(track.times, positions, _turned(track.rotations, outer))


def shear(track: Track, node: PlacedNode, part: Rigid) -> float:
    """Error of a part that turns under a stretch, as a fraction of its size."""
    turns = turn_matrix(track.rotations)
    # Where the file has a vertex at each key, against where a rigid part with a fixed stretch puts it.
    there = part.outer @ turns @ node.stretch
    away = np.linalg.norm(there - turns @ part.stretch, ord=2, axis=(1, 2))
    return float((away / np.maximum(np.linalg.norm(there, ord=2, axis=(1, 2)), 1e-9)).max())


def _turned(rotations: Floats, outer: Matrix) -> Floats:
    """Rotations under a stretch: a mirror turns their axes, a scale by several factors leaves them."""
    if not is_similar(outer):
        return rotations
    size = np.sqrt((outer.T @ outer).trace() / 3)
    if size == 0:
        return rotations
    # A rotation about an axis becomes one about the turned axis, the other way round in a mirror.
    turn = outer / size
    result = rotations.copy()
    # x, y and z are the axis times the sine of half the angle, w its cosine, which no turn of the axis
    # changes.
    result[:, 1:] = rotations[:, 1:] @ (turn * np.linalg.det(turn)).T
    return result


class Worlds:
    """The nodes of a file as rigid parts, and where they are at rest.

    Attributes
    ----------
    rigid
        Each node as a part.
    world
        The world of each part, (n, 4, 4).
    full
        The world of each part with its stretch, (n, 4, 4).
    """

    def __init__(self, nodes: Sequence[PlacedNode]) -> None:
        self.rigid: list[Rigid] = [NOTHING] * len(nodes)
        parents = [it.parent for it in nodes]
        for node in from_the_roots(parents):
            above = parents[node]
            self.rigid[node] = rigid(nodes[node], UNIT if above is None else self.rigid[above].stretch)
        self.world = _worlds(self.rigid, np.array([ROOT if it is None else it for it in parents], np.int64))
        self.full = self.world.copy()
        for node, part in enumerate(self.rigid):
            if part.stretch is not UNIT:
                self.full[node, :3, :3] = self.world[node, :3, :3] @ part.stretch
        is_held = np.abs(self.full) <= LARGEST
        if not is_held.all():
            node = int(np.argmin(is_held.all(axis=(1, 2))))
            raise nodes[node].item.wrong("", "is too large")


def _worlds(parts: Sequence[Rigid], parents: Indices) -> Matrix:
    """The world of each part, (n, 4, 4), by the parents (n,) of all."""
    world = np.tile(np.eye(4), (len(parts), 1, 1))
    world[:, :3, :3] = turn_matrix(np.array([it.rotation for it in parts]).reshape(-1, 4))
    world[:, :3, 3] = np.array([it.position for it in parts]).reshape(-1, 3)
    for level in levels_of(parents)[1:]:
        world[level] = world[parents[level]] @ world[level]
    return world
