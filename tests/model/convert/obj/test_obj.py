"""Scenes as OBJ and back."""

from __future__ import annotations

import json
import re
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from tests.builders import box, quad
from tests.model.convert.scenes import resolver_of, square
from viewer.errors import FormatError
from viewer.model.convert import exchange
from viewer.model.convert.obj import frame as reading
from viewer.model.convert.obj import sidecar_fields
from viewer.model.convert.obj.frame import sidecar_scene
from viewer.model.convert.obj.objects import Tag, identified, name_of, tag_of
from viewer.model.convert.obj.read import read
from viewer.model.convert.obj.write import files_of
from viewer.model.convert.options import Options
from viewer.model.convert.scene import (
    NEW,
    Mesh,
    Node,
    Origin,
    Primitive,
    Scene,
    SceneClip,
    SceneMaterial,
    Track,
)
from viewer.model.convert.scene_file import SceneFile
from viewer.model.convert.scene_images import SceneImage

HALF = sqrt(0.5)
CORNERS = b"v 0 0 0\nv 1 0 0\nv 0 0 2\nf 1 2 3\n"


def primitive(size: float, first: int, material: int = 0) -> Primitive:
    shape = box((size, 2 * size, 3 * size))
    return Primitive(
        shape.positions,
        shape.triangles,
        shape.normals,
        shape.uvs,
        material=material,
        vertices=first + np.arange(len(shape.positions)),
        batch=first // 24,
        fields={"flags": 5},
    )


@pytest.fixture
def scene() -> Scene:
    """A base, and an arm on it that is turned a quarter about Z and shows two batches."""
    return Scene(
        "crane",
        nodes=(
            Node("base", cells={(0, 0): 0, (1, 0): 1}, number=0),
            Node(
                "the arm",
                parent=0,
                cells={(0, 0): 1},
                position=(1, 2, 3),
                rotation=(HALF, 0, 0, HALF),
                number=1,
                track=Track(np.array([0.0, 7.0]), np.zeros((2, 3), "f4"), np.full((2, 4), 0.5, "f4")),
            ),
        ),
        meshes=(Mesh("base", (primitive(1, 0),), 0), Mesh("arm", (primitive(2, 24), primitive(3, 48, 1)), 1)),
        materials=(
            SceneMaterial("STEEL", 0, image=0),
            SceneMaterial("red paint", 1, color=(1, 0.5, 0, 0.5)),
        ),
        images=(SceneImage("STEEL.0", np.full((2, 2, 4), 200, np.uint8)),),
        clips=(SceneClip("walk 1", 0, 7, 1.5),),
        frame_count=8,
        origin=Origin("crane.msh", 1000, "00ff", "xyzw", "seed", has_name_records=False),
        options=Options(is_y_up=False),
        tables={15: b"\x01\x02"},
    )  # fmt: skip


def again(scene: Scene, change: str = "", by: str = "") -> Scene:
    """The scene that its files give, after a text in the OBJ was replaced."""
    files = files_of(scene, "crane")
    text = files["crane.obj"].decode()
    assert change in text
    frame = sidecar_scene(files["crane.obj.json"])
    return read(text.replace(change, by, 1).encode(), frame, files.__getitem__)


def rows(text: str, word: str) -> npt.NDArray[np.float64]:
    return np.array([line.split()[1:] for line in text.splitlines() if line.split()[0] == word], np.float64)


def test_vertices_are_baked_at_the_rest_pose(scene: Scene) -> None:
    text = files_of(scene, "crane")["crane.obj"].decode()
    arm = rows(text, "v")[24:48]
    x, y, z = scene.meshes[1].primitives[0].positions.T
    np.testing.assert_allclose(arm, np.stack([1 - y, 2 + x, 3 + z], axis=1), atol=1e-6)
    np.testing.assert_array_equal(rows(text, "vt")[:4], quad().uvs * (1, -1) + (0, 1))
    assert [line for line in text.splitlines() if line.startswith(("o ", "usemtl"))] == [
        "o base~n0.s0.b0",
        "usemtl STEEL~m0",
        "o the_arm~n1.s1.b0",
        "usemtl STEEL~m0",
        "o the_arm~n1.s1.b1",
        "usemtl red_paint~m1",
    ]


def test_y_up_is_written_and_read(scene: Scene) -> None:
    upright = replace(scene, options=Options(is_y_up=True))
    lying = replace(scene, options=Options(is_y_up=False))
    x, y, z = rows(files_of(lying, "c")["c.obj"].decode(), "v").T
    np.testing.assert_array_equal(rows(files_of(upright, "c")["c.obj"].decode(), "v").T, (x, z, -y))
    found = again(upright).meshes[0].primitives[0].positions
    np.testing.assert_allclose(found, scene.meshes[0].primitives[0].positions, atol=1e-6)


def test_everything_comes_back(scene: Scene) -> None:
    found = again(scene)
    assert found.losses == ()
    assert [node.name for node in found.nodes] == ["base", "the arm"]
    assert found.nodes[0].cells == {(0, 0): 0}  # the other cell was not written
    assert (found.clips, found.origin, found.tables, found.frame_count) == (
        scene.clips,
        scene.origin,
        scene.tables,
        8,
    )
    track = found.nodes[1].track
    assert track is not None
    np.testing.assert_array_equal(track.times, [0, 7])
    for mesh, before in zip(found.meshes, scene.meshes, strict=True):
        for made, given in zip(mesh.primitives, before.primitives, strict=True):
            assert (made.batch, made.material, made.fields) == (given.batch, given.material, {"flags": 5})
            assert made.vertices is not None
            assert given.vertices is not None
            np.testing.assert_array_equal(made.vertices, given.vertices)
            np.testing.assert_array_equal(made.triangles, given.triangles)
            np.testing.assert_allclose(made.positions, given.positions, atol=1e-6)
            assert made.normals is not None
            assert given.normals is not None
            np.testing.assert_allclose(made.normals, given.normals, atol=1e-6)
            assert made.uvs is not None
            assert given.uvs is not None
            np.testing.assert_array_equal(made.uvs, given.uvs)
    assert [it.name for it in found.materials] == ["STEEL", "red paint"]


def test_a_moved_vertex_goes_back_into_its_node(scene: Scene) -> None:
    files = files_of(scene, "crane")
    line = [it for it in files["crane.obj"].decode().splitlines() if it.startswith("v ")][24]
    x, y, z = map(float, line.split()[1:])
    found = again(scene, line, f"v {x + 1} {y} {z}").meshes[1].primitives[0].positions
    before = scene.meshes[1].primitives[0].positions
    moved = np.flatnonzero(np.abs(found - before).max(axis=1) > 1e-5)
    assert moved.tolist() == [0]
    np.testing.assert_allclose(found[0] - before[0], (0, -1, 0), atol=1e-6)  # the node is turned


def test_another_number_of_vertices_is_new_geometry(scene: Scene) -> None:
    found = again(scene, "usemtl STEEL~m0", "v 9 9 9\nusemtl STEEL~m0").meshes[0].primitives[0]
    assert found.vertices is None
    assert found.batch == 0


def test_vertices_in_their_order_keep_their_rows_also_if_some_moved() -> None:
    known = replace(square(), vertices=np.array([5, 6, 7, 8]))
    places = known.positions + np.float32(1e-7)
    places[0] += 3
    found = identified(replace(square(), positions=places), known, np.arange(4), 4, 1e-5)
    assert found.vertices is not None
    assert found.vertices.tolist() == [5, 6, 7, 8]
    assert found.positions.tolist() == [places[0].tolist(), *known.positions[1:].tolist()]


def test_an_object_without_a_tag_is_a_node(scene: Scene) -> None:
    text = "o base~n0.s0.b0\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\no cube\nusemtl gold\nf 1 2 3 4\n"
    frame = sidecar_scene(files_of(scene, "crane")["crane.obj.json"])
    found = read(text.encode(), frame, lambda name: b"")
    assert [node.name for node in found.nodes] == ["base", "the arm", "cube"]
    assert found.nodes[1].cells == {}  # its objects were deleted
    cube = found.meshes[found.nodes[2].cells[0, 0]].primitives[0]
    assert len(cube.triangles) == 2  # a quadrangle
    assert found.materials[cube.material or 0].name == "gold"
    assert cube.vertices is None


def test_one_vertex_with_two_normals_is_two(scene: Scene) -> None:
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nvn 0 0 -1\nf 1//1 2//1 3//1\nf -3//2 -1//2 -2//2\n"
    made = read(text.encode(), Scene("x"), lambda name: b"").meshes[0].primitives[0]
    assert len(made.positions) == 6
    assert made.uvs is None


def test_a_shared_mesh_that_differs_is_told(scene: Scene) -> None:
    shared = replace(scene, nodes=(scene.nodes[0], replace(scene.nodes[1], cells={(0, 0): 0})))
    assert again(shared).losses == ()
    files = files_of(shared, "crane")
    line = [it for it in files["crane.obj"].decode().splitlines() if it.startswith("v ")][24]
    (loss,) = again(shared, line, "v 9 9 9").losses
    assert "base" in loss
    assert "the arm" in loss


def test_materials_of_other_programs() -> None:
    text = "mtllib a.mtl b.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl glass\nf 1 2 3\nl 1 2\n"
    files = {"a.mtl": b"newmtl glass\nKd 0.1 0.2 0.3\nd 0.25\nmap_Kd -s 1 1 1 no such.png\n"}
    found = read(text.encode(), Scene("x"), resolver_of(files))
    assert found.materials[0].color == (0.1, 0.2, 0.3, 0.25)
    assert found.materials[0].image is None
    assert [*map(str, found.losses)] == [
        "1 statement l is left out",
        "b.mtl: does not exist",
        "options of textures are left out: 1",
        "no such.png: does not exist",
    ]


FIELDS = [
    ("nodes", {"flags": 1 << 16}, "nodes[0].flags: 65536 exceeds 0..65535"),
    ("nodes", {"flags": "x"}, "nodes[0].flags: 'x' is not a number"),
    ("meshes", {"sphere_radius": 1e300}, "meshes[0].sphere_radius: 1e+300 exceeds -3.4"),
    ("primitives", {"opaque4": -1}, "meshes[0].primitives[0].opaque4: -1 exceeds 0..65535"),
]


@pytest.mark.parametrize(("kind", "values", "words"), FIELDS)
def test_fields_of_a_sidecar_hold_what_they_say(
    scene: Scene, kind: str, values: dict[str, Any], words: str
) -> None:
    root = json.loads(files_of(scene, "crane")["crane.obj.json"])
    item = root["meshes"][0]["primitives"][0] if kind == "primitives" else root[kind][0]
    item["fields"] |= values
    with pytest.raises(FormatError, match=re.escape(words)):
        sidecar_scene(json.dumps(root).encode())


def test_a_sidecar_has_the_members_of_earlier_versions(scene: Scene) -> None:
    """Without one of them a sidecar is damaged; what `ALWAYS` does not name came later, and may be absent."""
    root = json.loads(files_of(scene, "crane")["crane.obj.json"])
    members = {kind: {*root[kind][0]} for kind in ("clips", "meshes", "views") if root[kind]}
    primitive = {*root["meshes"][0]["primitives"][0]}
    assert members["clips"] == {"name", "first", "last", "seconds", "fields"}
    assert members["meshes"] == {"name", "primitives", "slot", "fields", "rounding"}
    assert primitive == {"material", "vertices", "batch", "fields"}
    optional = {"format", "version", "name", "origin", "attributes", "views"}
    objects = [root, *(root[kind][0] for kind in root if isinstance(root[kind], list) and root[kind])]
    for item, may_be_absent in [*((it, optional if it is root else set()) for it in objects)]:
        for name, value in [*item.items()]:
            del item[name]
            if name in may_be_absent:
                sidecar_scene(json.dumps(root).encode())
            else:
                with pytest.raises(FormatError, match=rf"{name}: is (missing|not a list)"):
                    sidecar_scene(json.dumps(root).encode())
            item[name] = value


def test_a_member_that_came_later_has_its_default_in_earlier_sidecars(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = json.loads(files_of(scene, "crane")["crane.obj.json"])
    for kind, table, name in ((Scene, "", "clips"), (Mesh, "meshes", "rounding"), (Node, "nodes", "scale")):
        before = sidecar_fields.ALWAYS
        always = tuple(it for it in before[kind] if it != name)
        monkeypatch.setattr(sidecar_fields, "ALWAYS", {**before, kind: always})
        del (root[table][0] if table else root)[name]
    found = sidecar_scene(json.dumps(root).encode())
    assert (found.clips, found.meshes[0].rounding, found.nodes[0].scale) == ((), 0.0, (1.0, 1.0, 1.0))


def test_options_of_a_sidecar_that_came_later_have_their_defaults(scene: Scene) -> None:
    root = json.loads(files_of(scene, "crane")["crane.obj.json"])
    root["options"] = {"is_y_up": False, "rest": 2.5}
    assert sidecar_scene(json.dumps(root).encode()).options == Options(is_y_up=False, rest=2.5)
    for options, words in (
        ({"rest": 2.5}, "options.is_y_up: is missing"),
        ({"is_y_up": False, "fps": 0}, "options.fps: 0.0 is not from 1e-06"),
        ({"is_y_up": False, "rest": 1e300}, "options: 1 numbers of at most 1e+30"),
        ({"is_y_up": False, "cell": [9, 0]}, "options: there is no cell 9, 0"),
    ):
        root["options"] = options
        with pytest.raises(FormatError, match=re.escape(words)):
            sidecar_scene(json.dumps(root).encode())


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("v 0 0", "line[1].v"),
        ("v 0 0 0\nv 0 x 0", "line[2].v"),
        ("v 0 0 inf", "line[1].v"),
        ("v 0 0 0\nf 1 1 2", "line[2].f"),
        ("v 0 0 0\nf 1 1 0", "line[2].f"),
        ("v 0 0 0\nf 1 1 -2", "line[2].f"),
        ("v 0x1 0 0", "line[1].v"),
        ("v 1_0 0 0", "line[1].v"),
        ("v 0 0 0\nf 1/a 1 1", "line[2].f"),
        ("v 0 0 0\nf 1/1/1/1 1 1", "line[2].f"),
        ("v 0 0 0\nf 1 \\\n1", "line[2].f"),
        ("<html>", "line[1].<html>"),
        ("this is a text", "line[1]"),
        ("\n".join(f"x{number} 1" for number in range(65)), "line[65].x64"),
    ],
)
def test_bad_lines_are_told(text: str, place: str) -> None:
    with pytest.raises(FormatError) as raised:
        read(text.encode(), Scene("x"), lambda name: b"")
    assert raised.value.where == place


@pytest.mark.parametrize(
    "change",
    [
        ('"version": 1', '"version": 2'),
        ('"parent": 0', '"parent": 7'),
        ('"cells": [[0, 0, 1]]', '"cells": [[0, 0, 9]]'),
        ('"times": [0.0, 7.0]', '"times": [0.0, 0.0]'),
        ('"rotation": [1.0, 0.0, 0.0, 0.0]', '"rotation": [1.0]'),
        ('"nodes": [', '"nodes": 1, "x": ['),
        ("{", "["),
    ],
)
def test_a_damaged_sidecar_is_refused(scene: Scene, change: tuple[str, str]) -> None:
    text = files_of(scene, "crane")["crane.obj.json"].decode()
    assert change[0] in text
    with pytest.raises(FormatError):
        sidecar_scene(text.replace(*change).encode())


@pytest.mark.parametrize("value", [1e39, -1e300, 10**400, "nan", "inf"])
@pytest.mark.parametrize("member", ["positions", "rotations", "times"])
def test_keys_that_no_float_holds_are_refused_in_silence(scene: Scene, member: str, value: object) -> None:
    """Tests make errors of numpy's warnings, which the shell would hide and a script would print."""
    root = json.loads(files_of(scene, "crane")["crane.obj.json"])
    track = next(it["track"] for it in root["nodes"] if it["track"])
    track[member][-1] = value if member == "times" else [value] * len(track[member][-1])
    with pytest.raises(FormatError) as raised:
        sidecar_scene(json.dumps(root).encode())
    assert "track" in raised.value.where


@pytest.mark.parametrize("value", [-1, -20, 1 << 32, 1 << 40])
@pytest.mark.parametrize("place", range(3))
def test_attributes_of_tables_are_words(scene: Scene, value: int, place: int) -> None:
    """What the directory of a model cannot hold is refused where it enters, the largest word is not."""

    def said(number: int) -> bytes:
        values = [number if at == place else 0 for at in range(3)]
        text = files_of(replace(scene, attributes={}), "crane")["crane.obj.json"].decode()
        return text.replace('"attributes": {}', f'"attributes": {{"17": {values}}}').encode()

    with pytest.raises(FormatError) as raised:
        sidecar_scene(said(value))
    assert raised.value.where == "attributes"
    assert str(value) in raised.value.text
    assert sidecar_scene(said(0xFFFFFFFF)).attributes[17][place] == 0xFFFFFFFF


def test_tags_survive_other_programs() -> None:
    name = name_of(Tag(3, 4, 7), "main gun (left)" * 9)
    assert len(name) < 63
    assert tag_of(name + ".001") == Tag(3, 4, 7)
    assert tag_of("main gun") is None
    assert NEW == -1


@pytest.mark.parametrize("stem", ["a  b", "q #3", "#1", "Башня 2"])
def test_libraries_and_pictures_have_any_name(scene: Scene, stem: str) -> None:
    pixels = np.full((2, 2, 4), 200, np.uint8)
    painted = replace(
        scene,
        images=(SceneImage("skin", pixels),),
        materials=(replace(scene.materials[0], image=0), *scene.materials[1:]),
    )
    files = files_of(painted, stem)
    found = read(files[f"{stem}.obj"], Scene(stem, options=Options(cell=(0, 0))), files.__getitem__)
    assert found.losses == ()
    assert len(found.images) == 1


@pytest.mark.parametrize(
    ("head", "is_y_up", "expected", "words"),
    [
        (b"# Blender 4.5.0\n# www.blender.org\n", None, (0, -2, 0), "Blender"),
        (b"# Blender 4.5.0\n", False, (0, 0, 2), ""),
        (b"# File produced by Open Asset Import Library\n", None, (0, -2, 0), "assimp"),
        (b"# nothing\n", None, (0, 0, 2), "Z is up"),
        (b"# nothing\n", True, (0, -2, 0), ""),
        (b"o blender\n", None, (0, 0, 2), "Z is up"),
        (b"# Blender 4.5.0\no turret~n5.s4.b0\n", None, (0, 0, 2), ""),
    ],
)
def test_the_axis_of_a_foreign_file_is_guessed_and_said(
    head: bytes, is_y_up: bool | None, expected: tuple[float, ...], words: str
) -> None:
    found = exchange.read(SceneFile(Path("a.obj"), head + CORNERS, "obj", is_y_up=is_y_up))
    assert found.meshes[0].primitives[0].positions.max(axis=0)[2] == max(expected[2], 0)
    assert sum(found.meshes[0].primitives[0].positions[2]) == sum(expected)
    assert len(found.notes) == bool(words)
    assert all(words in it for it in found.notes)


def test_every_field_of_a_sidecar_has_a_reader() -> None:
    """A field of a type without one would be refused in each file that has it."""
    lists = sidecar_fields.LISTS
    members = {*sidecar_fields.HEAD_MEMBERS} - {"frame_count"}
    scene = {name: it for name, it in sidecar_fields.kept_fields(Scene).items() if name in members}
    others = {kind: sidecar_fields.kept_fields(kind) for kind in (*lists.values(), Primitive, Origin)}
    fields = {f"{kind.__name__}.{name}": it for kind, found in others.items() for name, it in found.items()}
    fields |= scene
    assert not {name: kind for name, kind in fields.items() if kind not in reading._READERS}
