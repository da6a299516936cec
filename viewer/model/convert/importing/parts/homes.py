"""The nodes of triangles that were edited: those of the triangles around them, or of their part.

What was moved as a whole touches nothing that is known. It is what is gone from one node only, with as many
triangles and the same texture coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct, field

from viewer.geometry.transforms import Doubles, Indices
from viewer.model.convert.importing.parts.matches import PartMatch, PartTriangles
from viewer.model.convert.importing.vertices import NONE

FEWEST: Final = 4 / 3
"""A part is that of a node if a quarter of it is: a few of its triangles may be there by chance."""
SAME_UVS: Final = 1e-4
"""Difference of equal means of texture coordinates, which programs round."""


class Homes(Struct, eq=False):
    """The nodes of the model that triangles of a file belong to.

    Attributes
    ----------
    node
        The node of each, `NONE` for a new triangle, (t,).
    doubtful
        Groups of triangles that may belong to several nodes: how many, the node that they are in now or
        `NONE` for none, and the others.
    """

    node: Indices
    doubtful: list[tuple[int, int, tuple[int, ...]]] = field(default_factory=list)


def homes_of(match: PartMatch, told: Sequence[int | None]) -> Homes:
    """The nodes of all triangles of a match.

    Parameters
    ----------
    told
        The node of the model that the name or the parent of each part says; None for none.
    """
    given, known = match.given, match.known
    homes = Homes(match.node_of_given())
    gone = np.flatnonzero(match.is_gone & ~known.triangles.is_flat)
    pieces = _pieces(known, match.known_places, gone)
    exact = homes.node.copy()
    for node in np.unique(given.node[exact == NONE]).tolist():
        own = np.flatnonzero(given.node == node)
        new, nodes = own[exact[own] == NONE], np.unique(exact[own][exact[own] != NONE])
        said = told[int(given.part[own[0]])]
        if len(nodes) == 1 and (nodes[0] == said or FEWEST * len(new) <= len(own)):
            homes.node[new] = nodes[0]
        elif not len(nodes) and 2 * match.share > 1 and said is not None and (known.node[gone] == said).any():
            homes.node[new] = said
        else:
            for piece in _pieces(given, match.given_places, new):
                _settle(homes, match, own[exact[own] != NONE], piece, exact, pieces)
    return homes


def _settle(
    homes: Homes,
    match: PartMatch,
    around: Indices,
    piece: Indices,
    exact: Indices,
    gone: Sequence[Indices],
) -> None:
    """Set the node of connected triangles, if it is known.

    Parameters
    ----------
    around
        Triangles of the same part whose nodes are known, which are those of `exact`.
    gone
        Connected triangles of the model that are not in the file.
    """
    known = match.known
    is_next = np.isin(match.given_places[around], match.given_places[piece]).sum(axis=1)
    touched, number = np.unique(exact[around[is_next > 0]], return_inverse=True)
    if len(touched):
        # Corners that the piece shares with triangles of each node.
        weights = np.bincount(number.reshape(-1), is_next[is_next > 0])
        changed = {int(known.node[it[0]]) for it in gone}
        # Of nodes that it touches it belongs to the one from which something is gone.
        likely = [at for at in np.argsort(-weights).tolist() if int(touched[at]) in changed] or [
            int(weights.argmax())
        ]
        homes.node[piece] = touched[likely[0]]
        if len(likely) > 1:
            others = tuple(int(touched[it]) for it in likely[1:])
            homes.doubtful.append((len(piece), int(touched[likely[0]]), others))
        return
    own = _signature(match.given, piece)
    alike = {
        int(known.node[it[0]])
        for it in gone
        if len(it) == len(piece) and (np.abs(_signature(known, it) - own) <= SAME_UVS).all()
    }
    if len(alike) == 1:
        homes.node[piece] = alike.pop()
    elif alike:
        homes.doubtful.append((len(piece), NONE, tuple(sorted(alike))))


def _signature(triangles: PartTriangles, rows: Indices) -> Doubles:
    """Means of the texture coordinates of triangles, whatever their order; NaN without any."""
    uvs = triangles.triangles.uvs[rows].astype(np.float64).reshape(-1, 2)
    # First and second moments: no order of corners or triangles changes them, and moving vertices does not
    # either.
    return np.concatenate([uvs.mean(axis=0), (uvs * uvs).mean(axis=0), [uvs.prod(axis=1).mean()]])


def _pieces(triangles: PartTriangles, places: Indices, rows: Indices) -> list[Indices]:
    """Pieces of triangles of one node each, whose corners are at the same places.

    Parameters
    ----------
    places
        A number for the place of each corner, (t, 3).
    """
    if not len(rows):
        return []
    # A corner of another node at the same place is another place.
    nodes = np.repeat(triangles.node[rows], 3)
    keys = places[rows].reshape(-1) * (int(nodes.max()) + 1) + nodes
    corners = np.unique(keys, return_inverse=True)[1].reshape(-1, 3)
    piece = np.arange(len(rows))
    while True:
        # Each place gets the least number around it, each triangle that of its corners, until none changes.
        least = np.full(int(corners.max()) + 1, len(rows))
        np.minimum.at(least, corners.reshape(-1), np.repeat(piece, 3))
        after = least[corners].min(axis=1)
        # The number of a piece is a triangle of it, which may have a lower one by now.
        after = after[after]
        if (after == piece).all():
            break
        piece = after
    order = np.argsort(piece, kind="stable")
    return np.split(rows[order], np.flatnonzero(np.diff(piece[order])) + 1)
