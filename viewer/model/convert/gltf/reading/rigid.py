"""Rigid parts out of nodes with scale: what a node stretches is stretched in its vertices instead.

The world of a node is W * L: a rigid W, and L, which its vertices get. A child that is moved by t and turned
by R under a parent with L is moved by L * t; where L is a scale by one factor, mirrored or not, it is turned
by L * R / L, at any time. Otherwise the parts below would be sheared when they turn, which is a loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.errors import FormatError
from viewer.model.convert.gltf.reading.hierarchy import UNIT, Matrix, Placed, parents_first, turn_matrix
from viewer.model.convert.scene import IDENTITY, ZERO, Floats, Mesh, Primitive, Rotation, Track, Vector
from viewer.model.mesh.draws import Indices
from viewer.model.mesh.skeleton import ROOT, levels_of
from viewer.translation import Sentence

SAME: Final = 1e-5
"""A stretch this near to none is none: other programs round."""
LARGEST: Final = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True, eq=False)
class Rigid:
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


def rigid(node: Placed, outer: Matrix) -> Rigid:
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
    square = stretch.T @ stretch
    size = square.trace() / 3
    return bool(np.abs(square - size * UNIT).max() <= SAME * size)


def stretched_track(track: Track, outer: Matrix) -> Track:
    """The movement of a node below a stretch."""
    if outer is UNIT:
        return track
    positions = (track.positions @ outer.T).astype(np.float32)
    return Track(track.times, positions, _turned(track.rotations, outer))


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
    result[:, 1:] = rotations[:, 1:] @ (turn * np.linalg.det(turn)).T
    return result


def stretched(mesh: Mesh, stretch: Matrix) -> Mesh:
    """A mesh with its vertices multiplied; a mirrored one with its winding turned."""
    if stretch is UNIT:
        return mesh
    return replace(mesh, primitives=tuple(_stretched(primitive, stretch) for primitive in mesh.primitives))


def placed(mesh: Mesh, part: Rigid) -> Mesh:
    """The mesh of a part in the space of its parent."""
    turn = turn_matrix(part.rotation)
    made = []
    for it in stretched(mesh, part.stretch).primitives:
        normals = None if it.normals is None else (it.normals @ turn.T).astype(np.float32)
        positions = (it.positions @ turn.T + part.position).astype(np.float32)
        made.append(replace(it, positions=positions, normals=normals))
    return replace(mesh, primitives=tuple(made))


def _stretched(primitive: Primitive, stretch: Matrix) -> Primitive:
    triangles = primitive.triangles
    if np.linalg.det(stretch) < 0:
        triangles = np.ascontiguousarray(triangles[:, ::-1])
    normals = primitive.normals
    if normals is not None:
        normals = directions(normals @ cofactors(stretch).T)
    positions = (primitive.positions @ stretch.T).astype(np.float32)
    return replace(primitive, positions=positions, triangles=triangles, normals=normals)


def cofactors(stretch: Matrix) -> Matrix:
    """What normals are multiplied with: the inverse transpose without its division, (..., 3, 3)."""
    a, b, c = np.moveaxis(stretch, -1, 0)
    found = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=-1)
    sign = np.where(np.linalg.det(stretch) < 0, -1, 1)
    return np.asarray(found * sign[..., None, None])


def directions(vectors: npt.NDArray[np.float64]) -> Floats:
    """Vectors of length 1, (n, 3); zeros stay."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(length == 0, 1, length), np.float32)


class Worlds:
    """The nodes of a file as rigid parts, and where they are at rest.

    Attributes
    ----------
    rigid
        Each node as a part.
    world
        The world of each part, (n, 4, 4).
    full
        The same with what it stretches, (n, 4, 4).
    """

    def __init__(self, nodes: Sequence[Placed]) -> None:
        self.rigid: list[Rigid] = [NOTHING] * len(nodes)
        parents = [it.parent for it in nodes]
        for node in parents_first(parents):
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
            raise FormatError(Sentence("is too large"), table=nodes[node].item.path)


def _worlds(parts: Sequence[Rigid], parents: Indices) -> Matrix:
    """The world of each part, (n, 4, 4), by the parents (n,) of all."""
    world = np.tile(np.eye(4), (len(parts), 1, 1))
    world[:, :3, :3] = turn_matrix(np.array([it.rotation for it in parts]).reshape(-1, 4))
    world[:, :3, 3] = np.array([it.position for it in parts]).reshape(-1, 3)
    for level in levels_of(parents)[1:]:
        world[level] = world[parents[level]] @ world[level]
    return world
