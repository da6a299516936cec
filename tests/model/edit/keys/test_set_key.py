"""Keys of nodes: position, rotation and time, on the golden vectors and the corpora."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node
from tests.model.edit.drafts import corpus_models, draft_of, edited, planned
from tests.model.edit.keys.golden import GOLDEN, animation
from tests.model.edit.keys.golden import samples as samples_at
from viewer.errors import EditError, MshviewError, UsageError
from viewer.formats import splice
from viewer.formats.msh.keys import QuaternionOrder, decode_quaternion
from viewer.model.edit.change import Change
from viewer.model.edit.keys.set_key import SetKey, key_rows
from viewer.model.edit.row_choice import RowChoice
from viewer.model.edit.set_field import SetField
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import ReadingChoice


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
        (SetKey(0, 1, time=8), "keys", "no two are equal"),
        (SetKey(0, 0, time=1), "keys", "start at 0"),
        (SetKey(0, 1, time=1.5), "keys", "whole frames"),
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
    builder = ModelBuilder([Node("a", keys=[Key(0), Key(2)]), Node("b", keys=[Key(0, (1, 0, 0))])])
    builder.nodes["fallback_key"][1] = 0
    data = builder.build()
    assert edited(data, SetKey("b", 0, position=(5, 6, 7))).keys["position"][0].tolist() == [5, 6, 7]
    with pytest.raises(EditError, match="cannot be split"):
        edited(data, SetKey("a", 1, time=3))


def test_attributes_that_need_not_change_stay() -> None:
    builder = ModelBuilder([Node("a", keys=[Key(0), Key(2), Key(4)])])
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
