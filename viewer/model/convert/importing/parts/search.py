"""The parts of a file that have no node, and the parts of the model of which the file has nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from msgspec import Struct

from viewer.geometry.transforms import Indices, Matrix
from viewer.model.convert.gltf.nodes import from_the_roots
from viewer.model.convert.importing.findings import Findings, listed
from viewer.model.convert.importing.nodes.worlds import place_of, worlds
from viewer.model.convert.importing.parts.homes import Homes, homes_of
from viewer.model.convert.importing.parts.matches import PartMatch, PartTriangles, ScenePart, match_parts
from viewer.model.convert.importing.vertices import NONE
from viewer.model.convert.labels import plain_name
from viewer.model.convert.scene import Scene

_SIGNS: Final = re.compile(r"[\W_]+")
"""The signs of names that programs write in place of each other."""


def _lost_parts(given: Scene, nodes: Sequence[int | None]) -> Iterator[ScenePart]:
    """The primitives of nodes that the model does not have; copies say which node they are of."""
    for index, (node, at) in enumerate(zip(given.nodes, nodes, strict=True)):
        if at is None and node.number is None:
            # A new node shows one mesh, in whatever cells.
            for mesh in sorted({*node.cells.values()})[:1]:
                for primitive in given.meshes[mesh].primitives:
                    if len(primitive.triangles):
                        yield ScenePart(index, mesh, primitive)


def _open_parts(expected: Scene, given: Scene, nodes: Sequence[int | None]) -> Iterator[ScenePart]:
    """The primitives that nodes show in the chosen cell, and of which the file shows nothing there."""
    index_of = {at: index for index, at in reversed([*enumerate(nodes)])}
    for at, (node, cell) in enumerate(zip(expected.nodes, expected.chosen.shown, strict=True)):
        if cell is None:
            continue
        shown = shown_mesh(given, index_of.get(at), cell)
        batches = set() if shown is None else {it.batch for it in given.meshes[shown].primitives}
        for primitive in expected.meshes[node.cells[cell]].primitives:
            # Of a mesh whose batches are not known any may be a part of each.
            if len(primitive.triangles) and None not in batches and primitive.batch not in batches:
                yield ScenePart(at, node.cells[cell], primitive)


def shown_mesh(given: Scene, index: int | None, cell: tuple[int, int]) -> int | None:
    """The mesh that a node of the file shows in a cell; one without ids says the requested cell."""
    if index is None:
        return None
    cells = given.nodes[index].cells
    return cells.get(cell, cells.get(given.options.cell))


class PartSearch(Struct, frozen=True, eq=False, dict=True):
    """The parts of a file that have no node, and the parts of the model of which the file has nothing.

    Attributes
    ----------
    frame
        The frame at which the file shows the model; None at rest.
    """

    expected: Scene
    given: Scene
    nodes: Sequence[int | None]
    frame: float | None = None

    @cached_property
    def lost(self) -> list[ScenePart]:
        """The parts of the file."""
        return [*_lost_parts(self.given, self.nodes)]

    @cached_property
    def opened(self) -> list[ScenePart]:
        """The parts of the model that may be among those of the file."""
        return [*_open_parts(self.expected, self.given, self.nodes)]

    @property
    def new_nodes(self) -> frozenset[int]:
        """The nodes that the model does not have."""
        return frozenset(index for index, at in enumerate(self.nodes) if at is None)

    @property
    def is_free(self) -> bool:
        """Whether no such node is below one of the model."""
        return all(self.given.nodes[it].parent in {None, *self.new_nodes} for it in self.new_nodes)

    @cached_property
    def given_worlds(self) -> list[Matrix]:
        """The world of each node of the file."""
        return worlds(self.given)

    @cached_property
    def known_worlds(self) -> list[Matrix]:
        """The world of each node of the model, where the file has it, else where it is below such a one.

        At the frame that the file shows all are where the model has them.
        """
        is_posed = self.frame is not None
        time = self.expected.options.rest if self.frame is None else self.frame
        index_of = {} if is_posed else self.index_of
        found: list[Matrix] = [np.eye(4)] * len(self.expected.nodes)
        for at in from_the_roots([it.parent for it in self.expected.nodes]):
            node = self.expected.nodes[at]
            own = place_of(node, time, is_mixed=is_posed)
            found[at] = own if node.parent is None else found[node.parent] @ own
            if at in index_of:
                found[at] = self.given_worlds[index_of[at]]
        return found

    @cached_property
    def index_of(self) -> dict[int, int]:
        """The first node of the file that is each expected one."""
        pairs = ((at, index) for index, at in reversed([*enumerate(self.nodes)]) if at is not None)
        return dict(pairs)

    @cached_property
    def materials(self) -> tuple[Indices, Indices]:
        """A number for each material of the file and of the model, at the end that of none."""
        numbers: dict[str, int] = {}
        scenes = (self.given, self.expected)
        names = [[plain_name(it.name).casefold() for it in scene.materials] for scene in scenes]
        found = [[numbers.setdefault(it, len(numbers)) for it in own] for own in names]
        given, known = (np.array([*it, NONE], np.int64) for it in found)
        return given, known

    @cached_property
    def match(self) -> PartMatch:
        """The triangles of the file that are those of the model."""
        own, others = self.materials
        given = PartTriangles.of(self.lost, [self.given_worlds[it.node] for it in self.lost], own)
        known = PartTriangles.of(self.opened, [self.known_worlds[it.node] for it in self.opened], others)
        return match_parts(given, known, self.told, max(self._rounding(it) for it in self.lost))

    def _rounding(self, part: ScenePart) -> float:
        return self.given.meshes[part.mesh].rounding

    @cached_property
    def homes(self) -> Homes:
        """The expected node of each triangle."""
        return homes_of(self.match, self.told)

    @cached_property
    def told(self) -> list[int | None]:
        """The expected node that the parent or the name of each part says."""
        of_node = {index: self._told(index) for index in {it.node for it in self.lost}}
        return [of_node[it.node] for it in self.lost]

    def _told(self, index: int) -> int | None:
        nodes = {it.node for it in self.opened}
        parent = self.given.nodes[index].parent
        while parent is not None and self.nodes[parent] is None:
            parent = self.given.nodes[parent].parent
        above = None if parent is None else self.nodes[parent]
        if above in nodes:
            return above
        name = _folded(self.given.nodes[index].name)
        starts = {at: _folded(self.expected.nodes[at].name) for at in nodes}
        # "arm_left_2" begins with "arm_left" and with "arm", whole words only: the longest is meant.
        named = [at for at, it in starts.items() if it and f"{name}_".startswith(f"{it}_")]
        longest = max((len(starts[at]) for at in named), default=0)
        named = [at for at in named if len(starts[at]) == longest]
        return named[0] if len(named) == 1 else None

    def note(self, findings: Findings) -> None:
        """Report what went back to which nodes, and what may belong to several of them."""
        homes = self.homes
        if self.frame is not None:
            words = "the file shows the model at frame {frame}, not at rest: its parts are compared there"
            findings.note(words, frame=f"{self.frame:.4g}")
        names = [it.name or str(it.number) for it in self.expected.nodes]
        back = [names[at] for at in np.unique(homes.node[homes.node != NONE]).tolist()]
        findings.note(
            "{count} triangles that had lost their nodes are back in them, by their places: {nodes}",
            count=int((homes.node != NONE).sum()),
            nodes=listed(back),
        )
        for node, other, count in self.match.shared():
            findings.lose(
                "{count} triangles are at one place in {first} and {second}, and in the file only once: "
                "they are in {first} now",
                count=count,
                first=names[node],
                second=names[other],
            )
        for count, node, others in homes.doubtful:
            several = listed([names[it] for it in others])
            if node == NONE:
                words = "{count} triangles may be those of {nodes}, and are in a new node"
                findings.lose(words, count=count, nodes=several)
            else:
                words = "{count} triangles may be those of {nodes} too, and are in {node} now"
                findings.lose(words, count=count, nodes=several, node=names[node])


def _folded(name: str) -> str:
    """A name with one sign for all that are no letters, of which programs replace some by others."""
    return _SIGNS.sub("_", name).strip("_").casefold()
