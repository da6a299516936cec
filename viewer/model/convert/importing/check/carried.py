"""Triangles that are in another node of a file than in the model: from then on they move with that node.

Programs that drop names or join objects do so without a word, and so do users on purpose: it is said in both
cases. A copy, whose original is where it was, is none of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

import numpy as np
from msgspec import Struct

from viewer.geometry.transforms import Indices
from viewer.model.convert.importing.check.surfaces import Triangles, matched
from viewer.model.convert.importing.matching import Comparison
from viewer.model.convert.importing.nodes.worlds import worlds
from viewer.model.convert.scene import NEW, Node, Scene

NEAR: Final = 1e-5
"""Distance of equal places in the world, as a fraction of the largest coordinate: programs round there."""


class CarriedTriangles(Struct, frozen=True):
    """Triangles that went from one node of the model to another node of the file; the names of both."""

    source: str
    target: str
    count: int


def carried(comparison: Comparison) -> Iterator[CarriedTriangles]:
    """The triangles that are in another node of the file than in the model, by both nodes."""
    new, gone = _LeftTriangles(comparison.given), _LeftTriangles(comparison.expected)
    left = {it: index for index, it in enumerate(comparison.nodes) if it is not None}
    for at, node in enumerate(comparison.expected.nodes):
        index = left.get(at)
        if index is None:
            gone.add(at, gone.triangles(node))
            continue
        own, known = new.triangles(comparison.given.nodes[index]), gone.triangles(node)
        # First the nodes that are there on both sides, so that only what differs is brought into the world.
        match = matched(own, known, NEAR * _size(known))
        new.add(index, own.some(match.new))
        gone.add(at, known.some(match.gone))
    for index, node in enumerate(comparison.given.nodes):
        if comparison.nodes[index] is None:
            new.add(index, new.triangles(node))
    if not (new.found and gone.found):
        return
    (here, owners), (there, others) = new.joined(), gone.joined()
    match = matched(here, there, NEAR * max(_size(here), _size(there)))
    # Corner 3 t, 3 t + 1 or 3 t + 2 is of triangle t.
    pairs = zip(owners[match.given[:, 0] // 3].tolist(), others[match.made[:, 0] // 3].tolist(), strict=True)
    for (index, at), count in Counter(pairs).items():
        names = comparison.expected.nodes[at], comparison.given.nodes[index]
        source, target = (it.name or str(NEW if it.number is None else it.number) for it in names)
        if comparison.nodes[index] != at:
            yield CarriedTriangles(source, target, count)


def _size(triangles: Triangles) -> float:
    """The largest coordinate."""
    return float(np.nan_to_num(np.abs(triangles.positions)).max(initial=0))


class _LeftTriangles:
    """Triangles of the nodes of a scene, in the world at rest.

    Attributes
    ----------
    found
        The nodes that have some.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene, self._worlds = scene, worlds(scene)
        self._rows = np.full(len(scene.materials) + 1, NEW, np.int64)
        self.found: list[tuple[int, Triangles]] = []

    def triangles(self, node: Node) -> Triangles:
        """All triangles that a node shows, in its space; of several cells those of one mesh once."""
        meshes = dict.fromkeys(node.cells.values())
        return Triangles.of([it for mesh in meshes for it in self._scene.meshes[mesh].primitives], self._rows)

    def add(self, index: int, triangles: Triangles) -> None:
        """Add triangles of a node to the comparison."""
        if len(triangles):
            self.found.append((index, triangles.placed(self._worlds[index])))

    def joined(self) -> tuple[Triangles, Indices]:
        """All triangles, and the node of each, (t,)."""
        counts = [len(it) for _index, it in self.found]
        owners = np.repeat(np.array([index for index, _it in self.found], np.int64), counts)
        return Triangles.joined([it for _index, it in self.found]), owners
