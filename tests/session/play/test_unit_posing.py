"""Effects on the parts of a unit: where they are, since when they play, and which stop."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from msgspec.structs import replace

from viewer.formats import units
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.resources import bundled_path
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.play import timeline, unit_posing
from viewer.session.play.model_effects import PlayedEffect, playing_rows, rows_of, toggle_with_clip
from viewer.session.play.playing import axis_of, play_clip
from viewer.session.view.view_state import ViewState

GAME = Path(bundled_path("assets/game"))
CHASSIS, TURRET, GUN = 0, 1, 2
LASER = 0
EXHAUST = 2


@pytest.fixture(scope="module")
def unit() -> AssembledUnit:
    data = (GAME / "UNITS/UNITS/SAMPLE/walker.dat").read_bytes()
    return AssembledUnit.of(FileStore(), units.decode(data), GAME, has_effects=True)


def played(unit: AssembledUnit, view: ViewState) -> tuple[PlayedEffect, ...]:
    return unit_posing.played(unit, view, unit_posing.placed(unit, view))


def rows(unit: AssembledUnit, view: ViewState, component: int) -> list[int]:
    own = unit_posing.view_of(unit, view, component)
    return sorted(playing_rows(unit.documents[component], own))


def test_the_laser_of_the_gun_starts_at_its_barrel_while_the_turret_turns(unit: AssembledUnit) -> None:
    gun, turret = unit.documents[GUN], unit.documents[TURRET]
    effect = rows_of(gun)[LASER]
    assert effect.name == "laser"
    assert effect.anchor is not None
    view = unit_posing.with_effect_toggled(unit, play_clip(ViewState(), 0), GUN, LASER)
    assert view.is_playing
    turned = unit_posing.playback_of(unit, view, TURRET).with_channel(
        next(it.index for it in turret.controller.channels), 0.25
    )
    origins = []
    for it in (view, unit_posing.with_playback(unit, view, TURRET, turned)):
        (found,) = played(unit, it)
        part = next(it for it in unit_posing.placed(unit, it) if it.component == GUN)
        world = part.pose.world[effect.anchor.nodes[0]].astype(np.float64)
        np.testing.assert_allclose(
            found.inputs.origin, (world @ [*effect.anchor.positions[0], 1])[:3], atol=1e-5
        )
        origins.append(found.inputs.origin)
    assert np.linalg.norm(np.subtract(origins[0], origins[1])) > 0.1


def test_an_effect_on_a_part_has_the_clock_of_the_unit(unit: AssembledUnit) -> None:
    view = play_clip(ViewState(), 0)
    view = timeline.at(view, 3.0)
    view = unit_posing.with_effect_toggled(unit, view, GUN, LASER)
    assert [it.inputs.seconds for it in played(unit, view)] == [0.0]
    later = timeline.at(view, 6.0)
    assert [it.inputs.seconds for it in played(unit, later)] == [pytest.approx(0.2)]


def test_what_follows_the_object_follows_the_part(unit: AssembledUnit) -> None:
    # 4 is the x axis of the object (spec/effects.md 8); the frame of the gun turns with its socket.
    gun = unit.documents[GUN]
    effect = rows_of(gun)[LASER]
    assert effect.anchor is not None
    anchor = replace(effect.anchor, nodes=(-1,), directions=((1.0, 0.0, 0.0),), is_turned=False)
    view = ViewState()
    part = next(it for it in unit_posing.placed(unit, view) if it.component == GUN)
    frame = anchor.frame(part.pose.world, part.matrix)
    assert frame is not None
    np.testing.assert_allclose(frame.axes[0], part.matrix[:3, 0], atol=1e-6)
    np.testing.assert_allclose(frame.origin, (part.matrix @ [*anchor.positions[0], 1])[:3], atol=1e-6)


def test_stopping_one_effect_lets_the_others_of_all_parts_go_on(unit: AssembledUnit) -> None:
    view = toggle_with_clip(play_clip(ViewState(), 0))
    before = rows(unit, view, CHASSIS)
    assert EXHAUST in before
    view = unit_posing.with_effect_toggled(unit, view, GUN, LASER)
    assert (rows(unit, view, CHASSIS), rows(unit, view, GUN)) == (before, [LASER])
    view = unit_posing.with_effect_toggled(unit, view, CHASSIS, EXHAUST)
    assert not view.playback.effects.is_with_clip
    assert rows(unit, view, CHASSIS) == [it for it in before if it != EXHAUST]
    assert rows(unit, view, GUN) == [LASER]
    view = unit_posing.without_effects(unit, view)
    assert [rows(unit, view, it) for it in unit.documents] == [[], [], []]


def test_effects_of_a_part_are_driven_as_the_view_says(unit: AssembledUnit) -> None:
    view = unit_posing.with_effect_toggled(unit, ViewState(), GUN, LASER)
    effects = replace(view.playback.effects, strength=0.25)
    view = replace(view, playback=replace(view.playback, effects=effects))
    assert [it.inputs.strength for it in played(unit, view)] == [0.25]


def test_time_passes_for_a_unit_in_which_only_effects_move(unit: AssembledUnit) -> None:
    still = replace(unit, parts=unit.parts[:1], documents=MappingProxyType({}))
    view = ViewState()
    shown = OpenedResource(Address.parse("walker.dat"), "unit", memoryview(b""), unit=still)
    assert not axis_of(shown, view).moves
    effects = replace(view.playback.effects, started=MappingProxyType({LASER: 0.0}))
    view = unit_posing.with_playback(still, view, GUN, replace(view.playback, effects=effects))
    assert axis_of(shown, view).moves
