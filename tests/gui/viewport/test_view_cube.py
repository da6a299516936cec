"""The view cube: what it shows, its faces, edges and corners, dragging, and the clicks around it.

Batches flash in the viewport while the pointer rests on what stands for them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from imgui_bundle import ImVec2, imgui

from tests.gui.hand import click, drag
from tests.gui.harness import Context, GuiTester, bring_to_front, enlarge, exists
from viewer.control.settings.settings_file import load
from viewer.render.portions import Frame
from viewer.session.selection import Selection
from viewer.session.view import flash
from viewer.session.view.camera import Camera, Side
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.ui.viewport.view_cube import center
from viewer.ui.widgets import theme

pytestmark = pytest.mark.closed("browser", "outline")


def at(gui: GuiTester, right: float, up: float) -> ImVec2:
    """A point on screen, in font heights from the middle of the cube."""
    return center(gui.app.viewport.area) + ImVec2(right, -up) * theme.em()


def click_at(gui: GuiTester, right: float, up: float) -> Camera:
    """Click a point and return where the camera is then."""
    place = at(gui, right, up)

    def script(context: Context) -> None:
        context.mouse_move_to_pos(place)
        context.mouse_click(0)

    gui.run(script)
    gui.wait(imgui.get_io().mouse_double_click_time + 0.1)
    return gui.state.view.camera


@pytest.mark.parametrize(
    ("right", "up", "side"), [(0.7, -0.5, Side.FRONT), (-1.0, -0.3, Side.RIGHT), (0.0, 1.4, Side.TOP)]
)
def test_a_click_on_a_face_looks_from_there(crane: GuiTester, right: float, up: float, side: Side) -> None:
    """Seen from the front right, the right side of the model is on the left."""
    selection = crane.state.view.selection
    camera = click_at(crane, right, up)
    assert camera.axes == pytest.approx(Camera().towards(side).axes)
    assert crane.state.view.selection == selection


def test_an_edge_and_a_corner_look_from_between_the_faces(crane: GuiTester) -> None:
    crane.look_from(Side.FRONT)
    camera = click_at(crane, 0.0, 1.5)
    assert camera.axes[2] == pytest.approx(np.array([0, 1, 1]) / np.sqrt(2))
    crane.look_from(Side.FRONT)
    camera = click_at(crane, -1.5, 1.5)
    assert camera.axes[2] == pytest.approx(np.array([1, 1, 1]) / np.sqrt(3))


def test_dragging_the_cube_orbits_and_looks_from_nowhere_else(crane: GuiTester) -> None:
    before, place = crane.state.view.camera, at(crane, 0.5, 0.0)

    drag(crane, place, by=(40, -20))
    camera = crane.state.view.camera
    assert (camera.eye - before.eye) @ before.axes[0] < 0, "the front of the cube follows the mouse"
    assert camera.pitch < before.pitch
    assert (camera.target, camera.distance) == (before.target, before.distance)
    assert camera.pitch not in {0.0, np.pi / 2}


def test_a_click_beside_the_cube_is_one_on_the_model(crane: GuiTester) -> None:
    """In the corner of its square, where no face is."""
    crane.select(1)
    before = crane.state.view.camera
    assert click_at(crane, -2.8, 2.8) == before
    assert crane.state.view.selection.nodes == ()


def test_it_can_be_switched_off_and_is_remembered(crane: GuiTester, tmp_path: Path) -> None:
    toggle = "//##MainMenuBar/view/view.camera/view.cube"
    crane.run(lambda context: context.menu_click(toggle))
    assert not crane.state.view.has_view_cube
    before = crane.state.view.camera
    assert click_at(crane, 0.7, -0.5) == before
    crane.app.save_settings()
    assert not load(tmp_path / "settings.json").view.has_view_cube
    crane.run(lambda context: context.menu_click(toggle))
    assert click_at(crane, 0.7, -0.5) != before


def test_it_is_there_for_models_alone(gui: GuiTester) -> None:
    place = at(gui, 0.7, -0.5)
    gui.run(lambda context: context.mouse_move_to_pos(place))
    assert not exists(gui, "//viewport/view_cube")


MAST_BATCH = 2


@pytest.fixture
def flashing_crane(crane: GuiTester) -> GuiTester:
    """The crane standing still, its batches in the tables."""
    crane.change(shading=Shading.LIT)
    bring_to_front(crane, "tables")
    enlarge(crane, "tables")
    click(crane, "//tables/##table", "//$FOCUSED/###batches")
    return crane


def rest_on(gui: GuiTester, item: str) -> None:
    """Leave the pointer on an item."""
    places: list[imgui.ImVec2] = []
    gui.run(lambda context: places.append(context.item_info(item).rect_full.min))
    point_at(gui, places[0].x + 6, places[0].y + 8)


def leave(gui: GuiTester) -> None:
    """Take the pointer out of the window."""
    point_at(gui, -1, -1)


def point_at(gui: GuiTester, x: float, y: float) -> None:
    """Put the pointer at a place on screen."""
    imgui.get_io().add_mouse_pos_event(x, y)
    gui.frames(3)


def is_at_rest(gui: GuiTester) -> bool:
    """Tell whether no frame is drawn before something happens."""
    return not gui.app.is_moving


def shown(gui: GuiTester) -> npt.NDArray[np.uint8]:
    """What the viewport shows now, with what flashes."""
    state = gui.state
    return gui.app.images.scene.renderer.image(Frame(state.view, state.pose, (200, 150)))


def test_a_row_of_a_batch_flashes_it_until_the_pointer_leaves(flashing_crane: GuiTester) -> None:
    before = shown(flashing_crane)
    rest_on(flashing_crane, "//tables/**/###row2")
    assert flashing_crane.state.view.flash == {MAST_BATCH}
    assert (shown(flashing_crane) != before).any()
    leave(flashing_crane)
    assert flashing_crane.state.view.flash == frozenset()
    assert (shown(flashing_crane) == before).all()


def test_it_pulses_while_the_pointer_rests_and_comes_to_an_end(flashing_crane: GuiTester) -> None:
    rest_on(flashing_crane, "//tables/**/###row2")
    assert flashing_crane.app.is_moving
    flashing_crane.frames(6, seconds=flash.PERIOD / 12)
    dim = shown(flashing_crane)
    flashing_crane.frames(6, seconds=flash.PERIOD / 12)
    bright = shown(flashing_crane)
    assert (bright != dim).any()
    flashing_crane.change(flash_time=flash.LASTING)
    assert flashing_crane.state.view.flash == {MAST_BATCH}
    assert (shown(flashing_crane) != dim).any()
    assert is_at_rest(flashing_crane)


def test_nothing_moves_once_the_pointer_has_left(flashing_crane: GuiTester) -> None:
    rest_on(flashing_crane, "//tables/**/###row2")
    leave(flashing_crane)
    view = flashing_crane.state.view
    flashing_crane.frames(3)
    assert flashing_crane.state.view is view
    assert is_at_rest(flashing_crane)


def test_a_link_to_a_batch_or_slot_flashes_what_it_leads_to(flashing_crane: GuiTester) -> None:
    flashing_crane.change(selection=Selection((1,), slot=2))
    rest_on(flashing_crane, "//inspector/**/###batches2")
    assert flashing_crane.state.view.flash == {MAST_BATCH}
    flashing_crane.change(selection=Selection((1,), slot=2, batch=MAST_BATCH))
    rest_on(flashing_crane, "//inspector/**/###slots2")
    assert flashing_crane.state.view.flash == {MAST_BATCH}


def test_a_picture_that_is_saved_has_no_flash(flashing_crane: GuiTester) -> None:
    before = flashing_crane.picture()
    rest_on(flashing_crane, "//tables/**/###row2")
    assert flashing_crane.state.view.flash
    assert (flashing_crane.picture() == before).all()


def test_another_document_does_not_flash(flashing_crane: GuiTester, archive: Path) -> None:
    flashing_crane.change(flash=frozenset({MAST_BATCH}), flash_time=0.2)
    leave(flashing_crane)
    flashing_crane.open(f"{archive}::rock.msh")
    assert flashing_crane.state.view.flash == frozenset()


def _calls(gui: GuiTester) -> tuple[int, int]:
    """The draw calls of the whole window, and its vertices."""
    gui.frames(3)
    drawn = imgui.get_draw_data()
    return sum(it.cmd_buffer.size() for it in drawn.cmd_lists), drawn.total_vtx_count


def test_the_cube_and_all_labels_are_one_draw_call_more(crane: GuiTester) -> None:
    crane.change(has_view_cube=False)
    calls, vertices = _calls(crane)
    crane.change(has_view_cube=True, overlays=frozenset({Overlay.NAMES, Overlay.SOCKETS}))
    with_both = _calls(crane)
    assert with_both[0] <= calls + 1
    assert with_both[1] > vertices
