"""The scene of a model.

Source: spec/msh.md 2, 10, 13; spec/animation.md 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from viewer.formats.msh import vertices
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import GROUPS, LODS, NODE
from viewer.formats.msh.slots import HEADER, SLOT
from viewer.formats.msh.tables import LIGHT_PROBES, PATH_GRAPH, TABLES
from viewer.formats.record import Record, Rows
from viewer.geometry.transforms import Floats, Indices, Mask
from viewer.model.convert.labels import numbered
from viewer.model.convert.motion import rotations
from viewer.model.convert.motion.rotations import unit
from viewer.model.convert.motion.tracks import clips_of, tracks_of
from viewer.model.convert.options import Cell, Clips, Options
from viewer.model.convert.scene import NO_FIELDS, Fields, Mesh, Node, Primitive, Scene, Track, View
from viewer.model.convert.shapes import chosen, distinct
from viewer.model.convert.source import ModelSource, appearance_of
from viewer.model.mesh.draws import NO_BATCH, NO_SLOT
from viewer.model.mesh.model import Variant
from viewer.model.mesh.pose.interpolation import rotations as turning
from viewer.model.mesh.pose.skeleton import ROOT
from viewer.model.mesh.shown import NO_CELL, PartChoice, PartChooser
from viewer.progress import checkpoint
from viewer.translation import _

MOST_NAMED: Final = 8
"""Rows that a sentence lists."""
POSES: Final = 8
"""Poses besides the rest pose that are compared with the game."""
EXACT: Final = 1e-4
"""Units that vertices may be away from where the game shows them without a word."""


def losses_of(source: ModelSource, stilled: Sequence[int]) -> Iterator[str]:
    """A sentence for each kind of thing that is left out.

    Parameters
    ----------
    stilled
        Nodes that stand still, as the keys of all nodes would be too many.
    """
    slots, batches = _unshown(source) if source.model.variant is Variant.MODEL else ([], [])
    found = (
        ("nodes that stand still, as the frame map asks for too many keys: {count} ({rows})", stilled),
        ("slots that no node shows in any cell: {count} ({rows})", slots),
        ("batches that no node shows in any cell: {count} ({rows})", batches),
    )
    for words, rows in found:
        if rows:
            more = ["..."] if len(rows) > MOST_NAMED else []
            yield _(words, count=len(rows), rows=", ".join([*map(str, rows[:MOST_NAMED]), *more]))


def notes_of(source: ModelSource, scene: Scene) -> Iterator[str]:
    """A sentence if vertices of a scene are not where the game shows them.

    Stored rotations are rounded, and not of unit length then: the matrix that the game makes of ``s q`` is
    ``(1 - s s) I + s s R(q)``, which is not a rotation. A scene has the rotation that is nearest to it for
    each node, and differences multiply along a chain of nodes.
    """
    corners = _corners(source, scene)
    animation, worst = source.animation, (0.0, 0.0)
    frames = range(POSES if scene.options.clips is not Clips.NONE else 0)
    last = animation.frame_count - 1
    for time in dict.fromkeys([scene.options.rest, *(round(at * last / (POSES - 1)) for at in frames)]):
        pose = animation.pose(time)
        stored, nearest = pose.quaternion, rotations.active(pose.quaternion) * (1, -1, -1, -1)
        worlds = [
            animation.skeleton.world_from_node(_matrices(it, pose.position)) for it in (stored, nearest)
        ]
        away = np.linalg.norm((worlds[1] - worlds[0]) @ corners, axis=1)
        worst = max(worst, (float(np.nan_to_num(away, posinf=0).max(initial=0)), time))
    if worst[0] > EXACT:
        yield _(
            "at frame {frame} vertices are up to {distance} away from where the game shows them: its stored "
            "rotations are not of unit length, those of the file are",
            frame=f"{worst[1]:g}",
            distance=f"{worst[0]:.2g}",
        )


def _matrices(quaternion: npt.NDArray[np.floating], position: Floats) -> npt.NDArray[np.float64]:
    """``parent_from_node`` (n, 4, 4) of quaternions and positions in double precision."""
    result = np.tile(np.eye(4), (len(quaternion), 1, 1))
    result[:, :3, :3] = turning(quaternion.astype(np.float64))
    result[:, :3, 3] = position
    return result


def _corners(source: ModelSource, scene: Scene) -> npt.NDArray[np.float64]:
    """The origin and the corners of the box of what each node shows, (n, 4, 9); 0 for what shows nothing."""
    boxes = np.zeros((len(source.skeleton.parents), 2, 3))
    for node in scene.nodes:
        shown = [it.positions for mesh in node.cells.values() for it in scene.meshes[mesh].primitives]
        for positions in (it for it in shown if len(it)):
            own = boxes[node.number or 0]
            own[:] = np.minimum(own[0], positions.min(axis=0)), np.maximum(own[1], positions.max(axis=0))
    choices = np.array([*product((0, 1), repeat=3)])
    points = np.zeros((len(boxes), 4, 9))
    # Column 0 stays the origin of the node, columns 1 to 8 are the corners; row 3 makes them points, which
    # move.
    points[:, 3] = 1
    points[:, :3, 1:] = np.moveaxis(boxes[:, choices, np.arange(3)], 1, 2)
    return points


def _unshown(source: ModelSource) -> tuple[list[int], list[int]]:
    """The slots with batches, and the batches with triangles, that are in no cell."""
    model, draws = source.model, source.draws
    if (draws.parts.slot == NO_SLOT).any():
        return [], []
    has_batches = model.slots["batch_count"] > 0
    has_batches[draws.parts.slot] = False
    has_triangles = model.batches["index_count"] >= 3
    has_triangles[draws.batch] = False
    return np.flatnonzero(has_batches).tolist(), np.flatnonzero(has_triangles).tolist()


CELLS: Final = LODS * GROUPS


class CellParts:
    """The parts of a model by node and cell.

    Attributes
    ----------
    part
        Part of each node in each cell, (n, 15) int64; -1 if there is none.
    chooser
        What the viewer shows.
    """

    def __init__(self, source: ModelSource) -> None:
        parts = source.draws.parts
        self._count = len(parts)
        self.chooser = PartChooser(source.model, source.draws)
        count = max(source.model.node_count, 1 + int(parts.node.max(initial=-1)))
        self.part = np.full((count, CELLS), -1, np.int64)
        for cell in range(CELLS):
            # cells has a bit for each of the 15 cells that show the part: bit 5 is LOD 1, group 0.
            rows = np.flatnonzero(parts.cells >> cell & 1)
            self.part[parts.node[rows], cell] = rows

    def views(self, nodes: Sequence[int], options: Options) -> tuple[View, ...]:
        """The views of some nodes: for the cell of the options, then for every other cell that needs one."""
        # The others of the nodes only carry those whose geometry is exported.
        is_wanted = np.zeros(len(self.part), np.bool_)
        # Chosen nodes bring the nodes above them along, which show nothing themselves.
        is_wanted[list(nodes if options.nodes is None else options.nodes & {*nodes})] = True
        chosen = self._shown(options.cell)
        views = [_view(options.cell, np.where(is_wanted, chosen, NO_CELL), nodes)]
        if options.has_all_cells:
            cells = [(row, column) for row in range(LODS) for column in range(GROUPS)]
            for number, cell in enumerate(cells):
                has_part = self.part[:, number] >= 0
                if (is_wanted & has_part & (chosen != number)).any():
                    shown = np.where(has_part, number, self._shown(cell))
                    views.append(_view(cell, np.where(is_wanted, shown, NO_CELL), nodes))
        return tuple(views)

    def shown_in(self, views: Sequence[View], nodes: Sequence[int]) -> Mask:
        """The parts that some views of nodes show, (p,) bool."""
        cells = ((node, cell) for view in views for node, cell in zip(nodes, view.shown, strict=True) if cell)
        parts = [int(self.part[node, row * GROUPS + column]) for node, (row, column) in cells]
        is_shown = np.zeros(self._count, np.bool_)
        is_shown[parts] = True
        return is_shown

    def _shown(self, cell: Cell) -> Indices:
        return self.chooser.shown(PartChoice(*cell)).cell


def _view(cell: Cell, shown: Indices, nodes: Sequence[int]) -> View:
    # A cell is one number, row * GROUPS + column: 7 of 5 groups is LOD 1, group 2.
    numbers = shown[list(nodes)].tolist()
    return View(cell, tuple(None if it == NO_CELL else (it // GROUPS, it % GROUPS) for it in numbers))


def fields_of(record: Record, rows: Rows) -> list[Fields]:
    """The fields of each row: integers, floats, bytes, or nested lists of them, as stored."""
    columns: list[list[Any]] = [rows[field.name].tolist() for field in record.fields]
    names = [field.name for field in record.fields]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


class MeshMaker:
    """Makes the meshes of one model; what several need is decoded once.

    Parameters
    ----------
    material_of_draw
        Index of the material of each draw, (d,).
    """

    def __init__(self, source: ModelSource, material_of_draw: Indices) -> None:
        model = source.model
        self._draws = source.draws
        self._material = material_of_draw.tolist()
        normals, uvs = model.normals_raw, model.uvs_raw
        self._whole = Primitive(
            model.positions,
            np.empty((0, 3), np.int64),
            normals=None if normals is None else unit(vertices.decode_normals(normals)).astype(np.float32),
            uvs=None if uvs is None else vertices.decode_uvs(uvs),
            lightmap_uvs=lightmap_uvs(source),
            vertices=np.arange(len(model.positions)),
        )
        self._is_ground = model.variant is Variant.TERRAIN
        self._slots = fields_of(SLOT, model.slots)
        self._batches = [] if model.variant is Variant.TERRAIN else fields_of(BATCH, model.batches)

    def mesh(self, part: int, name: str) -> Mesh:
        """The mesh of a part."""
        checkpoint()
        slot = int(self._draws.parts.slot[part])
        # Draws are in the order of their parts: those of a part are one run.
        first, last = np.searchsorted(self._draws.part, (part, part + 1)).tolist()
        primitives = []
        for draw in range(first, last):
            start, end = self._draws.triangle_start[draw : draw + 2].tolist()
            batch = int(self._draws.batch[draw])
            primitive = replace(
                chosen(self._whole, *distinct(self._draws.corners[start:end])),
                material=self._material[draw],
                batch=None if batch == NO_BATCH else batch,
                fields=NO_FIELDS if batch == NO_BATCH else self._batches[batch],
            )
            primitives.append(_without_seams(primitive) if self._is_ground else primitive)
        if slot == NO_SLOT:
            return Mesh(name, tuple(primitives))
        return Mesh(name, tuple(primitives), slot, self._slots[slot])


def lightmap_uvs(source: ModelSource) -> Floats | None:
    """The second texture coordinates of the vertices: of the lightmap, or of a terrain's microtextures."""
    raw = source.model.lightmap_uvs_raw
    if raw is None:
        return None
    if source.model.variant is Variant.TERRAIN:
        return vertices.decode_uvs(raw.astype(np.int16))
    return raw.astype(np.float32) / np.float32(vertices.UV_SCALE)


def without_seam(uvs: Floats) -> Floats:
    """Coordinates of terrain, (..., n, 2), that do not start over between the n vertices."""
    words = np.rint(uvs * vertices.UV_SCALE).astype(np.int64)
    return vertices.across_seam(words).astype(np.float32) / np.float32(vertices.UV_SCALE)


def _without_seams(primitive: Primitive) -> Primitive:
    """A primitive of terrain, whose coordinates start over after 64 turns, but not between its vertices."""
    uvs, second = (None if it is None else without_seam(it) for it in (primitive.uvs, primitive.lightmap_uvs))
    return replace(primitive, uvs=uvs, lightmap_uvs=second)


DEFAULT: Final = Options()
KEPT: Final = frozenset({PATH_GRAPH, LIGHT_PROBES})
"""Tables that are kept as they are."""


def scene_of(source: ModelSource, options: Options = DEFAULT) -> Scene:
    """The scene of a model; raises `UsageError` if the time of the rest pose is not finite."""
    nodes = _nodes(source, options)
    parts = CellParts(source)
    views = parts.views(nodes, options)
    shown = parts.shown_in(views, nodes)
    appearance = appearance_of(source, source.draws.draws_of(shown), has_images=options.has_textures)
    meshes, cells = _meshes(source, parts, nodes, views, MeshMaker(source, appearance.of_draw))
    archive = source.model.archive
    kept = {type_id: archive.entries[archive.find_type(type_id) or 0] for type_id in _kept(source)}
    moving = () if options.clips is Clips.NONE else nodes
    tracks, stilled = tracks_of(source.animation, moving)
    clips = clips_of(source, options, nodes, tracks)
    return Scene(
        name=source.text_name,
        nodes=tuple(_made(source, options, nodes, cells, tracks)),
        meshes=tuple(meshes),
        materials=appearance.materials,
        images=appearance.images,
        clips=clips,
        frame_count=source.animation.frame_count,
        views=views,
        fields=_header(source),
        origin=source.origin,
        options=options,
        tables={type_id: bytes(source.model.payload(type_id)) for type_id in kept},
        attributes={type_id: (it.attr1, it.attr2, it.attr3) for type_id, it in kept.items()},
        losses=tuple(losses_of(source, stilled)),
        effects=(*source.controller.started, *source.explosions),
    )


def _nodes(source: ModelSource, options: Options) -> list[int]:
    """The nodes of the scene: all, or the wanted ones and those above them, in the order of the model."""
    parents = source.skeleton.parents.tolist()
    if options.nodes is None:
        return [*range(len(parents))]
    kept: set[int] = set()
    for wanted in options.nodes:
        node = wanted if 0 <= wanted < len(parents) else ROOT
        while node != ROOT and node not in kept:
            kept.add(node)
            node = parents[node]
    return sorted(kept)


def _meshes(
    source: ModelSource, parts: CellParts, nodes: Sequence[int], views: Sequence[View], geometry: MeshMaker
) -> tuple[list[Mesh], list[dict[Cell, int]]]:
    """The meshes that the views show, and the meshes of each node by cell."""
    slot = source.draws.parts.slot
    meshes: list[Mesh] = []
    index: dict[tuple[int, int], int] = {}
    cells: list[dict[Cell, int]] = []
    for at, node in enumerate(nodes):
        shown = sorted({cell for view in views if (cell := view.shown[at]) is not None})
        cells.append({})
        for row, column in shown:
            part = int(parts.part[node, row * GROUPS + column])
            # Nodes that share a slot share a mesh; parts without a slot (terrain) are each their own.
            # The order of nodes decides which name a shared mesh gets: that of the first.
            key = (int(slot[part]), part if slot[part] == NO_SLOT else 0)
            if key not in index:
                index[key] = len(meshes)
                meshes.append(geometry.mesh(part, _mesh_name(source, node, key[0])))
            cells[at][row, column] = index[key]
    return meshes, cells


def _mesh_name(source: ModelSource, node: int, slot: int) -> str:
    name = source.names[node] if node < len(source.names) else ""
    name = name or "geometry"
    return name if slot == NO_SLOT else " ".join((name, numbered("slot", slot)))


def _made(
    source: ModelSource,
    options: Options,
    nodes: Sequence[int],
    cells: Sequence[dict[Cell, int]],
    tracks: Mapping[int, Track],
) -> list[Node]:
    """The nodes in their rest pose."""
    pose = source.animation.pose(options.rest)
    positions = np.where(np.isfinite(pose.position), pose.position, 0).tolist()
    turned = rotations.active(pose.quaternion).tolist()
    parents = source.skeleton.parents.tolist()
    index = {node: at for at, node in enumerate(nodes)}
    names, socket_tag = source.names, source.socket_tag
    fields = fields_of(NODE, source.model.nodes) if len(source.model.nodes) else [NO_FIELDS] * len(parents)
    return [
        Node(
            name=names[node],
            parent=None if parents[node] == ROOT else index[parents[node]],
            cells=cells[at],
            position=tuple(positions[node]),
            rotation=tuple(turned[node]),
            track=tracks.get(node),
            socket_tag=socket_tag[node],
            is_socket=node in source.sockets,
            number=node,
            fields=fields[node],
        )
        for at, node in enumerate(nodes)
    ]


def _header(source: ModelSource) -> Fields:
    """The stored bounds."""
    if source.model.header is None or source.model.variant is not Variant.MODEL:
        return NO_FIELDS
    return fields_of(HEADER, source.model.header.reshape(1))[0]


def _kept(source: ModelSource) -> list[int]:
    """The types of tables that no other part of a scene holds."""
    model = source.model
    kept = (type_id for type_id in sorted(model.archive.types) if type_id in KEPT or type_id not in TABLES)
    return [type_id for type_id in kept if model.has(type_id)]
