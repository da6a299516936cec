"""What is around a model over its image: a mark selects its row, and a row of a table its mark."""

from __future__ import annotations

import numpy as np
import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from tests.corpora import GAME
from tests.gui.hand import click, type_into
from tests.gui.harness import Context, GuiTester, bring_to_front, enlarge, exists
from viewer.model.tables.neighbors import CONTROL_POINTS, DAMAGE
from viewer.session.opened.surroundings import marks_of
from viewer.session.selection import Selection
from viewer.session.view.options.overlays import Overlay
from viewer.ui.viewport.world_labels import screen_points

pytestmark = pytest.mark.closed("browser", "outline")


@pytest.fixture
def tower(gui: GuiTester) -> GuiTester:
    """A building with control points, a path graph, a ground plan and damage."""
    gui.open(f"{GAME / 'models.rlb'}::b_tower.msh")
    gui.pause()
    return gui


def on_screen(gui: GuiTester, table: str) -> list[tuple[float, float]]:
    """Where the points of a table are on screen."""
    assert gui.state.pose is not None
    marks = marks_of(gui.document.model, gui.document.neighbors)[table]
    points = marks.in_world(gui.state.pose.world)[0]
    found = screen_points(gui.state.view.camera, gui.app.viewport.area, points)
    return [(float(x), float(y)) for x, y, _ in found]


def click_row(gui: GuiTester, number: int) -> None:
    """Click the number of a row."""

    def script(context: Context) -> None:
        corner = context.item_info(f"//tables/**/###row{number}").rect_full.min
        context.mouse_move_to_pos(imgui.ImVec2(corner.x + 6, corner.y + 8))
        context.mouse_click(0)

    gui.run(script)
    gui.wait(1.0)


def test_a_click_on_a_mark_selects_its_row(tower: GuiTester) -> None:
    tower.change(overlays=frozenset({Overlay.CONTROL_POINTS, Overlay.PATH_GRAPH}))
    for table, name in ((CONTROL_POINTS, "control_point"), ("path_graph", "path_node")):
        places = on_screen(tower, table)
        # A point that no other one is near to.
        others = np.array([*on_screen(tower, CONTROL_POINTS), *on_screen(tower, "path_graph")])
        row = next(
            it for it, place in enumerate(places) if np.sum(np.hypot(*(others - place).T) < 12) == 1
        )  # fmt: skip

        def script(context: Context, place: tuple[float, float] = places[row]) -> None:
            context.mouse_move_to_pos(imgui.ImVec2(*place))
            context.mouse_click(0)

        tower.run(script)
        tower.wait(1.0)
        assert getattr(tower.state.view.selection, name) == row
        assert exists(tower, f"//inspector/###{name}")
        tower.change(selection=Selection())


def test_a_row_of_a_table_marks_its_point(tower: GuiTester) -> None:
    bring_to_front(tower, "tables")
    enlarge(tower, "tables")
    click(tower, "//tables/##table", f"//$FOCUSED/###{CONTROL_POINTS}")
    click_row(tower, 1)
    assert tower.state.view.selection.control_point == 1
    click(tower, "//tables/##table", f"//$FOCUSED/###{DAMAGE}")
    click_row(tower, 2)
    assert tower.state.view.selection == Selection((2,))


def test_a_model_without_such_tables_has_no_switches(tower: GuiTester) -> None:
    bring_to_front(tower, "display")
    click(tower, "//display/**/###ground_plan")
    assert Overlay.GROUND_PLAN in tower.state.view.overlays
    assert exists(tower, "//display/**/###ground_plan")
    drone = f"{GAME / 'models.rlb'}::drone.msh"
    tower.open(drone)
    assert not exists(tower, "//display/**/###ground_plan")
    tower.change(overlays=frozenset(Overlay))
    tower.change(camera=replace(tower.state.view.camera, distance=0.01))  # most points are behind the eye


def test_a_neighbor_is_edited_in_the_inspector(tower: GuiTester) -> None:
    tower.change(selection=Selection((), control_point=0))
    before = tower.document.neighbors.tables[CONTROL_POINTS].rows["position"][0].copy()
    place = tower.document.neighbors.tables[CONTROL_POINTS].place(0)
    assert str(place.address).endswith("b_tower.cpt")
    type_into(tower, "//inspector/**/###value_position0", "7.5")
    after = tower.document.neighbors.tables[CONTROL_POINTS].rows["position"][0]
    assert after.tolist() == [7.5, *before[1:].tolist()]


def test_statistics_of_a_field_of_a_neighbor_are_those_of_its_table(tower: GuiTester) -> None:
    tower.change(selection=Selection((2,)))

    def script(context: Context) -> None:
        context.item_click("//inspector/**/hit_points", imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/###field_statistics")

    tower.run(script)
    tower.until(lambda: not tower.state.corpus.is_running)
    (found,) = tower.state.corpus.found
    assert found.field == "damage.nodes.hit_points"
    damage = tower.document.neighbors.tables[DAMAGE].rows
    assert found.rows >= len(damage)
