"""Files that lie or show nothing: an error with the path in the JSON, or a loss; files next to them."""

from __future__ import annotations

import json
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, box
from tests.model.convert.gltf.making import CORNERS, File, glb, one_triangle
from tests.model.convert.importing.scenes import imported, source_of
from viewer.cli.main import main
from viewer.errors import FormatError
from viewer.model.convert.building.tables import made_of
from viewer.model.convert.gltf.read import read
from viewer.model.convert.scene_file import Folder
from viewer.model.convert.shapes import NO_AREA, NO_TRIANGLES

HUGE = 1 << 40
NATIVE = CORNERS[:3, [0, 2, 1]] * np.array([1, -1, 1], "f4")
CUBE = source_of(ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]})]).build())


def changed(kind: str, **values: Any) -> Callable[[dict[str, Any]], None]:
    """A change of the first object of a list."""

    def change(root: dict[str, Any]) -> None:
        root[kind][0].update(values)

    return change


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (changed("accessors", count=HUGE), r"accessors\[0\]: more than the \d+ values"),
        (changed("accessors", count=5), r"accessors\[0\]\.count: 5 values end at 60, their view at 48"),
        (changed("accessors", count=-1), r"accessors\[0\]\.count: -1 is not a whole number"),
        (changed("accessors", count=2.5), r"accessors\[0\]\.count: 2.5 is not"),
        (changed("accessors", count=None), r"accessors\[0\]\.count: null is not"),
        (changed("accessors", byteOffset=1), r"accessors\[0\]\.count: 4 values end at 49"),
        (changed("accessors", componentType=5130), r"accessors\[0\]\.componentType: 5130 is not one of"),
        (changed("accessors", componentType=[]), r"accessors\[0\]\.componentType: \[\] is not one of"),
        (changed("accessors", type="VEC2"), r"accessors\[0\]\.type: 2 components instead of 3"),
        (changed("accessors", bufferView=9), r"accessors\[0\]\.bufferView: 9 is not an index of 2 items"),
        (changed("accessors", bufferView=None, count=HUGE), r"accessors\[0\]: more than"),
        (changed("accessors", sparse={"count": HUGE}), r"accessors\[0\]\.sparse: more than"),
        (changed("accessors", sparse=[]), r"accessors\[0\]\.sparse: \[\] is not an object"),
        (changed("bufferViews", byteLength=HUGE), r"bufferViews\[0\]\.byteOffset: 0 \+ 10995\d+ exceeds"),
        (changed("bufferViews", byteOffset=1 << 60), r"bufferViews\[0\]\.byteOffset: 11529"),
        (changed("bufferViews", byteStride=4), r"bufferViews\[0\]\.byteStride: 4 bytes are less than"),
        (changed("bufferViews", byteStride=100), r"accessors\[0\]\.count: 4 values end at 312"),
        (changed("bufferViews", buffer=1), r"bufferViews\[0\]\.buffer: 1 is not an index of 1 items"),
        (changed("buffers", byteLength=HUGE), r"buffers\[0\]\.byteLength: \d+ exceeds the 56 bytes left"),
        (changed("buffers", uri=5), r"buffers\[0\]\.uri: 5 is not a text"),
        (changed("buffers", uri="data:,"), r"buffers\[0\]\.byteLength: 54 exceeds the 0 bytes left"),
        (changed("buffers", uri="data:x"), r"buffers\[0\]\.uri: is a data URI without data"),
        (changed("buffers", uri="data:;base64,!"), r"buffers\[0\]\.uri: cannot be read"),
        (changed("meshes", primitives={}), r"meshes\[0\]\.primitives: \{\} is not a list"),
        (changed("meshes", primitives=[5]), r"meshes\[0\]\.primitives\[0\]: is not an object"),
        (changed("meshes", primitives=[{"attributes": {"POSITION": 7}}]),
         r"meshes\[0\]\.primitives\[0\]\.attributes\.POSITION: 7"),
        (changed("nodes", mesh="0"), r"nodes\[0\]\.mesh: '0' is not an index"),
        (lambda root: root["accessors"].__setitem__(0, 5), r"accessors\[0\]: is not an object"),
        (lambda root: root.update(nodes={"0": {}}), r"nodes: \{'0': \{\}\} is not a list"),
        (lambda root: root.update(scene=3), r"scene: 3 is not an index of 0 items"),
        (lambda root: root["asset"].update(version="1.0"), r"asset\.version: is glTF 1.0; convert it to 2.0"),
        (lambda root: root.update(asset={"version": 1.0}), r"asset\.version: is glTF 1.0"),
        (lambda root: root.update(asset={}, nodes={"a": {}}), r"asset\.version: is glTF 1.0"),
        (lambda root: root["asset"].update(minVersion="2.1"), r"asset\.version: '2.1' is not glTF 2.0"),
        (lambda root: root.pop("asset"), r"asset\.version: '' is not glTF 2.0"),
    ],
)  # fmt: skip
def test_the_error_names_the_place(change: Callable[[dict[str, Any]], object], place: str) -> None:
    file = one_triangle()
    file.glb()
    change(file.json)
    data = glb(file.json, bytes(file.bytes))
    tracemalloc.start()
    with pytest.raises(FormatError, match=f"^{place}"):
        read(data)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


@pytest.mark.parametrize(
    "name", ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "EXT_mesh_gpu_instancing", "MY_own"]
)
def test_extensions_that_a_file_cannot_do_without_are_named(name: str) -> None:
    file = one_triangle()
    file.json["extensionsRequired"] = ["KHR_mesh_quantization", name]
    with pytest.raises(FormatError, match=rf"^extensionsRequired\[1\]: {name} .*; export the file without"):
        file.scene()


@pytest.mark.parametrize("maker", ["EXT", "KHR"])
def test_compression_is_named_as_such(maker: str) -> None:
    file = one_triangle()
    file.json["extensionsRequired"] = [f"{maker}_meshopt_compression"]
    with pytest.raises(FormatError, match="cannot be unpacked; export the file without compression"):
        file.scene()


def test_extensions_that_a_file_can_do_without_are_losses() -> None:
    file = one_triangle()
    file.json["extensionsUsed"] = ["KHR_draco_mesh_compression", "KHR_materials_unlit", "MY_own", "MY_own"]
    assert file.scene().losses == ("MY_own is left out",)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"", "is not a glTF file"),
        (b"glTF", "GLB: 4 bytes are too few"),
        (struct.pack("<4sII", b"glTF", 1, 12), "GLB: is glTF 1.0"),
        (struct.pack("<4sII", b"glTF", 2, 13), r"GLB\.length: 13 bytes, of which 12 are there"),
        (struct.pack("<4sII", b"glTF", 2, 12), "GLB: has no JSON"),
        (struct.pack("<4sIII4s", b"glTF", 2, 20, 1, b"JSON"), r"GLB\.chunk: 1 exceeds the 0 bytes left"),
        (b"[" * 100_000, "JSON: cannot be read"),
        (b"[]", "JSON: is not an object"),
        (b'{"asset": NaN}', "JSON: cannot be read"),
        (
            b'{"asset": {"version": "2.0"}, "nodes": [{"mesh": 0, "mesh": 1}]}',
            "JSON: cannot be read: the key 'mesh' is there twice",
        ),
        (b'{"asset": ' + b"9" * 5000 + b"}", "JSON: cannot be read"),
        (b"\xff\xfe\0", "is not a glTF file"),
        (b'\xef\xbb\xbf{"asset": {"version": "3.0"}}', r"asset\.version: '3.0' is not glTF 2.0"),
    ],
)
def test_what_is_not_gltf_says_so(data: bytes, place: str) -> None:
    with pytest.raises(FormatError, match=f"^{place}"):
        read(data)


def test_indices_beyond_the_vertices_are_refused() -> None:
    file = File()
    attributes = {"POSITION": file.array(CORNERS)}
    file.node(mesh=file.mesh({"attributes": attributes, "indices": file.array([0, 1, 4], "<u2")}))
    with pytest.raises(FormatError, match=r"^accessors\[1\]: value 2 is 4, which is not below 4"):
        file.scene()


def test_numbers_that_are_none_are_refused() -> None:
    file = File()
    bad = CORNERS.copy()
    bad[2, 1] = float("nan")
    file.node(mesh=file.mesh({"attributes": {"POSITION": file.array(bad)}}))
    with pytest.raises(FormatError, match=r"^accessors\[0\]: value 2 is not finite"):
        file.scene()


def test_halves_of_characters_in_names_are_replaced() -> None:
    data = json.dumps({"asset": {"version": "2.0"}, "nodes": [{"name": "a\ud800b"}]}).encode()
    assert read(data).nodes[0].name == "a?b"


def bomb(change: Callable[[File], None]) -> bytes:
    file = File()
    change(file)
    return file.glb()


def same_mesh(file: File) -> None:
    """Primitives that all use the same arrays, none of which can be shared."""
    part = file.triangle()
    part["indices"] = file.array([0, 1, 2] * 20_000, "<u2")
    file.node(mesh=file.add("meshes", primitives=[part] * 2000))


def same_bytes(file: File) -> None:
    """Accessors of the same bytes."""
    file.array([[0, 0, 0]] * 20_000)
    parts = []
    for _ in range(2000):
        copy = file.add("accessors", **file.json["accessors"][0])
        parts.append({"attributes": {"POSITION": copy}})
    file.node(mesh=file.add("meshes", primitives=parts))


def zeros(file: File) -> None:
    """Accessors without bytes."""
    for _ in range(100):
        point = file.add("accessors", componentType=5126, type="VEC3", count=3_000_000)
        file.node(mesh=file.add("meshes", primitives=[{"attributes": {"POSITION": point}}]))


def scaled(file: File) -> None:
    """Nodes that stretch the same mesh in other ways."""
    file.mesh({"attributes": {"POSITION": file.array([[0, 0, 0]] * 30_000)}})
    for number in range(2000):
        file.node(mesh=0, scale=[1, 1, 2 + number])


def moved(file: File) -> None:
    """Nodes that are all moved by the same keys."""
    count = 20_000
    for _ in range(2000):
        file.node()
    file.animation(0, "translation", range(count), [[0, 0, 0]] * count, "STEP")
    file.json["animations"][0]["channels"] = [
        {"sampler": 0, "target": {"node": node, "path": "translation"}} for node in range(2000)
    ]


def many_nodes(file: File) -> None:
    """Objects that are larger in memory than in the file."""
    file.json["nodes"] = [{}] * 100_000


def many_primitives(file: File) -> None:
    file.node(mesh=file.add("meshes", primitives=[{}] * 100_000))


@pytest.mark.parametrize("change", [same_mesh, same_bytes, zeros, scaled, moved, many_nodes, many_primitives])
def test_data_that_is_used_many_times_is_limited(change: Callable[[File], None]) -> None:
    data = bomb(change)
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"more than the \d+ values that its size allows"):
        read(data)
    assert tracemalloc.get_traced_memory()[1] < 1 << 30
    tracemalloc.stop()


def test_a_triangle_of_a_glb_turns_from_y_up_to_z_up() -> None:
    found = one_triangle().scene()
    (node,), (mesh,) = found.nodes, found.meshes
    assert (node.name, node.parent, dict(node.cells)) == ("part", None, {(0, 0): 0})
    primitive = mesh.primitives[0]
    assert primitive.positions.tolist() == NATIVE.tolist()
    assert primitive.triangles.tolist() == [[0, 1, 2]]
    assert primitive.normals is not None
    assert primitive.normals.tolist() == [[0, -1, 0]] * 3
    assert primitive.uvs is None
    assert found.losses == ()


def test_text_files_hold_their_bytes_or_name_a_file(tmp_path: Path) -> None:
    file = one_triangle()
    embedded = read(file.text())
    (tmp_path / "a b.bin").write_bytes(bytes(file.bytes))
    named = read(file.text("a%20b.bin"), Folder(tmp_path))
    for found in (embedded, named):
        assert found.meshes[0].primitives[0].positions.tolist() == NATIVE.tolist()


@pytest.mark.parametrize(
    "uri",
    [
        "../x.bin",
        "a/../../x.bin",
        "/etc/passwd",
        "file:///etc/passwd",
        "C:/x",
        "..%2Fx.bin",
        "\\x",
        "x%00",
        "link.bin",
        "none",
    ],
)
def test_nothing_outside_of_the_folder_is_read(tmp_path: Path, uri: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "x.bin").write_bytes(bytes(1000))
    (folder / "link.bin").symlink_to(tmp_path / "x.bin")
    with pytest.raises(FormatError, match=r"^buffers\[0\]\.uri: "):
        read(one_triangle().text(uri), Folder(folder))


def with_json(**root: Any) -> Callable[[], File]:
    return lambda: File(**root)


def of_mode(mode: int, count: int = 3) -> Callable[[], File]:
    """A mesh of points, lines or too few corners."""

    def make() -> File:
        file = File()
        primitive = {"attributes": {"POSITION": file.array(np.eye(3)[:count])}, "mode": mode}
        file.node(mesh=file.mesh(primitive))
        return file

    return make


def of_indices(*indices: int) -> Callable[[], File]:
    """Triangles whose corners are given."""

    def make() -> File:
        file = File()
        primitive = file.triangle()
        primitive["indices"] = file.array(indices, "<u2")
        file.node(mesh=file.mesh(primitive))
        return file

    return make


def without_positions() -> File:
    file = File()
    file.node(mesh=file.mesh({"attributes": {"NORMAL": file.array(np.eye(3))}}))
    return file


def without_use() -> File:
    """A mesh that no node shows."""
    file = File()
    file.mesh()
    file.node(name="empty")
    return file


def in_another_scene() -> File:
    """A triangle in a scene that is not the one that is shown."""
    file = one_triangle()
    file.node(name="empty")
    file.json |= {"scene": 1, "scenes": [{"nodes": [0]}, {"nodes": [1]}]}
    return file


def in_no_scene() -> File:
    file = one_triangle()
    file.json |= {"scene": 0, "scenes": [{}]}
    return file


def without_count() -> File:
    """An accessor that has no values, which the format forbids and programs write."""
    file = File()
    view = file.view(b"\0" * 4)
    empty = file.add("accessors", bufferView=view, componentType=5126, count=0, type="VEC3")
    file.node(mesh=file.mesh({"attributes": {"POSITION": empty}}))
    return file


FILES: dict[str, Callable[[], File]] = {
    "nothing": File,
    "a scene without nodes": with_json(scenes=[{}], scene=0),
    "a scene without a number": with_json(scenes=[{"name": "a"}]),
    "nodes": with_json(nodes=[{"name": "a", "children": [1]}, {"name": "b"}]),
    "a camera": with_json(cameras=[{"type": "perspective"}], nodes=[{"camera": 0}]),
    "materials": with_json(materials=[{"name": "steel"}]),
    "a mesh without a node": without_use,
    "a mesh without positions": without_positions,
    "a mesh in another scene": in_another_scene,
    "a mesh in no scene": in_no_scene,
    "points": of_mode(0),
    "lines": of_mode(1),
    "a loop of lines": of_mode(2),
    "a strip of lines": of_mode(3),
    "two corners": of_mode(4, 2),
    "a strip of two corners": of_mode(5, 2),
    "a fan of two corners": of_mode(6, 2),
    "no values": without_count,
    "triangles without area": of_indices(0, 0, 1, 2, 2, 2),
    "two indices": of_indices(0, 1),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_without_triangles_says_so(name: str, tmp_path: Path) -> None:
    """Also if it is compared with a model, whose triangles it would remove."""
    file = FILES[name]()
    words = NO_AREA if name == "triangles without area" else NO_TRIANGLES
    assert words in made_of(file.scene()).losses
    assert words in imported(file.scene(), CUBE).losses
    path, out = tmp_path / "a.glb", tmp_path / "a.msh"
    path.write_bytes(file.glb())
    assert main(["import", str(path), "-o", str(out), "--exact"]) == 1
    assert not out.exists()


def test_a_file_with_a_triangle_does_not() -> None:
    said = (*made_of(one_triangle().scene()).losses, *imported(one_triangle().scene(), CUBE).losses)
    assert not {NO_TRIANGLES, NO_AREA}.intersection(said)
