"""The nodes of a scene with what they show and how they move.

Files of this program may have further scenes, for other cells: their nodes are copies that only say which
mesh a node shows in a cell. Other programs may have put them into the same scene.

Source: viewer.model.convert.gltf.writing.tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from viewer.formats.msh.nodes import NODE
from viewer.model.convert.gltf.reading.document import Document
from viewer.model.convert.gltf.reading.hierarchy import LIGHTS, Placed
from viewer.model.convert.gltf.reading.item import Item
from viewer.model.convert.gltf.reading.own import Own, Said, fields_of, originals
from viewer.model.convert.gltf.reading.parts import Parts
from viewer.model.convert.gltf.reading.rigid import UNIT, Rigid, Worlds, is_similar, stretched_track
from viewer.model.convert.labels import numbered
from viewer.model.convert.scene import Cell, Node, Track, View
from viewer.translation import Sentence


class Tree:
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
        self, document: Document, said: Said, placed: Sequence[Placed], listed: Sequence[int]
    ) -> None:
        self._document = document
        self._said = said
        self._placed = placed
        self._owns = [Own.of(it.item) if said.own else Own({}) for it in placed]
        self.kept = self._kept(listed)
        self._index = {node: at for at, node in enumerate(self.kept)}
        self._names = self._named()
        numbers = [self._owns[node].whole("number") for node in self.kept]
        self._by_number = {number: at for at, number in reversed([*enumerate(numbers)]) if number is not None}

    def _kept(self, listed: Sequence[int]) -> list[int]:
        """Nodes without copies, and without those that only hold a camera or a light."""
        is_parent = {it.parent for it in self._placed}
        kept = []
        for node in listed:
            item = self._placed[node].item
            if "camera" in item or LIGHTS in item.item("extensions"):
                self._document.losses.add(Sentence("cameras and lights are left out"), item.path)
                if node not in is_parent and "mesh" not in item:
                    continue
            if self._owns[node].cell("copy") is None:
                kept.append(node)
        return kept

    def _named(self) -> list[str]:
        """The names of the kept nodes: as stored, unless somebody has renamed them."""
        owns = [self._owns[node] for node in self.kept]
        items = [self._placed[node].item for node in self.kept]
        named = []
        for own, item in zip(owns, items, strict=True):
            number = own.whole("number")
            named.append((number, item.text("name"), own.text("name"), numbered("node", number or 0)))
        is_original = originals(named)
        return [
            own.text("name") or "" if is_stored else self._name(item)
            for own, item, is_stored in zip(owns, items, is_original, strict=True)
        ]

    def _name(self, item: Item) -> str:
        """The name of a node, else that of its mesh."""
        mesh = self._document.referred(item, "mesh", "meshes")
        return item.text("name") or ("" if mesh is None else mesh.text("name"))

    def nodes(self, parts: Parts, worlds: Worlds, tracks: Mapping[int, Track]) -> tuple[Node, ...]:
        """The nodes of the scene, with meshes of `parts`, which are gathered in the order of the file."""
        for node in sorted(self._showing(), key=self._mesh_index):
            self._shown(node, parts, worlds)
        shown = [self._shown(node, parts, worlds) for node in self.kept]
        for node, own in enumerate(self._owns):
            copy, number = own.cell("copy"), own.whole("number")
            if copy is not None and number in self._by_number:
                cells = shown[self._by_number[number]]
                cells |= self._shown(node, parts, worlds, without=cells)
        return tuple(
            self._node(at, cells, worlds.rigid[self.kept[at]], tracks.get(self.kept[at]))
            for at, cells in enumerate(shown)
        )

    def _showing(self) -> list[int]:
        """The nodes with a mesh that is shown in some cell."""
        copies = [
            node
            for node, own in enumerate(self._owns)
            if own.cell("copy") is not None and own.whole("number") in self._by_number
        ]
        return [node for node in self.kept + copies if "mesh" in self._placed[node].item]

    def _mesh_index(self, node: int) -> int:
        return self._placed[node].item.index_of("mesh", self._document.count("meshes")) or 0

    def _shown(
        self, node: int, parts: Parts, worlds: Worlds, without: Mapping[Cell, int] | None = None
    ) -> dict[Cell, int]:
        """The mesh of a node in each cell, but for cells that are known already."""
        own = self._owns[node]
        cells = own.cells("cells") or [own.cell("cell") or self._said.options.cell]
        wanted = [cell for cell in cells if cell not in (without or {})]
        if not wanted:
            return {}
        local = np.linalg.inv(worlds.world[node])
        mesh = parts.shown(self._placed[node].item, worlds.rigid[node].stretch, local)
        return {} if mesh is None else dict.fromkeys(wanted, mesh)

    def _node(self, at: int, cells: dict[Cell, int], part: Rigid, track: Track | None) -> Node:
        placed, own = self._placed[self.kept[at]], self._owns[self.kept[at]]
        return Node(
            name=self._names[at],
            parent=self._parent(placed.parent),
            cells=cells,
            position=part.position,
            rotation=part.rotation,
            track=self._track(placed.item, track, part),
            takes=own.text("takes") or "",
            is_socket=own.flag("socket"),
            number=own.whole("number"),
            fields=fields_of(NODE, own.part("fields")),
        )

    def _parent(self, node: int | None) -> int | None:
        """The index of a parent; of a copy that of its node."""
        if node is None or node in self._index:
            return None if node is None else self._index[node]
        number = self._owns[node].whole("number")
        return None if number is None else self._by_number.get(number)

    def _track(self, item: Item, track: Track | None, part: Rigid) -> Track | None:
        """The movement of a rigid part."""
        if track is None or part.outer is UNIT:
            return track
        if not is_similar(part.outer) and np.abs(track.rotations - track.rotations[0]).max() > 1e-6:
            message = Sentence("turns under a scale by several factors, which is exact at rest only")
            self._document.losses.add(message, item.path)
        return stretched_track(track, part.outer)

    def views(self) -> tuple[View, ...]:
        """What the nodes show for each cell, in files of this program."""
        if not self._said.own:
            return ()
        found: dict[Cell, dict[int, Cell]] = {self._said.options.cell: {}}
        for node, own in enumerate(self._owns):
            cell, copy, number = own.cell("cell"), own.cell("copy"), own.whole("number")
            has_mesh = "mesh" in self._placed[node].item
            if copy is None:
                if node in self._index and has_mesh:
                    found[self._said.options.cell][self._index[node]] = cell or self._said.options.cell
            elif cell is not None and number in self._by_number and has_mesh:
                found.setdefault(copy, {})[self._by_number[number]] = cell
        count = range(len(self.kept))
        return tuple(View(cell, tuple(map(shown.get, count))) for cell, shown in found.items())
