"""The program's own dialog, for systems without one."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.harness import Context, GuiTester
from viewer.app.dialogs import dialogs
from viewer.formats import wear
from viewer.model.kinds.registry import KINDS
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.opened import listing
from viewer.translation import Message


@pytest.fixture
def asked(gui: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch) -> GuiTester:
    """The application with the dialog open on the folder above the archive's."""
    monkeypatch.setattr(dialogs, "has_native_dialog", lambda: False)
    gui.state.settings = gui.state.settings.opened(str(archive.parent / "missing.rlb"))
    gui.commands.dialogs.open_file()
    return gui


def test_a_native_dialog_offers_the_files_of_every_kind() -> None:
    patterns = set(dialogs.filters()[1].split())
    assert {f"*.{suffix.decode()}" for kind in KINDS for suffix in kind.suffixes} <= patterns
    assert {"*.ctl", "*.CTL", "*.msh", "*.Msh"} <= patterns


def click_row(gui: GuiTester, row: int) -> None:
    """Click a row of the list; row 0 is the folder above."""
    gui.run(lambda context: context.item_click(f"//open/**/###row{row}"))


def test_a_file_is_chosen_from_the_list(asked: GuiTester, archive: Path) -> None:
    click_row(asked, 1)
    asked.until(lambda: asked.state.document is not None)
    assert asked.document.address == f"{archive}::crane.msh"


def test_whatever_can_be_opened_is_listed(asked: GuiTester, archive: Path) -> None:
    """A wear table too, as it is asked for where a model has none."""
    (archive.parent / "a.wea").write_bytes(wear.build([b"SKIN"]))
    asked.run(lambda context: context.key_press(imgui.Key.escape))
    asked.commands.dialogs.open_file()
    click_row(asked, 1)
    asked.until(lambda: asked.state.resource is not None)
    assert asked.state.resource is not None
    assert asked.state.resource.kind == "wear"


def test_a_path_is_typed(asked: GuiTester, archive: Path) -> None:
    def type_path(context: Context) -> None:
        context.item_input_value("//open/##path", str(archive))

    asked.run(type_path)
    asked.until(lambda: asked.state.document is not None)
    assert asked.document.address == f"{archive}::crane.msh"


def test_a_click_on_a_folder_goes_into_it(asked: GuiTester, archive: Path) -> None:
    folder = archive.parent / "game"
    folder.mkdir()
    archive.rename(folder / archive.name)
    asked.run(lambda context: context.key_press(imgui.Key.escape))
    asked.commands.dialogs.open_folder()
    click_row(asked, 1)
    asked.run(lambda context: context.item_click("//open/###confirm"))
    asked.until(lambda: asked.state.document is not None)
    assert [root.address for root in asked.state.browser.roots] == [str(folder)]


def test_an_entry_is_looked_for_in_archives(asked: GuiTester, archive: Path) -> None:
    """Rows are where one came from, the archive; in it that again, two models, and the wear table."""
    asked.run(lambda context: context.key_press(imgui.Key.escape))
    asked.open(f"{archive}::rock.msh")
    assert asked.document.materials.wear_source is None
    asked.commands.dialogs.choose_wear()
    click_row(asked, 1)
    names = [row.name for row in listing.entries_below(FileStore(), Address(archive))]
    click_row(asked, 1 + names.index("crane.wea"))
    asked.until(lambda: asked.document.materials.wear_source is not None)
    assert asked.document.address == f"{archive}::rock.msh"
    assert asked.document.materials.wear_source == f"{archive}::crane.wea"


def test_the_way_back_leads_out_of_an_archive(asked: GuiTester, archive: Path) -> None:
    asked.run(lambda context: context.key_press(imgui.Key.escape))
    asked.app.dialog._ask(Message("Open"), asked.app.commands.opening.open, for_entry=True)
    asked.settle()
    for row in (1, 0, 1, 1):
        click_row(asked, row)
    asked.until(lambda: asked.state.document is not None)
    assert asked.document.address == f"{archive}::crane.msh"


def test_escape_leaves_it(asked: GuiTester) -> None:
    asked.run(lambda context: context.key_press(imgui.Key.escape))
    assert not asked.app.dialog.is_open
    assert asked.state.document is None
