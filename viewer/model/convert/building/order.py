"""The rows of nodes, parents before children, and the scale that moves from nodes into their vertices.

A node of the game has a position and a rotation. A scale is applied to the vertices of the node, and to the
positions of its children, which scale their own vertices in turn.

Source: spec/msh.md 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from viewer.errors import FormatError
from viewer.formats.msh.nodes import NODE, NONE
from viewer.geometry.quaternions import conjugate
from viewer.geometry.transforms import Matrix
from viewer.model.convert.building.values import Losses
from viewer.model.convert.scene import ONE, Node, Scene
from viewer.model.mesh.animation import rotations
from viewer.model.mesh.skeleton import ROOT
from viewer.translation import Sentence

EVEN = 1e-5
"""Difference between the scales along the axes, as a fraction, that is none."""


@dataclass(frozen=True, slots=True, eq=False)
class NodeOrder:
    """Where the nodes of a scene are in the table.

    Attributes
    ----------
    nodes
        Number in the scene of the node of each row.
    rows
        Row of each node of the scene.
    parents
        Row of the parent of each row; `ROOT` for none.
    scales
        The matrix (3, 3) of the vertices of each row; None for those that stay as they are.
    """

    nodes: Sequence[int]
    rows: Sequence[int]
    parents: Sequence[int]
    scales: Sequence[Matrix | None]

    def row_of_number(self, scene: Scene) -> dict[int, int]:
        """The row of every node that was a row of the model before."""
        numbers = ((scene.nodes[node].number, row) for row, node in enumerate(self.nodes))
        return {number: row for number, row in numbers if number is not None}


def order_of(scene: Scene, losses: Losses) -> NodeOrder:
    """The order of a scene's nodes: as they are, but for parents after their children."""
    if len(scene.nodes) > NONE:
        message = Sentence("{count} nodes, at most {limit}", count=len(scene.nodes), limit=NONE)
        raise FormatError(message, table=NODE.name, index=NONE, field="parent")
    parents = [_parent(scene, node) for node in scene.nodes]
    nodes = _parents_first(parents, losses)
    rows = [0] * len(nodes)
    for row, node in enumerate(nodes):
        rows[node] = row
    above = [parents[node] for node in nodes]
    parent_rows = [ROOT if parent is None else rows[parent] for parent in above]
    return NodeOrder(nodes, rows, parent_rows, _scales(scene, nodes, parent_rows, losses))


def _parent(scene: Scene, node: Node) -> int | None:
    parent = node.parent
    return parent if parent is not None and 0 <= parent < len(scene.nodes) else None


def _parents_first(parents: list[int | None], losses: Losses) -> list[int]:
    """All nodes, each after its parent; a parent that closes a cycle is taken away."""
    order: list[int] = []
    is_listed, is_waiting = [False] * len(parents), [False] * len(parents)
    for node in range(len(parents)):
        chain: list[int] = []
        above: int | None = node
        while above is not None and not is_listed[above] and not is_waiting[above]:
            is_waiting[above] = True
            chain.append(above)
            above = parents[above]
        if above is not None and not is_listed[above]:
            parents[chain[-1]] = None
            losses.add("nodes in a cycle of parents: {count}; one of them becomes a root", len(chain))
        for member in reversed(chain):
            is_listed[member] = True
            order.append(member)
    return order


def _scales(
    scene: Scene, nodes: Sequence[int], parents: Sequence[int], losses: Losses
) -> Sequence[Matrix | None]:
    if all(node.scale == ONE for node in scene.nodes):
        return [None] * len(nodes)
    scales: list[Matrix | None] = []
    uneven = 0
    for number, parent in zip(nodes, parents, strict=True):
        node = scene.nodes[number]
        above = None if parent == ROOT else scales[parent]
        uneven += above is not None and not _is_even(above) and _turns(node)
        scales.append(_scale(node, above))
    losses.add(
        "nodes with a scale: {count}; it is applied to vertices and to the positions of children",
        sum(node.scale != ONE for node in scene.nodes),
    )
    losses.add(
        "nodes that turn within an uneven scale: {count}; they keep the shape of their first key", uneven
    )
    return scales


def _scale(node: Node, above: Matrix | None) -> Matrix | None:
    """The matrix of the vertices of a node whose parent has the matrix `above`."""
    if above is None:
        return None if node.scale == ONE else np.diag(np.array(node.scale, np.float64))
    if _is_even(above):
        return np.diag(np.array(node.scale, np.float64) * above[0, 0])
    first = node.track.rotations[0] if node.track is not None and len(node.track.times) else node.rotation
    rotation = rotations(np.array([conjugate(first)]))[0]
    turned: Matrix = rotation.T @ above @ rotation @ np.diag(np.array(node.scale, np.float64))
    return turned


def _is_even(matrix: Matrix) -> bool:
    size = abs(float(matrix[0, 0]))
    return bool(np.abs(matrix - np.eye(3) * matrix[0, 0]).max() <= EVEN * size)


def _turns(node: Node) -> bool:
    return node.track is not None and bool((node.track.rotations != node.track.rotations[:1]).any())
