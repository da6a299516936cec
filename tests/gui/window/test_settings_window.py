"""The window of the settings: what it shows is what is in effect, and lasts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests import game_folders
from tests.builders import ModelBuilder, Node, box
from tests.gui.harness import Context, GuiTester, click, write_model
from viewer.app.settings import settings
from viewer.app.settings.settings import Settings
from viewer.formats import wear
from viewer.model.game.game_folder import GameOrigin
from viewer.session.view.textures import ByteOrder, TextureSwitches
from viewer.session.view.view_state import Background, Shading

FILTERING = "view.textures.filtering"
MIP_MAPS = "view.textures.mip_maps"
LA88 = "view.textures.la88"
WINDOW = "//settings/**/"
MEMORY = "//settings/##textures/###memory"
MENU = "//##MainMenuBar/view/"


@pytest.fixture
def opened(gui: GuiTester) -> GuiTester:
    """The window is open, no document is."""
    gui.commands.panels.show_settings()
    return gui


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game folder without lightmaps, palettes and registry."""
    return game_folders.write(tmp_path / "game", LightMap=None)


@pytest.fixture
def alone(opened: GuiTester, tmp_path: Path) -> GuiTester:
    """A model in no game, with a wear table that names a material of it."""
    (tmp_path / "a.wea").write_bytes(wear.build([b"SKIN"]))
    opened.open(write_model(tmp_path / "a.msh", ModelBuilder([Node("a", shapes={(0, 0): [box()]})])))
    return opened


def set_game(gui: GuiTester, folder: Path) -> None:
    gui.commands.opening.use_game(str(folder))
    gui.until(lambda: gui.state.game is not None and gui.state.game.folder == folder)
    gui.until(lambda: not gui.app.jobs.title)
    gui.settle()


def test_a_key_opens_the_window_and_another_closes_it(gui: GuiTester) -> None:
    seen: list[bool] = []

    def script(context: Context) -> None:
        context.key_press(int(imgui.Key.mod_ctrl) | int(imgui.Key.comma))
        seen.append(context.item_exists(f"{WINDOW}###reset"))
        context.key_press(imgui.Key.escape)
        seen.append(context.item_exists(f"{WINDOW}###reset"))
        context.menu_click("//##MainMenuBar/file/file.settings")
        seen.append(context.item_exists(f"{WINDOW}###reset"))

    gui.run(script)
    assert seen == [True, False, True]


def test_the_window_and_the_menu_turn_the_same_switches(alone: GuiTester) -> None:
    click(alone, *(f"{WINDOW}###{item}" for item in (FILTERING, LA88, "view.background.light", "samples2")))
    view = alone.state.view
    assert view.textures == TextureSwitches(is_filtered=False, byte_orders=frozenset({ByteOrder.LA88}))
    assert (view.background, view.samples) == (Background.LIGHT, 2)
    alone.run(lambda context: context.menu_click(f"{MENU}view.textures/{FILTERING}"))
    alone.run(lambda context: context.menu_click(f"{MENU}view.background/view.background.dark"))
    assert alone.state.view.textures.is_filtered
    checked: list[bool] = []

    def look(context: Context) -> None:
        names = (FILTERING, LA88, "view.textures.lightmaps", "view.textures.rgb888")
        checked.extend(context.item_is_checked(f"{WINDOW}###{name}") for name in names)

    alone.run(look)
    assert checked == [True, True, True, False]
    assert alone.state.view.background is Background.DARK


def test_everything_is_there_at_the_next_start(alone: GuiTester, game: Path, tmp_path: Path) -> None:
    set_game(alone, game)
    click(alone, f"{WINDOW}###{MIP_MAPS}", f"{WINDOW}###view.background.transparent", f"{WINDOW}###samples1")
    click(alone, f"{WINDOW}###thumbnails")
    click(alone, MEMORY, "//##Combo_00/memory32")
    stored = tmp_path / "settings.json"
    alone.until(lambda: settings.load(stored).texture_memory == 32)
    kept = settings.load(stored)
    assert (kept.game, kept.samples, kept.background) == (str(game), 1, "transparent")
    assert kept.has_thumbnails
    assert kept.first_view().textures == TextureSwitches(has_mip_maps=False)


def test_a_game_folder_serves_the_open_model_at_once(alone: GuiTester, game: Path) -> None:
    assert alone.document.materials.rows[0].is_missing
    set_game(alone, game)
    alone.until(lambda: not alone.document.materials.rows[0].is_missing)
    assert alone.document.game.origin is GameOrigin.SET
    assert alone.state.game is not None
    assert alone.state.game.present == ("Material.lib", "Textures.lib")
    click(alone, f"{WINDOW}###clear_game")
    alone.until(lambda: alone.document.materials.rows[0].is_missing)
    assert alone.state.settings.game == ""
    assert alone.state.game is None


def test_a_model_in_a_game_is_not_taken_from_it(opened: GuiTester, game: Path) -> None:
    opened.commands.opening.open_sample()
    opened.until(lambda: opened.state.document is not None)
    before = opened.document
    set_game(opened, game)
    assert opened.document is before
    assert "keeps its own game folder" in opened.state.notice
    assert opened.state.settings.game == str(game)


def test_a_game_folder_that_is_gone_is_told_once(alone: GuiTester, game: Path, tmp_path: Path) -> None:
    set_game(alone, game)
    game.rename(tmp_path / "elsewhere")
    alone.open(tmp_path / "a.msh")
    assert alone.state.is_warned
    assert str(game) in alone.state.notice
    assert alone.state.message == ""
    assert alone.document.materials.rows[0].is_missing
    assert str(game) in alone.document.game.text
    alone.open(tmp_path / "a.msh")
    assert sum("does not exist" in line for line in alone.state.log) == 1


def test_less_memory_shows_in_what_textures_take(opened: GuiTester) -> None:
    opened.commands.opening.open_sample()
    opened.until(lambda: opened.state.document is not None)
    renderer = opened.app.scene.renderer
    opened.until(lambda: not renderer.requested_textures(opened.state.view.textures))
    opened.pause()
    whole, picture = renderer.texture_size, opened.picture()
    renderer.limit_textures(whole // 4)
    opened.settle()
    opened.until(lambda: not renderer.requested_textures(opened.state.view.textures))
    assert renderer.texture_size <= whole // 4 + 4 * len(renderer._store), "each keeps at least a pixel"
    click(opened, MEMORY, "//##Combo_00/memory16")
    opened.until(lambda: not renderer.requested_textures(opened.state.view.textures))
    assert renderer.texture_size == whole
    assert (opened.picture() == picture).all()


def test_a_reset_is_asked_for_twice(alone: GuiTester, game: Path, tmp_path: Path) -> None:
    set_game(alone, game)
    alone.change(shading=Shading.NORMALS, samples=1, speed=3.0)
    click(alone, f"{WINDOW}###{MIP_MAPS}", f"{WINDOW}###reset", "//$FOCUSED/cancel_reset")
    assert alone.state.view.shading is Shading.NORMALS
    click(alone, f"{WINDOW}###reset", "//$FOCUSED/confirm_reset")
    alone.until(lambda: not alone.app.jobs.title)
    alone.app.save_settings()
    kept = settings.load(tmp_path / "settings.json")
    assert kept.recent == (str(tmp_path / "a.msh"),)
    assert kept.first_view() == Settings().first_view()
    assert (kept.game, kept.closed_panels) == ("", ())


def test_a_reset_opens_the_panels_again(opened: GuiTester) -> None:
    opened.app._shell._switches.set_open("log", is_open=False)
    opened.commands.window.reset_settings()
    assert opened.app._shell.closed_panels == ()


def test_no_frame_is_wrong_when_the_samples_change(alone: GuiTester) -> None:
    """The frame that changes them shows the picture under the name that it gave to the panel before."""
    alone.change(overlays=frozenset(), samples=4)
    alone.commands.panels.show_settings()
    alone.frames(3, is_seen=True)
    area = alone.app.viewport.area
    window = alone.window
    x, y = round(area.left + area.width / 2), round(window.size[1] - area.top - area.height / 2)

    def middle() -> bytes:
        return bytes(window.fbo.read(viewport=(x, y, 1, 1), components=3))

    before = middle()
    for samples in (1, 2, 4, 1):
        alone.app._frame().change(partial(replace, samples=samples))
        alone.frames(is_seen=True)
        assert middle() == before
