"""An effect in a tab: it plays, is paused and sought, blocks are hidden, the mouse turns it."""

from __future__ import annotations

import pytest
from imgui_bundle import ImVec2

from tests.gui.harness import Context, GuiTester, click, exists, in_stage
from viewer.resources import bundled_path

pytestmark = pytest.mark.closed("browser", "outline", "inspector")

BLAST = f"{bundled_path('assets/game/effects.rlb')}::blast"


def open_effect(gui: GuiTester, address: str = BLAST) -> None:
    gui.open(address)
    gui.until(lambda: not gui.app.jobs.title)
    gui.settle()


def is_playing(gui: GuiTester) -> bool:
    return gui.state.view.is_playing


def test_an_effect_plays_when_it_is_opened_and_is_paused(gui: GuiTester) -> None:
    open_effect(gui)
    assert is_playing(gui)
    assert gui.state.axis.end == 30.0  # 1.5 s, and half a second before the next round, at 15 frames
    click(gui, in_stage("**/###play"))
    assert not is_playing(gui)
    time = gui.state.view.time
    gui.settle()
    assert gui.state.view.time == time
    click(gui, in_stage("**/###restart"))
    assert gui.state.view.time == 0.0


def test_blocks_are_hidden_shown_alone_and_counted(gui: GuiTester) -> None:
    open_effect(gui)
    click(gui, in_stage("**/###play"))
    gui.change(time=5.0)
    gui.settle()
    shown = gui.shown()
    for row in range(4):
        click(gui, in_stage(f"**/###shown{row}"))
    gui.settle()
    assert (gui.shown() != shown).any()
    click(gui, in_stage("**/###alone2"))
    assert exists(gui, in_stage("**/###scrubber"))


def test_the_mouse_turns_and_zooms_the_image(gui: GuiTester) -> None:
    open_effect(gui)
    click(gui, in_stage("**/###play"))
    gui.settle()
    before = gui.state.view.camera

    def drag(context: Context) -> None:
        context.mouse_move(in_stage("**/effect"))
        context.mouse_wheel_y(2)
        context.mouse_drag_with_delta(ImVec2(60, 20))

    gui.run(drag)
    gui.settle()
    after = gui.state.view.camera
    assert after.distance < before.distance
    assert after.yaw != before.yaw
