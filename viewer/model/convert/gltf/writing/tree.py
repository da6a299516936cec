"""Nodes and scenes of a file: the tree of the model, and a copy of it for every further cell.

Programs show one scene: the default one. The others are there to be chosen; Blender makes collections of
them that are hidden at first. Their nodes are others, as a node has one mesh, but the meshes are the same.
A copy only has what leads to geometry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from viewer.model.convert.gltf import extras
from viewer.model.convert.gltf.axes import outward, rotations_outward
from viewer.model.convert.gltf.writing.names import UniqueNames
from viewer.model.convert.labels import numbered, of_cell
from viewer.model.convert.scene import Cell, Floats, Scene, View


class Tree:
    """The nodes and scenes of a file.

    Parameters
    ----------
    meshes
        The mesh of the file, by index of the mesh of the scene.

    Attributes
    ----------
    nodes, scenes
        As in the file; the first scene is the default one.
    targets
        The nodes of the file that move like a node of the scene, by its index.
    """

    def __init__(self, scene: Scene, meshes: Mapping[int, int]) -> None:
        self._scene, self._meshes = scene, meshes
        self._names = UniqueNames()
        self._poses = _poses(scene)
        self.nodes: list[dict[str, Any]] = []
        self.scenes: list[dict[str, Any]] = []
        self.targets: dict[int, list[int]] = {}
        self._add(scene.chosen, range(len(scene.nodes)), None)
        for view in scene.views[1:]:
            self._add(view, self._shown(view), view.cell)

    def note_added_keys(self, added: Mapping[int, Floats]) -> None:
        """Note in the extras the keys that tracks do not have, by node of the scene."""
        for node, keys in added.items():
            extras.note_added_keys(self.nodes[self.targets[node][0]], keys)

    def _shown(self, view: View) -> list[int]:
        """The nodes that show something in a view, and those above them."""
        kept: set[int] = set()
        for number, cell in enumerate(view.shown):
            node: int | None = number if self._mesh(number, cell) is not None else None
            while node is not None and node not in kept:
                kept.add(node)
                node = self._scene.nodes[node].parent
        return sorted(kept)

    def _mesh(self, node: int, cell: Cell | None) -> int | None:
        return None if cell is None else self._meshes.get(self._scene.nodes[node].cells[cell])

    def _add(self, view: View, nodes: Sequence[int], copy: Cell | None) -> None:
        """Add a scene with some nodes."""
        index = {node: len(self.nodes) + at for at, node in enumerate(nodes)}
        children: dict[int, list[int]] = {}
        roots: list[int] = []
        for node in nodes:
            parent = self._scene.nodes[node].parent
            (roots if parent is None else children.setdefault(parent, [])).append(index[node])
            self.targets.setdefault(node, []).append(index[node])
        for node in nodes:
            self.nodes.append(self._node(node, view.shown[node], children.get(node, []), copy))
        found: dict[str, Any] = {"name": self._scene_name(copy)}
        if roots:
            found["nodes"] = roots
        content = extras.of_scene(self._scene) if copy is None else {"cell": list(copy)}
        self.scenes.append(found | extras.wrapped(content))

    def _scene_name(self, copy: Cell | None) -> str:
        return self._scene.name if copy is None else of_cell(self._scene.name, copy)

    def _node(
        self, number: int, shown: Cell | None, children: list[int], copy: Cell | None
    ) -> dict[str, Any]:
        node = self._scene.nodes[number]
        usual = numbered("node", number)
        name = node.name if copy is None else of_cell(node.name or usual, copy)
        found: dict[str, Any] = {"name": self._names.add(name, usual)}
        if children:
            found["children"] = children
        found |= self._poses[number]
        mesh = self._mesh(number, shown)
        if mesh is not None:
            found["mesh"] = mesh
        return found | extras.wrapped(extras.of_node(node, shown, copy))


def _poses(scene: Scene) -> list[dict[str, Any]]:
    """The rest pose of each node, without what is usual."""
    is_y_up, nodes = scene.options.is_y_up, scene.nodes
    if not nodes:
        return []
    positions = outward(np.array([node.position for node in nodes], np.float32), is_y_up=is_y_up)
    rotations = rotations_outward(np.array([node.rotation for node in nodes], np.float32), is_y_up=is_y_up)
    scales = np.array([node.scale for node in nodes], np.float32)
    if is_y_up:
        scales = scales[:, [0, 2, 1]]
    usual = (
        ("translation", positions, [0.0] * 3),
        ("rotation", rotations, [0.0] * 3 + [1.0]),
        ("scale", scales, [1.0] * 3),
    )
    columns = [(name, extras.shortest_rows(values), rest) for name, values, rest in usual]
    return [
        {name: rows[number] for name, rows, rest in columns if rows[number] != rest}
        for number in range(len(nodes))
    ]
