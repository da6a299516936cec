"""Scenes as glTF files: valid whatever the model is, and the same bytes for the same scene."""

from __future__ import annotations

import json
import struct
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box, quad
from tests.corpora import SAMPLES
from tests.share import some
from viewer.errors import MshviewError
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.gltf.extras import plain
from viewer.model.convert.gltf.meshes import filled
from viewer.model.convert.gltf.write import files_of, glb_of, gltf_of
from viewer.model.convert.labels import UniqueNames
from viewer.model.convert.options import Options
from viewer.model.convert.scene import AlphaMode, Mesh, Primitive, Scene, SceneMaterial
from viewer.model.convert.scene import Node as SceneNode
from viewer.model.convert.scene_images import SceneImage
from viewer.model.convert.source import ModelSource
from viewer.model.mesh import draw_builder, reading
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.store.item import container_of

DTYPES = {5126: "<f4", 5125: "<u4", 5123: "<u2"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


def source_of(model: Model, name: str = "test.msh") -> ModelSource:
    return ModelSource(name, model, reading.choose(model, Skeleton(model), draw_builder.build(model)))


def parts_of(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The JSON and the bytes of a GLB file."""
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length, length % 4) == (b"glTF", 2, len(data), 0)
    (size,) = struct.unpack_from("<I", data, 12)
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def array(document: dict[str, Any], binary: bytes, accessor: int) -> npt.NDArray[Any]:
    """The elements of an accessor, which lie inside its view."""
    it = document["accessors"][accessor]
    view, dtype, width = (
        document["bufferViews"][it["bufferView"]],
        DTYPES[it["componentType"]],
        WIDTHS[it["type"]],
    )
    start = view["byteOffset"] + it["byteOffset"]
    size = it["count"] * width * np.dtype(dtype).itemsize
    assert it["byteOffset"] + size <= view["byteLength"]
    assert it["count"] > 0
    found = np.frombuffer(binary, dtype, it["count"] * width, start).reshape(-1, width)
    assert np.isfinite(found).all()
    if "min" in it:
        assert np.array_equal(found.min(axis=0), np.float32(it["min"]))
        assert np.array_equal(found.max(axis=0), np.float32(it["max"]))
    return found


def check(data: bytes) -> None:
    """Check what Khronos' validator would call an error or a warning, as far as our files can be wrong."""
    document, binary = parts_of(data)
    names = [node["name"] for node in document.get("nodes", [])]
    assert len({*names}) == len(names)
    assert all(0 < len(name.encode()) <= 63 for name in names)
    for node in document.get("nodes", []):
        assert np.linalg.norm(node.get("rotation", [0, 0, 0, 1])) == pytest.approx(1, abs=1e-5)
    for mesh in document.get("meshes", []):
        for primitive in mesh["primitives"]:
            _check_primitive(document, binary, primitive)
    for animation in document.get("animations", []):
        for sampler in animation["samplers"]:
            times, values = (array(document, binary, sampler[name]) for name in ("input", "output"))
            assert len(times) == len(values)
            assert times[0] >= 0
            assert (np.diff(times[:, 0]) > 0).all()
            if values.shape[1] == 4:
                np.testing.assert_allclose(np.linalg.norm(values, axis=1), 1, atol=1e-5)
    _check_extras(document)


def _check_primitive(document: dict[str, Any], binary: bytes, primitive: dict[str, Any]) -> None:
    streams = {name: array(document, binary, it) for name, it in primitive["attributes"].items()}
    assert len({len(values) for values in streams.values()}) == 1
    indices = array(document, binary, primitive["indices"])
    assert indices.max() < len(streams["POSITION"])
    assert indices.max() < np.iinfo(indices.dtype).max
    if "NORMAL" in streams:
        np.testing.assert_allclose(np.linalg.norm(streams["NORMAL"], axis=1), 1, atol=1e-5)


def _check_extras(value: Any) -> None:
    """Check that programs keep all extras: they are texts without null, mixed lists and large integers."""
    match value:
        case {"extras": {"mshview": text, **others}}:
            assert isinstance(text, str), "assimp 5.2 aborts on anything else"
            assert not others
            _check_extras(json.loads(text))
            _check_extras({name: it for name, it in value.items() if name != "extras"})
        case dict():
            assert "extras" not in value
            for item in value.values():
                _check_extras(item)
        case list():
            kinds = {type(item) for item in value}
            assert len(kinds) < 2 or kinds == {int, float}, value
            for item in value:
                _check_extras(item)
        case int():
            assert abs(value) < 2**31
        case _:
            assert value is not None


def models(folder: Path) -> Iterator[tuple[str, Model]]:
    """The models of a folder, loose or in archives."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in {".msh", ".rlb", ".lib"}:
            for payload in payloads_of(path.read_bytes()):
                with suppress(MshviewError):
                    yield path.name, Model.read(payload)


def payloads_of(data: bytes) -> list[bytes]:
    """A file, and its entries if it is an archive."""
    try:
        container = container_of(memoryview(data))
        entries = container.entries if container else ()
        return [data, *(bytes(container.payload(it.index)) for it in entries if container)]
    except MshviewError:
        return [data]


def test_every_model_gives_a_valid_file(files: Path) -> None:
    for folder in ["seed/direct", "field/odd", "field/direct", "damaged"] if files == SAMPLES else [""]:
        count = 0
        for name, model in some(models(files / folder), files):
            if model.node_count < 1000:
                check(glb_of(scene_of(source_of(model, name), Options(has_all_cells=True, rest=1.5))))
                count += 1
        assert count


def test_a_broken_model_gives_a_valid_file() -> None:
    keys = [Key(0), Key(1), Key(5, (1, 2, 3))]
    builder = ModelBuilder.of([Node("a", shapes={(0, 0): [box(), quad()]}, keys=keys), Node("b", parent=0)])
    builder.positions[:3] = [[np.nan], [np.inf], [3e38]]
    builder.normals[:] = 0
    builder.keys["position"][1:] = np.inf
    builder.keys["quaternion"][:2] = 0
    builder.keys["time"][:3] = np.nan, 5, 5
    builder.batches["index_count"][1] = 0
    builder.nodes["parent"][1] = 1
    check(glb_of(scene_of(source_of(builder.model()))))
    check(glb_of(Scene("nothing")))


def triangle(count: int = 3) -> Primitive:
    """A triangle with as many vertices as asked for."""
    return Primitive(np.eye(count, 3, dtype=np.float32), np.array([[0, 1, count - 1]]), material=0)


def scene(**fields: Any) -> Scene:
    """A scene with one node that shows a triangle."""
    usual: dict[str, Any] = {
        "nodes": (SceneNode("a", cells={(0, 0): 0}),),
        "meshes": (Mesh("m", (triangle(),)),),
        "materials": (SceneMaterial("paint"),),
    }
    return Scene("test", **(usual | fields))


def test_large_batches_have_wide_indices() -> None:
    for count, component in ((0xFFFF, 5123), (0x10000, 5125)):
        data = glb_of(scene(meshes=(Mesh("m", (triangle(count),)),)))
        check(data)
        document = parts_of(data)[0]
        indices = document["meshes"][0]["primitives"][0]["indices"]
        assert document["accessors"][indices]["componentType"] == component


def test_y_is_up_unless_z_is() -> None:
    node = SceneNode("a", cells={(0, 0): 0}, position=(1, 2, 3), rotation=(0.5, 0.5, -0.5, 0.5))
    for is_y_up, position, rotation in (
        (True, [1, 3, -2], [0.5, 0.5, 0.5, 0.5]),
        (False, [1, 2, 3], [0.5, -0.5, 0.5, 0.5]),
    ):
        document = parts_of(glb_of(scene(nodes=(node,), options=Options(is_y_up=is_y_up))))[0]
        assert document["nodes"][0]["translation"] == position
        assert document["nodes"][0]["rotation"] == rotation


def material(**fields: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A material in the file, and the file."""
    pictures = (SceneImage("HULL.0", np.full((2, 2, 4), 200, np.uint8)),)
    document = parts_of(glb_of(scene(materials=(SceneMaterial("paint", **fields),), images=pictures)))[0]
    return document["materials"][0], document


def test_materials_look_like_the_game() -> None:
    lit, _ = material(color=(0.5, 1, 0, 1), emissive=(0, 0, 0.5), image=0, is_two_sided=True)
    base = lit["pbrMetallicRoughness"]
    assert base["baseColorFactor"] == [pytest.approx(0.214041, abs=1e-5), 1, 0, 1]
    assert (lit["emissiveTexture"], base["metallicFactor"], lit["doubleSided"]) == ({"index": 0}, 0, True)
    cutout, _ = material(alpha=AlphaMode.CUTOUT, image=0)
    assert (cutout["alphaMode"], cutout["alphaCutoff"]) == ("MASK", pytest.approx(1 / 255))
    glowing, document = material(is_unlit=True, image=0, sub_image=(0.5, 0, 0.25, 1))
    moved = {"offset": [0.5, 0], "scale": [0.25, 1]}
    texture = glowing["pbrMetallicRoughness"]["baseColorTexture"]
    assert texture["extensions"]["KHR_texture_transform"] == moved
    assert document["extensionsUsed"] == ["KHR_materials_unlit", "KHR_texture_transform"]
    lightmapped, document = material(image=0, lightmap=0)
    assert lightmapped["occlusionTexture"] == {"index": 1, "texCoord": 1}
    assert [sampler["wrapS"] for sampler in document["samplers"]] == [10497, 33071]


def test_the_same_scene_gives_the_same_bytes() -> None:
    nodes = [Node("a", shapes={(0, 0): [box()], (0, 1): [quad()]}, keys=[Key(0), Key(3, (1, 0, 0))])]
    source = source_of(ModelBuilder.of(nodes).model())
    first, second = (scene_of(source, Options(has_all_cells=True)) for _ in range(2))
    assert glb_of(first) == glb_of(second)
    assert files_of(first, "a") == files_of(second, "a")


def test_text_files_hold_or_name_the_same_bytes() -> None:
    found = scene(
        images=(
            SceneImage("A/Ж", np.zeros((1, 1, 4), np.uint8)),
            SceneImage("a/ж", np.zeros((1, 1, 4), np.uint8)),
        )
    )
    _, binary = parts_of(glb_of(found))
    alone = json.loads(gltf_of(found))
    assert (
        b64decode(alone["buffers"][0]["uri"].partition(",")[2]) == binary[: alone["buffers"][0]["byteLength"]]
    )
    files = files_of(found, "x y")
    assert [*files][-1] == "x y.gltf"
    assert len({name.casefold() for name in files}) == 4
    assert json.loads(files["x y.gltf"])["buffers"][0]["uri"] == "x%20y.bin"


def test_all_cells_share_their_meshes() -> None:
    nodes = [Node("a", shapes={(0, 0): [box()], (1, 0): [quad()]}), Node("b", shapes={(0, 0): [box()]})]
    data = glb_of(scene_of(source_of(ModelBuilder.of(nodes).model()), Options(has_all_cells=True)))
    document = parts_of(data)[0]
    assert [node.get("mesh") for node in document["nodes"]] == [0, 2, 1, 2]
    assert [item["nodes"] for item in document["scenes"]] == [[0, 1], [2, 3]]
    copy = json.loads(document["nodes"][2]["extras"]["mshview"])
    assert (copy["number"], copy["cell"], copy["copy"]) == (0, [1, 0], [1, 0])


def test_names_are_unique_and_short() -> None:
    names = UniqueNames()
    long = "ы" * 40
    found = [names.add(name, "node 7") for name in ("a", "a", "a", "", long, long, "b\n")]
    assert found == ["a", "a~2", "a~3", "node 7", "ы" * 31, "ы" * 30 + "~2", "b?"]


def test_fields_are_values_that_blender_keeps() -> None:
    assert plain([[1, 2], [3, 4]]) == [1, 2, 3, 4]
    assert plain([1, 2**32 - 1]) == ["0x00000001", "0xffffffff"]
    assert plain(2**31) == "0x80000000"
    assert plain([0.0, float(np.float32(0.1))]) == [0.0, 0.1]
    assert plain([1.0, float("nan"), float("-inf")]) == ["1.0", "nan", "-inf"]


def test_normals_that_are_missing_are_those_of_the_triangles() -> None:
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (5, 5, 5)], np.float32)
    normals = np.array([(0, 0, 0), (1, 0, 0), (0, 0, 0), (0, 0, 0)], np.float32)
    found = filled(normals, points, np.array([[0, 1, 2]]))
    np.testing.assert_array_equal(found, [(0, 0, 1), (1, 0, 0), (0, 0, 1), (0, 0, 1)])


def test_empty_meshes_and_primitives_are_left_out() -> None:
    empty = replace(triangle(), triangles=np.zeros((0, 3), np.int64), batch=4, fields={"flags": 1})
    data = glb_of(scene(meshes=(Mesh("m", (empty,)),)))
    document = parts_of(data)[0]
    assert "meshes" not in document
    assert "mesh" not in document["nodes"][0]
    kept = parts_of(glb_of(scene(meshes=(Mesh("m", (empty, triangle())),))))[0]["meshes"][0]
    assert len(kept["primitives"]) == 1
    assert json.loads(kept["extras"]["mshview"])["batches"] == {"row": [4], "flags": [1]}
