"""The search over everything open, as somebody uses it."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest
from imgui_bundle import imgui

from tests.builders import archive_of
from tests.gui.conftest import crane, rock
from tests.gui.harness import Context, GuiTester, click, exists
from viewer.app import searches
from viewer.formats.msh.batches import BATCH
from viewer.model.search.results import Scope
from viewer.model.search.search import search
from viewer.progress import Progress
from viewer.ui.panels.search import SearchPanel, place_text, state_text

FIELD = "//search/##search_field"


@pytest.fixture
def game(gui: GuiTester, tmp_path: Path) -> Path:
    """A folder: ``a.rlb`` with a rock, which is open, and ``b.rlb`` with a crane and its wear table."""
    folder = tmp_path / "game"
    folder.mkdir()
    (folder / "a.rlb").write_bytes(archive_of({"rock.msh": rock().build()}))
    entries = {"crane.msh": crane().build(), "crane.wea": b"2\r\n0 YELLOW\r\n1 STEEL\r\n"}
    (folder / "b.rlb").write_bytes(archive_of(entries))
    gui.open(folder)
    return folder


def panel(gui: GuiTester) -> SearchPanel:
    return next(panel for panel in gui.app._shell._panels if isinstance(panel, SearchPanel))


def search_for(gui: GuiTester, words: str) -> None:
    """Press the keys, type, press Enter, and wait until everything has been searched."""

    def script(context: Context) -> None:
        context.key_press(int(imgui.Key.mod_ctrl) | int(imgui.Key.mod_shift) | int(imgui.Key.f))
        context.yield_(3)
        context.key_chars(words)
        context.key_press(imgui.Key.enter)

    gui.run(script)
    gui.until(lambda: gui.state.search.query is not None and not gui.state.search.is_running)
    gui.settle()


def rows(gui: GuiTester) -> list[str]:
    """The rows of the panel: files, and places in them."""
    return [Path(file.path).name if hit is None else place_text(hit) for file, hit in panel(gui)._rows]


def test_a_search_lists_hits_by_file_and_a_click_goes_there(gui: GuiTester, game: Path) -> None:
    search_for(gui, "steel")
    assert rows(gui) == ["b.rlb", "crane.wea: materials[1].name"]
    assert state_text(gui.state.search, None) == "1 hit in 1 file"
    click(gui, "//search/**/###hit1")
    gui.until(lambda: gui.state.resource is not None)
    assert gui.state.resource is not None
    assert gui.state.resource.address == f"{game / 'b.rlb'}::crane.wea"
    assert gui.state.reveal is not None
    assert (gui.state.reveal.table, gui.state.reveal.row) == ("materials", 1)


def test_a_condition_selects_the_row_in_its_model(gui: GuiTester, game: Path) -> None:
    search_for(gui, "index_count > 30 and material = 1")
    (hit,) = [hit for _, hit in panel(gui)._rows[:2] if hit is not None]
    assert (hit.scope, hit.place.table) == (Scope.VALUES, BATCH.name)
    click(gui, "//search/**/###hit1")
    gui.until(lambda: gui.document.address == hit.place.address)
    assert gui.state.view.selection.batch == hit.place.row


def test_a_file_is_folded(gui: GuiTester, game: Path) -> None:
    search_for(gui, "crane")
    assert len(rows(gui)) > 1
    click(gui, "//search/**/###file0")
    assert rows(gui)[1:2] in ([], ["a.rlb"])


def test_another_choice_of_scopes_searches_again(gui: GuiTester, game: Path) -> None:
    search_for(gui, "crane.wea")
    assert [file.hits[0].scope for file in gui.state.search.found.files] == [Scope.NAMES]
    click(gui, "//search/###scope_names")
    gui.until(lambda: not gui.state.search.is_running)
    gui.settle()
    assert [file.hits[0].scope for file in gui.state.search.found.files] == [Scope.TEXT]


def test_escape_clears_the_field_and_its_results(gui: GuiTester, game: Path) -> None:
    search_for(gui, "steel")

    def script(context: Context) -> None:
        context.item_click(FIELD)
        context.key_press(imgui.Key.escape)

    gui.run(script)
    assert rows(gui) == []
    assert gui.state.search.query is None


def test_what_cannot_be_searched_for_is_said(gui: GuiTester, game: Path) -> None:
    search_for(gui, "index_count >")
    assert state_text(gui.state.search, None) == "a value is missing after >"
    assert gui.state.message == ""
    search_for(gui, "no such thing anywhere")
    assert state_text(gui.state.search, None) == "0 hits in 0 files"


def test_hits_come_while_the_search_goes_on_and_it_can_be_cancelled(
    gui: GuiTester, game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, goes_on = Event(), Event()

    def slow(*arguments: object) -> None:
        search(*arguments)  # type: ignore[arg-type]
        reached.set()
        assert goes_on.wait(60)
        progress = arguments[-1]
        assert isinstance(progress, Progress)
        progress.check()

    monkeypatch.setattr(searches, "search", slow)

    def script(context: Context) -> None:
        context.menu_click("//##MainMenuBar/select/select.search")
        context.yield_(3)
        context.key_chars("steel")
        context.item_click("//search/###start_search")

    gui.run(script)
    gui.until(reached.is_set)
    gui.frames(3)
    assert gui.state.search.is_running
    assert len(rows(gui)) == 2
    gui.commands.window.cancel_job("search")
    goes_on.set()
    gui.until(lambda: not gui.state.search.is_running)
    assert state_text(gui.state.search, None) == "1 hit in 1 file, cancelled"


def test_files_that_are_open_outside_of_the_folder_are_searched_too(
    gui: GuiTester, game: Path, tmp_path: Path
) -> None:
    (tmp_path / "loose.wea").write_bytes(b"1\r\n0 STEEL\r\n")
    gui.open(tmp_path / "loose.wea")
    search_for(gui, "steel")
    assert "loose.wea" in rows(gui)
    assert exists(gui, FIELD)
