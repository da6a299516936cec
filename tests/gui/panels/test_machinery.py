"""The machinery in the Display panel: its switch, and the speed and the turn that drive belts and wheels."""

from __future__ import annotations

import numpy as np
import pytest

from tests.gui.hand import click
from tests.gui.harness import GuiTester, bring_to_front, exists
from viewer.formats.neighbors.component import BodyMotion
from viewer.resources import bundled_path
from viewer.session.play import machinery, unit_posing

pytestmark = pytest.mark.closed("browser", "outline", "inspector")

GAME = bundled_path("assets/game")
SECTION = "//display/motion/"
LEFT_BELT, RIGHT_BELT, FAN = 0, 4, 8


def _show(gui: GuiTester, address: str) -> None:
    gui.open(address)
    gui.until(lambda: not gui.app.jobs.title)
    bring_to_front(gui, "display")
    for section in ("light", "parts"):  # so that there is room for the motion
        gui.run(lambda context, name=section: context.item_close(f"//display/###{name}"))  # type: ignore[misc]
    gui.settle()


@pytest.fixture
def crawler(gui: GuiTester) -> GuiTester:
    """A machine of the sample with a fan that turns by itself, belts and wheels, paused at its start."""
    _show(gui, f"{GAME}/machines.rlb::r_crawler.msh")
    gui.change(is_playing=False, time=0.0)
    return gui


def _is_on(gui: GuiTester) -> bool:
    return gui.state.view.playback.machinery.is_on


def _values(gui: GuiTester, seconds: float) -> dict[int, float]:
    """The values of the channels some time later."""
    view = gui.state.view
    at = machinery.driven(gui.document, view, view.playback.machinery.motion)
    later = {
        it.channel.index: it.after(at.base.get(it.channel.index, it.start), at.motion, seconds)
        for it in gui.document.controller.drives
    }
    return later if view.playback.machinery.is_on else {}


def test_the_sliders_drive_belts_and_a_double_click_stops_them(crawler: GuiTester) -> None:
    crawler.run(lambda context: context.item_input_value(f"{SECTION}###speed", 1.0))
    assert crawler.state.view.playback.machinery.motion == BodyMotion(1.0, 0.0)
    assert _values(crawler, 0.01)[LEFT_BELT] == pytest.approx(0.154262, abs=1e-4)
    assert _values(crawler, 0.01)[RIGHT_BELT] == pytest.approx(0.154262, abs=1e-4)
    crawler.run(lambda context: context.item_input_value(f"{SECTION}###turn", 0.4))
    motion = crawler.state.view.playback.machinery.motion
    assert (motion.speed, motion.turn) == pytest.approx((1.0, 0.4))
    # Half the turn is added on the right and taken off on the left: 1.2 and 0.8 of 15.4262 a second.
    assert _values(crawler, 0.01)[LEFT_BELT] == pytest.approx(0.8 * 0.154262, abs=1e-4)
    assert _values(crawler, 0.01)[RIGHT_BELT] == pytest.approx(1.2 * 0.154262, abs=1e-4)
    for name in ("speed", "turn"):
        crawler.run(lambda context, name=name: context.item_double_click(f"{SECTION}###{name}"))  # type: ignore[misc]
    assert crawler.state.view.playback.machinery.motion == BodyMotion()


def test_the_switch_lets_the_fan_stand(crawler: GuiTester) -> None:
    assert _is_on(crawler)
    assert _values(crawler, 0.1)[FAN] - _values(crawler, 0.0)[FAN] == pytest.approx(0.2)
    click(crawler, f"{SECTION}###machinery")
    assert not _is_on(crawler)
    assert machinery.values(crawler.document, crawler.state.view) == {}
    before = np.asarray(crawler.picture())
    crawler.change(time=1.0)
    assert (np.asarray(crawler.picture()) == before).all()
    click(crawler, f"{SECTION}###machinery")
    assert (np.asarray(crawler.picture()) != before).any()


def test_a_unit_has_the_switch_and_no_sliders_without_what_they_drive(gui: GuiTester) -> None:
    """The dish of the walker turns by itself; it has neither wheels nor belts."""
    _show(gui, f"{GAME}/UNITS/UNITS/SAMPLE/walker.dat")
    click(gui, f"{SECTION}###machinery")
    unit = gui.state.unit
    assert unit is not None
    for part in unit.documents:
        assert not unit_posing.view_of(unit, gui.state.view, part).playback.machinery.is_on
    assert not exists(gui, f"{SECTION}###speed")
