"""The batches of a slot made again from the triangles of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from viewer.geometry.transforms import Floats
from viewer.model.convert.importing.shapes.identity import Mask, nearest
from viewer.model.convert.importing.shapes.vertices import NONE, Surface, is_portal
from viewer.model.convert.scene import Indices
from viewer.model.edit.geometry.slot_changes import BatchTriangles
from viewer.model.mesh.model import Model

MOST: Final = 0xFFFF // 3
"""Triangles of a batch."""


@dataclass(frozen=True, slots=True, eq=False)
class Corners:
    """The triangles of a mesh of a file.

    Attributes
    ----------
    vertices
        Rows of the model, from the number of its vertices on new ones, (t, 3).
    centers
        (t, 3).
    known
        The triangle of the slot that each is, -1 for a new one, (t,).
    is_moved
        Those with a vertex at another place, (t,).
    material
        The wear row of each, -1 for that of its batch, (t,).
    batch
        The batch that the file says, -1 for none, (t,).
    """

    vertices: Indices
    centers: Floats
    known: Indices
    is_moved: Mask
    material: Indices
    batch: Indices


def batches_of(
    model: Model, surface: Surface, given: Corners, rows: Indices, like: Mapping[int, int]
) -> tuple[BatchTriangles, ...]:
    """The batches of a slot.

    Triangles stay in their batches and in their order, new ones follow those of the batch that the file says,
    else of one with the same material, else in a new batch.

    Parameters
    ----------
    rows
        The wear row of every batch of the model.
    like
        The batch of the model whose fields a new one takes, by wear row.
    """
    home = _homes(surface, given, rows)
    groups: dict[tuple[int, int], list[Indices]] = {}
    for batch in dict.fromkeys([*surface.batches, *home.tolist()]):
        own = np.flatnonzero(home == batch)
        wanted = np.where(given.material[own] < 0, rows[batch] if batch != NONE else -1, given.material[own])
        for material in _main_first(wanted, given.known[own] != NONE):
            groups.setdefault((batch, material), []).append(own[wanted == material])
    return tuple(_made(model, surface, given, groups, rows, like))


def _homes(surface: Surface, given: Corners, rows: Indices) -> Indices:
    """The batch of each triangle, -1 for a new one, (t,)."""
    known = given.known
    found = np.where(known != NONE, surface.batch[known] if len(surface.batch) else NONE, NONE)
    is_here = np.isin(given.batch, surface.batches) & (found == NONE)
    is_fitting = is_here & (
        (given.material < 0) | (rows[np.maximum(given.batch, 0)] == given.material if len(rows) else False)
    )
    found = np.where(is_fitting, given.batch, found)
    for batch in surface.batches:
        found[(found == NONE) & (given.material == rows[batch])] = batch
    return found


def _main_first(materials: Indices, is_known: Mask) -> list[int]:
    """The distinct materials, first that of most triangles that were there."""
    values, counts = np.unique(materials, return_counts=True)
    weight = [int(is_known[materials == value].sum()) for value in values.tolist()]
    order = sorted(range(len(values)), key=lambda it: (-weight[it], -int(counts[it])))
    return [int(values[it]) for it in order]


def _made(
    model: Model,
    surface: Surface,
    given: Corners,
    groups: Mapping[tuple[int, int], Sequence[Indices]],
    rows: Indices,
    like: Mapping[int, int],
) -> Iterator[BatchTriangles]:
    for (batch, material), pieces in groups.items():
        own = np.concatenate(pieces)
        own = own[
            np.argsort(
                np.where(given.known[own] == NONE, len(surface.batch), given.known[own]), kind="stable"
            )
        ]
        source = batch if batch != NONE else like.get(material)
        if source is not None and batch == NONE and is_portal(model, source):
            source = None
        is_other = material >= 0 and (source is None or int(rows[source]) != material)
        for start in range(0, len(own), MOST):
            some = own[start : start + MOST]
            yield BatchTriangles(
                _corners(surface, given, some).astype("<u4").tobytes(),
                _descriptors(surface, given, some).astype("<i4").tobytes(),
                source,
                material if is_other else None,
            )


def _corners(surface: Surface, given: Corners, own: Indices) -> Indices:
    """Vertices of triangles; those that were there start with the same one."""
    known = given.known[own]
    made = given.vertices[own]
    if len(surface.corners):
        made = np.where((known != NONE)[:, None], surface.corners[known], made)
    return made


def _descriptors(surface: Surface, given: Corners, own: Indices) -> Indices:
    """The descriptors of triangles as `BatchTriangles` has them."""
    known = given.known[own]
    found = np.where(known != NONE, surface.descriptor[known] if len(surface.descriptor) else NONE, NONE)
    is_new = known == NONE
    if is_new.any() and len(surface.descriptor):
        close = surface.descriptor[nearest(given.centers[own[is_new]], surface.centers)]
        found[is_new] = np.where(close == NONE, NONE, -2 - close)
    is_kept = ~is_new & (found >= 0) & given.is_moved[own]
    found[is_kept] = -2 - found[is_kept]
    return found
