"""A game found on this computer is offered, and used only when the user says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests import game_folders
from tests.builders import ModelBuilder, Node, archive_of, box
from tests.gui.conftest import rock
from tests.gui.hand import click
from tests.gui.harness import GuiTester, write_model
from viewer.control.opening.loading import StartOptions
from viewer.control.settings import settings_file
from viewer.formats import wear
from viewer.formats.archive.nres import Archive
from viewer.formats.msh.tables import BATCHES
from viewer.model.game import installs
from viewer.model.game.game_folder import GameOrigin
from viewer.model.game.installs import Install, Launcher
from viewer.model.store.address import Address
from viewer.session.opened.document import Document
from viewer.ui.frame.toolbar import offer_texts

pytestmark = pytest.mark.closed("timeline", "dope_sheet", "curves", "inspector", "outline")

BAR = "//##offer/"


@pytest.fixture
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An install with a model; its path is short, so that it fits the window as the item of a menu."""
    folder = game_folders.write(tmp_path_factory.mktemp("game") / "Parkan")
    (folder / "static.rlb").write_bytes(archive_of({"rock.msh": rock().build()}))
    return folder


@pytest.fixture
def offered(gui: GuiTester, game: Path, monkeypatch: pytest.MonkeyPatch) -> GuiTester:
    """The window after the install was found."""
    found = (Install(str(game), Launcher.GOG), Install("/games/other", Launcher.WINE))
    monkeypatch.setattr(installs, "find_installs", lambda: found)
    gui.app.control.installs.search()
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
    offered.until(lambda: offered.state.tabs.active.address == Address(game))
    offered.settle()
    assert offered.state.settings.game == str(game)
    assert [str(root.address) for root in offered.state.browser.roots] == [str(game)]
    assert not is_offered()


def test_an_offer_that_is_declined_is_not_shown_again(offered: GuiTester, tmp_path: Path) -> None:
    click(offered, f"{BAR}decline_installs")
    offered.settle()
    assert not is_offered()
    assert offered.state.settings.game == ""
    offered.app.save_settings()
    stored = settings_file.load(tmp_path / "settings.json")
    assert stored.declined_installs == tuple(install.folder for install in offered.state.installs)


def test_the_menu_names_all_that_were_found(offered: GuiTester, game: Path) -> None:
    click(offered, f"{BAR}decline_installs")
    offered.run(
        lambda user: user.menu_click("//##MainMenuBar/###file/###file.game/###file.installs/###install0")
    )
    offered.until(lambda: offered.state.settings.game == str(game))


def test_the_offer_is_shortened() -> None:
    texts = offer_texts(Install("/games/parkan", Launcher.STEAM))
    assert [*sorted(texts, key=len, reverse=True)] == [*texts]
    assert ("Steam" in texts[0], "/games/parkan" in texts[0]) == (True, True)


def model() -> ModelBuilder:
    return ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})])


@pytest.fixture
def given(tmp_path: Path) -> StartOptions:
    """A file with an error, a wear table and a game for it; another file lies beside it."""
    data = bytearray(model().build())
    batches = next(entry for entry in Archive.read(bytes(data)).entries if entry.type_id == BATCHES)
    data[batches.offset + 8 : batches.offset + 10] = b"\xff\xff"
    (tmp_path / "broken.msh").write_bytes(data)
    write_model(tmp_path / "sound.msh", model())
    (tmp_path / "skin.wea").write_bytes(wear.build([b"SKIN"]))
    game = game_folders.write(tmp_path / "game")
    skin = Address(tmp_path / "skin.wea")
    options = {"reading": "field", "wear": skin, "game": game, "strict": True}
    return StartOptions(Address(tmp_path / "broken.msh"), options)


def first(gui: GuiTester) -> None:
    """Show what the command line names, and wait for it."""
    gui.app.opener.open_first()
    gui.until(lambda: not gui.app.jobs.title)
    gui.settle()


def shown(gui: GuiTester) -> Document | None:
    """What is open by now."""
    return gui.state.document


def test_strict_gives_one_message_and_the_window_stays(gui: GuiTester, tmp_path: Path) -> None:
    first(gui)
    assert gui.state.document is None
    assert gui.state.message.startswith(f"{tmp_path / 'broken.msh'}: batches[0]")
    assert "\n" not in gui.state.message
    assert not gui.app.is_closing
    gui.state.message = ""
    gui.open(tmp_path / "sound.msh")
    document = shown(gui)
    assert document is not None
    assert document.materials.wear_source is None
    assert document.game.folder is None


def test_a_sound_file_is_shown_as_the_options_say(gui: GuiTester, tmp_path: Path) -> None:
    write_model(tmp_path / "broken.msh", model())
    first(gui)
    document = gui.document
    assert (document.choice.requested, document.game.origin) == ("field", GameOrigin.GIVEN)
    assert [(row.name, str(row.found)) for row in document.materials.rows] == [("SKIN", "name")]
    gui.app.save_settings()
    stored = settings_file.load(tmp_path / "settings.json")
    assert stored.wears == {str(document.address): str(tmp_path / "skin.wea")}
    assert stored.readings == {str(document.address): "field"}
    assert stored.game == ""


def test_what_is_set_later_does_not_take_the_place_of_an_option(gui: GuiTester, tmp_path: Path) -> None:
    write_model(tmp_path / "broken.msh", model())
    first(gui)
    gui.app.opener.use_game(str(game_folders.write(tmp_path / "other")))
    gui.until(lambda: gui.state.game is not None)
    assert gui.document.game.folder == tmp_path / "game"
    assert "keeps its own game folder" in gui.state.notice
