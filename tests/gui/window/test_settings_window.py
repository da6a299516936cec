"""The window of the settings: what it shows is what is in effect, and lasts.

The footer shows the five keys of what the user is doing, and they do what it says.

The interface is as large as the user wants it, at once and after a restart.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from tests import game_folders
from tests.builders import ModelBuilder, Node, box
from tests.gui.hand import click, press, type_into
from tests.gui.harness import Context, GuiTester, bring_to_front, write_model
from viewer.control.settings import settings_file
from viewer.control.settings.settings import Settings
from viewer.formats import wear
from viewer.model.game.game_folder import GameOrigin
from viewer.session.play.playback import FASTEST
from viewer.session.program import CLOSED_AT_FIRST, Theme
from viewer.session.view.options.background import Background
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.textures import ByteOrder, TextureSwitches
from viewer.ui.frame.bottom_bars import ENTRIES, Activity, activity, focused_panel, keys_of
from viewer.ui.widgets import theme
from viewer.ui.windows import settings_window
from viewer.version import VERSION

pytestmark = pytest.mark.closed("browser", "outline", "inspector")

FILTERING = "view.textures.filtering"
MIP_MAPS = "view.textures.mip_maps"
LA88 = "view.textures.la88"
WINDOW = "//settings/**/"
MEMORY = "//settings/##textures/###texture_memory"
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
    opened.open(write_model(tmp_path / "a.msh", ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})])))
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
    click(alone, *(f"{WINDOW}###{item}" for item in (FILTERING, LA88, "background.light", "samples2")))
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


def test_a_number_has_a_field_within_its_bounds(alone: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    own = {name: it for name, it in settings_window._OWN_CONTROLS.items() if name != "speed"}
    monkeypatch.setattr(settings_window, "_OWN_CONTROLS", own)
    for typed, number in (("12.5", 12.5), ("1e9", FASTEST), ("", FASTEST)):
        type_into(alone, f"{WINDOW}##speed", typed)
        alone.settle()
        assert alone.state.view.speed == number


def test_everything_is_there_at_the_next_start(alone: GuiTester, game: Path, tmp_path: Path) -> None:
    set_game(alone, game)
    click(alone, f"{WINDOW}###{MIP_MAPS}", f"{WINDOW}###background.transparent", f"{WINDOW}###samples1")
    click(alone, f"{WINDOW}###has_thumbnails")
    click(alone, MEMORY, "//##Combo_00/texture_memory32")
    stored = tmp_path / "settings.json"
    alone.until(lambda: settings_file.load(stored).texture_memory == 32)
    kept = settings_file.load(stored)
    assert (kept.game, kept.view.samples, kept.view.background) == (str(game), 1, "transparent")
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
    renderer = opened.app.images.scene.renderer
    opened.until(lambda: not renderer.requested_textures(opened.state.view.textures))
    opened.pause()
    whole, picture = renderer.texture_size, opened.picture()
    renderer.limit_textures(whole // 4)
    opened.settle()
    opened.until(lambda: not renderer.requested_textures(opened.state.view.textures))
    assert renderer.texture_size <= whole // 4 + 4 * len(renderer._store), "each keeps at least a pixel"
    click(opened, MEMORY, "//##Combo_00/texture_memory16")
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
    kept = settings_file.load(tmp_path / "settings.json")
    assert [*map(str, kept.recent)] == [str(tmp_path / "a.msh")]
    assert kept.first_view() == Settings().first_view()
    assert (kept.game, kept.closed_panels) == ("", CLOSED_AT_FIRST)


def test_a_reset_opens_the_panels_again(opened: GuiTester) -> None:
    opened.app.shell._switches.set_open("outline", is_open=False)
    opened.commands.window.reset_settings()
    assert opened.app.shell.closed_panels == CLOSED_AT_FIRST


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
        alone.app.panel_context().change(partial(replace, samples=samples))
        alone.frames(is_seen=True)
        assert middle() == before


SAMPLE = Path(__file__).parents[3] / "assets" / "game"


@pytest.fixture
def crane(crane: GuiTester) -> GuiTester:
    bring_to_front(crane, "viewport")
    return crane


def doing(gui: GuiTester) -> Activity:
    gui.settle()
    return activity(gui.app.panel_context(), focused_panel())


def test_it_follows_what_the_user_is_doing(crane: GuiTester) -> None:
    assert doing(crane) is Activity.LOOKING
    crane.select(1)
    assert doing(crane) is Activity.SELECTION
    press(crane, imgui.Key.escape)
    crane.change(is_playing=True)
    assert doing(crane) is Activity.ANIMATION
    crane.pause()
    assert doing(crane) is Activity.LOOKING


def test_it_follows_the_panel_with_the_focus(crane: GuiTester) -> None:
    seen: list[Activity] = []

    def look(context: Context) -> None:
        for panel in ("tables", "timeline", "viewport"):
            context.window_focus(f"//{panel}")
            context.yield_(2)
            seen.append(activity(crane.app.panel_context(), focused_panel()))

    crane.run(look)
    assert seen == [Activity.TABLE, Activity.ANIMATION, Activity.LOOKING]


def test_it_follows_what_is_open(gui: GuiTester) -> None:
    assert doing(gui) is Activity.NOTHING_OPEN
    gui.open(next(SAMPLE.glob("Textures.lib")))
    address = next(entry.address for rows in gui.state.browser.children.values() for entry in rows)
    gui.open(str(address))
    assert doing(gui) is Activity.TEXTURE
    gui.open(f"{SAMPLE / 'models.rlb'}::walker.wea")
    assert doing(gui) is Activity.RESOURCE


def test_there_are_five_entries_with_keys_of_real_actions(gui: GuiTester) -> None:
    actions = {action.id: action for action in gui.app.shell.actions}
    keys = {kind: [keys_of(entry, actions) for entry in ENTRIES[kind]] for kind in Activity}
    for shown in keys.values():
        assert len(shown) == len(set(shown)) == 5
        assert all(shown)
    assert "Space" in keys[Activity.LOOKING]
    assert "F" in keys[Activity.SELECTION]


def test_it_is_drawn_above_the_status_bar(crane: GuiTester) -> None:
    footer = imgui.internal.find_window_by_name("##footer")
    status = imgui.internal.find_window_by_name("##status")
    assert footer is not None
    assert status is not None
    assert footer.was_active
    assert footer.pos.y + footer.size.y <= status.pos.y + 1


def test_the_about_box_copies_what_a_bug_report_needs(gui: GuiTester) -> None:
    gui.run(lambda context: context.menu_click("//##MainMenuBar/###help/###help.about"))
    gui.settle()
    copied: list[str] = []

    def copy(context: Context) -> None:
        context.item_click("//about/###copy_about")
        context.yield_(2)
        copied.append(imgui.get_clipboard_text())

    gui.run(copy)
    assert f"mshview {VERSION}" in copied[0]
    assert gui.window.ctx.info["GL_RENDERER"] in copied[0]


CTRL = int(imgui.Key.mod_ctrl)


def lengths() -> list[float]:
    """Font height and some lengths of the style."""
    style = imgui.get_style()
    strokes = style._main_scale
    return [
        imgui.get_font_size(),
        style.frame_padding.x,
        style.scrollbar_size,
        strokes,
        style.log_slider_deadzone,
    ]


def measured(gui: GuiTester) -> list[float]:
    """The lengths while a window is drawn, when the font has its size."""
    found: list[list[float]] = []
    draw = gui.app.shell.draw

    def watched(*arguments: Any, **options: Any) -> None:
        found.append(lengths())
        draw(*arguments, **options)

    gui.app.shell.draw = watched  # type: ignore[method-assign]
    gui.frames()
    gui.app.shell.draw = draw  # type: ignore[method-assign]
    return found[0]


def test_everything_grows_and_comes_back_exactly(gui: GuiTester) -> None:
    usual = measured(gui)
    gui.commands.settings.set(interface_scale=2.0)
    assert measured(gui) == [2 * length for length in usual]
    for scale in (0.75, 1.5, 3.0, 1.0):
        gui.commands.settings.set(interface_scale=scale)
    assert measured(gui) == usual


def test_lines_never_vanish(gui: GuiTester) -> None:
    """Nor do the crosses that close tabs."""
    gui.commands.settings.set(interface_scale=0.75)
    style = imgui.get_style()
    lines = style.window_border_size, style.separator_text_border_size, style.separator_size
    assert (*lines, style._main_scale) == (1.0,) * 4


def test_keys_change_it_step_by_step(gui: GuiTester) -> None:
    for key, scale in ((imgui.Key.equal, 1.1), (imgui.Key.keypad_add, 1.25), (imgui.Key.minus, 1.1)):
        gui.run(lambda context, key=key: context.key_press(CTRL | int(key)))  # type: ignore[misc]
        assert gui.state.settings.interface_scale == scale
    press(gui, CTRL | int(imgui.Key._0))
    assert gui.state.settings.interface_scale == 1.0


def test_it_is_chosen_in_the_settings_and_remembered(gui: GuiTester, tmp_path: Path) -> None:
    gui.commands.panels.show_settings()
    gui.settle()

    def choose(context: Context) -> None:
        context.item_click("//settings/##picture/###interface_scale")
        context.item_click("//##Combo_00/interface_scale1.25")

    gui.run(choose)  # the engine restores the style after a script
    gui.app.save_settings()
    assert settings_file.load(tmp_path / "settings.json").interface_scale == 1.25
    gui.commands.settings.set(interface_scale=1.5)
    assert theme.pixel_scale() == 1.5
    gui.commands.window.reset_settings()
    assert theme.pixel_scale() == 1.0


@pytest.mark.parametrize("scale", [0.75, 3.0])
def test_every_panel_can_be_used_at_the_ends(gui: GuiTester, archive: Path, scale: float) -> None:
    gui.commands.settings.set(interface_scale=scale)
    gui.open(archive)
    click(gui, "//##toolbar/###group1")
    assert gui.state.view.group == 1


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_the_toolbar_has_as_many_lines_as_its_buttons_need(
    gui: GuiTester, archive: Path, scale: float
) -> None:
    gui.commands.settings.set(interface_scale=scale)
    gui.open(archive)
    boxes = {}

    def look(context: Context) -> None:
        for name in ("lod0", "group4", "cells", "overlays", "background", "frame_all", "frame_selection"):
            found = context.item_info(f"//##toolbar/###{name}", imgui.test_engine.TestOpFlags_.no_error)
            if found.id_:
                boxes[name] = found.rect_full.max

    gui.run(look)
    bar = imgui.internal.find_window_by_name("##toolbar")
    assert boxes.keys() >= {"lod0", "frame_all", "frame_selection"}
    for name, end in boxes.items():
        assert end.x <= gui.window.width, name
        assert end.y <= bar.pos.y + bar.size.y, name
    click(gui, "//##toolbar/###frame_all")


@pytest.mark.parametrize("size", [(-2147483648, 32767), (0, 0), (1 << 20, 600)])
def test_a_size_that_no_window_has_is_not_remembered(
    alone: GuiTester, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    """As of a window whose display is gone: the next start would find the settings damaged."""
    before = alone.app.remembered.settings.window_size
    monkeypatch.setattr(type(alone.app.gui), "window_size", size)
    assert alone.app.remembered.settings.window_size == before
    monkeypatch.setattr(type(alone.app.gui), "window_size", (801, 602))
    assert alone.app.remembered.settings.window_size == (801, 602)


def test_a_theme_colors_the_window_and_its_viewport(opened: GuiTester) -> None:
    def shade(place: tuple[int, int]) -> float:
        return float(opened.shown()[place][:3].mean())

    toolbar = 60, 1000
    opened.state.view = replace(opened.state.view, background=Background.DARK)
    opened.commands.settings.set(theme=Theme.LIGHT)
    assert shade(toolbar) > 200
    backgrounds = [opened.state.view.background]
    assert opened.state.settings.theme is Theme.LIGHT
    opened.commands.settings.set(theme=Theme.CONTRAST)
    assert shade(toolbar) < 20
    backgrounds.append(opened.state.view.background)
    opened.state.view = replace(opened.state.view, background=Background.TRANSPARENT)
    opened.commands.settings.set(theme=Theme.DARK)
    backgrounds.append(opened.state.view.background)
    assert backgrounds == [Background.LIGHT, Background.DARK, Background.TRANSPARENT]
