"""Every verb that replaces a file of the game keeps it once, and says so; two at a time lose nothing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from tests.cli.console import GAME, Capture, failure, success
from viewer.app.converting import importing
from viewer.cli import target
from viewer.cli.main import main
from viewer.errors import OutputError
from viewer.model.convert import images
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.file_store import FileStore
from viewer.operations.editing import FileEditing

VERBS: Final = {
    "edit": ("edit", "{file}::walker.msh", "--set", "nodes[1].flags=3", "--force", "--in-place"),
    "edit -o": ("edit", "{other}::walker.msh", "--set", "nodes[1].flags=3", "--force", "-o", "{file}"),
    "repair": ("repair", "{other}", "-o", "{file}"),
    "patch": ("patch", "apply", "{patch}", "{other}", "-o", "{file}"),
    "import": ("import", "{text}", "-o", "{file}"),
    "import --into": ("import", "{text}", "--into", "{other}::walker.msh", "-o", "{file}", "--force"),
    "import --replace": ("import", "{glb}", "-o", "{file}", "--replace"),
    "pack": ("pack", "{folder}", "-o", "{file}"),
    "copy": ("copy", "{other}", "-o", "{file}"),
    "texture": ("texture", "{png}", "--format", "565", "-o", "{file}"),
    "export": ("export", "{other}::walker.msh", "--format", "glb", "-o", "{file}"),
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the verbs read, and the file that they replace."""
    folder = tmp_path_factory.mktemp("inputs")
    names = ("other", "text", "glb", "patch", "folder", "png")
    files = {it: str(folder / f"in.{it if it not in ('other', 'text') else 'rlb'}") for it in names}
    files["text"] = str(folder / "in.json")
    shutil.copy(GAME / "models.rlb", files["other"])
    Path(files["png"]).write_bytes(images.write_png(np.zeros((4, 4, 4), np.uint8)))
    edited, model = str(folder / "edited.rlb"), f"{files['other']}::walker.msh"
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
    shutil.copy(GAME / "models.rlb", file)
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
            success(capsys, "export", f"{GAME / 'models.rlb'}::walker.msh", "-o", tmp_path / name)
    assert not [*tmp_path.glob("*.bak")]


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
    theirs, write = other.read_bytes(), target.write_edited

    def interrupted(*arguments: Any) -> Any:
        os.replace(other, file)  # noqa: PTH105 as another program does
        return write(*arguments)

    monkeypatch.setattr(os.path, "samestat", lambda *_: False)  # it was replaced between the two
    monkeypatch.setattr(target, "write_edited", interrupted)
    error = failure(capsys, "edit", f"{file}::walker.msh", "--rename-node", "2", "b", "--force", "--in-place")
    assert "was changed by another program since it was read" in error
    assert file.read_bytes() == theirs


def test_the_window_does_not_either(tmp_path: Path, capsys: Capture) -> None:
    file, path = tmp_path / "walker.glb", tmp_path / "walker.msh"
    success(capsys, "export", f"{GAME / 'models.rlb'}::walker.msh", "-o", file)
    path.write_bytes(b"another model")
    with pytest.raises(OutputError, match=r"exists already; walker\.glb came from walker\.msh: open"):
        importing.write_new(FileStore(), file, path, ReadingChoice.AUTO)
    assert path.read_bytes() == b"another model"
    assert {it.name for it in tmp_path.iterdir()} == {"walker.glb", "walker.msh"}
