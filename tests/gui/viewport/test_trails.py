"""Ways of the selected nodes over the image: switched on, made anew for another node; their keys dragged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box
from tests.gui.hand import press
from tests.gui.harness import SIDES, Context, GuiTester, write_model
from viewer.session.play.playback import FrameRange, Root
from viewer.session.view.options.overlays import Overlay
from viewer.ui.viewport.world_labels import screen_points

pytestmark = pytest.mark.closed(*SIDES)

BASE, MAST, ARM = range(3)


def known(gui: GuiTester) -> Any:
    gui.app.rebuild_panels()
    gui.frames(2, is_seen=True)
    return gui.app.shell._stage._trails._kept._value


def test_the_ways_of_the_selected_nodes(crane: GuiTester) -> None:
    crane.select(ARM)
    press(crane, int(imgui.Key.mod_shift) | int(imgui.Key.t))
    assert Overlay.TRAILS in crane.state.view.overlays
    whole = known(crane)
    assert whole.nodes == (ARM,)
    assert crane.app.shell.follows_model, "it moves with the camera"
    crane.change(frames=FrameRange(0, 10))
    assert known(crane).points.shape[1] < whole.points.shape[1]
    crane.select(MAST, BASE)
    assert known(crane).nodes == (MAST, BASE)
    before = known(crane)
    crane.pause(time=7.0)
    assert known(crane) is before, "the current time changes no way"


LIFT, HOOK = range(2)
MIDDLE = 1
"""The key of the hook at frame 4."""


@pytest.fixture
def lift(crane: GuiTester, tmp_path: Path) -> GuiTester:
    """A hook that goes to and fro along X in 8 frames, on a lift that goes up; its way is shown."""
    nodes = [
        Node("lift", shapes={(0, 0): [box()]}, keys=[Key(), Key(8, position=(0, 0, 8))]),
        Node(
            "hook",
            parent=LIFT,
            shapes={(0, 0): [box()]},
            keys=[Key(), Key(4, position=(6, 0, 0)), Key(8)],
        ),
    ]
    crane.open(write_model(tmp_path / "lift.msh", ModelBuilder.of(nodes)))
    crane.pause()
    crane.change(playback=replace(crane.state.view.playback, root=Root.TRAVEL))
    crane.select(HOOK)
    crane.commands.camera.frame_all()
    crane.change(camera=replace(crane.state.view.camera, distance=16 * crane.state.view.camera.distance))
    crane.change(overlays=crane.state.view.overlays | {Overlay.TRAILS})
    return crane


def on_screen(gui: GuiTester) -> tuple[float, float]:
    """Where the hook is on screen."""
    assert gui.state.pose is not None
    point = gui.state.pose.world[HOOK][None, :3, 3]
    x, y, _ = screen_points(gui.state.view.camera, gui.app.viewport.area, point)[0]
    return float(x), float(y)


def drag_middle(
    gui: GuiTester, by: tuple[float, float], *, is_cancelled: bool = False
) -> tuple[float, float]:
    """Drag the key at frame 4 from elsewhere in time; return where to."""
    gui.pause(4.0)
    x, y = on_screen(gui)
    gui.pause(1.0)

    def script(context: Context) -> None:
        context.mouse_move_to_pos((x, y))
        context.yield_(3)
        context.mouse_down()
        context.mouse_move_to_pos((x + by[0], y + by[1]))
        context.yield_(3)
        if is_cancelled:
            context.key_press(imgui.Key.escape)
        context.mouse_up()
        context.yield_(2)

    camera = gui.state.view.camera
    gui.run(script)
    gui.settle()
    assert gui.state.view.camera == camera
    return x + by[0], y + by[1]


def test_a_key_is_dragged_to_where_the_node_should_be(lift: GuiTester) -> None:
    before = lift.document.model.keys.copy()
    goal = drag_middle(lift, (30, -50))
    after = lift.document.model.keys
    changed = np.flatnonzero([(a.tobytes() != b.tobytes()) for a, b in zip(before, after, strict=True)])
    assert changed.tolist() == [lift.document.animation.track(HOOK)[MIDDLE]]
    assert lift.state.view.time == 4.0
    assert lift.state.view.held is None
    assert on_screen(lift) == pytest.approx(goal, abs=0.5)
    assert len(lift.state.edits.at(lift.document.address).steps) == 1


def test_the_camera_does_not_follow_what_is_dragged(lift: GuiTester) -> None:
    lift.pause(4.0)
    lift.change(followed=HOOK)
    x, y = on_screen(lift)
    camera = lift.state.view.camera

    def script(context: Context) -> None:
        context.mouse_move_to_pos((x, y))
        context.yield_(3)
        context.mouse_down()
        context.mouse_move_to_pos((x + 30, y - 50))
        context.yield_(3)
        assert lift.state.view.camera == camera
        assert on_screen(lift) == pytest.approx((x + 30, y - 50), abs=0.5)
        context.mouse_up()

    lift.run(script)
    lift.settle()
    assert len(lift.state.edits.at(lift.document.address).steps) == 1


def test_escape_leaves_the_key(lift: GuiTester) -> None:
    before = lift.document.model.keys.copy()
    drag_middle(lift, (30, -50), is_cancelled=True)
    assert lift.document.model.keys.tobytes() == before.tobytes()
    assert lift.state.view.held is None


def test_a_press_goes_to_the_key(lift: GuiTester) -> None:
    drag_middle(lift, (0, 0))
    assert lift.state.view.time == 4.0
    assert lift.state.view.selection.key == lift.document.animation.track(HOOK)[MIDDLE]
    assert not lift.state.edits.at(lift.document.address).steps
