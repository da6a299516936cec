"""Meshes of skins in their rest pose; what bones move stays behind.

Source: glTF 2.0, 3.7.3.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from viewer.errors import FormatError
from viewer.model.convert.gltf.reading.accessors import Accessors
from viewer.model.convert.gltf.reading.axes import Axes
from viewer.model.convert.gltf.reading.document import Document
from viewer.model.convert.gltf.reading.hierarchy import Matrix
from viewer.model.convert.gltf.reading.item import Item
from viewer.model.convert.gltf.reading.meshes import Binding, Bound
from viewer.model.convert.gltf.reading.rigid import cofactors, directions
from viewer.model.convert.scene import Mesh, Primitive
from viewer.translation import Sentence

PER_VERTEX = 64
"""Values that a vertex takes while it is bent."""


class Skins:
    """Puts the vertices of skins where their bones are at rest.

    Parameters
    ----------
    worlds
        The world of every node of the file in the model's axes, stretches included, (n, 4, 4).
    """

    def __init__(self, document: Document, accessors: Accessors, axes: Axes, worlds: Matrix) -> None:
        self._document = document
        self._accessors = accessors
        self._axes = axes
        self._worlds = worlds

    def at_rest(self, node: Item, bound: Bound, world: Matrix) -> Mesh:
        """The mesh of a node with a skin, in the node's space, whose world is (4, 4)."""
        skin = self._document.required(node, "skin", "skins")
        message = Sentence("a skin is kept as it is at rest, and not moved by its bones")
        self._document.losses.add(message, node.path)
        bones = np.linalg.inv(world) @ self._bones(skin)
        pairs = zip(bound.mesh.primitives, bound.bindings, strict=True)
        return replace(bound.mesh, primitives=tuple(self._bent(skin, *pair, bones) for pair in pairs))

    def _bones(self, skin: Item) -> Matrix:
        """From the space of a skin to the world, for each of its bones, (n, 4, 4)."""
        nodes = skin.indices("joints", len(self._worlds))
        self._document.budget.spend(16 * len(nodes), skin.path)
        worlds = self._worlds[nodes]
        if "inverseBindMatrices" not in skin:
            return worlds
        inverse = self._accessors.floats(skin, "inverseBindMatrices", 16)
        if len(inverse) < len(nodes):
            raise skin.wrong("inverseBindMatrices", Sentence("are fewer than {count}", count=len(nodes)))
        turn = np.eye(4)
        turn[:3, :3] = self._axes.matrix
        columns: Matrix = inverse[: len(nodes)].reshape(-1, 4, 4).astype(np.float64).transpose(0, 2, 1)
        return np.asarray(worlds @ turn @ columns @ turn.T)

    def _bent(self, skin: Item, primitive: Primitive, binding: Binding | None, bones: Matrix) -> Primitive:
        """A primitive whose vertices are where their bones put them."""
        if binding is None:
            return primitive
        if int(binding.bones.max(initial=-1)) >= len(bones):
            message = Sentence("has {count} joints, a vertex needs more", count=len(bones))
            raise FormatError(message, table=skin.path)
        self._document.budget.spend(PER_VERTEX * len(binding.bones), skin.path)
        weights = binding.weights.astype(np.float64)
        total = weights.sum(axis=1, keepdims=True)
        weights /= np.where(total == 0, 1, total)
        bend = np.zeros((len(weights), 4, 4))
        for bone, weight in zip(binding.bones.T, weights.T, strict=True):
            bend += weight[:, None, None] * bones[bone]
        positions = np.einsum("nij,nj->ni", bend[:, :3, :3], primitive.positions) + bend[:, :3, 3]
        normals = primitive.normals
        if normals is not None:
            normals = directions(np.einsum("nij,nj->ni", cofactors(bend[:, :3, :3]), normals))
        return replace(primitive, positions=positions.astype(np.float32), normals=normals)
