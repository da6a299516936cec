"""Textures by the folder in the window: all out, changed by other programs, back in as one step."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import PIL.Image
import pytest
from imgui_bundle import imgui

from tests.cli.console import GAME, Capture, success
from tests.gui.files.test_saving import save
from tests.gui.hand import click, drag
from tests.gui.harness import SIDES, GuiTester, current, exists, in_stage, steps
from viewer.app.dialogs.dialogs import Dialogs
from viewer.formats.texture.pixels import Image
from viewer.model.edit.archive.entries import RemoveEntry
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.operations.textures.texture_folders import ReturnPlan
from viewer.session.importing import RetexturedModel, TextureReturn
from viewer.ui.converting.textures_window import TextureReturnWindow

pytestmark = pytest.mark.closed(*SIDES)
NEEDED = "models.rlb", "Material.lib", "Textures.lib", "LightMap.lib"
"""The files of the game that the walker and its textures are in."""
OTHER = "METAL.0.png", "ARMOUR.0.png"
"""Pictures of textures that the walker shows."""


@pytest.fixture
def library(gui: GuiTester, tmp_path: Path) -> Path:
    """The textures of a game with the walker, open."""
    game = tmp_path / "game"
    game.mkdir()
    for name in NEEDED:
        shutil.copyfile(GAME / name, game / name)
    gui.open(Address(game / "Textures.lib", ("METAL.0",)))
    return game / "Textures.lib"


@pytest.fixture
def pictures(gui: GuiTester, library: Path, tmp_path: Path) -> Path:
    """The textures as pictures, written by the window."""
    folder = tmp_path / "pictures"
    gui.commands.textures.write(Address(library), folder)
    gui.settle()
    return folder


def inverted(path: Path) -> None:
    """Let another program change the colors of a picture."""
    with PIL.Image.open(path) as shown:
        pixels = np.array(shown)
    pixels[..., :3] = 255 - pixels[..., :3]
    PIL.Image.fromarray(pixels).save(path)


def resized(path: Path, side: int) -> None:
    """Let another program make a picture larger or smaller."""
    with PIL.Image.open(path) as shown:
        made = shown.resize((side, side))
    made.save(path)


def read(gui: GuiTester, library: Path, folder: Path) -> ReturnPlan:
    """Read the pictures of a folder, and what they change."""
    gui.commands.textures.read(Address(library), folder)
    return settled(gui)


def settled(gui: GuiTester) -> ReturnPlan:
    """What is asked about, once it is worked out."""
    gui.settle()
    plan = asked(gui).plan
    assert plan is not None
    return plan


def asked(gui: GuiTester) -> TextureReturn:
    found = gui.state.converting.textures
    assert found is not None
    assert not found.is_running
    assert not found.problem
    return found


def by_shell(capsys: Capture, library: Path, folder: Path) -> bytes:
    """The library that the shell makes of a folder."""
    out = folder.parent / "shell.lib"
    success(capsys, "texture", "--all", folder, "--into", library, "-o", out)
    return out.read_bytes()


def test_what_is_written_is_what_the_shell_writes(
    gui: GuiTester, library: Path, pictures: Path, tmp_path: Path, capsys: Capture
) -> None:
    success(capsys, "texture", library, "--all", "-o", tmp_path / "shell")
    written = gui.state.converting.pictures
    assert written is not None
    assert written.count == len([*pictures.glob("*.png")]) == 30
    assert {it.name: it.read_bytes() for it in pictures.iterdir()} == {
        it.name: it.read_bytes() for it in (tmp_path / "shell").iterdir()
    }
    click(gui, "//written_pictures/**/###put_back")
    assert not settled(gui).changed
    assert gui.state.converting.pictures is None


def test_pictures_come_back_as_one_step_and_save_writes_what_the_shell_does(
    gui: GuiTester, library: Path, pictures: Path, capsys: Capture
) -> None:
    stored = library.read_bytes()
    inverted(pictures / "METAL.0.png")
    resized(pictures / "ARMOUR.0.png", 64)
    made = by_shell(capsys, library, pictures)
    plan = read(gui, library, pictures)
    assert [it.name for it in plan.changed] == ["ARMOUR.0", "METAL.0"]
    assert plan.file.size_after == len(made) != len(stored)
    click(gui, "//texture_return/**/###apply")
    gui.settle()
    assert gui.state.converting.textures is None
    assert current(gui, library) == made
    assert len(steps(gui)) == 1
    resource = gui.state.resource
    assert resource is not None
    assert resource.texture is not None
    assert resource.texture.texture == plan.changed[1].after or resource.texture.texture.levels
    assert library.read_bytes() == stored
    gui.commands.edits.step(-1)
    gui.settle()
    assert current(gui, library) == stored
    gui.commands.edits.step(1)
    gui.settle()
    save(gui)
    assert library.read_bytes() == made


def test_an_unchanged_folder_changes_nothing(gui: GuiTester, library: Path, pictures: Path) -> None:
    plan = read(gui, library, pictures)
    assert not plan.changed
    assert not plan.file.is_changed
    assert plan.summary[0] == "0 of 30 textures changed"
    assert not exists(gui, "//texture_return/**/###apply")
    click(gui, "//texture_return/**/###cancel")
    assert gui.state.converting.textures is None
    assert not steps(gui)


def test_what_is_left_out_stays_as_it_is(
    gui: GuiTester, library: Path, pictures: Path, capsys: Capture
) -> None:
    inverted(pictures / "ARMOUR.0.png")
    made = by_shell(capsys, library, pictures)
    resized(pictures / "METAL.0.png", 32)
    assert len(read(gui, library, pictures).chosen) == 2
    click(gui, "//texture_return/**/$$1/###made")
    plan = settled(gui)
    assert [it.name for it in plan.chosen] == ["ARMOUR.0"]
    assert plan.file.after == made
    click(gui, "//texture_return/**/###all")
    assert len(settled(gui).chosen) == 2
    click(gui, "//texture_return/**/###all")
    assert not settled(gui).chosen
    click(gui, "//texture_return/**/###apply")
    assert asked(gui), "nothing is chosen, so nothing can be applied"
    click(gui, "//texture_return/**/$$0/###made")
    settled(gui)
    click(gui, "//texture_return/**/###apply")
    gui.settle()
    assert current(gui, library) == made


def test_what_cannot_be_used_is_said_and_the_rest_is_applied(
    gui: GuiTester, library: Path, pictures: Path
) -> None:
    inverted(pictures / "ARMOUR.0.png")
    (pictures / "METAL.0.png").write_bytes(b"no picture")
    (pictures / "BARK.0.png").unlink()
    (pictures / "notes.txt").write_text("mine")
    plan = read(gui, library, pictures)
    assert [it.name for it in plan.changed] == ["ARMOUR.0"]
    assert [(it.name, it.path.name) for it in plan.refused] == [("METAL.0", "METAL.0.png")]
    assert [*plan.missing, *plan.unknown] == [("BARK.0", "BARK.0.png"), "notes.txt"]
    click(gui, "//texture_return/**/###apply")
    gui.settle()
    assert len(steps(gui)) == 1


def test_a_folder_without_an_index_is_said(gui: GuiTester, library: Path, tmp_path: Path) -> None:
    gui.commands.textures.read(Address(library), tmp_path)
    gui.settle()
    found = gui.state.converting.textures
    assert found is not None
    assert "index.json" in found.problem
    assert found.plan is None


def test_pictures_that_were_saved_again_are_read_again(gui: GuiTester, library: Path, pictures: Path) -> None:
    assert not read(gui, library, pictures).changed
    inverted(pictures / "METAL.0.png")
    click(gui, "//texture_return/**/###read_again")
    assert [it.name for it in settled(gui).changed] == ["METAL.0"]


def test_nothing_is_applied_to_a_library_that_was_edited_meanwhile(
    gui: GuiTester, library: Path, pictures: Path
) -> None:
    inverted(pictures / "METAL.0.png")
    read(gui, library, pictures)
    gui.commands.edits.edit(Address(library), (RemoveEntry("BARK.0"),))
    gui.settle()
    edited = current(gui, library)
    click(gui, "//texture_return/**/###apply")
    gui.settle()
    assert "changed meanwhile" in gui.state.message
    assert current(gui, library) == edited
    assert len(steps(gui)) == 1
    gui.state.message = ""
    click(gui, "//texture_return/**/###read_again")
    assert len(settled(gui).changed) == 1
    click(gui, "//texture_return/**/###apply")
    gui.settle()
    assert len(steps(gui)) == 2
    assert current(gui, library) != edited


def test_a_folder_that_has_something_is_not_replaced(gui: GuiTester, library: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "a.txt").write_text("mine")
    gui.commands.textures.write(Address(library), mine)
    gui.settle()
    assert "not empty" in gui.state.message
    assert [it.name for it in mine.iterdir()] == ["a.txt"]
    assert gui.state.converting.pictures is None


def test_an_archive_without_textures_is_said(gui: GuiTester, library: Path, tmp_path: Path) -> None:
    gui.commands.textures.write(Address(library.with_name("models.rlb")), tmp_path / "none")
    gui.settle()
    assert "has no textures" in gui.state.message
    assert not (tmp_path / "none").exists()


def first_level(model: RetexturedModel, name: str, *, is_after: bool) -> Image:
    """The pixels of a texture on a model."""
    unit = model.after if is_after else model.before
    (document,) = {*unit.documents.values()}
    used = (it for row in document.materials.rows for it in row.textures if it is not None)
    found = next(it for it in used if it.name == name)
    return found.texture.level(0)


def test_an_open_model_is_shown_with_both(gui: GuiTester, library: Path, pictures: Path) -> None:
    gui.open(Address(library.with_name("models.rlb"), ("walker.msh",)), is_paused=True)
    for name in OTHER:
        inverted(pictures / name)
    before = first_picture(pictures / "METAL.0.png")
    read(gui, library, pictures)
    gui.until(
        lambda: gui.state.converting.textures is None or gui.state.converting.textures.model is not None
    )
    model = asked(gui).model
    assert model is not None
    assert not model.problem
    assert np.array_equal(first_level(model, "METAL.0", is_after=True), before)
    assert not np.array_equal(first_level(model, "METAL.0", is_after=False), before)
    window = gui.app.shell._windows._converting._windows[-1]
    assert isinstance(window, TextureReturnWindow)
    wipes = window._wipes
    drag(gui, "//texture_return/**/wipe_model", by=(60, 0))
    assert wipes._wipe.share > 0.55
    camera = wipes._view.camera
    gui.settle()
    # To the left of the line the mouse turns the model.
    drag(gui, beside(gui, "wipe_model", -60), by=(30, 0))
    assert wipes._view.camera != camera
    assert wipes._wipe.share > 0.55
    # What the images read has not disturbed the files that are open.
    click(gui, "//texture_return/**/###apply")
    gui.settle()
    assert gui.state.message == ""
    assert len(steps(gui)) == 1
    assert window._wipes._asked is None, "the plan, which has the library twice, is kept no longer"
    document = gui.document
    shown = next(
        it
        for row in document.materials.rows
        for it in row.textures
        if it is not None and it.name == "METAL.0"
    )
    assert np.array_equal(shown.texture.level(0), before)


def first_picture(path: Path) -> Image:
    with PIL.Image.open(path) as shown:
        return np.array(shown)


def beside(gui: GuiTester, item: str, distance: float) -> imgui.ImVec2:
    """The place so far from the middle of an item."""
    found: list[imgui.ImVec2] = []

    def look(context: imgui.test_engine.TestContext) -> None:
        rect = context.item_info(f"//texture_return/**/{item}").rect_full
        found.append(
            imgui.ImVec2((rect.min.x + rect.max.x) / 2 + distance, (rect.min.y + rect.max.y) / 2 + 30)
        )

    gui.run(look)
    return found[0]


def test_menu_page_and_browser_ask_where(
    gui: GuiTester, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    monkeypatch.setattr(Dialogs, "choose_new", lambda _self, _title, _name, then, *_others: then(folder))
    monkeypatch.setattr(Dialogs, "choose_folder", lambda _self, _title, then: then(folder))
    click(gui, "//##MainMenuBar##MenuBar/###file", "//$FOCUSED/###file.textures_to_folder")
    gui.settle()
    assert (folder / "index.json").is_file()
    click(gui, "//written_pictures/**/###close")
    gui.commands.opening.go_to(Place(Address(library)))
    gui.settle()
    click(gui, in_stage("**/###textures_from_folder"))
    assert settled(gui).total == 30


def test_with_a_model_in_front_its_textures_are_meant(gui: GuiTester, library: Path) -> None:
    action = gui.app.shell._actions_by_id["file.textures_from_folder"]
    gui.open(Address(library.with_name("models.rlb"), ("walker.msh",)))
    assert not action.reason(gui.app.panel_context())
    gui.open(Address(library.with_name("models.rlb"), ("walker.wea",)))
    assert action.reason(gui.app.panel_context())
