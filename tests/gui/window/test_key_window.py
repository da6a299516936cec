"""Keys of actions, changed in the list of keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.hand import click, press
from tests.gui.harness import Context, GuiTester
from viewer.control.settings import settings_file
from viewer.session.view.options.overlays import Overlay

pytestmark = pytest.mark.closed("browser", "outline", "inspector")


def set_keys(gui: GuiTester, action: str, *keys: int) -> None:
    """Open the list, ask for keys of an action, press them, close it."""

    def script(context: Context) -> None:
        context.key_press(imgui.Key.f1)
        context.item_click("//keys/##key_filter")
        context.key_chars_replace(action.rpartition(".")[2])
        context.yield_(2)
        context.item_click(f"//keys/**/###set_{action}")
        for key in keys:
            context.key_press(key)
        context.window_close("//keys")
        context.window_focus("//viewport")

    gui.run(script)


def has_grid(gui: GuiTester, key: int) -> bool:
    """Whether the grid is shown after a key."""
    press(gui, key)
    return Overlay.GRID in gui.state.view.overlays


def test_an_action_gets_the_keys_that_are_pressed(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    gui.open(archive)
    assert Overlay.GRID in gui.state.view.overlays
    chord = int(imgui.Key.mod_ctrl) | int(imgui.Key.f7)
    set_keys(gui, "view.overlay.grid", chord)
    assert Overlay.GRID in gui.state.view.overlays, "the keys that are set do nothing else"
    assert has_grid(gui, int(imgui.Key.g))
    assert not has_grid(gui, chord)
    gui.app.save_settings()
    assert settings_file.load(tmp_path / "settings.json").keymap.own == {"view.overlay.grid": "Ctrl+F7"}


def test_esc_leaves_the_keys_and_the_list(gui: GuiTester) -> None:
    set_keys(gui, "view.overlay.grid", int(imgui.Key.escape))
    assert gui.state.settings.keymap.own == {}


def test_keys_of_two_actions_run_the_first_and_are_shown(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    set_keys(gui, "view.overlay.bones", int(imgui.Key.g))
    assert not has_grid(gui, int(imgui.Key.g))
    assert Overlay.BONES not in gui.state.view.overlays
    seen: list[bool] = []

    def script(context: Context) -> None:
        context.key_press(imgui.Key.f1)
        context.item_click("//keys/###only_conflicts")
        names = ("view.overlay.grid", "view.overlay.bones", "file.open")
        seen.extend(context.item_exists(f"//keys/**/###{name}") for name in names)

    gui.run(script)
    assert seen == [True, True, False]
    click(gui, "//keys/###usual_keys")
    assert gui.state.settings.keymap.own == {}


def test_arrows_in_an_open_list_leave_the_time(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    gui.pause(4.0)
    seen: list[float] = []

    def script(context: Context) -> None:
        context.item_click("//##toolbar/##shading")
        context.key_press(imgui.Key.right_arrow)
        seen.append(gui.state.view.time)
        context.key_press(imgui.Key.escape)
        context.key_press(imgui.Key.right_arrow)
        seen.append(gui.state.view.time)

    gui.run(script)
    assert seen == [4.0, 5.0]


def test_enter_on_what_cannot_be_run_says_why_and_keeps_the_keys(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    before = gui.state.view

    def script(context: Context) -> None:
        context.key_press(int(imgui.Key.mod_ctrl) | int(imgui.Key.p))
        context.yield_(3)
        context.key_chars("replace the picture")
        context.key_press(imgui.Key.enter)
        context.yield_(3)
        context.key_chars("gg")

    gui.run(script)
    gui.settle()
    keys = gui.app.shell._windows.help.keys
    assert keys.is_open
    assert keys._refused[0] == "replace the picture"
    assert keys._refused[1].startswith("Replace the picture…: ")
    assert keys._filter.text == "gg", "what is typed next goes into the field, in place of what was refused"
    assert gui.state.view.overlays == before.overlays
