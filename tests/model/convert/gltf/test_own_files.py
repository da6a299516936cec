"""Files of this program, also as other programs hand them back: ids, names, cells and clips are kept."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import numpy as np
import pytest
from msgspec import Struct
from msgspec.structs import asdict, replace

from tests.model.convert.gltf.making import glb
from viewer.errors import FormatError
from viewer.model.clips.started_effects import StartedEffect
from viewer.model.convert.gltf import extras
from viewer.model.convert.gltf.extras import ExtrasReader, _of_options, options_in, origin_of
from viewer.model.convert.gltf.meshes import _wear_row
from viewer.model.convert.gltf.read import read
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.options import Clips, Options
from viewer.model.convert.scene import (
    Mesh,
    Node,
    Origin,
    Primitive,
    Scene,
    SceneClip,
    SceneMaterial,
    Track,
    View,
)
from viewer.model.convert.scene_images import SceneImage
from viewer.model.mesh.reading import MaterialField
from viewer.options import Option
from viewer.typed_json import Limits

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], np.float32)
ORIGIN = Origin("crane.msh", 1234, "ab" * 32, "wxyz", "field", has_name_records=True)
BATCH = {"flags": 1, "material": 2, "opaque4": 0xFF00, "opaque6": 0xFFFF, "index_count": 6,
         "index_start": 70000, "opaque14": 4, "base_vertex": 1 << 31}  # fmt: skip


def primitive(batch: int, row: int, material: int = 0) -> Primitive:
    return Primitive(
        positions=CORNERS + np.float32(batch),
        triangles=np.array([(0, 1, 2), (0, 2, 3)]),
        normals=np.tile(np.array([0, 0, 1], np.float32), (4, 1)),
        uvs=CORNERS[:, :2],
        lightmap_uvs=CORNERS[:, 1:],
        material=material,
        vertices=np.arange(row, row + 4),
        batch=batch,
        fields=BATCH | {"opaque4": 0xFF00 | material},
    )


def crane(**options: Any) -> Scene:
    """A model with two nodes of one name, one without, three cells, and a strip of two keys."""
    track = Track(np.array([0.0, 7.0]), CORNERS[:2], np.array([[1, 0, 0, 0], [0, 0, 0, 1]], np.float32))
    meshes = (
        Mesh("base slot 0", (primitive(0, 0), primitive(1, 4, 1)), 0, {"aabb_min": [0.5, 1.5, -2.5]}),
        Mesh("arm slot 1", (primitive(2, 8),), 1),
        Mesh("base slot 2", (primitive(3, 12),), 2),
    )
    nodes = (
        Node("part", None, {(0, 0): 0, (1, 0): 2}, number=0, fields={"flags": 64, "parent": 0xFFFF}),
        Node("part", 0, {(0, 0): 1, (0, 1): 1}, (1, 2, 3), (0.0, 1.0, 0.0, 0.0), track=track, number=1),
        Node("", 1, {}, is_socket=True, socket_tag="gun", number=2),
    )
    materials = (
        SceneMaterial("METAL", 0, (0.5, 0.25, 1.0, 1.0), (0.5, 0.0, 0.0), 0, is_two_sided=True),
        SceneMaterial(
            "METAL",
            1,
            lightmap=0,
            is_unlit=True,
            sub_image=(0.5, 0.0, 0.5, 1.0),
            fields={"blend": "add"},
            image=0,
        ),
    )
    pictures = (SceneImage("A.0", np.arange(64, dtype=np.uint8).reshape(4, 4, 4)),)
    clips = (SceneClip("walk", 0, 3, 1.5, fields={"index": 0}), SceneClip("walk", 3, 7))
    views = (View((0, 0), ((0, 0), (0, 0), None)), View((1, 0), ((1, 0), (0, 0), None)))
    chosen = Options(has_all_cells=True, rest=2.0, fps=10.0, **options)
    hull = {"hull": [[float(number)] * 3 for number in range(8)]}
    known = Scene("crane.msh", nodes, meshes, materials, pictures, clips, 8, views, hull, ORIGIN, chosen)
    return replace(known, tables={9: b"\0\1\2"})


def equal(found: Any, wanted: Any) -> bool:
    """Whether values are the same, floats nearly."""
    if isinstance(wanted, Struct):
        return equal(asdict(found), asdict(wanted))
    if isinstance(wanted, Mapping):
        return found.keys() == wanted.keys() and all(equal(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, tuple | list):
        return len(found) == len(wanted) and all(map(equal, found, wanted))
    if isinstance(wanted, float | np.ndarray):
        return bool(np.allclose(found, wanted, atol=1e-5))
    return bool(found == wanted)


class _Later(Options, frozen=True):
    """Options of a later version."""

    decimals: Annotated[int | None, Limits(9)] = None
    digits: Annotated[int, Limits(9, 1)] | None = None
    division: Annotated[Clips | None, Option()] = None


def test_options_are_read_as_they_are_declared() -> None:
    given = _Later((1, 2), rest=2.5, nodes=frozenset({3, 1}), decimals=0, digits=9, division=Clips.NONE)
    content = json.loads(json.dumps(_of_options(given)))
    assert options_in(ExtrasReader(content), _Later) == asdict(given)
    assert not {"nodes", "decimals", "digits", "division"} & _of_options(_Later()).keys(), "none is null"
    odd = {"decimals": 10, "digits": "x", "division": "all", "fps": 0, "rest": 3, "cell": [9, 9]}
    assert options_in(ExtrasReader(odd), _Later) == {"rest": 3.0}
    assert options_in(ExtrasReader({"decimals": 3.0}), _Later) == {"decimals": 3}, "of other programs"
    assert options_in(ExtrasReader({}), _Later) == {}


class _LaterOrigin(Origin, frozen=True):
    """An origin that says more in a later version."""

    archive: str = ""


def test_an_origin_of_an_earlier_version_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "Origin", _LaterOrigin)
    assert origin_of(ExtrasReader({"origin": asdict(ORIGIN)})) == _LaterOrigin(**asdict(ORIGIN))
    for name in asdict(ORIGIN).keys() - {"has_name_records"}:  # the first version did without it
        rest = {other: it for other, it in asdict(ORIGIN).items() if other != name}
        assert origin_of(ExtrasReader({"origin": rest})) is None


@pytest.mark.parametrize("options", [{}, {"is_y_up": False}])
def test_what_was_written_is_read_again(options: dict[str, Any]) -> None:
    scene = replace(crane(**options), program="mshview")
    found = read(glb_of(scene))
    for name in Scene.__struct_fields__:
        assert equal(getattr(found, name), getattr(scene, name)), name


def test_divided_clips_keep_their_own_movements() -> None:
    scene = crane(clips=Clips.CLIPS)
    track = scene.nodes[1].track
    assert track is not None
    slow = Track(track.times / 4, track.positions, track.rotations)
    clips = (
        SceneClip("walk", 0, 3, 1.5, {1: slow}),
        SceneClip("walk", 3, 7, None, {1: track}),
        SceneClip("stand", 7, 7),
    )
    found = read(glb_of(replace(scene, clips=clips)))
    assert equal(found.clips, tuple(replace(it, is_apart=bool(it.tracks)) for it in clips))
    assert [node.track for node in found.nodes] == [None, None, None]


def changed(change: Callable[[dict[str, Any]], object]) -> Scene:
    """The crane after another program has changed its JSON."""
    data = glb_of(crane())
    size = struct.unpack_from("<I", data, 12)[0]
    root = json.loads(data[20 : 20 + size])
    change(root)
    return read(glb(root, data[28 + size :]))


def named(root: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(it for it in root["nodes"] if it["name"] == name)
    return found


def test_names_with_numbers_of_other_programs_are_the_stored_ones() -> None:
    def rename(root: dict[str, Any]) -> None:
        for item in root["nodes"] + root["materials"] + root["meshes"]:
            item["name"] += ".001"

    found = changed(rename)
    assert [node.name for node in found.nodes] == ["part", "part", ""]
    assert [(it.name, it.row) for it in found.materials] == [("METAL", 0), ("METAL", 1)]


def test_a_renamed_node_keeps_its_number() -> None:
    found = changed(lambda root: named(root, "part~2").update(name="boom"))
    assert [(node.name, node.number) for node in found.nodes] == [("part", 0), ("boom", 1), ("", 2)]


def test_copies_keep_the_names_that_they_have_in_the_file() -> None:
    def copy(root: dict[str, Any]) -> None:
        root["nodes"].insert(0, named(root, "part~2") | {"name": "part~2.001", "children": []})
        for item in [*root["nodes"], *root["scenes"]]:
            key = "nodes" if "nodes" in item else "children"
            item[key] = [number + 1 for number in item.get(key, [])]
        root["scenes"][0]["nodes"].append(0)
        for channel in root["animations"][0]["channels"]:
            channel["target"]["node"] += 1
        root["materials"].append(root["materials"][0] | {"name": "METAL.001"})

    found = changed(copy)
    assert [(it.name, it.number) for it in found.nodes] == [
        ("part~2.001", 1),
        ("part", 0),
        ("part", 1),
        ("", 2),
    ]
    assert [(it.name, it.row) for it in found.materials] == [("METAL", 0), ("METAL", 1), ("METAL.001", None)]
    assert [it.parent for it in found.nodes] == [None, None, 1, 2]


def test_scenes_that_were_joined_are_cells_again() -> None:
    def join(root: dict[str, Any]) -> None:
        roots = [node for scene in root["scenes"] for node in scene["nodes"]]
        root["scenes"] = [root["scenes"][0] | {"nodes": roots}]

    assert equal(changed(join).nodes, crane().nodes)


def test_primitives_without_extras_are_batches_by_their_material() -> None:
    def forget(root: dict[str, Any]) -> None:
        for mesh in root["meshes"]:
            for item in mesh["primitives"]:
                del item["extras"]

    found = [[it.batch for it in mesh.primitives] for mesh in changed(forget).meshes]
    assert found == [[0, 1], [2], [3]]


def test_animations_by_node_are_one_again() -> None:
    def divide(root: dict[str, Any]) -> None:
        (animation,) = root["animations"]
        root["animations"] = [
            animation | {"name": f"action {at}", "channels": [channel]}
            for at, channel in enumerate(animation["channels"][:2])
        ]

    found = changed(divide)
    assert found.frame_count == 8
    assert found.losses == ()


@pytest.mark.parametrize(
    "value", [None, 5, "x", [], {}, [{}], {"mshview": 5}, {"mshview": [1]}, {"mshview": "x"}]
)
def test_extras_of_any_kind_are_no_error(value: object) -> None:
    def put(root: dict[str, Any]) -> None:
        for kind in ("nodes", "meshes", "materials", "scenes"):
            for item in root[kind]:
                item["extras"] = value

    found = changed(put)
    assert found.origin is None
    assert [node.number for node in found.nodes[:3]] == [None] * 3


@pytest.mark.parametrize("value", [None, 1.5, "abc", [], [1], ["a"], {}, True, "0xzz", [0.5, None]])
def test_values_in_extras_that_make_no_sense_are_left_out(value: object) -> None:
    def filled(part: Any) -> Any:
        return {key: value if not isinstance(it, dict) else filled(it) for key, it in part.items()}

    def damage(root: dict[str, Any]) -> None:
        for kind in ("nodes", "meshes", "materials", "scenes"):
            for item in root[kind]:
                item["extras"]["mshview"] = filled(json.loads(item["extras"]["mshview"]))

    assert len(changed(damage).meshes) >= 2


LARGEST_FLOAT = "-3.4028234663852886e+38..3.4028234663852886e+38"
BEYOND = [
    ("scenes", "attributes", "17", [0, -20, 0], "attributes.17.attr2: -20 exceeds 0..4294967295"),
    (
        "scenes",
        "attributes",
        "17",
        [1 << 40, 0, 0],
        "attributes.17.attr1: 1099511627776 exceeds 0..4294967295",
    ),
    ("scenes", "attributes", "99999999999", [0, 0, 0], "attributes.99999999999: 99999999999 exceeds 0.."),
    ("scenes", "tables", "4294967296", "", "tables.4294967296: 4294967296 exceeds 0..4294967295"),
    ("scenes", "", "frame_count", 1 << 40, "extras.frame_count: 1099511627776 exceeds 1..16777216"),
    ("nodes", "fields", "flags", 1 << 16, "fields.flags: 65536 exceeds 0..65535"),
    ("nodes", "fields", "flags", -1, "fields.flags: -1 exceeds 0..65535"),
    ("meshes", "fields", "sphere_radius", 1e300, f"fields.sphere_radius: 1e+300 exceeds {LARGEST_FLOAT}"),
    (
        "meshes",
        "batches",
        "opaque14",
        [1, 1 << 40],
        "batches[1].opaque14: 1099511627776 exceeds 0..65535",
    ),
]


@pytest.mark.parametrize(("kind", "part", "key", "value", "words"), BEYOND)
def test_numbers_that_their_field_cannot_hold_are_refused(
    kind: str, part: str, key: str, value: object, words: str
) -> None:
    """The message names the object of the file, the attribute, the row, the value and its limits."""

    def damage(root: dict[str, Any]) -> None:
        said = json.loads(root[kind][0]["extras"]["mshview"])
        (said.setdefault(part, {}) if part else said)[key] = value
        root[kind][0]["extras"]["mshview"] = json.dumps(said)

    with pytest.raises(FormatError, match=re.escape(words)) as raised:
        changed(damage)
    assert raised.value.text.startswith(f"{kind}[0].extras")


@pytest.mark.parametrize("value", [0x7FFFFFFF, 0x80000000, 0xFFFFFFFF])
def test_large_attributes_of_tables_come_back(value: int) -> None:
    """From 2^31 on they are texts, as Blender keeps 32 bits with a sign."""
    given = replace(crane(), attributes={17: (0, value, 20)})
    assert read(glb_of(given)).attributes == {17: (0, value, 20)}


def test_extras_that_are_objects_are_read_as_those_that_are_texts() -> None:
    """Earlier files have objects, and some programs make objects of texts."""

    def as_objects(root: dict[str, Any]) -> None:
        primitives = [it for mesh in root["meshes"] for it in mesh["primitives"]]
        listed = [it for kind in ("nodes", "meshes", "materials", "scenes") for it in root[kind]]
        for item in (*listed, *primitives):
            if "extras" in item:
                item["extras"] = {"mshview": json.loads(item["extras"]["mshview"])}

    assert equal(changed(as_objects), changed(lambda _: None))


def test_the_extras_of_the_scene_name_the_effects_that_the_controller_starts() -> None:
    started = StartedEffect(2, 0, (0,), (), 4, (10, 10, 10, 4), b"effects.rlb", b"dust", contacts=(1,))
    written = glb_of(replace(crane(), effects=(started,)))
    length = struct.unpack_from("<I", written, 12)[0]
    document = json.loads(written[20 : 20 + length])
    kept = json.loads(document["scenes"][0]["extras"]["mshview"])
    assert kept["effects"] == {
        "0": {
            "name": "dust", "archive": "effects.rlb", "action": 4, "values": [10, 10, 10, 4], "slots": [0],
            "contacts": [1],
        }
    }  # fmt: skip
    assert equal(read(written), read(glb_of(crane())))


@pytest.mark.parametrize(
    ("material_field", "row"), [(MaterialField.SEED, 3), (MaterialField.FIELD, 5), (None, None)]
)
def test_the_row_of_a_batch_is_where_its_reading_looks(material_field: str | None, row: int | None) -> None:
    """Seed: the word at 2; field: the low byte of that at 4."""
    assert _wear_row({"material": 3, "opaque4": 0xFF05}, material_field) == row
