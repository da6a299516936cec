"""The parts of OBJ files as their programs mean them: objects, or groups in files without objects.

Blender writes objects, and inside them groups for materials and for weights, which are not parts. 3ds Max,
Maya and assimp write groups alone; Maya puts the vertices of each into the group ``default``. A group that
is named again goes on. An object of a name that was there already is another one, unless its faces use
vertices of that.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Final

import numpy as np
from msgspec import Struct, field

from viewer.geometry.transforms import Doubles, Indices
from viewer.model.convert.obj import polygons
from viewer.model.convert.obj.objects import tag_of
from viewer.model.mesh.draws import Rows32

_NAMELESS: Final = frozenset({"", "default", "off", "(null)"})
"""The names that programs give the group of faces without one."""


class Span(Struct, eq=False):
    """An object or a group of a file, and its vertices: those between its statement and the next one.

    Attributes
    ----------
    name
        None before the first statement.
    start, end
        Numbers of vertices; `end` is None while it is open.
    """

    name: str | None = None
    start: int = 0
    end: int | None = None


class FacePiece(Struct, eq=False):
    """Faces of one object, group and material.

    Attributes
    ----------
    numbers
        Vertex, texture coordinate and normal of each corner.
    counts
        Corners of each face.
    """

    object: Span
    group: Span
    material: str | None
    numbers: array[int] = field(default_factory=lambda: array("i"))
    counts: array[int] = field(default_factory=lambda: array("i"))

    @property
    def corners(self) -> Rows32:
        """Vertex, texture coordinate and normal of each corner, (n, 3)."""
        return np.frombuffer(self.numbers, np.int32).reshape(-1, 3)


class FaceGroup(Struct, eq=False):
    """The triangles of one part with one material.

    Attributes
    ----------
    part
        The object or group that is the part.
    name
        The name of the part.
    corners
        Vertex, texture coordinate and normal of each corner, (n, 3), three for each triangle.
    """

    part: Span
    name: str
    material: str | None
    corners: Rows32

    @property
    def start(self) -> int:
        """The number of vertices before the part."""
        return self.part.start

    @property
    def count(self) -> int:
        """Vertices of the part."""
        return (self.part.start if self.part.end is None else self.part.end) - self.part.start


def parted(pieces: Sequence[FacePiece], positions: Doubles) -> tuple[list[FaceGroup], Counter[str]]:
    """The parts of a file, cut into triangles, and what cannot be cut, by templates.

    Parameters
    ----------
    positions
        Of all vertices, (v, 3).
    """
    found: dict[tuple[Span, str | None], list[FacePiece]] = {}
    for piece, part in zip(pieces, _parts(pieces), strict=True):
        found.setdefault((part, piece.material), []).append(piece)
    titles = _titles((part for part, _ignored in found), {it.group for it in pieces})
    odd: Counter[str] = Counter()
    groups = []
    for (part, material), own in found.items():
        corners = np.concatenate([it.corners for it in own]) if len(own) > 1 else own[0].corners
        counts = np.concatenate([np.frombuffer(it.counts, np.int32) for it in own]).astype(np.int64)
        corners, more = polygons.triangles(corners, counts, positions)
        odd += more
        groups.append(FaceGroup(part, titles[part], material, corners))
    return groups, odd


def _parts(pieces: Sequence[FacePiece]) -> Iterator[Span]:
    """The part of each piece."""
    has_objects = any(it.object.name is not None for it in pieces)
    firsts = _firsts(pieces)
    for piece in pieces:
        # An object may hold all parts of this program, as groups with their tags.
        is_tagged = tag_of(piece.group.name or "") is not None and tag_of(piece.object.name or "") is None
        yield firsts[piece.object] if has_objects and not is_tagged else piece.group


def _firsts(pieces: Iterable[FacePiece]) -> dict[Span, Span]:
    """The first object of which each one is a part: itself, unless it goes on with one of its name."""
    of_object: dict[Span, list[FacePiece]] = {}
    for piece in pieces:
        of_object.setdefault(piece.object, []).append(piece)
    named: dict[str, list[Span]] = {}
    for part in of_object:
        named.setdefault(part.name or "", []).append(part)
    found: dict[Span, Span] = {}
    for name, spans in named.items():
        if tag_of(name) is not None:
            found |= dict.fromkeys(spans, spans[0])
        else:
            used = [np.concatenate([it.corners[:, 0] for it in of_object[span]]) for span in spans]
            found |= {span: spans[at] for span, at in zip(spans, _continued(used), strict=True)}
    return found


def _continued(used: Sequence[Rows32]) -> list[int]:
    """The number of the first list that has a number in common with each of some lists of numbers."""
    if len(used) == 1:
        return [0]
    owner = np.repeat(np.arange(len(used)), [len(it) for it in used])
    _ignored, first, number = np.unique(np.concatenate(used), return_index=True, return_inverse=True)
    roots: Indices = np.arange(len(used))
    # `first` is the first list that has a number; each list goes to the least of those of its numbers.
    np.minimum.at(roots, owner, owner[first][number.reshape(-1)])
    for at in range(len(used)):
        # A root is never behind its list, so in order each finds the root of its root: lists 2 -> 1 -> 0 end
        # at 0.
        roots[at] = roots[roots[at]]
    found: list[int] = roots.tolist()
    return found


def _titles(parts: Iterable[Span], groups: Container[Span]) -> dict[Span, str]:
    """The name of each part; of a group with several names the first, if that tells it from others."""
    titles = {part: part.name or "" for part in parts}
    firsts = Counter(name.partition(" ")[0] for part, name in titles.items() if part in groups)
    for part, name in titles.items():
        first = name.partition(" ")[0]
        if part in groups:
            title = first if firsts[first] == 1 and tag_of(name) is None else name
            titles[part] = "" if title in _NAMELESS else title
    return titles
