"""``repair``: lists what can be mended, mends that and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.cli.console import Capture, failure, success
from viewer.cli.main import main
from viewer.formats.archive import nres
from viewer.model.mesh.model import Model

SOUND = ModelBuilder(
    [Node("hull", shapes={(0, 0): [box()]}), Node("turret", parent=0, shapes={(0, 0): [box()]})]
).build()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    """A model with two faults, alone and in an archive with a wear table that states too many rows."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sound.msh").write_bytes(SOUND)
    success(
        capsys, "edit", "sound.msh", "-o", "a.msh", "--force", "--without", "all",
        "--set", "nodes[1].parent=77", "--set", "slots[1].batch_count=9",
    )  # fmt: skip
    broken = (tmp_path / "a.msh").read_bytes()
    (tmp_path / "a.rlb").write_bytes(
        archive_of({"s.msh": SOUND, "b.wea": b"3\r\n0 A\r\n1 B\r\n", "a.msh": broken})
    )
    return tmp_path


def faults(capsys: Capture, *arguments: str, status: int) -> list[tuple[str, str]]:
    out, _ = success(capsys, "repair", *arguments, "--json", status=status)
    return [(row["address"], row["fault"]) for row in json.loads(out)["mends"]]


def test_faults_are_listed_and_nothing_is_written(folder: Path, capsys: Capture) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert faults(capsys, "a.msh", status=1) == [("a.msh", "parents"), ("a.msh", "batch-ranges")]
    assert faults(capsys, "sound.msh", status=0) == []
    assert faults(capsys, "a.rlb", status=1) == [
        ("a.rlb::b.wea", "row-counts"),
        ("a.rlb::a.msh", "parents"),
        ("a.rlb::a.msh", "batch-ranges"),
    ]
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_all_faults_are_mended(folder: Path, capsys: Capture) -> None:
    success(capsys, "repair", "a.rlb", "-o", "mended.rlb")
    success(capsys, "validate", "mended.rlb")
    assert faults(capsys, "mended.rlb", status=0) == []
    archive = nres.Archive.read(memoryview((folder / "mended.rlb").read_bytes()))
    assert bytes(archive.payload(0)) == SOUND
    assert bytes(archive.payload(1)) == b"2\r\n0 A\r\n1 B\r\n"


def test_chosen_faults_are_mended(folder: Path, capsys: Capture) -> None:
    success(capsys, "repair", "a.msh", "--only", "parents", "--in-place")
    model = Model.read(memoryview((folder / "a.msh").read_bytes()))
    assert (model.nodes["parent"][1], model.slots["batch_count"][1]) == (0xFFFF, 9)
    assert (folder / "a.msh.bak").exists()


def test_what_is_mended_is_said(folder: Path, capsys: Capture) -> None:
    out, _ = success(capsys, "repair", "a.msh", "-o", "b.msh")
    assert "a.msh: parents: " in out
    assert "  nodes[1].parent: " in out
    assert out.splitlines()[-1] == "wrote b.msh"
    out, _ = success(capsys, "repair", "sound.msh")
    assert out == "sound.msh: nothing to mend\n"


def test_several_files(folder: Path, capsys: Capture) -> None:
    out, _ = success(capsys, "repair", "sound.msh", "a.msh", "--json", status=1)
    assert [len(result["mends"]) for result in json.loads(out)["results"]] == [0, 2]


def test_unknown_faults_are_refused(folder: Path, capsys: Capture) -> None:
    assert "parents" in failure(capsys, "repair", "a.msh", "--only", "parent")


def test_every_damaged_file_is_mended_or_left(files: Path, tmp_path: Path, capsys: Capture) -> None:
    folder = files / "damaged"
    for mutant in json.loads((folder / "manifest.json").read_text("utf-8"))["mutants"]:
        path = folder / mutant["file"]
        assert main(["repair", str(path), "-o", str(tmp_path / "out")]) in (0, 2)
        assert "Traceback" not in capsys.readouterr().err
