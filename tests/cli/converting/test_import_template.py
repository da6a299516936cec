"""Files of other programs compared with the model that they were exported from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import archive_of
from tests.cli.console import WALKER, Capture, failure, success
from tests.model.convert.importing.scenes import DATA, PLAIN, moved, scene, with_node, with_primitive
from tests.model.edit.neighbors.steps import MODELS
from tests.operations.test_importing import WALKER as WALKER_ADDRESS
from tests.operations.test_importing import walker_without
from viewer.cli.main import main
from viewer.formats.archive import nres
from viewer.formats.archive.nres import Archive
from viewer.formats.neighbors import control
from viewer.formats.wear import decode
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.scene import Scene
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

WEAR = b"2\r\n0 METAL\r\n1 PAINT\r\n"


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The current folder with a model: in a file, in an archive with its wear table, and exported."""
    monkeypatch.chdir(tmp_path)
    data = archive_of({"tank.msh": DATA, "tank.wea": WEAR})
    Path("a.rlb").write_bytes(data)
    Path("tank.msh").write_bytes(DATA)
    write("tank.glb", scene(PLAIN))
    return data


def write(name: str, given: Scene) -> None:
    Path(name).write_bytes(glb_of(given))


def painted() -> Scene:
    """The scene with a material that the wear table does not have."""
    given = scene(PLAIN)
    rust = replace(given.materials[0], name="RUST", row=None)
    given = replace(given, materials=(*given.materials, rust))
    return with_primitive(given, 0, lambda it: replace(it, material=len(given.materials) - 1))


@pytest.mark.usefixtures("archive")
@pytest.mark.parametrize("template", ["tank.msh", "a.rlb::tank.msh"])
def test_an_unedited_file_is_the_template(template: str, capsys: Capture) -> None:
    out, err = success(capsys, "import", "tank.glb", "--template", template, "-o", "back.msh", "--json")
    told = json.loads(out)
    assert (told["changes"], told["lossy"], told["identical"], err) == ([], [], True, "")
    assert Path("back.msh").read_bytes() == DATA


@pytest.mark.usefixtures("archive")
@pytest.mark.parametrize("reading", ["seed", "field"])
@pytest.mark.parametrize("suffix", ["glb", "obj"])
def test_an_export_tells_import_its_reading_and_cell(suffix: str, reading: str, capsys: Capture) -> None:
    options = ("--reading", reading, "--lod", 2, "--rest", 1.5, "--y-up")
    success(capsys, "export", WALKER, "-o", f"out.{suffix}", *options)
    out, err = success(capsys, "import", f"out.{suffix}", "--template", WALKER, "-o", "same.msh", "--json")
    told = json.loads(out)
    assert (told["changes"], told["lossy"], told["identical"], err) == ([], [], True, "")


@pytest.mark.usefixtures("archive")
def test_a_template_is_written_over_with_a_backup(capsys: Capture) -> None:
    write("tank.glb", with_node(scene(PLAIN), 2, name="cannon"))
    success(capsys, "import", "tank.glb", "--template", "tank.msh", "-o", "tank.msh")
    assert Path("tank.msh").read_bytes() != DATA
    assert Path("tank.msh.bak").read_bytes() == DATA


def test_an_archive_is_written_over_with_a_backup(archive: bytes, capsys: Capture) -> None:
    write("tank.glb", with_node(scene(PLAIN), 2, name="cannon"))
    arguments = "import", "tank.glb", "--into", "a.rlb::tank.msh"
    out, _ = success(capsys, *arguments, "--dry-run", "--json")
    (change,) = json.loads(out)["changes"]
    assert (change["table"], change["row"], change["before"], change["after"]) == (
        "strings",
        2,
        "gun_l",
        "cannon",
    )
    assert Path("a.rlb").read_bytes() == archive
    success(capsys, *arguments, "--in-place")
    assert Path("a.rlb.bak").read_bytes() == archive
    changed = nres.Archive.read(Path("a.rlb").read_bytes())
    assert Model.read(changed.payload(0)).strings[2] == b"cannon"
    assert bytes(changed.payload(1)) == WEAR


@pytest.mark.usefixtures("archive")
def test_a_new_material_is_a_row_of_the_wear_table_next_to_it(capsys: Capture) -> None:
    write("tank.glb", painted())
    success(capsys, "import", "tank.glb", "--into", "a.rlb::tank.msh", "-o", "b.rlb")
    changed = nres.Archive.read(Path("b.rlb").read_bytes())
    assert [row.name for row in decode(changed.payload(1)).materials] == [b"METAL", b"PAINT", b"RUST"]
    assert Model.read(changed.payload(0)).batches["material"][0] == 2
    success(capsys, "validate", "b.rlb")


@pytest.mark.usefixtures("archive")
def test_a_wear_table_in_another_file_is_told(capsys: Capture) -> None:
    Path("tank.wea").write_bytes(WEAR)
    write("tank.glb", painted())
    out, _ = success(capsys, "import", "tank.glb", "--template", "tank.msh", "-o", "back.msh", "--json")
    assert [note for note in json.loads(out)["notes"] if "tank.wea" in note and "RUST" in note]
    assert Path("tank.wea").read_bytes() == WEAR


@pytest.mark.usefixtures("archive")
def test_a_payload_written_alone_says_what_its_archive_needs(capsys: Capture) -> None:
    write("tank.glb", with_node(painted(), 2, name="cannon"))
    arguments = "import", "tank.glb", "--template", "a.rlb::tank.msh", "-o", "back.msh", "--json"
    told = json.loads(success(capsys, *arguments)[0])
    assert [note for note in told["notes"] if "a.rlb::tank.wea" in note and "RUST" in note]
    assert {it["address"] for it in told["changes"]} == {"a.rlb::tank.msh"}, "nothing else is written"
    assert Model.read(Path("back.msh").read_bytes()).batches["material"][0] == 2
    assert Model.read(Path("back.msh").read_bytes()).strings[2] == b"cannon"


@pytest.mark.usefixtures("archive")
def test_what_cannot_be_taken_over_is_named_and_with_exact_refused(
    capsys: Capture,
) -> None:
    given = with_primitive(with_node(scene(PLAIN), 2, name="日"), 0, moved({2: (0.5, 0.5, 0.75)}))
    write("tank.glb", given)
    arguments = "import", "tank.glb", "--template", "tank.msh", "-o", "back.msh", "--json"
    assert main([*arguments, "--exact"]) == 1
    out, err = capsys.readouterr()
    assert len(json.loads(out)["lossy"]) == 1
    assert "--exact" in err
    assert not Path("back.msh").exists()
    success(capsys, *arguments)
    assert Model.read(Path("back.msh").read_bytes()).positions[2].tolist() == [0.5, 0.5, 0.75]


@pytest.mark.usefixtures("archive")
def test_what_the_check_finds_is_a_loss_that_exact_refuses_and_names_first(capsys: Capture) -> None:
    count = len(scene(PLAIN).meshes[0].primitives[0].triangles)
    write("tank.glb", with_primitive(scene(PLAIN), 0, lambda it: replace(it, material=None)))
    arguments = "import", "tank.glb", "--template", "tank.msh", "-o", "back.msh"
    assert main([*arguments, "--exact"]) == 1
    err = capsys.readouterr().err.splitlines()
    assert f"hull: {count} triangles without a material in the file have one" in err[0]
    assert "--exact" in err[-1]
    assert not Path("back.msh").exists()


@pytest.mark.usefixtures("archive")
def test_many_values_are_a_line_for_each_field_and_details_are_printed_on_request(capsys: Capture) -> None:
    count = len(scene(PLAIN).meshes[0].primitives[0].positions)
    larger = with_primitive(scene(PLAIN), 0, lambda it: replace(it, positions=it.positions * np.float32(2)))
    write("tank.glb", larger)
    arguments = "import", "tank.glb", "--template", "tank.msh", "-o", "back.msh", "--dry-run"
    out, _ = success(capsys, *arguments)
    assert f"positions.position: {count} values" in out.splitlines()
    assert "positions[0].position" not in out
    out, _ = success(capsys, *arguments, "-v")
    assert "positions[0].position: " in out


@pytest.mark.usefixtures("archive")
def test_the_template_is_a_model(capsys: Capture) -> None:
    write("tank.glb", painted())
    arguments = ("import", "tank.glb", "-o", "back.msh", "--template")
    assert "a.rlb::tank.wea: not a model: wear table" in failure(capsys, *arguments, "a.rlb::tank.wea")
    err = failure(capsys, *arguments, "a.rlb")
    assert "is an archive, not a model; name one as in a.rlb::tank.msh: tank.msh" in err
    assert not Path("back.msh").exists()


ENGINE = 3
"""A part at which nothing ends and to which nothing refers: 35 nodes follow it."""


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return Path(shutil.copy(MODELS, tmp_path))


def edited(capsys: Capture, models: Path, *options: str) -> dict[str, Any]:
    arguments = ("edit", f"{models}::walker.msh", *options, "--in-place", "--json")
    found: dict[str, Any] = json.loads(success(capsys, *arguments)[0])
    return found


DISH_COMPONENT = "components[2].component[0].node"


def changes(found: dict[str, Any], entry: str) -> list[str]:
    """The changed fields of an entry, and whole rows."""
    own = (it for it in found["changes"] if it["address"].endswith(f"::{entry}"))
    return [f"{it['table']}[{it['row']}].{it['field'] or it['what']}" for it in own]


def test_what_numbers_the_nodes_of_a_model_is_one_sentence_each(models: Path, capsys: Capture) -> None:
    found = edited(capsys, models, "--remove", "engine")
    assert found["summary"][1:4] == [
        "walker.cpt: 11 references renumbered",
        "walker.ndp: node engine removed",
        "walker.ctl: 8 references renumbered",
    ]
    assert changes(found, "walker.cpt") == changes(found, "walker.ctl") == []
    assert changes(found, "walker.ndp") == ["header[0].count", f"nodes[{ENGINE}].removed"]
    renumbered = [it for it in found["renumbered"] if Path(it["address"]).name == "models.rlb::walker.ctl"]
    assert {it["field"] for it in renumbered} == {"node"}
    assert {it["table"]: it["count"] for it in renumbered} == {
        "channels": 6,
        "components[1].component": 1,
        "components[2].component": 1,
    }


def test_a_row_for_a_new_node_has_its_name(models: Path, capsys: Capture) -> None:
    found = edited(capsys, models, "--add-node", "beacon", "root")
    assert "walker.ndp: node beacon added" in found["summary"]


def test_a_reference_that_is_cleared_is_a_change(models: Path, capsys: Capture) -> None:
    """Though none is stored as -1, which is no node either; nothing drives such a channel.

    The dish is the node of a component as well.
    """
    found = edited(capsys, models, "--remove", "dish", "--clear-references")
    assert changes(found, "walker.ctl") == ["channels[5].node", "channels[5].flags", DISH_COMPONENT]
    assert "walker.ctl: 5 references renumbered" in found["summary"]


def test_two_archives_differ_in_the_same_words(models: Path, tmp_path: Path, capsys: Capture) -> None:
    edited(capsys, models, "--remove", "engine")
    assert main(["diff", str(MODELS), str(models), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["changes"]
    own = [it for it in found if it["path"][:1] in (["walker.cpt"], ["walker.ctl"])]
    assert {it["what"] for it in own} == {"renumbered"}


def test_without_a_model_next_to_it_numbers_are_values(models: Path, tmp_path: Path, capsys: Capture) -> None:
    edited(capsys, models, "--remove", "engine")
    for name, archive in (("a.ctl", MODELS), ("b.ctl", models)):
        payload = FileStore().open(Address(archive, ("walker.ctl",))).data
        (tmp_path / name).write_bytes(payload)
    assert main(["diff", str(tmp_path / "a.ctl"), str(tmp_path / "b.ctl"), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["changes"]
    assert {it["what"] for it in found} == {"changed"}


def test_a_template_in_an_archive_names_all_that_would_change_and_into_writes_it(
    models: Path, tmp_path: Path, capsys: Capture
) -> None:
    path = walker_without("engine", tmp_path / "w.glb")
    template = replace(WALKER_ADDRESS, path=models)
    arguments = ("import", path, "--template", template, "-o", tmp_path / "out.msh", "--json")
    told = json.loads(success(capsys, *arguments)[0])
    assert any("walker.ctl is not changed; it needs" in it for it in told["notes"])
    needed = f"walker.cpt, walker.ndp, walker.ctl would have to change too; --into {template} writes them all"
    assert needed in told["notes"]
    assert models.read_bytes() == MODELS.read_bytes()
    success(capsys, "import", path, "--into", template, "--in-place")
    old, new = (control.decode(Archive.read(it.read_bytes()).payload(4)) for it in (MODELS, models))
    assert (new.channels["node"] == old.channels["node"] - 1).all()
