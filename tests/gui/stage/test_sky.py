"""A sky in a tab: its keyframes with their colors, and the lights at the hour that is chosen."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from tests import skies
from tests.builders import ModelBuilder, Node, box
from tests.gui.hand import click
from tests.gui.harness import AT_END, GuiTester, bring_to_front, exists, write_model
from viewer.model.store.place import Place
from viewer.session.view.options.lighting import Lighting, LightKind

pytestmark = pytest.mark.closed("outline", "browser")

AT_HALF_PAST_SIX = (43, 78, 118)
"""The scene color half an hour after dawn: a 25th of the way from (40, 80, 120) to (120, 40, 60)."""

A_FEW_PIXELS = 0.25
"""Hours; a slider that takes no text is dragged, and some 200 pixels of it are 24 hours."""


@pytest.fixture
def sky(gui: GuiTester, tmp_path: Path) -> GuiTester:
    path = tmp_path / "sky.ske"
    path.write_bytes(skies.SKY)
    gui.open(path)
    gui.until(lambda: gui.state.resource is not None)
    gui.settle()
    return gui


def shown(gui: GuiTester) -> set[tuple[int, ...]]:
    return {color[:3] for color in gui.colors()}


def test_the_clock_starts_as_the_file_says_and_a_click_on_a_keyframe_sets_it(sky: GuiTester) -> None:
    assert exists(sky, "//viewport/**/###day")
    assert {(40, 80, 120), (120, 40, 60), AT_HALF_PAST_SIX} <= shown(sky)
    sky.run(lambda context: context.item_click("//viewport/**/fold1", imgui.MouseButton_.left, AT_END))
    sky.settle()
    assert AT_HALF_PAST_SIX not in shown(sky)


def test_a_finding_leads_to_its_keyframe(sky: GuiTester) -> None:
    assert sky.state.resource is not None
    address = sky.state.resource.address
    sky.app.later(sky.app.control.opening.go_to, Place(address, "sections[0].keyframes", 1))
    sky.settle()
    assert exists(sky, "//viewport/**/###day")


def is_shown(gui: GuiTester, name: str) -> bool:
    """Whether the file of a name is in front."""
    return gui.state.resource is not None and gui.state.resource.address.name == name


def test_a_sky_without_keyframes_is_shown(gui: GuiTester, tmp_path: Path) -> None:
    for name, data in (("none.ske", skies.sky()), ("empty.ske", skies.sky(skies.section()))):
        path = tmp_path / name
        path.write_bytes(data)
        gui.open(path)
        gui.until(partial(is_shown, gui, name))
        gui.settle()
        assert exists(gui, "//viewport/**/###day")


def test_models_are_lit_with_it_and_the_panel_sets_its_hour(sky: GuiTester, tmp_path: Path) -> None:
    """The switch of the sky lights models at its hour; that is then the hour of both."""

    def lighting() -> Lighting:
        return sky.state.view.lighting

    section = "//display/light/"
    click(sky, "//viewport/**/###light_models")
    sky.settle()
    chosen = lighting().sky
    assert chosen is not None
    assert (lighting().kind, chosen.hour) == (LightKind.SKY, 6.5)
    sky.open(write_model(tmp_path / "a.msh", ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})])))
    sky.until(lambda: sky.state.document is not None)
    sky.settle()
    assert lighting().sky is chosen
    bring_to_front(sky, "display")
    sky.run(lambda context: context.item_input_value(f"{section}###hour", 12.0))
    sky.settle()
    moved = lighting().sky
    assert moved is not None
    assert moved == replace(chosen, hour=moved.hour)
    assert abs(moved.hour - 12.0) < A_FEW_PIXELS
    click(sky, f"{section}###light_game")
    assert (lighting().kind, exists(sky, f"{section}###hour")) == (LightKind.GAME, False)
    click(sky, f"{section}###light_sky")
    assert lighting() == Lighting(kind=LightKind.SKY, sky=moved)
    assert sky.app.remembered.settings.view.lighting == Lighting(), "the sky is a file that is open"
