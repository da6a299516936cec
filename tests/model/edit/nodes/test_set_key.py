"""Keys of nodes: position, rotation and time, on the golden vectors and the corpora."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, turn
from tests.corpora import SAMPLES
from tests.model.edit.drafts import corpus_models, draft_of, edited, planned
from tests.model.edit.nodes.golden import GOLDEN, animation, times_of
from tests.model.edit.nodes.golden import samples as sampled
from tests.model.edit.nodes.golden import samples as samples_at
from viewer.errors import EditError, MshviewError, UsageError
from viewer.formats import splice
from viewer.formats.msh.keys import QuaternionOrder, decode_quaternion
from viewer.formats.msh.nodes import NONE
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.nodes.set_key import AddKey, Animate, MoveKeys, PlaceNode, RemoveKey, SetKey, key_rows
from viewer.model.edit.nodes.track_edit import RebuildFrameMap, Retime, SetFrameCount
from viewer.model.edit.plan import plan
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.interpolation import matrices
from viewer.model.mesh.reading_choices import ReadingChoice


def test_a_value_touches_its_key_alone() -> None:
    made = planned(GOLDEN, SetKey(0, 1, position=(2.5, 4, -6), quaternion=(1, 0, 0, 0)))
    model, before = Model.read(made.after), Model.read(GOLDEN)
    assert model.keys["position"][1].tolist() == [2.5, 4, -6]
    assert model.keys["quaternion"][1].tolist() == [0, 0, 0, 32767]
    assert splice.total(made.splices) <= 24
    assert np.delete(model.keys, 1).tobytes() == np.delete(before.keys, 1).tobytes()


def test_a_moved_key_gives_the_golden_sample_at_its_new_time() -> None:
    """At a quarter of the way as in the spec: frame 5 of 4..8 becomes frame 3 of 2..6."""
    model = edited(GOLDEN, SetKey(0, 1, time=2), SetKey(0, 2, time=6))
    assert model.frame_count == 7
    assert model.frame_map.tolist() == [0, 0, 1, 1, 1, 1, 2]
    sample = animation(model).sample(3)
    assert sample.position[0] == pytest.approx((4, 3, -4.5), abs=1e-6)
    assert sample.quaternion[0] == pytest.approx((0.5555751, 0, 0, 0.8314738), abs=1e-6)
    assert sample.position[1].tolist() == [1, 2, 3]


def test_keys_that_move_together_give_what_they_give_one_by_one() -> None:
    together = edited(GOLDEN, MoveKeys("moving", (1, 2), (2.0, 6.0)))
    alone = edited(GOLDEN, SetKey(0, 1, time=2), SetKey(0, 2, time=6))
    assert together.keys.tobytes() == alone.keys.tobytes()
    assert together.frame_map.tolist() == alone.frame_map.tolist()


def test_keys_may_change_places_while_they_move() -> None:
    """One by one neither could go where the other is."""
    model = edited(GOLDEN, MoveKeys(0, (1, 2), (8.0, 4.0)))
    before = Model.read(GOLDEN).keys
    assert model.keys["time"].tolist() == before["time"].tolist()
    assert model.keys["position"][[1, 2]].tolist() == before["position"][[2, 1]].tolist()


def test_keys_stay_in_the_order_of_their_times() -> None:
    model = edited(GOLDEN, SetKey("moving", 2, time=2, position=(7, 7, 7)))
    assert model.keys["time"].tolist() == [0, 2, 4, 0]
    assert model.keys["position"][1].tolist() == [7, 7, 7]
    assert (model.frame_count, model.frame_map.tolist()) == (5, [0, 0, 1, 1, 2])


def test_what_is_printed_is_what_is_there() -> None:
    keys = Model.read(GOLDEN).keys
    for row, quaternion in enumerate(decode_quaternion(keys["quaternion"], QuaternionOrder.XYZW).tolist()):
        assert planned(GOLDEN, SetField("keys", RowChoice.of(row), "quaternion", quaternion)).splices == ()
    stored = tuple(keys["position"][1].tolist())
    assert planned(GOLDEN, SetKey(0, 1, position=stored, time=4)).splices == ()


def test_a_rotation_is_a_field_of_the_keys_in_the_reading_in_effect() -> None:
    for reading, raw in ((ReadingChoice.SEED, [0, 0, 0, 32767]), (ReadingChoice.FIELD, [32767, 0, 0, 0])):
        model = edited(GOLDEN, SetField("keys", RowChoice("1"), "quaternion", [1, 0, 0, 0]), reading=reading)
        assert model.keys["quaternion"][1].tolist() == raw
    model = edited(GOLDEN, SetField("keys", RowChoice("1"), "quaternion[0]", 0.5))
    assert model.keys["quaternion"][1].tolist() == [0, 0, 23170, 16384]
    model = edited(GOLDEN, SetField("keys", RowChoice("*"), "quaternion_raw", [1, 2, 3, -32768]))
    assert model.keys["quaternion"].tolist() == [[1, 2, 3, -32768]] * 4


@pytest.mark.parametrize(
    ("change", "place", "reason"),
    [
        (SetKey(0, 3, time=1), "nodes[0]", "has 3 keys"),
        (SetKey(0, -1, time=1), "nodes[0]", "has 3 keys"),
        (SetKey(1, 1, time=1), "nodes[1]", "has 1 keys"),
        (SetKey(1, 0, time=1), "nodes[1].time", "is not animated"),
        (SetKey(0, 1, time=8), "nodes[0]", "keys 1 and 2 would both be at frame 8"),
        (SetKey(0, 0, time=1), "keys", "start at 0"),
        (SetKey(0, 1, time=1.5), "keys", "whole frames"),
        (MoveKeys(0, (1, 2), (3, 3)), "nodes[0]", "keys 1 and 2 would both be at frame 3"),
        (MoveKeys(0, (0,), (3,)), "keys", "start at 0"),
        (MoveKeys(0, (1,), (1e39,)), "keys.time", "exceeds"),
        (SetKey(0, 1, time=1e39), "keys.time", "exceeds"),
        (MoveKeys(0, (5,), (3,)), "nodes[0]", "has 3 keys"),
        (MoveKeys(1, (0,), (3,)), "nodes[1].time", "is not animated"),
        (SetKey(0, 1, time=float("nan")), "keys", "whole frames"),
        (SetKey(0, 2, time=1 << 24), "keys", "whole frames"),
        (SetKey(0, 1, position=(1, 2)), "keys[1].position", "3 values"),
        (SetKey(0, 1, position=(1, 2, 1e39)), "keys[1].position", "exceeds"),
        (SetKey(0, 1, quaternion=(1, 0, 0)), "keys[1].quaternion", "four numbers"),
        (SetKey(0, 1, quaternion=(2, 0, 0, 0)), "keys[1].quaternion", "-1..1"),
        (SetField("keys", RowChoice("1"), "quaternion[4]", 0), "keys[1].quaternion", "no element"),
        (SetField("keys", RowChoice("1"), "quaternion", "one"), "keys[1].quaternion", "four numbers"),
        (SetKey(0, 1), "", "is needed"),
    ],
)
def test_what_a_key_cannot_hold_is_refused(change: Change, place: str, reason: str) -> None:
    draft = draft_of(GOLDEN)
    with pytest.raises((EditError, UsageError)) as refused:
        change.apply(draft)
    assert isinstance(refused.value, MshviewError)
    assert refused.value.where == place
    assert reason in refused.value.message
    assert bytes(draft.data) == GOLDEN


def test_values_of_an_animation_that_cannot_be_split_can_be_set() -> None:
    builder = ModelBuilder.of([Node("a", keys=[Key(0), Key(2)]), Node("b", keys=[Key(0, (1, 0, 0))])])
    builder.nodes["fallback_key"][1] = 0
    data = builder.build()
    assert edited(data, SetKey("b", 0, position=(5, 6, 7))).keys["position"][0].tolist() == [5, 6, 7]
    with pytest.raises(EditError, match="cannot be split"):
        edited(data, SetKey("a", 1, time=3))


def test_attributes_that_need_not_change_stay() -> None:
    builder = ModelBuilder.of([Node("a", keys=[Key(0), Key(2), Key(4)])])
    builder.attributes[8] = (3, 7, 24)
    builder.attributes[1] = (1, 9, 38)
    entries = edited(builder.build(), SetKey("a", 2, time=3)).archive.entries
    stated = {it.type_id: (it.attr1, it.attr2, it.attr3) for it in entries}
    assert (stated[8], stated[1], stated[19]) == ((3, 7, 24), (1, 9, 38), (4, 4, 2))


def test_keys_of_the_corpora_move_alone(samples: Path) -> None:
    """The last key of every animated node of every model a frame later: nothing else moves, at any time."""
    for corpus in ["seed", "field"]:
        truth = json.loads((samples / corpus / "truth.json").read_text())["models"]
        moved = 0
        for key, data in corpus_models(samples, corpus):
            before = Model.read(data)
            order = QuaternionOrder.XYZW if corpus == "seed" else QuaternionOrder.WXYZ
            for node, (_, start, _) in enumerate(truth[key]["hdr"]):
                if start == 0xFFFF or moved > 400:
                    continue
                count = len(key_rows(draft_of(data), node))
                last = float(before.keys["time"][int(before.nodes["fallback_key"][node])])
                after = edited(data, SetKey(node, count - 1, time=last + 1), reading=ReadingChoice(corpus))
                times = np.linspace(0, before.frame_count + 2, 17).tolist()
                old, new = (np.delete(samples_at(it, times, order), node, 1) for it in (before, after))
                assert old.tobytes() == new.tobytes(), key
                moved += 1
                break
        assert moved


TIMES = [-1, 0, 0.25, 1, 1.5, 3, 3.999, 4, 5, 6.5, 7.75, 8, 9, 20]
STEP = 2 / 32767
"""Half a step of a stored quaternion, at most, on both sides of a new key."""


def test_an_added_key_moves_nothing() -> None:
    before = sampled(Model.read(GOLDEN), TIMES)
    for time in (1, 2, 3, 5, 6, 7, 9, 15):
        model = edited(GOLDEN, AddKey("moving", time))
        assert np.abs(sampled(model, TIMES) - before).max() < STEP, time
        assert time in times_of(model)[0]
        assert model.frame_count == max(9, time + 1)
    model = edited(GOLDEN, AddKey(0, 5))
    assert model.frame_map.tolist() == [0, 0, 0, 0, 1, 2, 2, 2, 3]
    assert model.nodes["fallback_key"].tolist() == [3, 4]
    assert model.keys["position"][2] == pytest.approx((4, 3, -4.5), abs=1e-6)
    assert model.keys["quaternion"][2].tolist() == [0, 0, round(0.8314738 * 32767), round(0.5555751 * 32767)]


def test_a_still_node_is_animated_by_its_second_key() -> None:
    model = edited(GOLDEN, AddKey("still", 3))
    assert times_of(model) == [[0, 4, 8], [0, 3]]
    assert model.nodes["map_start"].tolist() == [0, 9]
    assert np.array_equal(sampled(model, TIMES), sampled(Model.read(GOLDEN), TIMES))


def test_a_removed_key_was_never_there() -> None:
    assert bytes(edited(GOLDEN, AddKey(0, 5), RemoveKey(0, 2)).archive.data) == GOLDEN
    model = edited(GOLDEN, RemoveKey(0, 2))
    assert (times_of(model), model.frame_count) == ([[0, 4], [0]], 5)
    assert model.frame_map.tolist() == [0, 0, 0, 0, 1]


def test_a_node_with_one_key_left_stands_still() -> None:
    for index, pose in ((1, 0), (0, 4)):
        model = edited(GOLDEN, RemoveKey(0, 2), RemoveKey(0, index))
        assert model.nodes["map_start"].tolist() == [NONE, NONE]
        assert (len(model.frame_map), model.frame_count, len(model.keys)) == (0, 1, 2)
        assert np.array_equal(sampled(model, [0])[0, 0], sampled(Model.read(GOLDEN), [pose])[0, 0])


def test_an_animation_is_switched_on_without_moving_and_off_at_its_start() -> None:
    model = edited(GOLDEN, Animate("still"))
    assert times_of(model) == [[0, 4, 8], [0, 8]]
    assert np.array_equal(sampled(model, TIMES), sampled(Model.read(GOLDEN), TIMES))
    assert bytes(edited(GOLDEN, Animate("still"), Animate(1, is_animated=False)).archive.data) == GOLDEN
    model = edited(GOLDEN, Animate("moving", is_animated=False))
    assert np.array_equal(sampled(model, TIMES)[:, 0], sampled(Model.read(GOLDEN), [0] * len(TIMES))[:, 0])
    assert (model.frame_count, times_of(model)) == (1, [[0], [0]])
    assert bytes(edited(GOLDEN, Animate(1, is_animated=False), Animate(0)).archive.data) == GOLDEN


@pytest.mark.parametrize(
    ("change", "place", "reason"),
    [
        (AddKey(0, 4), "nodes[0]", "key 1 is at frame 4 already"),
        (AddKey(0, 0), "nodes[0]", "not a whole frame in 1.."),
        (AddKey(0, 2.5), "nodes[0]", "not a whole frame in 1.."),
        (AddKey(0, float("inf")), "nodes[0]", "not a whole frame in 1.."),
        (AddKey(0, 1 << 24), "nodes[0]", "not a whole frame in 1.."),
        (RemoveKey(0, 0), "nodes[0]", "needs a key at 0"),
        (RemoveKey(0, 3), "nodes[0]", "has 3 keys"),
        (RemoveKey(1, 0), "nodes[1]", "needs one key"),
        (AddKey(2, 1), "nodes[2]", "there are 2 nodes"),
    ],
)
def test_what_a_track_cannot_be_is_refused(change: Change, place: str, reason: str) -> None:
    draft = draft_of(GOLDEN)
    with pytest.raises(EditError) as refused:
        change.apply(draft)
    assert refused.value.where == place
    assert reason in refused.value.message
    assert bytes(draft.data) == GOLDEN


def test_a_map_that_would_be_too_long_is_refused() -> None:
    nodes = [Node(f"n{index}", keys=[Key(0), Key(100)]) for index in range(4)]
    data = ModelBuilder.of(nodes).build()
    with pytest.raises(EditError, match="room for 21844 frames of 4 animated nodes, not for 30001"):
        edited(data, AddKey(0, 30000))


def test_what_belongs_to_no_track_is_kept() -> None:
    builder = ModelBuilder.of([Node("a", keys=[Key(0), Key(2)])])
    builder.tables[8] = builder.keys.tobytes() + b"spare key, 24 bytes ....." + b"odd"
    builder.tables[19] = builder.frame_map.tobytes() + b"\x07\x00\x01"
    data = builder.build()
    model = edited(data, AddKey(0, 1))
    assert bytes(model.payload(8)).endswith(b"spare key, 24 bytes .....odd")
    assert bytes(model.payload(19)) == bytes([0, 0, 1, 0, 2, 0, 7, 0, 1])
    assert bytes(edited(data, AddKey(0, 1), RemoveKey(0, 1)).archive.data) == data


def test_keys_added_to_the_corpora_move_nothing(files: Path) -> None:
    for corpus in ["seed", "field"]:
        order = QuaternionOrder.XYZW if corpus == "seed" else QuaternionOrder.WXYZ
        added = 0
        for key, data in corpus_models(files, corpus):
            before = Model.read(data)
            times = np.linspace(0, before.frame_count + 3, 23).tolist()
            node, track = max(enumerate(times_of(before)), key=lambda it: len(it[1]))
            free = sorted({*range(1, before.frame_count + 2)} - {*track})
            after = edited(data, AddKey(node, free[len(free) // 2]))
            old, new = (sampled(it, times, order) for it in (before, after))
            assert np.abs(np.delete(old - new, node, 1)).max(initial=0) == 0, key
            assert np.abs(old - new).max(initial=0) < 4 * STEP, key
            added += 1
        assert added > (5 if files == SAMPLES else 1)


QUARTER = turn((0, 0, 1), 90)


def test_every_pose_is_moved_by_the_offset() -> None:
    before, after = animation(Model.read(GOLDEN)), animation(edited(GOLDEN, PlaceNode(0, (1, 2, 3))))
    for time in (0, 2.5, 6, 8):
        moved = after.sample(time).position - before.sample(time).position
        assert moved[0] == pytest.approx((1, 2, 3), abs=1e-6)
        assert not moved[1:].any()


def test_every_key_is_turned_in_the_space_of_the_parent() -> None:
    before, after = animation(Model.read(GOLDEN)), animation(edited(GOLDEN, PlaceNode(0, turn=QUARTER)))
    rotation = matrices(np.array([QUARTER], np.float32), np.zeros((1, 3), np.float32))[0]
    for time in (0, 4, 8):
        old, new = before.pose(time), after.pose(time)
        assert new.local[0, :3, :3] == pytest.approx(rotation[:3, :3] @ old.local[0, :3, :3], abs=2e-4)
        assert (new.local[0, :3, 3] == old.local[0, :3, 3]).all(), "it turns around its own origin"
        assert (new.local[1:] == old.local[1:]).all()


def test_one_key_can_be_placed_alone() -> None:
    model, before = edited(GOLDEN, PlaceNode(0, (1, 0, 0), key=1)), Model.read(GOLDEN)
    assert (model.keys["position"] - before.keys["position"])[:, 0].tolist() == [0, 1, 0, 0]


def test_nothing_is_nothing() -> None:
    assert planned(GOLDEN, PlaceNode(0)).splices == ()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (PlaceNode(0, key=9), EditError),
        (PlaceNode(7), EditError),
        (PlaceNode(0, (3.4e38, 3.4e38, 3e39)), EditError),
        (PlaceNode(0, (1, 2)), UsageError),
        (PlaceNode(0, (1, 2, float("nan"))), UsageError),
        (PlaceNode(0, turn=(2, 0, 0, 0)), UsageError),
    ],
)
def test_what_cannot_be_is_refused(change: PlaceNode, error: type[Exception]) -> None:
    with pytest.raises(error):
        planned(GOLDEN, change)


def test_an_animation_is_slowed_down() -> None:
    """At twice the time it is where it was."""
    model = edited(GOLDEN, Retime(0, 8, 0, 16))
    assert (times_of(model), model.frame_count) == ([[0, 8, 16], [0]], 17)
    times = np.array([0, 1, 3, 4, 5, 6.5, 8])
    assert sampled(model, times * 2) == pytest.approx(sampled(Model.read(GOLDEN), times), abs=1e-6)
    assert bytes(edited(GOLDEN, Retime(0, 8, 0, 16), Retime(0, 16, 0, 8)).archive.data) == GOLDEN


def test_a_range_moves_and_later_keys_with_it() -> None:
    assert times_of(edited(GOLDEN, Retime(4, 4, 6, 6)))[0] == [0, 6, 8]
    assert times_of(edited(GOLDEN, Retime(4, 4, 6, 6, moves_later=True)))[0] == [0, 6, 10]
    assert times_of(edited(GOLDEN, Retime(0, 4, 0, 1, node="moving", moves_later=True)))[0] == [0, 1, 5]
    assert times_of(edited(GOLDEN, Retime(8, 8, 2, 2)))[0] == [0, 2, 4]
    assert planned(GOLDEN, Retime(5, 7, 5, 6)).splices == ()


@pytest.mark.parametrize(
    ("change", "place", "reason"),
    [
        (Retime(4, 4, 8, 8), "nodes[0]", "keys 1 and 2 would both be at frame 8"),
        (Retime(0, 8, 0, 1), "nodes[0]", "would both be at frame 1"),
        (Retime(0, 8, 2, 10), "nodes[0]", "its keys would be at 2 to 10"),
        (Retime(4, 8, -4, 0), "nodes[0]", "its keys would be at -4"),
        (Retime(0, 8, 0, 1e9), "nodes[0]", "the last before 16777216"),
        (Retime(0, 8, 0, 16, node=1), "nodes[1]", "is not animated"),
        (Retime(8, 0, 0, 16), "", "from its first to its last"),
        (Retime(0, float("nan"), 0, 16), "", "from its first to its last"),
        (SetFrameCount(8), "directory[10].attr2", "8 exceeds 9.."),
        (SetFrameCount(1 << 25), "directory[10].attr2", "exceeds 9.."),
        (RebuildFrameMap((1,)), "nodes[1]", "is not animated"),
    ],
)
def test_times_that_cannot_be_are_refused(change: Change, place: str, reason: str) -> None:
    draft = draft_of(GOLDEN)
    with pytest.raises(MshviewError) as refused:
        change.apply(draft)
    assert refused.value.where == place
    assert reason in refused.value.message
    assert bytes(draft.data) == GOLDEN


def test_the_animation_lasts_longer_and_ends_as_it_did() -> None:
    model = edited(GOLDEN, SetFrameCount(12))
    assert model.frame_map.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    times = np.linspace(0, 14, 29)
    assert np.array_equal(sampled(model, times), sampled(Model.read(GOLDEN), times))
    assert bytes(edited(GOLDEN, SetFrameCount(12), SetFrameCount(9)).archive.data) == GOLDEN
    assert edited(GOLDEN, SetFrameCount(12), Retime(0, 8, 0, 4)).frame_count == 12
    still = ModelBuilder.of([Node("a")]).build()
    with pytest.raises(MshviewError, match="no node is animated"):
        edited(still, SetFrameCount(2))


def test_the_map_follows_a_time_that_is_set_by_hand() -> None:
    change = SetField("keys", RowChoice("2"), "time", 6)
    made = planned(GOLDEN, change)
    assert made.topics == (Topic.FRAME_MAP,)
    assert bytes(made.after) == bytes(edited(GOLDEN, Retime(8, 8, 6, 6)).archive.data)
    kept = plan(draft_of(GOLDEN), [change], declined=[Topic.FRAME_MAP])
    assert {it.topic for it in kept.offered} == {Topic.FRAME_MAP, Topic.HEADER}
    assert Model.read(kept.after).frame_map.tolist() == Model.read(GOLDEN).frame_map.tolist()


def test_the_map_does_not_follow_what_it_never_followed() -> None:
    builder = ModelBuilder.of([Node("a", keys=[Key(0), Key(2), Key(4)]), Node("b", keys=[Key(0), Key(3)])])
    builder.frame_map[1] = 1
    data = builder.build()
    assert planned(data, SetField("keys", RowChoice("1"), "time", 3)).topics == ()
    assert planned(data, SetField("keys", RowChoice("4"), "time", 2)).topics == (Topic.FRAME_MAP,)
    for time in (2.5, "nan", 0):
        assert planned(data, SetField("keys", RowChoice("4"), "time", time)).topics == ()
    assert planned(data, SetField("frame_map", RowChoice("0"), "key", 1)).topics == ()


def test_animations_of_the_corpora_are_slowed_down_and_back(files: Path) -> None:
    for corpus in ["seed", "field"]:
        slowed = 0
        for key, data in corpus_models(files, corpus):
            before = Model.read(data)
            last = before.frame_count - 1
            if not last or last > 1000:
                continue
            slow = bytes(edited(data, Retime(0, last, 0, 2 * last)).archive.data)
            after = Model.read(slow)
            assert after.frame_count == 2 * last + 1
            times = np.linspace(0, last, 11).tolist()
            old, new = sampled(before, times), sampled(after, [2 * time for time in times])
            assert np.abs(old - new).max() < 1e-4, key
            assert bytes(edited(slow, Retime(0, 2 * last, 0, last)).archive.data) == data, key
            slowed += 1
        assert slowed
