"""``report``: it says what it holds, and holds only that."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.cli.console import MODELS, WALKER, Capture, failure, success
from viewer.formats.archive import nres, nres_edit
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.translation import count_text
from viewer.version import VERSION


def test_a_report_of_a_model(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "r.zip"
    said, _err = success(capsys, "report", WALKER, "-o", out)
    with zipfile.ZipFile(out) as archive:
        for it in archive.infolist():
            assert any(it.filename in line and count_text(it.file_size) in line for line in said.splitlines())
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


@pytest.mark.parametrize(("side", "shown"), [(8, 4), (64, 32), (512, 64)])
def test_of_a_texture_only_a_small_picture(tmp_path: Path, capsys: Capture, side: int, shown: int) -> None:
    """One in four of its pixels, as of any file: a picture of all of them would be the texture."""
    made = tmp_path / "t.texm"
    made.write_bytes(texm.build(np.zeros((side, side, 4), np.uint8), PixelFormat.ARGB8888))
    success(capsys, "report", made, "-o", tmp_path / "r.zip")
    with (
        zipfile.ZipFile(tmp_path / "r.zip") as archive,
        archive.open("picture.png") as file,
        Image.open(file) as picture,
    ):
        assert picture.size == (shown, shown)


def test_the_log_names_no_folder_of_the_file(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "secret folder").mkdir()
    (tmp_path / "secret folder" / "a.rlb").write_bytes(b"NRes broken")
    success(capsys, "report", tmp_path / "secret folder" / "a.rlb", "-o", tmp_path / "r.zip")
    with zipfile.ZipFile(tmp_path / "r.zip") as archive:
        assert "a.rlb" in archive.read("log.txt").decode()
        assert not [it for it in archive.namelist() if b"secret" in archive.read(it)]


@pytest.mark.parametrize(
    ("address", "answer"),
    [
        ("gone.msh", "gone.msh: cannot be read"),
        ("models.rlb::gone.msh", "has no entry 'gone.msh'"),
        ("models.rlb::#99", "has no entry '#99'"),
        (".::gone.msh", "cannot be read"),
    ],
)
def test_what_does_not_exist_is_an_error(
    address: str, answer: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(MODELS, tmp_path)
    assert answer in failure(capsys, "report", address, "-o", "r.zip")
    assert [it.name for it in tmp_path.iterdir()] == ["models.rlb"]


def test_a_damaged_entry_is_reported(tmp_path: Path, capsys: Capture) -> None:
    archive = nres.Archive.read(MODELS.read_bytes())
    index = archive.find(b"walker.msh")
    assert index is not None
    (tmp_path / "a.rlb").write_bytes(nres_edit.rewrite(archive, {index: b"NRes broken"}))
    success(capsys, "report", tmp_path / "a.rlb::walker.msh", "-o", tmp_path / "r.zip", "--no-picture")
    assert (tmp_path / "r.zip").exists()
