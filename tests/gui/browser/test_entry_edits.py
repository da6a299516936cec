"""Entries of an archive and pictures of textures are changed in the browser; faults are repaired."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import PIL.Image
import pytest
from imgui_bundle import imgui

from tests.builders import archive_of
from tests.gui.conftest import crane, rock
from tests.gui.hand import choose, click
from tests.gui.harness import BOTTOM, RIGHT, Context, GuiTester, bring_to_front, exists, in_child
from viewer.app.dialogs.dialogs import Dialogs
from viewer.formats import wear
from viewer.formats.archive.nres import Archive
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.edit.archive.entries import AddEntry, RemoveEntry, RenameEntry
from viewer.model.edit.change import Change
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.session.edits.edited_file import EditedFile
from viewer.translation import Text

pytestmark = pytest.mark.closed("outline", *BOTTOM, *RIGHT)

MENU = "//$FOCUSED/###{}"
ROW = "//browser/**/###entry{}"


@pytest.fixture
def opened(gui: GuiTester, archive: Path) -> GuiTester:
    """The archive in the browser, the crane in a tab."""
    gui.open(archive)
    return gui


def entries(gui: GuiTester, archive: Path) -> list[str]:
    data = gui.app.opener.library.file(archive)
    return [entry.text for entry in Archive.read(data).entries]


def answer(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Choose a file in the next dialog."""

    def choose(
        _self: Dialogs, _title: Text, then: Callable[[Path], None], suffixes: Sequence[str] = ()
    ) -> None:
        assert not suffixes or path.suffix.removeprefix(".") in suffixes, "the dialog lists it"
        then(path)

    monkeypatch.setattr(Dialogs, "choose_file", choose)


def file_of(gui: GuiTester, archive: Path) -> EditedFile:
    return gui.state.edits.at(Address(archive))


def test_an_entry_is_removed(opened: GuiTester, archive: Path) -> None:
    choose(opened, ROW.format(3), "remove")
    opened.settle()
    assert entries(opened, archive) == ["crane.msh", "crane.wea", "broken.msh"]
    assert len(file_of(opened, archive).steps) == 1


def test_an_entry_is_renamed_in_its_menu(opened: GuiTester, archive: Path) -> None:
    def script(context: Context) -> None:
        context.item_click("//browser/**/###entry3", imgui.MouseButton_.right)
        context.item_input_value(MENU.format("entry_name"), "stone.msh")
        context.key_press(imgui.Key.enter)

    opened.run(script)
    opened.settle()
    assert entries(opened, archive) == ["crane.msh", "crane.wea", "stone.msh", "broken.msh"]


def test_an_entry_is_moved(opened: GuiTester, archive: Path) -> None:
    choose(opened, ROW.format(3), "move_up")
    opened.settle()
    assert entries(opened, archive) == ["crane.msh", "rock.msh", "crane.wea", "broken.msh"]


def test_an_entry_is_duplicated(opened: GuiTester, archive: Path) -> None:
    choose(opened, ROW.format(3), "duplicate")
    opened.settle()
    assert entries(opened, archive)[-1] == "rock_2.msh"
    held = Archive.read(opened.app.opener.library.file(archive))
    assert held.payload(4) == held.payload(2)
    opened.commands.edits.step(-1)
    opened.settle()
    assert "rock_2.msh" not in entries(opened, archive)


def test_a_file_replaces_an_entry(
    opened: GuiTester, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "other.msh"
    path.write_bytes(crane().build())
    answer(monkeypatch, path)
    choose(opened, ROW.format(3), "replace")
    opened.settle()
    opened.settle()
    data = Archive.read(opened.app.opener.library.file(archive))
    assert bytes(data.payload(2)) == path.read_bytes()
    assert len(file_of(opened, archive).steps) == 1


def test_a_file_is_added(
    opened: GuiTester, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "new.msh"
    path.write_bytes(rock().build())
    answer(monkeypatch, path)
    choose(opened, ROW.format(0), "add_file")
    opened.settle()
    opened.settle()
    archived = Archive.read(opened.app.opener.library.file(archive))
    assert archived.entries[-1].text == "new.msh"
    assert archived.entries[-1].type_id == archived.entries[0].type_id, "as its likes"


@pytest.mark.parametrize("suffix", ["png", "tga", "bmp"])
def test_a_picture_is_put_into_a_texture(
    gui: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    before = np.zeros((4, 4, 4), np.uint8)
    path, picture = tmp_path / "a.rlb", tmp_path / f"red.{suffix}"
    path.write_bytes(archive_of({"a.tex": texm.build(before, PixelFormat.ARGB8888)}))
    red = np.full((4, 4, 4), (255, 0, 0, 255), np.uint8)
    PIL.Image.fromarray(red[..., :3]).save(picture)
    gui.open(f"{path}::a.tex")
    answer(monkeypatch, picture)
    choose(gui, ROW.format(1), "replace_picture")
    gui.settle()
    gui.settle()
    data = Archive.read(gui.app.opener.library.file(path)).payload(0)
    assert (texm.decode(data).level(0) == red).all()


def test_a_file_that_cannot_be_read_says_why(opened: GuiTester, archive: Path, tmp_path: Path) -> None:
    opened.commands.entries.replace_picture(Address.parse(f"{archive}::rock.msh"), tmp_path / "absent.png")
    opened.settle()
    assert "absent.png" in opened.state.message
    assert file_of(opened, archive).steps == ()


def test_faults_are_repaired_in_a_window(gui: GuiTester, tmp_path: Path) -> None:
    path = tmp_path / "a.wea"
    path.write_bytes(wear.build([b"STEEL", b"RUST"]).replace(b"2\r\n", b"5\r\n", 1))
    gui.open(path)
    gui.run(lambda context: context.menu_click("//##MainMenuBar/edit/edit.repair"))
    gui.until(lambda: gui.state.repairs is not None and gui.state.repairs.repairs is not None)
    gui.settle()
    click(gui, "//repair/###repair")
    gui.settle()
    assert bytes(gui.app.opener.library.file(path)).startswith(b"2\r\n")
    assert not exists(gui, "//repair"), "nothing is left to see"


def test_a_repair_that_empties_something_is_made_if_it_is_ticked(gui: GuiTester, tmp_path: Path) -> None:
    builder = rock()
    builder.nodes["slots"][0, 1, 0] = 99
    path = tmp_path / "a.msh"
    path.write_bytes(builder.build())
    gui.open(path)
    gui.run(lambda context: context.menu_click("//##MainMenuBar/edit/edit.repair"))
    gui.until(lambda: gui.state.repairs is not None and gui.state.repairs.repairs is not None)
    gui.settle()
    click(gui, "//repair/###repair")
    gui.settle()
    assert gui.app.opener.library.file(path) == path.read_bytes()
    click(gui, in_child("repairs", "repair0/###chosen"))
    click(gui, "//repair/###repair")
    gui.settle()
    assert Model.read(gui.app.opener.library.file(path)).nodes["slots"][0, 1, 0] == 0xFFFF


def damaged_wear(tmp_path: Path) -> Path:
    """A wear table that states more rows than it has."""
    path = tmp_path / "a.wea"
    path.write_bytes(wear.build([b"STEEL", b"RUST"]).replace(b"2\r\n", b"5\r\n", 1))
    return path


def repair(gui: GuiTester, path: Path) -> None:
    """Make the repairs that the window shows, and undo them."""
    gui.until(lambda: gui.state.repairs is not None and gui.state.repairs.repairs is not None)
    gui.settle()
    click(gui, "//repair/###repair")
    gui.settle()
    assert bytes(gui.app.opener.library.file(path)).startswith(b"2\r\n")
    gui.commands.edits.step(-1)
    gui.settle()
    assert bytes(gui.app.opener.library.file(path)) == path.read_bytes()


def test_the_problems_lead_to_their_repair(gui: GuiTester, tmp_path: Path) -> None:
    path = damaged_wear(tmp_path)
    gui.open(path)
    bring_to_front(gui, "problems")
    click(gui, "//problems/###repair")
    repair(gui, path)


def test_the_menu_of_a_problem_leads_to_its_repair(gui: GuiTester, tmp_path: Path) -> None:
    path = damaged_wear(tmp_path)
    gui.open(path)
    bring_to_front(gui, "problems")

    def script(context: Context) -> None:
        context.item_click("//problems/**/###problem0", imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/###repair")

    gui.run(script)
    repair(gui, path)


def test_the_menu_of_an_entry_leads_to_its_repair(opened: GuiTester) -> None:
    choose(opened, ROW.format(3), "repair")
    opened.settle()
    opened.until(lambda: opened.state.repairs is not None and opened.state.repairs.repairs is not None)
    repairs = opened.state.repairs
    assert repairs is not None
    assert str(repairs.address).endswith("::rock.msh")


def edit(gui: GuiTester, archive: Path, change: Change) -> None:
    gui.commands.edits.edit(Address(archive), (change,))
    gui.settle()


def test_the_tab_of_a_renamed_model_shows_it_on(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    before, entry = gui.document, gui.document.address.name
    edit(gui, archive, RenameEntry(entry, "lift.msh"))
    assert str(gui.document.address) == f"{archive}::lift.msh"
    assert gui.document.identity == before.identity
    gui.commands.edits.step(-1)
    gui.settle()
    assert gui.document.address == before.address
    assert gui.document.identity == before.identity


def test_the_tab_of_a_row_follows_it(gui: GuiTester, archive: Path) -> None:
    gui.open(f"{archive}::#0")
    before = gui.document
    edit(gui, archive, AddEntry("first.txt", b"text", row=0))
    assert str(gui.document.address) == f"{archive}::crane.msh"
    assert gui.document.identity == before.identity


def test_the_tab_of_a_removed_entry_stays_until_undo(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    before = gui.document
    edit(gui, archive, RemoveEntry(before.address.name))
    assert gui.state.tabs.active.address == before.address
    gui.commands.edits.step(-1)
    gui.settle()
    assert gui.document.address == before.address
    assert gui.document.model.batches.tobytes() == before.model.batches.tobytes()
