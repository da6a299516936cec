"""Which row of the model a vertex of a file stands for: by its id, else by where it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from viewer.model.convert.importing.vertices import Compared, Vertices
from viewer.model.convert.scene import NEW, Floats, Indices, Mesh, Primitive

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


def identified(primitive: Primitive, mesh: Mesh) -> Primitive:
    """A primitive without ids, with the rows of the vertices of a mesh that it has."""
    if primitive.vertices is not None or not mesh.primitives:
        return primitive
    rows = _in_order(primitive, mesh.primitives)
    if rows is None:
        rows = _by_place(primitive, mesh.primitives)
    return Primitive(
        primitive.positions,
        primitive.triangles,
        primitive.normals,
        primitive.uvs,
        primitive.lightmap_uvs,
        primitive.material,
        rows,
        primitive.batch,
        primitive.fields,
    )


def _in_order(primitive: Primitive, known: Sequence[Primitive]) -> Indices | None:
    """The rows of the one primitive with the same triangles over as many vertices; else None."""
    same = [
        it
        for it in known
        if len(it.positions) == len(primitive.positions) and np.array_equal(it.triangles, primitive.triangles)
    ]
    exact = [it for it in same if it.batch is not None and it.batch == primitive.batch] or same
    return exact[0].vertices if len(exact) == 1 else None


def _by_place(primitive: Primitive, known: Sequence[Primitive]) -> Indices:
    """The rows of vertices with the same position, of several that with the same texture coordinates."""
    rows = np.concatenate([np.empty(0, np.int64), *(it.vertices for it in known if it.vertices is not None)])
    points = np.concatenate([it.positions for it in known])
    has_uvs = primitive.uvs is not None and all(it.uvs is not None for it in known)
    found = np.full(len(primitive.positions), NEW, np.int64)
    if has_uvs:
        both = [np.hstack([it.positions, it.uvs]) for it in (primitive, *known) if it.uvs is not None]
        _look_up(both[0], np.concatenate(both[1:]), rows, found)
    _look_up(primitive.positions, points, rows, found)
    return found


def _look_up(wanted: Floats, known: Floats, rows: Indices, found: Indices) -> None:
    """Write the row of the first known vertex with the wanted values where none is found yet."""
    scale = float(np.abs(known).max(initial=0)) or 1.0
    step = scale * 2e-6
    keys = [
        np.ascontiguousarray(np.rint(it.astype(np.float64) / step).astype(np.int64)) for it in (known, wanted)
    ]
    kind = f"V{8 * known.shape[1]}"
    values, first = np.unique(keys[0].view(kind).reshape(-1), return_index=True)
    at = np.minimum(np.searchsorted(values, keys[1].view(kind).reshape(-1)), len(values) - 1)
    is_hit = (found == NEW) & (values[at] == keys[1].view(kind).reshape(-1))
    found[is_hit] = rows[first[at[is_hit]]]
