"""``patch``: made, shown, applied and undone; other files are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.cli.console import Capture, failure, success

MODEL = ModelBuilder([Node("hull", shapes={(0, 0): [box()]}), Node("turret", parent=0)]).build()
ARCHIVE = archive_of({"a.msh": MODEL, "b.wea": b"1\r\n0 A\r\n"})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.rlb").write_bytes(ARCHIVE)
    (tmp_path / "new.wea").write_bytes(b"2\r\n0 A\r\n0 B\r\n")
    success(
        capsys, "edit", "a.rlb", "--replace-entry", "b.wea", "new.wea", "-o", "b.rlb",
    )  # fmt: skip
    success(capsys, "edit", "b.rlb::a.msh", "--set", "nodes[1].flags=0x40", "-o", "b.rlb")
    success(capsys, "patch", "make", "a.rlb", "b.rlb", "-o", "p.json")
    return tmp_path


def test_there_and_back(folder: Path, capsys: Capture) -> None:
    success(capsys, "patch", "apply", "p.json", "a.rlb", "-o", "c.rlb")
    assert (folder / "c.rlb").read_bytes() == (folder / "b.rlb").read_bytes()
    success(capsys, "patch", "apply", "p.json", "c.rlb", "--reverse", "--in-place")
    assert (folder / "c.rlb").read_bytes() == ARCHIVE
    assert (folder / "c.rlb.bak").read_bytes() == (folder / "b.rlb").read_bytes()


def test_it_is_shown(folder: Path, capsys: Capture) -> None:
    out, _ = success(capsys, "patch", "show", "p.json")
    lines = out.splitlines()
    assert "a.rlb::a.msh: nodes[1].flags: 0 -> 64" in lines
    assert lines[-1].endswith(f"{len(ARCHIVE)} -> {(folder / 'b.rlb').stat().st_size} bytes")
    assert success(capsys, "patch", "make", "a.rlb", "b.rlb", "--dry-run")[0] == out


def test_other_files_are_refused(folder: Path, capsys: Capture) -> None:
    assert "has the patch already" in failure(capsys, "patch", "apply", "p.json", "b.rlb", "-o", "c.rlb")
    success(capsys, "edit", "a.rlb::a.msh", "--set", "batches[0].flags=1", "-o", "other.rlb")
    apply = ("patch", "apply", "p.json", "other.rlb", "-o", "c.rlb")
    assert "error: other.rlb: " in failure(capsys, *apply)
    assert not (folder / "c.rlb").exists()
    success(capsys, *apply, "--force")
    out, _ = success(capsys, "diff", "b.rlb", "c.rlb", status=1)
    assert out.startswith("a.msh: batches.flags: 1 changed")
    success(capsys, "edit", "a.rlb::a.msh", "--set", "nodes[1].flags=1", "-o", "other.rlb")
    assert "nodes[1].flags: another value is there" in failure(capsys, *apply, "--force")


def test_patches_that_lie_are_refused(folder: Path, capsys: Capture) -> None:
    patch = json.loads((folder / "p.json").read_text())
    patch["changes"] = patch["changes"][1:]
    (folder / "p.json").write_text(json.dumps(patch))
    assert "promises" in failure(capsys, "patch", "apply", "p.json", "a.rlb", "-o", "c.rlb")


@pytest.mark.parametrize(
    "arguments",
    [
        ["make", "a.rlb", "-o", "x.json"],
        ["make", "a.rlb", "b.rlb"],
        ["make", "a.rlb", "b.rlb", "--in-place"],
        ["make", "a.rlb", "b.rlb", "-o", "x.json", "--reverse"],
        ["apply", "p.json", "a.rlb"],
        ["apply", "a.rlb", "p.json", "-o", "c.rlb"],
        ["show", "p.json", "a.rlb"],
        ["show", "a.rlb"],
        ["unmake", "a.rlb"],
    ],
)
def test_wrong_usage(folder: Path, capsys: Capture, arguments: list[str]) -> None:
    before = sorted(folder.iterdir())
    failure(capsys, "patch", *arguments)
    assert sorted(folder.iterdir()) == before
