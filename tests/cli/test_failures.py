"""What verbs say of what cannot be done: a reason, a document, the name that was meant."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.broken import models
from tests.builders import archive_of
from tests.cli.console import MODELS, WALKER, Capture, failure, success, terminal_output
from viewer.cli import output
from viewer.cli.main import main
from viewer.formats.archive import nres
from viewer.render import offscreen

MODEL = models.still().build()
COMMANDS = [
    ["ls"],
    ["inspect"],
    ["draws"],
    ["materials"],
    ["clips"],
    ["pose", "--time", "0"],
    ["diff", str(MODELS)],
    ["edit", "--set", "nodes[0].flags=1", "--dry-run"],
    ["repair"],
    ["import", "--template", WALKER, "--dry-run"],
    ["gallery", "-o", "site"],
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS, ids=lambda it: it[0])
def test_a_failure_has_a_document_too(folder: Path, capsys: Capture, command: list[str]) -> None:
    line = failure(capsys, *command, "lost.glb", "--json")
    assert "lost.glb" in line


def test_wrong_usage_has_a_document_if_the_verb_has_documents(capsys: Capture) -> None:
    failure(capsys, "pose", WALKER, "--json")
    failure(capsys, "copy", WALKER)
    assert main(["render", WALKER, "--json"]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "command", [["ls"], ["edit", "--set", "nodes[0].flags=1", "--dry-run"], ["repair"]], ids=lambda it: it[0]
)
def test_one_input_has_the_form_of_several_on_request(
    folder: Path, capsys: Capture, command: list[str]
) -> None:
    (folder / "a.rlb").write_bytes(archive_of({"a.msh": MODEL}))
    address = "a.rlb::a.msh" if command[0] != "ls" else "a.rlb"
    for name, has_error in ((address, False), ("lost.msh", True)):
        assert main([*command, name, "--json", "--results"]) in (0, 1, 2)
        (found,) = json.loads(capsys.readouterr().out)["results"]
        assert ("error" in found) == has_error


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (["inspect", f"{MODELS}::walkr.msh"], "walker.msh"),
        (["inspect", f"{MODELS}::WALKR.MSH"], "walker.msh"),
        (["extract", str(MODELS), "walkr.msh", "-o", "x"], "walker.msh"),
        (["edit", WALKER, "--rename-node", "turet", "x", "--dry-run"], "turret"),
        (["pose", WALKER, "--time", "0", "--clip", "wlk"], "walk"),
        (["pose", WALKER, "--time", "0", "--channel", "turet=0.5"], "turret"),
    ],
)
def test_a_name_that_does_not_exist_is_answered_with_the_one_that_was_meant(
    folder: Path, capsys: Capture, command: list[str], meant: str
) -> None:
    assert failure(capsys, *command).endswith(f"did you mean {meant}?")


@pytest.mark.parametrize(
    "command", [["draws"], ["pose", "--time", "0"], ["render", "-o", "x.png"], ["clips"]]
)
def test_an_archive_in_place_of_a_model_says_so(folder: Path, capsys: Capture, command: list[str]) -> None:
    line = failure(capsys, *command, MODELS)
    assert "is an archive, not a model" in line
    assert f"{WALKER}: walker.msh, drone.msh" in line


def test_a_pixel_format_that_does_not_exist_is_answered_with_those_that_do(
    folder: Path, capsys: Capture
) -> None:
    assert "'foo' is not one of 0, " in failure(capsys, "texture", WALKER, "--format", "foo", "-o", "x.texm")


def test_a_folder_without_files_is_not_sound(folder: Path, capsys: Capture) -> None:
    assert main(["validate", str(folder), "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["summary"]["files"] == 0
    assert "there is no file to check" in err


def test_folders_of_outputs_are_made(folder: Path, capsys: Capture) -> None:
    shutil.copy(MODELS, "a.rlb")
    shutil.copy(MODELS, "b.rlb")
    change = ("--set", "entries[0].attr1=5")
    success(capsys, "edit", "a.rlb", "b.rlb", *change, "-o", "new/two")
    assert {path.name for path in Path("new/two").iterdir()} == {"a.rlb", "b.rlb"}
    success(capsys, "edit", "a.rlb", *change, "-o", "new/one/c.rlb")
    assert nres.Archive.read(memoryview(Path("new/one/c.rlb").read_bytes())).entry(0).attr1 == 5
    success(capsys, "extract", "a.rlb", "#0", "-o", "new/three/all")
    assert {path.name for path in Path("new/three/all").iterdir()} >= {"walker.msh"}


@pytest.mark.parametrize("name", ["a::b.rlb", "a::b::c.rlb", "back\\::slash.rlb", "::", "a:.rlb"])
def test_names_with_the_separator_of_addresses_can_be_opened(
    folder: Path, capsys: Capture, name: str
) -> None:
    Path(name).write_bytes(archive_of({"one.msh": models.still().build()}))
    for address in (name, f"{name}::one.msh"):
        document = json.loads(success(capsys, "inspect", address, "--json")[0])
        again = json.loads(success(capsys, "inspect", document["source"], "--json")[0])
        assert again == document
    assert "1 ok" in success(capsys, "validate", f"{name}::one.msh")[0]


def test_a_time_before_the_first_frame_shows_a_negative_frame(capsys: Capture) -> None:
    assert success(capsys, "pose", WALKER, "--time", "-5")[0].startswith("time -5, frame -6\n")
    assert json.loads(success(capsys, "pose", WALKER, "--time", "-5", "--json")[0])["frame"] == -6


def test_a_change_of_a_header_chooses_its_only_row(capsys: Capture) -> None:
    change = ("--set", "header[0].sphere_radius=5", "--dry-run")
    out, _ = success(capsys, "edit", WALKER, *change)
    assert "header[0].sphere_radius: 4.9" in out
    assert "is chosen" not in out
    out, _ = success(capsys, "edit", WALKER, "--set", "nodes[parent>300].flags=5", "--dry-run")
    assert "no row of nodes is chosen by parent>300" in out


def test_without_opengl_there_is_advice(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise RuntimeError("no devices")

    monkeypatch.setattr("moderngl.create_context", fail)
    assert failure(capsys, "render", WALKER, "-o", "x.png").endswith(
        f"no devices; {offscreen.driver_advice()}"
    )


@pytest.mark.parametrize("width", [120, 90, 72, 60, 40])
def test_a_listing_fits_its_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    whole, _ = success(capsys, "ls", MODELS)
    monkeypatch.setattr(output, "line_width", lambda: width)
    with terminal_output():
        out, _ = success(capsys, "ls", MODELS)
    *table, last = out.splitlines()
    names = table[0].split()
    assert max(map(len, table)) <= width
    assert names[:2] == ["index", "name"]
    left_out = [name for name in whole.splitlines()[0].split() if name not in names]
    assert bool(left_out) == last.endswith(": " + ", ".join(left_out))
