"""The light of the display panel and of the menu: what is chosen is drawn, and lasts."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests import game_folders
from tests.builders import ModelBuilder, Node, box
from tests.gui.harness import GuiTester, bring_to_front, click, write_model
from tests.gui.tab_steps import press
from viewer.formats import wear
from viewer.session.view.lighting import GAME_DAY, SCENE, Lighting, Look

SECTION = "//display/light/"
MENU = "//##MainMenuBar/view/view.light/"


@pytest.fixture
def shown(gui: GuiTester, tmp_path: Path) -> GuiTester:
    """A box in a skin, and the display panel."""
    folder = game_folders.write(tmp_path)
    (folder / "a.wea").write_bytes(wear.build([b"SKIN"]))
    gui.open(write_model(folder / "a.msh", ModelBuilder([Node("a", shapes={(0, 0): [box()]})])))
    bring_to_front(gui, "display")
    return gui


def test_the_look_changes_the_picture(shown: GuiTester) -> None:
    before = shown.picture()
    click(shown, f"{SECTION}###plain")
    assert shown.state.view.lighting == Lighting(Look.PLAIN)
    shown.settle()
    assert (shown.picture() != before).any()
    click(shown, f"{SECTION}###game")
    assert shown.state.view.lighting == Lighting()


def test_scene_and_lights_belong_to_the_look_of_the_game(shown: GuiTester) -> None:
    click(shown, f"{SECTION}###game_day")
    assert shown.state.view.lighting.scene == GAME_DAY
    click(shown, f"{SECTION}###default")
    assert shown.state.view.lighting.scene == SCENE
    click(shown, f"{SECTION}###head_light")
    assert shown.state.view.lighting.has_head_light
    click(shown, f"{SECTION}###lights")
    assert not shown.state.view.lighting.has_lights
    click(shown, f"{SECTION}###head_light")
    assert shown.state.view.lighting.has_head_light, "without lights it is disabled"
    click(shown, f"{SECTION}###plain")
    click(shown, f"{SECTION}###lights")
    assert shown.state.view.lighting == Lighting(Look.PLAIN, has_lights=False, has_head_light=True)


def test_the_scene_is_typed_or_dragged_and_saved(shown: GuiTester) -> None:
    shown.run(lambda context: context.item_input_value(f"{SECTION}###scene", 0.75))
    assert shown.state.view.lighting.scene == pytest.approx(0.75)
    assert shown.app._remembered().lighting == shown.state.view.lighting


def test_the_menu_and_a_key_have_the_same(shown: GuiTester) -> None:
    shown.run(lambda context: context.menu_click(f"{MENU}view.light.scene_game_day"))
    assert shown.state.view.lighting == Lighting(scene=GAME_DAY)
    for look in (Look.PLAIN, Look.GAME):
        press(shown, int(imgui.Key.mod_shift) | int(imgui.Key.l))
        assert shown.state.view.lighting.look is look
