"""Mods in the window: found in the menu, put in order, applied in spite of a conflict, taken back."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.gui.files.test_file_watch import look
from tests.gui.hand import click, type_into
from tests.gui.harness import GuiTester
from tests.mod_games import changed, contents, diffuse, entries, file, mod, payload, tank, write_game
from viewer.app.dialogs.dialogs import Dialogs
from viewer.control.editing import mods
from viewer.errors import FormatError
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.store.address import Address

pytestmark = pytest.mark.closed("browser", "outline", "inspector")

SKIN = "Material.lib::SKIN"


def settle(gui: GuiTester) -> None:
    gui.frames(2)
    gui.until(lambda: not gui.state.mods.is_running)
    gui.frames(2)


def opened(gui: GuiTester, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A game of which the window shows the mods, with two that conflict next to it."""
    game = write_game(folder / "game")
    mod(game, "one", entries("Material.lib", SKIN=diffuse(1)), file("new/a", b"1"))
    mod(game, "two", entries("Material.lib", SKIN=diffuse(2)))
    gui.run(lambda context: context.menu_click("//##MainMenuBar/###game/###window.mods"))
    settle(gui)
    for path, button in (
        (game, "choose_game_of_mods"),
        (folder / "one", "add_mod"),
        (folder / "two", "add_mod"),
    ):
        monkeypatch.setattr(
            Dialogs, "choose_folder", lambda _self, _title, then, _folder=None, path=path: then(path)
        )
        click(gui, f"//mods/**/###{button}")
        settle(gui)
    return game


def test_mods_are_ordered_applied_and_taken_back(
    crane: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = opened(crane, tmp_path, monkeypatch)
    before = contents(game)
    found = crane.state.mods.found
    assert found is not None
    (conflict,) = found.conflicts
    assert (conflict.field, conflict.winner) == ("phases[0].diffuse", "two")
    click(crane, "//mods/**/###up_1")
    settle(crane)
    assert crane.state.mods.found is not None
    assert crane.state.mods.found.conflicts[0].winner == "one"
    assert contents(game) == before
    click(crane, "//mods/**/###apply_mods")
    settle(crane)
    assert [it.name for it in crane.state.mods.applied] == ["two", "one"]
    assert not crane.state.mods.chosen
    assert payload(game, SKIN) == diffuse(1)
    click(crane, "//mods/**/###revert_one")
    settle(crane)
    assert payload(game, SKIN) == diffuse(2)
    click(crane, "//mods/**/###revert_all")
    settle(crane)
    assert contents(game) == before
    assert not crane.state.mods.applied


def test_a_late_answer_of_a_dialog_does_not_end_the_writing(
    crane: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(crane, tmp_path, monkeypatch)
    may_write, written = Event(), mods._written

    def wait(*given: Any, **named: Any) -> str:
        may_write.wait(20)
        return written(*given, **named)

    monkeypatch.setattr(mods, "_written", wait)
    click(crane, "//mods/**/###apply_mods")
    for late in (crane.commands.mods.add, crane.commands.mods.open):
        crane.app.later(late, tmp_path / "one")
        crane.frames(2)
        assert "is being written" in crane.state.message
        crane.state.message = ""
    may_write.set()
    settle(crane)
    assert [it.name for it in crane.state.mods.applied] == ["one", "two"]


def test_a_copy_is_made_and_what_fails_is_said(
    crane: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = opened(crane, tmp_path, monkeypatch)
    before = contents(game)
    click(crane, "//mods/**/###remove_1")
    settle(crane)
    copy = tmp_path / "copy"
    monkeypatch.setattr(Dialogs, "choose_new", lambda _self, _title, _name, then, *_others: then(copy))
    click(crane, "//mods/**/###apply_to_copy")
    settle(crane)
    assert payload(copy, SKIN) == diffuse(1)
    assert contents(game) == before
    click(crane, "//mods/**/###apply_to_copy")
    settle(crane)
    assert "not empty" in crane.state.mods.problem
    (tmp_path / "one" / "mod.json").write_text("{}", "utf-8")
    crane.app.later(crane.app.control.mods.add, tmp_path / "one")
    settle(crane)
    assert str(FormatError("is not mshview-mod-1")) in crane.state.mods.problem
    assert [it.name for _path, it in crane.state.mods.chosen] == ["one"]


def test_files_with_unsaved_changes_are_not_replaced(
    gui: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that mods leave alone do not matter; what is open shows what mods make of it, and what was."""
    game = opened(gui, tmp_path, monkeypatch)
    mod(game, "three", tank("hull", b"HULL"))
    models = game / "models.rlb"
    gui.open(Address(models, ("tank.msh",)))
    gui.commands.edits.edit(gui.document.address, (RenameNode(1, "rifle"),))
    gui.settle()
    click(gui, "//mods/**/###apply_mods")
    settle(gui)
    assert [it.name for it in gui.state.mods.applied] == ["one", "two"]
    before = contents(game)
    gui.commands.mods.add(tmp_path / "three")
    settle(gui)
    click(gui, "//mods/**/###apply_mods")
    settle(gui)
    assert gui.state.mods.problem == f"{models}: has unsaved changes: save or undo them first"
    assert contents(game) == before
    assert [it.name for _path, it in gui.state.mods.chosen] == ["three"]
    gui.commands.edits.step(-1)
    gui.settle()
    click(gui, "//mods/**/###apply_mods")
    settle(gui)
    assert look(gui)
    assert gui.document.names[0] == "HULL"
    gui.commands.edits.edit(gui.document.address, (RenameNode(1, "rifle"),))
    gui.settle()
    click(gui, "//mods/**/###revert_three")
    settle(gui)
    assert "unsaved changes" in gui.state.mods.problem
    assert [it.name for it in gui.state.mods.applied] == ["one", "two", "three"]
    gui.commands.edits.step(-1)
    gui.settle()
    click(gui, "//mods/**/###revert_three")
    settle(gui)
    assert look(gui)
    assert gui.document.names[0] == "hull"
    assert contents(game) == before


def test_what_is_applied_is_said_if_a_chosen_mod_is_gone(
    crane: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = opened(crane, tmp_path, monkeypatch)
    click(crane, "//mods/**/###apply_mods")
    settle(crane)
    mod(game, "three", file("b", b"1"))
    crane.commands.mods.add(tmp_path / "three")
    settle(crane)
    (tmp_path / "three" / "mod.json").unlink()
    click(crane, "//mods/**/###revert_two")
    settle(crane)
    assert [it.name for it in crane.state.mods.applied] == ["one"]
    assert payload(game, SKIN) == diffuse(1)
    assert "mod.json" in crane.state.mods.problem
    assert crane.state.mods.found is None


def test_a_mod_that_cannot_be_read_leaves_the_others_ready(
    crane: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(crane, tmp_path, monkeypatch)
    found = crane.state.mods.found
    crane.commands.mods.add(tmp_path / "missing")
    settle(crane)
    assert "missing" in crane.state.mods.problem
    assert crane.state.mods.found is found is not None


def test_what_was_changed_since_is_kept_if_that_is_chosen(
    crane: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = opened(crane, tmp_path, monkeypatch)
    before = contents(game)
    click(crane, "//mods/**/###apply_mods")
    settle(crane)
    (game / "Material.lib").write_bytes(b"mine")
    click(crane, "//mods/**/###revert_all")
    settle(crane)
    assert crane.state.mods.problem == f"{game / 'Material.lib'}: was changed since mods were applied"
    assert [it.name for it in crane.state.mods.applied] == ["one", "two"]
    click(crane, "//mods/**/###revert_forced")
    settle(crane)
    assert not crane.state.mods.applied
    assert not crane.state.mods.refused
    assert contents(game) == before | {"Material.lib.bak": b"mine"}


def test_a_mod_is_made_of_a_changed_copy(
    crane: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the window, of the game whose mods are shown; then it is applied."""
    game = opened(crane, tmp_path, monkeypatch)
    copy = changed(game, "copy", entries("Material.lib", SKIN=diffuse(3)))
    click(crane, "//mods/**/###make_mod")
    crane.frames(3)
    assert crane.state.new_mod.base == game
    crane.app.later(crane.app.control.new_mods.choose, 1, copy)
    crane.frames(2)
    type_into(crane, "//new_mod/**/###name_of_mod", "my mod")
    target = tmp_path / "my mod.zip"
    monkeypatch.setattr(Dialogs, "choose_new", lambda _self, _title, name, then, *_: then(tmp_path / name))
    click(crane, "//new_mod/**/###save_mod_zip")
    crane.until(lambda: bool(crane.state.new_mod.note or crane.state.new_mod.problem))
    assert crane.state.new_mod.note == f"wrote {target}: 1 change"
    crane.app.later(crane.app.control.mods.add, target)
    settle(crane)
    assert [it.name for _path, it in crane.state.mods.chosen] == ["one", "two", "my mod"]
    click(crane, "//new_mod/**/###save_mod_folder")
    crane.until((tmp_path / "my mod" / "mod.json").is_file)
