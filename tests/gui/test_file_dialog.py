"""The program's own dialog, for systems without one."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.harness import GuiTester
from viewer.app import file_dialog
from viewer.formats import wear
from viewer.ui.panel import OpenDialog

Context = imgui.test_engine.TestContext


@pytest.fixture
def asked(gui: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch) -> GuiTester:
    """The application with the dialog open on the folder above the archive's."""
    monkeypatch.setattr(file_dialog, "has_native_dialog", lambda: False)
    gui.state.settings = gui.state.settings.opened(str(archive.parent / "missing.rlb"))
    gui.ask(OpenDialog())
    return gui


def test_a_file_is_chosen_from_the_list(asked: GuiTester, archive: Path) -> None:
    asked.run(lambda context: context.item_click("//Open/**/###row1"))
    asked.until(lambda: asked.state.document is not None)
    assert asked.document.address == f"{archive}::crane.msh"


def test_whatever_can_be_opened_is_listed(asked: GuiTester, archive: Path) -> None:
    """A wear table too, as it is asked for where a model has none."""
    (archive.parent / "a.wea").write_bytes(wear.build([b"SKIN"]))
    asked.run(lambda context: context.key_press(imgui.Key.escape))
    asked.ask(OpenDialog())
    asked.run(lambda context: context.item_click("//Open/**/###row1"))
    asked.until(lambda: asked.state.resource is not None)
    assert asked.state.resource is not None
    assert asked.state.resource.kind == "wear"


def test_a_path_is_typed(asked: GuiTester, archive: Path) -> None:
    def type_path(context: Context) -> None:
        context.item_input_value("//Open/##path", str(archive))

    asked.run(type_path)
    asked.until(lambda: asked.state.document is not None)
    assert asked.document.address == f"{archive}::crane.msh"


def test_a_click_on_a_folder_goes_into_it(asked: GuiTester, archive: Path) -> None:
    folder = archive.parent / "game"
    folder.mkdir()
    archive.rename(folder / archive.name)
    asked.run(lambda context: context.key_press(imgui.Key.escape))
    asked.ask(OpenDialog(is_folder=True))
    asked.run(lambda context: context.item_click("//Open/**/###row1"))
    asked.run(lambda context: context.item_click("//Open/Open"))
    asked.until(lambda: asked.state.document is not None)
    assert [root.address for root in asked.state.browser.roots] == [str(folder)]


def test_escape_leaves_it(asked: GuiTester) -> None:
    asked.run(lambda context: context.key_press(imgui.Key.escape))
    assert not asked.app.dialog.is_open
    assert asked.state.document is None
