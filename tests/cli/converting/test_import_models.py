"""Models of other programs as new ones: files, entries, libraries, and what is said about them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import mshview
from tests.builders import archive_of
from tests.cli.console import Capture, failure, json_of, success
from tests.game_folders import MAT0, MATERIALS, archive
from tests.model.convert.gltf.making import CORNERS, File
from tests.model.convert.gltf.test_materials import PIXELS, picture
from viewer.cli.main import main
from viewer.formats.archive import nres
from viewer.formats.texture import texm
from viewer.formats.wear import decode
from viewer.model.checks.models import layout_findings
from viewer.model.mesh.model import Model

WEAR = b"1\r\n0 MAT\r\n"


def crate() -> File:
    """A file with a node that moves, shows a textured and a plain triangle, and loses its colors."""
    file = File()
    file.add("images", bufferView=file.view(picture()), mimeType="image/png", name="planks")
    file.add("textures", source=0)
    base = {"baseColorTexture": {"index": 0}, "baseColorFactor": [1, 1, 1, 0.5]}
    file.add("materials", name="WOOD", pbrMetallicRoughness=base, alphaMode="BLEND")
    file.add("materials", name="GLOW", emissiveFactor=[1, 0, 0], extensions={"KHR_materials_unlit": {}})
    attributes = {"TEXCOORD_0": file.array(CORNERS[:, :2]), "COLOR_0": file.array(np.ones((4, 3)))}
    parts = file.triangle(attributes, material=0), file.triangle(material=1)
    file.node(name="crate", mesh=file.mesh(*parts), scale=[2, 2, 2])
    file.animation(0, "translation", [0, 1], [[0, 0, 0], [0, 1, 0]])
    return file


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a file of another program and an archive."""
    monkeypatch.chdir(tmp_path)
    Path("crate.glb").write_bytes(crate().glb())
    Path("b.rlb").write_bytes(archive_of({"x.wea": WEAR}))
    return tmp_path


def test_a_new_model_has_its_wear_table_next_to_it(folder: Path, capsys: Capture) -> None:
    out, err = success(capsys, "import", "crate.glb", "-o", "crate.msh")
    assert out.splitlines() == [
        "the file has no normals: they are computed from its faces",
        "wrote crate.wea",
        "wrote crate.msh",
    ]
    assert err.splitlines()[0].endswith("meshes[0].primitives[0]: colors of vertices are left out")
    model = Model.read((folder / "crate.msh").read_bytes())
    assert layout_findings(model) == []
    assert model.positions.tolist()[:3] == (CORNERS[:3, [0, 2, 1]] * np.array([2, -2, 2])).tolist()
    assert [row.name for row in decode((folder / "crate.wea").read_bytes()).materials] == [b"WOOD", b"GLOW"]
    success(capsys, "validate", "--strict", "crate.msh", "crate.wea")


@pytest.mark.parametrize("reading", ["seed", "field"])
def test_either_reading(folder: Path, reading: str, capsys: Capture) -> None:
    success(capsys, "import", "crate.glb", "-o", "crate.msh", "--reading", reading)
    batches = Model.read((folder / "crate.msh").read_bytes()).batches
    row = batches["material"] if reading == "seed" else batches["opaque4"] & 0xFF
    assert row.tolist() == [0, 1]


@pytest.mark.parametrize("rate", ["0", "-15", "nan", "1e7"])
def test_frames_a_second_are_within_the_bounds_of_an_export(folder: Path, rate: str, capsys: Capture) -> None:
    assert "fps: " in failure(capsys, "import", "crate.glb", "-o", "crate.msh", "--fps", rate)
    with pytest.raises(mshview.Error, match="fps: "):
        mshview.import_file("crate.glb", "crate.msh", fps=float(rate))
    assert not Path("crate.msh").exists()


def test_textures_and_materials_become_libraries(folder: Path, capsys: Capture) -> None:
    success(capsys, "import", "crate.glb", "-o", "crate.msh", "--textures", "Textures.lib")
    (entry,) = nres.Archive.read((folder / "Textures.lib").read_bytes()).entries
    archive = nres.Archive.read((folder / "Textures.lib").read_bytes())
    assert (entry.text, texm.decode(archive.payload(0)).level(0)[..., :3].tolist()) == (
        "planks.0",
        PIXELS.tolist(),
    )
    success(capsys, "validate", "--strict", ".")
    out, _ = success(capsys, "materials", "crate.msh", "--json")
    wood, glow = json.loads(out)["batches"]
    assert [(it["material"], it["found"]) for it in (wood, glow)] == [("WOOD", "name"), ("GLOW", "name")]
    assert (wood["phase"]["texture"], wood["blend"]) == ("planks.0", "alpha")
    assert wood["phase"]["ambient"] == [0, 0, 0, 0.5]
    assert glow["phase"]["ambient"] == [1, 1, 1, 1]
    assert glow["phase"]["lit"] is False


def test_libraries_that_exist_are_never_replaced(folder: Path, capsys: Capture) -> None:
    (folder / "Material.lib").write_bytes(b"mine")
    error = failure(capsys, "import", "crate.glb", "-o", "crate.msh", "--textures", "Textures.lib")
    assert error == "mshview: error: Material.lib: exists already; textures go into new libraries"
    assert sorted(it.name for it in folder.iterdir()) == ["Material.lib", "b.rlb", "crate.glb"]


def test_an_archive_gets_the_model_and_its_wear_table(folder: Path, capsys: Capture) -> None:
    out, _ = success(capsys, "import", "crate.glb", "--into", "b.rlb::new.msh", "-o", "c.rlb", "--json")
    assert [it["what"] for it in json.loads(out)["changes"]] == ["added", "added"]
    archive = nres.Archive.read((folder / "c.rlb").read_bytes())
    assert [it.text for it in archive.entries] == ["x.wea", "new.msh", "new.wea"]
    success(capsys, "validate", "--strict", "c.rlb")


def test_an_inexact_import_can_be_refused(folder: Path, capsys: Capture) -> None:
    from viewer.cli.main import main  # noqa: PLC0415

    assert main(["import", "crate.glb", "-o", "crate.msh", "--exact", "--json"]) == 1
    out, _ = capsys.readouterr()
    assert "colors of vertices" in json.loads(out)["lossy"][0]
    assert not (folder / "crate.msh").exists()
    assert not (folder / "crate.wea").exists()


def test_a_damaged_file_is_one_error(folder: Path, capsys: Capture) -> None:
    file = crate()
    for accessor in file.json["accessors"]:
        accessor["count"] = 1 << 40
    Path("bad.gltf").write_bytes(file.text())
    error = failure(capsys, "import", "bad.gltf", "-o", "x.msh")
    assert re.match(r"mshview: error: bad\.gltf: accessors\[\d\]: more than the \d+ values", error)
    assert not (folder / "x.msh").exists()


def test_files_next_to_a_text_file_are_read(folder: Path, capsys: Capture) -> None:
    file = crate()
    Path("crate.gltf").write_bytes(file.text("data/crate.bin"))
    Path("data").mkdir()
    Path("data/crate.bin").write_bytes(bytes(file.bytes))
    success(capsys, "import", "crate.gltf", "-o", "a.msh")
    success(capsys, "import", "crate.glb", "-o", "b.msh")
    assert (folder / "a.msh").read_bytes() == (folder / "b.msh").read_bytes()


@pytest.mark.parametrize("suffix", ["glb", "gltf", "obj"])
def test_an_exported_model_is_the_template_again(folder: Path, suffix: str, capsys: Capture) -> None:
    success(capsys, "import", "crate.glb", "-o", "crate.msh")
    success(capsys, "export", "crate.msh", "-o", f"out.{suffix}")
    out, _ = success(capsys, "import", f"out.{suffix}", "--template", "crate.msh", "-o", "same.msh", "--json")
    assert json.loads(out)["identical"] is True
    assert (folder / "same.msh").read_bytes() == (folder / "crate.msh").read_bytes()
    error = failure(
        capsys, "import", f"out.{suffix}", "--template", "crate.msh", "--textures", "x", "-o", "y"
    )
    assert error == "mshview: error: --textures x: the game looks up textures in Textures.lib alone"


def test_a_folder_gets_files_named_after_the_imported_one(folder: Path, capsys: Capture) -> None:
    Path("made").mkdir()
    Path("crate.glb").rename("crate.msh.glb")
    success(capsys, "import", "crate.msh.glb", "-o", "made")
    assert sorted(it.name for it in (folder / "made").iterdir()) == ["crate.msh", "crate.wea"]


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"a note, not a model\n"])
def test_what_is_called_glb_and_is_none_says_so(folder: Path, data: bytes, capsys: Capture) -> None:
    (folder / "odd.glb").write_bytes(data)
    assert failure(capsys, "import", "odd.glb", "-o", "odd.msh").endswith("odd.glb: is not a glTF file")
    assert not Path("odd.msh").exists()


@pytest.mark.parametrize(
    ("name", "text"), [("e.gltf", '{"asset": {"version": "2.0"}, "nodes": [{}]}'), ("e.obj", "v 0 0 0\n")]
)
def test_a_file_without_triangles_says_so(folder: Path, name: str, text: str, capsys: Capture) -> None:
    (folder / name).write_text(text)
    arguments = "import", name, "-o", "e.msh", "--json"
    assert main([*arguments, "--exact"]) == 1
    assert "gives no triangles" in json.loads(capsys.readouterr().out)["lossy"][-1]
    assert not Path("e.msh").exists()
    main([*arguments])
    assert "the file gives no triangles" in json.loads(capsys.readouterr().out)["lossy"]


def test_the_axis_of_a_foreign_obj_is_said(folder: Path, capsys: Capture) -> None:
    (folder / "b.obj").write_text("# Blender 4.5\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    out, _ = success(capsys, "import", "b.obj", "-o", "b.msh")
    assert [line for line in out.splitlines() if "Y is up, as Blender" in line]
    assert Model.read(Path("b.msh").read_bytes()).positions[2].tolist() == [0, 0, 1]
    out, _ = success(capsys, "import", "b.obj", "-o", "z.msh", "--z-up")
    assert "is up" not in out


def test_materials_of_a_new_model_that_the_game_around_it_does_not_have_are_said(
    folder: Path, capsys: Capture
) -> None:
    """As the window says it of the model once it is open: W06 needs no --game."""
    arguments = ("import", "crate.glb", "-o", "crate.msh", "--json")
    assert json.loads(success(capsys, *arguments)[0])["diagnostics"] == []
    (folder / "Material.lib").write_bytes(archive(MAT0, {"DEFAULT": MATERIALS["DEFAULT"]}))
    found = json.loads(success(capsys, *arguments, "--replace")[0])["diagnostics"]
    assert {(it["source"], it["rule"], it["table"]) for it in found} == {("crate.wea", "W06", "materials")}


def test_several_animations_are_clips_in_the_report(folder: Path, capsys: Capture) -> None:
    file = crate()
    file.animation(0, "translation", [0, 2], [[0, 0, 0], [0, 1, 0]])
    for item, name in zip(file.json["animations"], ("Idle", "Dance"), strict=True):
        item["name"] = name
    (folder / "two.glb").write_bytes(file.glb())
    told = json_of(capsys, "import", "two.glb", "-o", "two.msh")
    assert told["notes"] == [
        "the file has no normals: they are computed from its faces",
        "clip Idle: frames 0 to 15",
        "clip Dance: frames 16 to 46",
    ]
    assert told["clips"] == [
        {"name": "Idle", "first": 0, "last": 15, "rate": 15},
        {"name": "Dance", "first": 16, "last": 46, "rate": 15},
    ]
    assert "2 animations follow one another" in told["lossy"]
