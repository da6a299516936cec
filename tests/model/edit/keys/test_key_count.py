"""Keys added and removed, animations switched on and off, on the golden vectors and the corpora."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node
from tests.corpora import SAMPLES
from tests.model.edit.drafts import corpus_models, draft_of, edited
from tests.model.edit.keys.golden import GOLDEN, times_of
from tests.model.edit.keys.golden import samples as sampled
from viewer.errors import EditError
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import NONE
from viewer.model.edit.change import Change
from viewer.model.edit.keys.key_count import AddKey, Animate, RemoveKey
from viewer.model.mesh.model import Model

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
    data = ModelBuilder(nodes).build()
    with pytest.raises(EditError, match="a block of the map would start at 90003"):
        edited(data, AddKey(0, 30000))


def test_what_belongs_to_no_track_is_kept() -> None:
    builder = ModelBuilder([Node("a", keys=[Key(0), Key(2)])])
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
        assert added > (20 if files == SAMPLES else 1)
