"""A scene from OBJ: objects with a tag go back into their nodes, others become nodes of their own.

What OBJ cannot hold comes from a frame: the scene in the sidecar, or that of the template.
Source: spec/msh.md 13.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from viewer.errors import FormatError
from viewer.formats.msh.nodes import NONE as MOST_NODES
from viewer.formats.record import Bytes
from viewer.geometry.transforms import Doubles, Indices, inverse, transform_points
from viewer.model.convert.earlier_light import with_floor
from viewer.model.convert.motion.rotations import Axes
from viewer.model.convert.obj import objects
from viewer.model.convert.obj.materials import Library
from viewer.model.convert.obj.objects import Tag, identified, plain, tag_of
from viewer.model.convert.obj.parts import FaceGroup, Span
from viewer.model.convert.obj.statements import NONE, SMOOTH, Statements
from viewer.model.convert.obj.text import CODE_PAGE
from viewer.model.convert.scene import Mesh, Node, Primitive, Scene
from viewer.model.convert.scene_file import TURNED, Resolver
from viewer.model.convert.shapes import corner_normals, distinct
from viewer.model.mesh.draws import Rows32
from viewer.translation import _, ngettext

_NEAR: Final = 1e-3
"""Distance of equal ends of objects, as a part of the largest coordinate."""
_ALMOST: Final = 1e-4
"""Vertices of one mesh in two nodes are the same within this part of its size."""


def read(data: Bytes, frame: Scene, resolver: Resolver, *, has_axis: bool = False) -> Scene:
    """The scene of a file; raises `FormatError` with the line for one that makes no sense.

    Parameters
    ----------
    frame
        The scene that tags refer to, without geometry or with that of the model (`frame.frame_of`).
    resolver
        Gives the material libraries and images.
    has_axis
        Whether the user says which axis is up; else the objects of nodes that the frame knows may show that
        it is another one than the frame has.
    """
    reader = _ObjReader(Statements(data), frame, resolver)
    return reader.scene() if has_axis or not reader.is_turned else reader.turned().scene()


class _ObjReader:
    """Puts the groups of a file into a frame."""

    def __init__(self, said: Statements, frame: Scene, resolver: Resolver) -> None:
        self._said = said
        self._frame, self._resolver = frame, resolver
        self._worlds = objects.worlds(frame)
        self._shown = frame.chosen.shown
        self._library = Library(frame, resolver, has_utf8=said.encoding != CODE_PAGE)
        self._library.read(said.libraries, dict.fromkeys(group.material for group in said.groups))
        self._losses: list[str] = [
            ngettext(
                "{count} statement {word} is left out", "{count} statements {word} are left out", count
            ).format(count=count, word=word)
            for word, count in sorted(said.losses.items())
        ]
        self._losses += [_(words, count=count) for words, count in said.oddities.items()]

    def scene(self) -> Scene:
        """The scene of all objects that were read."""
        tagged: dict[Tag, list[FaceGroup]] = {}
        new: dict[Span, list[FaceGroup]] = {}
        for group in self._said.groups:
            tag = self._tag(group.name)
            if tag is None:
                new.setdefault(group.part, []).append(group)
            else:
                tagged.setdefault(tag, []).append(group)
        if len(self._frame.nodes) + len(new) > MOST_NODES:
            message = _("{count} objects, at most {limit}", count=len(new), limit=MOST_NODES)
            raise FormatError(message, table="o")
        meshes = self._meshes(tagged)
        nodes = self._nodes(tagged)
        for groups in new.values():
            name = groups[0].name
            shown = {self._frame.options.cell: len(meshes)}
            nodes.append(Node(name.partition("~")[0] or self._frame.name, cells=shown))
            meshes.append(Mesh(name, tuple(self._primitive(it, np.eye(4)) for it in groups)))
        materials, images = self._library.made()
        materials, converted = with_floor(materials)
        return replace(
            self._frame,
            nodes=tuple(nodes),
            meshes=tuple(meshes),
            materials=materials,
            images=images,
            options=replace(self._frame.options, has_textures=self._library.has_textures),
            losses=(*self._frame.losses, *self._losses, *self._library.losses),
            notes=(*self._frame.notes, *self._library.notes, *converted),
            is_by_objects=True,
        )

    @property
    def is_turned(self) -> bool:
        """Whether most of the known objects are in their places with the other axis up, not as read."""
        up, other = (Axes(it).inward for it in (self._frame.options.is_y_up, not self._frame.options.is_y_up))
        telling = turned_back = as_read = 0
        for group in self._said.groups:
            tag = self._tag(group.name)
            known = None if tag is None else self._known(tag)
            if tag is None or known is None or not len(known.positions) or not len(group.corners):
                continue
            own = _box(transform_points(self._worlds[tag.node], known.positions))
            points = self._said.positions[group.corners[:, 0]]
            near = _NEAR * float(np.abs(own).max(initial=0))
            is_there = [np.abs(_box(it(points)) - own).max() <= near for it in (up, other)]
            if not all(is_there):  # what looks alike turned and not says nothing
                telling, as_read, turned_back = telling + 1, as_read + is_there[0], turned_back + is_there[1]
        return turned_back > as_read and 2 * turned_back > telling

    def turned(self) -> _ObjReader:
        """A reader of the same file with the other axis up, and that is noted."""
        is_y_up = not self._frame.options.is_y_up
        notes = (*self._frame.notes, _(TURNED, up="Y" if is_y_up else "Z"))
        options = replace(self._frame.options, is_y_up=is_y_up)
        # The text is not read again: statements have no axes yet.
        return _ObjReader(self._said, replace(self._frame, options=options, notes=notes), self._resolver)

    def _known(self, tag: Tag) -> Primitive | None:
        """The primitive of the frame that a tag stands for; None for an object that is not there."""
        primitives = self._frame.meshes[tag.mesh].primitives
        return primitives[tag.primitive] if tag.primitive < len(primitives) else None

    def _tag(self, name: str) -> Tag | None:
        """The tag of an object, if the frame has its parts and its name is not that of a copy."""
        tag = tag_of(name)
        if tag is None or tag.node >= len(self._frame.nodes):
            return None
        cell = self._shown[tag.node]
        mesh = None if cell is None else self._frame.nodes[tag.node].cells[cell]
        return tag if mesh == tag.mesh else None

    def _names(self, tagged: Mapping[Tag, Sequence[FaceGroup]]) -> dict[int, str]:
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
                self._losses.append(_(words, name=name, first=new[0]))
        return found

    def _nodes(self, tagged: Mapping[Tag, Sequence[FaceGroup]]) -> list[Node]:
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

    def _meshes(self, tagged: Mapping[Tag, Sequence[FaceGroup]]) -> list[Mesh]:
        """The meshes of the frame with the geometry of the file."""
        found: dict[int, dict[int, list[tuple[int, Primitive]]]] = {}
        for tag, groups in sorted(tagged.items()):
            known = self._known(tag)
            same = found.setdefault(tag.mesh, {}).setdefault(tag.primitive, [])
            world = self._worlds[tag.node]
            same += [(tag.node, self._primitive(group, world, known)) for group in groups]
        return [
            replace(mesh, primitives=self._joined(mesh, found.get(index, {})))
            for index, mesh in enumerate(self._frame.meshes)
        ]

    def _joined(
        self, mesh: Mesh, found: Mapping[int, Sequence[tuple[int, Primitive]]]
    ) -> tuple[Primitive, ...]:
        """The primitives of a mesh, from the first node that shows it, of those in all nodes."""
        made: list[Primitive] = []
        for _ignored, same in sorted(found.items()):
            first, primitive = same[0]
            for node, other in same:
                if node == first:
                    made.append(other)
                elif not _is_same(primitive, other):
                    words = (
                        "{mesh} is not the same in the nodes {first} and {second}, which share it; "
                        "that of {first} is taken"
                    )
                    names = [self._frame.nodes[it].name for it in (first, node)]
                    self._losses.append(_(words, mesh=mesh.name, first=names[0], second=names[1]))
        return tuple(made)

    def _primitive(
        self, group: FaceGroup, world: npt.NDArray[np.float64], known: Primitive | None = None
    ) -> Primitive:
        """A group in a node's space; each corner that differs in any way is a vertex."""
        corners, uvs, normals = self._completed(group.corners)
        used, places = _distinct(corners)
        up = Axes(self._frame.options.is_y_up).inward
        back = _back(world)
        made = Primitive(
            positions=transform_points(back, up(self._said.positions[used[:, 0]])).astype(np.float32),
            triangles=places.reshape(-1, 3),
            normals=None
            if normals is None
            else objects.turned(up(normals[used[:, 2]]), back).astype(np.float32),
            # v runs upwards in OBJ, downwards in the game: v' = 1 - v (spec/msh.md 13).
            uvs=None if uvs is None else (uvs[used[:, 1]] * (1, -1) + (0, 1)).astype(np.float32),
            material=self._library.index(group.material),
            has_own_normals=bool((group.corners[:, 2] >= 0).any()),
        )
        if known is None:
            return made
        own = used[:, 0].astype(np.int64) - group.start
        limit = objects.tolerance(self._said.positions[used[:, 0]], world[:3, 3])
        return replace(
            identified(made, known, own, group.count, limit), batch=known.batch, fields=known.fields
        )

    def _completed(self, corners: Rows32) -> tuple[Rows32, Doubles | None, Doubles | None]:
        """Corners (n, 3), and the texture coordinates and normals whose rows they name; None without any.

        Corners without texture coordinates among others get 0, 0; those without normals get that of their
        triangle, or in a smoothing group that of their vertex.
        """
        said, (_ignored, uv, normal) = self._said, corners.T
        uvs: Doubles | None = None if (uv == NONE).all() else said.uvs
        normals: Doubles | None = None if (normal == NONE).all() else said.normals
        if uvs is not None and (uv == NONE).any():
            self._losses.append(
                _("corners without texture coordinates: {count}", count=int((uv == NONE).sum()))
            )
            # One row more at the end, 0, 0, for corners without one.
            corners, uvs = corners.copy(), np.vstack([uvs, np.zeros((1, 2))])
            corners[uv == NONE, 1] = len(said.uvs)
        if normals is not None and (normal < 0).any():
            made, rows = _normals(self._said.positions, corners)
            corners = corners.copy()
            corners[:, 2] = np.where(normal < 0, rows + len(normals), normal)
            normals = np.vstack([normals, made])
        return corners, uvs, normals


def _box(points: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """The smallest and the largest coordinates of points, (2, 3)."""
    return np.array([points.min(axis=0), points.max(axis=0)])


def _normals(positions: Doubles, corners: Rows32) -> tuple[Doubles, Indices]:
    """Normals of the triangles of corners (n, 3) and of their vertices, and the row for each corner (n,)."""
    faces, weighted = corner_normals(positions[corners[:, 0]].reshape(-1, 3, 3))
    is_smooth = corners[:, 2] == SMOOTH
    vertices, place = np.unique(corners[is_smooth, 0], return_inverse=True)
    sums = np.zeros((len(vertices), 3))
    np.add.at(sums, place, weighted[is_smooth])
    # Flat corners use the normal of their face, rows 0 to f - 1; smooth ones the sums behind these.
    rows = np.arange(len(corners)) // 3
    rows[is_smooth] = len(faces) + place
    return np.vstack([faces, sums]), rows


def _distinct(corners: Rows32) -> tuple[Rows32, Indices]:
    """The different corners (m, 3) in order, and the number of each corner, (n,)."""
    places = distinct(corners[:, 0])[1]
    for column in corners[:, 1:].T:
        if len(column) and (column != column[0]).any():
            # Place and column in one number, small again after each column. -1 is no coordinate, hence + 1
            # and + 2.
            places = distinct(places * (int(column.max()) + 2) + (column + 1))[1]
    used = np.empty((int(places.max(initial=-1)) + 1, 3), np.int32)
    used[places] = corners
    return used, places


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
