"""Finding the controller of a model, and its clips and channels.

Guesses of what states are for, and which are played in a row.

Playing: the frames of a clip at a time, and what the channels do.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import Key, ModelBuilder, Node, turn
from tests.model.controllers import NONE, Drive, State, archive, build, game, model, opened
from tests.systems import below
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.neighbors import control
from viewer.model.clips import playing
from viewer.model.clips.clip import FRAME_RATE, Channel, Movement
from viewer.model.clips.controller import NO_CONTROLLER, Controller, channels, clips
from viewer.model.clips.guesses import LONGEST, chains, with_movements
from viewer.model.mesh.pose.animation import Animation, Moment
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.store.address import Address
from viewer.session.play import posing
from viewer.session.play.playback import Playback
from viewer.session.view.view_state import ViewState

WALK = control.encode(build([State((5, 8))]))
TURN = control.encode(build([State((1, 2))], [Drive(1, (0, 9))]))


def found(folder: Path, address: str) -> str | None:
    """The controller of a model, without the folder."""
    controller = opened(folder / address).controller.address
    return None if controller is None else below(folder, controller)


@pytest.mark.parametrize(
    ("references", "expected"),
    [
        (["bots.rlb::a.msh", "bots.rlb::other.ctl"], "bots.rlb::other.ctl"),
        (["BOTS.RLB::A.MSH", "Guns.rlb::Small.CTL"], "guns.rlb::small.ctl"),
        (["bots.rlb::a.msh", "bots.rlb::lost.ctl", "bots.rlb::other.ctl"], "bots.rlb::other.ctl"),
        (["bots.rlb::a.msh"], None),
        (["else.rlb::a.msh", "bots.rlb::other.ctl"], "bots.rlb::a.ctl"),
        (["bots.rlb::b.msh", "bots.rlb::other.ctl"], "bots.rlb::a.ctl"),
        (["objects.rlb::parent"], "guns.rlb::small.ctl"),
        (["bots.rlb::a.bas", "bots.rlb::other.ctl"], "bots.rlb::other.ctl"),
        (None, "bots.rlb::a.ctl"),
    ],
)
def test_the_registry_names_the_controller(
    tmp_path: Path, references: list[str] | None, expected: str | None
) -> None:
    archives = {
        "bots.rlb": {"a.msh": model(), "a.ctl": WALK, "other.ctl": TURN},
        "guns.rlb": {"small.ctl": TURN},
    }
    keys = None if references is None else {"child": references}
    if references == ["objects.rlb::parent"]:
        keys = {"child": references, "parent": ["bots.rlb::a.msh", "guns.rlb::small.ctl"]}
    folder = game(tmp_path / "game", archives, keys)
    assert found(folder, "bots.rlb::a.msh") == expected
    assert found(folder, "bots.rlb::#0") == expected


def test_a_turret_has_two_and_the_first_is_used(tmp_path: Path) -> None:
    archives = {"bots.rlb": {"a.msh": model(), "b.ctl": TURN, "c.ctl": WALK}}
    folder = game(tmp_path, archives, {"a": ["bots.rlb::a.msh", "bots.rlb::b.ctl", "bots.rlb::c.ctl"]})
    controller = opened(folder / "bots.rlb::a.msh").controller
    assert (controller.address, controller.others) == (
        Address(folder / "bots.rlb", ("b.ctl",)),
        (Address(folder / "bots.rlb", ("c.ctl",)),),
    )


def test_a_file_has_the_controller_beside_it(tmp_path: Path) -> None:
    (tmp_path / "Walker.msh").write_bytes(model())
    assert opened(tmp_path / "Walker.msh").controller == NO_CONTROLLER
    (tmp_path / "walker.CTL").write_bytes(WALK)
    assert found(tmp_path, "Walker.msh") == "walker.CTL"


def test_a_file_taken_out_of_its_archive_has_the_controller_that_the_registry_names(tmp_path: Path) -> None:
    folder = game(tmp_path, {"bots.rlb": {"b.ctl": TURN}}, {"a": ["bots.rlb::a.msh", "bots.rlb::b.ctl"]})
    (folder / "a.msh").write_bytes(model())
    assert found(folder, "a.msh") == "bots.rlb::b.ctl"


def test_a_copy_of_an_archive_has_its_own_controllers_first(tmp_path: Path) -> None:
    entries = {"a.msh": model(), "b.ctl": TURN, "c.ctl": WALK}
    references = ["bots.rlb::a.msh", "bots.rlb::b.ctl", "bots.rlb::c.ctl"]
    folder = game(tmp_path, {"bots.rlb": entries}, {"a": references})
    (folder / "mods").mkdir()
    (folder / "mods" / "bots.rlb").write_bytes(archive({"a.msh": model(), "b.ctl": WALK}))
    controller = opened(folder / "mods" / "bots.rlb::a.msh").controller
    assert below(folder, controller.address) == "mods/bots.rlb::b.ctl"
    assert controller.others == (Address.parse(f"{folder}/bots.rlb::c.ctl"),)


def test_an_edited_controller_makes_another_revision(tmp_path: Path) -> None:
    (tmp_path / "a.msh").write_bytes(model())
    (tmp_path / "a.ctl").write_bytes(WALK)
    before = opened(tmp_path / "a.msh")
    (tmp_path / "a.ctl").write_bytes(TURN)
    assert opened(tmp_path / "a.msh").following(before).revision == 1


@pytest.mark.parametrize("damage", [b"", WALK[:60], b"\xff" * 300, WALK[:-120]])
def test_a_damaged_controller_is_one_diagnostic_of_an_intact_model(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "a.msh").write_bytes(model())
    (tmp_path / "a.ctl").write_bytes(damage)
    document = opened(tmp_path / "a.msh")
    assert document.model.node_count == 2
    problem = document.controller.problem
    assert problem is not None
    assert [it for it in document.findings if "the controller" in it.text] == [problem]
    assert str(tmp_path / "a.ctl") in problem.text


def test_controllers_of_the_corpus(samples: Path) -> None:
    """Which controller each model has, and the frames, the weight and the length of each clip."""
    root = (samples / "field").resolve()
    truth = json.loads((root / "truth.json").read_text())
    for key, expected in truth["models"].items():
        controller = opened(root / key).controller
        address = controller.address and below(root, controller.address)
        assert address == expected.get("control"), key
        stated = truth["controls"][address] if address else {"clips": [], "channels": []}
        clips = [
            {
                "index": clip.index,
                "frames_a": [*clip.frames_a],
                "frames_b": clip.frames_b and [*clip.frames_b],
                "weight_b": clip.weight_b,
                "seconds": clip.seconds,
            }
            for clip in controller.clips
        ]
        assert clips == stated["clips"], key
        nodes = [(channel.index, channel.node, channel.flags) for channel in controller.channels]
        assert nodes == [(row, it["node"], it["flags"]) for row, it in enumerate(stated["channels"])], key
    turret = opened(root / "game/robots.rlb::w_tur_01.msh").controller
    assert [Path(str(address)).name for address in turret.others] == ["robots.rlb::w_tur_t_01.ctl"]


@given(st.lists(st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=8)), min_size=1, max_size=6))
def test_any_damage_leaves_a_pose_without_gaps(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[float, bytes]]
) -> None:
    """Whatever a controller says, its model opens, and every clip gives finite matrices."""
    folder = tmp_path_factory.mktemp("damaged")
    states = State((0, 4), (8, 8), 0.5), State((6, 9), milliseconds=0)
    data = bytearray(control.encode(build(states, [Drive(1, (0, 10), 0.25)], {(0, 1): 0.0})))
    for share, new in changes:
        start = int(share * (len(data) - len(new)))
        data[start : start + len(new)] = new
    (folder / "a.msh").write_bytes(model())
    (folder / "a.ctl").write_bytes(data)
    document = opened(folder / "a.msh")
    for clip in document.controller.clips:
        for seconds in (0.0, 0.25, 1e30):
            view = ViewState(playback=Playback(clip=clip.index, seconds=seconds))
            assert np.isfinite(posing.pose(document, view).world).all()


def names(*states: State) -> list[str]:
    return [clip.name for clip in clips(build(states))]


def test_a_name_is_guessed_from_the_velocity() -> None:
    boxes = [(-2, 2), (2, 7.5), (7.5, 15.5), (-6, -2)]
    assert names(*(State(velocity=box) for box in boxes)) == ["stand", "walk", "run", "backward"]


@pytest.mark.parametrize("spin", [(0.5, 3), (-3, -0.5)])
def test_standing_with_a_spin_is_turning(spin: tuple[float, float]) -> None:
    assert names(State(spin=spin), State(velocity=(3, 5), spin=spin)) == ["turn", "walk"]


def test_names_are_unique_and_a_state_without_a_guess_has_its_number() -> None:
    states = State(), State(velocity=(-9, 9)), State(), State(velocity=(float("nan"), 1))
    assert names(*states) == ["stand", "state 1", "stand 2", "state 3"]
    assert [clip.is_guess for clip in clips(build(states))] == [True, False, True, False]


def test_a_signalling_nan_gives_no_guess() -> None:
    """NumPy warns of one that it converts, and pytest makes an error of that."""
    control = build([State()])
    control.states["velocity_min"].view(np.uint32)[:] = 0x7F800001
    assert [clip.is_guess for clip in clips(control)] == [False]


def test_the_only_forward_state_is_a_walk() -> None:
    assert names(State(velocity=(8, 20))) == ["walk"]


def test_states_without_cost_between_them_are_one_chain() -> None:
    """The cost is that of the destination in its row: 1 is followed by 2, and 2 by 1."""
    costs = {(1, 2): 0.0, (2, 1): 0.0, (0, 1): 3.0}
    assert chains(build([State()] * 3, costs=costs)) == [(0,), (1, 2), (2, 1)]
    assert chains(build([State()] * 3, costs={(0, 1): 0.0})) == [(0, 1), (1,), (2,)]


def test_a_chain_has_an_end() -> None:
    count = LONGEST + 10
    cycle = {(state, (state + 1) % count): 0.0 for state in range(count)}
    assert {len(chain) for chain in chains(build([State()] * count, costs=cycle))} == {LONGEST}


def test_a_state_with_several_free_changes_stays_alone() -> None:
    assert chains(build([State()] * 3, costs={(0, 1): 0.0, (0, 2): 0.0})) == [(0,), (1,), (2,)]


X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def guess(*keys: Key, node: int = 0, first: float = 0.0) -> Movement | None:
    model = ModelBuilder.of([Node("turret", keys=[*keys])]).model()
    channel = Channel(0, node, first, 10.0, 0.0, 1.0, 0.0, 0)
    (found,) = with_movements((channel,), Animation(model, Skeleton(model), QuaternionOrder.XYZW))
    return found.movement


@pytest.mark.parametrize(("axis", "expected"), [(Z, "yaw"), (X, "pitch"), (Y, "roll")])
def test_a_turn_goes_by_its_axis(axis: tuple[int, int, int], expected: str) -> None:
    tilted = turn(X, 3)
    assert guess(Key(0, quaternion=tilted), Key(10, quaternion=turn(axis, 60))) == expected
    half, whole = Key(5, quaternion=turn(axis, 180)), Key(10, quaternion=turn(axis, 360))
    assert guess(Key(0), half, whole) == expected


def test_a_node_that_only_moves_slides() -> None:
    assert guess(Key(0), Key(10, (0, 2, 0))) is Movement.SLIDE


def test_what_does_not_move_has_no_guess() -> None:
    assert guess(Key(0), Key(10)) is None
    assert guess(Key(0), Key(10, (0, 2, 0)), node=1) is None
    assert guess(Key(0), Key(10, (0, 2, 0)), first=float("nan")) is None


INF = float("inf")


def controller(
    *states: State, drives: tuple[Drive, ...] = (), free: tuple[tuple[int, int], ...] = ()
) -> Controller:
    decoded = build(states, drives, dict.fromkeys(free, 0.0))
    return Controller(Address.parse("a.ctl"), (), clips(decoded), channels(decoded))


def moment(state: State, seconds: float) -> Moment:
    found = controller(state)
    return playing.moment(found, found.clips[0], seconds)


@pytest.mark.parametrize(("seconds", "frame"), [(0.0, 5), (0.25, 9), (0.5, 13), (0.625, 7), (-0.125, 11)])
def test_a_clip_plays_its_frames_in_its_own_time_again_and_again(seconds: float, frame: float) -> None:
    assert moment(State((5, 13), milliseconds=500), seconds) == Moment(frame)


def test_a_clip_may_run_backwards() -> None:
    assert moment(State((13, 5)), 0.25) == Moment(11)


def test_both_pairs_are_blended_by_the_weight_of_the_second() -> None:
    assert moment(State((0, 8), (20, 24), 0.25), 0.5) == Moment(4, 22, 0.25)


def test_one_pair_alone_is_not_blended() -> None:
    assert moment(State((0, 8), NONE, 0.25), 0.5) == Moment(4)
    assert moment(State(NONE, (20, 24), 0.25), 0.5) == Moment(22)
    assert moment(State(NONE, NONE, 0.25), 0.5) == Moment(0)


def test_a_clip_without_a_length_plays_at_our_rate() -> None:
    state = State((5, 35), milliseconds=0)
    assert controller(state).clips[0].seconds is None
    assert moment(state, 1.0) == Moment(5 + FRAME_RATE)
    assert moment(State((5, 5), milliseconds=0), 1.0) == Moment(5)


@pytest.mark.parametrize("number", [INF, -INF, float("nan")])
def test_numbers_that_are_not_finite_play_nothing(number: float) -> None:
    assert moment(State((number, 4)), 0.5) == Moment(0)
    assert moment(State((0, 8), milliseconds=number), 0.0) == Moment(0)
    assert moment(State((0, 8), (2, 2), number), 0.5) == Moment(4, 2, 0.0)


def test_a_chain_goes_on_with_its_next_state_and_starts_again() -> None:
    states = State((0, 10)), State((20, 30), milliseconds=500)
    chain = controller(*states, free=((0, 1), (1, 0)))
    frames = [playing.moment(chain, chain.clips[0], time).time for time in (0.5, 1.25, 1.75)]
    assert frames == pytest.approx([5, 25, 2.5])
    frames = [playing.moment(chain, chain.clips[1], time).time for time in (0.25, 1.0, 1.75)]
    assert frames == pytest.approx([25, 5, 25])
    assert playing.duration(chain, chain.clips[1]) == 1.5


def driven(
    *drives: Drive, values: dict[int, float] | None = None, is_playing: bool = True
) -> tuple[tuple[int, float], ...]:
    found, set_values = controller(drives=drives), MappingProxyType(values or {})
    return playing.with_channels(Moment(), found, set_values, 4, is_playing=is_playing).driven


def test_a_channel_plays_its_frames_by_its_value() -> None:
    drive = Drive(2, (3, 11), initial=0.25)
    assert driven(drive) == ((2, 5),)
    assert driven(drive, values={0: 0.75}) == ((2, 9),)
    assert driven(drive, values={0: 1}) == ((2, 11),)


def test_outside_a_clip_only_channels_that_were_set_drive() -> None:
    drives = Drive(2, (3, 11), 0.5), Drive(1, (0, 2), 0.5)
    assert driven(*drives, is_playing=False) == ()
    assert driven(*drives, values={1: 0.5}, is_playing=False) == ((1, 1),)


def test_a_value_stays_at_its_ends_or_wraps() -> None:
    assert driven(Drive(2, (0, 8)), values={0: 1.25}) == ((2, 8),)
    assert driven(Drive(2, (0, 8), flags=0x1), values={0: 1.25}) == ((2, 2),)
    assert driven(Drive(2, (0, 8), flags=0x1), values={0: 1}) == ((2, 8),)


def test_a_channel_that_is_not_driven_waits_for_its_value() -> None:
    assert driven(Drive(2, (0, 8), 0.5, flags=0x4)) == ()
    assert driven(Drive(2, (0, 8), 0.5, flags=0x4), values={0: 0.5}) == ((2, 4),)


def test_a_channel_may_take_the_value_of_the_one_before() -> None:
    drives = Drive(1, (0, 8), 0.5), Drive(2, (0, 4), 0.0, flags=0x40)
    assert driven(*drives) == ((1, 4), (2, 2))
    assert driven(*drives, values={0: 1}) == ((1, 8), (2, 4))
    assert driven(*drives, values={1: 1}) == ((1, 4), (2, 4))


def test_nodes_that_are_missing_and_frames_that_are_not_finite_drive_nothing() -> None:
    assert driven(Drive(4, (0, 8)), Drive(-1, (0, 8)), Drive(1, (INF, 8)), Drive(2, (0, 8), INF)) == ((2, 8),)
