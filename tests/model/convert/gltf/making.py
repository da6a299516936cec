"""Small glTF files, made piece by piece as any other program may make them."""

from __future__ import annotations

import json
import struct
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from viewer.model.convert.gltf.read import read
from viewer.model.convert.scene import Primitive, Scene
from viewer.model.convert.scene_file import nothing

COMPONENTS: Final = {"|i1": 5120, "|u1": 5121, "<i2": 5122, "<u2": 5123, "<u4": 5125, "<f4": 5126}
TYPES: Final = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
CORNERS: Final = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")
"""Of a triangle in the plane of x and y of the file, and a point above it."""


class File:
    """A file that grows; its JSON may be changed in any way."""

    def __init__(self, **root: Any) -> None:
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}, **root}
        self.bytes = bytearray()

    def add(self, kind: str, **item: Any) -> int:
        """Add an object to a list."""
        self.json.setdefault(kind, []).append(item)
        return len(self.json[kind]) - 1

    def view(self, data: bytes, **item: Any) -> int:
        """Add bytes."""
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        self.bytes += data
        start = len(self.bytes) - len(data)
        return self.add("bufferViews", buffer=0, byteOffset=start, byteLength=len(data), **item)

    def array(self, values: Any, dtype: str = "<f4", **item: Any) -> int:
        """Add an accessor."""
        array = np.atleast_1d(np.array(values, dtype))
        width = 1 if array.ndim == 1 else int(np.prod(array.shape[1:]))
        return self.add(
            "accessors",
            bufferView=self.view(array.tobytes()),
            componentType=COMPONENTS[array.dtype.str],
            count=len(array),
            type=TYPES[width],
            **item,
        )

    def triangle(self, attributes: Mapping[str, int] = {}, **item: Any) -> dict[str, Any]:
        """A primitive of one triangle with its four corners."""
        found = {"POSITION": self.array(CORNERS), **attributes}
        return {"attributes": found, "indices": self.array([0, 1, 2], "<u2"), **item}

    def mesh(self, *primitives: dict[str, Any], **item: Any) -> int:
        """Add a mesh; of a triangle without primitives."""
        return self.add("meshes", primitives=[*(primitives or [self.triangle()])], **item)

    def node(self, **item: Any) -> int:
        """Add a node."""
        return self.add("nodes", **item)

    def animation(self, node: int, path: str, times: Any, values: Any, mode: str = "LINEAR") -> int:
        """Add an animation of one channel."""
        sampler = {"input": self.array(times), "output": self.array(values), "interpolation": mode}
        channel = {"sampler": 0, "target": {"node": node, "path": path}}
        return self.add("animations", samplers=[sampler], channels=[channel])

    def glb(self) -> bytes:
        """The binary file."""
        if self.bytes:
            self.json["buffers"] = [{"byteLength": len(self.bytes)}]
        return glb(self.json, bytes(self.bytes))

    def text(self, uri: str | None = None) -> bytes:
        """The text file; its bytes are in it, or in a file."""
        uri = uri or f"data:application/octet-stream;base64,{b64encode(self.bytes).decode()}"
        self.json["buffers"] = [{"byteLength": len(self.bytes), "uri": uri}]
        return json.dumps(self.json).encode()

    def scene(self) -> Scene:
        """What is read."""
        return read(self.glb(), nothing)

    def primitive(self) -> Primitive:
        """The first primitive that is read."""
        return self.scene().meshes[0].primitives[0]


def glb(root: Any, data: bytes) -> bytes:
    """A binary file of JSON and bytes."""
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if data:
        data += b"\0" * (-len(data) % 4)
        chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def one_triangle(**primitive: Any) -> File:
    """A file with a node that shows a triangle."""
    file = File()
    file.node(name="part", mesh=file.mesh(file.triangle(**primitive)))
    return file
