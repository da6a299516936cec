"""Nodes that were moved with their vertices moved back: what they show is where it was.

So does `gltf-transform quantize`, which puts the offset and scale of stored positions into the node. Taken as
it is, the part would turn about another point, and its other levels would be elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from viewer.geometry.transforms import Floats, Matrix, inverse, transform_points
from viewer.model.convert.rotations import turn_matrix
from viewer.model.convert.scene import Mesh, Node, Primitive, Scene

NEAR: Final = 2e-3
"""Distance of vertices that are where they were, as a part of the size of the mesh: quantizing rounds."""
SAME: Final = 1e-5
"""Difference of equal places of nodes."""


def unmoved(expected: Scene, given: Scene, nodes: Sequence[int | None]) -> Scene:
    """A scene with nodes at their places in the model, if their vertices are where they were.

    Parameters
    ----------
    nodes
        The expected node of each given one; None for a new one.
    """
    users = Counter(mesh for node in given.nodes for mesh in {*node.cells.values()})
    parents = {node.parent for node in given.nodes}
    made, meshes = [*given.nodes], [*given.meshes]
    for index, (node, at) in enumerate(zip(given.nodes, nodes, strict=True)):
        known = None if at is None else expected.nodes[at]
        if known is None or not node.cells or _has_place(node, known):
            continue
        is_shared = any(users[mesh] > 1 for mesh in node.cells.values())
        if is_shared or index in parents or not node.track is known.track is None:
            continue
        if not node.cells.keys() <= known.cells.keys():
            continue
        change = inverse(_place(known)) @ _place(node)
        moved = {mesh: _moved(given.meshes[mesh], change) for mesh in node.cells.values()}
        pairs = [(moved[mesh], expected.meshes[known.cells[cell]]) for cell, mesh in node.cells.items()]
        if np.abs(change - np.eye(4)).max() > SAME and all(_is_same(*pair) for pair in pairs):
            made[index] = replace(node, position=known.position, rotation=known.rotation)
            for mesh, other in moved.items():
                meshes[mesh] = other
    return replace(given, nodes=tuple(made), meshes=tuple(meshes))


def _has_place(node: Node, known: Node) -> bool:
    return (node.position, node.rotation) == (known.position, known.rotation)


def _place(node: Node) -> Matrix:
    """From the space of a node into that of its parent, (4, 4)."""
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = turn_matrix(node.rotation), node.position
    return found


def _moved(mesh: Mesh, change: Matrix) -> Mesh:
    def moved(it: Primitive) -> Primitive:
        normals = None if it.normals is None else (it.normals @ change[:3, :3].T).astype(np.float32)
        return replace(
            it, positions=transform_points(change, it.positions).astype(np.float32), normals=normals
        )

    return replace(mesh, primitives=tuple(map(moved, mesh.primitives)))


def _is_same(mesh: Mesh, known: Mesh) -> bool:
    """Whether vertices with a row of the model are where it has them; some of them are needed."""
    others = dict(_rows(known))
    pairs = [(place, others[row]) for row, place in _rows(mesh) if row in others]
    if not pairs:
        return False
    own, places = (np.array(it, np.float64) for it in zip(*pairs, strict=True))
    size = float(np.ptp(places, axis=0).max())
    return bool(np.abs(own - places).max() <= NEAR * size)


def _rows(mesh: Mesh) -> Iterator[tuple[int, Floats]]:
    """Yield row and position of all vertices that say their row."""
    for it in mesh.primitives:
        if it.vertices is not None:
            yield from zip(it.vertices.tolist(), it.positions, strict=True)
