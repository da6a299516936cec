"""Writing a scene as glTF 2.0: one binary file, one text file that holds all, or a text file with others.

The same scene gives the same bytes. The files are valid for Khronos' validator whatever the model is.
"""

from __future__ import annotations

import json
import re
import struct
from base64 import b64encode
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from viewer.model.convert import images
from viewer.model.convert.gltf import extras
from viewer.model.convert.gltf.arrays import Binary
from viewer.model.convert.gltf.conventions import Axes
from viewer.model.convert.gltf.objects import MaterialObjects, MeshObjects, NodeObjects, animations
from viewer.model.convert.labels import UniqueNames, numbered
from viewer.model.convert.scene import Scene

GENERATOR: Final = "mshview"
PNG: Final = "image/png"


@dataclass(frozen=True, slots=True)
class Content:
    """A file before it is known where its bytes lie.

    Attributes
    ----------
    json
        All of it but the images, the views and the buffers.
    buffers
        Its arrays.
    pictures
        Names and PNG files of its images.
    """

    json: dict[str, Any]
    buffers: Binary
    pictures: tuple[tuple[str, bytes], ...]


def glb_of(scene: Scene) -> bytes:
    """The binary file of a scene, in which everything is."""
    content = _content(scene)
    blobs = [content.buffers.add_blob(data) for _, data in content.pictures]
    views, data = content.buffers.finish()
    images = [
        {"name": name, "mimeType": PNG, "bufferView": content.buffers.view_of(blob)}
        for (name, _), blob in zip(content.pictures, blobs, strict=True)
    ]
    buffers = [{"byteLength": len(data)}] if data else []
    text = _text(_whole(content, images, views, buffers), indent=None)
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if data:
        chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def gltf_of(scene: Scene) -> bytes:
    """The text file of a scene that holds everything, in data URIs."""
    content = _content(scene)
    views, data = content.buffers.finish()
    images = [
        {"name": name, "uri": f"data:{PNG};base64,{b64encode(picture).decode()}"}
        for name, picture in content.pictures
    ]
    uri = f"data:application/octet-stream;base64,{b64encode(data).decode()}"
    buffers = [{"byteLength": len(data), "uri": uri}] if data else []
    return _text(_whole(content, images, views, buffers), indent=1)


def files_of(scene: Scene, stem: str) -> dict[str, bytes]:
    """The text file of a scene and those that it names, by file name; the text file is the last one.

    Parameters
    ----------
    stem
        Name of the text file without its suffix.
    """
    content = _content(scene)
    views, data = content.buffers.finish()
    names = UniqueNames()
    pictures = [
        (name, names.add(re.sub(r"[^\w.-]", "_", name).casefold(), "picture"), picture)
        for name, picture in content.pictures
    ]
    files = {f"{stem}.{name}.png": picture for _, name, picture in pictures}
    images = [{"name": name, "uri": quote(f"{stem}.{file}.png")} for name, file, _ in pictures]
    buffers = []
    if data:
        files[f"{stem}.bin"] = data
        buffers = [{"byteLength": len(data), "uri": quote(f"{stem}.bin")}]
    return files | {f"{stem}.gltf": _text(_whole(content, images, views, buffers), indent=1)}


def _content(scene: Scene) -> Content:
    buffers = Binary()
    surfaces = MaterialObjects(scene.materials, scene.pictures)
    shapes = MeshObjects(scene.meshes, buffers, Axes(scene.options.is_y_up))
    tree = NodeObjects(scene, shapes.index)
    moving, added = animations(scene, tree.targets, buffers)
    tree.note_added_keys(added)
    primitives = [it for mesh in shapes.meshes for it in mesh["primitives"]]
    extras.as_texts([*tree.scenes, *tree.nodes, *shapes.meshes, *primitives, *surfaces.materials])
    found = {
        "asset": {"version": "2.0", "generator": GENERATOR},
        "extensionsUsed": sorted(surfaces.extensions),
        "scene": 0,
        "scenes": tree.scenes,
        "nodes": tree.nodes,
        "meshes": shapes.meshes,
        "materials": surfaces.materials,
        "textures": surfaces.textures,
        "samplers": surfaces.samplers,
        "animations": moving,
        "accessors": buffers.accessors,
    }
    names = UniqueNames()
    pictures = [
        (names.add(it.name, numbered("picture", number)), images.write_png(it.pixels))
        for number, it in enumerate(surfaces.pictures)
    ]
    return Content(found, buffers, tuple(pictures))


def _whole(
    content: Content, images: list[dict[str, Any]], views: list[dict[str, Any]], buffers: list[dict[str, Any]]
) -> dict[str, Any]:
    """The whole text of a file, without empty lists, which the format does not have."""
    found = content.json | {"images": images, "bufferViews": views, "buffers": buffers}
    return {name: value for name, value in found.items() if value != []}


def _text(document: dict[str, Any], *, indent: int | None) -> bytes:
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    return text.encode()
