"""``export`` of models: the options, and that files with others beside them appear together."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from tests.builders import Key, ModelBuilder, Node, archive_of, box
from tests.cli.console import Capture, failure, success
from viewer.cli.main import main

MODEL = ModelBuilder(
    [
        Node("hull", shapes={(0, 0): [box()], (1, 0): [box((1, 1, 0.5))]}),
        Node("arm", parent=0, shapes={(0, 0): [box()]}, keys=[Key(0), Key(6, (0, 0, 2))]),
    ]
).build()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a model and an archive."""
    monkeypatch.chdir(tmp_path)
    Path("a.msh").write_bytes(MODEL)
    Path("b.rlb").write_bytes(archive_of({"x.msh": MODEL, "x.wea": b"1\r\n0 MAT\r\n"}))
    return tmp_path


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
