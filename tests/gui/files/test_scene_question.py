"""Files of other programs that are opened: what becomes of them is asked, never their bytes shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mshview
from tests.gui.files.test_import_picture import asked
from tests.gui.hand import click
from tests.gui.harness import GuiTester, current, exists
from tests.operations.test_import_materials import tank_in
from tests.operations.test_new_model import PLANKS, RED, WOOD, contents, crate, write_as
from viewer.formats.archive import nres
from viewer.model.material.materials import FoundIn
from viewer.model.store.address import Address
from viewer.operations.imports.plan import ImportPlan
from viewer.session.edits.edited_file import UnsavedMarks
from viewer.session.edits.questions import SaveChoice
from viewer.ui.converting.import_window import why_whole

pytestmark = pytest.mark.closed("browser", "outline", "inspector")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A crate with two materials, one of which has an image."""
    return write_as(tmp_path, crate(WOOD, RED))


@pytest.fixture
def tank(tmp_path: Path) -> Address:
    """A model of an archive in a game folder."""
    folder = tmp_path / "game"
    folder.mkdir()
    return tank_in(folder)


def sheet_of(gui: GuiTester) -> ImportPlan:
    gui.settle()
    assert gui.state.converting.sheet is not None, gui.state.message
    return gui.state.converting.sheet


def names_in(data: bytes) -> list[str]:
    return [it.text for it in nres.Archive.read(data).entries]


def test_a_file_is_looked_at_without_being_written(
    gui: GuiTester, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(file.parent)
    gui.commands.opening.open(Address(file))
    gui.settle()
    assert exists(gui, "//scene/**/###new")
    click(gui, "//scene/**/###look")
    gui.settle()
    assert gui.state.converting.asked is None
    assert gui.document.address == Address(file / "crate.msh")
    wood, red = gui.document.materials.rows
    assert (wood.name, wood.found, red.name) == ("Wood", FoundIn.NAME, "Material.001")
    assert wood.textures[0] is not None
    assert np.array_equal(wood.textures[0].texture.level(0), PLANKS.pixels)
    assert contents(file.parent) == before
    assert Address(file / "crate.msh") not in gui.state.settings.recent
    assert UnsavedMarks().is_unsaved(gui.document.address)
    proposed = asked(gui, monkeypatch)
    gui.commands.saving.save_as()
    assert [(it.folder, it.new_name) for it in proposed] == [(file.parent, "crate.msh")]
    gui.commands.saving.save_as(tmp_path / "saved.msh")
    gui.settle()
    gui.commands.saving.answer(SaveChoice.WRITE)
    gui.settle()
    assert gui.document.address == Address(tmp_path / "saved.msh")
    assert gui.document.materials.wear_names == ("Wood", "Material.001")


def test_a_new_model_enters_an_archive_as_one_step(gui: GuiTester, file: Path, tank: Address) -> None:
    gui.open(str(tank))
    paths = [tank.path, *(tank.path.with_name(name) for name in ("Material.lib", "Textures.lib"))]
    saved = [it.read_bytes() for it in paths]
    gui.commands.importing.drop((str(file),))
    gui.settle()
    asked = gui.state.converting.asked
    assert asked is not None
    assert (asked.model, asked.archive, asked.name) == (tank, Address(tank.path), "crate.msh")
    assert asked.models == ("tank.msh",)
    click(gui, "//scene/**/###add")
    assert [it.item for it in sheet_of(gui).changes] == [
        "Textures.lib::planks.0",
        "Material.lib::Wood",
        "Material.lib::Material.001",
    ]
    click(gui, "//import_sheet/###apply")
    gui.settle()
    assert gui.document.address == Address(tank.path, ("crate.msh",))
    assert {it.found for it in gui.document.materials.rows} == {FoundIn.NAME}
    added = [names_in(current(gui, it))[len(names_in(old)) :] for it, old in zip(paths, saved, strict=True)]
    assert added == [["crate.msh", "crate.wea"], ["Wood", "Material.001"], ["planks.0"]]
    marks = gui.app.panel_context().lookups.is_unsaved
    assert all(marks(Address(it, (name,))) for it, names in zip(paths, added, strict=True) for name in names)
    assert not marks(tank), "it was in the archive before"
    assert [it.read_bytes() for it in paths] == saved, "nothing is written before it is saved"
    gui.commands.importing.ask(file)
    again = gui.state.converting.asked
    assert again is not None
    assert (again.name, again.models) == ("crate_2.msh", ("tank.msh", "crate.msh"))
    gui.commands.importing.read(file, Address(tank.path, ("crate.msh",)))
    assert (sheet_of(gui).changes, sheet_of(gui).byte_count) == ((), 0), "the same file changes nothing"
    assert why_whole(sheet_of(gui)).startswith("The file says nothing that")
    click(gui, "//import_sheet/###cancel")
    gui.commands.importing.add(file, Address(tank.path, ("crate_2.msh",)))
    assert not sheet_of(gui).changes, "its materials are there already"
    assert why_whole(sheet_of(gui)).startswith("The file becomes a new model")
    click(gui, "//import_sheet/###cancel")
    gui.commands.edits.step(-1)
    gui.settle()
    assert [current(gui, it) for it in paths] == saved


def test_libraries_that_the_game_folder_does_not_have_are_made(
    gui: GuiTester, file: Path, tank: Address
) -> None:
    archive, folder = Address(tank.path), tank.path.parent
    gui.open(str(tank))
    textures = folder / "Textures.lib"
    textures.unlink()
    gui.commands.importing.add(file, archive.child("crate.msh"))
    sheet = sheet_of(gui)
    assert [*sheet.made_libraries] == [textures]
    assert exists(gui, "//import_sheet/###apply")
    click(gui, "//import_sheet/###cancel")
    assert not textures.exists(), "nothing is made of a sheet that was left"
    gui.commands.importing.add(file, archive.child("crate.msh"))
    sheet_of(gui)
    click(gui, "//import_sheet/###apply")
    gui.settle()
    assert names_in(textures.read_bytes()) == []
    assert names_in(current(gui, textures)) == ["planks.0"]
    assert gui.document.address == archive.child("crate.msh")
    wood = gui.document.materials.rows[0]
    assert wood.textures[0] is not None
    assert np.array_equal(wood.textures[0].texture.level(0), PLANKS.pixels)
    gui.commands.edits.step(-1)
    gui.settle()
    assert names_in(current(gui, textures)) == []


def test_json_becomes_the_resource_that_it_describes(gui: GuiTester, tank: Address, tmp_path: Path) -> None:
    archive = Address(tank.path)
    gui.open(str(tank))
    before = current(gui, tank.path)
    text = tmp_path / "tank.msh.json"
    mshview.open(str(tank)).export(text)
    gui.commands.entries.add(archive, text)
    gui.settle()
    asked = gui.state.converting.asked
    assert asked is not None
    assert (asked.model, asked.archive, asked.name, asked.models) == (
        None,
        archive,
        "tank.msh",
        ("tank.msh",),
    )
    assert not exists(gui, "//scene/**/###look")
    gui.commands.importing.add(text, archive.child("copy.msh"))
    assert sheet_of(gui).is_ready
    click(gui, "//import_sheet/###apply")
    gui.settle()
    found = nres.Archive.read(current(gui, tank.path))
    assert bytes(found.payload(len(found.entries) - 1)) == bytes(mshview.open(str(tank)).data)
    gui.commands.edits.step(-1)
    gui.settle()
    gui.commands.entries.replace(tank, text)
    assert sheet_of(gui).byte_count == 0, "it is the same already"
    click(gui, "//import_sheet/###cancel")
    assert current(gui, tank.path) == before


def test_json_of_anything_else_enters_no_archive(gui: GuiTester, tank: Address, tmp_path: Path) -> None:
    archive = Address(tank.path)
    gui.open(str(tank))
    before = current(gui, tank.path)
    text = tmp_path / "notes.json"
    text.write_text('{"a": 1}')
    gui.commands.entries.add(archive, text)
    gui.settle()
    click(gui, "//scene/**/###add")
    gui.settle()
    assert gui.state.converting.sheet is None
    assert "notes.json" in gui.state.message
    assert current(gui, tank.path) == before


def test_bytes_of_a_scene_never_go_into_an_archive(gui: GuiTester, file: Path, tank: Address) -> None:
    gui.open(str(Address(tank.path.with_name("Textures.lib"))))
    before = current(gui, tank.path)
    gui.commands.importing.begin(file)
    asked = gui.state.converting.asked
    assert asked is not None
    assert (asked.model, asked.archive) == (None, None), "a library of textures is no place for a model"
    gui.commands.importing.answer(is_wanted=False)
    gui.commands.entries.add(Address(tank.path), file)
    gui.settle()
    asked = gui.state.converting.asked
    assert asked is not None
    assert (asked.model, asked.archive) == (None, Address(tank.path))
    gui.commands.importing.answer(is_wanted=False)
    gui.commands.entries.replace(tank, file)
    assert sheet_of(gui).address == tank
    gui.commands.importing.answer(is_wanted=False)
    gui.commands.entries.replace(Address(tank.path, ("tank.wea",)), file)
    gui.settle()
    assert gui.state.converting.sheet is None
    assert current(gui, tank.path) == before


def test_a_missing_file_is_an_error_not_a_question(gui: GuiTester, tmp_path: Path) -> None:
    gui.commands.opening.open(Address(tmp_path / "gone.glb"))
    gui.settle()
    assert gui.state.converting.asked is None
    assert "gone.glb" in gui.state.message
    gui.commands.importing.begin(tmp_path / "other.glb")
    gui.settle()
    assert gui.state.converting.asked is None
    assert "other.glb" in gui.state.message
