"""The objects of OBJ files: their names with tags, and their vertices in the space of the model and back.

``turret~n3.s4.b7`` is what node 3 shows of batch 7, in slot 4, ``STEEL~m2`` material 2 of the scene. Programs
replace spaces and add ``.001``; the tags survive both.

A vertex is written in the space of the model, with the digits of a binary32 number; other programs write six
decimals. Both are far from the last bit of its position in the space of its node, so it is put back where it
was, if it is only off by that much.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from viewer.geometry.transforms import Indices, Matrix, inverse
from viewer.model.convert.building.nodes import without_cycles
from viewer.model.convert.motion.rotations import turn_matrix, unit
from viewer.model.convert.scene import NEW, Primitive, Scene

_TAG: Final = re.compile(r"~n(\d{1,6})\.s(\d{1,6})\.b(\d{1,6})")
TAGGED: Final = re.compile(rb"~n\d{1,6}\.s\d{1,6}\.b\d{1,6}")
"""A tag in the bytes of a file."""
_MATERIAL: Final = re.compile(r"~m(\d{1,6})")
_PLAIN: Final = re.compile(r"[^\w.\-]+")
LONGEST: Final = 40
"""Characters of a node's name that are kept, so that the whole fits where names are cut."""


Points = npt.NDArray[np.float32]
DECIMALS: Final = 1.01e-6
"""Distance by which six decimals are off, along all axes."""
DIGITS: Final = 4 * float(np.finfo(np.float32).eps)
"""Distance by which binary32 numbers are off, as a part of the largest coordinate."""
MOST: Final = 32
"""Known points that are looked at for each point."""
_SLANT: Final = np.array((0.5370, 0.3221, 0.7797))
"""A direction in which few points have the same height."""


def worlds(scene: Scene) -> Matrix:
    """The matrix (n, 4, 4) of each node in the model's space; parents that form a ring count as roots."""
    nodes = scene.nodes
    world: Matrix = np.tile(np.eye(4), (len(nodes), 1, 1))
    if nodes:
        scales = np.array([it.scale for it in nodes])
        world[:, :3, :3] = turn_matrix(np.array([it.rotation for it in nodes])) * scales[:, None, :]
        world[:, :3, 3] = [it.position for it in nodes]
    parents = [it.parent for it in nodes]
    for number in without_cycles(parents)[0]:
        above = parents[number]
        if above is not None:
            world[number] = world[above] @ world[number]
    return world


def turned(normals: npt.ArrayLike, matrix: Matrix) -> Matrix:
    """Normals (n, 3) through the inverse transpose of a matrix, of unit length again; zeros stay."""
    back = inverse(matrix)[:3, :3]
    # A row times the inverse is the inverse transpose times the column, which keeps normals upright on their
    # surface where scales differ.
    return unit(np.asarray(normals, np.float64) @ back)


def tolerance(points: npt.NDArray[np.floating], origin: npt.NDArray[np.floating]) -> float:
    """Tolerance of points of the model's space, for a node at a place."""
    reach = float(np.abs(points).max(initial=0.0)) + float(np.abs(origin).max(initial=0.0))
    return DECIMALS + DIGITS * reach


def identified(given: Primitive, known: Primitive, own: Indices, count: int, limit: float) -> Primitive:
    """A primitive with rows of the model, and where it is only off by rounding with the positions there.

    By their order if the object still has as many vertices, unless more are at the same place as another.

    Parameters
    ----------
    known
        The primitive that was written, or only its rows.
    own
        The number in its object of each vertex, (n,).
    count
        Vertices of the object.
    limit
        How far a vertex may be off.
    """
    rows = known.vertices
    if rows is None or not len(rows):
        return given
    # Vertices of another object are outside of 0 to count: then the order of this one says nothing.
    is_complete = count == len(rows) and bool(((own >= 0) & (own < count)).all())
    if not len(known.positions):
        if not is_complete:
            return given
        # Of several vertices with one number in their object the first has the row, the others are new.
        is_first = np.zeros(len(own), np.bool_)
        is_first[np.unique(own, return_index=True)[1]] = True
        return replace(given, vertices=np.where(is_first, rows[own], NEW))
    same = np.where(is_complete, own, 0)
    is_there = _is_near(given.positions, known.positions[same], limit) & is_complete
    if not is_there.all():
        place = _by_place(given.positions, known.positions, limit)
        if not is_complete or (place >= 0).sum() > 2 * is_there.sum():
            same, is_there, is_complete = place, place >= 0, False
    # The known position to the last bit: a file that nobody edited gives the model that was written.
    settled = np.where(is_there[:, None], known.positions[same], given.positions)
    return replace(given, positions=settled, vertices=rows[same] if is_complete else None)


def _by_place(points: Points, known: Points, limit: float) -> Indices:
    """The first known point at each point, -1 where there is none, (n,)."""
    heights = known.astype(np.float64) @ _SLANT
    order = np.argsort(heights, kind="stable")
    wanted = points.astype(np.float64) @ _SLANT
    # Points within the limit along all axes differ by at most 1.64 limits in height along the slant.
    at = np.searchsorted(heights[order], wanted - 2 * limit)
    found = np.full(len(points), len(known), np.int64)
    # All points are moved along their sorted neighbors together, as numpy is slow one by one; of several
    # known points at a place the least row counts, whatever the order of heights.
    for step in range(min(MOST, len(known))):
        candidate = order[np.minimum(at + step, len(known) - 1)]
        is_hit = (at + step < len(known)) & _is_near(points, known[candidate], limit)
        found = np.where(is_hit, np.minimum(found, candidate), found)
    return np.where(found < len(known), found, -1)


def _is_near(points: Points, others: Points, limit: float) -> npt.NDArray[np.bool_]:
    away = np.abs(points.astype(np.float64) - others).max(axis=1, initial=0.0)
    near: npt.NDArray[np.bool_] = away <= limit
    return near


class Tag(NamedTuple):
    """The indices of a node, its mesh, and a primitive of that mesh, in their scene."""

    node: int
    mesh: int
    primitive: int


def name_of(tag: Tag, name: str) -> str:
    """The name of an object."""
    return f"{plain(name)}~n{tag.node}.s{tag.mesh}.b{tag.primitive}"


def plain(name: str) -> str:
    """A name without spaces and signs."""
    return _PLAIN.sub("_", name)[:LONGEST]


def tag_of(name: str) -> Tag | None:
    """The tag in the name of an object; None without one."""
    found = _TAG.search(name)
    return Tag(*map(int, found.groups())) if found else None


def material_name(name: str, index: int) -> str:
    """The name of a material in a file."""
    return f"{plain(name) or 'material'}~m{index}"


def material_index(name: str) -> int | None:
    """The index of a material in the scene that was written; None for one of another program."""
    found = _MATERIAL.search(name)
    return int(found[1]) if found else None


def without_index(name: str) -> tuple[str, str]:
    """The parts of a material's name before and after the index."""
    before, _, after = _MATERIAL.sub("\0", name, count=1).partition("\0")
    return before, after


def image_tag(index: int, name: str) -> str:
    """The end of the name of an image's file, without its suffix."""
    return f"_{index}_{plain(name)}"
