"""The nodes of a scene with what they show: meshes, those of a skin in its rest pose, stretched as nodes are.

Files of this program may have further scenes, for other cells: their nodes are copies that only say which
mesh a node shows in a cell. Other programs may have put them into the same scene.

Source: glTF 2.0, 3.5, 3.7.3; viewer.model.convert.gltf.write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np
from msgspec.structs import replace

from viewer.formats.msh.nodes import NODE
from viewer.geometry.transforms import Matrix
from viewer.model.convert.gltf.arrays import GltfFile
from viewer.model.convert.gltf.document import JsonItem
from viewer.model.convert.gltf.extras import ExtrasReader, Provenance
from viewer.model.convert.gltf.meshes import Binding, Bound, Meshes
from viewer.model.convert.gltf.nodes import (
    LIGHTS,
    UNIT,
    PlacedNode,
    Rigid,
    Worlds,
    from_the_roots,
    is_similar,
    shear,
    stretched_track,
)
from viewer.model.convert.gltf.record_fields import fields_of
from viewer.model.convert.labels import cell_in, numbered, originals, plain_name
from viewer.model.convert.motion.rotations import Axes, turn_matrix, unit
from viewer.model.convert.options import Cell, Options
from viewer.model.convert.scene import ZERO, Mesh, Node, Primitive, Track, Vector, View
from viewer.model.convert.shapes import cofactors, mapped, transformed

PER_VERTEX: Final = 64
"""Values that a vertex takes while it is bent."""
DIGITS: Final = 6
"""Stretches that differ less are the same one."""
Key = tuple[int, tuple[float, ...], bytes]


class Skins:
    """Puts the vertices of skins where their bones are at rest.

    Parameters
    ----------
    worlds
        The world of every node of the file in the model's axes, stretches included, (n, 4, 4).
    """

    def __init__(self, document: GltfFile, axes: Axes, worlds: Matrix) -> None:
        self._document = document
        self._axes = axes
        self._worlds = worlds

    def at_rest(self, node: JsonItem, bound: Bound, world: Matrix) -> Mesh:
        """The mesh of a node with a skin, in the node's space, whose world is (4, 4)."""
        skin = self._document.required(node, "skin", "skins")
        self._document.losses.add("a skin is kept as it is at rest, and not moved by its bones", node.path)
        # The transform of a node with a skin says nothing of where its vertices are (glTF 2.0, 3.7.3): bones
        # put them into the world, the inverse into the space of the node that keeps them.
        bones = np.linalg.inv(world) @ self._bones(skin)
        pairs = zip(bound.mesh.primitives, bound.bindings, strict=True)
        return replace(bound.mesh, primitives=tuple(self._bent(skin, *pair, bones) for pair in pairs))

    def _bones(self, skin: JsonItem) -> Matrix:
        """From the space of a skin to the world, for each of its bones, (n, 4, 4)."""
        nodes = skin.indices("joints", len(self._worlds))
        self._document.budget.spend(16 * len(nodes), skin.path)
        worlds = self._worlds[nodes]
        if "inverseBindMatrices" not in skin:
            return worlds
        inverse = self._document.floats(skin, "inverseBindMatrices", 16)
        if len(inverse) < len(nodes):
            raise skin.wrong("inverseBindMatrices", "are fewer than {count}", count=len(nodes))
        turn = np.eye(4)
        turn[:3, :3] = self._axes.matrix
        # Matrices of glTF lie column by column in memory.
        columns: Matrix = inverse[: len(nodes)].reshape(-1, 4, 4).astype(np.float64).transpose(0, 2, 1)
        return np.asarray(worlds @ turn @ columns @ turn.T)

    def _bent(
        self, skin: JsonItem, primitive: Primitive, binding: Binding | None, bones: Matrix
    ) -> Primitive:
        """A primitive whose vertices are where their bones put them."""
        if binding is None:
            return primitive
        if int(binding.bones.max(initial=-1)) >= len(bones):
            raise skin.wrong("", "has {count} joints, a vertex needs more", count=len(bones))
        self._document.budget.spend(PER_VERTEX * len(binding.bones), skin.path)
        weights = binding.weights.astype(np.float64)
        total = weights.sum(axis=1, keepdims=True)
        # Weights of quantized files do not add up to 1.
        weights /= np.where(total == 0, 1, total)
        bend = np.zeros((len(weights), 4, 4))
        for bone, weight in zip(binding.bones.T, weights.T, strict=True):
            bend += weight[:, None, None] * bones[bone]
        positions = np.einsum("nij,nj->ni", bend[:, :3, :3], primitive.positions) + bend[:, :3, 3]
        normals = primitive.normals
        if normals is not None:
            # Cofactors are the inverse transpose times the determinant: they exist for flat bends too, and
            # a mirror turns normals with the winding.
            normals = unit(np.einsum("nij,nj->ni", cofactors(bend[:, :3, :3]), normals)).astype(np.float32)
        return replace(primitive, positions=positions.astype(np.float32), normals=normals)


class ShownMeshes:
    """Gathers the meshes that nodes show; nodes with the same mesh and stretch share it.

    Attributes
    ----------
    found
        The meshes, in the order of the requests.
    """

    def __init__(self, document: GltfFile, meshes: Meshes, skins: Skins) -> None:
        self.found: list[Mesh] = []
        self._document = document
        self._meshes = meshes
        self._skins = skins
        self._read: dict[tuple[int, tuple[float, ...]], Bound] = {}
        self._numbers: dict[Key, int] = {}

    def shown(self, node: JsonItem, stretch: Matrix, world: Matrix) -> int | None:
        """The number of the mesh of a node; None if it has none, or one without triangles."""
        item = self._document.referred(node, "mesh", "meshes")
        if item is None:
            return None
        weights = _weights(node if "weights" in node else item)
        bound = self._bound(item, weights)
        if not bound.mesh.primitives:
            return None
        is_skin = "skin" in node
        # Rounded, and -0.0 + 0.0 is 0.0: stretches that differ by rounding are the same bytes.
        none = b"" if stretch is UNIT else (np.round(stretch, DIGITS) + 0.0).tobytes()
        shape = node.path.encode() if is_skin else none
        key = item.index, weights, shape
        if key not in self._numbers:
            self._numbers[key] = len(self.found)
            if shape:
                self._document.budget.spend(_size(bound.mesh), node.path)
            mesh = bound.mesh
            if is_skin:
                mesh = self._skins.at_rest(node, bound, world)
            elif stretch is not UNIT:
                mesh = _moved(mesh, stretch)
            if not all(np.isfinite(it.positions).all() for it in mesh.primitives):
                raise node.wrong("", "is too large")
            self.found.append(mesh)
        return self._numbers[key]

    def joined(self, pieces: Sequence[tuple[JsonItem, Rigid]]) -> int | None:
        """The number of the mesh of a node whose children hold it; None if none of them has triangles."""
        meshes: dict[int, list[Mesh]] = {}
        key = b""
        for node, part in pieces:
            item = self._document.referred(node, "mesh", "meshes")
            if item is not None:
                weights = _weights(node if "weights" in node else item)
                place = [*part.position, *part.rotation, *part.stretch.ravel(), item.index, *weights]
                # -0.0 and 0.0 are different bytes: at worst two equal meshes are not shared.
                key += np.round(place, DIGITS).tobytes()
                bound = self._bound(item, weights)
                matrix = turn_matrix(part.rotation) @ part.stretch
                moved = _moved(bound.mesh, matrix, part.position)
                meshes.setdefault(item.index, []).append(moved)
        in_order = [mesh for _ignored, found in sorted(meshes.items()) for mesh in found]
        primitives = tuple(it for mesh in in_order for it in mesh.primitives)
        if not primitives:
            return None
        if (-1, (), key) not in self._numbers:
            self._numbers[-1, (), key] = len(self.found)
            self.found.append(
                replace(in_order[0], primitives=primitives, rounding=max(it.rounding for it in in_order))
            )
            self._document.budget.spend(_size(self.found[-1]), pieces[0][0].path)
        return self._numbers[-1, (), key]

    def _bound(self, item: JsonItem, weights: tuple[float, ...]) -> Bound:
        key = item.index, weights
        if key not in self._read:
            self._read[key] = self._meshes.read(item, weights)
        return self._read[key]


def _weights(item: JsonItem) -> tuple[float, ...]:
    """The weights of morph targets at rest; empty if all are 0."""
    found = item.numbers("weights", (0.0,) * len(item.entries("weights")))
    return found if any(found) else ()


def _moved(mesh: Mesh, matrix: Matrix, offset: Vector = ZERO) -> Mesh:
    """A mesh multiplied with a matrix (3, 3) and moved."""
    found = mapped(mesh, partial(transformed, matrix=matrix, offset=offset))
    return replace(found, rounding=mesh.rounding * float(np.linalg.norm(matrix, axis=0).max()))


def _size(mesh: Mesh) -> int:
    """Values of the vertices and triangles of a mesh."""
    return sum(6 * len(it.positions) + 3 * len(it.triangles) for it in mesh.primitives)


class NodeReader:
    """Makes the nodes of a scene.

    Parameters
    ----------
    placed
        All nodes of the file.
    listed
        Those of the scene.

    Attributes
    ----------
    kept
        Those of the scene that become nodes, in the order of the file.
    """

    def __init__(
        self, document: GltfFile, said: Provenance, placed: Sequence[PlacedNode], listed: Sequence[int]
    ) -> None:
        self._document = document
        self._said = said
        self._placed = placed
        self._owns = [ExtrasReader.of(it.item) if said.own else ExtrasReader({}) for it in placed]
        self._held = self._find_held()
        self._holding = {child for held in self._held.values() for child in held}
        for node in self._holding:
            self._owns[node] = ExtrasReader({})
        # The cell of each copy, and the number of what it is a copy of.
        copies = ((node, own.whole("number"), own.cell("copy")) for node, own in enumerate(self._owns))
        said_copies = {node: (number, cell) for node, number, cell in copies if cell is not None}
        self._copied = said_copies if said.own else cells_by_name(placed, listed)
        self.kept = self._kept(listed)
        self._index = {node: at for at, node in enumerate(self.kept)}
        self._names = self._named()
        # How far off, as a part of their size, moving nodes under uneven scales are, by their paths.
        self._sheared: dict[str, float] = {}
        self._original = self._originals()

    def _find_held(self) -> dict[int, list[int]]:
        """The children of each node that hold nothing but its mesh: other programs split nodes so.

        `gltf-transform quantize` scales a mesh in a child of its own, trimesh has a child for each primitive.
        """
        moved = map(self._document.moved_by, self._document.root.items("animations"))
        is_apart = {it.parent for it in self._placed}.union(*moved)
        found: dict[int, list[int]] = {}
        for node, placed in enumerate(self._placed):
            parent = placed.parent
            mesh = self._document.referred(placed.item, "mesh", "meshes")
            if parent is None or mesh is None or node in is_apart or "skin" in placed.item:
                continue
            number, slot = self._owns[parent].whole("number"), ExtrasReader.of(mesh).whole("slot")
            slots = self._owns[parent].part("fields").wholes("slots")
            # The child repeats the number of its parent, or has none; another one is a part of its own.
            is_own = self._owns[node].whole("number") in (None, number) and slot in (slots or (slot,))
            is_own = is_own and number is not None and slot is not None
            if (is_own or self._is_unpacked(placed.item)) and "mesh" not in self._placed[parent].item:
                found.setdefault(parent, []).append(node)
        return found

    def _is_unpacked(self, item: JsonItem) -> bool:
        """Whether a node only scales and moves a quantized mesh back to its size and place."""
        x, y, z = item.numbers("scale", (1.0, 1.0, 1.0))
        is_even = x == y == z > 0 and not {"name", "extras", "rotation", "matrix"} & item.values.keys()
        mesh = self._document.required(item, "mesh", "meshes")
        placed = (it.item("attributes") for it in mesh.items("primitives"))
        return is_even and any(self._document.rounding(it, "POSITION") for it in placed if "POSITION" in it)

    def _has_mesh(self, node: int) -> bool:
        return node in self._held or "mesh" in self._placed[node].item

    def _kept(self, listed: Sequence[int]) -> list[int]:
        """Nodes without copies, without the meshes of others, and those that only hold a camera or light."""
        is_parent = {it.parent for it in self._placed}
        kept = []
        for node in listed:
            if node in self._holding:
                continue
            item = self._placed[node].item
            if "camera" in item or ("extensions" in item and LIGHTS in item.item("extensions")):
                self._document.losses.add("cameras and lights are left out", item.path)
                if node not in is_parent and "mesh" not in item:
                    continue
            if node not in self._copied:
                kept.append(node)
            elif self._copied[node][0] is None and not self._said.own:
                self._document.losses.add(
                    "a node is left out, as the one of the other cells that it belongs to is not in the file",
                    item.path,
                )
        return kept

    def _originals(self) -> dict[int, int]:
        """The index of the kept node that each copy is one of."""
        known = self._index
        if self._said.own:
            numbers = [self._owns[node].whole("number") for node in self.kept]
            # Of two nodes with one number the first stays, as the last one written wins.
            known = {number: at for at, number in reversed([*enumerate(numbers)]) if number is not None}
        pairs = ((node, original) for node, (original, _ignored) in self._copied.items())
        return {node: known[it] for node, it in pairs if it is not None and it in known}

    @property
    def options(self) -> Options:
        """Options of the export that made the file; of one without ids, the part that its names show."""
        options = self._said.options
        return options if self._said.own or not self._copied else replace(options, has_all_cells=True)

    def _named(self) -> list[str]:
        """The names of the kept nodes: as stored, unless somebody has renamed them."""
        if not self._said.own:
            return [self._name(self._placed[node].item) for node in self.kept]
        owns = [self._owns[node] for node in self.kept]
        items = [self._placed[node].item for node in self.kept]
        numbers = [own.whole("number") for own in owns]
        is_original = originals(
            (number, item.name, own.text("name"), numbered("node", number or 0))
            for number, own, item in zip(numbers, owns, items, strict=True)
        )
        return [
            own.text("name") or "" if is_stored else self._name(item)
            for own, item, is_stored in zip(owns, items, is_original, strict=True)
        ]

    def _name(self, item: JsonItem) -> str:
        """The name of a node, else that of its mesh."""
        mesh = self._document.referred(item, "mesh", "meshes")
        return item.name or ("" if mesh is None else mesh.name)

    def nodes(self, parts: ShownMeshes, worlds: Worlds, tracks: Mapping[int, Track]) -> tuple[Node, ...]:
        """The nodes of the scene, with meshes of `parts`, which are gathered in the order of the file."""
        showing = [node for node in (*self.kept, *self._original) if self._has_mesh(node)]
        found = {node: self._shown(node, parts, worlds) for node in sorted(showing, key=self._mesh_index)}
        shown = [found.get(node, {}) for node in self.kept]
        for node, original in self._original.items():
            shown[original] = found.get(node, {}) | shown[original]
        made = tuple(
            self._node(at, cells, worlds.rigid[self.kept[at]], tracks.get(self.kept[at]))
            for at, cells in enumerate(shown)
        )
        worst = max(self._sheared.values(), default=0.0)
        for path in self._sheared:
            words = (
                "turns under a scale by several factors, which is exact at rest only: off by up to "
                "{share} of its size"
            )
            self._document.losses.add(words, path, share=f"{100 * worst:.3g} %")
        return made

    def _mesh_index(self, node: int) -> int:
        node = self._held.get(node, [node])[0]
        return self._placed[node].item.index_of("mesh", self._document.count("meshes")) or 0

    def _shown(self, node: int, parts: ShownMeshes, worlds: Worlds) -> dict[Cell, int]:
        """The mesh of a node in each cell."""
        own = self._owns[node]
        usual = (
            self._said.options.cell if self._said.own or node not in self._copied else self._copied[node][1]
        )
        cells = (own.cells("cells") or [own.cell("cell") or usual]) if own else [usual]
        if node in self._held:
            joined = parts.joined([(self._placed[it].item, worlds.rigid[it]) for it in self._held[node]])
            return {} if joined is None else dict.fromkeys(cells, joined)
        mesh = parts.shown(self._placed[node].item, worlds.rigid[node].stretch, worlds.world[node])
        return {} if mesh is None else dict.fromkeys(cells, mesh)

    def _node(self, at: int, cells: dict[Cell, int], part: Rigid, track: Track | None) -> Node:
        placed, own = self._placed[self.kept[at]], self._owns[self.kept[at]]
        above = placed.parent
        return Node(
            name=self._names[at],
            # The parent of a copy is the node that its own parent is a copy of.
            parent=None if above is None else self._index.get(above, self._original.get(above)),
            cells=cells,
            position=part.position,
            rotation=part.rotation,
            track=self._track(placed, track, part),
            socket_tag=own.text("takes") or "",
            is_socket=bool(own.flag("socket")),
            number=own.whole("number"),
            fields=fields_of(NODE, own.part("fields")),
        )

    def _track(self, placed: PlacedNode, track: Track | None, part: Rigid) -> Track | None:
        """The movement of a rigid part."""
        if track is None or part.outer is UNIT:
            return track
        if not is_similar(part.outer) and np.abs(track.rotations - track.rotations[0]).max() > 1e-6:
            self._sheared[placed.item.path] = shear(track, placed, part)
        return stretched_track(track, part.outer)

    def views(self) -> tuple[View, ...]:
        """The views that the nodes have for each cell, in files of this program."""
        if not self._said.own:
            return ()
        found: dict[Cell, dict[int, Cell]] = {self._said.options.cell: {}}
        for node, own in enumerate(self._owns):
            cell, has_mesh = own.cell("cell"), self._has_mesh(node)
            if node in self._index and has_mesh:
                found[self._said.options.cell][self._index[node]] = cell or self._said.options.cell
            elif cell is not None and node in self._original and has_mesh:
                found.setdefault(self._copied[node][1], {})[self._original[node]] = cell
        count = range(len(self.kept))
        return tuple(View(cell, tuple(map(shown.get, count))) for cell, shown in found.items())


def cells_by_name(placed: Sequence[PlacedNode], listed: Sequence[int]) -> dict[int, tuple[int | None, Cell]]:
    """The cell of each node whose name says that it is a copy, and the node that it is a copy of.

    `arm LOD 0 group 1` below a copy of `body` is one of the `arm` below `body`; of several, as `arm~2` is the
    name of another one, the first that has no copy for this cell yet.
    """
    names = [it.item.name for it in placed]
    said = {node: found for node in listed if (found := cell_in(names[node])) is not None}
    named: dict[str, list[int]] = {}
    for node in listed:
        if node not in said:
            named.setdefault(plain_name(names[node]), []).append(node)
    copies: dict[int, tuple[int | None, Cell]] = {}
    taken: set[tuple[int, Cell]] = set()
    for node in from_the_roots([it.parent for it in placed]):
        if node not in said:
            continue
        name, cell = said[node]
        parent = placed[node].parent
        above = copies[parent][0] if parent in copies else parent
        alike = (it for it in named.get(plain_name(name), ()) if placed[it].parent == above)
        original = next((it for it in alike if (it, cell) not in taken), None)
        copies[node] = original, cell
        if original is not None:
            taken.add((original, cell))
    return copies if taken else {}
