"""OBJ files of a model, edited: what each edit changes in the template, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box, quad, turn
from tests.model.convert.importing.scenes import NAMES, imported, source_of
from tests.model.convert.scenes import resolver_of
from tests.model.edit.drafts import draft_of
from viewer.model.convert import exchange
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.importing.findings import ImportChoices, Missing
from viewer.model.convert.importing.importer import changes_of
from viewer.model.convert.options import Options
from viewer.model.convert.scene import Scene
from viewer.model.convert.scene_file import OBJ, Folder, SceneFile
from viewer.model.edit.nodes.node_count import SetCell
from viewer.model.edit.plan import plan
from viewer.model.mesh.model import Model

PLAIN = Options(has_textures=False, is_y_up=False)
GUN = [quad(2, material=1)]
FAR = (Key(0, (100, 7, -3), turn((1, 2, 3), 40)),)
NODES = (
    Node("hull", shapes={(0, 0): [box(), quad(4, center=(0, 0, 3), material=1)], (1, 0): [box((2, 2, 2))]}),
    Node("turret", 0, {(0, 0): [box((1, 2, 1))]}, keys=FAR),
    Node("gun_l", 1, {(0, 0): GUN}, keys=[Key(0, (1, 0, 0), turn((0, 0, 1), 30))]),
    Node("gun_r", 1, {(0, 0): GUN}, keys=[Key(0, (-1, 0, 0))]),
)
SOURCE = source_of(ModelBuilder.of(NODES).build())
Edit = Callable[[str], str]


def files_of(options: Options = PLAIN) -> dict[str, bytes]:
    return exchange.files_of(scene_of(SOURCE, options), OBJ, "tank")


def read(files: Mapping[str, bytes], *, is_y_up: bool | None = None) -> Scene:
    file = SceneFile(Path("tank.obj"), files["tank.obj"], OBJ, resolver_of(files), is_y_up=is_y_up)
    return exchange.read(file, SOURCE)


def edited(edit: Edit, *, has_sidecar: bool = True) -> Scene:
    """The scene of the file after an edit of its text."""
    files = files_of()
    before = files["tank.obj"].decode()
    files["tank.obj"] = edit(before).encode()
    assert files["tank.obj"].decode() != before
    if not has_sidecar:
        del files["tank.obj.json"]
    return read(files)


def changed(edit: Edit) -> dict[str, int]:
    """How many values of each field of the model an edit changes."""
    found = imported(edited(edit), SOURCE)
    assert found.losses == ()
    before = bytes(SOURCE.data)
    after = Model.read(plan(draft_of(before), found.changes).after)
    counts = {}
    for name in ("positions", "normals_raw", "uvs_raw", "indices"):
        old, new = getattr(SOURCE.model, name), getattr(after, name)
        if old.shape != new.shape:
            counts[name] = len(new) - len(old)
        elif (old != new).any():
            counts[name] = int((old != new).reshape(len(old), -1).any(axis=1).sum())
    return counts


def object_of(text: str, name: str) -> str:
    """The lines of an object."""
    start = text.index(f"o {name}")
    end = text.find("\no ", start)
    return text[start : end + 1 if end >= 0 else len(text)]


def without(name: str) -> Edit:
    """Remove an object, and count its vertices out of the faces that follow."""

    def edit(text: str) -> str:
        gone = object_of(text, name)
        counts = [gone.count(f"\n{word} ") for word in ("v", "vt", "vn")]
        rest = text.replace(gone, "\0")
        before, after = rest.split("\0")
        lines = [shifted(it, counts) if it.startswith("f ") else it for it in after.splitlines()]
        return before + "\n".join(lines) + "\n"

    return edit


def shifted(face: str, counts: list[int]) -> str:
    corners = [
        "/".join(str(int(it) - by) for it, by in zip(word.split("/"), counts, strict=True))
        for word in face.split()[1:]
    ]
    return "f " + " ".join(corners)


def rounded(text: str) -> str:
    """What Blender makes of numbers."""
    lines = []
    for line in text.splitlines():
        word, *rest = line.split()
        digits = {"v": 6, "vt": 6, "vn": 4}.get(word)
        lines.append(
            line if digits is None else " ".join([word, *(f"{float(it):.{digits}f}" for it in rest)])
        )
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("options", [PLAIN, replace(PLAIN, is_y_up=True), replace(PLAIN, cell=(1, 0))])
def test_nothing_edited_is_no_change(options: Options) -> None:
    found = imported(read(files_of(options)), SOURCE)
    assert (found.changes, found.losses, found.notes) == ((), (), ())


@pytest.mark.parametrize("has_sidecar", [True, False])
def test_numbers_that_were_rounded_are_no_change(has_sidecar: bool) -> None:
    found = imported(edited(rounded, has_sidecar=has_sidecar), SOURCE)
    assert (found.changes, found.losses) == ((), ())


def test_a_moved_vertex_is_one() -> None:
    def edit(text: str) -> str:
        part = object_of(text, "turret")
        line = part.splitlines()[1]
        x, y, z = map(float, line.split()[1:])
        return text.replace(part, part.replace(line, f"v {x + 0.001} {y} {z}", 1))

    assert changed(edit) == {"positions": 1}


def test_texture_coordinates_and_normals() -> None:
    def edit(text: str) -> str:
        part = object_of(text, "turret")
        return text.replace(part, part.replace("\nvt 0.0 1.0", "\nvt 0.25 0.5", 1))

    assert changed(edit) == {"uvs_raw": 1}


def test_another_material_of_an_object() -> None:
    text = files_of()["tank.obj"].decode()
    part = object_of(text, "turret")
    uses = sorted({it for it in text.splitlines() if it.startswith("usemtl")})
    own = next(it for it in uses if it in part)
    other = next(it for it in uses if it != own)
    found = imported(edited(lambda it: it.replace(part, part.replace(own, other))), SOURCE)
    assert [type(it).__name__ for it in found.changes] == ["AssignMaterial"]
    new = imported(edited(lambda it: it.replace(part, part.replace(own, "usemtl GOLD"))), SOURCE, NAMES)
    assert [type(it).__name__ for it in new.changes] == ["AssignMaterial"]
    assert len(new.wear) > 0


def test_a_deleted_object_takes_its_triangles_along() -> None:
    counts = changed(without("hull~n0.s0.b1"))
    assert (counts["positions"], counts["indices"]) == (-4, -6)


def test_a_node_without_objects_shows_nothing() -> None:
    scene = edited(without("turret"))
    assert scene.nodes[1].cells == {}
    (change,) = imported(scene, SOURCE).changes
    assert changed(without("turret")) == {}
    assert "node 1 shows nothing" in str(change.words)


def test_a_new_object_is_a_node() -> None:
    cube = "o crate\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n"
    counts = changed(lambda text: text + cube)
    assert (counts["positions"], counts["indices"]) == (3, 3)
    found = edited(lambda text: text + cube)
    assert [node.name for node in found.nodes][-1] == "crate"


def test_a_renamed_object_renames_its_node() -> None:
    found = imported(edited(lambda text: text.replace("o turret~", "o tower~")), SOURCE)
    (change,) = found.changes
    assert "tower" in str(change.words)


def test_two_new_names_of_a_node_are_told() -> None:
    scene = edited(lambda text: text.replace("o hull~n0.s0.b0", "o a~n0.s0.b0").replace("o hull~", "o b~"))
    assert scene.nodes[0].name == "a"
    assert len(scene.losses) == 1


def test_a_copy_adds_to_its_node() -> None:
    def edit(text: str) -> str:
        part = object_of(text, "turret")
        name, *lines = part.splitlines()
        moved = [f"v {float(it.split()[1]) + 9} 0 0" if it.startswith("v ") else it for it in lines]
        faces = [it for it in moved if it.startswith("f ")]
        counts = [-part.count(f"\n{word} ") for word in ("v", "vt", "vn")]
        totals = [text.count(f"\n{word} ") for word in ("v", "vt", "vn")]
        first = [int(it) - 1 for it in faces[0].split()[1].split("/")]
        assert len(counts) == 3
        by = [start - total for start, total in zip(first, totals, strict=True)]
        moved = [shifted(it, by) if it.startswith("f ") else it for it in moved]
        return text + "\n".join([name + ".001", *moved]) + "\n"

    counts = changed(edit)
    assert (counts["positions"], counts["indices"]) == (24, 36)


def test_an_object_that_lost_faces_keeps_its_rows() -> None:
    def edit(text: str) -> str:
        part = object_of(text, "turret")
        face = next(it for it in part.splitlines() if it.startswith("f "))
        return text.replace(part, part.replace(face + "\n", "", 1))

    assert changed(edit)["indices"] == -3


def test_rows_are_found_by_place_in_a_file_with_its_vertices_first() -> None:
    def edit(text: str) -> str:
        lines = text.splitlines()
        first = [it for it in lines if it.startswith(("v ", "vt ", "vn "))]
        return "\n".join([*first, *(it for it in lines if it not in {*first})]) + "\n"

    found = imported(edited(edit), SOURCE)
    assert (found.changes, found.losses) == ((), ())


def test_the_axis_that_is_said_wins() -> None:
    files = files_of()
    upright = files_of(replace(PLAIN, is_y_up=True))["tank.obj"]
    files["tank.obj"] = upright
    assert imported(read(files, is_y_up=True), SOURCE).changes == ()
    assert imported(read(files, is_y_up=False), SOURCE).changes != ()


@pytest.mark.parametrize("has_sidecar", [True, False])
@pytest.mark.parametrize(("is_y_up", "up"), [(True, "Y"), (False, "Z")])
def test_objects_that_are_turned_by_90_degrees_show_which_axis_is_up(
    *, has_sidecar: bool, is_y_up: bool, up: str
) -> None:
    """The JSON file says the other axis, or there is none: then Z is up, as the file has tags."""
    files = files_of(replace(PLAIN, is_y_up=not is_y_up))
    files["tank.obj"] = files_of(replace(PLAIN, is_y_up=is_y_up))["tank.obj"]
    if not has_sidecar:
        del files["tank.obj.json"]
    scene = read(files)
    assert scene.options.is_y_up is is_y_up
    assert imported(scene, SOURCE).changes == ()
    said = [f"{up} is up in the file: it is the model turned by 90 degrees"]
    assert [it for it in map(str, scene.notes) if "turned" in it] == (said if has_sidecar or is_y_up else [])


@pytest.mark.parametrize("damaged", [b"{", b"[" * 99_999, b'{"nodes": 1e999}', b"\xff\xfe", b"[-20]"])
def test_a_damaged_sidecar_is_not_used_and_said(damaged: bytes) -> None:
    without = files_of()
    del without["tank.obj.json"]
    expected, found = read(without), read(files_of() | {"tank.obj.json": damaged})
    assert found.losses[0].startswith("tank.obj.json is not used: ")
    assert found.losses[1:] == expected.losses
    assert [it.name for it in found.nodes] == [it.name for it in expected.nodes]


@pytest.mark.parametrize("content", [b"[-20", b'{"format": "another program"}', b'{"images": [1, 2, 3]}'])
def test_reading_leaves_a_sidecar_that_it_cannot_use(tmp_path: Path, content: bytes) -> None:
    for name, data in (files_of() | {"tank.obj.json": content}).items():
        (tmp_path / name).write_bytes(data)
    before = {it.name: it.read_bytes() for it in tmp_path.iterdir()}
    file = SceneFile(tmp_path / "tank.obj", before["tank.obj"], "obj", Folder(tmp_path))
    assert exchange.read(file).losses[0].startswith("tank.obj.json is not used: ")
    assert {it.name: it.read_bytes() for it in tmp_path.iterdir()} == before


def test_geometry_of_another_model_is_not_that_of_the_template() -> None:
    files = files_of()
    files["tank.obj.json"] = files["tank.obj.json"].replace(b'"vertices": [0, 1', b'"vertices": [1, 0', 1)
    scene = read(files)
    assert scene.meshes[0].primitives[0].vertices is not None
    assert np.isfinite(scene.meshes[0].primitives[0].positions).all()


@pytest.mark.parametrize("has_sidecar", [True, False])
def test_a_file_of_selected_objects_leaves_the_others(*, has_sidecar: bool) -> None:
    """One of three nodes; what is not in the file is removed only if that is asked."""

    def only_the_turret(text: str) -> str:
        for name in ("hull", "hull", "gun_l", "gun_r"):
            text = without(name)(text)
        return text

    scene = edited(only_the_turret, has_sidecar=has_sidecar)
    assert [node.name for node in scene.nodes if node.cells] == ["turret"]
    found = imported(scene, SOURCE)
    assert (found.missing, found.changes, found.losses) == (Missing.KEEP, (), ())
    assert any("left as they are" in it and "hull" in it for it in found.notes)
    removed = changes_of(SOURCE, scene, NAMES, ImportChoices(missing=Missing.REMOVE))
    assert {it.node for it in removed.changes if isinstance(it, SetCell)} == {0, 2, 3}
    one = edited(without("turret"))
    assert changes_of(SOURCE, one, NAMES, ImportChoices(missing=Missing.KEEP)).changes == ()
