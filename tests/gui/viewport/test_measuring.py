"""Measuring in the viewport: points that are clicked, what snaps, keys, copying."""

from __future__ import annotations

import pytest
from imgui_bundle import ImVec2, imgui

from tests.gui.hand import press
from tests.gui.harness import Context, GuiTester, exists
from tests.gui.tab_steps import open_tabs
from viewer.session.selection import Selection
from viewer.session.view.camera import Side
from viewer.ui.viewport.world_labels import screen_points

pytestmark = pytest.mark.closed("browser", "timeline", "outline", "inspector")


@pytest.fixture
def above(crane: GuiTester) -> GuiTester:
    """The crane from above, ready to measure."""
    crane.look_from(Side.TOP)
    press(crane, int(imgui.Key.d))
    return crane


def corners_on_screen(gui: GuiTester) -> list[ImVec2]:
    """The places on screen of three corners of the triangle in the middle of the picture, a bit inside."""
    area = gui.app.viewport.area
    middle = ImVec2(area.left + area.width / 2, area.top + area.height / 2)
    found = gui.app.images.pictures.point(area.size, *area.pixel(middle))
    assert found is not None
    screen = screen_points(gui.state.view.camera, area, found.corners)[:, :2]
    inside = screen + (screen.mean(axis=0) - screen) * 0.03
    return [ImVec2(*it) for it in inside.tolist()]


def click_at(gui: GuiTester, *places: ImVec2) -> None:
    def script(context: Context) -> None:
        for place in places:
            context.mouse_move_to_pos(place)
            context.mouse_click(0)

    gui.run(script)


def measured(gui: GuiTester) -> list[tuple[int | None, int | None]]:
    """Node and vertex of each point."""
    points = gui.app.viewport.measure.points_of(gui.state.tabs)
    return [(it.node, it.vertex) for it in points]


def test_clicks_add_points_that_snap_and_select_nothing(above: GuiTester) -> None:
    places = corners_on_screen(above)
    click_at(above, *places)
    found = measured(above)
    assert len(found) == 3
    assert all(vertex is not None for _node, vertex in found)
    assert above.state.view.selection == Selection()
    assert exists(above, "//##measured/**/###copy_measured")


def test_the_numbers_are_copied(above: GuiTester) -> None:
    click_at(above, *corners_on_screen(above)[:2])
    copied: list[str] = []

    def script(context: Context) -> None:
        context.item_click("//##measured/###copy_measured")
        context.yield_(2)
        copied.append(imgui.get_clipboard_text())

    above.run(script)
    assert copied[0].startswith("x\ty\tz")
    assert len(copied[0].splitlines()) == 3


def test_backspace_takes_a_point_back_and_escape_ends_it(above: GuiTester) -> None:
    above.change(selection=Selection((0,)))
    click_at(above, *corners_on_screen(above)[:2])
    press(above, int(imgui.Key.backspace))
    assert len(measured(above)) == 1
    press(above, int(imgui.Key.escape))
    assert measured(above) == []
    assert not above.app.viewport.measure.is_on
    assert above.state.view.selection == Selection((0,)), "the key was for the tool"
    press(above, int(imgui.Key.escape))
    assert above.state.view.selection == Selection()


def test_the_background_is_no_point(above: GuiTester) -> None:
    area = above.app.viewport.area
    click_at(above, ImVec2(area.left + 3, area.top + area.height - 3))
    assert measured(above) == []


def test_each_tab_has_its_points(above: GuiTester) -> None:
    click_at(above, corners_on_screen(above)[0])
    first = above.state.tabs.active.identity
    open_tabs(above, str(above.document.address).replace("crane.msh", "rock.msh"))
    assert measured(above) == []
    above.commands.opening.activate(first)
    above.settle()
    assert len(measured(above)) == 1


def test_the_menu_begins_and_ends_it(crane: GuiTester) -> None:
    for is_on in (True, False):
        crane.run(lambda context: context.menu_click("//##MainMenuBar/select/select.measure"))
        assert crane.app.viewport.measure.is_on is is_on
