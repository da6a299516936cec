"""The gizmo: a drag moves or turns a node or a key, as one step; Escape leaves everything as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from tests.gui.hand import click, press
from tests.gui.harness import SIDES, Context, GuiTester
from viewer.model.edit.change import Change
from viewer.model.edit.nodes.set_key import NO_TURN, AddKey, PlaceNode
from viewer.model.store.address import Address
from viewer.session.edits.edited_file import Step
from viewer.ui.viewport.world_labels import screen_points

pytestmark = pytest.mark.closed(*SIDES)

MAST, ARM = 1, 2
WHOLE = "//##gizmo/###whole"
KEY = "//##gizmo/###key"


@pytest.fixture
def crane(crane: GuiTester) -> GuiTester:
    """The crane, paused, its arm in the middle."""
    framed(crane, ARM)
    return crane


def framed(gui: GuiTester, node: int) -> None:
    """Select a node and bring it to the middle, away from the cards."""
    gui.select(node)
    gui.commands.camera.frame_selection()
    gui.change(camera=replace(gui.state.view.camera, distance=3 * gui.state.view.camera.distance))


def origin(gui: GuiTester, node: int) -> tuple[float, float]:
    """Where the origin of a node is on screen."""
    assert gui.state.pose is not None
    points = gui.state.pose.world[node][None, :3, 3]
    x, y, _ = screen_points(gui.state.view.camera, gui.app.viewport.area, points)[0]
    return float(x), float(y)


def drag_gizmo(gui: GuiTester, node: int, by: tuple[int, int], *, is_cancelled: bool = False) -> None:
    """Drag the middle of the gizmo."""
    place = origin(gui, node)

    def script(context: Context) -> None:
        context.mouse_move_to_pos(place)
        context.yield_(4)
        context.mouse_down()
        context.mouse_move_to_pos((place[0] + by[0], place[1] + by[1]))
        context.yield_(2)
        if is_cancelled:
            context.key_press(imgui.Key.escape)
        context.mouse_up()
        context.yield_(3)

    gui.run(script)
    gui.settle()


def steps(gui: GuiTester, archive: Path) -> tuple[Step, ...]:
    return gui.state.edits.at(Address(archive)).steps


def changes(gui: GuiTester, archive: Path) -> tuple[Change, ...]:
    return steps(gui, archive)[-1].changes


def test_a_drag_moves_a_node_as_one_step(crane: GuiTester, archive: Path) -> None:
    camera = crane.state.view.camera
    press(crane, imgui.Key.w)
    before = crane.document.model.keys["position"].copy()
    drag_gizmo(crane, ARM, (40, -30))
    (change,) = changes(crane, archive)
    assert len(steps(crane, archive)) == 1
    assert isinstance(change, PlaceNode)
    assert (change.node, change.turn, change.key) == ("arm", NO_TURN, None)
    row = crane.document.animation.track(ARM).start
    moved = crane.document.model.keys["position"] - before
    assert moved[row] == pytest.approx(change.offset, abs=1e-5)
    assert not np.delete(moved, row, axis=0).any()
    assert crane.state.view.camera == camera, "the camera stays"
    assert crane.state.view.held is None


def test_escape_leaves_the_node(crane: GuiTester, archive: Path) -> None:
    press(crane, imgui.Key.w)
    drag_gizmo(crane, ARM, (40, -30), is_cancelled=True)
    assert steps(crane, archive) == ()
    assert crane.state.view.held is None


def test_a_key_between_two_is_added(crane: GuiTester, archive: Path) -> None:
    crane.pause(5.0)
    framed(crane, MAST)
    press(crane, imgui.Key.w)
    click(crane, KEY)
    drag_gizmo(crane, MAST, (0, -40))
    added, placed = changes(crane, archive)
    assert added == AddKey("mast", 5)
    assert isinstance(placed, PlaceNode)
    assert placed.key == 1
    track = crane.document.animation.track(MAST)
    times = crane.document.model.keys["time"][track.start : track.stop]
    assert times.tolist() == [0, 5, 10, 20]


def test_a_key_at_the_time_is_changed_alone(crane: GuiTester, archive: Path) -> None:
    crane.pause(10.0)
    framed(crane, MAST)
    press(crane, imgui.Key.w)
    click(crane, KEY)
    drag_gizmo(crane, MAST, (0, -40))
    (placed,) = changes(crane, archive)
    assert isinstance(placed, PlaceNode)
    assert placed.key == 1


def test_a_ring_turns_a_node(crane: GuiTester, archive: Path) -> None:
    press(crane, imgui.Key.r)
    assert crane.app.shell._stage.gizmo.handle is not None
    before = crane.document.model.keys.copy()
    x, y = origin(crane, ARM)
    radius = crane.app.viewport.area.height * 0.11

    def script(context: Context) -> None:
        for share in np.linspace(0.6, 1.6, 21):  # the outer ring is as large as the library makes it
            context.mouse_move_to_pos((x + radius * share, y))
            context.yield_(3)
            if crane.app.shell._stage.gizmo.takes_mouse:
                break
        context.mouse_drag_with_delta((0, 50))
        context.yield_(3)

    crane.run(script)
    crane.settle()
    (change,) = changes(crane, archive)
    assert isinstance(change, PlaceNode)
    assert not any(change.offset)
    assert change.turn != NO_TURN
    assert (crane.document.model.keys["position"] == before["position"]).all()


def test_the_keys_toggle_it(crane: GuiTester) -> None:
    for _ in range(2):
        press(crane, imgui.Key.w)
    assert crane.app.shell._stage.gizmo.handle is None
