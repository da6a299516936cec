"""Keys moved and stretched in time, the length of the animation, and the map that follows from times."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node
from tests.model.edit.drafts import corpus_models, draft_of, edited, planned
from tests.model.edit.keys.golden import GOLDEN, times_of
from tests.model.edit.keys.golden import samples as sampled
from viewer.errors import MshviewError
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.keys.frame_map import RebuildFrameMap
from viewer.model.edit.keys.retime import Retime, SetFrameCount
from viewer.model.edit.plan import plan
from viewer.model.edit.row_choice import RowChoice
from viewer.model.edit.set_field import SetField
from viewer.model.mesh.model import Model


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
    still = ModelBuilder([Node("a")]).build()
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
    builder = ModelBuilder([Node("a", keys=[Key(0), Key(2), Key(4)]), Node("b", keys=[Key(0), Key(3)])])
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
