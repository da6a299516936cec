"""One finding per broken rule of tracks, frame map and quaternions, at its row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node
from viewer.errors import NAMED_ROWS
from viewer.formats.msh.keys import KEY, QuaternionOrder
from viewer.formats.msh.tables import FRAME_MAP
from viewer.model.checks import animation
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.skeleton import Skeleton

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
