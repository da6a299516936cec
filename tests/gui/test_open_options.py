"""What the options of ``open`` do in the window."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import game_folders
from tests.builders import ModelBuilder, Node, box
from tests.gui.harness import GuiTester, write_model
from viewer.app.loading import StartOptions
from viewer.app.settings import settings
from viewer.formats import wear
from viewer.formats.archive.nres import Archive
from viewer.formats.msh.tables import BATCHES
from viewer.model.game.game_folder import GameOrigin
from viewer.session.opened.document import Document


def model() -> ModelBuilder:
    return ModelBuilder([Node("a", shapes={(0, 0): [box()]})])


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
    return StartOptions(
        str(tmp_path / "broken.msh"), "field", str(tmp_path / "skin.wea"), game, is_strict=True
    )


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
    stored = settings.load(tmp_path / "settings.json")
    assert stored.wears == {document.address: str(tmp_path / "skin.wea")}
    assert stored.readings == {document.address: "field"}
    assert stored.game == ""


def test_what_is_set_later_does_not_take_the_place_of_an_option(gui: GuiTester, tmp_path: Path) -> None:
    write_model(tmp_path / "broken.msh", model())
    first(gui)
    gui.app.opener.use_game(str(game_folders.write(tmp_path / "other")))
    gui.until(lambda: gui.state.game is not None)
    assert gui.document.game.folder == tmp_path / "game"
    assert "keeps its own game folder" in gui.state.notice
