"""What the nodes of a file show: meshes, those of a skin in its rest pose, stretched as their nodes are.

Source: glTF 2.0, 3.7.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from viewer.errors import FormatError
from viewer.model.convert.gltf.reading.document import Document
from viewer.model.convert.gltf.reading.hierarchy import UNIT, Matrix
from viewer.model.convert.gltf.reading.item import Item
from viewer.model.convert.gltf.reading.meshes import Bound, Meshes
from viewer.model.convert.gltf.reading.rigid import Rigid, placed, stretched
from viewer.model.convert.gltf.reading.skins import Skins
from viewer.model.convert.scene import Mesh
from viewer.translation import Sentence

DIGITS: Final = 6
"""Stretches that differ less are the same one."""
Key = tuple[int, tuple[float, ...], bytes]


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
        self._read: dict[tuple[int, tuple[float, ...]], Bound] = {}
        self._numbers: dict[Key, int] = {}

    def shown(self, node: Item, stretch: Matrix, world: Matrix) -> int | None:
        """The number of the mesh of a node; None if it has none, or one without triangles."""
        item = self._document.referred(node, "mesh", "meshes")
        if item is None:
            return None
        weights = _weights(node if "weights" in node else item)
        bound = self._bound(item, weights)
        if not bound.mesh.primitives:
            return None
        is_skin = "skin" in node
        shape = node.path.encode() if is_skin else _key(stretch)
        key = item.index, weights, shape
        if key not in self._numbers:
            self._numbers[key] = len(self.found)
            if shape:
                self._document.budget.spend(_size(bound.mesh), node.path)
            mesh = self._skins.at_rest(node, bound, world) if is_skin else stretched(bound.mesh, stretch)
            if not all(np.isfinite(it.positions).all() for it in mesh.primitives):
                raise FormatError(Sentence("is too large"), table=node.path)
            self.found.append(mesh)
        return self._numbers[key]

    def joined(self, pieces: Sequence[tuple[Item, Rigid]]) -> int | None:
        """The number of the mesh of a node whose children hold it; None if none of them has triangles."""
        meshes: dict[int, list[Mesh]] = {}
        key = b""
        for node, part in pieces:
            item = self._document.referred(node, "mesh", "meshes")
            if item is not None:
                weights = _weights(node if "weights" in node else item)
                place = [*part.position, *part.rotation, *part.stretch.ravel(), item.index, *weights]
                key += np.round(place, DIGITS).tobytes()
                bound = self._bound(item, weights)
                meshes.setdefault(item.index, []).append(placed(bound.mesh, part))
        in_order = [mesh for _, found in sorted(meshes.items()) for mesh in found]
        primitives = tuple(it for mesh in in_order for it in mesh.primitives)
        if not primitives:
            return None
        if (-1, (), key) not in self._numbers:
            self._numbers[-1, (), key] = len(self.found)
            self.found.append(replace(in_order[0], primitives=primitives))
            self._document.budget.spend(_size(self.found[-1]), pieces[0][0].path)
        return self._numbers[-1, (), key]

    def _bound(self, item: Item, weights: tuple[float, ...]) -> Bound:
        key = item.index, weights
        if key not in self._read:
            self._read[key] = self._meshes.read(item, weights)
        return self._read[key]


def _weights(item: Item) -> tuple[float, ...]:
    """The weights of morph targets at rest; empty if all are 0."""
    found = item.numbers("weights", (0.0,) * len(item.entries("weights")))
    return found if any(found) else ()


def _key(stretch: Matrix) -> bytes:
    """What tells stretches apart; empty for none."""
    return b"" if stretch is UNIT else (np.round(stretch, DIGITS) + 0.0).tobytes()


def _size(mesh: Mesh) -> int:
    """Values of the vertices and triangles of a mesh."""
    return sum(6 * len(it.positions) + 3 * len(it.triangles) for it in mesh.primitives)
