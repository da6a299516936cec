"""The wear table next to a loose model: an import writes both, or neither."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.console import Capture, failure, success
from tests.operations.test_import_materials import NAMES, exported, glb, tank_in, with_dome
from viewer.formats import wear
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.writing import NewFile, WrittenFile
from viewer.model.write import saving


@pytest.fixture
def model(tmp_path: Path) -> Address:
    """A model and its wear table as files of a game folder."""
    archive = tank_in(tmp_path).path
    for name in ("tank.msh", "tank.wea"):
        (tmp_path / name).write_bytes(FileStore().open(Address(archive, (name,))).data)
    return Address(tmp_path / "tank.msh")


def test_a_new_part_of_a_loose_model_brings_its_wear_row(
    model: Address, tmp_path: Path, capsys: Capture
) -> None:
    path = glb(with_dome(exported(model)), tmp_path)
    success(capsys, "import", path, "--template", model, "-o", model, "--textures")
    assert [row.name for row in wear.decode((tmp_path / "tank.wea").read_bytes()).materials][-1] == b"DOME"
    assert {it.name for it in tmp_path.glob("*.bak")} == {
        f"{name}.bak" for name in ("tank.msh", "tank.wea", "Material.lib", "Textures.lib")
    }
    assert "DOME" in {it.name for it in exported(model).materials}
    success(capsys, "validate", tmp_path)


def test_a_wear_table_that_another_program_changed_is_not_written_over(
    model: Address, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the reading and the writing; nothing else is written then either."""
    wear_file = tmp_path / "tank.wea"
    path = glb(with_dome(exported(model)), tmp_path)
    before = {it: it.read_bytes() for it in tmp_path.iterdir()}
    write, theirs = saving.write, wear.build([*NAMES, b"THEIRS"])

    def written_after_another_program(files: Sequence[NewFile]) -> list[WrittenFile]:
        wear_file.write_bytes(theirs)
        return write(files)

    monkeypatch.setattr(saving, "write", written_after_another_program)
    err = failure(capsys, "import", path, "--template", model, "-o", model, "--textures")
    assert "tank.wea: was changed by another program" in err
    assert {it: it.read_bytes() for it in tmp_path.iterdir()} == {**before, wear_file: theirs}
