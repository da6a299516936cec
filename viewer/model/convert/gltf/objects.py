"""The objects of a glTF file: nodes and scenes, materials, meshes and animations of a scene.

Programs show one scene: the default one. The others, one for every further cell, are there to be chosen;
Blender makes collections of them that are hidden at first. Their nodes are others, as a node has one mesh,
but the meshes are the same. A copy only has what leads to geometry.

A color multiplies stored colors in the game, so that a factor of glTF is its linear equivalent. The own
light of a material multiplies its texture, so that the emissive texture is the base texture. Nodes of equal
key times share them, and the nodes of all scenes share their curves.

Source: spec/field-notes.md 4; viewer.model.convert.scene_parts.looks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Floats
from viewer.model.convert.gltf import arrays, extras
from viewer.model.convert.gltf.arrays import Binary
from viewer.model.convert.gltf.conventions import (
    Axes,
    Strength,
    layer_color,
    layer_of,
    linear,
    strength_of,
)
from viewer.model.convert.gltf.curves import Turning, with_frame_keys
from viewer.model.convert.labels import UniqueNames, numbered, of_cell
from viewer.model.convert.scene import (
    WHOLE,
    AlphaMode,
    Cell,
    Clips,
    Mesh,
    Picture,
    Primitive,
    Scene,
    SceneMaterial,
    Track,
    View,
)

UNLIT: Final = "KHR_materials_unlit"
TRANSFORM: Final = "KHR_texture_transform"
CUTOFF: Final = 1 / 255
"""Alpha from which the game keeps a pixel."""
MODES: Final = {mode: mode.value for mode in AlphaMode} | {AlphaMode.ADDED: AlphaMode.BLENDED.value}
LINEAR, MIPMAPS, REPEAT, CLAMP = 9729, 9987, 10497, 33071
SAMPLERS: Final = (
    {"magFilter": LINEAR, "minFilter": MIPMAPS, "wrapS": REPEAT, "wrapT": REPEAT},
    {"magFilter": LINEAR, "minFilter": LINEAR, "wrapS": CLAMP, "wrapT": CLAMP},
)
"""Of a texture, and of a lightmap, which has one level and whose patches must not run into each other."""
ROW: Final = "_VERTEX"
"""The attribute with the row of a vertex in the tables of the model."""
EXACT_BELOW: Final = 1 << 24
"""Rows from here on are no exact floats."""
SHORT_BELOW: Final = 0xFFFF
"""Vertices from which on indices take 32 bits; the largest short one means something else."""
UP: Final = np.array([0, 0, 1], np.float32)


class NodeObjects:
    """The nodes and scenes of a file.

    Parameters
    ----------
    meshes
        The mesh of the file, by index of the mesh of the scene.

    Attributes
    ----------
    nodes, scenes
        As in the file; the first scene is the default one.
    targets
        The nodes of the file that move like a node of the scene, by its index.
    """

    def __init__(self, scene: Scene, meshes: Mapping[int, int]) -> None:
        self._scene, self._meshes = scene, meshes
        self._names = UniqueNames()
        self._poses = _poses(scene)
        self.nodes: list[dict[str, Any]] = []
        self.scenes: list[dict[str, Any]] = []
        self.targets: dict[int, list[int]] = {}
        self._add(scene.chosen, range(len(scene.nodes)), None)
        for view in scene.views[1:]:
            self._add(view, self._shown(view), view.cell)

    def note_added_keys(self, added: Mapping[int, Floats]) -> None:
        """Note in the extras the keys that tracks do not have, by node of the scene."""
        for node, keys in added.items():
            extras.note_added_keys(self.nodes[self.targets[node][0]], keys)

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
        """Add a scene with some nodes."""
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
        content = extras.of_scene(self._scene) if copy is None else {"cell": list(copy)}
        self.scenes.append(found | extras.wrapped(content))

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
        return found | extras.wrapped(extras.of_node(node, shown, copy))


def _poses(scene: Scene) -> list[dict[str, Any]]:
    """The rest pose of each node, without what is usual."""
    axes, nodes = Axes(scene.options.is_y_up), scene.nodes
    if not nodes:
        return []
    positions = axes.outward(np.array([node.position for node in nodes]))
    rotations = axes.rotations_outward(np.array([node.rotation for node in nodes], np.float32))
    scales = np.array([node.scale for node in nodes], np.float32)
    if axes.is_y_up:
        scales = scales[:, [0, 2, 1]]
    usual = (
        ("translation", positions, [0.0] * 3),
        ("rotation", rotations, [0.0] * 3 + [1.0]),
        ("scale", scales, [1.0] * 3),
    )
    columns = [(name, extras.shortest_rows(values), rest) for name, values, rest in usual]
    return [
        {name: rows[number] for name, rows, rest in columns if rows[number] != rest}
        for number in range(len(nodes))
    ]


class MaterialObjects:
    """The materials of a file.

    Attributes
    ----------
    materials, textures, samplers
        As in the file.
    extensions
        The extensions that they use.
    pictures
        Those of the scene, some as layers of added light, and further such layers.
    """

    def __init__(self, materials: Sequence[SceneMaterial], pictures: Sequence[Picture] = ()) -> None:
        self.pictures = [*pictures]
        self._layers: dict[int, tuple[int, Strength]] = {}
        self._plain = {it.picture for it in materials if it.alpha is not AlphaMode.ADDED}
        self._plain |= {it.lightmap for it in materials}
        self.textures: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.extensions: set[str] = set()
        self._index: dict[tuple[int, bool], int] = {}
        self._sampler: dict[bool, int] = {}
        names = UniqueNames()
        self.materials = [
            self._material(material, names.add(material.name, numbered("material", number)))
            for number, material in enumerate(materials)
        ]

    def _material(self, material: SceneMaterial, name: str) -> dict[str, Any]:
        found: dict[str, Any] = {"name": name, "pbrMetallicRoughness": self._color(material)}
        if any(material.glow):
            if material.picture is not None:
                found["emissiveTexture"] = self._texture(material)
            found["emissiveFactor"] = [linear(value) for value in material.glow]
        if material.lightmap is not None:
            found["occlusionTexture"] = {
                "index": self._add(material.lightmap, is_lightmap=True),
                "texCoord": 1,
            }
        if material.alpha is not AlphaMode.OPAQUE:
            found["alphaMode"] = MODES[material.alpha]
        if material.alpha is AlphaMode.CUTOUT:
            found["alphaCutoff"] = CUTOFF
        if material.is_two_sided:
            found["doubleSided"] = True
        if material.is_unlit:
            self.extensions.add(UNLIT)
            found["extensions"] = {UNLIT: {}}
        return found | extras.wrapped(extras.of_material(material, self._strength(material)))

    def _strength(self, material: SceneMaterial) -> str:
        """Where the picture of added light had its strength."""
        if material.alpha is not AlphaMode.ADDED:
            return ""
        return Strength.COLOR if material.picture is None else self._layer(material.picture)[1]

    def _color(self, material: SceneMaterial) -> dict[str, Any]:
        found: dict[str, Any] = {}
        is_layer = material.alpha is AlphaMode.ADDED and material.is_unlit
        shown = layer_color(material.color) if is_layer else material.color
        color = [*map(linear, shown[:3]), shown[3]]
        if color != [1.0, 1.0, 1.0, 1.0]:
            found["baseColorFactor"] = color
        if material.picture is not None:
            found["baseColorTexture"] = self._texture(material)
        return found | {"metallicFactor": 0.0, "roughnessFactor": 1.0}

    def _texture(self, material: SceneMaterial) -> dict[str, Any]:
        """A reference to the texture of a material, moved to its sub-image."""
        picture = material.picture or 0
        if material.alpha is AlphaMode.ADDED:
            picture, _ = self._layer(picture)
        found: dict[str, Any] = {"index": self._add(picture, is_lightmap=False)}
        if material.sub_image != WHOLE:
            self.extensions.add(TRANSFORM)
            u, v, width, height = material.sub_image
            found["extensions"] = {TRANSFORM: {"offset": [u, v], "scale": [width, height]}}
        return found

    def _layer(self, picture: int) -> tuple[int, Strength]:
        """The number of the layer of a picture, in place of it if no other material needs it as it is."""
        if picture not in self._layers:
            light = self.pictures[picture]
            layer = Picture(light.name, layer_of(light.pixels))
            number = len(self.pictures) if picture in self._plain else picture
            self.pictures[number : number + 1] = [layer]
            self._layers[picture] = number, strength_of(light.pixels)
        return self._layers[picture]

    def _add(self, picture: int, *, is_lightmap: bool) -> int:
        """The texture of a picture."""
        key = picture, is_lightmap
        if key not in self._index:
            if is_lightmap not in self._sampler:
                self._sampler[is_lightmap] = len(self.samplers)
                self.samplers.append(dict(SAMPLERS[is_lightmap]))
            self._index[key] = len(self.textures)
            self.textures.append({"sampler": self._sampler[is_lightmap], "source": picture})
        return self._index[key]


def animations(
    scene: Scene, targets: Mapping[int, Sequence[int]], buffers: Binary
) -> tuple[list[dict[str, Any]], dict[int, Floats]]:
    """The animations: one for the whole strip, or one for each clip that says how nodes move.

    With them, by node of the scene, the keys that were added to those of the strip (`Turning.added`).

    Parameters
    ----------
    targets
        The nodes of the file that move like a node of the scene, by its index.
    """
    tracks = {number: node.track for number, node in enumerate(scene.nodes) if node.track is not None}
    divided = [clip for clip in scene.clips if clip.tracks] if scene.options.clips is Clips.CLIPS else []
    wanted = [(clip.name, clip.tracks, 1.0) for clip in divided] or [("strip", tracks, scene.options.fps)]
    names = UniqueNames()
    turned = {} if divided or not scene.options.has_frame_keys else tracks
    turnings = {number: with_frame_keys(track) for number, track in turned.items()}
    turnings = {number: turning for number, turning in turnings.items() if len(turning.added)}
    made = [
        _animation(scene, names.add(name, "clip"), moving, rate, targets, buffers, turnings)
        for name, moving, rate in wanted
        if moving and scene.options.clips is not Clips.NONE
    ]
    return made, {number: it.added for number, it in turnings.items() if made}


def _animation(
    scene: Scene,
    name: str,
    tracks: Mapping[int, Track],
    rate: float,
    targets: Mapping[int, Sequence[int]],
    buffers: Binary,
    turnings: Mapping[int, Turning],
) -> dict[str, Any]:
    channels: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    axes = Axes(scene.options.is_y_up)
    for number, track in sorted(tracks.items()):
        turned = turnings.get(number, track)
        positions = axes.outward(track.positions)
        rotations = axes.rotations_outward(turned.rotations)
        curves = {
            "translation": (track.times, buffers.add(arrays.TRANSLATION, positions)),
            "rotation": (turned.times, buffers.add(arrays.ROTATION, rotations)),
        }
        for path, (frames, output) in curves.items():
            times = buffers.add_once(arrays.TIME, seconds_of(frames, rate), has_bounds=True)
            moved = ({"node": node, "path": path} for node in targets[number])
            channels += ({"sampler": len(samplers), "target": target} for target in moved)
            samplers.append({"input": times, "interpolation": "LINEAR", "output": output})
    return {"name": name, "channels": channels, "samplers": samplers}


def seconds_of(frames: npt.NDArray[np.float64], rate: float) -> Floats:
    """Times of keys in seconds, strictly increasing in single precision, as the format wants them."""
    seconds = (frames / rate).astype(np.float32)
    for at in np.flatnonzero(seconds[1:] <= seconds[:-1]).tolist():
        seconds[at + 1] = np.nextafter(seconds[at], np.float32(np.inf))
    while (late := np.flatnonzero(seconds[1:] <= seconds[:-1])).size:
        seconds[late + 1] = np.nextafter(seconds[late], np.float32(np.inf))
    return seconds


class MeshObjects:
    """The meshes of a file.

    Attributes
    ----------
    meshes
        As in the file; a mesh without triangles is left out.
    index
        The mesh of the file, by index of the mesh of the scene.
    """

    def __init__(self, meshes: Sequence[Mesh], buffers: Binary, axes: Axes) -> None:
        self._buffers, self._axes = buffers, axes
        self.meshes: list[dict[str, Any]] = []
        self.index: dict[int, int] = {}
        names = UniqueNames()
        for number, mesh in enumerate(meshes):
            primitives = [self._primitive(item) for item in mesh.primitives if len(item.triangles)]
            if primitives:
                self.index[number] = len(self.meshes)
                name = names.add(mesh.name, numbered("mesh", number))
                content = extras.wrapped(extras.of_mesh(mesh))
                self.meshes.append({"name": name, "primitives": primitives} | content)

    def _primitive(self, item: Primitive) -> dict[str, Any]:
        count = len(item.positions)
        stream = arrays.SHORT_INDEX if count <= SHORT_BELOW else arrays.INDEX
        found: dict[str, Any] = {
            "attributes": dict(self._attributes(item)),
            "indices": self._buffers.add(stream, item.triangles.reshape(-1)),
        }
        if item.material is not None:
            found["material"] = item.material
        return found | extras.wrapped({} if item.batch is None else {"batch": item.batch})

    def _attributes(self, item: Primitive) -> Mapping[str, int]:
        add, outward = self._buffers.add, self._axes.outward
        found = {"POSITION": add(arrays.POSITION, outward(item.positions), has_bounds=True)}
        if item.normals is not None:
            normals = filled(item.normals, item.positions, item.triangles)
            found["NORMAL"] = add(arrays.NORMAL, outward(normals))
        if item.uvs is not None:
            found["TEXCOORD_0"] = add(arrays.UV, item.uvs)
        if item.lightmap_uvs is not None:
            found["TEXCOORD_1" if item.uvs is not None else "TEXCOORD_0"] = add(
                arrays.LIGHTMAP_UV, item.lightmap_uvs
            )
        if item.vertices is not None and item.vertices.max(initial=0) < EXACT_BELOW:
            found[ROW] = add(arrays.ROW, item.vertices)
        return found


def filled(normals: Floats, positions: Floats, triangles: np.ndarray) -> Floats:
    """Normals (n, 3) that all have unit length: where there is none, that of the triangles around."""
    is_missing = (normals == 0).all(axis=1)
    if not is_missing.any():
        return normals
    points = positions.astype(np.float64)
    points /= max(1.0, float(np.abs(points).max(initial=0)))
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    face = np.cross(b - a, c - a)
    around = np.zeros((len(normals), 3))
    for corner in range(3):
        np.add.at(around, triangles[:, corner], face)
    length = np.linalg.norm(around, axis=1)
    is_flat = length < np.finfo(np.float64).tiny * 1e16
    around = np.where(is_flat[:, None], UP, around / np.where(is_flat, 1, length)[:, None])
    return np.where(is_missing[:, None], around, normals).astype(np.float32)
