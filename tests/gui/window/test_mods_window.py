"""Mods in the window: found in the menu, put in order, applied in spite of a conflict, taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gui.hand import click
from tests.gui.harness import GuiTester
from tests.mod_games import contents, diffuse, entries, file, mod, payload, write_game
from viewer.app.dialogs.dialogs import Dialogs
from viewer.errors import FormatError

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
    gui.run(lambda context: context.menu_click("//##MainMenuBar/###window/###window.mods"))
    settle(gui)
    for path, button in (
        (game, "choose_game_of_mods"),
        (folder / "one", "add_mod"),
        (folder / "two", "add_mod"),
    ):
        monkeypatch.setattr(Dialogs, "choose_folder", lambda _self, _title, then, path=path: then(path))
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
