"""Every verb that replaces a file of the game keeps it once, and says so; two at a time lose nothing.

``repair``: lists what can be repaired, repairs that and nothing else.

``patch``: made, shown, applied and undone; other files are refused.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.cli.console import GAME, Capture, failure, success
from tests.share import some
from tests.systems import needs_links
from viewer.cli import target
from viewer.cli.main import main
from viewer.control.converting import importing
from viewer.errors import OutputError
from viewer.formats.archive import nres
from viewer.model.convert.pictures import images
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.editing import FileEditing
from viewer.operations.opening import Source

GUNS: Final = GAME / "guns.rlb"
VERBS: Final = {
    "edit": ("edit", "{file}::e_gun_tw_01.msh", "--set", "nodes[1].flags=3", "--force", "--in-place"),
    "edit -o": ("edit", "{other}::e_gun_tw_01.msh", "--set", "nodes[1].flags=3", "--force", "-o", "{file}"),
    "repair": ("repair", "{other}", "-o", "{file}"),
    "patch": ("patch", "apply", "{patch}", "{other}", "-o", "{file}"),
    "import": ("import", "{text}", "-o", "{file}"),
    "import --into": ("import", "{text}", "--into", "{other}::e_gun_tw_01.msh", "-o", "{file}", "--force"),
    "import --replace": ("import", "{glb}", "-o", "{file}", "--replace"),
    "pack": ("pack", "{folder}", "-o", "{file}"),
    "copy": ("copy", "{other}", "-o", "{file}"),
    "texture": ("texture", "{png}", "--format", "565", "-o", "{file}"),
    "export": ("export", "{other}::e_gun_tw_01.msh", "--format", "glb", "-o", "{file}"),
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the verbs read, and the file that they replace."""
    folder = tmp_path_factory.mktemp("inputs")
    names = ("other", "text", "glb", "patch", "folder", "png")
    files = {it: str(folder / f"in.{it if it not in ('other', 'text') else 'rlb'}") for it in names}
    files["text"] = str(folder / "in.json")
    shutil.copy(GUNS, files["other"])
    Path(files["png"]).write_bytes(images.write_png(np.zeros((4, 4, 4), np.uint8)))
    edited, model = str(folder / "edited.rlb"), f"{files['other']}::e_gun_tw_01.msh"
    assert main(["edit", model, "--set", "nodes[1].flags=3", "--force", "-o", edited]) == 0
    assert main(["patch", "make", files["other"], edited, "-o", files["patch"]]) == 0
    assert main(["export", model, "-o", files["text"]]) == 0
    assert main(["export", model, "-o", files["glb"]]) == 0
    assert main(["extract", files["other"], "-o", files["folder"]]) == 0
    return files


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_replaced_is_kept_once_and_said(
    verb: str, inputs: dict[str, str], tmp_path: Path, capsys: Capture
) -> None:
    file = tmp_path / "models.rlb"
    shutil.copy(GUNS, file)
    before = file.read_bytes()
    arguments = [word.format(file=file, **inputs) for word in VERBS[verb]]
    out, _ = success(capsys, *arguments)
    assert f"wrote {file}; the file before is kept as models.rlb.bak" in out.splitlines()
    assert (tmp_path / "models.rlb.bak").read_bytes() == before
    file.write_bytes(before[:-1] + b"?") if verb != "edit" else None
    out, _ = success(capsys, *arguments)
    assert "models.rlb.bak" not in out
    assert (tmp_path / "models.rlb.bak").read_bytes() == before


def test_other_files_have_no_backup(tmp_path: Path, capsys: Capture) -> None:
    for _ in range(2):
        for name in ("a.glb", "a.gltf", "a.obj", "a.json"):
            success(capsys, "export", f"{GUNS}::e_gun_tw_01.msh", "-o", tmp_path / name)
    assert not [*tmp_path.glob("*.bak")]


@needs_links
def test_a_planted_link_is_said(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "models.rlb"
    shutil.copy(GAME / "models.rlb", file)
    before = file.read_bytes()
    (tmp_path / "models.rlb.bak").symlink_to("nowhere")
    _, err = success(
        capsys, "edit", f"{file}::walker.msh", "--set", "nodes[1].flags=3", "--force", "--in-place", "--json"
    )
    assert "models.rlb.bak is not a file; the backup is models.rlb.1.bak" in err
    assert (tmp_path / "models.rlb.1.bak").read_bytes() == before


def test_an_import_does_not_replace_a_model_unasked(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file holds one cell of the model; all other cells would be gone."""
    monkeypatch.chdir(tmp_path)
    success(capsys, "extract", GAME / "models.rlb", "walker.msh", "walker.wea", "-o", "in")
    for name in ("walker.msh", "walker.wea"):
        shutil.copy(next(Path("in").glob(f"*{name}")), name)
    before = {it.name: it.read_bytes() for it in tmp_path.iterdir() if it.is_file()}
    success(capsys, "export", "walker.msh", "-o", "out.glb")
    for out in ("walker.msh", "."):
        if out == ".":
            Path("out.glb").rename("walker.glb")
        name = "out.glb" if out != "." else "walker.glb"
        error = failure(capsys, "import", name, "-o", out)
        assert error.endswith("came from walker.msh: use --template, or --replace\n".strip())
    Path("walker.msh").rename("kept.msh")
    error = failure(capsys, "import", "walker.glb", "-o", "walker.msh")
    assert error.startswith("mshview: error: walker.wea: exists already"), "it belongs to another model"
    Path("kept.msh").rename("walker.msh")
    assert {name: Path(name).read_bytes() for name in before} == before
    assert not [*tmp_path.glob("*.bak")]
    out, _ = success(capsys, "import", "walker.glb", "-o", "walker.msh", "--replace")
    assert {
        it.removesuffix(".bak"): Path(it).read_bytes() for it in ("walker.msh.bak", "walker.wea.bak")
    } == before
    assert out.count("is kept as") == 2
    success(capsys, "import", "walker.glb", "--template", "walker.msh.bak", "-o", "walker.msh")
    assert Path("walker.msh").read_bytes() == before["walker.msh"]


def test_an_edit_is_made_of_one_version_of_the_file(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program replaces the file after it was read, between two steps of the edit."""
    file, other = tmp_path / "models.rlb", tmp_path / "other.rlb"
    for it in (file, other):
        shutil.copy(GAME / "models.rlb", it)
    success(
        capsys, "edit", f"{other}::walker.msh", "--rename-node", "1", "longer_name", "--force", "--in-place"
    )
    theirs = other.read_bytes()
    edit, before = FileEditing.edit, file.read_bytes()

    def interrupted(self: FileEditing, *arguments: object) -> None:
        os.replace(other, file)  # noqa: PTH105 as another program does
        edit(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(FileEditing, "edit", interrupted)
    error = failure(capsys, "edit", f"{file}::walker.msh", "--rename-node", "2", "b", "--force", "--in-place")
    assert "was changed by another program since it was read" in error
    assert file.read_bytes() == theirs != before
    assert [it.name for it in tmp_path.glob("*.bak")] == ["other.rlb.bak"]


def test_a_file_is_itself_also_while_another_program_replaces_it(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two looks at a path the file may have become another one, which must not be written over."""
    file, other = tmp_path / "models.rlb", tmp_path / "other.rlb"
    shutil.copy(GAME / "models.rlb", file)
    other.write_bytes(b"the work of another program")
    theirs, write = other.read_bytes(), target.write_plans

    def interrupted(*arguments: Any) -> Any:
        os.replace(other, file)  # noqa: PTH105 as another program does
        return write(*arguments)

    monkeypatch.setattr(os.path, "samestat", lambda *_: False)  # it was replaced between the two
    monkeypatch.setattr(target, "write_plans", interrupted)
    error = failure(capsys, "edit", f"{file}::walker.msh", "--rename-node", "2", "b", "--force", "--in-place")
    assert "was changed by another program since it was read" in error
    assert file.read_bytes() == theirs


def test_the_window_does_not_either(tmp_path: Path, capsys: Capture) -> None:
    file, path = tmp_path / "walker.glb", tmp_path / "walker.msh"
    success(capsys, "export", f"{GAME / 'models.rlb'}::walker.msh", "-o", file)
    path.write_bytes(b"another model")
    with pytest.raises(OutputError, match=r"exists already; walker\.glb came from walker\.msh: open"):
        importing.write_new(FileStore(), file, Source(Address(path)))
    assert path.read_bytes() == b"another model"
    assert {it.name for it in tmp_path.iterdir()} == {"walker.glb", "walker.msh"}


SOUND = ModelBuilder.of(
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
    return [(row["address"], row["fault"]) for row in json.loads(out)["repairs"]]


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


def test_all_faults_are_repaired(folder: Path, capsys: Capture) -> None:
    success(capsys, "repair", "a.rlb", "-o", "repaired.rlb")
    success(capsys, "validate", "repaired.rlb")
    assert faults(capsys, "repaired.rlb", status=0) == []
    archive = nres.Archive.read(memoryview((folder / "repaired.rlb").read_bytes()))
    assert bytes(archive.payload(0)) == SOUND
    assert bytes(archive.payload(1)) == b"2\r\n0 A\r\n1 B\r\n"


def test_chosen_faults_are_repaired(folder: Path, capsys: Capture) -> None:
    success(capsys, "repair", "a.msh", "--only", "parents", "--in-place")
    model = Model.read(memoryview((folder / "a.msh").read_bytes()))
    assert (model.nodes["parent"][1], model.slots["batch_count"][1]) == (0xFFFF, 9)
    assert (folder / "a.msh.bak").exists()


def test_what_is_repaired_is_said(folder: Path, capsys: Capture) -> None:
    out, _ = success(capsys, "repair", "a.msh", "-o", "b.msh")
    assert "a.msh: parents: " in out
    assert "  nodes[1].parent: " in out
    assert out.splitlines()[-1] == "wrote b.msh"
    out, _ = success(capsys, "repair", "sound.msh")
    assert out == "sound.msh: nothing to repair\n"


def test_several_files(folder: Path, capsys: Capture) -> None:
    out, _ = success(capsys, "repair", "sound.msh", "a.msh", "--json", status=1)
    assert [len(result["repairs"]) for result in json.loads(out)["results"]] == [0, 2]


def test_what_empties_something_is_repaired_if_it_is_named(folder: Path, capsys: Capture) -> None:
    builder = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]})])
    builder.nodes["slots"][0, 1, 0] = 7
    (folder / "b.msh").write_bytes(builder.build())
    out, _ = success(capsys, "repair", "b.msh", status=1)
    assert "  not made: it leaves something empty or cut; --only cells makes it\n" in out
    assert "0 repairs: 0 ranges, 0 bytes\n" in out
    success(capsys, "repair", "b.msh", "--in-place")
    assert (folder / "b.msh").read_bytes() == builder.build()
    out, _ = success(capsys, "repair", "b.msh", "--only", "cells", "-o", "c.msh", "--json")
    assert [(it["fault"], it["is_made"]) for it in json.loads(out)["repairs"]] == [("cells", True)]
    assert Model.read(memoryview((folder / "c.msh").read_bytes())).nodes["slots"][0, 1, 0] == 0xFFFF


def test_unknown_faults_are_refused(folder: Path, capsys: Capture) -> None:
    assert "parents" in failure(capsys, "repair", "a.msh", "--only", "parent")


def test_every_damaged_file_is_repaired_or_left(files: Path, tmp_path: Path, capsys: Capture) -> None:
    folder = files / "damaged"
    mutants = json.loads((folder / "manifest.json").read_text("utf-8"))["mutants"]
    for mutant in some(mutants, folder):
        path = folder / mutant["file"]
        assert main(["repair", str(path), "-o", str(tmp_path / "out")]) in (0, 2)
        assert "Traceback" not in capsys.readouterr().err


MODEL = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]}), Node("turret", parent=0)]).build()
ARCHIVE = archive_of({"a.msh": MODEL, "b.wea": b"1\r\n0 A\r\n"})


@pytest.fixture
def patched_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.rlb").write_bytes(ARCHIVE)
    (tmp_path / "new.wea").write_bytes(b"2\r\n0 A\r\n0 B\r\n")
    success(
        capsys, "edit", "a.rlb", "--replace-entry", "b.wea", "new.wea", "-o", "b.rlb",
    )  # fmt: skip
    success(capsys, "edit", "b.rlb::a.msh", "--set", "nodes[1].flags=0x40", "-o", "b.rlb")
    success(capsys, "patch", "make", "a.rlb", "b.rlb", "-o", "p.json")
    return tmp_path


def test_there_and_back(patched_folder: Path, capsys: Capture) -> None:
    success(capsys, "patch", "apply", "p.json", "a.rlb", "-o", "c.rlb")
    assert (patched_folder / "c.rlb").read_bytes() == (patched_folder / "b.rlb").read_bytes()
    success(capsys, "patch", "apply", "p.json", "c.rlb", "--reverse", "--in-place")
    assert (patched_folder / "c.rlb").read_bytes() == ARCHIVE
    assert (patched_folder / "c.rlb.bak").read_bytes() == (patched_folder / "b.rlb").read_bytes()


def test_it_is_shown(patched_folder: Path, capsys: Capture) -> None:
    out, _ = success(capsys, "patch", "show", "p.json")
    lines = out.splitlines()
    assert "a.rlb::a.msh: nodes[1].flags: 0 -> 64" in lines
    assert lines[-1].endswith(f"{len(ARCHIVE)} -> {(patched_folder / 'b.rlb').stat().st_size} bytes")
    assert success(capsys, "patch", "make", "a.rlb", "b.rlb", "--dry-run")[0] == out


def test_a_long_value_of_a_patch_is_shown_in_a_line_that_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    change = {"address": "a", "table": "t", "row": 0, "field": "f", "before": "A" * 1_000_000, "after": 1}
    stamp = {"size": 1, "sha256": "0" * 64}
    patch = {"format": "mshview-patch", "version": 1, "before": stamp, "after": stamp, "changes": [change]}
    Path("p.json").write_text(json.dumps(patch))
    first, *_others = success(capsys, "patch", "show", "p.json")[0].splitlines()
    assert first == f"a: t[0].f: {'A' * 197}... -> 1"


def test_other_files_are_refused(patched_folder: Path, capsys: Capture) -> None:
    assert "has the patch already" in failure(capsys, "patch", "apply", "p.json", "b.rlb", "-o", "c.rlb")
    success(capsys, "edit", "a.rlb::a.msh", "--set", "batches[0].flags=1", "-o", "other.rlb")
    apply = ("patch", "apply", "p.json", "other.rlb", "-o", "c.rlb")
    assert "error: other.rlb: " in failure(capsys, *apply)
    assert not (patched_folder / "c.rlb").exists()
    success(capsys, *apply, "--force")
    out, _ = success(capsys, "diff", "b.rlb", "c.rlb", status=1)
    assert out.startswith("a.msh: batches.flags: 1 changed")
    success(capsys, "edit", "a.rlb::a.msh", "--set", "nodes[1].flags=1", "-o", "other.rlb")
    assert "nodes[1].flags: another value is there" in failure(capsys, *apply, "--force")


def test_patches_that_lie_are_refused(patched_folder: Path, capsys: Capture) -> None:
    patch = json.loads((patched_folder / "p.json").read_text())
    patch["changes"] = patch["changes"][1:]
    (patched_folder / "p.json").write_text(json.dumps(patch))
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
def test_wrong_usage(patched_folder: Path, capsys: Capture, arguments: list[str]) -> None:
    before = sorted(patched_folder.iterdir())
    failure(capsys, "patch", *arguments)
    assert sorted(patched_folder.iterdir()) == before
