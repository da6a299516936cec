"""Nodes of a file without ids: by the names that export gives them, and renamed ones by what they are.

The ids of a file of another model are none: its row 3 is not row 3 of the template.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from viewer.model.convert.labels import UniqueNames, numbered
from viewer.model.convert.scene import NO_FIELDS, Mesh, Node, Origin, Primitive, Scene

NEAR: Final = 1e-3
"""Distance of places that may be the same, in each coordinate."""


def is_of_another_model(given: Scene, own: Origin, names: Iterable[str]) -> bool:
    """Whether a scene was made from another model than the template, not from the template as it once was.

    Parameters
    ----------
    own, names
        The template, and the names of its nodes.
    """
    if given.origin is None or given.origin.sha256 == own.sha256 or given.origin.name == own.name:
        return False
    said = [node.name for node in given.nodes if node.number is not None and node.name]
    return 2 * sum(name in {*names} for name in said) < len(said) or not said


def without_ids(given: Scene) -> Scene:
    """A scene without the rows of the model that it was made from; a part of that model replaces nothing."""
    options = given.options if given.options.nodes is None else replace(given.options, nodes=frozenset())
    return replace(
        given,
        nodes=tuple(replace(it, number=None) for it in given.nodes),
        meshes=tuple(map(_mesh_without_ids, given.meshes)),
        materials=tuple(replace(it, row=None) for it in given.materials),
        options=options,
        fields=NO_FIELDS,
    )


def _mesh_without_ids(mesh: Mesh) -> Mesh:
    def bare(primitive: Primitive) -> Primitive:
        return replace(primitive, vertices=None, batch=None, fields=NO_FIELDS)

    return replace(mesh, slot=None, fields=NO_FIELDS, primitives=tuple(map(bare, mesh.primitives)))


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
