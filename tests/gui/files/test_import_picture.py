"""Pictures imported into textures: in their tab, by a drop, from the menu and from the tab."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from tests.gui.conftest import crane
from tests.gui.editing.test_editing import edit, flags
from tests.gui.hand import click
from tests.gui.harness import GuiTester, current, exists, in_stage, write_model
from viewer.app.dialogs.path_dialog import FileRequest
from viewer.formats.texture.texm import Texture
from viewer.model.convert import scene_images
from viewer.model.store.address import Address
from viewer.resources import bundled_path

pytestmark = pytest.mark.closed("browser", "outline", "inspector")
RED = (255, 0, 0, 255)


@pytest.fixture
def texture(gui: GuiTester, tmp_path: Path) -> Address:
    """A texture of the sample game, open."""
    path = tmp_path / "Textures.lib"
    path.write_bytes(bundled_path("assets/game/Textures.lib").read_bytes())
    address = Address(path, ("METAL.0",))
    gui.open(address)
    return address


def picture_file(folder: Path, name: str) -> Path:
    """A red picture, 8 x 8."""
    path = folder / name
    PIL.Image.fromarray(np.full((8, 8, 4), RED, np.uint8)).convert("RGB").save(path)
    return path


def level(gui: GuiTester) -> Texture:
    """The texture that is shown."""
    resource = gui.state.resource
    assert resource is not None
    assert resource.texture is not None
    return resource.texture.texture


@pytest.mark.parametrize("name", ["red.png", "red.bmp", "red.tga", "RED.PNG"])
def test_a_picture_is_the_new_picture_of_a_texture(
    gui: GuiTester, texture: Address, tmp_path: Path, name: str
) -> None:
    stored = current(gui, texture.path)
    gui.commands.importing.read(picture_file(tmp_path, name))
    gui.settle()
    assert gui.state.message == ""
    shown = level(gui).levels[0]
    assert (shown.width, shown.height) == (8, 8)
    gui.commands.edits.step(-1)
    gui.settle()
    assert current(gui, texture.path) == stored


def test_a_dropped_picture_goes_into_the_texture_in_front(
    gui: GuiTester, texture: Address, tmp_path: Path
) -> None:
    gui.commands.importing.drop([str(picture_file(tmp_path, "red.png"))])
    gui.settle()
    assert level(gui).levels[0].width == 8
    assert [it.address for it in gui.state.tabs.opened] == [texture]


def asked(gui: GuiTester, monkeypatch: pytest.MonkeyPatch) -> list[FileRequest]:
    """What dialogs ask for."""
    found: list[FileRequest] = []
    monkeypatch.setattr(gui.app.dialog, "_begin", lambda request, _then: found.append(request))
    return found


def test_menu_tab_and_import_ask_for_a_picture(
    gui: GuiTester, texture: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = asked(gui, monkeypatch)
    click(gui, in_stage("**/###replace_picture"))
    click(gui, "//##MainMenuBar##MenuBar/###edit", "//$FOCUSED/###edit.replace_picture")
    click(gui, "//##MainMenuBar##MenuBar/###file", "//$FOCUSED/###file.import")
    assert [tuple(it.suffixes)[: len(scene_images.SUFFIXES)] for it in found] == [scene_images.SUFFIXES] * 3
    assert "json" in found[2].suffixes


def test_without_a_texture_there_is_no_picture_to_replace(gui: GuiTester, archive: Path) -> None:
    gui.open(f"{archive}::crane.wea")
    assert not exists(gui, in_stage("**/###replace_picture"))
    action = gui.app.shell._actions_by_id["edit.replace_picture"]
    assert action.reason(gui.app.panel_context())


def test_what_can_be_imported_is_said_of_what_is_open(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    gui.open(f"{archive}::crane.wea")
    gui.commands.importing.read(picture_file(tmp_path, "red.png"))
    gui.settle()
    assert gui.state.message.endswith("wear table is open: only JSON can be imported into it")


def test_a_copy_and_a_patch_are_proposed_next_to_the_file(
    gui: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mod"
    folder.mkdir()
    gui.open(write_model(folder / "crane.msh", crane()))
    found = asked(gui, monkeypatch)
    gui.commands.saving.save_as()
    edit(gui, flags(0x1234))
    gui.commands.saving.save_patch()
    assert [(it.folder, it.new_name) for it in found] == [
        (folder, "crane.msh"),
        (folder, "crane.patch.json"),
    ]
