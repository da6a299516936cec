"""Variants of materials, and materials that stand still."""

from __future__ import annotations

from dataclasses import replace

import pytest

from viewer.model.material.materials import PLAIN_PHASE, BlendMask, Block, BlockKey, Material, Mode
from viewer.model.material.phases import PhaseMoment, state_at
from viewer.session.play.material_play import MaterialPlay, longest_period, moves

PHASES = tuple(replace(PLAIN_PHASE, power=power) for power in range(4))
LOOP = Block(Mode.LOOP, 0, (BlockKey(0, 100), BlockKey(1, 300), BlockKey(2, 600)))
OTHER = Block(Mode.PING_PONG, 0, (BlockKey(3, 0), BlockKey(2, 400), BlockKey(1, 500)))
CHANCE = Block(Mode.RANDOM, BlendMask.DIFFUSE, (BlockKey(0, 100), BlockKey(1, 200), BlockKey(2, 300)))


def material(*blocks: Block) -> Material:
    return Material(0, phases=PHASES, blocks=blocks)


SIGN = material(LOOP, OTHER)
STILL = material(Block(Mode.LOOP, 0, (BlockKey(2, 700),)))
ROWS = (SIGN, STILL, material(CHANCE))


def phases(play: MaterialPlay, time: float) -> list[int]:
    return [state.phase for state in play.states(ROWS, time)]


def test_the_game_plays_the_first_block_by_the_clock() -> None:
    play = MaterialPlay()
    for place, row in enumerate(ROWS):
        assert play.state(place, row, 250) == state_at(row, 250, seed=place)


def test_a_second_layer_of_the_ground_plays_the_second_block() -> None:
    layer = replace(SIGN, layer=1)
    assert MaterialPlay().state(0, layer, 450) == state_at(SIGN, 450, 1)
    assert MaterialPlay().choose(0, layer, 0).state(0, layer, 450) == state_at(SIGN, 450, 0)
    assert MaterialPlay().choose_all([layer], 0).state(0, layer, 450) == state_at(SIGN, 450, 1)
    assert MaterialPlay().state(0, replace(STILL, layer=1), 0) == state_at(STILL, 0)


def test_a_variant_holds_for_its_material_alone() -> None:
    play = MaterialPlay().choose(0, SIGN, 1)
    assert phases(play, 450)[0] == 1
    assert phases(play, 450)[1:] == phases(MaterialPlay(), 450)[1:]
    assert play.state(5, SIGN, 450).phase == 2


def test_a_variant_that_is_not_there_is_the_first() -> None:
    play = MaterialPlay().choose(0, SIGN, 9)
    assert play.variant(0, SIGN) == 0
    assert phases(play, 450)[0] == 2


def test_a_variant_is_chosen_for_all_that_have_it() -> None:
    play = MaterialPlay().choose_all(ROWS, 1)
    assert [play.variant(place, row) for place, row in enumerate(ROWS)] == [1, 0, 0]


@pytest.mark.parametrize("time", [0, 250, 599, 10_000])
def test_what_is_frozen_stays_whatever_the_time(time: float) -> None:
    frozen = MaterialPlay().freeze_all(ROWS, time)
    assert frozen.states(ROWS, time) == MaterialPlay().states(ROWS, time)
    assert frozen.states(ROWS, time + 12_345) == frozen.states(ROWS, time)
    assert set(frozen.still) == {0, 2}, "what never moves needs no freezing"


def test_freezing_all_leaves_what_stands_still_already() -> None:
    play = MaterialPlay().freeze(0, PhaseMoment(2, 0.5)).freeze_all(ROWS, 0)
    assert play.still[0] == (2, 0.5)


def test_thawed_materials_are_where_the_clock_is() -> None:
    frozen = MaterialPlay().freeze_all(ROWS, 50)
    assert frozen.thaw(0).states(ROWS, 450)[0] == MaterialPlay().states(ROWS, 450)[0]
    assert frozen.thaw(0).states(ROWS, 450)[2] == frozen.states(ROWS, 450)[2]
    assert frozen.thaw_all() == MaterialPlay()


def test_steps_go_round_the_keys_and_freeze_at_their_start() -> None:
    play, seen = MaterialPlay(), []
    for _ in range(4):
        play = play.step(0, SIGN, 150, 1)
        seen.append(play.still[0])
    assert seen == [(2, 0.0), (0, 0.0), (1, 0.0), (2, 0.0)]
    assert MaterialPlay().step(0, SIGN, 150, -1).still[0] == (0, 0.0)
    assert MaterialPlay().step(0, SIGN, 50, -1).still[0] == (2, 0.0)


def test_steps_leave_out_keys_that_never_show() -> None:
    play, seen = MaterialPlay().choose(0, SIGN, 1), []
    for _ in range(3):
        play = play.step(0, SIGN, 50, 1)
        seen.append(play.state(0, SIGN, 50).phase)
    assert seen == [1, 2, 1]


def test_steps_of_what_has_no_keys_go_nowhere() -> None:
    for nothing in (material(), material(Block(Mode.LOOP, 0, ()))):
        assert MaterialPlay().step(0, nothing, 50, 1) == MaterialPlay()


def test_chance_is_stepped_key_by_key_too() -> None:
    play = MaterialPlay().freeze(2, PhaseMoment(0))
    assert [play.step(2, ROWS[2], 0, keys).still[2].key for keys in (0, 1, 2, 3)] == [0, 1, 2, 0]


def test_another_variant_of_a_frozen_material_starts_with_its_first_key_that_shows() -> None:
    play = MaterialPlay().freeze(0, PhaseMoment(2, 0.5)).choose(0, SIGN, 1)
    assert play.still[0] == (1, 0.0)
    assert MaterialPlay().choose(0, SIGN, 1).still == {}


def test_the_longest_variant_is_how_long_a_material_takes() -> None:
    assert longest_period(SIGN) == 1000
    assert [moves(row) for row in (*ROWS, material())] == [True, False, True, False]


def test_changes_repeat_until_the_end() -> None:
    play = MaterialPlay()
    assert play.change_times(ROWS, 1000).tolist() == [0, 100, 300, 600, 700, 900]
    assert play.choose(0, SIGN, 1).change_times(ROWS, 1000).tolist() == [0, 400, 600, 1000]
    assert play.freeze(0, PhaseMoment(0)).change_times(ROWS, 1000).tolist() == []
    once = material(replace(LOOP, mode=Mode.ONCE))
    assert play.change_times([once], 1000).tolist() == [0, 100, 300]
