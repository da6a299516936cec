"""Nodes of a file without ids: by the names that export gives them, and renamed ones by what they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from viewer.model.convert.gltf.writing.names import UniqueNames
from viewer.model.convert.labels import numbered
from viewer.model.convert.scene import Node, Scene

NEAR: Final = 1e-3
"""Distance of places that may be the same, in each coordinate."""


def written_names(nodes: Sequence[Node]) -> list[str]:
    """The name that each node has in a file."""
    names = UniqueNames()
    return [names.add(node.name, numbered("node", index)) for index, node in enumerate(nodes)]


def by_likeness(
    lost: Sequence[int], given: Scene, free: set[int], expected: Scene, found: list[int | None]
) -> None:
    """Match renamed nodes: those with the parent, place and number of triangles of one free node only."""
    is_found = True
    while is_found:
        is_found = False
        for index in lost:
            if found[index] is not None or not _has_known_parent(index, given, found):
                continue
            alike = [at for at in sorted(free) if _is_alike(index, at, given, expected, found)]
            if len(alike) == 1:
                found[index] = alike[0]
                free.discard(alike[0])
                is_found = True


def _has_known_parent(index: int, given: Scene, found: Sequence[int | None]) -> bool:
    parent = given.nodes[index].parent
    return parent is None or found[parent] is not None


def _is_alike(index: int, at: int, given: Scene, expected: Scene, found: Sequence[int | None]) -> bool:
    """Whether a node may be an expected one under another name."""
    node, known = given.nodes[index], expected.nodes[at]
    if (None if node.parent is None else found[node.parent]) != known.parent:
        return False
    is_placed = np.abs(np.subtract(node.position, known.position)).max() <= NEAR
    return bool(is_placed) and _triangles(given, node) == _triangles(expected, known)


def _triangles(scene: Scene, node: Node) -> int:
    """The triangles that a node shows."""
    return sum(len(it.triangles) for mesh in {*node.cells.values()} for it in scene.meshes[mesh].primitives)
