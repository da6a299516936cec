"""Which row of the model a vertex of a file stands for: by its id, else by where it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from viewer.model.convert.importing.shapes.places import rows_by_triangles
from viewer.model.convert.importing.shapes.vertices import Compared, Vertices
from viewer.model.convert.scene import NEW, Indices, Mesh, Primitive

MOST_SHIFTS: Final = 6
"""Distances between the rows that vertices say and those that they have that are tried."""


def rows_of(given: Vertices, known: Vertices, like: Indices) -> Indices:
    """The rows that vertices say they are, `NEW` where their mesh has no such row, (n,).

    Parameters
    ----------
    like
        The mesh in `known` of each given vertex, -1 for none, (n,).
    """
    base = int(max(known.rows.max(initial=0), given.rows.max(initial=0))) + 1
    pairs = like * base + given.rows
    is_there = (like >= 0) & (given.rows >= 0) & np.isin(pairs, known.mesh * base + known.rows)
    return np.where(is_there, given.rows, NEW)


def rows_now(ids: Indices, places: Indices, beside: Callable[[Indices], Compared]) -> Indices:
    """The rows of vertices in a model that was changed since their ids were written, (n,).

    Rows that were added or removed move those after them by the same number, so the ids are tried with the
    most frequent distances. Other vertices have the rows at their places, else those that they say.

    Parameters
    ----------
    ids, places
        The rows that vertices say, and those of vertices at their places; `NEW` for none.
    beside
        Compares the vertices with rows.
    """
    is_both = (ids != NEW) & (places != NEW)
    shifts, counts = np.unique((places - ids)[is_both], return_counts=True)
    found = np.full(len(ids), NEW, np.int64)
    for shift in dict.fromkeys([0, *shifts[np.argsort(-counts)][:MOST_SHIFTS].tolist()]):
        compared = beside(np.where(ids == NEW, NEW, ids + shift))
        is_here = (found == NEW) & compared.is_placed & compared.has_uvs
        found[is_here] = compared.rows[is_here]
    for rows in (places, ids):
        is_free = (found == NEW) & ~np.isin(rows, found)
        found[is_free] = rows[is_free]
    return found


def identified(
    primitives: Sequence[Primitive], mesh: Mesh, materials: tuple[Sequence[int], Sequence[int]]
) -> Iterator[Primitive]:
    """Yield the primitives of a mesh, those without ids with the rows of the vertices of a known mesh.

    Parameters
    ----------
    materials
        The wear row of each primitive and of each of the known mesh, -1 for none.
    """
    bare = [index for index, it in enumerate(primitives) if it.vertices is None]
    if not bare or not mesh.primitives:
        yield from primitives
        return
    given = Vertices.of([(0, primitives[index]) for index in bare])
    known = Vertices.of([(0, it) for it in mesh.primitives])
    of_bare = np.array(materials[0], np.int64)[bare]
    wear_rows = of_bare[given.primitive], np.array(materials[1], np.int64)[known.primitive]
    rows = rows_by_triangles(given, known, wear_rows)
    ends = np.cumsum([len(primitives[index].positions) for index in bare])
    found = dict(zip(bare, np.split(rows, ends[:-1]), strict=True))
    for index, primitive in enumerate(primitives):
        yield replace(primitive, vertices=found[index]) if index in found else primitive
