"""Meshes in a file: a primitive for each batch that has triangles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from viewer.model.convert.gltf import extras
from viewer.model.convert.gltf.axes import outward
from viewer.model.convert.gltf.writing import binary
from viewer.model.convert.gltf.writing.binary import Binary
from viewer.model.convert.gltf.writing.names import UniqueNames
from viewer.model.convert.labels import numbered
from viewer.model.convert.scene import Floats, Mesh, Primitive

ROW: Final = "_VERTEX"
"""The attribute with the row of a vertex in the tables of the model."""
EXACT_BELOW: Final = 1 << 24
"""Rows from here on are no exact floats."""
SHORT_BELOW: Final = 0xFFFF
"""Vertices from which on indices take 32 bits; the largest short one means something else."""
UP: Final = np.array([0, 0, 1], np.float32)


class Shapes:
    """The meshes of a file.

    Attributes
    ----------
    meshes
        As in the file; a mesh without triangles is left out.
    index
        The mesh of the file, by index of the mesh of the scene.
    """

    def __init__(self, meshes: Sequence[Mesh], buffers: Binary, *, is_y_up: bool) -> None:
        self._buffers, self._is_y_up = buffers, is_y_up
        self.meshes: list[dict[str, Any]] = []
        self.index: dict[int, int] = {}
        names = UniqueNames()
        for number, mesh in enumerate(meshes):
            primitives = [self._primitive(item) for item in mesh.primitives if len(item.triangles)]
            if primitives:
                self.index[number] = len(self.meshes)
                name = names.add(mesh.name, numbered("mesh", number))
                content = extras.wrapped(extras.of_mesh(mesh))
                self.meshes.append({"name": name, "primitives": primitives} | content)

    def _primitive(self, item: Primitive) -> dict[str, Any]:
        count = len(item.positions)
        stream = binary.SHORT_INDEX if count <= SHORT_BELOW else binary.INDEX
        found: dict[str, Any] = {
            "attributes": dict(self._attributes(item)),
            "indices": self._buffers.add(stream, item.triangles.reshape(-1)),
        }
        if item.material is not None:
            found["material"] = item.material
        return found | extras.wrapped({} if item.batch is None else {"batch": item.batch})

    def _attributes(self, item: Primitive) -> Mapping[str, int]:
        add, is_y_up = self._buffers.add, self._is_y_up
        found = {"POSITION": add(binary.POSITION, outward(item.positions, is_y_up=is_y_up), has_bounds=True)}
        if item.normals is not None:
            normals = filled(item.normals, item.positions, item.triangles)
            found["NORMAL"] = add(binary.NORMAL, outward(normals, is_y_up=is_y_up))
        if item.uvs is not None:
            found["TEXCOORD_0"] = add(binary.UV, item.uvs)
        if item.lightmap_uvs is not None:
            found["TEXCOORD_1" if item.uvs is not None else "TEXCOORD_0"] = add(
                binary.LIGHTMAP_UV, item.lightmap_uvs
            )
        if item.vertices is not None and item.vertices.max(initial=0) < EXACT_BELOW:
            found[ROW] = add(binary.ROW, item.vertices)
        return found


def filled(normals: Floats, positions: Floats, triangles: np.ndarray) -> Floats:
    """Normals (n, 3) that all have unit length: where there is none, that of the triangles around."""
    is_missing = (normals == 0).all(axis=1)
    if not is_missing.any():
        return normals
    points = positions.astype(np.float64)
    points /= max(1.0, float(np.abs(points).max(initial=0)))
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    face = np.cross(b - a, c - a)
    around = np.zeros((len(normals), 3))
    for corner in range(3):
        np.add.at(around, triangles[:, corner], face)
    length = np.linalg.norm(around, axis=1)
    is_flat = length < np.finfo(np.float64).tiny * 1e16
    around = np.where(is_flat[:, None], UP, around / np.where(is_flat, 1, length)[:, None])
    return np.where(is_missing[:, None], around, normals).astype(np.float32)
