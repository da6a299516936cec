"""A scene from glTF 2.0, of this program or any other.

Source: glTF 2.0; spec/msh.md 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from viewer.model.convert.beside import Beside, nothing
from viewer.model.convert.gltf.reading import extensions, hierarchy
from viewer.model.convert.gltf.reading.accessors import Accessors
from viewer.model.convert.gltf.reading.axes import Y_UP, Axes
from viewer.model.convert.gltf.reading.document import Document
from viewer.model.convert.gltf.reading.hierarchy import Placed
from viewer.model.convert.gltf.reading.item import Item
from viewer.model.convert.gltf.reading.materials import Look, looks
from viewer.model.convert.gltf.reading.meshes import Meshes
from viewer.model.convert.gltf.reading.motion import Motion, Movements
from viewer.model.convert.gltf.reading.parts import Parts
from viewer.model.convert.gltf.reading.pictures import Pictures
from viewer.model.convert.gltf.reading.rigid import UNIT, Rigid, Worlds, is_similar, stretched_track
from viewer.model.convert.gltf.reading.samplers import Samplers
from viewer.model.convert.gltf.reading.skins import Skins
from viewer.model.convert.scene import Node, Options, Scene, Track
from viewer.translation import Sentence

FPS: Final = 15.0
"""Frames per second of files that do not say theirs."""


def read(data: bytes | memoryview, beside: Beside = nothing, *, fps: float = FPS) -> Scene:
    """The scene of a `.glb` or `.gltf` file; raises `FormatError` with the path in its JSON.

    Parameters
    ----------
    beside
        The files of its folder.
    fps
        Frames per second, for a file that does not say it.
    """
    with np.errstate(all="ignore"):
        return _Reader(Document(data, beside), fps).scene()


class _Reader:
    """Reads one document."""

    def __init__(self, document: Document, fps: float) -> None:
        self._document = document
        self._accessors = Accessors(document)
        self._axes: Axes = Y_UP
        self._options = Options(fps=fps)
        extensions.check(document)

    def scene(self) -> Scene:
        """The whole file as a scene."""
        document = self._document
        chosen = self._chosen_scene()
        parents = hierarchy.parents_of(document)
        nodes = self._kept(hierarchy.nodes_of_scene(document, parents, chosen), parents)
        pictures = Pictures(document)
        found = looks(document, pictures)
        placed = [
            hierarchy.placed(document, self._axes, item, parent)
            for item, parent in zip(document.root.items("nodes"), parents, strict=True)
        ]
        samplers = Samplers(document, self._accessors, self._axes)
        motion = Movements(document, samplers, placed, nodes).strip(self._options.fps)
        made, meshes = self._nodes(placed, nodes, found, motion)
        return Scene(
            name=chosen.text("name") if chosen is not None else "",
            nodes=made,
            meshes=tuple(meshes.found),
            materials=tuple(look.material for look in found),
            pictures=tuple(pictures.found),
            clips=motion.clips,
            frame_count=motion.frame_count,
            options=self._options,
            losses=document.losses.sentences,
        )

    def _chosen_scene(self) -> Item | None:
        """The default scene, else the first one."""
        count = self._document.count("scenes")
        index = self._document.root.index_of("scene", count)
        if count > 1:
            message = Sentence("only one scene of {count} is read", count=count)
            self._document.losses.add(message)
        if not count:
            return None
        return self._document.item("scenes", index or 0)

    def _kept(self, nodes: list[int], parents: list[int | None]) -> list[int]:
        """Nodes without those that only hold a camera or a light."""
        is_parent = set(parents)
        kept = []
        for node in nodes:
            item = self._document.item("nodes", node)
            has_light = hierarchy.LIGHTS in item.item("extensions")
            if "camera" in item or has_light:
                self._document.losses.add(Sentence("cameras and lights are left out"), item.path)
                if node not in is_parent and "mesh" not in item:
                    continue
            kept.append(node)
        return kept

    def _nodes(
        self, placed: Sequence[Placed], kept: Sequence[int], found: tuple[Look, ...], motion: Motion
    ) -> tuple[tuple[Node, ...], Parts]:
        """The nodes in the order of the file, and what they show."""
        worlds = Worlds(placed)
        meshes = Meshes(self._document, self._accessors, self._axes, found)
        skins = Skins(self._document, self._accessors, self._axes, worlds.full)
        parts = Parts(self._document, meshes, skins)
        index = {node: at for at, node in enumerate(kept)}
        made = []
        for node in kept:
            item, part = placed[node].item, worlds.rigid[node]
            shown = parts.shown(item, part.stretch, np.linalg.inv(worlds.world[node]))
            parent = placed[node].parent
            made.append(
                Node(
                    name=self._name(item),
                    parent=None if parent is None else index[parent],
                    cells={} if shown is None else {self._options.cell: shown},
                    position=part.position,
                    rotation=part.rotation,
                    track=self._track(item, motion.tracks.get(node), part),
                )
            )
        return tuple(made), parts

    def _name(self, item: Item) -> str:
        """The name of a node, else that of its mesh."""
        mesh = self._document.referred(item, "mesh", "meshes")
        return item.text("name") or ("" if mesh is None else mesh.text("name"))

    def _track(self, item: Item, track: Track | None, part: Rigid) -> Track | None:
        """The movement of a rigid part."""
        if track is None or part.outer is UNIT:
            return track
        if not is_similar(part.outer) and np.abs(track.rotations - track.rotations[0]).max() > 1e-6:
            message = Sentence("turns under a scale by several factors, which is exact at rest only")
            self._document.losses.add(message, item.path)
        return stretched_track(track, part.outer)
