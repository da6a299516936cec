"""Meshes of a file as meshes of a scene: triangles, vertices, and the batches that primitives are.

Other programs keep no extras of primitives, and join those of one material: a primitive is then a batch if
both are the only ones of their material.

Source: glTF 2.0, 3.7; KHR_texture_transform; viewer.model.convert.gltf.extras; spec/msh.md 8.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.slots import SLOT
from viewer.geometry.transforms import Floats, Indices
from viewer.model.convert.gltf import arrays, extras
from viewer.model.convert.gltf.arrays import Binary, GltfFile
from viewer.model.convert.gltf.document import PER_OBJECT, JsonItem
from viewer.model.convert.gltf.extras import ExtrasReader, Provenance
from viewer.model.convert.gltf.materials import PLAIN, TexturedMaterial
from viewer.model.convert.gltf.record_fields import columns_of, fields_of
from viewer.model.convert.labels import UniqueNames, numbered
from viewer.model.convert.motion.rotations import Axes, unit
from viewer.model.convert.scene import (
    NEW,
    NO_FIELDS,
    Fields,
    Mesh,
    Primitive,
)
from viewer.model.convert.shapes import distinct
from viewer.model.mesh.reading import MaterialField
from viewer.translation import _

EXACT_BELOW: Final = 1 << 24
"""Rows from here on are no exact floats."""
SHORT_BELOW: Final = 0xFFFF
"""Vertices from which on indices take 32 bits; the largest short one means something else."""
UP: Final = np.array([0, 0, 1], np.float32)


TRIANGLES, STRIP = 4, 5
_MODES: Final = {mode: mode for mode in range(7)}
Values = TypeVar("Values", Floats, Indices)
VERTEX: Final = "_VERTEX"
"""The attribute of the rows of vertices in the model that a file was made from."""
LIGHTMAP_SET: Final = "TEXCOORD_1"
"""The texture coordinates of the lightmap, in files of this program and where a lightmap was found again."""
_WHOLE: Final = 1e-3
"""Largest distance of a row from a whole number: programs mix the values of neighbors for new vertices."""
# The first beginning that fits counts, so the empty one, which fits all, is the last.
_LOST: Final = {
    "COLOR_": _("colors of vertices are left out"),
    "TANGENT": _("tangents are left out"),
    "TEXCOORD_": _("texture coordinates that the texture does not use are left out"),
    "": _("values of vertices that have no meaning here are left out"),
}
"""The sentences about attributes that are left out, by the beginning of their names."""
_READ: Final = {"POSITION", "NORMAL", VERTEX}
_SKIN: Final = ("JOINTS_", "WEIGHTS_")
_BONES: Final = 1 << 16
"""Above the number of any bone."""
_SETS: Final = ("0", "1")
"""Sets of four bones for a vertex that are read."""


def triangles_of(document: GltfFile, primitive: JsonItem, count: int) -> Indices | None:
    """Triangles over `count` vertices, (t, 3); None for points and lines, which are lost."""
    mode = primitive.choice("mode", _MODES, TRIANGLES)
    if mode < TRIANGLES:
        document.losses.add("points and lines are left out", primitive.path)
        return None
    if "indices" in primitive:
        corners = document.integers(primitive, "indices", 1, count)[:, 0]
    else:
        document.budget.spend(count, primitive.path)
        corners = np.arange(count)
    document.budget.spend(3 * len(corners), primitive.path)
    if mode == TRIANGLES:
        if len(corners) % 3:
            document.losses.add("corners that make no whole triangle are left out", primitive.path)
        return corners[: len(corners) // 3 * 3].reshape(-1, 3)
    if len(corners) < 3:
        return np.empty((0, 3), np.int64)
    triangles = _strip(corners) if mode == STRIP else _fan(corners)
    a, b, c = triangles.T
    return np.asarray(triangles[(a != b) & (b != c) & (a != c)])  # strips repeat corners to go on elsewhere


def _strip(corners: Indices) -> Indices:
    """Triangles of a strip: each corner with the two before it; every second triangle is turned."""
    triangles = np.lib.stride_tricks.sliding_window_view(corners, 3).copy()
    # Corners 0 1 2 3 are 0 1 2 and 1 2 3; the second one winds the other way round and becomes 2 1 3.
    triangles[1::2] = triangles[1::2, [1, 0, 2]]
    return triangles


def _fan(corners: Indices) -> Indices:
    """Triangles of a fan: each edge with the first corner, in the order of the specification."""
    first = np.full(len(corners) - 2, corners[0])
    return np.column_stack([corners[1:-1], corners[2:], first])


def separated(triangles: Indices) -> tuple[Indices, Indices]:
    """The rows of triangles that share no vertices, and those triangles: a file without normals is flat."""
    rows = triangles.reshape(-1)
    return rows, np.arange(len(rows)).reshape(-1, 3)


def flat_normals(positions: Floats) -> Floats:
    """The normals of triangles of three vertices each, (n, 3); zero for those without an area."""
    points = positions.astype(np.float64).reshape(-1, 3, 3)
    x, y, z = (points[:, 1] - points[:, 0]).T
    u, v, w = (points[:, 2] - points[:, 0]).T
    normals = np.stack(
        [y * w - z * v, z * u - x * w, x * v - y * u], axis=1
    )  # a third of the time of np.cross
    return np.repeat(unit(normals).astype(np.float32), 3, axis=0)


def _wear_row(fields: Fields, material_field: str | None) -> int | None:
    """The wear row of a batch by the field that has it; None if that is not known."""
    if material_field == MaterialField.SEED:
        return fields.get("material")
    word = fields.get("opaque4") if material_field == MaterialField.FIELD else None
    # The low byte is the wear row, the high byte the lightmap: 0xFF03 is row 3 without a lightmap.
    return None if word is None else word & 0xFF


def _once(rows: Sequence[int | None]) -> set[int | None]:
    """The rows that are there once."""
    return {row for row, count in Counter(rows).items() if count == 1 and row is not None}


class Binding(Struct, frozen=True, eq=False):
    """The bones of vertices, (n, k), and their weights, (n, k)."""

    bones: Indices
    weights: Floats


class Bound(NamedTuple):
    """A mesh, and the bindings of its primitives."""

    mesh: Mesh
    bindings: tuple[Binding | None, ...]


class Meshes:
    """Reads meshes, each at the first request.

    Parameters
    ----------
    said
        What the file says about itself.
    appearance
        The materials of the file.
    """

    def __init__(self, document: GltfFile, said: Provenance, appearance: Sequence[TexturedMaterial]) -> None:
        self._document = document
        self._said = said
        self._materials = appearance
        self._has_lightmaps = bool(said.own) or any(it.material.lightmap is not None for it in appearance)

    def read(self, mesh: JsonItem, weights: Sequence[float] = ()) -> Bound:
        """A mesh with the primitives that have triangles, in the shape that weights of its targets give."""
        read = (self._primitive(item, weights) for item in mesh.items("primitives"))
        found = tuple(it for it in read if it is not None)
        own = ExtrasReader.of(mesh)
        primitives = self._with_batches(own.part("batches"), [it for it, _ignored in found])
        placed = (it.item("attributes") for it in mesh.items("primitives"))
        rounding = max(
            (self._document.rounding(it, "POSITION") for it in placed if "POSITION" in it), default=0.0
        )
        made = Mesh(mesh.name, primitives, own.whole("slot"), fields_of(SLOT, own.part("fields")), rounding)
        return Bound(made, tuple(it for _ignored, it in found))

    def _with_batches(self, said: ExtrasReader, primitives: Sequence[Primitive]) -> tuple[Primitive, ...]:
        """Primitives with the numbers and fields of the batches of their mesh, of which something is said."""
        numbers = said.wholes("row")
        if not numbers:
            return tuple(primitives)
        field = None if self._said.origin is None else self._said.origin.material_field
        fields = dict(zip(numbers, columns_of(BATCH, said, len(numbers)), strict=True))
        named = {_wear_row(it, field): number for number, it in fields.items()}
        appearances = [PLAIN if it.material is None else self._materials[it.material] for it in primitives]
        rows = [it.material.row for it in appearances]
        # Only if its wear row is that of one batch and of one primitive both are the same without doubt.
        lonely = _once([_wear_row(it, field) for it in fields.values()]) & _once(rows)
        made = []
        for primitive, row in zip(primitives, rows, strict=True):
            batch = named[row] if primitive.batch is None and row in lonely else primitive.batch
            known = NO_FIELDS if batch is None else fields.get(batch, NO_FIELDS)
            made.append(replace(primitive, batch=batch, fields=known))
        return tuple(made)

    def _primitive(self, item: JsonItem, weights: Sequence[float]) -> tuple[Primitive, Binding | None] | None:
        """A primitive; None without triangles."""
        self._document.budget.spend(PER_OBJECT, item.path)
        attributes = item.item("attributes")
        if "POSITION" not in attributes:
            self._document.losses.add("triangles without positions are left out", item.path)
            return None
        positions = self._document.floats(attributes, "POSITION", 3)
        triangles = triangles_of(self._document, item, len(positions))
        if triangles is None or not len(triangles):
            return None
        is_flat = "NORMAL" not in attributes and not self._said.own
        rows, triangles = separated(triangles) if is_flat else distinct(triangles)
        number = item.index_of("material", self._document.count("materials"))
        textured = PLAIN if number is None else self._materials[number]
        self._note_losses(item, attributes, textured)
        reader = _Attributes(self._document, attributes, len(positions), rows)
        moved = [
            (_Attributes(self._document, target, len(positions), rows), weight)
            for target, weight in zip(item.items("targets"), weights, strict=False)
            if weight
        ]
        points = self._said.axes.inward(_morphed(reader.required("POSITION", 3), "POSITION", moved))
        primitive = Primitive(
            positions=points,
            triangles=triangles,
            normals=flat_normals(points) if is_flat else self._normals(reader, moved),
            uvs=_moved(reader.read(f"TEXCOORD_{textured.uv_set}", 2), textured.uv_transform),
            lightmap_uvs=reader.read(LIGHTMAP_SET, 2) if self._has_lightmaps else None,
            material=number,
            vertices=_rows(reader.read(VERTEX, 1)),
            batch=ExtrasReader.of(item).whole("batch"),
            has_own_normals="NORMAL" in attributes,
        )
        return primitive, reader.binding()

    def _normals(self, reader: _Attributes, moved: Sequence[tuple[_Attributes, float]]) -> Floats | None:
        normals = reader.read("NORMAL", 3)
        if normals is None:
            return None
        if moved:
            # Weighted sums of unit vectors are shorter or longer than 1.
            normals = unit(_morphed(normals, "NORMAL", moved)).astype(np.float32)
        return self._said.axes.inward(normals)

    def _note_losses(self, item: JsonItem, attributes: JsonItem, textured: TexturedMaterial) -> None:
        """Report the attributes of a primitive that are left out."""
        losses = self._document.losses
        if item.entries("targets"):
            losses.add("morph targets are left out but for their shape at rest", item.path)
        read = {*_READ, f"TEXCOORD_{textured.uv_set}", *([LIGHTMAP_SET] if self._has_lightmaps else [])}
        for name in attributes.values:
            if name not in read and not name.startswith(_SKIN):
                lost = next(text for start, text in _LOST.items() if name.startswith(start))
                losses.add(lost, item.path)


class _Attributes:
    """The attributes of a primitive, of the vertices that it uses."""

    def __init__(self, document: GltfFile, item: JsonItem, count: int, rows: Indices) -> None:
        self._document = document
        self._item = item
        self._count = count
        self._rows = rows

    def read(self, name: str, width: int) -> Floats | None:
        """Values of the used vertices, (n, width); None if they are absent."""
        return self.required(name, width) if name in self._item else None

    def required(self, name: str, width: int) -> Floats:
        """Values of an attribute that is there."""
        return self._taken(name, self._document.floats(self._item, name, width))

    def binding(self) -> Binding | None:
        """The bones of the used vertices; None without any."""
        sets = [it for it in _SETS if f"JOINTS_{it}" in self._item and f"WEIGHTS_{it}" in self._item]
        if not sets:
            return None
        bones = [self._document.integers(self._item, f"JOINTS_{it}", 4, _BONES) for it in sets]
        taken = [self._taken(f"JOINTS_{it}", values) for it, values in zip(sets, bones, strict=True)]
        weights = [self.required(f"WEIGHTS_{it}", 4) for it in sets]
        return Binding(np.concatenate(taken, axis=1), np.concatenate(weights, axis=1))

    def _taken(self, name: str, values: Values) -> Values:
        """The values of the used vertices."""
        if len(values) != self._count:
            raise self._item.wrong(
                name, "{count} values for {rows} vertices", count=len(values), rows=self._count
            )
        self._document.budget.spend(values.shape[1] * len(self._rows), self._item.path)
        return values[self._rows]


def _morphed(values: Floats, name: str, moved: Sequence[tuple[_Attributes, float]]) -> Floats:
    """Values of vertices with those of morph targets, each times its weight, added."""
    for target, weight in moved:
        change = target.read(name, 3)
        if change is not None:
            values = values + change * np.float32(weight)
    return values


def _moved(uvs: Floats | None, transform: npt.NDArray[np.float64] | None) -> Floats | None:
    """Texture coordinates as their material uses them."""
    if uvs is None or transform is None:
        return uvs
    return (uvs @ transform[:2, :2].T + transform[:2, 2]).astype(np.float32)


def _rows(values: Floats | None) -> Indices | None:
    """Rows in the model; values between two whole numbers are those of new vertices."""
    if values is None:
        return None
    flat = values[:, 0].astype(np.float64)
    # A vertex that a program put between rows 4 and 6 has 5.0 or 4.7: only ids that are whole can be rows.
    whole = np.rint(flat)
    is_row = (np.abs(flat - whole) < _WHOLE) & (whole >= 0) & (whole < 1 << 24)
    return np.where(is_row, whole, NEW).astype(np.int64)


class MeshObjects:
    """The meshes of a file.

    Attributes
    ----------
    meshes
        As in the file; a mesh without triangles is left out.
    index
        The mesh of the file, by index of the mesh of the scene.
    """

    def __init__(self, meshes: Sequence[Mesh], buffers: Binary, axes: Axes) -> None:
        self._buffers, self._axes = buffers, axes
        self.meshes: list[dict[str, Any]] = []
        self.index: dict[int, int] = {}
        names = UniqueNames()
        for number, mesh in enumerate(meshes):
            primitives = [self._primitive(item) for item in mesh.primitives if len(item.triangles)]
            if primitives:
                self.index[number] = len(self.meshes)
                name = names.add(mesh.name, numbered("mesh", number))
                content = extras.of_mesh(mesh)
                self.meshes.append({"name": name, "primitives": primitives} | content)

    def _primitive(self, item: Primitive) -> dict[str, Any]:
        count = len(item.positions)
        # 65,535 restarts primitives, so the last row of 16 bits is 65,534, of 65,535 vertices.
        stream = arrays.SHORT_INDEX if count <= SHORT_BELOW else arrays.INDEX
        found: dict[str, Any] = {
            "attributes": dict(self._attributes(item)),
            "indices": self._buffers.add(stream, item.triangles.reshape(-1)),
        }
        if item.material is not None:
            found["material"] = item.material
        return found | extras.wrapped({} if item.batch is None else {"batch": item.batch})

    def _attributes(self, item: Primitive) -> Mapping[str, int]:
        add, outward = self._buffers.add, self._axes.outward
        found = {"POSITION": add(arrays.POSITION, outward(item.positions), has_bounds=True)}
        if item.normals is not None:
            normals = filled(item.normals, item.positions, item.triangles)
            found["NORMAL"] = add(arrays.NORMAL, outward(normals))
        if item.uvs is not None:
            found["TEXCOORD_0"] = add(arrays.UV, item.uvs)
        if item.lightmap_uvs is not None:
            # Sets are numbered from 0 without a gap (glTF 2.0, 3.7.2.1), also if the texture has no
            # coordinates.
            found["TEXCOORD_1" if item.uvs is not None else "TEXCOORD_0"] = add(
                arrays.LIGHTMAP_UV, item.lightmap_uvs
            )
        if item.vertices is not None and item.vertices.max(initial=0) < EXACT_BELOW:
            found[VERTEX] = add(arrays.ROW, item.vertices)
        return found


def filled(normals: Floats, positions: Floats, triangles: np.ndarray) -> Floats:
    """Normals (n, 3) that all have unit length: where there is none, that of the triangles around."""
    is_missing = (normals == 0).all(axis=1)
    if not is_missing.any():
        return normals
    points = positions.astype(np.float64)
    # The cross product of large coordinates would overflow.
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
