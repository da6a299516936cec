"""Effects on a model, played from the panel, and an explosion in a tab."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from msgspec.structs import replace

from tests.gui.hand import click
from tests.gui.harness import GuiTester, bring_to_front, in_child, in_stage
from viewer.resources import bundled_path
from viewer.session.pixel import card
from viewer.session.pixel.explanation import PixelExplanation
from viewer.session.play import model_effects, unit_posing
from viewer.session.play.stage import UnitStage
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


def test_a_pixel_that_an_effect_covers_names_its_sprites(gui: GuiTester) -> None:
    """The nearest first, none of them behind the triangle, and with the bytes of their blocks."""
    gui.open(f"{GAME}/models.rlb::walker.msh", is_paused=True)
    gui.until(lambda: not gui.app.jobs.title)
    view = gui.state.view
    effects = replace(view.playback.effects, started=MappingProxyType({9: model_effects.clock(view) - 0.4}))
    gui.change(playback=replace(view.playback, effects=effects))
    gui.settle()
    width, height = size = gui.app.viewport.area.size
    pixels = [(x, y) for y in range(0, height, 40) for x in range(0, width, 40)]
    explain = gui.app.viewport._explain
    explained = filter(None, (explain(size, *it) for it in pixels))
    found = [
        it.found for it in explained if isinstance(it.found, PixelExplanation) and it.found.sprites.count
    ]
    assert any(it.hit is None for it in found)
    covered = [it for it in found if it.hit is not None]
    assert covered
    camera = gui.state.view.camera
    for it in covered:
        assert it.hit is not None
        depth = float((camera.eye - it.hit.position) @ camera.axes[2])
        distances = [sprite.away for sprite in it.sprites.nearest]
        assert distances == sorted(distances)
        assert distances[-1] < depth
        blocks = {sprite.block for sprite in it.sprites.nearest}
        assert {range_.place.row for range_ in it.ranges if range_.what == "block"} == blocks
    sections = card.sections(gui.document, covered[0])
    assert [it.id for it in sections][:2] == ["pixel", "sprite0"]
    assert sections[1].title.startswith("1. blast, block ")


def test_a_pixel_of_a_unit_names_the_sprites_of_all_of_its_parts(gui: GuiTester) -> None:
    """Both guns fire: a sprite is found at its middle, unless a part covers that."""
    gui.open(f"{GAME}/UNITS/UNITS/SAMPLE/walker.dat")
    gui.until(lambda: not gui.app.jobs.title)
    stage = gui.state.stage
    assert isinstance(stage, UnitStage)
    gui.pause(time=20.0)
    view = gui.state.view
    for row in (6, 7):
        view = unit_posing.with_effect_toggled(stage.unit, view, 0, row)
    gui.state.view = replace(view, is_playing=False, time=21.5)
    gui.settle()
    view, size = gui.state.view, gui.app.viewport.area.size
    clip_of_world = view.camera.clip_from_world(size[0] / size[1])
    shown = []
    for effect in unit_posing.played(stage.unit, view, unit_posing.placed(stage.unit, view)):
        for center in effect.program.at(effect.inputs).sprites.center:
            x, y, _z, w = clip_of_world @ [*center, 1]
            pixel = int((x / w + 1) / 2 * size[0]), int((1 - y / w) / 2 * size[1])
            shown.append(gui.app.viewport._explain(size, *pixel))
    found = [it.found for it in shown if it and isinstance(it.found, PixelExplanation)]
    found = [it for it in found if it.sprites.count]
    assert {sprite.source.name for it in found for sprite in it.sprites.nearest} == {"muzzle"}
    assert any(it.hit is None for it in found)
