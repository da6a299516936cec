"""Effects on a model, played from the panel, and an explosion in a tab."""

from __future__ import annotations

import pytest

from tests.gui.harness import GuiTester, bring_to_front, click, in_child, in_stage
from viewer.resources import bundled_path
from viewer.session.selection import Selection

pytestmark = pytest.mark.closed("browser", "outline")

GAME = bundled_path("assets/game")


def test_effects_play_on_the_model_and_stop(gui: GuiTester) -> None:
    gui.open(f"{GAME}/models.rlb::walker.msh")
    gui.until(lambda: not gui.app.jobs.title)
    gui.settle()
    bring_to_front(gui, "effects")
    click(gui, in_child("effects", "**/play9"))
    gui.settle()
    assert [*gui.state.view.playback.effects.started] == [9]
    gui.change(is_playing=False)
    gui.settle()
    with_effect = gui.shown()
    click(gui, in_child("effects", "**/###stop_effects"))
    gui.settle()
    assert not gui.state.view.playback.effects.started
    assert (gui.shown() != with_effect).any()
    click(gui, in_child("effects", "**/###with_clip"))
    assert gui.state.view.playback.effects.is_with_clip


def test_an_explosion_plays_the_effect_of_a_slot(gui: GuiTester) -> None:
    gui.open(f"{GAME}/weapon.rlb::blast.exp")
    gui.until(lambda: not gui.app.jobs.title)
    gui.settle()
    assert gui.state.view.is_playing
    click(gui, in_stage("**/###play"))
    gui.change(time=5.0)
    gui.settle()
    before = gui.shown()
    click(gui, in_stage("**/###slot1"))
    gui.settle()
    assert (gui.shown() != before).any()


def test_the_inspector_explodes_the_selected_node(gui: GuiTester) -> None:
    gui.open(f"{GAME}/models.rlb::walker.msh")
    gui.until(lambda: not gui.app.jobs.title)
    gui.change(selection=Selection((5,)))
    gui.settle()
    click(gui, "//inspector/**/###explode")
    gui.settle()
    assert [*gui.state.view.playback.effects.started] == [10]
    click(gui, "//inspector/**/###explode")
    gui.settle()
    assert not gui.state.view.playback.effects.started
