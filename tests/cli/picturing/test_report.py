"""``report``: it says what it holds, and holds only that."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from PIL import Image

from tests.cli.console import MODELS, WALKER, Capture, failure, success
from viewer.version import VERSION


def test_a_report_of_a_model(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "r.zip"
    said, _err = success(capsys, "report", WALKER, "-o", out)
    with zipfile.ZipFile(out) as archive:
        for it in archive.infolist():
            assert any(it.filename in line and f"{it.file_size:,}" in line for line in said.splitlines())
        assert VERSION in archive.read("versions.txt").decode()
        assert "OpenGL" in archive.read("versions.txt").decode()
        assert archive.read("link.txt").decode().strip() == "mshview:open?file=models.rlb&entry=walker.msh"
        with archive.open("picture.png") as file, Image.open(file) as picture:
            assert max(picture.size) == 512
        everything = b"".join(archive.read(it) for it in archive.namelist() if it != "picture.png").decode()
    assert str(Path(MODELS).parent) not in everything
    assert str(Path.home()) not in everything.replace("\\\\", "\\")


def test_nothing_is_written_on_a_dry_run(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "r.zip"
    said, _err = success(capsys, "report", WALKER, "-o", out, "--dry-run", "--no-picture")
    assert "records.json" in said
    assert "picture.png" not in said
    assert not out.exists()


def test_a_link_says_which_file(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "r.zip"
    link = f"mshview:open?file={MODELS}&entry=walker.msh&lod=1"
    success(capsys, "report", "--state", link, "-o", out, "--no-picture")
    with zipfile.ZipFile(out) as archive:
        assert archive.read("link.txt").decode().strip().endswith("file=models.rlb&entry=walker.msh&lod=1")


@pytest.mark.parametrize("size", [64])
def test_of_a_texture_only_a_small_picture(tmp_path: Path, capsys: Capture, size: int) -> None:
    out = tmp_path / "r.zip"
    success(capsys, "report", f"{Path(MODELS).parent / 'Textures.lib'}::#0", "-o", out)
    with zipfile.ZipFile(out) as archive, archive.open("picture.png") as file, Image.open(file) as picture:
        assert max(picture.size) <= size


def test_a_missing_file_is_an_error(tmp_path: Path, capsys: Capture) -> None:
    assert "gone.msh" in failure(capsys, "report", tmp_path / "gone.msh", "-o", tmp_path / "r.zip")
    assert not (tmp_path / "r.zip").exists()
