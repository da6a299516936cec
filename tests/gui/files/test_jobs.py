"""Running jobs in the status bar: shown after a moment, cancelled with an x, listed if there are several.

A game found on this computer is offered, and used only when the user says so.
"""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest
from imgui_bundle import imgui

from tests import game_folders
from tests.builders import ModelBuilder, Node, archive_of, box
from tests.gui.conftest import rock
from tests.gui.harness import GuiTester, click, exists, write_model
from viewer.app import loading
from viewer.app.jobs import Jobs
from viewer.app.loading import StartOptions
from viewer.app.settings import settings
from viewer.formats import wear
from viewer.formats.archive.nres import Archive
from viewer.formats.msh.tables import BATCHES
from viewer.model.game import installs
from viewer.model.game.game_folder import GameOrigin
from viewer.model.game.installs import Install, Launcher
from viewer.progress import Cancelled, Progress, current
from viewer.session.opened.document import Document
from viewer.ui.frame.toolbar import offer_texts


class GatedWork:
    """A job that goes on until the test ends or cancels it."""

    def __init__(self, jobs: Jobs, lane: str) -> None:
        self.ended = Event()
        self.errors: list[BaseException] = []
        jobs.start(lane, f"Working on {lane}…", self._run, print, self.errors.append, is_background=True)

    def _run(self, progress: Progress) -> None:
        try:
            for _ in progress.over(range(4), str):
                while progress.done == 1:
                    progress.check()
                    Event().wait(0.001)
        finally:
            self.ended.set()


def test_a_job_is_shown_after_a_moment_and_ends_with_its_x(gui: GuiTester) -> None:
    work = GatedWork(gui.app.jobs, "maps")
    assert gui.app.is_working
    gui.until(lambda: bool(gui.app.jobs.running))
    (job,) = gui.app.jobs.running
    assert (job.title, job.share, job.what) == ("Working on maps…", 0.25, "1")
    click(gui, "//##status/###cancel_maps")
    assert work.ended.wait(60)
    gui.settle()
    assert [type(error) for error in work.errors] == [Cancelled]
    assert not gui.app.is_working


def test_several_jobs_are_a_list_with_an_x_each(gui: GuiTester) -> None:
    works = {lane: GatedWork(gui.app.jobs, lane) for lane in ("maps", "ships")}
    gui.until(lambda: len(gui.app.jobs.running) == 2)
    gui.frames()
    assert not exists(gui, "//##status/###cancel_maps")
    click(gui, "//##status/###show_jobs", "//$FOCUSED/ships/###cancel_ships")
    assert works["ships"].ended.wait(60)
    assert not works["maps"].ended.is_set()
    gui.until(lambda: len(gui.app.jobs.running) == 1)


def test_opening_ends_when_it_is_cancelled_and_what_was_open_stays(
    gui: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    gui.app.opener.open_sample()
    gui.settle()
    before = gui.document

    def read_forever(*_: object, **__: object) -> None:
        while True:
            current().check()

    monkeypatch.setattr(loading, "read", read_forever)
    gui.app.opener.open("other.rlb")
    gui.until(lambda: bool(gui.app.jobs.running))
    click(gui, "//##status/###cancel_open")
    gui.settle()
    assert gui.document is before
    assert gui.state.message == ""
    assert "other.rlb" in gui.state.notice


def test_a_job_leaves_room_for_the_rest_of_the_status_bar(gui: GuiTester) -> None:
    """The statistics become shorter; nothing is drawn over anything else."""
    gui.app.opener.open_sample()
    gui.settle()
    GatedWork(gui.app.jobs, "maps")
    gui.until(lambda: bool(gui.app.jobs.running))
    gui.frames(2)
    rects: list[imgui.internal.ImRect] = []

    def measure(context: imgui.test_engine.TestContext) -> None:
        rects.extend(
            context.item_info(f"//##status/###{name}").rect_full for name in ("reading", "cancel_maps")
        )

    gui.run(measure)
    reading, cancel = rects
    assert reading.max.x <= cancel.min.x
    assert cancel.max.x <= gui.window.width


def test_the_x_is_in_the_window_however_little_room_there_is(gui: GuiTester) -> None:
    gui.app.opener.open_sample()
    gui.settle()
    gui.commands.window.scale(2.0)
    GatedWork(gui.app.jobs, "maps")
    gui.until(lambda: bool(gui.app.jobs.running))
    gui.frames(2)
    found: list[imgui.internal.ImRect] = []
    gui.run(lambda context: found.append(context.item_info("//##status/###cancel_maps").rect_full))
    assert found[0].min.x > 0
    assert found[0].max.x <= gui.window.width


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
