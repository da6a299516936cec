"""The objects of a glTF file: nodes and scenes, materials, meshes and animations of a scene.

Programs show one scene: the default one. The others, one for every further cell, are there to be chosen;
Blender makes collections of them that are hidden at first. Their nodes are others, as a node has one mesh,
but the meshes are the same. A copy only has what leads to geometry.

A color multiplies stored colors in the game, so that a factor of glTF is its linear equivalent. The own
light of a material multiplies its texture, so that the emissive texture is the base texture. Nodes of equal
key times share them, and the nodes of all scenes share their curves.

Source: spec/field-notes.md 4; viewer.model.convert.source.
"""

from __future__ import annotations

import json
import re
import struct
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

import numpy as np

from viewer.model.convert.gltf import extras
from viewer.model.convert.gltf.arrays import Binary, shortest_rows
from viewer.model.convert.gltf.curves import AnimationObjects, Turning, turnings_of
from viewer.model.convert.gltf.materials import MaterialObjects
from viewer.model.convert.gltf.meshes import MeshObjects
from viewer.model.convert.labels import UniqueNames, numbered, of_cell
from viewer.model.convert.motion.rotations import Axes
from viewer.model.convert.options import Cell
from viewer.model.convert.pictures.images import write_png
from viewer.model.convert.scene import Scene, View
from viewer.translation import readable


class NodeObjects:
    """The nodes and scenes of a file.

    Parameters
    ----------
    meshes
        The mesh of the file, by index of the mesh of the scene.
    turnings
        The rotations with added keys, by node of the scene.

    Attributes
    ----------
    nodes, scenes
        As in the file; the first scene is the default one.
    targets
        The nodes of the file that move like a node of the scene, by its index.
    """

    def __init__(self, scene: Scene, meshes: Mapping[int, int], turnings: Mapping[int, Turning]) -> None:
        self._scene, self._meshes = scene, meshes
        self._names = UniqueNames()
        self._poses = _poses(scene)
        self.nodes: list[dict[str, Any]] = []
        self.scenes: list[dict[str, Any]] = []
        self.targets: dict[int, list[int]] = {}
        self._turnings = turnings
        self._add(scene.chosen, range(len(scene.nodes)), None)
        for view in scene.views[1:]:
            self._add(view, self._shown(view), view.cell)

    def _shown(self, view: View) -> list[int]:
        """The nodes that show something in a view, and those above them."""
        kept: set[int] = set()
        for number, cell in enumerate(view.shown):
            node: int | None = number if self._mesh(number, cell) is not None else None
            while node is not None and node not in kept:
                kept.add(node)
                node = self._scene.nodes[node].parent
        return sorted(kept)

    def _mesh(self, node: int, cell: Cell | None) -> int | None:
        return None if cell is None else self._meshes.get(self._scene.nodes[node].cells[cell])

    def _add(self, view: View, nodes: Sequence[int], copy: Cell | None) -> None:
        """Add a scene of some nodes to the file."""
        index = {node: len(self.nodes) + at for at, node in enumerate(nodes)}
        children: dict[int, list[int]] = {}
        roots: list[int] = []
        for node in nodes:
            parent = self._scene.nodes[node].parent
            (roots if parent is None else children.setdefault(parent, [])).append(index[node])
            self.targets.setdefault(node, []).append(index[node])
        for node in nodes:
            self.nodes.append(self._node(node, view.shown[node], children.get(node, []), copy))
        name = self._scene.name
        found: dict[str, Any] = {"name": name if copy is None else of_cell(name, copy)}
        if roots:
            found["nodes"] = roots
        own = extras.of_scene(self._scene) if copy is None else extras.wrapped({"cell": copy})
        self.scenes.append(found | own)

    def _node(
        self, number: int, shown: Cell | None, children: list[int], copy: Cell | None
    ) -> dict[str, Any]:
        node = self._scene.nodes[number]
        usual = numbered("node", number)
        name = node.name if copy is None else of_cell(node.name or usual, copy)
        found: dict[str, Any] = {"name": self._names.add(name, usual)}
        if children:
            found["children"] = children
        found |= self._poses[number]
        mesh = self._mesh(number, shown)
        if mesh is not None:
            found["mesh"] = mesh
        if copy is not None:
            return found | extras.of_copy(node, shown, copy)
        turning = self._turnings.get(number)
        return found | extras.of_node(node, shown, None if turning is None else turning.added)


def _poses(scene: Scene) -> list[dict[str, Any]]:
    """The rest pose of each node, without what is usual."""
    axes, nodes = Axes(scene.options.is_y_up), scene.nodes
    if not nodes:
        return []
    positions = axes.outward(np.array([node.position for node in nodes]))
    rotations = axes.rotations_outward(np.array([node.rotation for node in nodes], np.float32))
    scales = np.array([node.scale for node in nodes], np.float32)
    if axes.is_y_up:
        # (x, y, z) becomes (x, z, -y): a scale along an axis has no direction, so no sign.
        scales = scales[:, [0, 2, 1]]
    usual = (
        ("translation", positions, [0.0] * 3),
        ("rotation", rotations, [0.0] * 3 + [1.0]),
        ("scale", scales, [1.0] * 3),
    )
    columns = [(name, shortest_rows(values), rest) for name, values, rest in usual]
    return [
        {name: rows[number] for name, rows, rest in columns if rows[number] != rest}
        for number in range(len(nodes))
    ]


GENERATOR: Final = "mshview"
PNG: Final = "image/png"


def glb_of(scene: Scene) -> bytes:
    """The binary file of a scene, in which everything is."""
    document, buffers, images = _content(scene)
    document["images"] = [
        {"name": name, "mimeType": PNG, "bufferView": buffers.add_blob(image)} for name, image in images
    ]
    data = _with_views(document, buffers)
    text = _text(document, indent=None)
    # Chunks of a GLB are multiples of 4 bytes: JSON is padded with spaces, which parsers skip.
    text += b" " * (-len(text) % 4)
    # Lengths count the padding. The binary chunk has a multiple of four by itself, see `_append`.
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if data:
        chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def gltf_of(scene: Scene) -> bytes:
    """The text file of a scene that holds everything, in data URIs."""
    return _text_of(scene, lambda kind, _name, data: f"data:{kind};base64,{b64encode(data).decode()}")


def files_of(scene: Scene, stem: str) -> dict[str, bytes]:
    """The text file of a scene and those that it names, by file name; the text file is the last one.

    Parameters
    ----------
    stem
        Name of the text file without its suffix. The text names the others in UTF-8, so that their names are
        in letters if it is not.
    """
    named = readable(stem)
    names, files = UniqueNames(), dict[str, bytes]()

    def place(kind: str, name: str, data: bytes) -> str:
        plain = re.sub(r"[^\w.-]", "_", name).casefold()
        file = f"{named}.{names.add(plain, 'picture')}.png" if kind == PNG else f"{named}.bin"
        files[file] = data
        return quote(file)

    text = _text_of(scene, place)
    return files | {f"{stem}.gltf": text}


def _text_of(scene: Scene, uri_of: Callable[[str, str, bytes], str]) -> bytes:
    """The text file of a scene; `uri_of` makes URIs of media types, names and bytes."""
    document, buffers, images = _content(scene)
    document["images"] = [{"name": name, "uri": uri_of(PNG, name, image)} for name, image in images]
    data = _with_views(document, buffers)
    for buffer in document["buffers"]:
        buffer["uri"] = uri_of("application/octet-stream", "", data)
    return _text(document, indent=1)


def _with_views(document: dict[str, Any], buffers: Binary) -> bytes:
    """The bytes of the buffer that is added to a document with its views."""
    document["bufferViews"], data = buffers.finish()
    document["buffers"] = [{"byteLength": len(data)}] if data else []
    return data


def _content(scene: Scene) -> tuple[dict[str, Any], Binary, list[tuple[str, bytes]]]:
    """The JSON of a file but for what says where its bytes lie, its arrays, and its images as PNG files."""
    buffers = Binary()
    surfaces = MaterialObjects(scene.materials, scene.images)
    shapes = MeshObjects(scene.meshes, buffers, Axes(scene.options.is_y_up))
    turnings = turnings_of(scene)
    tree = NodeObjects(scene, shapes.index, turnings)
    document = {
        "asset": {"version": "2.0", "generator": GENERATOR},
        # Sorted, so that the same scene is the same bytes in every process.
        "extensionsUsed": sorted(surfaces.extensions),
        "scene": 0,
        "scenes": tree.scenes,
        "nodes": tree.nodes,
        "meshes": shapes.meshes,
        "materials": surfaces.materials,
        "textures": surfaces.textures,
        "samplers": surfaces.samplers,
        "animations": AnimationObjects(scene, tree.targets, buffers, turnings).animations,
        "accessors": buffers.accessors,
    }
    names = UniqueNames()
    images = [
        (names.add(it.name, numbered("picture", number)), write_png(it.pixels))
        for number, it in enumerate(surfaces.images)
    ]
    return document, buffers, images


def _text(document: dict[str, Any], *, indent: int | None) -> bytes:
    """The text of a file, without empty lists, which the format does not have."""
    found = {name: value for name, value in document.items() if value != []}
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(found, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    return text.encode()
