"""Renamed nodes of files without ids: what stands at the place of one node of the model, like it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from viewer.model.convert.scene import IDENTITY, ZERO, Node, Scene

NEAR: Final = 1e-3
"""Distance of places that may be the same, in each coordinate."""


def with_renamed(
    lost: Sequence[int], given: Scene, free: set[int], expected: Scene, found: Sequence[int | None]
) -> list[int | None]:
    """The expected node of each node of a file, with those that were renamed.

    Parameters
    ----------
    lost
        Nodes of the file that are none of the model by their ids and names.
    free
        Nodes of the model that are none of the file; those that are found are removed.
    found
        The expected node of each, None for a new one.
    """
    likely = [*found]
    held = held_by(given)
    _match(
        lost,
        [_triangles(given, it, held.get(at, ())) for at, it in enumerate(given.nodes)],
        given,
        free,
        expected,
        likely,
    )
    holder = {it: at for at, own in held.items() for it in own}
    # Of a file that has lost all its nodes some look like renamed ones by chance, those at the origin.
    is_whole = all(likely[holder.get(it, it)] is not None for it in lost if given.nodes[it].cells)
    return likely if is_whole or any(at is not None for at in found) else [*found]


def held_by(given: Scene) -> dict[int, list[int]]:
    """The nodes at the place of their parent that have a mesh and nothing else, by that parent.

    Programs hang the meshes of a node on such children; a parent with a mesh of its own has none.
    """
    parents = {it.parent for it in given.nodes}
    found: dict[int, list[int]] = {}
    for index, node in enumerate(given.nodes):
        is_bare = node.number is None and node.track is None and index not in parents
        is_here = (node.position, node.rotation) == (ZERO, IDENTITY)
        if (
            node.parent is not None
            and node.cells
            and is_bare
            and is_here
            and not given.nodes[node.parent].cells
        ):
            found.setdefault(node.parent, []).append(index)
    return found


def _match(
    lost: Sequence[int],
    triangles: Sequence[int],
    given: Scene,
    free: set[int],
    expected: Scene,
    found: list[int | None],
) -> None:
    """Match nodes with the parent, place and number of triangles of one free node only."""
    known = [_triangles(expected, it) for it in expected.nodes]

    def is_alike(index: int, at: int) -> bool:
        node, other = given.nodes[index], expected.nodes[at]
        has_parent = (None if node.parent is None else found[node.parent]) == other.parent
        is_placed = np.abs(np.subtract(node.position, other.position)).max() <= NEAR
        return has_parent and bool(is_placed) and triangles[index] == known[at]

    # Again until nothing is found: a node can only be matched once its parent is, and each match leaves fewer
    # free nodes, so another may become the only one.
    is_found = True
    while is_found:
        is_found = False
        for index in lost:
            parent = given.nodes[index].parent
            if found[index] is not None or (parent is not None and found[parent] is None):
                continue
            alike = [at for at in sorted(free) if is_alike(index, at)]
            if len(alike) == 1:
                found[index] = alike[0]
                free.discard(alike[0])
                is_found = True


def _triangles(scene: Scene, node: Node, held: Sequence[int] = ()) -> int:
    """The triangles that a node shows, with those of nodes that only hold its meshes."""
    shown = (node, *(scene.nodes[it] for it in held))
    meshes = {mesh for it in shown for mesh in it.cells.values()}
    return sum(len(it.triangles) for mesh in meshes for it in scene.meshes[mesh].primitives)
