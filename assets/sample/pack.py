"""A model's container from its description, in either reading."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import partial

import numpy as np

from assets.sample.pose import track_of
from assets.sample.shapes.facets import Batch, batches
from assets.sample.spec import Cell, ModelSpec, Node
from assets.sample.surfaces.lightmap import Lightmap
from viewer.formats.msh import nodes, path_graph, vertices
from viewer.formats.msh.tables import LIGHT_PROBES, PATH_GRAPH, STREAM15
from viewer.model.convert import scene
from viewer.model.convert.building.tables import tables_of
from viewer.model.convert.scene import Mesh, Primitive, Scene, SceneMaterial
from viewer.model.convert.scene_images import SceneImage
from viewer.model.material.selectors import HAS_LIGHTMAP
from viewer.model.mesh.reading import FIELD, SEED


class Convention(StrEnum):
    """The reading that a file follows.

    In that of the field, rows of the slot matrix are states of damage and columns levels of detail; in that
    of the seeds, rows are levels of detail.
    """

    SEED = "seed"
    FIELD = "field"


def model_bytes(
    spec: ModelSpec, convention: Convention = Convention.FIELD, lightmap: Lightmap | None = None
) -> bytes:
    """The model's container; a `lightmap` gets its patches.

    A file of the field reading has no vertex stream 15, which is optional and large.
    """
    made = tables_of(scene_of(spec, convention, lightmap), FIELD if convention is Convention.FIELD else SEED)
    if convention is Convention.FIELD:
        made.missing.add(STREAM15)
    return made.build()


def scene_of(spec: ModelSpec, convention: Convention, lightmap: Lightmap | None) -> Scene:
    """The scene of a description."""
    meshes = _Meshes(spec, lightmap)
    numbers = {node.name: index for index, node in enumerate(spec.nodes)}
    made = tuple(
        scene.Node(
            node.name,
            None if node.parent is None else numbers[node.parent],
            {_cell(cell, convention): mesh for cell, mesh in meshes.of(number, node).items()},
            track=track_of(node.track),
            socket_tag=node.takes,
            fields={"flags": node.flags},
        )
        for number, node in enumerate(spec.nodes)
    )
    tables = {PATH_GRAPH: _path_graph(spec)} | ({LIGHT_PROBES: _light_probes(spec)} if spec.lightmap else {})
    return Scene(
        spec.stem,
        made,
        tuple(meshes.meshes),
        tuple(
            SceneMaterial(name, row, lightmap=0 if name in spec.lightmapped else None)
            for row, name in enumerate(spec.wear)
        ),
        (SceneImage(spec.lightmap, np.empty((0, 0, 4), np.uint8)),) if spec.lightmap else (),
        tables=tables,
        attributes={PATH_GRAPH: (len(spec.paths.points), len(spec.paths.links), path_graph.PATH_NODE.size)},
    )


def _cell(cell: Cell, convention: Convention) -> Cell:
    """Row and column of a state of damage at a level of detail."""
    state, level = cell
    return cell if convention is Convention.FIELD else (level, state)


class _Meshes:
    """The meshes of a model's nodes, in order; equal meshes of one node are made once."""

    def __init__(self, spec: ModelSpec, lightmap: Lightmap | None) -> None:
        self.meshes: list[Mesh] = []
        self._spec = spec
        self._lightmap = lightmap
        self._rows = {name: row for row, name in enumerate(spec.wear)}

    def of(self, number: int, node: Node) -> Mapping[Cell, int]:
        """The mesh of each cell of a node that has triangles."""
        known: dict[bytes, int] = {}
        found = {}
        for cell, pieces in node.cells.items():
            patcher = None
            if self._lightmap is not None:
                is_indoors = bool(node.flags & nodes.FLAG_INTERNAL)
                patcher = partial(self._lightmap.patch, cell[0], is_indoors=is_indoors)
            drawn = [it for it in batches(pieces, patcher, self._spec.lightmapped) if len(it.triangles)]
            content = b"".join(_content(batch) for batch in drawn)
            if drawn and content not in known:
                known[content] = len(self.meshes)
                self.meshes.append(Mesh(f"{node.name} {number}", tuple(map(self._primitive, drawn))))
            if drawn:
                found[cell] = known[content]
        return found

    def _primitive(self, batch: Batch) -> Primitive:
        is_lit = batch.material in self._spec.lightmapped
        room = self._spec.number(batch.room) if batch.room else None
        words = {"flags": batch.flags | HAS_LIGHTMAP if is_lit else batch.flags}
        return Primitive(
            batch.positions,
            batch.triangles,
            vertices.decode_normals(batch.normals),
            vertices.decode_uvs(batch.uvs),
            batch.lightmap_uvs.astype(np.float32) / np.float32(vertices.UV_SCALE)
            if self._spec.lightmap
            else None,
            self._rows[batch.material],
            fields=words if room is None else words | {"opaque6": room},
        )


def _content(batch: Batch) -> bytes:
    parts = (batch.positions, batch.normals, batch.uvs, batch.lightmap_uvs, batch.triangles)
    return batch.material.encode() + b"".join(part.tobytes() for part in parts)


def _path_graph(spec: ModelSpec) -> bytes:
    points = path_graph.PATH_NODE.new(len(spec.paths.points))
    links = path_graph.PATH_LINK.new(len(spec.paths.links))
    if len(points):
        points["position"] = [point.position for point in spec.paths.points]
        points["node"] = [spec.number(point.node) for point in spec.paths.points]
        links["start"], links["end"] = np.array(spec.paths.links).T
        links["opaque"] = 0xFFFFFFFF
    return points.tobytes() + links.tobytes()


def _light_probes(spec: ModelSpec) -> bytes:
    rows = path_graph.LIGHT_PROBE.new(len(spec.probes))
    numbers = {node.name: index for index, node in enumerate(spec.nodes)}
    for row, probe in zip(rows, spec.probes, strict=True):
        row["node"], row["intensity"] = numbers[probe.node], probe.intensity
        row["position"], row["direction"] = probe.position, (0, 0, -1)
        row["color"] = (*probe.color, 1)
    return rows.tobytes()
