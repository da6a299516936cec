"""Damaged glTF files: a scene that can be written as a model, or one error that names a place."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final, TypeVar

import numpy as np

from tests.fuzz.seeds import Seed
from tests.model.convert.gltf.making import CORNERS, File, glb
from tests.model.convert.gltf.test_materials import picture
from tests.model.convert.gltf.test_own_files import crane
from viewer.errors import FormatError
from viewer.model.convert.building.tables import tables_of
from viewer.model.convert.gltf.document import NO_GLTF
from viewer.model.convert.gltf.read import read
from viewer.model.convert.gltf.write import glb_of

Value = TypeVar("Value")

ODD: Final[tuple[Any, ...]] = (
    -1, 0, 1, 2, 3, 255, 2**31 - 1, 2**32, 2**53, 2**63, 10**400, 1e308, -0.5, 1e-320, None, "", "x", "../x",
    [], {}, True, [0, 0, 0], [1e38] * 3, [0] * 16, ["a"], [None], {"a": 1}, 5121, 5123, 5125, 5126, "MAT4",
    "VEC3", "SCALAR", "STEP", "CUBICSPLINE", "rotation", "scale", "weights", "data:,", "data:;base64,AAAA",
    "\ud800",
)  # fmt: skip
"""Values that take the place of others."""
LARGEST: Final = 1 << 20
"""Bytes of JSON from which on nothing is added."""


def foreign() -> File:
    """A file with everything that is read."""
    file = File(extensionsUsed=["KHR_materials_unlit", "KHR_texture_transform"])
    file.add("images", bufferView=file.view(picture()), mimeType="image/png")
    file.add("textures", source=0)
    moved = {
        "index": 0,
        "extensions": {"KHR_texture_transform": {"offset": [0.5, 0], "rotation": 1, "scale": [2, 3]}},
    }
    file.add("materials", name="a", pbrMetallicRoughness={"baseColorTexture": moved}, alphaMode="MASK")
    file.add("materials", emissiveFactor=[1, 0, 0], extensions={"KHR_materials_unlit": {}})
    uvs = {
        "TEXCOORD_0": file.array(CORNERS[:, :2] * 65535, "<u2", normalized=True),
        "COLOR_0": file.array(CORNERS),
    }
    bones = {
        "JOINTS_0": file.array([[0, 1, 0, 0]] * 4, "|u1"),
        "WEIGHTS_0": file.array([[0.5, 0.5, 0, 0]] * 4),
    }
    normals = {"NORMAL": file.array((CORNERS * 127).astype("i1"), "|i1", normalized=True)}
    sparse = {
        "count": 1,
        "indices": {"bufferView": file.view(b"\2"), "componentType": 5121},
        "values": {"bufferView": file.view(np.ones(3, "<f4").tobytes())},
    }
    point = file.add("accessors", componentType=5126, type="VEC3", count=4, sparse=sparse)
    file.mesh(
        file.triangle(uvs | normals, material=0), file.triangle(mode=5), file.triangle(mode=6, material=1)
    )
    file.mesh(file.triangle(bones), {"attributes": {"POSITION": point}, "mode": 5})
    inverse = file.array(np.tile(np.eye(4), (2, 1, 1)))
    file.add("skins", joints=[1, 2], inverseBindMatrices=inverse)
    file.node(name="root", mesh=0, children=[1, 3], scale=[2, -1, 3])
    file.node(name="bone", children=[2], rotation=[0, 0.6, 0, 0.8])
    file.node(name="tip", mesh=0, matrix=[1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1])
    file.node(name="skin", mesh=1, skin=0)
    file.node(camera=0)
    file.add("cameras", type="perspective")
    file.add("scenes", nodes=[0, 4])
    file.json["scene"] = 0
    turns = [[0, 0, 0, 1], [0, 1, 0, 0]]
    file.animation(1, "rotation", [0, 1], turns)
    file.animation(2, "rotation", [0, 0.5], [turns[0]] * 6, "CUBICSPLINE")
    file.animation(2, "translation", [0, 0.3, 1.1], CORNERS[:3], "STEP")
    return file


@cache
def seeds() -> tuple[tuple[str, bytes], ...]:
    """The JSON and the bytes of sound files."""
    files = foreign().glb(), glb_of(crane())
    return tuple(_parts(data) for data in files)


def _parts(data: bytes) -> tuple[str, bytes]:
    size = struct.unpack_from("<I", data, 12)[0]
    return data[20 : 20 + size].decode(), data[28 + size :]


def mutant(number: int) -> bytes:
    """A damaged file: other values in its JSON, other bytes, an end that is missing."""
    random = Random(number)
    text, data = random.choice(seeds())
    root = json.loads(text)
    for _ in range(random.randint(0, 4)):
        damage(root, random)
    raw = bytearray(glb(root, data))
    if random.random() < 0.3:
        for _ in range(random.randint(1, 8)):
            raw[random.randrange(len(raw))] = random.randrange(256)
    return bytes(raw[: random.randrange(len(raw))] if random.random() < 0.05 else raw)


def damage(root: Any, random: Random) -> None:
    """Change one value somewhere inside."""
    places = [(owner, key) for owner in _objects(root) for key in _keys(owner)]
    owner, key = random.choice(places)
    other, other_key = random.choice(places)
    match random.randrange(4):
        case 0:
            owner[key] = json.loads(json.dumps(other[other_key]))
        case 1 if isinstance(owner, list) and len(json.dumps(owner)) < LARGEST:
            owner.append(json.loads(json.dumps(owner[key])))
        case 2 if isinstance(owner, dict):
            del owner[key]
        case _:
            owner[key] = random.choice(ODD)


def _objects(value: Any) -> list[Any]:
    """All lists and objects inside, with the value itself."""
    found = [value]
    for owner in found:
        found.extend(owner[key] for key in _keys(owner) if isinstance(owner[key], dict | list))
    return found


def _keys(owner: Any) -> list[Any]:
    return [*owner] if isinstance(owner, dict) else [*range(len(owner))]


def gltf(_: Seed, number: int, __: Path) -> None:
    """Read a damaged file, and write what it holds as a model."""
    scene = tried(lambda: read(mutant(number)))
    if scene is None:
        return
    assert all(str(loss) for loss in scene.losses)
    model = tried(lambda: tables_of(scene).model())
    assert model is None or model.node_count == len(scene.nodes)


def tried(make: Callable[[], Value]) -> Value | None:
    """What is made; None if that is an error that names a place, or says that the file is something else."""
    try:
        return make()
    except FormatError as error:
        if not error.where and error.message != NO_GLTF:
            raise
        return None
