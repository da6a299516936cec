"""The machinery of a document in a view: its clock, its switch, its axis, sliders, belts and units."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from viewer.formats import units
from viewer.formats.neighbors.component import BodyMotion
from viewer.model.material.phases import duration, moment_in
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.operations.reading_options import ReadingOptions
from viewer.options import option_at
from viewer.resources import bundled_path
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.opened.document import Document
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.play import machinery, playing, posing, timeline, unit_posing
from viewer.session.play.filming import loop_of
from viewer.session.play.machinery import drawn_states, material_states
from viewer.session.play.stage import ModelStage, stage_of, with_motion
from viewer.session.view.view_state import ViewState

GAME = Path(bundled_path("assets/game"))
SWITCH = option_at(ViewState, "playback.machinery.is_on")
RATES = {0: 7.3, 1: 7.3, 2: 0.5, 3: 0.2, 4: 0.2}
"""Values per second of what turns by itself."""


@pytest.fixture
def rotor(samples: Path) -> Document:
    """Two rotors, a dish, a hub, a mast, two belts and a wing."""
    game = samples / "field2" / "game"
    address = Address(game / "made.rlb", ("rotor.msh",))
    return Document.open(FileStore(), Source(address, ReadingOptions(game=game)))


def first(document: Document) -> ViewState:
    """The view that a document is opened in."""
    return playing.play_first(ViewState(), document)


def later(document: Document, view: ViewState, seconds: float) -> ViewState:
    """A view some time later."""
    return timeline.advance(view, seconds, playing.axis_of(document, view))


def test_what_turns_by_itself_turns_while_it_plays(rotor: Document) -> None:
    view = first(rotor)
    assert view.is_playing
    assert machinery.values(rotor, view) == dict.fromkeys(RATES, 0.0)
    half = later(rotor, view, 0.5)
    turned = {index: rate * 0.5 % 1 for index, rate in RATES.items()}
    assert machinery.values(rotor, half) == pytest.approx(turned)
    paused = timeline.play(half, playing.axis_of(rotor, half))
    assert not paused.is_playing
    assert later(rotor, paused, 0.5) == paused


def test_the_nodes_are_where_their_channels_say(rotor: Document) -> None:
    half = later(rotor, first(rotor), 0.5)
    times = dict(posing.moment(rotor, half).driven)
    expected = {1: 4 * 0.65, 2: 4 * 0.65, 3: 4 * 0.25, 4: 4 * 0.1, 5: 4 * 0.1}
    assert {node: times[node] for node in expected} == pytest.approx(expected)
    assert 6 not in times  # a belt does not move


def test_the_switch_lets_them_stand(rotor: Document) -> None:
    half = SWITCH.switched(later(rotor, first(rotor), 0.5))
    assert machinery.values(rotor, half) == {}
    assert not machinery.moves(rotor, half.playback)
    assert dict(posing.moment(rotor, half).driven).get(1, 0.0) == 0.0


def test_a_value_that_is_set_wins(rotor: Document) -> None:
    half = later(rotor, first(rotor), 0.5)
    view = replace(half, playback=half.playback.with_channel(0, 0.5))
    assert dict(posing.moment(rotor, view).driven)[1] == 2.0


def test_sliders_go_on_from_where_the_channels_are(rotor: Document) -> None:
    stage, view = ModelStage(rotor), later(rotor, first(rotor), 0.5)
    driven = with_motion(view, stage, BodyMotion(0.5))
    before = machinery.values(rotor, view)
    assert {it: machinery.values(rotor, driven)[it] for it in before} == pytest.approx(before)
    on = later(rotor, driven, 0.01)
    found = machinery.values(rotor, on)
    assert {it: found[it] for it in (5, 6)} == pytest.approx({5: 0.257, 6: 0.257})
    assert found[0] == pytest.approx(7.3 * 0.51 % 1)
    assert found[7] == pytest.approx(0.51)  # the wing runs up from 0.5 at its rate
    faster = later(rotor, with_motion(on, stage, BodyMotion(1.0, 0.4)), 0.01)
    found = machinery.values(rotor, faster)
    assert {it: found[it] for it in (5, 6)} == pytest.approx({5: 0.257 + 0.4112, 6: 0.257 + 0.6168})
    still = with_motion(faster, stage, BodyMotion())
    stopped = machinery.values(rotor, later(rotor, still, 3.0))
    assert {it: stopped[it] for it in (5, 6)} == pytest.approx({5: 0.6682, 6: 0.8738})  # they stay
    assert stopped[7] == 0.0  # and the wing is back


def test_a_belt_plays_its_material_by_fraction(rotor: Document) -> None:
    row = next(index for index, it in enumerate(rotor.materials.rows) if it.name == "R_RL_26")
    block = rotor.materials.rows[row].blocks[0]
    still = material_states(rotor, first(rotor))[row]
    assert material_states(rotor, later(rotor, first(rotor), 0.7))[row] == still
    driven = with_motion(first(rotor), ModelStage(rotor), BodyMotion(0.5))
    moved = later(rotor, driven, 0.01)
    moment = moment_in(block, 0.257 * duration(block))
    assert material_states(rotor, moved)[row].moment == pytest.approx(moment, abs=1e-3)
    assert moment.key != still.moment.key


def test_belts_with_one_material_are_drawn_apart_in_a_turn(rotor: Document) -> None:
    """Both belts of the rotor stand wear row 1: of 41.12 and 61.68 turns a second each plays its own."""
    row = next(index for index, it in enumerate(rotor.materials.rows) if it.name == "R_RL_26")
    block = rotor.materials.rows[row].blocks[0]
    of_node = {
        int(node): int(drawn)
        for node, drawn in zip(rotor.draws.node, rotor.drawn_materials.materials.of_draw, strict=True)
    }
    left, right = of_node[6], of_node[7]
    assert left == row
    assert right == len(rotor.materials.rows)
    assert rotor.drawn_materials.materials.rows[right] is rotor.materials.rows[row]
    moved = later(rotor, with_motion(first(rotor), ModelStage(rotor), BodyMotion(1.0, 0.4)), 0.01)
    states = drawn_states(rotor, moved)
    for place, share in ((left, 0.4112), (right, 0.6168)):
        assert states[place].moment == pytest.approx(moment_in(block, share * duration(block)), abs=1e-3)
    assert material_states(rotor, moved) == states[:right]
    stopped = SWITCH.switched(moved)
    assert drawn_states(rotor, stopped)[left] == drawn_states(rotor, stopped)[right]


def test_a_film_shows_one_round_of_the_slowest(rotor: Document) -> None:
    assert len(loop_of(rotor, first(rotor), 10)) == 100  # the mast, up and down


def test_the_parts_of_a_unit_turn_and_are_driven_together() -> None:
    data = (GAME / "UNITS/UNITS/SAMPLE/walker.dat").read_bytes()
    unit = AssembledUnit.of(FileStore(), units.decode(data), GAME)
    shown = OpenedResource(Address(GAME), "units", memoryview(data), unit=unit)
    view = playing.play_resource(ViewState(), shown)
    assert view.is_playing
    moved = timeline.advance(view, 0.5, playing.axis_of(shown, view))
    assert unit.root is not None
    walker = unit.documents[unit.root]
    assert machinery.values(walker, unit_posing.view_of(unit, moved, unit.root)) == pytest.approx({5: 0.25})
    stage = stage_of(shown)
    assert stage is not None
    driven = with_motion(moved, stage, BodyMotion(0.5, 0.2))
    assert len(unit.documents) > 2
    for part in unit.documents:
        own = unit_posing.view_of(unit, driven, part).playback.machinery
        assert (own.motion, own.since) == (BodyMotion(0.5, 0.2), 0.5)
    still = SWITCH.switched(driven)
    for part in unit.documents:
        assert not unit_posing.view_of(unit, still, part).playback.machinery.is_on


def test_a_model_whose_machinery_stands_needs_no_frames(rotor: Document) -> None:
    bare = replace(rotor, last_frame=0.0, controller=replace(rotor.controller, drives=()))
    view = playing.play_first(ViewState(), bare)
    assert not view.is_playing
    still = SWITCH.switched(first(rotor))
    strip = replace(still, playback=replace(still.playback, clip=None))
    assert not playing.axis_of(replace(rotor, last_frame=0.0), strip).moves
