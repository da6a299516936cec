"""Which rows of the model the vertices of a mesh stand for where the file does not say: by their triangles.

Triangles with the same corners are the same; several such in their order, first those of one material. What
is left over pairs off in order if it is as many: other programs keep the order, so moved vertices are found.

Source: spec/msh.md 12.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Floats
from viewer.model.convert.importing.shapes.triangles import NONE, Mask, paired
from viewer.model.convert.importing.shapes.vertices import HALF_STEP, Vertices
from viewer.model.convert.scene import NEW, Indices

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
