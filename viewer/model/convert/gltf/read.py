"""A scene from glTF 2.0, of this program or any other.

Source: glTF 2.0; spec/msh.md 13.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from viewer.errors import FormatError
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.slots import HEADER
from viewer.model.convert.earlier_light import with_floor
from viewer.model.convert.gltf import extras, materials, nodes, record_fields
from viewer.model.convert.gltf.animation import Motion, Movements
from viewer.model.convert.gltf.arrays import GltfFile
from viewer.model.convert.gltf.document import PER_OBJECT, JsonItem
from viewer.model.convert.gltf.materials import FileImages, MaterialReader
from viewer.model.convert.gltf.meshes import Meshes
from viewer.model.convert.gltf.nodes import LIGHTS, Worlds
from viewer.model.convert.gltf.tree import NodeReader, ShownMeshes, Skins
from viewer.model.convert.labels import is_same_name
from viewer.model.convert.options import Clips, Options
from viewer.model.convert.scene import Scene, SceneClip, Track
from viewer.model.convert.scene_file import Resolver, nothing
from viewer.model.convert.scene_images import SceneImage
from viewer.translation import _

QUANTIZED: Final = "KHR_mesh_quantization"
POLYGONS: Final = "FB_ngon_encoding"
"""Triangles of one polygon begin with one corner: nothing is lost without it."""
READ: Final = frozenset(
    {QUANTIZED, POLYGONS, LIGHTS, materials.UNLIT, materials.STRENGTH, materials.GLOSS, materials.TRANSFORM}
)
"""Extensions that are read, or whose losses are named where they are used."""
OF_APPEARANCE: Final = ("KHR_materials_", "EXT_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_")
"""Prefixes of extensions of the appearance: a file that requires one is read without it."""
COMPRESSED: Final = frozenset(
    {"KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"}
)
FPS: Final = 15.0
"""Frames per second of files that do not say theirs."""
STRIP: Final = "strip"
"""The name of the animation of a file that is not divided into clips."""


def check(document: GltfFile) -> None:
    """Raise `FormatError` for a required extension that is not known; report the others as losses."""
    for index, name in enumerate(_names(document.root, "extensionsRequired")):
        if name in READ or name.startswith(OF_APPEARANCE):
            continue
        message = _("{extension} is not known; export the file without it", extension=name)
        if name in COMPRESSED:
            message = _("{extension} cannot be unpacked; export the file without compression", extension=name)
        raise document.root.wrong(f"extensionsRequired[{index}]", message)
    for name in _names(document.root, "extensionsUsed"):
        if name not in READ | COMPRESSED and not name.startswith(OF_APPEARANCE):
            document.losses.add("{extension} is left out", extension=name)


def _names(root: JsonItem, key: str) -> list[str]:
    """The names of a list of extensions."""
    names = [JsonItem({"": name}, f"{key}[{at}]").text("") for at, name in enumerate(root.entries(key))]
    return [name[:60] for name in dict.fromkeys(names)]


def read(
    data: bytes | memoryview,
    resolver: Resolver = nothing,
    *,
    fps: float = FPS,
    is_y_up: bool | None = None,
    lightmaps: Sequence[SceneImage] = (),
) -> Scene:
    """The scene of a `.glb` or `.gltf` file; raises `FormatError` with the path in its JSON.

    Parameters
    ----------
    resolver
        The files of its folder.
    fps
        Frames per second, for a file that does not say it.
    is_y_up
        Whether Y is up, whatever the file says; None if it is as it says, Y without a word.
    lightmaps
        Those of the model that the file is compared with.
    """
    # Numbers of a file may be anything; what they become is checked where it is used.
    with np.errstate(all="ignore"):
        return _GltfReader(GltfFile(data, resolver), Options(fps=fps), is_y_up, lightmaps).scene()


class _GltfReader:
    """Reads one document."""

    def __init__(
        self, document: GltfFile, default: Options, is_y_up: bool | None, lightmaps: Sequence[SceneImage]
    ) -> None:
        check(document)
        for kind in ("nodes", "materials", "scenes"):
            document.budget.spend(PER_OBJECT * document.count(kind), kind)
        self._document = document
        self._lightmaps = lightmaps
        self._chosen = self._chosen_scene()
        self._said = extras.Provenance.of(self._chosen, default)
        if is_y_up is not None:
            self._said = replace(self._said, options=replace(self._said.options, is_y_up=is_y_up))

    def _chosen_scene(self) -> JsonItem | None:
        """The scene that this program wrote, else the default one, else the first."""
        document = self._document
        count = document.count("scenes")
        index = document.root.index_of("scene", count) or 0
        own = [
            item.index
            for item in document.root.items("scenes")
            if "version" in extras.ExtrasReader.of(item).values
        ]
        if not own and sum(bool(item.entries("nodes")) for item in document.root.items("scenes")) > 1:
            document.losses.add("only one scene of {count} is read", count=count)
        # Another program may have made a scene of its own the default one.
        if own and index not in own:
            index = own[0]
        return document.item("scenes", index) if count else None

    def scene(self) -> Scene:
        """The whole file as a scene."""
        document, said, axes = self._document, self._said, self._said.axes
        parents = nodes.parents_of(document)
        kept = nodes.nodes_of_scene(document, parents, self._chosen)
        if len(kept) > NONE:
            message = _("{count} nodes, at most {limit}", count=len(kept), limit=NONE)
            raise FormatError(message, table="nodes")
        placed = nodes.placed(axes, document.items("nodes"), parents)
        tree = NodeReader(document, said, placed, kept)
        images = FileImages(document)
        found = MaterialReader(document, images, self._lightmaps).read()
        moving = Movements(document, axes, placed, tree.kept, said.frame_count or 0)
        painted = tuple(it.material for it in found)
        notes: tuple[str, ...] = ()
        # Files of other programs say no version, and their colors are what they are.
        if (said.own.whole("version") or extras.VERSION) < extras.VERSION:
            painted, notes = with_floor(painted)
        motion, clips = self._motion(moving, tree)
        worlds = Worlds(placed)
        meshes = Meshes(document, said, found)
        parts = ShownMeshes(document, meshes, Skins(document, axes, worlds.full))
        return Scene(
            name=said.own.text("name") or ("" if self._chosen is None else self._chosen.name),
            nodes=tree.nodes(parts, worlds, motion.tracks),
            meshes=tuple(parts.found),
            materials=painted,
            images=tuple(images.found),
            clips=clips,
            frame_count=max(said.frame_count or 1, motion.frame_count),
            views=tree.views(),
            fields=record_fields.fields_of(HEADER, said.own.part("fields")),
            origin=said.origin,
            options=tree.options,
            tables=record_fields.tables_of(said.own),
            attributes=record_fields.attributes_of(said.own),
            losses=document.losses.sentences,
            notes=notes,
            program=document.program,
        )

    def _motion(self, moving: Movements, tree: NodeReader) -> tuple[Motion, tuple[SceneClip, ...]]:
        """The movement of the nodes, and the clips: parts of it, or with movements of their own."""
        options = self._said.options
        index = {node: at for at, node in enumerate(tree.kept)}
        clips = extras.clips_of(self._said.own)
        names = [item.name for item in self._document.root.items("animations")]
        # A model without clips, or a file whose animations are other ones, has all in one.
        is_divided = any(is_same_name(name, clip.name, "clip") for clip in clips for name in names)
        is_divided &= options.clips is Clips.CLIPS
        strip = None if is_divided else moving.only(STRIP, options.fps)
        if strip is None and not self._said.own:
            motion = moving.strip(options.fps)
            return motion, tuple(replace(it, tracks=_at(it.tracks, index)) for it in motion.clips)
        if strip is None and not is_divided:
            return moving.together(options.fps), clips
        divided = {name: _at(tracks, index) for name, tracks in moving.divided().items()}
        if strip is not None:
            del divided[STRIP]
            return strip, (*clips, *_new_clips(divided))
        return Motion(), tuple(_with_tracks(clip, divided) for clip in clips) + _new_clips(divided)


def _at(tracks: Mapping[int, Track], index: Mapping[int, int]) -> dict[int, Track]:
    """Tracks by the index of their nodes in the scene."""
    return {index[node]: track for node, track in tracks.items() if node in index}


def _with_tracks(clip: SceneClip, divided: dict[str, dict[int, Track]]) -> SceneClip:
    """A clip with the tracks of the first animation of its name, which is then taken."""
    name = next((name for name in divided if is_same_name(name, clip.name, "clip")), None)
    return clip if name is None else replace(clip, tracks=divided.pop(name), is_apart=True)


def _new_clips(divided: dict[str, dict[int, Track]]) -> tuple[SceneClip, ...]:
    """Clips of animations that the model does not have."""
    return tuple(
        SceneClip(name, 0, 0, max(float(it.times[-1]) for it in tracks.values()), tracks, is_apart=True)
        for name, tracks in divided.items()
        if tracks
    )
