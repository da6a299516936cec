"""One finding per broken rule of tracks, frame map and quaternions, at its row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node
from tests.formats.neighbors.test_control import controller, corpus
from viewer.errors import NAMED_ROWS
from viewer.formats.msh.keys import KEY, QuaternionOrder
from viewer.formats.msh.tables import FRAME_MAP
from viewer.formats.neighbors import control
from viewer.model.checks import animation
from viewer.model.checks.animation import frames_in_model, nodes_in_model
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.skeleton import Skeleton
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

SCENE = [
    Node("hull", keys=[Key(0), Key(4, (1, 0, 0)), Key(8)]),
    Node("socket"),
    Node("gun", 0, keys=[Key(0), Key(3, (0, 1, 0)), Key(8)]),
]


def found_in(builder: ModelBuilder) -> list[str]:
    model = builder.model()
    moving = Animation(model, Skeleton(model), QuaternionOrder.XYZW)
    return [f"{finding.rule} {finding.where}" for finding in animation.check(model, moving)]


def test_canonical_tracks_have_nothing_against_them() -> None:
    assert found_in(ModelBuilder(SCENE)) == []


def swap_times(builder: ModelBuilder) -> None:
    builder.keys["time"][1] = 9


def repeat_a_time(builder: ModelBuilder) -> None:
    builder.keys["time"][5] = 0


def start_late(builder: ModelBuilder) -> None:
    builder.keys["time"][3] = 2


def use_half_frames(builder: ModelBuilder) -> None:
    builder.keys["time"][1] = 4.5


def share_a_key(builder: ModelBuilder) -> None:
    builder.nodes["fallback_key"][1] = 2


def map_a_single_key(builder: ModelBuilder) -> None:
    builder.nodes["map_start"][1] = 0


def point_beyond_the_fallback(builder: ModelBuilder) -> None:
    builder.frame_map[5] = 60_000


def point_before_the_track(builder: ModelBuilder) -> None:
    builder.frame_map[10] = 1


def shrink_a_quaternion(builder: ModelBuilder) -> None:
    builder.keys["quaternion"][3] = (0, 0, 0, 16_000)


def forget_the_frames(builder: ModelBuilder) -> None:
    builder.attributes[FRAME_MAP] = (18, 0, 2)


def append_words(builder: ModelBuilder) -> None:
    builder.frame_map = np.append(builder.frame_map, np.zeros(3, "<u2")).astype("<u2")


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (swap_times, ["A05 keys[2].time"]),
        (repeat_a_time, ["A05 keys[5].time"]),
        (start_late, ["A07 keys[3].time"]),
        (use_half_frames, ["A07 keys[1].time"]),
        (share_a_key, ["A07 nodes[1].fallback_key"]),
        (map_a_single_key, ["A05 nodes[1].fallback_key"]),
        (point_beyond_the_fallback, ["A10 frame_map[5].key"]),
        (point_before_the_track, ["A11 frame_map[10].key"]),
        (shrink_a_quaternion, ["A13 keys[3].quaternion"]),
        (forget_the_frames, ["A06 directory[10].attr2"]),
        (append_words, ["A09 frame_map"]),
    ],
)
def test_a_broken_rule_is_named_at_its_row(
    damage: Callable[[ModelBuilder], None], expected: list[str]
) -> None:
    builder = ModelBuilder(SCENE)
    damage(builder)
    found = found_in(builder)
    assert set(expected) <= set(found)
    rules = {line.partition(" ")[0] for line in expected}
    assert [line for line in found if line.partition(" ")[0] in rules] == expected


def test_a_word_at_the_end_of_the_keys_has_no_right_key() -> None:
    builder = ModelBuilder(SCENE)
    builder.nodes["fallback_key"][2] = 7
    builder.frame_map[9] = 6
    assert "A02 nodes[2].fallback_key" in found_in(builder)
    assert "A04 frame_map[9].key" in found_in(builder)


def test_a_frame_count_that_the_tracks_do_not_reach_is_odd() -> None:
    builder = ModelBuilder(SCENE)
    builder.keys["time"][[2, 6]] = 7
    assert found_in(builder) == ["A08 directory[10].attr2"]


def test_words_that_two_nodes_share_are_judged_once() -> None:
    builder = ModelBuilder([SCENE[0], SCENE[0]])
    builder.nodes["map_start"][1] = 0
    found = found_in(builder)
    assert "A09 nodes[1].map_start" in found
    assert not [line for line in found if line.startswith(("A10", "A11"))]


def test_tracks_that_overlap_are_looked_at_once() -> None:
    builder = ModelBuilder([Node() for _ in range(4000)])
    builder.keys = KEY.new(60_000)
    builder.keys["quaternion"][:, 3] = 32_767
    builder.keys["time"] = np.arange(60_000)[::-1]
    builder.nodes["fallback_key"] = np.where(np.arange(4000) % 2, 59_999, 5)
    found = found_in(builder)
    assert sum(line.startswith("A05 keys") for line in found) == NAMED_ROWS + 1


def changed(field: str, row: int, value: list[float] | int) -> control.Control:
    """The controller of these tests with another value in one row."""
    decoded = control.decode(controller())
    rows = decoded.channels if field == "node" else decoded.states
    rows = rows.copy()
    rows[field][row] = value
    tables = {"channels": rows} if field == "node" else {"states": rows}
    names = ("counts", "parameters", "states", "costs", "channels", "rest")
    return control.Control(**{name: getattr(decoded, name) for name in names} | tables)


def test_frames_beyond_the_strip_are_found_at_their_state() -> None:
    control_ = changed("frames_b", 1, [0, 10])
    assert list(frames_in_model(control_, 11)) == []
    found = list(frames_in_model(control_, 10))
    assert [(item.rule, item.where) for item in found] == [("K02", "states[1].frames_b")]


def test_negative_frames_are_no_pair() -> None:
    assert list(frames_in_model(changed("frames_a", 0, [-1, -1]), 10)) == []


def test_nodes_that_are_missing_are_found_at_their_channel() -> None:
    assert nodes_in_model(changed("node", 0, 3), 4) == []
    for node in (4, -1):
        found = nodes_in_model(changed("node", 0, node), 4)
        assert [(item.rule, item.where) for item in found] == [("K03", "channels[0].node")]


def test_the_controllers_of_the_corpus_fit_their_models(samples: Path) -> None:
    folder = samples / "field"
    models = {
        address: FileStore().model(Address.parse(str(folder / address)))
        for address in {truth["model"] for _, _, truth in corpus(samples)} - {None}
    }
    for address, payload, truth in corpus(samples):
        if truth["model"] is not None:
            model, decoded = models[truth["model"]], control.decode(payload)
            assert list(frames_in_model(decoded, model.frame_count)) == [], address
            assert nodes_in_model(decoded, model.record_count) == [], address
