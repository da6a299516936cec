"""Nodes whose place a program changed while it quantized their vertices, at their places in the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np
from msgspec.structs import replace

from viewer.geometry.transforms import Floats, Matrix, inverse
from viewer.model.convert.motion.rotations import turn_matrix
from viewer.model.convert.scene import Mesh, Node, Scene
from viewer.model.convert.shapes import mapped, transformed

CLOSE: Final = 1e-6
"""Distance of equal positions, as a fraction of the largest coordinate."""
SAME: Final = 1e-5
"""Difference of equal places of nodes."""


def unmoved(expected: Scene, given: Scene, nodes: Sequence[int | None]) -> Scene:
    """A scene with nodes at their places in the model, if their quantized vertices are where they were.

    A node whose origin was set has other vertices too, but floats, and is where the file has it.

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
        if known is None or not node.cells:
            continue
        if not all(given.meshes[mesh].rounding for mesh in node.cells.values()):
            continue
        if (node.position, node.rotation) == (known.position, known.rotation):
            continue
        is_shared = any(users[mesh] > 1 for mesh in node.cells.values())
        # Moving the origin of these would move other nodes, or keys, with it.
        if is_shared or index in parents or not node.track is known.track is None:
            continue
        if not node.cells.keys() <= known.cells.keys():
            continue
        # From the space of the node in the file into that of the node in the model.
        change = inverse(_place(known)) @ _place(node)
        change_by = partial(transformed, matrix=change[:3, :3], offset=change[:3, 3])
        moved = {mesh: mapped(given.meshes[mesh], change_by) for mesh in node.cells.values()}
        pairs = [(moved[mesh], expected.meshes[known.cells[cell]]) for cell, mesh in node.cells.items()]
        if np.abs(change - np.eye(4)).max() > SAME and all(_is_same(*pair) for pair in pairs):
            made[index] = replace(node, position=known.position, rotation=known.rotation)
            for mesh, other in moved.items():
                meshes[mesh] = other
    return replace(given, nodes=tuple(made), meshes=tuple(meshes))


def _place(node: Node) -> Matrix:
    """From the space of a node into that of its parent, (4, 4)."""
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = turn_matrix(node.rotation), node.position
    return found


def _is_same(mesh: Mesh, known: Mesh) -> bool:
    """Whether vertices with a row of the model are where it has them; some of them are needed."""
    others = dict(_rows(known))
    pairs = [(place, others[row]) for row, place in _rows(mesh) if row in others]
    if not pairs:
        return False
    own, places = (np.array(it, np.float64) for it in zip(*pairs, strict=True))
    # The place of the node itself is rounded too.
    near = CLOSE * float(np.abs(places).max())
    return bool(np.abs(own - places).max() <= 2 * mesh.rounding + near)


def _rows(mesh: Mesh) -> Iterator[tuple[int, Floats]]:
    """Row and position of all vertices that say their row."""
    for it in mesh.primitives:
        if it.vertices is not None:
            yield from zip(it.vertices.tolist(), it.positions, strict=True)
