"""The interface is as large as the user wants it, at once and after a restart."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.harness import Context, GuiTester, click
from viewer.app.images.thumbnails import ROW
from viewer.app.settings import settings
from viewer.ui.widgets import theme

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
    draw = gui.app._shell.draw

    def watched(frame: object) -> None:
        found.append(lengths())
        draw(frame)  # type: ignore[arg-type]

    gui.app._shell.draw = watched  # type: ignore[method-assign]
    gui.frames()
    gui.app._shell.draw = draw  # type: ignore[method-assign]
    return found[0]


def test_everything_grows_and_comes_back_exactly(gui: GuiTester) -> None:
    usual = measured(gui)
    gui.commands.window.scale(2.0)
    assert measured(gui) == [2 * length for length in usual]
    for scale in (0.75, 1.5, 3.0, 1.0):
        gui.commands.window.scale(scale)
    assert measured(gui) == usual


def test_lines_never_vanish(gui: GuiTester) -> None:
    """Nor do the crosses that close tabs."""
    gui.commands.window.scale(0.75)
    style = imgui.get_style()
    lines = style.window_border_size, style.separator_text_border_size, style.separator_size
    assert (*lines, style._main_scale) == (1.0,) * 4


def test_keys_change_it_step_by_step(gui: GuiTester) -> None:
    for key, scale in ((imgui.Key.equal, 1.1), (imgui.Key.keypad_add, 1.25), (imgui.Key.minus, 1.1)):
        gui.run(lambda context, key=key: context.key_press(CTRL | int(key)))  # type: ignore[misc]
        assert gui.state.settings.interface_scale == scale
    gui.run(lambda context: context.key_press(CTRL | int(imgui.Key._0)))
    assert gui.state.settings.interface_scale == 1.0


def test_it_is_chosen_in_the_settings_and_remembered(gui: GuiTester, tmp_path: Path) -> None:
    gui.commands.panels.show_settings()
    gui.settle()

    def choose(context: Context) -> None:
        context.item_click("//settings/##picture/###scale")
        context.item_click("//##Combo_00/scale125")

    gui.run(choose)  # the engine restores the style after a script
    gui.app.save_settings()
    assert settings.load(tmp_path / "settings.json").interface_scale == 1.25
    gui.commands.window.scale(1.5)
    assert theme.pixel_scale() == 1.5
    gui.commands.window.reset_settings()
    assert theme.pixel_scale() == 1.0


def test_thumbnails_are_as_sharp_as_the_rest(gui: GuiTester) -> None:
    gui.commands.window.scale(2.0)
    assert gui.app.thumbnails._row_side == 2 * ROW


@pytest.mark.parametrize("scale", [0.75, 3.0])
def test_every_panel_can_be_used_at_the_ends(gui: GuiTester, archive: Path, scale: float) -> None:
    gui.commands.window.scale(scale)
    gui.open(archive)
    click(gui, "//##toolbar/###group1")
    assert gui.state.view.group == 1


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_the_toolbar_has_as_many_lines_as_its_buttons_need(
    gui: GuiTester, archive: Path, scale: float
) -> None:
    gui.commands.window.scale(scale)
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
