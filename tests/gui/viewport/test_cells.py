"""The pictures of the cells, chosen in the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.harness import SIDES, Context, GuiTester, bring_to_front, write_model
from tests.ui.scenes import BODY, tank
from viewer.ui.viewport.cells import CellsPanel

pytestmark = pytest.mark.closed(*SIDES)


def test_c_shows_the_cells_a_click_shows_one_and_shift_lays_it_over(gui: GuiTester, tmp_path: Path) -> None:
    gui.open(write_model(tmp_path / "tank.msh", tank()))
    before = gui.state.statistics.triangles

    def choose(context: Context) -> None:
        context.window_focus("//viewport")
        context.key_press(imgui.Key.c)
        context.yield_(8)
        context.item_click("//cells/cell10")
        context.key_down(imgui.Key.mod_shift)
        context.item_click("//cells/cell00")
        context.key_up(imgui.Key.mod_shift)
        context.window_focus("//viewport")

    gui.run(choose)
    view = gui.state.view
    assert (view.lod, view.group, view.laid_over) == (1, 0, frozenset({(0, 0)}))
    assert gui.state.statistics.triangles < before
    laid = gui.picture()

    # The sheet is drawn once: nothing of it changes in further frames, nor with what is laid over.
    drawn = gui.app.images.cells.drawn_count
    gui.frames(5)
    assert gui.app.images.cells.drawn_count == drawn >= 1

    gui.run(lambda context: context.item_click("//cells/lay_nothing_over"))
    assert (gui.picture() != laid).any()

    # With a selected node its pictures alone are drawn, and a click overrides the cell of that node.
    gui.select(BODY)
    bring_to_front(gui, CellsPanel.id)

    def choose_node(context: Context) -> None:
        context.item_click("//cells/of_nodes")
        context.yield_(4)
        context.item_click("//cells/cell00")
        context.window_focus("//viewport")

    gui.run(choose_node)
    assert dict(gui.state.view.overrides) == {BODY: (0, 0)}
    assert gui.app.images.cells.drawn_count == drawn + 1
