"""What ``open`` does if there is no display."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import game_folders
from tests.builders import ModelBuilder, Node, box
from tests.cli.console import ROOT, Capture
from tests.cli.picturing.test_render import picture
from tests.messages import states
from tests.systems import needs_egl
from viewer.cli.main import main
from viewer.formats import wear


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "a.msh"
    path.write_bytes(ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).build())
    return path


@pytest.fixture
def no_display(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.chdir(tmp_path)


@needs_egl
@pytest.mark.usefixtures("no_display")
def test_open_draws_as_its_options_say(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MSHVIEW_PREVIEW", "preview.png")
    folder = game_folders.write(tmp_path / "game")
    (folder / "a.wea").write_bytes(wear.build([b"BLINK"]))
    model.rename(folder / "a.msh")
    pictures = []
    for options in ([], ["--scene", "0.9"], ["--look", "plain"]):
        assert main(["open", str(folder / "a.msh"), *options]) == 0
        pictures.append(picture(tmp_path / "preview.png").tobytes())
    assert len(set(pictures)) == len(pictures)


@needs_egl
@pytest.mark.usefixtures("no_display")
def test_without_a_display_open_leaves_the_picture_that_its_caller_names(
    model: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MSHVIEW_PREVIEW", "preview.png")
    assert main([str(model)]) == 0
    out = capsys.readouterr().out
    assert states(out, f"display {model} preview.png")
    assert picture(tmp_path / "preview.png").shape[2] == 4


@pytest.mark.usefixtures("no_display")
def test_without_a_display_open_writes_no_file_of_its_own(
    model: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MSHVIEW_PREVIEW", raising=False)
    (tmp_path / "preview.png").write_bytes(b"mine")
    assert main([str(model)]) == 2
    out, err = capsys.readouterr()
    assert states(err, "mshview: error: open: display 'mshview render")
    assert (out, err.count("\n")) == ("", 1)
    assert (tmp_path / "preview.png").read_bytes() == b"mine"


def test_make_run_names_the_picture() -> None:
    makefile = ROOT / "Makefile"
    recipe = makefile.read_text("utf-8").partition("\nrun:")[2].partition("\n\n")[0]
    assert "MSHVIEW_PREVIEW=preview.png $(BIN)/python -m viewer" in recipe
