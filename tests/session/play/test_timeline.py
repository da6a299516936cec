"""Playing, stepping and seeking; variants of materials, and materials that stand still."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from viewer.model.clips.clip import FRAME_RATE
from viewer.model.material.materials import PLAIN_PHASE, BlendMask, Block, BlockKey, Layer, Material, Mode
from viewer.model.material.phases import PhaseMoment, state_at
from viewer.session.play import timeline
from viewer.session.play.material_play import MaterialPlay, longest_period, moves
from viewer.session.play.playback import FASTEST, SLOWEST
from viewer.session.view.view_state import Loop, ViewState

LAST = 30.0
AXIS = timeline.TimeAxis.whole(LAST)


def playing(time: float = 0.0, loop: Loop = Loop.LOOP) -> ViewState:
    return ViewState(time=time, is_playing=True, speed=10.0, loop=loop)


def test_time_moves_by_speed_in_frames_per_second() -> None:
    assert timeline.advance(playing(), 0.5, AXIS).time == 5.0


def test_nothing_moves_while_paused_or_static() -> None:
    paused = ViewState(time=3.0)
    assert timeline.advance(paused, 1.0, AXIS) is paused
    still = playing(0.0)
    assert timeline.advance(still, 1.0, timeline.TimeAxis.whole(0.0)) is still


def test_loop_goes_on_from_the_start() -> None:
    view = timeline.advance(playing(28.0), 0.5, AXIS)
    assert view.time == 3.0
    assert view.is_playing


def test_once_stops_at_the_end_and_plays_again_from_the_start() -> None:
    ended = timeline.advance(playing(28.0, Loop.ONCE), 0.5, AXIS)
    assert (ended.time, ended.is_playing) == (LAST, False)
    again = timeline.play(ended, AXIS)
    assert (again.time, again.is_playing) == (0.0, True)


def test_ping_pong_turns_round_at_both_ends() -> None:
    there = timeline.advance(playing(28.0, Loop.PING_PONG), 0.5, AXIS)
    assert (there.time, there.is_reversed) == (27.0, True)
    back = timeline.advance(replace(there, time=2.0), 0.5, AXIS)
    assert (back.time, back.is_reversed) == (3.0, False)


def test_backwards_it_loops_to_the_end_and_once_it_stops_at_the_start() -> None:
    back = timeline.play_backwards(ViewState(time=3.0, speed=10.0), AXIS)
    assert (back.is_playing, back.is_reversed) == (True, True)
    assert timeline.advance(back, 0.2, AXIS).time == 1.0
    looped = timeline.advance(back, 0.5, AXIS)
    assert (looped.time, looped.past) == (28.0, 0.0), "materials have no time before their first"
    once = timeline.advance(replace(back, loop=Loop.ONCE), 0.5, AXIS)
    assert (once.time, once.is_playing) == (0.0, False)
    assert timeline.play(once, AXIS).time == LAST, "again from the end"
    assert not timeline.play_backwards(back, AXIS).is_reversed


@pytest.mark.parametrize(("start", "is_reversed"), [(0.0, False), (LAST, True)])
def test_once_goes_on_from_its_start_also_after_a_frame_of_no_time(start: float, is_reversed: bool) -> None:
    view = replace(playing(start, Loop.ONCE), is_reversed=is_reversed)
    assert timeline.advance(view, 0.0, AXIS).is_playing


def test_leaving_ping_pong_on_its_way_back_goes_forwards() -> None:
    there = timeline.advance(playing(28.0, Loop.PING_PONG), 0.5, AXIS)
    assert there.is_reversed
    assert not timeline.with_loop(there, Loop.LOOP).is_reversed
    assert timeline.with_loop(replace(there, loop=Loop.ONCE), Loop.LOOP).is_reversed, "asked for backwards"


@pytest.mark.parametrize(
    ("time", "frames", "expected"),
    [(4.0, 1, 5.0), (4.0, -1, 3.0), (4.5, 1, 5.0), (4.5, -1, 4.0), (30.0, 1, 0.0), (0.0, -1, 30.0)],
)
def test_step_lands_on_whole_frames_and_wraps(time: float, frames: int, expected: float) -> None:
    view = timeline.step(playing(time), frames, AXIS)
    assert (view.time, view.is_playing) == (expected, False)


def test_step_stops_at_the_ends_of_a_single_run() -> None:
    assert timeline.step(playing(29.0, Loop.ONCE), 10, AXIS).time == LAST


def test_a_static_model_never_plays() -> None:
    assert not timeline.play(ViewState(), timeline.TimeAxis.whole(0.0)).is_playing


def test_speed_stays_within_limits() -> None:
    assert timeline.faster(ViewState(speed=200.0), 2).speed == FASTEST
    assert timeline.faster(ViewState(speed=0.3), 0.5).speed == SLOWEST


def test_materials_have_the_same_time_at_every_speed() -> None:
    assert timeline.material_time(ViewState(time=30.0, speed=15.0)) == 2000.0
    assert timeline.material_time(ViewState(time=30.0, speed=3.0)) == 2000.0


def test_slow_motion_slows_materials() -> None:
    slow = replace(playing(), speed=FRAME_RATE / 4)
    assert timeline.material_time(timeline.advance(slow, 1.0, AXIS)) == 250.0


@pytest.mark.parametrize("milliseconds", [1, 70, 333, 16667, 131069])
def test_a_whole_millisecond_survives_the_way_over_frames(milliseconds: int) -> None:
    assert timeline.material_time(ViewState(time=milliseconds / timeline.FRAME)) == milliseconds


@pytest.mark.parametrize("seconds", [0.5, 3.0, 6.5])
def test_materials_go_on_where_nodes_start_over(seconds: float) -> None:
    started = playing(28.0)
    view = timeline.advance(started, seconds, AXIS)
    assert view.time == (28.0 + 10.0 * seconds) % LAST
    gone = timeline.material_time(view) - timeline.material_time(started)
    assert gone == pytest.approx(10.0 * seconds * timeline.FRAME)


def test_materials_turn_round_with_the_nodes() -> None:
    view = replace(playing(28.0, Loop.PING_PONG), past=60.0)
    times = [timeline.material_time(timeline.advance(view, second / 10, AXIS)) for second in range(5)]
    assert times == pytest.approx([frame * timeline.FRAME for frame in (88, 89, 90, 89, 88)])


@pytest.mark.parametrize(
    "go",
    [
        lambda view: timeline.seek(view, 7.0, AXIS),
        lambda view: timeline.step(replace(view, time=30.0), 8, AXIS),
        lambda view: timeline.step(replace(view, time=0.0), -24, AXIS),
    ],
)
def test_a_time_gone_to_is_the_time_of_the_materials(go: Callable[[ViewState], ViewState]) -> None:
    view = go(replace(playing(), past=60.0))
    assert (view.time, view.past) == (7.0, 0.0)


def test_a_single_run_starts_with_materials_at_their_start() -> None:
    ended = ViewState(time=LAST, past=60.0, loop=Loop.ONCE)
    assert timeline.material_time(timeline.play(ended, AXIS)) == 0.0


def test_a_pause_and_a_step_leave_materials_where_they_are_seen() -> None:
    view = replace(playing(4.0), past=60.0)
    assert timeline.material_time(timeline.play(view, AXIS)) == timeline.material_time(view)
    assert timeline.material_time(timeline.step(view, 1, AXIS)) == pytest.approx(65.0 * timeline.FRAME)


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


def test_a_microtexture_of_the_ground_plays_the_second_block() -> None:
    layer = replace(SIGN, layer=Layer.MICROTEXTURE)
    assert MaterialPlay().state(0, layer, 450) == state_at(SIGN, 450, 1)
    assert MaterialPlay().choose(0, layer, 0).state(0, layer, 450) == state_at(SIGN, 450, 0)
    assert MaterialPlay(clan=2).state(0, layer, 450) == state_at(SIGN, 450, 1)
    assert MaterialPlay().state(0, replace(STILL, layer=Layer.MICROTEXTURE), 0) == state_at(STILL, 0)
    for other in (Layer.FIRST, Layer.SECOND):
        assert MaterialPlay().state(0, replace(SIGN, layer=other), 450) == state_at(SIGN, 450, 0)


def test_a_variant_holds_for_its_material_alone() -> None:
    play = MaterialPlay().choose(0, SIGN, 1)
    assert phases(play, 450)[0] == 1
    assert phases(play, 450)[1:] == phases(MaterialPlay(), 450)[1:]
    assert play.state(5, SIGN, 450).phase == 2


def test_a_variant_that_is_not_there_is_the_first() -> None:
    play = MaterialPlay().choose(0, SIGN, 9)
    assert play.variant(0, SIGN) == 0
    assert phases(play, 450)[0] == 2


def test_a_clan_chooses_the_block_of_all_that_have_it() -> None:
    """A block past the last one is block 0 (field-notes.md 4.4)."""
    play = MaterialPlay().choose(0, SIGN, 0).of_clan(1)
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


@pytest.mark.parametrize(
    ("words", "unit", "expected"),
    [
        ("12.5", "f", (12.5, True)),
        (" 3 ", "s", (45.0, False)),
        ("0.2 s", "f", (3.0, False)),
        ("0,2 с", "f", (3.0, False)),  # noqa: RUF001 Russian
        ("200MS", "f", (3.0, False)),
        ("-7f", "s", (-7.0, True)),
        (".5", "f", (0.5, True)),
        ("", "f", None),
        ("soon", "f", None),
        ("1 h", "f", None),
        ("nan", "f", None),
    ],
)
def test_a_time_is_typed_with_a_unit(words: str, unit: str, expected: tuple[float, bool] | None) -> None:
    """15 frames a second are this program's rate."""
    assert timeline.TypedTime.of(words, unit) == (None if expected is None else pytest.approx(expected))
