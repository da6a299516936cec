"""The root of a model: still as in the game, or travelling."""

from __future__ import annotations

from pathlib import Path

from tests.controllers import model
from tests.gui.harness import GuiTester, bring_to_front, click
from viewer.session.view.view_state import Overlay


def test_the_root_stays_until_it_is_to_travel(gui: GuiTester, tmp_path: Path) -> None:
    (tmp_path / "a.msh").write_bytes(model())
    gui.open(tmp_path / "a.msh")
    gui.pause(10.0)
    gui.change(overlays=frozenset({Overlay.BONES}))
    gui.settle()
    still = gui.picture().copy()
    assert gui.state.pose is not None
    assert gui.state.pose.world[0, :3, 3].tolist() == [0, 0, 0]
    bring_to_front(gui, "display")
    click(gui, "//display/motion/###root_travel")
    assert gui.state.view.playback.root.value == "travel"
    assert gui.state.pose.world[0, :3, 3].tolist() == [10, 5, 0]
    assert (gui.picture() != still).any()
    gui.run(lambda context: context.menu_click("//##MainMenuBar/playback/playback.root_travel"))
    assert gui.state.view.playback.root.value == "still"
    assert gui.state.pose.world[0, :3, 3].tolist() == [0, 0, 0]
