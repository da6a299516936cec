"""``export`` and ``import`` as verbs: which files they write, and what they refuse."""

from __future__ import annotations

import io
import json
import os
import struct
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.builders import Key, ModelBuilder, Node, archive_of, box
from tests.cli.console import GAME, Capture, failure, success
from viewer.cli.main import main
from viewer.formats.archive import nres

MODEL = ModelBuilder.of(
    [
        Node("hull", shapes={(0, 0): [box()], (1, 0): [box((1, 1, 0.5))]}),
        Node("arm", parent=0, shapes={(0, 0): [box()]}, keys=[Key(0), Key(6, (0, 0, 2))]),
    ]
).build()
WEAR = b"1\r\n0 MAT\r\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a model and an archive."""
    monkeypatch.chdir(tmp_path)
    Path("a.msh").write_bytes(MODEL)
    Path("b.rlb").write_bytes(archive_of({"x.msh": MODEL, "x.wea": WEAR}))
    return tmp_path


def test_a_text_gives_the_same_bytes(folder: Path, capsys: Capture) -> None:
    success(capsys, "export", "a.msh", "-o", "a.json")
    success(capsys, "import", "a.json", "-o", "b.msh")
    assert (folder / "b.msh").read_bytes() == MODEL


def test_the_text_on_standard_output_is_that_of_the_file(
    folder: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["export", "a.msh", "-o", "a.json", "-q"]) == 0
    assert main(["export", "-o", "-", "--format", "json", "a.msh"]) == 0
    assert capsysbinary.readouterr().out == (folder / "a.json").read_bytes()


def test_many_entries_are_written_to_a_file_each(folder: Path, capsys: Capture) -> None:
    success(capsys, "export", "b.rlb", "a.msh", "-o", "texts/{entry}.json")
    assert {it.name for it in (folder / "texts").iterdir()} == {"x.msh.json", "x.wea.json", "a.msh.json"}
    success(capsys, "import", "texts/x.wea.json", "-o", "x.wea")
    assert (folder / "x.wea").read_bytes() == WEAR


def test_standard_input_is_one_of_many(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(MODEL)))
    success(capsys, "export", "-", "a.msh", "-o", "{entry}.json")
    assert (folder / "-.json").read_bytes() == (folder / "a.msh.json").read_bytes()


def test_one_that_fails_does_not_stop_the_others(folder: Path, capsys: Capture) -> None:
    assert main(["export", "lost.msh", "a.msh", "-o", "{entry}.json"]) == 2
    assert capsys.readouterr().err.count("mshview: error: ") == 1
    assert (folder / "a.msh.json").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["export", "a.msh", "-o", "a.jsom"], "did you mean json"),
        (["export", "a.msh", "-o", "-"], "--format names the format"),
        (["export", "a.msh", "b.rlb", "-o", "x.json"], "{entry}"),
        (["export", "a.msh", "-o", "{entry}/x{entry}.json"], "not of its folder"),
        (["export", "a.msh", "-o", "a.msh/{entry}.json"], f"a.msh{os.sep}a.msh.json: cannot be written"),
        (["import", "a.msh", "-o", "b.msh"], "--format names the format"),
        (["import", "a.json", "--into", "b.rlb", "--in-place"], "names no entry"),
        (["import", "a.json", "--in-place"], "--into names its entry"),
        (["import", "a.json", "--template", "a.msh", "-o", "b.msh"], "takes no template"),
        (["import", "a.json", "--into", "b.rlb::#7", "-o", "c.rlb"], "has no entry '#7'"),
        (["import", "a.json", "--into", "a.wea::x", "-o", "c.rlb"], "a.wea"),
    ],
)
def test_what_is_refused(folder: Path, capsys: Capture, arguments: list[str], words: str) -> None:
    success(capsys, "export", "a.msh", "-o", "a.json")
    before = {*folder.iterdir()}
    assert words in failure(capsys, *arguments)
    assert {*folder.iterdir()} == before


def test_an_entry_is_replaced_and_the_old_archive_kept(folder: Path, capsys: Capture) -> None:
    before = (folder / "b.rlb").read_bytes()
    (folder / "y.wea").write_bytes(b"1\r\n0 OTHER\r\n")
    success(capsys, "export", "y.wea", "-o", "y.json")
    printed = json.loads(
        success(capsys, "import", "y.json", "--into", "b.rlb::x.wea", "--in-place", "--json")[0]
    )
    assert [(it["table"], it["field"], it["after"]) for it in printed["changes"]] == [
        ("materials", "name", "OTHER")
    ]
    assert printed["lossy"] == []
    assert not printed["identical"]
    archive = nres.Archive.read((folder / "b.rlb").read_bytes())
    assert bytes(archive.payload(1)) == b"1\r\n0 OTHER\r\n"
    assert (folder / "b.rlb.bak").read_bytes() == before


def test_an_entry_is_added(folder: Path, capsys: Capture) -> None:
    success(capsys, "export", "a.msh", "-o", "a.json")
    success(capsys, "import", "a.json", "--into", "b.rlb::new.msh", "-o", "c.rlb")
    archive = nres.Archive.read((folder / "c.rlb").read_bytes())
    assert [entry.name for entry in archive.entries] == [b"x.msh", b"x.wea", b"new.msh"]
    assert bytes(archive.payload(2)) == MODEL
    assert archive.entry(2).type_id == int.from_bytes(b"MESH", "little")


def test_an_entry_that_is_the_same_changes_nothing(folder: Path, capsys: Capture) -> None:
    success(capsys, "export", "b.rlb::x.msh", "-o", "a.json")
    printed = json.loads(
        success(capsys, "import", "a.json", "--into", "b.rlb::x.msh", "-o", "c.rlb", "--json")[0]
    )
    assert printed["identical"]
    assert printed["changes"] == []
    assert (folder / "c.rlb").read_bytes() == (folder / "b.rlb").read_bytes()


def test_a_mistake_is_told_with_its_place(folder: Path, capsys: Capture) -> None:
    success(capsys, "export", "a.msh", "-o", "a.json")
    text = (folder / "a.json").read_text("utf-8")
    (folder / "a.json").write_text(text.replace('"parent": null', '"parent": 70000', 1), "utf-8")
    line = 1 + text[: text.index('"parent": null')].count("\n")
    message = failure(capsys, "import", "a.json", "-o", "b.msh")
    assert f"a.json: line {line} column " in message
    assert message.rstrip().endswith(".nodes[0].parent: 70000 exceeds 65535")
    assert not (folder / "b.msh").exists()


def test_git_shows_the_rows_that_differ(folder: Path, capsys: Capture) -> None:
    success(capsys, "export", "a.msh", "-o", "a.json")
    success(capsys, "edit", "a.msh", "--set", "nodes[0].flags=64", "-o", "b.msh")
    success(capsys, "export", "b.msh", "-o", "b.json")
    one, other = ((folder / name).read_text("utf-8").splitlines() for name in ("a.json", "b.json"))
    differing = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
    assert len(differing) == 1
    assert '"flags": 64' in differing[0][1]


def read(path: str | Path) -> dict[str, Any]:
    """The JSON of a file."""
    data = Path(path).read_bytes()
    if data[:4] == b"glTF":
        (size,) = struct.unpack_from("<I", data, 12)
        data = data[20 : 20 + size]
    found: dict[str, Any] = json.loads(data)
    return found


def exported(capsys: Capture, *options: str) -> dict[str, Any]:
    """The JSON of the model exported with some options."""
    success(capsys, "export", "a.msh", "-o", "a.glb", *options)
    return read("a.glb")


@pytest.mark.usefixtures("folder")
def test_the_options_decide_what_is_in_the_file(capsys: Capture) -> None:
    usual = exported(capsys)
    assert [len(usual[name]) for name in ("scenes", "nodes", "animations")] == [1, 2, 1]
    times = usual["accessors"][usual["animations"][0]["samplers"][0]["input"]]
    assert times["max"] == [pytest.approx(6 / 15)]
    everything = exported(capsys, "--cells", "all", "--fps", "30", "--lod", "1")
    assert [json.loads(scene["extras"]["mshview"])["cell"] for scene in everything["scenes"]] == [
        [1, 0],
        [0, 0],
    ]
    assert "animations" not in exported(capsys, "--animation", "none")
    rest = exported(capsys, "--rest", "3")["nodes"][1]
    assert rest["translation"] == [0, 1, 0]
    assert exported(capsys, "--rest", "3", "--z-up")["nodes"][1]["translation"] == [0, 0, 1]


def test_text_has_its_bytes_in_a_file_beside_it_or_in_itself(folder: Path, capsys: Capture) -> None:
    success(capsys, "export", "a.msh", "-o", "a b.gltf")
    buffer = read("a b.gltf")["buffers"][0]
    assert buffer["uri"] == "a%20b.bin"
    assert (folder / "a b.bin").stat().st_size == buffer["byteLength"]
    assert main(["export", "a.msh", "--format", "gltf", "-o", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["buffers"][0]["uri"].startswith("data:")


def test_all_files_appear_or_none(folder: Path, capsys: Capture) -> None:
    success(capsys, "export", "a.msh", "-o", "a.gltf")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    (folder / "a.gltf").unlink()
    (folder / "a.gltf").mkdir()
    failure(capsys, "export", "a.msh", "-o", "a.gltf", "--fps", "10")
    (folder / "a.gltf").rmdir()
    (folder / "a.gltf").write_bytes(before["a.gltf"])
    failure(capsys, "export", "a.msh", "-o", "a.gltf", "--fps", "10", "--no-clobber")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_models_of_an_archive_are_written_to_a_file_each(folder: Path, capsys: Capture) -> None:
    (folder / "out").mkdir()
    success(capsys, "export", "b.rlb", "-o", "out/{entry}.glb")
    assert [path.name for path in (folder / "out").iterdir()] == ["x.msh.glb"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("options", [("--fps", "0"), ("--fps", "nan"), ("--lod", "3"), ("--rest", "inf")])
def test_wrong_numbers_are_refused(capsys: Capture, options: tuple[str, str]) -> None:
    failure(capsys, "export", "a.msh", "-o", "a.glb", *options)
    assert not Path("a.glb").exists()


def test_the_extras_name_the_explosions_of_nodes(folder: Path, capsys: Capture) -> None:
    """The sample's damage names the same explosion for five nodes, the first one node 2."""
    success(capsys, "export", f"{GAME}/models.rlb::walker.msh", "-o", "w.gltf", "--no-textures")
    scene = json.loads((folder / "w.gltf").read_bytes())["scenes"][0]
    effects = json.loads(scene["extras"]["mshview"])["effects"].values()
    exploding = [it for it in effects if it["action"] == 27]
    assert [it["name"] for it in exploding] == ["blast.exp"] * 5
    assert exploding[0] == {
        "name": "blast.exp",
        "archive": "weapon.rlb",
        "action": 27,
        "values": [2, 0, 0, 0],
    }


def test_a_sidecar_keeps_a_file_of_another_program(folder: Path, capsys: Capture) -> None:
    (folder / "a.obj.json").write_text('{"images": [1, 2, 3]}')
    success(capsys, "export", "a.msh", "-o", "a.obj")
    success(capsys, "export", "a.msh", "-o", "a.obj")
    assert (folder / "a.obj.json.bak").read_text() == '{"images": [1, 2, 3]}'
    assert sorted(it.name for it in folder.glob("*.bak*")) == ["a.obj.json.bak"], "its own needs none"
