"""A scene from OBJ: objects with a tag go back into their nodes, others become nodes of their own.

What OBJ cannot hold comes from a frame: the scene in the sidecar, or that of the template.
Source: spec/msh.md 13.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import inverse, transform_points
from viewer.model.convert.obj import baking
from viewer.model.convert.obj.libraries import Library
from viewer.model.convert.obj.statements import Group, Statements, parse
from viewer.model.convert.obj.tags import Tag, tag_of
from viewer.model.convert.scene import NEW, Mesh, Node, Options, Primitive, Scene
from viewer.translation import Sentence, ngettext

Beside = Callable[[str], bytes]
"""The bytes of a file beside the one that is read, by its name; raises `MshviewError`."""
_ALMOST: Final = 1e-4
"""Vertices of one mesh in two nodes are the same within this part of its size."""


def read(
    data: bytes, name: str, beside: Beside, frame: Scene | None = None, *, is_y_up: bool = False
) -> Scene:
    """The scene of a file; raises `FormatError` with the line for one that makes no sense.

    Parameters
    ----------
    name
        Name of the scene.
    beside
        Gives the material libraries and pictures.
    frame
        The scene that tags refer to, without geometry.
    is_y_up
        Whether Y is up in a file without a frame.
    """
    said = parse(data)
    frame = frame or Scene(name, options=Options(is_y_up=is_y_up, cell=(0, 0)))
    return _Reader(said, frame, beside).scene()


@dataclass(frozen=True, slots=True)
class _Found:
    """A primitive of the file, in its node's space."""

    tag: Tag
    primitive: Primitive


class _Reader:
    """Puts the groups of a file into a frame."""

    def __init__(self, said: Statements, frame: Scene, beside: Beside) -> None:
        self._said = said
        self._frame = frame
        self._worlds = baking.worlds(frame)
        self._library = Library.read(said.libraries, beside, frame)
        self._losses: list[str] = [
            ngettext(
                "{count} statement {word} is left out", "{count} statements {word} are left out", count
            ).format(count=count, word=word)
            for word, count in sorted(said.losses.items())
        ]

    def scene(self) -> Scene:
        """The scene."""
        tagged: dict[Tag, list[Group]] = {}
        new: dict[str, list[Group]] = {}
        for group in self._said.groups:
            tag = self._tag(group.name)
            if tag is None:
                new.setdefault(group.name, []).append(group)
            else:
                tagged.setdefault(tag, []).append(group)
        meshes = self._meshes(tagged)
        nodes = self._nodes(tagged)
        for name, groups in new.items():
            nodes.append(Node(name.partition("~")[0] or self._frame.name, cells={self._cell: len(meshes)}))
            meshes.append(Mesh(name, tuple(self._primitive(it, np.eye(4)) for it in groups)))
        materials, pictures = self._library.made()
        return replace(
            self._frame,
            nodes=tuple(nodes),
            meshes=tuple(meshes),
            materials=materials,
            pictures=pictures,
            losses=(*self._frame.losses, *self._losses, *self._library.losses),
        )

    @property
    def _cell(self) -> tuple[int, int]:
        return self._frame.options.cell

    def _tag(self, name: str) -> Tag | None:
        """The tag of an object, if the frame has its parts and its name is not that of a copy."""
        tag = tag_of(name)
        if tag is None or tag.node >= len(self._frame.nodes):
            return None
        mesh = self._frame.nodes[tag.node].cells.get(self._cell)
        return tag if mesh == tag.mesh else None

    def _nodes(self, tagged: Mapping[Tag, object]) -> list[Node]:
        """The nodes of the frame with what they show; an empty object shows nothing."""
        kept = {(tag.node, tag.mesh) for tag in tagged}
        return [
            replace(
                node,
                cells={
                    cell: mesh
                    for cell, mesh in node.cells.items()
                    if cell == self._cell
                    and ((number, mesh) in kept or not self._frame.meshes[mesh].primitives)
                },
            )
            for number, node in enumerate(self._frame.nodes)
        ]

    def _meshes(self, tagged: Mapping[Tag, Sequence[Group]]) -> list[Mesh]:
        """The meshes of the frame with the geometry of the file."""
        found: dict[int, dict[int, list[_Found]]] = {}
        for tag, groups in sorted(tagged.items()):
            for group in groups:
                primitive = self._primitive(group, self._worlds[tag.node], self._known(tag, group))
                found.setdefault(tag.mesh, {}).setdefault(tag.primitive, []).append(_Found(tag, primitive))
        return [
            replace(mesh, primitives=self._joined(mesh, found.get(index, {})))
            for index, mesh in enumerate(self._frame.meshes)
        ]

    def _joined(self, mesh: Mesh, found: Mapping[int, Sequence[_Found]]) -> tuple[Primitive, ...]:
        """The primitives of a mesh, from the first node that shows it."""
        made: list[Primitive] = []
        for index in sorted(found):
            first = found[index][0]
            for other in found[index]:
                if other.tag.node == first.tag.node:
                    made.append(other.primitive)
                elif not _is_same(first.primitive, other.primitive):
                    names = [self._frame.nodes[it.tag.node].name for it in (first, other)]
                    self._losses.append(
                        Sentence(
                            "{mesh} is not the same in the nodes {first} and {second}, which share it; "
                            "that of {first} is taken",
                            mesh=mesh.name,
                            first=names[0],
                            second=names[1],
                        )
                    )
        return tuple(made)

    def _known(self, tag: Tag, group: Group) -> Primitive | None:
        """What the frame knows of a primitive, if the object still has its vertices."""
        primitives = self._frame.meshes[tag.mesh].primitives
        if tag.primitive >= len(primitives):
            return None
        known = primitives[tag.primitive]
        start, end = self._said.starts.get(group.name, 0), self._said.ends.get(group.name, 0)
        rows = known.vertices
        return known if rows is not None and len(rows) == end - start else replace(known, vertices=None)

    def _primitive(
        self, group: Group, world: npt.NDArray[np.float64], known: Primitive | None = None
    ) -> Primitive:
        """A group in a node's space; each corner that differs in any way is a vertex."""
        corners = group.corners
        rows = None if known is None else known.vertices
        start = self._said.starts.get(group.name, 0)
        used, places = np.unique(corners, axis=0, return_inverse=True)
        positions, normals = self._space(used, world)
        return Primitive(
            positions=positions,
            triangles=places.reshape(-1, 3),
            normals=normals,
            uvs=self._uvs(used[:, 1]),
            material=self._library.index(group.material),
            vertices=None if rows is None else _rows(used[:, 0] - start, rows),
            batch=None if known is None else known.batch,
            fields={} if known is None else known.fields,
        )

    def _space(
        self, used: npt.NDArray[np.int64], world: npt.NDArray[np.float64]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32] | None]:
        """Positions and normals in a node's space."""
        up = baking.z_up if self._frame.options.is_y_up else (lambda points: points)
        back = inverse(world)
        positions = transform_points(back, up(self._said.positions[used[:, 0]])).astype(np.float32)
        if (used[:, 2] < 0).any() or not len(used):
            return positions, None
        normals = baking.turned(up(self._said.normals[used[:, 2]]), back).astype(np.float32)
        return positions, normals

    def _uvs(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32] | None:
        if (rows < 0).any() or not len(rows):
            return None
        return (self._said.uvs[rows] * (1, -1) + (0, 1)).astype(np.float32)


def _rows(own: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The row of each vertex, by its number in the object; of several with one number the first has it."""
    inside = (own >= 0) & (own < len(rows))
    found = np.where(inside, rows[np.clip(own, 0, max(len(rows) - 1, 0))] if len(rows) else NEW, NEW)
    _, first = np.unique(own, return_index=True)
    is_first = np.zeros(len(own), np.bool_)
    is_first[first] = True
    return np.where(is_first, found, NEW)


def _is_same(first: Primitive, other: Primitive) -> bool:
    """Whether two primitives have the same vertices, as far as baking lets them."""
    if first.positions.shape != other.positions.shape:
        return False
    size = float(np.abs(first.positions).max(initial=1.0))
    return bool(np.abs(first.positions - other.positions).max(initial=0.0) <= _ALMOST * size)
