"""Materials of an imported file, in the shell: libraries change with the model, or nothing does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.console import Capture, failure, success
from tests.operations.test_import_materials import (
    edited,
    exported,
    glb,
    imported,
    tank_in,
    with_dome,
)
from viewer.cli.main import main
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore


@pytest.fixture
def tank(tmp_path: Path) -> Address:
    """A model in a game folder."""
    return tank_in(tmp_path)


def test_the_shell_changes_the_libraries_with_the_model(
    tank: Address, tmp_path: Path, capsys: Capture
) -> None:
    path, before = glb(edited(exported(tank)), tmp_path), (tmp_path / "Material.lib").read_bytes()
    told, _ = success(capsys, "import", path, "--into", tank, "--in-place", "--textures", "--json")
    assert [(it["item"], it["is_made"]) for it in json.loads(told)["items"]] == [
        ("Material.lib::STEEL", True),
        ("Textures.lib::GRADED.0", True),
    ]
    assert json.loads(told)["lossy"] == []
    assert [Path(it["source"]).name for it in json.loads(told)["libraries"]] == [
        "Material.lib",
        "Textures.lib",
    ]
    assert (tmp_path / "Material.lib.bak").read_bytes() == before
    assert not (tmp_path / "models.rlb.bak").exists(), "the model has the same bytes"
    assert imported(tank, edited(exported(tank))).found.libraries == ()
    again, _ = success(capsys, "import", path, "--into", tank, "--in-place", "--textures", "--json")
    assert json.loads(again)["items"] == []


def test_items_are_declined_in_the_shell(tank: Address, tmp_path: Path, capsys: Capture) -> None:
    path = glb(edited(exported(tank)), tmp_path)
    arguments = ("import", path, "--into", tank, "--in-place", "--textures", "--without")
    assert "Material.lib::STEEL, Textures.lib::GRADED.0" in failure(capsys, *arguments, "STEEL")
    told = json.loads(success(capsys, *arguments, "Material.lib::STEEL", "--json")[0])
    assert [it["is_made"] for it in told["items"]] == [False, True]
    assert told["lossy"] == ["material STEEL: its color is left out"]
    assert not (tmp_path / "Material.lib.bak").exists()
    assert (tmp_path / "Textures.lib.bak").exists()


def test_without_textures_each_edit_is_named_as_lost(tank: Address, tmp_path: Path, capsys: Capture) -> None:
    path, out = glb(edited(exported(tank)), tmp_path), tmp_path / "out.msh"
    told, _ = success(capsys, "import", path, "--template", tank, "-o", out, "--json")
    assert json.loads(told)["lossy"] == [
        "material STEEL: its color is left out",
        "texture GRADED.0: its new image is left out",
    ]
    out.unlink()
    assert main(["import", path, "--template", str(tank), "-o", str(out), "--exact"]) == 1
    assert not out.exists()
    same = glb(exported(tank), tmp_path)
    assert main(["import", same, "--template", str(tank), "-o", str(out), "--exact", "--textures"]) == 0
    assert out.read_bytes() == bytes(FileStore().open(tank).data)


def test_the_rows_of_a_new_part_are_listed_for_a_payload_alone(
    tank: Address, tmp_path: Path, capsys: Capture
) -> None:
    """Also if the directory of its archive would change too."""
    path = glb(with_dome(exported(tank)), tmp_path)
    for template in (tank, Address(tank.path, ("#0",))):
        told, _ = success(capsys, "import", path, "--template", template, "--dry-run", "--json")
        added = [it["table"] for it in json.loads(told)["changes"] if it["what"] == "added"]
        assert {"nodes", "slots", "batches", "indices"} <= {*added}


def test_nothing_is_written_if_a_library_cannot_be(
    tank: Address, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = glb(with_dome(exported(tank)), tmp_path)
    before = {it: it.read_bytes() for it in tmp_path.iterdir()}
    real, count = Path.replace, iter(range(99))

    def replace_until_the_last(self: Path, target: Path) -> Path:
        if target.suffix == ".rlb" and next(count) == 0:
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace_until_the_last)
    failure(capsys, "import", path, "--into", tank, "--in-place", "--textures")
    assert {it: it.read_bytes() for it in before} == before
