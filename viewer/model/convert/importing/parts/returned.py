"""Parts of a file that lost their nodes, back in the nodes of the model whose geometry they are.

Programs drop the names of objects, join all objects of one material, and hang each mesh on a node of its own
below that which showed it. A part goes back only where the file has nothing else: of an object that was
separated on purpose the rest is there, and a copy has its original.

Source: spec/msh.md 13.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from viewer.geometry.transforms import Floats, Indices, inverse
from viewer.model.convert.gltf.nodes import from_the_roots
from viewer.model.convert.importing import identity
from viewer.model.convert.importing.findings import Findings
from viewer.model.convert.importing.nodes.directions import note_turned, turned
from viewer.model.convert.importing.parts.frames import likely_frames
from viewer.model.convert.importing.parts.search import PartSearch, shown_mesh
from viewer.model.convert.importing.vertices import NONE
from viewer.model.convert.labels import numbered
from viewer.model.convert.scene import Mesh, Node, Primitive, Scene, SceneMaterial, View
from viewer.model.convert.shapes import chosen, transformed


def with_known_parts(
    expected: Scene, given: Scene, nodes: Sequence[int | None], findings: Findings, *, has_axes: bool
) -> tuple[Scene, list[int | None]]:
    """A scene whose parts without nodes are in those of the model that they are from, and its nodes.

    Parameters
    ----------
    nodes
        The expected node of each given one; None for a new one.
    has_axes
        Whether it is certain which axis is up.
    """
    found = PartSearch(expected, given, nodes)
    if not found.lost or not found.opened:
        return given, [*nodes]
    if found.match.share < 1 and found.is_free:
        # What was edited is found nowhere else: of equals the file is at rest, in its own directions.
        found = max((found, *_other_searches(found, has_axes=has_axes)), key=lambda it: it.match.share)
        if found.given is not given:
            note_turned(given, findings)
    if not found.match.share:
        return given, [*nodes]
    found.note(findings)
    return _Returned(found).scene()


def _other_searches(found: PartSearch, *, has_axes: bool) -> Iterator[PartSearch]:
    """Searches in the other directions, and at the frames that the file is likely to show."""
    is_certain = has_axes or 2 * found.match.share > 1
    scenes = [found.given] if is_certain else [found.given, turned(found.given, found.new_nodes)]
    searches = [replace(found, given=it, frame=None) for it in scenes]
    yield from searches
    if any(it.track is not None for it in found.expected.nodes):
        for it in searches:
            frames = likely_frames(it.expected, it.opened, it.lost, it.given_worlds)
            yield from (replace(it, frame=frame) for frame in frames)


class _Returned:
    """The scene of a file with its parts in the nodes of the model."""

    def __init__(self, search: PartSearch) -> None:
        self._search = search
        self._expected, self._given = search.expected, search.given
        self._match, self._node = search.match, search.homes.node
        known = self._match.known
        corners = [(it.primitive, it.primitive.triangles.reshape(-1)) for it in known.parts]
        self._positions: Floats = np.concatenate([it.positions[rows] for it, rows in corners])
        self._rows: Indices = np.concatenate(
            [it.vertices[rows] for it, rows in corners if it.vertices is not None]
        )
        self._meshes = [*search.given.meshes]

    def scene(self) -> tuple[Scene, list[int | None]]:
        """The scene, and the expected node of each of its nodes."""
        given, search = self._given, self._search
        cells = {index: self._left(index) for index in {it.node for it in search.lost}}
        made = [replace(it, cells=cells.get(index, it.cells)) for index, it in enumerate(given.nodes)]
        back = {at: self._added(self._mesh(at)) for at in np.unique(self._node[self._node != NONE]).tolist()}
        for at in back.keys() & search.index_of.keys():
            index = search.index_of[at]
            made[index] = replace(made[index], cells=self._cells(at, made[index], back[at]))
        kept = [index for index in range(len(made)) if index not in self._dropped(made, cells)]
        number = {index: place for place, index in enumerate(kept)}
        restored = self._restored(back)
        place_of_node = {at: number[index] for at, index in search.index_of.items()}
        place_of_node |= {at: len(kept) + place for place, at in enumerate(restored)}
        nodes = [replace(made[index], parent=number.get(_above(made[index]))) for index in kept]
        for at in restored:
            known = self._expected.nodes[at]
            parent = None if known.parent is None else place_of_node[known.parent]
            own = {self._expected.chosen.shown[at]: back[at]} if at in back else {}
            nodes.append(replace(known, parent=parent, cells={cell: it for cell, it in own.items() if cell}))
        clips = (
            replace(it, tracks={number[node]: track for node, track in it.tracks.items() if node in number})
            for it in given.clips
        )
        scene = replace(
            given,
            nodes=tuple(nodes),
            meshes=tuple(self._meshes),
            materials=tuple(self._materials()),
            clips=tuple(clips),
            views=tuple(self._view(it, kept, restored) for it in given.views),
        )
        return scene, [*(search.nodes[index] for index in kept), *restored]

    def _materials(self) -> Iterator[SceneMaterial]:
        """The materials of the file; one without a name is that of its triangles in the model."""
        match, known = self._match, self._expected.materials
        own, others = (
            np.array([NONE if it.primitive.material is None else it.primitive.material for it in side.parts])
            for side in (match.given, match.known)
        )
        is_known = match.of_given != NONE
        here = own[match.given.part[is_known]]
        there = others[match.known.part[match.of_given[is_known]]]
        for index, material in enumerate(self._given.materials):
            found = np.unique(there[here == index])
            is_nameless = material.name in {"", numbered("material", index)}
            if is_nameless and len(found) == 1 and found[0] != NONE:
                yield replace(material, name=known[found[0]].name, row=known[found[0]].row)
            else:
                yield material

    def _cells(self, at: int, node: Node, mesh: int) -> dict[tuple[int, int], int]:
        """The cells of a node of the file that shows a mesh instead of what it showed."""
        cell, usual = self._expected.chosen.shown[at], self._given.options.cell
        kept = {it: shown for it, shown in node.cells.items() if it not in (cell, usual)}
        return kept if cell is None else {**kept, cell: mesh}

    def _view(self, view: View, kept: Sequence[int], restored: Sequence[int]) -> View:
        known = {it.cell: it.shown for it in self._expected.views}.get(view.cell)
        own = (view.shown[index] if index < len(view.shown) else None for index in kept)
        return View(view.cell, (*own, *(None if known is None else known[at] for at in restored)))

    def _restored(self, back: Mapping[int, int]) -> list[int]:
        """The expected nodes that are not in the file: those of parts, with what is above, or all of them."""
        index_of, parents = self._search.index_of, [it.parent for it in self._expected.nodes]
        if not index_of:
            # A file without a single node of the model says nothing about any of them.
            return from_the_roots(parents)
        needed = set[int]()
        for at in back:
            above: int | None = at
            while above is not None and above not in index_of:
                needed.add(above)
                above = parents[above]
        return [at for at in from_the_roots(parents) if at in needed]

    def _dropped(self, made: Sequence[Node], cells: Mapping[int, object]) -> set[int]:
        """The nodes that held parts and hold nothing any more, with those above that hold nothing else."""
        below: dict[int | None, set[int]] = {}
        for index, node in enumerate(made):
            below.setdefault(node.parent, set()).add(index)
        found = set[int]()
        for index in reversed(from_the_roots([it.parent for it in made])):
            is_lost = self._search.nodes[index] is None and made[index].number is None
            children = below.get(index, set())
            if is_lost and not made[index].cells and children <= found and (children or index in cells):
                found.add(index)
        return found

    def _added(self, mesh: Mesh) -> int:
        self._meshes.append(mesh)
        return len(self._meshes) - 1

    def _left(self, index: int) -> dict[tuple[int, int], int]:
        """The cells of a node with the triangles of its mesh that went to no node of the model."""
        match = self._match
        parts = [number for number, it in enumerate(match.given.parts) if it.node == index]
        own = [np.flatnonzero((match.given.part == it) & (self._node == NONE)) for it in parts]
        if not sum(map(len, own)):
            return {}
        primitives = []
        for number, rows in zip(parts, own, strict=True):
            if len(rows):
                primitive = match.given.parts[number].primitive
                used, places = np.unique(primitive.triangles[match.given.row[rows]], return_inverse=True)
                primitives.append(chosen(primitive, used, places.reshape(-1, 3)))
        mesh = replace(self._given.meshes[match.given.parts[parts[0]].mesh], primitives=tuple(primitives))
        return dict.fromkeys(self._given.nodes[index].cells, self._added(mesh))

    def _mesh(self, at: int) -> Mesh:
        """The mesh that a node shows: what the file has of it, and the parts that are back."""
        match, expected = self._match, self._expected
        own = np.flatnonzero(self._node == at)
        is_known = match.corners[own, 0] != NONE
        part = np.where(is_known, match.known.part[match.corners[own, 0] // 3], NONE)
        # Edited triangles come last, as a batch of which nothing is known.
        base = len(match.given.parts)
        keys, group = np.unique(
            # Part of the model and part of the file in one number, in the order of the model's batches.
            np.where(part == NONE, len(match.known.parts), part) * base + match.given.part[own],
            return_inverse=True,
        )
        settled = dict(
            zip(
                match.given_places[own[is_known]].reshape(-1).tolist(),
                match.corners[own[is_known]].reshape(-1).tolist(),
                strict=True,
            )
        )
        made = [
            self._primitive(at, own[group == number], settled, has_rows=bool(is_known.all()))
            for number in range(len(keys))
        ]
        known = next(it for it in match.known.parts if it.node == at)
        if not is_known.all():
            made = [*self._identified(at, made)]
        cell = expected.chosen.shown[at]
        shown = None if cell is None else shown_mesh(self._given, self._search.index_of.get(at), cell)
        before = () if shown is None else self._given.meshes[shown].primitives
        order = sorted((*before, *made), key=lambda it: (it.batch is None, it.batch or 0))
        meshes = {match.given.parts[it].mesh for it in np.unique(match.given.part[own]).tolist()}
        rounding = max(self._given.meshes[it].rounding for it in meshes)
        return replace(expected.meshes[known.mesh], primitives=tuple(order), rounding=rounding)

    def _primitive(self, at: int, rows: Indices, settled: Mapping[int, int], *, has_rows: bool) -> Primitive:
        """Triangles of one part as those of a primitive of a node.

        Parameters
        ----------
        settled
            The corner of the model at a place, by the number of the place: what is only off by rounding is
            put there.
        has_rows
            Whether all triangles of the node are those of the model, so that each vertex has its row.
        """
        match = self._match
        part = match.given.parts[int(match.given.part[rows[0]])]
        vertices, corners = match.given.vertices[rows].reshape(-1), match.corners[rows].reshape(-1)
        stored = np.append(self._rows, NONE)[corners]
        # A vertex that stands for several rows becomes as many.
        # Vertex and row in one number. Rows go from -1 on, so 1 is added and the base is 2 larger than the
        # last.
        pairs = vertices * (int(self._rows.max(initial=0)) + 2) + stored + 1
        _, first, places = np.unique(pairs, return_index=True, return_inverse=True)
        primitive = chosen(part.primitive, vertices[first], places.reshape(-1, 3))
        # From the space of the node that holds the part in the file through the world into that of its own
        # node.
        back = inverse(self._search.known_worlds[at]) @ self._search.given_worlds[part.node]
        moved = transformed(primitive, back[:3, :3], back[:3, 3])
        there = np.array(
            [settled.get(it, NONE) for it in match.given_places[rows].reshape(-1)[first].tolist()], np.int64
        )
        positions = np.where((there != NONE)[:, None], self._positions[there], moved.positions)
        made = replace(moved, positions=positions)
        if has_rows and primitive.vertices is None:
            made = replace(made, vertices=stored[first])
        if corners[0] == NONE:
            return made
        known = match.known.parts[int(match.known.part[corners[0] // 3])].primitive
        return replace(made, batch=known.batch, fields=known.fields)

    def _identified(self, at: int, made: Sequence[Primitive]) -> Iterator[Primitive]:
        """The primitives of a node of which some were edited, with rows of the model."""
        own, others = self._search.materials
        known = [it.primitive for it in self._match.known.parts if it.node == at]
        numbers = (
            [int(of[NONE if it.material is None else it.material]) for it in some]
            for of, some in ((own, made), (others, known))
        )
        given_rows, known_rows = numbers
        mesh = Mesh("", tuple(known))
        return identity.identified(made, mesh, (given_rows, known_rows))


def _above(node: Node) -> int:
    return NONE if node.parent is None else node.parent
