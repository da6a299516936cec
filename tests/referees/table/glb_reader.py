"""An own reader of GLB files: JSON and buffers, with numpy alone."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any, Final

import numpy as np

from tests.referees.table.shapes import TO_GAME, Numbers, Part, Reading, joined

TYPES: Final = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS: Final = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
FPS: Final = 15


class GlbReader:
    """A file and its buffer.

    Parameters
    ----------
    path
        The file.
    z_up
        Whether its axes are the game's, as Blender writes it with "+Y Up" off.
    """

    def __init__(self, path: Path, *, z_up: bool = False) -> None:
        data = path.read_bytes()
        (size,) = struct.unpack_from("<I", data, 12)
        self._json: dict[str, Any] = json.loads(data[20 : 20 + size])
        self._buffer = data[20 + size + 8 :]
        self._turn = np.eye(4) if z_up else TO_GAME

    def read(self, frames: int | None = None, animation: int = 0) -> Reading:
        """The default scene at whole frames: as many as are asked for, or as the animation has."""
        nodes = self._json["nodes"]
        count = self.frames(animation) if frames is None else frames
        poses = self._poses(np.arange(count) / FPS, animation)
        parents = {child: number for number, it in enumerate(nodes) for child in it.get("children", ())}
        seen, left = [], list(self._json["scenes"][self._json.get("scene", 0)]["nodes"])
        while left:
            seen.append(left.pop())
            left += nodes[seen[-1]].get("children", ())
        names = {it: nodes[it]["name"] for it in seen}
        back = np.linalg.inv(self._turn)
        return Reading(
            {names[it]: names[parents[it]] if it in parents else "" for it in seen},
            {names[it]: self._turn @ poses[it] @ back for it in seen},
            {names[it]: self._part(nodes[it]["mesh"]) for it in seen if "mesh" in nodes[it]},
            {it["name"]: self._material(it) for it in self._json.get("materials", ())},
        )

    @property
    def animations(self) -> list[str]:
        """The names of the animations; those that move different nodes are one."""
        names = [it.get("name", "") for it in self._json.get("animations", ())]
        return names[:1] if self._is_one else names

    @property
    def _is_one(self) -> bool:
        """Whether no node is moved by two animations: Blender saves one movement object by object."""
        moved = [
            {channel["target"]["node"] for channel in it["channels"]}
            for it in self._json.get("animations", ())
        ]
        return sum(map(len, moved)) == len(set().union(*moved))

    def frames(self, animation: int) -> int:
        """How many whole frames an animation has."""
        if animation >= len(self.animations):
            return 1
        samplers = self._json["animations"][animation]["samplers"]
        last = max(float(self._accessor(it["input"])[-1]) for it in samplers)
        return round(last * FPS) + 1

    def _accessor(self, number: int) -> Numbers:
        """An accessor as numbers, normalized if it says so."""
        it = self._json["accessors"][number]
        width, kind = WIDTHS[it["type"]], np.dtype(TYPES[it["componentType"]])
        view = self._json["bufferViews"][it["bufferView"]]
        start = view.get("byteOffset", 0) + it.get("byteOffset", 0)
        stride = view.get("byteStride", width * kind.itemsize)
        rows = np.ndarray((it["count"], width), kind, self._buffer, start, (stride, kind.itemsize))
        found = rows.astype(np.float64)
        if it.get("normalized"):
            found = np.maximum(found / np.iinfo(kind).max, -1)
        return found[:, 0] if width == 1 else found

    def _part(self, mesh: int) -> Part:
        return joined([self._triangles(it) for it in self._json["meshes"][mesh]["primitives"]])

    def _triangles(self, primitive: dict[str, Any]) -> Part:
        known = primitive["attributes"]
        points = self._accessor(known["POSITION"]) @ self._turn[:3, :3].T
        corners = (
            self._accessor(primitive["indices"]).astype(np.int64)
            if "indices" in primitive
            else np.arange(len(points))
        ).reshape(-1, 3)
        normals = self._accessor(known["NORMAL"]) @ self._turn[:3, :3].T
        uvs = self._accessor(known["TEXCOORD_0"]) if "TEXCOORD_0" in known else np.zeros((len(points), 2))
        name = self._json["materials"][primitive["material"]]["name"] if "material" in primitive else ""
        return Part(points[corners], normals[corners], uvs[corners], (name,) * len(corners))

    def _material(self, it: dict[str, Any]) -> dict[str, Any]:
        surface = it.get("pbrMetallicRoughness", {})
        color = surface.get("baseColorFactor", [1.0, 1.0, 1.0, 1.0])
        texture = surface.get("baseColorTexture")
        image = None
        if texture is not None:
            image = self._json["images"][self._json["textures"][texture["index"]]["source"]].get("name")
        return {
            "color": [_display(value) for value in color[:3]],
            "alpha": color[3],
            "image": image,
            "see_through": it.get("alphaMode", "OPAQUE") == "BLEND",
            "unlit": "KHR_materials_unlit" in it.get("extensions", {}),
        }

    def _poses(self, times: Numbers, animation: int) -> list[Numbers]:
        """The local matrix of each node at times in seconds."""
        paths: dict[tuple[int, str], Numbers] = {}
        items = self._json.get("animations", ())
        for item in items if self._is_one else items[animation : animation + 1]:
            for channel in item["channels"]:
                target, sampler = channel["target"], item["samplers"][channel["sampler"]]
                paths[target["node"], target["path"]] = self._sampled(sampler, times, target["path"])
        found = []
        for number, node in enumerate(self._json["nodes"]):
            still = {
                "translation": node.get("translation", [0, 0, 0]),
                "rotation": node.get("rotation", [0, 0, 0, 1]),
                "scale": node.get("scale", [1, 1, 1]),
            }
            values = [
                paths.get((number, path), np.tile(np.array(value, np.float64), (len(times), 1)))
                for path, value in still.items()
            ]
            found.append(_matrices(*values))
        return found

    def _sampled(self, sampler: dict[str, Any], at: Numbers, path: str) -> Numbers:
        times, values = self._accessor(sampler["input"]), self._accessor(sampler["output"])
        kind = sampler.get("interpolation", "LINEAR")
        at = np.clip(at, times[0], times[-1])
        # a time that rounds to a key is that key: frames are no exact seconds
        before = np.clip(np.searchsorted(times, at + 1e-5, side="right") - 1, 0, len(times) - 1)
        after = np.minimum(before + 1, len(times) - 1)
        span = np.where(after > before, times[after] - times[before], 1.0)
        part = np.clip((at - times[before]) / span, 0, 1)[:, None]
        if kind == "STEP":
            found = values[before]
        elif kind == "CUBICSPLINE":
            cubic = values.reshape(len(times), 3, -1)
            square, cube = part**2, part**3
            found = (
                (2 * cube - 3 * square + 1) * cubic[before, 1]
                + span[:, None] * (cube - 2 * square + part) * cubic[before, 2]
                + (3 * square - 2 * cube) * cubic[after, 1]
                + span[:, None] * (cube - square) * cubic[after, 0]
            )
        elif path == "rotation":
            found = _slerp(values[before], values[after], part)
        else:
            found = values[before] * (1 - part) + values[after] * part
        if path == "rotation":
            found = found / np.linalg.norm(found, axis=1, keepdims=True)
        return found


def _slerp(first: Numbers, second: Numbers, part: Numbers) -> Numbers:
    dot = np.sum(first * second, axis=1, keepdims=True)
    second = np.where(dot < 0, -second, second)
    angle = np.arccos(np.clip(np.abs(dot), 0, 1))
    safe = np.where(angle < 1e-6, 1.0, np.sin(angle))
    near = angle < 1e-6
    left = np.where(near, 1 - part, np.sin((1 - part) * angle) / safe)
    right = np.where(near, part, np.sin(part * angle) / safe)
    result: Numbers = left * first + right * second
    return result


def _matrices(translations: Numbers, rotations: Numbers, scales: Numbers) -> Numbers:
    x, y, z, w = rotations.T
    found = np.tile(np.eye(4), (len(translations), 1, 1))
    found[:, 0, 0], found[:, 0, 1], found[:, 0, 2] = (
        1 - 2 * (y * y + z * z),
        2 * (x * y - w * z),
        2 * (x * z + w * y),
    )
    found[:, 1, 0], found[:, 1, 1], found[:, 1, 2] = (
        2 * (x * y + w * z),
        1 - 2 * (x * x + z * z),
        2 * (y * z - w * x),
    )
    found[:, 2, 0], found[:, 2, 1], found[:, 2, 2] = (
        2 * (x * z - w * y),
        2 * (y * z + w * x),
        1 - 2 * (x * x + y * y),
    )
    found[:, :3, :3] *= scales[:, None, :]
    found[:, :3, 3] = translations
    return found


def _display(value: float) -> float:
    """An sRGB value from a linear one."""
    return 12.92 * value if value <= 0.0031308 else 1.055 * float(value) ** (1 / 2.4) - 0.055
