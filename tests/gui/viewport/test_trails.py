"""Ways of the selected nodes over the image: switched on by a key, made anew for another node or range."""

from __future__ import annotations

from typing import Any

from imgui_bundle import imgui

from tests.gui.harness import GuiTester
from viewer.session.play.playback import FrameRange
from viewer.session.view.view_state import Overlay

BASE, MAST, ARM = range(3)


def known(gui: GuiTester) -> Any:
    gui.app.rebuild_panels()
    gui.frames(2, is_seen=True)
    return gui.app._shell._trails._kept._value


def test_the_ways_of_the_selected_nodes(crane: GuiTester) -> None:
    crane.select(ARM)
    crane.run(lambda context: context.key_press(int(imgui.Key.mod_shift) | int(imgui.Key.t)))
    assert Overlay.TRAILS in crane.state.view.overlays
    whole = known(crane)
    assert whole.nodes == (ARM,)
    assert crane.app._shell.follows_model, "it moves with the camera"
    crane.change(frames=FrameRange(0, 10))
    assert known(crane).points.shape[1] < whole.points.shape[1]
    crane.select(MAST, BASE)
    assert known(crane).nodes == (MAST, BASE)
    before = known(crane)
    crane.pause(time=7.0)
    assert known(crane) is before, "the current time changes no way"
