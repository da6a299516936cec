"""The scene of a model.

Source: spec/msh.md 2, 10, 13; spec/animation.md 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final

from viewer.formats.msh.nodes import GROUPS, NODE
from viewer.formats.msh.slots import HEADER
from viewer.formats.msh.tables import LIGHT_PROBES, PATH_GRAPH, TABLES
from viewer.model.convert import rotations
from viewer.model.convert.labels import numbered
from viewer.model.convert.scene import (
    NO_FIELDS,
    Cell,
    Clips,
    Fields,
    Mesh,
    Node,
    Options,
    Origin,
    Scene,
    Track,
    View,
)
from viewer.model.convert.scene_parts.animation import clips_of, tracks_of
from viewer.model.convert.scene_parts.left_out import losses_of
from viewer.model.convert.scene_parts.looks import looks_of
from viewer.model.convert.scene_parts.shapes import CellParts, MeshMaker, fields_of
from viewer.model.convert.source import ModelSource
from viewer.model.mesh.draws import NO_SLOT
from viewer.model.mesh.model import Variant
from viewer.model.mesh.skeleton import ROOT

DEFAULT: Final = Options()
KEPT: Final = frozenset({PATH_GRAPH, LIGHT_PROBES})
"""Tables that are kept as they are."""


def scene_of(source: ModelSource, options: Options = DEFAULT) -> Scene:
    """The scene of a model; raises `UsageError` if the time of the rest pose is not finite."""
    nodes = _nodes(source, options)
    parts = CellParts(source)
    views = parts.views(nodes, options)
    shown = parts.shown_in(views, nodes)
    looks = looks_of(source, source.draws.draws_of(shown), has_pictures=options.has_textures)
    meshes, cells = _meshes(source, parts, nodes, views, MeshMaker(source, looks.of_draw))
    kept = _kept(source)
    moving = () if options.clips is Clips.NONE else nodes
    tracks, stilled = tracks_of(source.animation, moving)
    return Scene(
        name=source.text_name,
        nodes=tuple(_made(source, options, nodes, cells, tracks)),
        meshes=tuple(meshes),
        materials=looks.materials,
        pictures=looks.pictures,
        clips=clips_of(source, options, nodes, tracks),
        frame_count=source.animation.frame_count,
        views=views,
        fields=_header(source),
        origin=origin_of(source),
        options=options,
        tables={type_id: bytes(source.model.payload(type_id)) for type_id in kept},
        attributes={type_id: _attributes(source, type_id) for type_id in kept},
        losses=tuple(losses_of(source, stilled)),
    )


def origin_of(source: ModelSource) -> Origin:
    """What identifies the model and its reading."""
    reading = source.choice.reading
    return Origin(
        name=source.text_name,
        size=len(source.data),
        sha256=sha256(source.data).hexdigest(),
        quaternion_order=str(reading.quaternion_order),
        material_field=str(reading.material_field),
        has_name_records=reading.has_name_records,
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
    """The meshes that the views show, and those of each node by cell."""
    slot = source.draws.parts.slot
    meshes: list[Mesh] = []
    index: dict[tuple[int, int], int] = {}
    cells: list[dict[Cell, int]] = []
    for at, node in enumerate(nodes):
        shown = sorted({cell for view in views if (cell := view.shown[at]) is not None})
        cells.append({})
        for row, column in shown:
            part = int(parts.part[node, row * GROUPS + column])
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
    positions = [_finite(position) for position in pose.position.tolist()]
    turned = rotations.active(pose.quaternion).tolist()
    parents = source.skeleton.parents.tolist()
    index = {node: at for at, node in enumerate(nodes)}
    names, takes = source.names, source.takes
    fields = fields_of(NODE, source.model.nodes) if len(source.model.nodes) else [NO_FIELDS] * len(parents)
    return [
        Node(
            name=names[node],
            parent=None if parents[node] == ROOT else index[parents[node]],
            cells=cells[at],
            position=positions[node],
            rotation=tuple(turned[node]),
            track=tracks.get(node),
            takes=takes[node],
            is_socket=node in source.sockets,
            number=node,
            fields=fields[node],
        )
        for at, node in enumerate(nodes)
    ]


def _finite(position: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = (it if abs(it) < float("inf") else 0.0 for it in position)
    return x, y, z


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


def _attributes(source: ModelSource, type_id: int) -> tuple[int, int, int]:
    archive = source.model.archive
    entry = archive.entries[archive.find_type(type_id) or 0]
    return entry.attr1, entry.attr2, entry.attr3
