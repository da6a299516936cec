"""The comparison of two folders in its window."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.corpora import GAME
from tests.gui.hand import click
from tests.gui.harness import GuiTester
from viewer.cli.bench.install import InstallSize, change_install, make_install
from viewer.cli.main import main
from viewer.model.store.address import Address
from viewer.session.games.compared_folders import PAGE_LANE, FoldersState, copied_entries
from viewer.session.tables.table_view import CopyFormat

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


def compared(gui: GuiTester, tmp_path: Path) -> FoldersState:
    before, after = (make_install(tmp_path / name, InstallSize(2, 30)) for name in ("before", "after"))
    change_install(after)
    gui.app.later(gui.app.control.folders.compare, before, after)
    return ended(gui)


def test_the_page_of_the_window_is_that_of_the_shell(crane: GuiTester, tmp_path: Path) -> None:
    state = compared(crane, tmp_path)
    out, shell = tmp_path / "window", tmp_path / "shell"
    crane.app.later(crane.app.control.folders.save_page, out)
    crane.frames(2)
    assert crane.state.folders.is_writing
    crane.until(lambda: not crane.state.folders.is_writing)
    assert crane.state.folders.page == out
    assert main(["diff", str(state.a), str(state.b), "-o", str(shell)]) == 1
    files = {it.relative_to(shell): it.read_bytes() for it in shell.rglob("*") if it.is_file()}
    assert {it.relative_to(out): it.read_bytes() for it in out.rglob("*") if it.is_file()} == files
    assert len([it for it in files if it.suffix == ".png"]) > 5


def test_a_page_that_is_cancelled_or_refused_leaves_nothing(crane: GuiTester, tmp_path: Path) -> None:
    compared(crane, tmp_path)
    out = tmp_path / "page"
    crane.app.later(crane.app.control.folders.save_page, out)
    crane.frames(4)
    crane.commands.window.cancel_job(PAGE_LANE)
    crane.until(lambda: not crane.state.folders.is_writing)
    assert not out.exists()
    assert crane.state.folders.page is None
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("mine")
    crane.app.later(crane.app.control.folders.save_page, full)
    crane.frames(2)
    crane.until(lambda: not crane.state.folders.is_writing)
    crane.frames(2)
    assert [it.name for it in full.iterdir()] == ["mine.txt"]
    assert str(full) in crane.state.message


def test_shown_entries_are_copied_as_the_shell_prints_them(
    crane: GuiTester, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = compared(crane, tmp_path)
    assert state.found is not None
    entries = state.found.entries
    capsys.readouterr()
    main(["diff", str(state.a), str(state.b), "--json"])
    told = json.loads(capsys.readouterr().out)["entries"]
    assert json.loads(copied_entries(entries, CopyFormat.JSON)) == told
    main(["diff", str(state.a), str(state.b), "--format", "tsv"])
    assert copied_entries(entries, CopyFormat.TSV) == capsys.readouterr().out
    copied: list[str] = []
    crane.app.control.folders._to_clipboard = copied.append
    click(crane, "//folders/**/###copy_tsv")
    assert len(copied[0].splitlines()) == 11
