"""Filter fields: the x, Esc, and what happens to a filter when another file is opened."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.conftest import rock
from tests.gui.harness import Context, GuiTester, bring_to_front, click, exists, write_model
from viewer.model.material.materials import MATERIALS
from viewer.model.store.place import Place
from viewer.session.selection import Selection

FILTERS = {
    "//browser/##browser_filter": "//browser/**/###entry3",
    "//outline/##outline_filter": "//outline/**/###node3",
    "//materials/##material_filter": "//materials/**/###texture",
    "//problems/##problem_filter": "//problems/**/###problem0",
    "//settings/##settings_filter": "//settings/**/###samples1",
}
"""Filters of panels, and a row that none of them shows if nothing matches."""


@pytest.fixture
def crane(gui: GuiTester, archive: Path) -> GuiTester:
    """The crane, paused at time 0, with its arm selected, and every panel with a filter in front."""
    gui.open(archive)
    gui.pause()
    gui.select(2)
    gui.commands.panels.show_settings()
    for panel in ("materials", "problems", "settings"):
        bring_to_front(gui, panel)
    return gui


def clear_button(field: str) -> str:
    panel, _, name = field.rpartition("##")
    return f"{panel}###clear_{name}"


def type_into(context: Context, field: str, words: str = "nothing is called so") -> None:
    """Type into a filter and leave the cursor in it; the end of a script takes the focus away."""
    context.item_click(field)
    context.key_chars(words)
    context.yield_(2)


def press(context: Context, key: imgui.Key) -> None:
    context.key_press(key)
    context.yield_(2)


@pytest.mark.parametrize("field", FILTERS)
def test_the_x_clears_a_filter_and_is_there_only_then(crane: GuiTester, field: str) -> None:
    assert not exists(crane, clear_button(field))
    crane.run(lambda context: type_into(context, field))
    assert not exists(crane, FILTERS[field])
    click(crane, clear_button(field))
    assert exists(crane, FILTERS[field])
    assert not exists(crane, clear_button(field))


@pytest.mark.parametrize("field", FILTERS)
def test_escape_clears_a_filter_and_nothing_else(crane: GuiTester, field: str) -> None:
    def script(context: Context) -> None:
        type_into(context, field)
        press(context, imgui.Key.escape)

    crane.run(script)
    crane.until(lambda: exists(crane, FILTERS[field]))
    assert crane.state.view.selection == Selection((2,))


def test_escape_clears_the_filter_of_the_panel_with_the_focus(crane: GuiTester) -> None:
    seen = []

    def script(context: Context) -> None:
        type_into(context, "//outline/##outline_filter", "mast")
        context.item_click("//outline/**/###node1")
        for _ in range(3):
            seen.append((context.item_exists("//outline/**/###node3"), crane.state.view.selection.nodes))
            press(context, imgui.Key.escape)

    crane.run(script)
    assert seen == [(False, (1,)), (True, (1,)), (True, ())]


def test_escape_clears_the_filter_of_a_window_before_it_closes_the_window(crane: GuiTester) -> None:
    seen = []

    def script(context: Context) -> None:
        press(context, imgui.Key.f1)
        context.key_chars("grid")
        context.yield_(2)
        for _ in range(3):
            items = "//keys/##key_filter", "//keys/**/###file.open"
            seen.append(tuple(map(context.item_exists, items)))
            press(context, imgui.Key.escape)

    crane.run(script)
    assert seen == [(True, False), (True, True), (False, False)]


def test_the_filter_of_the_outline_ends_with_a_model_in_which_it_hides_everything(
    crane: GuiTester, tmp_path: Path
) -> None:
    crane.run(lambda context: type_into(context, "//outline/##outline_filter", "mast"))
    crane.open(write_model(tmp_path / "stone.msh", rock()))
    assert exists(crane, "//outline/**/###node0")
    assert not exists(crane, "//outline/###clear_outline_filter")


def test_the_filter_of_the_outline_stays_with_a_model_that_has_such_a_part(
    crane: GuiTester, archive: Path
) -> None:
    crane.run(lambda context: type_into(context, "//outline/##outline_filter", "r*"))
    crane.open(f"{archive}::rock.msh")
    assert exists(crane, "//outline/**/###node0")
    assert exists(crane, "//outline/###clear_outline_filter")


def test_the_list_of_keys_opens_with_an_empty_filter(crane: GuiTester) -> None:
    def script(context: Context) -> None:
        press(context, imgui.Key.f1)
        context.key_chars("grid")
        context.yield_(2)
        context.item_click("//keys/#CLOSE")
        press(context, imgui.Key.f1)

    crane.run(script)
    assert exists(crane, "//keys/**/###file.open")


def test_a_material_that_a_place_names_is_shown_whatever_the_filter(crane: GuiTester) -> None:
    crane.run(lambda context: type_into(context, "//materials/##material_filter", "steel"))
    crane.commands.opening.go_to(Place(crane.document.address, MATERIALS, 0))
    assert not exists(crane, clear_button("//materials/##material_filter"))


def test_the_filter_of_the_settings_keeps_the_rows_that_match(crane: GuiTester) -> None:
    crane.run(lambda context: type_into(context, "//settings/##settings_filter", "alias"))
    assert exists(crane, "//settings/**/###samples1")
    assert not exists(crane, "//settings/**/###memory")
    assert not exists(crane, "//settings/**/###reset")
