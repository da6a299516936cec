"""Which row of the model a vertex or a triangle of a file stands for: by its id, else by where it is.

Source: spec/msh.md 4, 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Floats
from viewer.model.convert.importing.shapes.vertices import HALF_STEP, Compared, Vertices
from viewer.model.convert.scene import NEW, Indices, Mesh, Primitive

Mask = npt.NDArray[np.bool_]
NONE = -1
FAR = 1 << 22
"""Pairs of triangles that are measured at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Which triangles of a file are those of the model.

    Attributes
    ----------
    of_given
        The triangle of the model of each given one, `NONE` for a new one, (g,).
    is_lost
        Triangles of the model that are gone, (t,).
    """

    of_given: Indices
    is_lost: Mask

    @property
    def is_same(self) -> bool:
        """Whether none is new and none is gone."""
        return not self.is_lost.any() and bool((self.of_given != NONE).all())


def pairs(known: Indices, given: Indices) -> Pairs:
    """Pair triangles (t, 3) and (g, 3) with the same vertices in the same winding.

    Triangles without three vertices, and a second one of the same vertices, are not gone if the file does not
    have them: other programs drop these.
    """
    base = int(max(known.max(initial=0), given.max(initial=0))) + 1
    of_given = paired(_triangle_keys(known, base), _triangle_keys(given, base))
    is_lost = np.ones(len(known), np.bool_)
    is_lost[of_given[of_given != NONE]] = False
    if is_lost.any():
        is_lost &= ~_is_droppable(known, is_lost, base)
    return Pairs(of_given, is_lost)


def paired(known: Indices, given: Indices) -> Indices:
    """The place of each given number among known ones, `NONE` for none; several equal ones in order, (g,)."""
    order, asked = np.argsort(known, kind="stable"), np.argsort(given, kind="stable")
    at = np.searchsorted(known[order], given[asked]) + _repeats(given[asked])
    is_hit = at < len(order)
    is_hit[is_hit] = known[order][at[is_hit]] == given[asked][is_hit]
    found = np.full(len(given), NONE, np.int64)
    found[asked[is_hit]] = order[at[is_hit]]
    return found


def _triangle_keys(triangles: Indices, base: int) -> Indices:
    """A number for the vertices of each triangle, whichever comes first, (t,)."""
    first = triangles.argmin(axis=1)[:, None] if len(triangles) else np.zeros((0, 1), np.int64)
    a, b, c = np.take_along_axis(triangles, (first + np.arange(3)) % 3, axis=1).T
    keys: Indices = (a * base + b) * base + c
    return keys


def _repeats(ordered: Indices) -> Indices:
    """How many equal numbers stand before each one in a sorted list."""
    repeats: Indices = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    return repeats


def _is_droppable(triangles: Indices, is_lost: Mask, base: int) -> Mask:
    """Triangles that other programs drop, (t,)."""
    corners = np.sort(triangles, axis=1)
    is_flat = (corners[:, 0] == corners[:, 1]) | (corners[:, 1] == corners[:, 2])
    a, b, c = corners.T
    keys = (a * base + b) * base + c
    found: Mask = is_flat | np.isin(keys, keys[~is_lost])
    return found


def nearest(points: npt.NDArray[np.floating], known: npt.NDArray[np.floating]) -> Indices:
    """The nearest known point of each point, (n,); `NONE` if there is none."""
    if not len(known):
        return np.full(len(points), NONE, np.int64)
    found = np.empty(len(points), np.int64)
    step = max(1, FAR // len(known))
    for start in range(0, len(points), step):
        some = points[start : start + step, None].astype(np.float64) - known
        found[start : start + step] = np.einsum("nki,nki->nk", some, some).argmin(axis=1)
    return found


CLOSE: Final = 2e-6
"""Distance of equal coordinates, as a fraction of the largest one."""


def rows_by_triangles(given: Vertices, known: Vertices, materials: tuple[Indices, Indices]) -> Indices:
    """The row of each given vertex, `NEW` for one that stands for none, (n,).

    Parameters
    ----------
    materials
        The wear row of each given and of each known triangle.
    """
    classes, others = _classes(given, known, has_uvs=True)
    corners, known_corners = _turned(given.triangles, classes), _turned(known.triangles, others)
    of_given = _pairs(_keys(classes[corners], others[known_corners]), materials)
    _pair_the_rest(of_given, materials)
    found = np.full(len(given), NEW, np.int64)
    is_hit = of_given != NONE
    is_same = is_hit.copy()
    is_same[is_hit] = (classes[corners[is_hit]] == others[known_corners[of_given[is_hit]]]).all(axis=1)
    _assign(found, corners[is_same], known.rows[known_corners[of_given[is_same]]])
    rest = is_hit & ~is_same
    _assign(found, given.triangles[rest], known.rows[known.triangles[of_given[rest]]])
    for has_uvs in (True, False):
        _by_class(found, *_classes(given, known, has_uvs=has_uvs), known.rows)
    return found


def _classes(given: Vertices, known: Vertices, *, has_uvs: bool) -> tuple[Indices, Indices]:
    """A number for each place, with the same texture coordinates or not, of given and of known vertices."""
    points = np.concatenate([given.positions, known.positions])
    uvs = np.concatenate([given.uvs, known.uvs])
    step = CLOSE * (float(np.abs(points).max(initial=0)) or 1.0)
    found = np.zeros(len(points), np.int64)
    columns = [(it, step) for it in points.T]
    if has_uvs and not np.isnan(uvs).any():
        columns += [(it, HALF_STEP) for it in uvs.T]
    for values, least in columns:
        labels = _labels(values, least)
        _, found = np.unique(found * (len(points) + 1) + labels, return_inverse=True)
    return found[: len(given)], found[len(given) :]


def _labels(values: Floats, least: float) -> Indices:
    """A number for each run of values with no wider gap, (n,)."""
    order = np.argsort(values, kind="stable")
    found = np.empty(len(values), np.int64)
    found[order] = np.cumsum(np.diff(values[order].astype(np.float64), prepend=-np.inf) > least)
    return found


def _turned(triangles: Indices, classes: Indices) -> Indices:
    """Triangles that begin with their corner of the least number, (t, 3)."""
    if not len(triangles):
        return triangles
    first = classes[triangles].argmin(axis=1)[:, None]
    turned: Indices = np.take_along_axis(triangles, (first + np.arange(3)) % 3, axis=1)
    return turned


def _keys(given: Indices, known: Indices) -> tuple[Indices, Indices]:
    """A number for the places of each triangle."""
    _, found = np.unique(np.concatenate([given, known]), axis=0, return_inverse=True)
    flat = found.reshape(-1)
    return flat[: len(given)], flat[len(given) :]


def _pairs(keys: tuple[Indices, Indices], materials: tuple[Indices, Indices]) -> Indices:
    """The known triangle of each given one, `NONE` for a new one, (t,)."""
    base = int(max(it.max(initial=0) for it in materials)) + 2
    fine = [key * base + 1 + material for key, material in zip(keys, materials, strict=True)]
    found = paired(fine[1], fine[0])
    _pair_among(found, *keys)
    return found


def _pair_among(found: Indices, given: Indices, known: Indices) -> None:
    """Pair what has no partner yet by other numbers."""
    is_free = _free(found, len(known))
    own, others = np.flatnonzero(found == NONE), np.flatnonzero(is_free)
    at = paired(known[others], given[own])
    found[own[at != NONE]] = others[at[at != NONE]]


def _free(found: Indices, count: int) -> Mask:
    is_free: npt.NDArray[np.bool_] = np.ones(count, np.bool_)
    is_free[found[found != NONE]] = False
    return is_free


def _pair_the_rest(found: Indices, materials: tuple[Indices, Indices]) -> None:
    """Pair what is left over in order, where it is as many: of each material, then of all."""
    for given, known in (materials, tuple(np.zeros_like(it) for it in materials)):
        for material in np.unique(given[found == NONE]).tolist():
            own = np.flatnonzero((found == NONE) & (given == material))
            others = np.flatnonzero(_free(found, len(known)) & (known == material))
            if len(own) == len(others):
                found[own] = others


def _assign(found: Indices, corners: Indices, rows: Indices) -> None:
    """Write the rows of corners where none is known yet; the first one counts."""
    flat, wanted = corners.reshape(-1)[::-1], rows.reshape(-1)[::-1]
    is_open = found[flat] == NEW
    found[flat[is_open]] = wanted[is_open]


def _by_class(found: Indices, given: Indices, known: Indices, rows: Indices) -> None:
    """Write the row of the first known vertex of the same class where none is known yet."""
    if not len(known):
        return
    values, first = np.unique(known, return_index=True)
    at = np.minimum(np.searchsorted(values, given), len(values) - 1)
    is_hit = (found == NEW) & (values[at] == given)
    found[is_hit] = rows[first[at[is_hit]]]


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
