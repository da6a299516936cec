"""A game found on this computer is offered, and used only when the user says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests import game_folders
from tests.builders import archive_of
from tests.gui.conftest import rock
from tests.gui.harness import GuiTester, click
from viewer.app.settings import settings
from viewer.model.game import installs
from viewer.model.game.installs import Install, Launcher
from viewer.ui.frame.toolbar import offer_texts

BAR = "//##offer/"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """An install with a model."""
    folder = game_folders.write(tmp_path / "Parkan - Iron Strategy")
    (folder / "static.rlb").write_bytes(archive_of({"rock.msh": rock().build()}))
    return folder


@pytest.fixture
def offered(gui: GuiTester, game: Path, monkeypatch: pytest.MonkeyPatch) -> GuiTester:
    """The window after the install was found."""
    found = (Install(str(game), Launcher.GOG), Install("/games/other", Launcher.WINE))
    monkeypatch.setattr(installs, "find_installs", lambda: found)
    gui.app.installs.search()
    gui.until(lambda: bool(gui.state.installs))
    gui.settle()
    return gui


def is_offered() -> bool:
    """Whether the line is in the window."""
    bar = imgui.internal.find_window_by_name("##offer")
    return bar is not None and bar.was_active


def test_the_game_is_used_and_opened_with_one_click(offered: GuiTester, game: Path) -> None:
    assert is_offered()
    assert (offered.state.settings.game, offered.state.browser.roots) == ("", ())
    click(offered, f"{BAR}use_install")
    offered.until(lambda: offered.state.document is not None)
    offered.settle()
    assert offered.state.settings.game == str(game)
    assert offered.document.address == f"{game / 'static.rlb'}::rock.msh"
    assert [root.address for root in offered.state.browser.roots] == [str(game)]
    assert not is_offered()


def test_an_offer_that_is_declined_is_not_shown_again(offered: GuiTester, tmp_path: Path) -> None:
    click(offered, f"{BAR}decline_installs")
    offered.settle()
    assert not is_offered()
    assert offered.state.settings.game == ""
    offered.app.save_settings()
    stored = settings.load(tmp_path / "settings.json")
    assert stored.declined_installs == tuple(install.folder for install in offered.state.installs)


def test_the_menu_names_all_that_were_found(offered: GuiTester, game: Path) -> None:
    click(offered, f"{BAR}decline_installs")
    offered.run(lambda user: user.menu_click("//##MainMenuBar/###file/###file.installs/###install0"))
    offered.until(lambda: offered.state.settings.game == str(game))


def test_the_offer_is_shortened() -> None:
    texts = offer_texts(Install("/games/parkan", Launcher.STEAM))
    assert [*sorted(texts, key=len, reverse=True)] == [*texts]
    assert ("Steam" in texts[0], "/games/parkan" in texts[0]) == (True, True)
