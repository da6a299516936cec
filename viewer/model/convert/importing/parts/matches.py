"""The triangles of parts without a node that are a model's, by the places of their corners in the world.

Triangles of several nodes may be at one place. Then what the names of parts and their materials say comes
first: a part below a node, or with its name, and a triangle of the same material.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct

from viewer.geometry.transforms import Indices, Mask, Matrix
from viewer.model.convert.importing.check.surfaces import Triangles, matched
from viewer.model.convert.importing.identity import combined, labels
from viewer.model.convert.importing.vertices import NONE
from viewer.model.convert.scene import Primitive

DECIMALS: Final = 1.5e-6
"""Distance of equal coordinates that programs write with six decimals."""
DIGITS: Final = 1e-6
"""Distance of equal binary32 coordinates that went through other spaces, as a part of the largest one."""


class ScenePart(NamedTuple):
    """A primitive of the mesh that a node shows, with the indices of both in their scene."""

    node: int
    mesh: int
    primitive: Primitive


class PartTriangles(Struct, frozen=True, eq=False, dict=True):
    """The triangles of parts, one part after the other.

    Attributes
    ----------
    triangles
        In the world at rest.
    parts
        The parts.
    part, row
        The part of each triangle, and its row in the primitive of that, (t,).
    """

    triangles: Triangles
    parts: Sequence[ScenePart]
    part: Indices
    row: Indices

    def __len__(self) -> int:
        return len(self.part)

    @classmethod
    def of(cls, parts: Sequence[ScenePart], worlds: Sequence[Matrix], materials: Indices) -> PartTriangles:
        """The triangles of parts.

        Parameters
        ----------
        worlds
            The matrix (4, 4) of each part.
        materials
            A number for each material of the scene, and at the end that of none.
        """
        placed = [
            Triangles.of([part.primitive], materials).placed(world)
            for part, world in zip(parts, worlds, strict=True)
        ]
        counts = np.array([len(it) for it in placed], np.int64)
        rows = [np.arange(0), *map(np.arange, counts.tolist())]
        triangles = Triangles.joined(placed)
        return cls(triangles, parts, np.repeat(np.arange(len(parts)), counts), np.concatenate(rows))

    @cached_property
    def node(self) -> Indices:
        """The node of each triangle, (t,)."""
        return np.array([it.node for it in self.parts], np.int64)[self.part]

    @cached_property
    def vertices(self) -> Indices:
        """The vertex of each corner in the primitive of its part, (t, 3)."""
        return np.concatenate([np.empty((0, 3), np.int64), *(it.primitive.triangles for it in self.parts)])


class PartMatch(Struct, frozen=True, eq=False):
    """The triangles of a file that are those of a model.

    Attributes
    ----------
    corners
        The corner of the model of each corner of the file, `NONE` for that of a new triangle, (t, 3).
    is_told
        Triangles whose node is that which the name or the parent of their part says, (t,).
    given_places, known_places
        A number for the place of each corner, (t, 3) both.
    """

    given: PartTriangles
    known: PartTriangles
    corners: Indices
    is_told: Mask
    given_places: Indices
    known_places: Indices

    @property
    def of_given(self) -> Indices:
        """The triangle of the model of each one, `NONE` for a new one, (t,)."""
        return np.where(self.corners[:, 0] == NONE, NONE, self.corners[:, 0] // 3)

    @property
    def share(self) -> float:
        """The part of the triangles of the file that are those of the model."""
        return float((self.corners[:, 0] != NONE).mean())

    @property
    def is_gone(self) -> Mask:
        """Triangles of the model that the file does not have, (k,)."""
        found = np.ones(len(self.known), np.bool_)
        found[self.of_given[self.of_given != NONE]] = False
        return found

    def node_of_given(self) -> Indices:
        """The node of the model of each triangle, `NONE` for a new one, (t,)."""
        # One more at the end: triangle -1, none, has no node.
        return np.append(self.known.node, NONE)[self.of_given]

    def shared(self) -> Iterator[tuple[int, int, int]]:
        """Pairs of nodes of which the file has fewer triangles than both have at one place.

        The first has got the triangles, the third number says how many.
        """
        # Sorted corners: two nodes may have the same triangle with another first corner, or the other side
        # up.
        keys = combined([*np.sort(self.known_places, axis=1).T]) if len(self.known) else np.empty(0, np.int64)
        is_gone = self.is_gone & ~self.known.triangles.is_flat
        own = np.flatnonzero((self.of_given != NONE) & ~self.is_told)
        taken = self.of_given[own]
        first = dict(zip(keys[taken].tolist(), self.known.node[taken].tolist(), strict=True))
        pairs = [
            (first[key], node)
            for key, node in zip(keys[is_gone].tolist(), self.known.node[is_gone].tolist(), strict=True)
            if first.get(key, node) != node
        ]
        yield from ((*pair, pairs.count(pair)) for pair in dict.fromkeys(pairs))


def match_parts(
    given: PartTriangles, known: PartTriangles, told: Sequence[int | None], rounding: float
) -> PartMatch:
    """The triangles of parts of a file that are those of a model.

    Parameters
    ----------
    told
        The node of the model that the name or the parent of each part of the file says; None for none.
    rounding
        How far the file may have rounded a coordinate.
    """
    points = np.concatenate([given.triangles.positions, known.triangles.positions]).reshape(-1, 3)
    # At 100 units the digits of a float are worth 1e-4, far more than six decimals; near 0 the decimals are.
    near = DECIMALS + DIGITS * float(np.nan_to_num(np.abs(points)).max(initial=0)) + rounding
    places = combined([labels(it, near) for it in points.T]).reshape(-1, 3)
    corners = np.full(3 * len(given), NONE, np.int64)
    is_free = np.ones(len(known), np.bool_)
    of_part = np.array([NONE if it is None else it for it in told], np.int64)
    said = of_part[given.part]
    is_told = np.zeros(len(given), np.bool_)
    for all_given, all_known in _rounds(given, known, said):
        own, others = all_given[corners[3 * all_given] == NONE], all_known[is_free[all_known]]
        if not (len(own) and len(others)):
            continue
        found = matched(given.triangles.some(own), known.triangles.some(others), near)
        # Corner 4 of some triangles is number 1 of the second one, whose row says where all its corners are.
        here, there = (
            rows[it // 3] * 3 + it % 3
            for rows, it in ((own, found.given.reshape(-1)), (others, found.made.reshape(-1)))
        )
        corners[here] = there
        is_free[there // 3] = False
        is_told[here // 3] = said[here // 3] == known.node[there // 3]
    split = len(given)
    return PartMatch(given, known, corners.reshape(-1, 3), is_told, places[:split], places[split:])


def _rounds(given: PartTriangles, known: PartTriangles, said: Indices) -> Iterator[tuple[Indices, Indices]]:
    """The triangles that are compared with each other, from the surest pairs to the least."""
    for node in np.unique(said[said != NONE]).tolist():
        own, others = np.flatnonzero(said == node), np.flatnonzero(known.node == node)
        yield from _by_material(given, known, own, others)
        yield own, others
    own, others = np.arange(len(given)), np.arange(len(known))
    yield from _by_material(given, known, own, others)
    yield own, others


def _by_material(
    given: PartTriangles, known: PartTriangles, own: Indices, others: Indices
) -> Iterator[tuple[Indices, Indices]]:
    here, there = given.triangles.material[own], known.triangles.material[others]
    for material in np.intersect1d(here[here != NONE], there).tolist():
        yield own[here == material], others[there == material]
