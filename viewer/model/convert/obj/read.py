"""A scene from OBJ: objects with a tag go back into their nodes, others become nodes of their own.

What OBJ cannot hold comes from a frame: the scene in the sidecar, or that of the template.
Source: spec/msh.md 13.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.errors import FormatError
from viewer.geometry.transforms import inverse, transform_points
from viewer.model.convert.beside import Beside
from viewer.model.convert.obj import baking, settling
from viewer.model.convert.obj.libraries import Library
from viewer.model.convert.obj.settling import identified
from viewer.model.convert.obj.statements import Group, Statements, parse
from viewer.model.convert.obj.tags import Tag, plain, tag_of
from viewer.model.convert.scene import Mesh, Node, Primitive, Scene
from viewer.translation import Sentence, ngettext

_ALMOST: Final = 1e-4
"""Vertices of one mesh in two nodes are the same within this part of its size."""


def read(data: bytes, frame: Scene, beside: Beside) -> Scene:
    """The scene of a file; raises `FormatError` with the line for one that makes no sense.

    Parameters
    ----------
    frame
        The scene that tags refer to, without geometry or with that of the model (`frame.frame_of`).
    beside
        Gives the material libraries and pictures.
    """
    return _Reader(parse(data), frame, beside).scene()


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
        self._shown = frame.chosen.shown
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
            losses=(*self._losses, *self._library.losses),
        )

    @property
    def _cell(self) -> tuple[int, int]:
        return self._frame.options.cell

    def _tag(self, name: str) -> Tag | None:
        """The tag of an object, if the frame has its parts and its name is not that of a copy."""
        tag = tag_of(name)
        if tag is None or tag.node >= len(self._frame.nodes):
            return None
        cell = self._shown[tag.node]
        mesh = None if cell is None else self._frame.nodes[tag.node].cells[cell]
        return tag if mesh == tag.mesh else None

    def _names(self, tagged: Mapping[Tag, Sequence[Group]]) -> dict[int, str]:
        """The new names of nodes that have objects with another name."""
        said: dict[int, dict[str, None]] = {}
        for tag, groups in tagged.items():
            names = dict.fromkeys(it.name.partition("~")[0] for it in groups)
            said[tag.node] = said.get(tag.node, {}) | names
        found = {}
        for number, names in said.items():
            new = [name for name in names if name and name != plain(self._frame.nodes[number].name)]
            if new:
                found[number] = new[0]
            for name in new[1:]:
                words = "{name} is {first} in other objects, which is taken"
                self._losses.append(Sentence(words, name=name, first=new[0]))
        return found

    def _nodes(self, tagged: Mapping[Tag, Sequence[Group]]) -> list[Node]:
        """The nodes of the frame with what they show; an empty object shows nothing."""
        kept = {(tag.node, tag.mesh) for tag in tagged}
        names = self._names(tagged)
        return [
            replace(
                node,
                name=names.get(number, node.name),
                cells={
                    cell: mesh
                    for cell, mesh in node.cells.items()
                    if cell == self._shown[number]
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
                primitive = self._primitive(group, self._worlds[tag.node], self._known(tag))
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

    def _known(self, tag: Tag) -> Primitive | None:
        """What the frame knows of a primitive."""
        primitives = self._frame.meshes[tag.mesh].primitives
        return primitives[tag.primitive] if tag.primitive < len(primitives) else None

    def _primitive(
        self, group: Group, world: npt.NDArray[np.float64], known: Primitive | None = None
    ) -> Primitive:
        """A group in a node's space; each corner that differs in any way is a vertex."""
        used, places = np.unique(group.corners, axis=0, return_inverse=True)
        positions, normals = self._space(used, world)
        made = Primitive(
            positions=positions,
            triangles=places.reshape(-1, 3),
            normals=normals,
            uvs=self._uvs(used[:, 1]),
            material=self._library.index(group.material),
        )
        if known is None:
            return made
        own = used[:, 0] - self._said.starts.get(group.name, 0)
        count = self._said.ends.get(group.name, 0) - self._said.starts.get(group.name, 0)
        limit = settling.tolerance(self._said.positions[used[:, 0]], world[:3, 3])
        return replace(identified(made, known, own, count, limit), batch=known.batch, fields=known.fields)

    def _space(
        self, used: npt.NDArray[np.int64], world: npt.NDArray[np.float64]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32] | None]:
        """Positions and normals in a node's space."""
        up = baking.z_up if self._frame.options.is_y_up else (lambda points: points)
        back = _back(world)
        positions = transform_points(back, up(self._said.positions[used[:, 0]])).astype(np.float32)
        if (used[:, 2] < 0).any() or not len(used):
            return positions, None
        normals = baking.turned(up(self._said.normals[used[:, 2]]), back).astype(np.float32)
        return positions, normals

    def _uvs(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32] | None:
        if (rows < 0).any() or not len(rows):
            return None
        return (self._said.uvs[rows] * (1, -1) + (0, 1)).astype(np.float32)


def _back(world: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """From the space of the model into that of a node; raises `FormatError` for a node without size."""
    try:
        return inverse(world)
    except np.linalg.LinAlgError:
        raise FormatError("a node of the JSON file has no size", table="nodes", field="scale") from None


def _is_same(first: Primitive, other: Primitive) -> bool:
    """Whether two primitives have the same vertices, apart from the rounding of baking."""
    if first.positions.shape != other.positions.shape:
        return False
    size = float(np.abs(first.positions).max(initial=1.0))
    return bool(np.abs(first.positions - other.positions).max(initial=0.0) <= _ALMOST * size)
