"""The row of the model of each vertex and triangle of a file: by its id, else by where it is.

Source: spec/msh.md 4, 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.geometry.transforms import Floats, Indices, Mask
from viewer.model.convert.importing.vertices import HALF_STEP, NONE, Compared, Surface, Vertices
from viewer.model.convert.scene import NEW, Mesh, Primitive
from viewer.model.edit.geometry.slot_changes import BatchTriangles

FAR: Final = 1 << 22
"""Pairs of triangles that are measured at once."""


class Pairs(Struct, frozen=True, eq=False):
    """The triangles of a file that are those of the model.

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
    """The pairs of triangles (t, 3) and (g, 3) with the same vertices in the same winding.

    Triangles without three vertices, and a second one of the same vertices, are not gone if the file does not
    have them: other programs drop these.
    """
    known, given = known.astype(np.int64), given.astype(np.int64)
    base = int(max(known.max(initial=0), given.max(initial=0))) + 1
    # Triangles that only begin with another corner are the same: 5 7 2 and 2 5 7, but not 2 7 5.
    of_given = paired(_triangle_keys(known, base), _triangle_keys(given, base))
    is_lost = np.ones(len(known), np.bool_)
    is_lost[of_given[of_given != NONE]] = False
    if is_lost.any():
        corners = np.sort(known, axis=1)
        is_flat = (corners[:, 0] == corners[:, 1]) | (corners[:, 1] == corners[:, 2])
        a, b, c = corners.T
        keys = (a * base + b) * base + c
        is_lost &= ~(is_flat | np.isin(keys, keys[~is_lost]))
    return Pairs(of_given, is_lost)


def with_alike(found: Pairs, known: Indices, given: Indices) -> Pairs:
    """Pairs with more of the triangles without a partner, by other numbers of their vertices.

    Parameters
    ----------
    known, given
        All triangles, (t, 3) and (g, 3), with one number for vertices that are alike: programs make one of
        several vertices with the same values.
    """
    rest, own = np.flatnonzero(found.is_lost), np.flatnonzero(found.of_given == NONE)
    more = pairs(known[rest], given[own])
    of_given, is_lost = found.of_given.copy(), found.is_lost.copy()
    of_given[own] = np.where(more.of_given == NONE, NONE, np.append(rest, NONE)[more.of_given])
    is_lost[rest] = more.is_lost
    return Pairs(of_given, is_lost)


def turned_over(known: Indices, given: Indices, of_given: Indices) -> Indices:
    """The triangle (t, 3) with the other side up of each given one (g, 3) without a partner, (g,).

    Parameters
    ----------
    of_given
        The partner of each, `NONE` for none.
    """
    base = int(max(known.max(initial=0), given.max(initial=0))) + 1
    own, others = np.flatnonzero(of_given == NONE), np.flatnonzero(_free(of_given, len(known)))
    at = paired(_triangle_keys(known[others][:, ::-1], base), _triangle_keys(given[own], base))
    found = np.full(len(given), NONE, np.int64)
    found[own[at != NONE]] = others[at[at != NONE]]
    return found


def paired(known: Indices, given: Indices) -> Indices:
    """The place of each given number among known ones, `NONE` for none; several equal ones in order, (g,)."""
    order, asked = np.argsort(known, kind="stable"), np.argsort(given, kind="stable")
    # The n-th of equal numbers takes the n-th of the equal known ones: 4 4 9 against 4 4 4 9 takes 0, 1, 3.
    repeats = np.arange(len(given)) - np.searchsorted(given[asked], given[asked])
    at = np.searchsorted(known[order], given[asked]) + repeats
    is_hit = at < len(order)
    is_hit[is_hit] = known[order][at[is_hit]] == given[asked][is_hit]
    found = np.full(len(given), NONE, np.int64)
    found[asked[is_hit]] = order[at[is_hit]]
    return found


def _triangle_keys(triangles: Indices, base: int) -> Indices:
    """A number for the vertices of each triangle, whichever comes first, (t,)."""
    # Of 1,291 vertices on the numbers have more than 31 bits.
    a, b, c = turned(triangles.astype(np.int64), np.arange(base)).T
    # Digits of a number in base "vertices": the least corner first, in winding order.
    keys: Indices = (a * base + b) * base + c
    return keys


def nearest(points: npt.NDArray[np.floating], known: npt.NDArray[np.floating]) -> Indices:
    """The nearest known point of each point, (n,); `NONE` if there is none."""
    if not len(known):
        return np.full(len(points), NONE, np.int64)
    found = np.empty(len(points), np.int64)
    # All distances of a piece are in memory at once: as many points as keep their number below FAR.
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
    corners, known_corners = turned(given.triangles, classes), turned(known.triangles, others)
    # From the surest to the least: triangles with their three corners where a known one has them, then moved
    # ones by their order, corner by corner, then any vertex at an equal place. A vertex keeps the first row
    # that it gets.
    of_given = _pairs(classes[corners], others[known_corners], materials)
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
    columns = [labels(it, step) for it in points.T]
    if has_uvs and not np.isnan(uvs).any():
        columns += [labels(it, HALF_STEP) for it in uvs.T]
    found = combined(columns)
    return found[: len(given)], found[len(given) :]


def combined(columns: Sequence[Indices]) -> Indices:
    """A number for each distinct row of some columns of numbers from 0 on, (n,)."""
    found = columns[0]
    for column in columns[1:]:
        # The columns so far and the next one in one number, made small again each time.
        base = int(column.max(initial=0)) + 1
        found = np.unique(found * base + column, return_inverse=True)[1].reshape(-1)
    return found


def labels(values: Floats, least: float) -> Indices:
    """A number for each run of values with no wider gap, (n,)."""
    order = np.argsort(values, kind="stable")
    found = np.empty(len(values), np.int64)
    # Values 5.0 1.0 1.1 with gaps up to 0.2: sorted, the steps inf 0.1 3.9 count 1 1 2, so 2 1 1 in their
    # order.
    found[order] = np.cumsum(np.diff(values[order].astype(np.float64), prepend=-np.inf) > least)
    return found


def turned(triangles: Indices, classes: Indices) -> Indices:
    """Triangles that begin with their corner of the least number, (t, 3)."""
    if not len(triangles):
        return triangles
    first = classes[triangles].argmin(axis=1)[:, None]
    # Turned, not sorted, which keeps the winding: corners 7 3 5 become 3 5 7.
    turned: Indices = np.take_along_axis(triangles, (first + np.arange(3)) % 3, axis=1)
    return turned


def _pairs(given: Indices, known: Indices, materials: tuple[Indices, Indices]) -> Indices:
    """The known triangle of each given one by the classes of their corners, `NONE` for a new one, (t,)."""
    _, found = np.unique(np.concatenate([given, known]), axis=0, return_inverse=True)
    keys = np.split(found.reshape(-1), [len(given)])
    base = int(max(it.max(initial=0) for it in materials)) + 2
    # Materials go from -1 on: the key and the material in one number. With materials up to 1 the base is 3,
    # and key 5 with the materials -1, 0, 1 gives 15, 16, 17.
    fine = [key * base + 1 + material for key, material in zip(keys, materials, strict=True)]
    found = paired(fine[1], fine[0])
    # What has no partner yet is paired by its key alone.
    own, others = np.flatnonzero(found == NONE), np.flatnonzero(_free(found, len(keys[1])))
    at = paired(keys[1][others], keys[0][own])
    found[own[at != NONE]] = others[at[at != NONE]]
    return found


def _free(found: Indices, count: int) -> Mask:
    is_free: npt.NDArray[np.bool_] = np.ones(count, np.bool_)
    is_free[found[found != NONE]] = False
    return is_free


def _pair_the_rest(found: Indices, materials: tuple[Indices, Indices]) -> None:
    """Pair what is left over in order, where it is as many: of each material, then of all."""
    # If one quad of a material was moved, its two triangles get the two known ones that are left. If the file
    # has only one of the two, nobody can tell which it is, and it gets none.
    for given, known in (materials, tuple(np.zeros_like(it) for it in materials)):
        for material in np.unique(given[found == NONE]).tolist():
            own = np.flatnonzero((found == NONE) & (given == material))
            others = np.flatnonzero(_free(found, len(known)) & (known == material))
            if len(own) == len(others):
                found[own] = others


def _assign(found: Indices, corners: Indices, rows: Indices) -> None:
    """Write the rows of corners where none is known yet; the first one counts."""
    # Of several assignments to one place numpy keeps the last, so reversed the first one.
    flat, wanted = corners.reshape(-1)[::-1], rows.reshape(-1)[::-1]
    is_open = found[flat] == NEW
    found[flat[is_open]] = wanted[is_open]


def _by_class(found: Indices, given: Indices, known: Indices, rows: Indices) -> None:
    """Write the row of the first known vertex of the same class where none is known yet."""
    if not len(known):
        return
    values, first = np.unique(known, return_index=True)
    at = np.minimum(np.searchsorted(values, given), len(values) - 1)
    # A class above all known ones is found behind the end; compared with the last one it differs.
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
    is_there = (like >= 0) & (given.rows >= 0)
    is_there &= _is_among(like * base + given.rows, known.mesh * base + known.rows)
    return np.where(is_there, given.rows, NEW)


def _is_among(numbers: Indices, known: Indices) -> Mask:
    """The numbers that are among known ones, (n,) bool, as ``np.isin``, which loads ``numpy.ma`` for it."""
    known = np.sort(known)
    at = np.searchsorted(known, numbers)
    found = at < len(known)
    found[found] = known[at[found]] == numbers[found]
    return found


def rows_now(ids: Indices, places: Indices, compared_by: Callable[[Indices], Compared]) -> Indices:
    """The rows of vertices in a model that was changed since their ids were written, (n,).

    Rows that were added or removed move those after them by the same number, so the ids are tried with the
    most frequent distances. Other vertices have the rows at their places, else those that they say.

    Parameters
    ----------
    ids, places
        The rows that vertices say, and those of vertices at their places; `NEW` for none.
    compared_by
        Compares the vertices with the rows of the model that they are taken for, (n,).
    """
    is_both = (ids != NEW) & (places != NEW)
    # After 12 rows were inserted at row 100 most vertices are 12 rows further than they say.
    shifts, counts = np.unique((places - ids)[is_both], return_counts=True)
    found = np.full(len(ids), NEW, np.int64)
    for shift in dict.fromkeys([0, *shifts[np.argsort(-counts)][:MOST_SHIFTS].tolist()]):
        compared = compared_by(np.where(ids == NEW, NEW, ids + shift))
        is_here = (found == NEW) & compared.is_placed & compared.has_uvs
        found[is_here] = compared.rows[is_here]
    return rows_apart(found, places, ids)


def rows_apart(found: Indices, *others: Indices) -> Indices:
    """Rows of vertices, (n,); those without one have that of the first other list where nobody has it yet."""
    found = found.copy()
    for rows in others:
        is_free = (found == NEW) & ~np.isin(rows, found)
        found[is_free] = rows[is_free]
    return found


def identified(
    primitives: Sequence[Primitive], mesh: Mesh, materials: tuple[Sequence[int], Sequence[int]]
) -> Iterator[Primitive]:
    """The primitives of a mesh, those without ids with the rows of the vertices of a known mesh.

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


MOST: Final = 0xFFFF // 3
"""Triangles of a batch."""


class Corners(Struct, frozen=True, eq=False):
    """The triangles of a mesh of a file.

    Attributes
    ----------
    surface
        The triangles of the slot that it stands for.
    vertices
        Rows of the model, from the number of its vertices on new ones, (t, 3).
    centers
        (t, 3).
    known
        The triangle of the slot that each is, -1 for a new one, (t,).
    is_turned
        Those that are known with the other side up, (t,).
    is_moved
        Those with a vertex at another place, (t,).
    material
        The wear row of each, -1 for that of its batch, (t,).
    batch
        The batch that the file says, -1 for none, (t,).
    """

    surface: Surface
    vertices: Indices
    centers: Floats
    known: Indices
    is_turned: Mask
    is_moved: Mask
    material: Indices
    batch: Indices

    def batches(self, rows: Indices, like: Mapping[int, int]) -> Iterator[BatchTriangles]:
        """The batches of a slot.

        Triangles stay in their batches and in their order, new ones follow those of the batch that the file
        says, else of one with the same material, else in a new batch.

        Parameters
        ----------
        rows
            The wear row of every batch of the model.
        like
            The batch of the model whose fields a new one takes, by wear row.
        """
        # One more at the end: a new batch, -1, has no wear row.
        rows = np.append(rows, NONE)
        home = self._homes(rows)
        for batch in dict.fromkeys([*self.surface.batches, *home.tolist()]):
            own = np.flatnonzero(home == batch)
            wanted = np.where(self.material[own] < 0, rows[batch], self.material[own])
            for material in _main_first(wanted, self.known[own] != NONE):
                source = batch if batch != NONE else like.get(material)
                is_other = material >= 0 and (source is None or int(rows[source]) != material)
                some = self._in_order(own[wanted == material])
                for start in range(0, len(some), MOST):
                    yield self._batch(some[start : start + MOST], source, material if is_other else None)

    def _homes(self, rows: Indices) -> Indices:
        """The batch of each triangle, -1 for a new one, (t,)."""
        found = self.surface.batch[self.known]
        is_here = np.isin(self.batch, self.surface.batches) & (found == NONE)
        is_fitting = is_here & ((self.material < 0) | (rows[self.batch] == self.material))
        found = np.where(is_fitting, self.batch, found)
        for batch in self.surface.batches:
            found[(found == NONE) & (self.material == rows[batch])] = batch
        return found

    def _in_order(self, own: Indices) -> Indices:
        """Triangles in the order of the slot; new ones come last."""
        known = self.known[own]
        return own[np.argsort(np.where(known == NONE, len(self.surface.corners), known), kind="stable")]

    def _batch(self, own: Indices, source: int | None, material: int | None) -> BatchTriangles:
        known, made = self.known[own], self.vertices[own]
        if len(self.surface.corners):
            # Known triangles keep their first vertex; the others are swapped in one that is turned over.
            is_turned = self.is_turned[own][:, None]
            corners = self.surface.corners[known]
            corners = np.where(is_turned, corners[:, [0, 2, 1]], corners)
            made = np.where((known != NONE)[:, None], corners, made)
        is_new = known == NONE
        descriptors = self.surface.descriptor[known]
        if is_new.any() and len(self.surface.corners):
            close = self.surface.descriptor[nearest(self.centers[own[is_new]], self.surface.centers)]
            # -2 - n means "new, with the properties of descriptor n": -1 is none, so the first one is -2.
            descriptors[is_new] = np.where(close == NONE, NONE, -2 - close)
        is_other = ~is_new & (descriptors >= 0) & (self.is_moved | self.is_turned)[own]
        descriptors[is_other] = -2 - descriptors[is_other]
        vertices = made.astype("<u4").tobytes()
        return BatchTriangles(vertices, descriptors.astype("<i4").tobytes(), source, material)


def _main_first(materials: Indices, is_known: Mask) -> list[int]:
    """The distinct materials; the one with most known triangles comes first."""
    values, counts = np.unique(materials, return_counts=True)
    weight = [int(is_known[materials == value].sum()) for value in values.tolist()]
    # Most known triangles first, then most triangles; sorting is stable, so ties go to the smaller material.
    order = sorted(range(len(values)), key=lambda it: (-weight[it], -int(counts[it])))
    return [int(values[it]) for it in order]
