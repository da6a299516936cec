"""Many files of many inputs: the names that they get, what is refused, and what continues."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.broken.models import still
from tests.builders import ModelBuilder, Node, archive_of, box
from tests.cli.console import Capture, failure, success
from viewer.cli import processes
from viewer.cli.main import main
from viewer.cli.picturing import process_renderer
from viewer.formats.archive import nres
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat

MESH = int.from_bytes(b"MESH", "little")
WIDE = ModelBuilder.of([Node("bar", shapes={(0, 0): [box((4, 1, 1))]})]).build()
SMALL = ("--size", "24x24")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: an archive with a model and an archive in it, and a model in a folder."""
    monkeypatch.chdir(tmp_path)
    texture = texm.build(np.zeros((2, 2, 4), np.uint8), PixelFormat.ARGB8888)
    files = {"b.msh": WIDE, "bad.msh": still().build()[:200], "t.tex": texture}
    Path("in").mkdir()
    Path("in/a.rlb").write_bytes(archive_of({"a.msh": still().build(), "c.rlb": archive_of(files)}))
    Path("in/deep").mkdir()
    Path("in/deep/d.msh").write_bytes(WIDE)
    return tmp_path


def names(folder: str) -> set[str]:
    """The files below a folder."""
    return {it.relative_to(folder).as_posix() for it in Path(folder).rglob("*") if it.is_file()}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_every_model_below_a_folder_is_drawn_as_if_it_were_alone(capsys: Capture, jobs: str) -> None:
    assert main(["render", "in", "-o", "out/{entry}.png", *SMALL, "--jobs", jobs]) == 2
    out, err = capsys.readouterr()
    assert [Path(line).name for line in out.splitlines()] == ["a.msh.png", "b.msh.png", "d.msh.png"]
    assert [line.split(": ")[:3] for line in err.replace(os.sep, "/").splitlines() if " error: " in line] == [
        ["mshview", "error", "in/a.rlb::c.rlb::bad.msh"]
    ]
    assert names("out") == {"a.msh.png", "b.msh.png", "d.msh.png"}
    success(capsys, "render", "in/a.rlb::c.rlb::b.msh", "-o", "one.png", *SMALL)
    with Image.open("one.png") as alone, Image.open("out/b.msh.png") as among:
        assert np.array_equal(np.asarray(alone), np.asarray(among))


@pytest.mark.usefixtures("folder")
def test_two_inputs_of_one_name_are_refused_before_anything_is_written(capsys: Capture) -> None:
    Path("in/deep/A.msh").write_bytes(WIDE)
    for verb in ("render", "export"):
        suffix = "png" if verb == "render" else "glb"
        message = failure(capsys, verb, "in", "-o", f"out/{{entry}}.{suffix}")
        assert "a.rlb::a.msh and deep/A.msh are both out/A.msh" in message.replace(os.sep, "/")
        assert "{archive}" in message
    assert not Path("out").exists()
    assert main(["render", "in", "-o", "out/{archive}/{entry}.png", *SMALL]) == 2
    assert names("out") == {
        "a.rlb/a.msh.png", "a.rlb_c.rlb/b.msh.png", "deep/d.msh.png", "deep/A.msh.png",
    }  # fmt: skip


@pytest.mark.usefixtures("folder")
def test_the_images_of_a_series_are_names_too(capsys: Capture) -> None:
    Path("in/deep/d.msh_0001.msh").write_bytes(WIDE)
    turning = ("render", "in/deep", "--turntable", "2", *SMALL, "-o")
    success(capsys, *turning, "out/{entry}.png")
    assert "d.msh_0001.msh_0001.png" in names("out")
    Path("in/deep/d").write_bytes(WIDE)
    Path("in/deep/d_0001.msh").write_bytes(WIDE)
    assert main([*turning, "other/{entry}.png"]) == 0
    assert len(names("other")) == 8, "a file without a suffix is found by its first bytes"


@pytest.mark.usefixtures("folder")
def test_no_name_of_an_entry_leaves_the_folder(capsys: Capture) -> None:
    entries = [
        nres.NewEntry(MESH, WIDE, name) for name in (b"..\\up.msh", b"../up.msh", b"up.msh", b"UP.MSH")
    ]
    Path("evil.rlb").write_bytes(nres.build(entries))
    success(capsys, "export", "evil.rlb", "-o", "deep/out/{entry}.json")
    assert len(names("deep")) == 4
    assert all(name.startswith("out/") for name in names("deep"))
    assert not Path("deep/up.msh.json").exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ("render in/a.rlb::c.rlb in/deep/d.msh -o out/{index}-{stem}.png", {"0-b.png", "0-d.png"}),
        ("render in/deep --turntable 2 -o out/{frame}/{stem}.png", {"0000/d.png", "0001/d.png"}),
        ("render in/deep/d.msh --lod 0 --group 0 -o out/{lod}{group}.png", {"00.png"}),
        ("render in/deep/d.msh -o out/{frame}.png", {"0000.png"}),
        ("export in/deep -o out/{archive}_{stem}_{lod}{group}.obj", {"deep_d_00.obj", "deep_d_00.mtl"}),
    ],
)
def test_templates_are_filled(capsys: Capture, arguments: str, written: set[str]) -> None:
    small = SMALL if arguments.startswith("render") else ()
    assert main([*arguments.split(), *small]) in (0, 2), "one of the models is damaged"
    assert written <= names("out")
    assert not any("{" in name for name in names("out"))
    capsys.readouterr()


@pytest.mark.usefixtures("folder")
def test_textures_and_images_are_converted_both_ways(capsys: Capture) -> None:
    success(capsys, "texture", "in", "-o", "out/{entry}.png")
    assert names("out") == {"t.tex.png"}
    success(capsys, "texture", "out", "-o", "back/{entry}.texm", "--format", "8888")
    assert texm.decode(Path("back/t.tex.png.texm").read_bytes()).levels[0].width == 2


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["render", "in", "in", "-o", "x.png"], "several files need {entry}"),
        (["render", "in/deep", "-o", "{entry}/x.png"], "{entry}"),
        (["texture", "in/deep", "-o", "out/{entry}.png"], str(Path("in/deep: holds no texture"))),
        (
            ["render", "in/deep", "-o", "out/{name}.png"],
            "{name} is not one of {entry}, {stem}, {index}",
        ),
        (["render", "in/deep", "-o", "out/{stm}.png"], "did you mean {stem}?"),
        (["texture", "in/a.rlb", "-o", "out/{stem}{lod}.png"], "{lod} is not one of"),
        (["render", "in/deep", "-o", "out/{stem}{lod}.png"], "{lod} needs --lod"),
        (["render", "in/deep", "-o", "out/{archive}.png"], "{archive} needs {entry}"),
        (["render", "in/deep", "--animate", "-o", "out/{stem}{frame}.gif"], "a film is one file"),
        (["export", "nope", "-o", "out/{entry}.glb"], "nope: cannot be read"),
        (["render", "in/a.rlb::c.rlb::t.tex", "-o", "out/{entry}.png"], "t.tex: is not a model"),
    ],
)
def test_what_cannot_be_written_is_one_error(capsys: Capture, arguments: list[str], words: str) -> None:
    assert words in failure(capsys, *arguments)
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("count", "requested", "renderer", "jobs"),
    [
        (400, None, "llvmpipe (LLVM 15)", 4),
        (400, None, "NVIDIA H100", 1),
        (400, 3, "NVIDIA H100", 3),
        (2, None, "llvmpipe (LLVM 15)", 1),
        (1, 5, "llvmpipe (LLVM 15)", 1),
    ],
)
def test_processes_share_the_drawing_of_a_processor_alone(
    monkeypatch: pytest.MonkeyPatch, count: int, requested: int | None, renderer: str, jobs: int
) -> None:
    monkeypatch.setattr(processes, "cores", lambda: 4)
    context = type("Context", (), {"info": {"GL_RENDERER": renderer}})
    monkeypatch.setattr(process_renderer, "create_context", context)
    assert process_renderer.drawing_jobs(count, requested) == jobs
