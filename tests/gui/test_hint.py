"""The first-run hint never covers the model, in a window of any size."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui

from tests.gui.harness import GuiTester
from tests.gui.test_small_windows import resize, sized  # noqa: F401 a fixture

SAMPLE = Path(__file__).parents[2] / "assets" / "game" / "models.rlb"


def hint(gui: GuiTester) -> tuple[int, int, int, int] | None:
    """The pixels of the viewport under the hint: left, top, right, bottom; None if it is not shown."""
    window = imgui.internal.find_window_by_name("##hint")
    if window is None or not window.was_active:
        return None
    area = gui.app.viewport.area
    left, top = window.pos.x - area.left, window.pos.y - area.top
    return int(left), int(top), int(left + window.size.x), int(top + window.size.y)


@pytest.mark.parametrize("size", [(1600, 1000), (1024, 700), (640, 420)])
@pytest.mark.parametrize("entry", ["walker", "drone"])
def test_the_hint_leaves_the_model_free(
    sized: GuiTester,  # noqa: F811
    size: tuple[int, int],
    entry: str,
) -> None:
    resize(sized, size)
    sized.app._shell.reset_layout()
    sized.settle()
    sized.state.settings = replace(sized.state.settings, has_seen_hint=False)
    sized.open(f"{SAMPLE}::{entry}.msh")
    for time in np.linspace(0, sized.document.last_frame, 5).tolist():
        sized.pause(time)
        place = hint(sized)
        if place is not None:
            left, top, right, bottom = place
            ids = sized.app.scene.renderer.ids(
                sized.state.view, sized.state.pose, sized.app.viewport.area.size
            )
            assert not ids[top:bottom, left:right].any(), (size, entry, time)


@pytest.mark.parametrize("size", [(1600, 1000), (1024, 700)])
def test_the_hint_is_there_at_the_first_start(
    sized: GuiTester,  # noqa: F811
    size: tuple[int, int],
) -> None:
    resize(sized, size)
    sized.app._shell.reset_layout()
    sized.settle()
    sized.state.settings = replace(sized.state.settings, has_seen_hint=False)
    sized.open(SAMPLE)
    assert hint(sized) is not None
