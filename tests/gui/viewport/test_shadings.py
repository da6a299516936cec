"""Shading modes that have nothing to show say so, and those with colors explain them."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.builders import ModelBuilder, Node, box, quad
from tests.gui.harness import Context, GuiTester, click, exists, write_model
from viewer.model.mesh.shown import CellRule
from viewer.session.view.coloring import GROUPED
from viewer.session.view.view_state import DrawnParts, Shading
from viewer.ui.actions.action_table import ACTIONS
from viewer.ui.viewport.viewport_overlay import available, obstacle

UNAVAILABLE = (Shading.LIGHTMAP, Shading.STREAM18)
MENU = "//##MainMenuBar/view/view.shading"


@pytest.fixture
def crane(gui: GuiTester, archive: Path) -> GuiTester:
    """A model without lightmaps and stream 18, paused."""
    gui.open(archive)
    gui.pause()
    return gui


def takes_clicks(context: Context, item: str) -> bool:
    """Tell whether a visible item is enabled."""
    return not int(context.item_info(item).item_flags) & int(imgui.ItemFlags_.disabled)


def test_the_reason_is_that_of_the_model(crane: GuiTester) -> None:
    assert "lightmap" in obstacle(crane.document, Shading.LIGHTMAP)
    assert "stream 18" in obstacle(crane.document, Shading.STREAM18)
    assert obstacle(crane.document, Shading.FLAG) == ""
    assert obstacle(None, Shading.LIGHTMAP) == ""


def test_actions_tell_why_they_cannot_run(crane: GuiTester) -> None:
    frame = crane.app._frame()
    reasons = {action.id: action.reason(frame) for action in ACTIONS}
    assert reasons["view.shading.lightmap"] == obstacle(crane.document, Shading.LIGHTMAP)
    assert reasons["view.shading.lit"] == ""


@pytest.mark.parametrize("shading", UNAVAILABLE)
def test_a_shading_without_anything_to_show_is_gray_everywhere(crane: GuiTester, shading: Shading) -> None:
    found: list[bool] = []

    def look(context: Context) -> None:
        context.item_click("//##toolbar/##shading")
        found.extend(takes_clicks(context, f"//$FOCUSED/{name}") for name in (shading.value, "lit"))
        context.key_press(imgui.Key.escape)
        context.menu_click(MENU)
        found.append(takes_clicks(context, f"//###Menu_01/###view.shading.{shading.value}"))
        context.key_press(imgui.Key.escape)
        context.key_press(imgui.Key.escape)
        context.key_press(imgui.Key.f1)
        context.yield_(2)
        context.key_chars("shading")
        context.yield_(2)
        found.append(takes_clicks(context, f"//keys/**/###view.shading.{shading.value}"))

    crane.run(look)
    assert found == [False, True, False, False]


def test_the_next_shading_is_one_that_shows_something(crane: GuiTester) -> None:
    seen = []
    for _ in range(len(Shading)):
        crane.run(lambda context: context.key_press(imgui.Key.m))
        seen.append(crane.state.view.shading)
    assert not set(seen) & set(UNAVAILABLE)
    assert set(seen) == set(available(crane.document))


def test_a_shading_that_shows_nothing_of_another_model_says_so(crane: GuiTester) -> None:
    crane.change(shading=Shading.LIGHTMAP)
    assert exists(crane, "//##message/###accept")
    click(crane, "//##message/###accept")
    assert crane.state.view.shading is Shading.TEXTURED


def test_a_color_is_clicked_to_select_what_has_it(crane: GuiTester) -> None:
    crane.change(shading=Shading.NODE)
    click(crane, "//##legend/**/###group1")
    assert crane.state.view.selection.nodes == (1,)
    crane.change(shading=Shading.BATCH)
    click(crane, "//##legend/**/###group2")
    assert (crane.state.view.selection.node, crane.state.view.selection.batch) == (1, 2)


@pytest.mark.parametrize("shading", list(Shading))
def test_a_legend_is_there_for_colors_by_group_and_for_nothing_else(
    crane: GuiTester, shading: Shading
) -> None:
    crane.change(shading=shading)
    crane.settle()
    window = imgui.internal.find_window_by_name("##legend")
    assert (window is not None and window.was_active) == (shading in GROUPED)


def test_a_color_that_the_pointer_rests_on_flashes(crane: GuiTester) -> None:
    crane.change(shading=Shading.NODE)
    seen: list[frozenset[int]] = []

    def point(context: Context) -> None:
        context.mouse_move("//##legend/**/###group1")
        context.yield_(2)
        seen.append(crane.state.view.flash)

    crane.run(point)
    assert seen == [frozenset({2})]


def test_a_legend_never_takes_more_than_its_share(gui: GuiTester, tmp_path: Path) -> None:
    nodes = [Node(f"a_node_with_a_long_name_{number}", shapes={(0, 0): [quad()]}) for number in range(300)]
    gui.open(write_model(tmp_path / "many.msh", ModelBuilder(nodes)))
    gui.change(shading=Shading.NODE)
    window, area = imgui.internal.find_window_by_name("##legend"), gui.app.viewport.area
    assert window is not None
    assert window.size.x < area.width * 0.55
    assert window.size.y < area.height * 0.75
    assert window.pos.x + window.size.x <= area.left + area.width
    assert window.pos.y + window.size.y <= area.top + area.height


def test_a_legend_follows_what_is_shown(gui: GuiTester, tmp_path: Path) -> None:
    scene = [Node("a", shapes={(0, 0): [box()]}), Node("b", shapes={(0, 0): [quad()], (1, 0): [box()]})]
    gui.open(write_model(tmp_path / "two.msh", ModelBuilder(scene)))
    legend = gui.app._shell._legend
    gui.change(shading=Shading.NODE)
    assert [(group.number, group.triangles) for group in legend._legend.groups] == [(0, 12), (1, 2)]
    gui.change(hidden=frozenset({0}))
    assert [group.number for group in legend._legend.groups] == [1]
    gui.change(hidden=frozenset(), lod=1, drawn=DrawnParts(CellRule.EXACT))
    assert [(group.number, group.triangles) for group in legend._legend.groups] == [(1, 12)]
