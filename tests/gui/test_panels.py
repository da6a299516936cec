"""The panels as somebody uses them."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.harness import GuiTester

Context = imgui.test_engine.TestContext
BASE, MAST, ARM, HOOK = range(4)


@pytest.fixture
def crane(gui: GuiTester, archive: Path) -> GuiTester:
    """The crane, paused at time 0."""
    gui.open(archive)
    gui.pause()
    return gui


def test_the_eye_hides_a_part(crane: GuiTester) -> None:
    crane.run(lambda context: context.item_click("//Outline/**/###eye2"))
    assert crane.state.view.hidden == {ARM, HOOK}
