"""What the nodes of a file show: meshes, those of a skin in its rest pose, stretched as their nodes are.

Source: glTF 2.0, 3.7.3.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from viewer.errors import FormatError
from viewer.model.convert.gltf.reading.document import Document
from viewer.model.convert.gltf.reading.hierarchy import Matrix
from viewer.model.convert.gltf.reading.item import Item
from viewer.model.convert.gltf.reading.meshes import Bound, Meshes
from viewer.model.convert.gltf.reading.rigid import UNIT, stretched
from viewer.model.convert.gltf.reading.skins import Skins
from viewer.model.convert.scene import Mesh
from viewer.translation import Sentence

DIGITS: Final = 6
"""Stretches that differ less are the same one."""
Key = tuple[int, bytes]


class Parts:
    """Gathers the meshes that nodes show; nodes with the same mesh and stretch share it.

    Attributes
    ----------
    found
        The meshes, in the order in which they were asked for.
    """

    def __init__(self, document: Document, meshes: Meshes, skins: Skins) -> None:
        self.found: list[Mesh] = []
        self._document = document
        self._meshes = meshes
        self._skins = skins
        self._read: dict[int, Bound] = {}
        self._numbers: dict[Key, int] = {}

    def shown(self, node: Item, stretch: Matrix, local_from_world: Matrix) -> int | None:
        """The number of the mesh of a node; None if it has none, or one without triangles."""
        item = self._document.referred(node, "mesh", "meshes")
        if item is None:
            return None
        bound = self._bound(item)
        if not bound.mesh.primitives:
            return None
        is_skin = "skin" in node
        shape = node.path.encode() if is_skin else _key(stretch)
        key = item.index, shape
        if key not in self._numbers:
            self._numbers[key] = len(self.found)
            if shape:
                self._document.budget.spend(_size(bound.mesh), node.path)
            mesh = (
                self._skins.at_rest(node, bound, local_from_world)
                if is_skin
                else stretched(bound.mesh, stretch)
            )
            if not all(np.isfinite(it.positions).all() for it in mesh.primitives):
                raise FormatError(Sentence("is too large"), table=node.path)
            self.found.append(mesh)
        return self._numbers[key]

    def _bound(self, item: Item) -> Bound:
        if item.index not in self._read:
            self._read[item.index] = self._meshes.read(item)
        return self._read[item.index]


def _key(stretch: Matrix) -> bytes:
    """What tells stretches apart; empty for none."""
    return b"" if stretch is UNIT else (np.round(stretch, DIGITS) + 0.0).tobytes()


def _size(mesh: Mesh) -> int:
    """Values of the vertices and triangles of a mesh."""
    return sum(6 * len(it.positions) + 3 * len(it.triangles) for it in mesh.primitives)
