"""The comparison of two folders in its window."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpora import GAME
from tests.gui.hand import click
from tests.gui.harness import GuiTester
from viewer.cli.bench.install import InstallSize, change_install, make_install
from viewer.model.store.address import Address
from viewer.session.games.compared_folders import FoldersState

pytestmark = pytest.mark.closed("browser", "outline", "inspector")


def ended(gui: GuiTester) -> FoldersState:
    gui.frames(2)
    gui.until(lambda: not gui.state.folders.is_running)
    gui.frames(3)
    return gui.state.folders


def test_an_install_is_compared_with_a_copy(crane: GuiTester, tmp_path: Path) -> None:
    before, after = (make_install(tmp_path / name, InstallSize(2, 30)) for name in ("before", "after"))
    change_install(after)
    crane.run(lambda context: context.menu_click("//##MainMenuBar/###game/###file.compare_folders"))
    assert crane.state.folders.asked is not None
    crane.app.later(crane.app.control.folders.choose, 1, after)
    crane.app.later(crane.app.control.folders.choose, 0, before)
    state = ended(crane)
    assert state.found is not None
    assert len(state.found.entries) == 10
    assert [it.fields for it in state.found.changed] == [1, 1, 1, 1, 1]
    changed = [it for it in state.found.entries if it.kind == "msh"]
    assert len(changed) == 1
    click(crane, "//folders/**/###state_changed", "//folders/**/###state_changed")
    number = 9  # those that changed come last, by their addresses
    click(crane, f"//folders/**/###entry{number}")
    crane.until(lambda: crane.state.comparison.shown is not None)
    sides = crane.state.comparison.sides
    assert sides is not None
    assert [it.address for it in sides] == [
        Address(folder / "models.rlb", ("walker.msh",)) for folder in (before, after)
    ]
    shown = crane.state.comparison.shown
    assert shown is not None
    assert shown.found is not None
    assert [it.table for it in shown.found.changes] == ["batches"]
    click(crane, "//folders/**/###make_mod")
    crane.frames(3)
    assert (crane.state.new_mod.base, crane.state.new_mod.changed) == (before, after)


def test_a_folder_that_cannot_be_read_says_why(crane: GuiTester, tmp_path: Path) -> None:
    crane.app.later(crane.app.control.folders.compare, GAME, tmp_path / "nowhere")
    state = ended(crane)
    assert state.found is None
    assert "nowhere" in state.problem


def test_equal_folders_say_so(crane: GuiTester) -> None:
    crane.app.later(crane.app.control.folders.compare, GAME, GAME)
    state = ended(crane)
    assert state.found is not None
    assert state.found.entries == ()
    assert state.found.same > 100
