"""Tracks: key pool and frame map from the keys of each node, and back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.errors import FormatError
from viewer.formats.archive import nres
from viewer.formats.msh import tracks
from viewer.formats.msh.keys import KEY
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.tables import FRAME_MAP, KEYS, NODES
from viewer.formats.msh.tracks import KeyTrack
from viewer.formats.record import Rows
from viewer.model.mesh.model import Model, Variant


def keys_at(*times: float) -> Rows:
    rows = KEY.new(len(times))
    rows["time"] = times
    rows["position"][:, 0] = np.arange(len(times))
    return rows


def track(*times: float) -> KeyTrack:
    return KeyTrack(keys_at(*times), len(times) > 1)


def stored(pool: tracks.Pool) -> Rows:
    rows = NODE.new(len(pool.fallbacks))
    rows["map_start"], rows["fallback_key"] = pool.map_starts, pool.fallbacks
    return rows


def test_the_golden_model_of_the_spec() -> None:
    pool = tracks.build([track(0, 4, 8), track(0)])
    assert pool.words.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2]
    assert pool.frame_count == 9
    assert pool.map_starts.tolist() == [0, NONE]
    assert pool.fallbacks.tolist() == [2, 3]
    assert pool.keys["time"].tolist() == [0, 4, 8, 0]


def test_blocks_follow_each_other_and_end_in_the_fallback() -> None:
    pool = tracks.build([track(0), track(0, 1), track(0), track(0, 2)])
    assert pool.map_starts.tolist() == [NONE, 0, NONE, 3]
    assert pool.words.tolist() == [1, 2, 2, 4, 4, 5]


def test_keys_are_sorted_by_time() -> None:
    pool = tracks.build([track(4, 0, 2)])
    assert pool.keys["time"].tolist() == [0, 2, 4]
    assert pool.keys["position"][:, 0].tolist() == [1, 2, 0]


def test_a_still_node_keeps_one_key_at_time_zero() -> None:
    pool = tracks.build([KeyTrack(keys_at(7, 3))])
    assert pool.keys["time"].tolist() == [0]
    assert pool.keys["position"][:, 0].tolist() == [1]
    assert (pool.frame_count, len(pool.words)) == (1, 0)


def test_the_length_of_an_animation_can_be_kept() -> None:
    pool = tracks.build([track(0, 2)], frame_count=5)
    assert (pool.frame_count, pool.words.tolist()) == (5, [0, 0, 1, 1, 1])
    assert tracks.build([track(0)], frame_count=5).frame_count == 1


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (KeyTrack(keys_at()), "0 keys, it requires 1"),
        (KeyTrack(keys_at(0), is_animated=True), "1 keys, it requires 2"),
        (track(1, 2), "start at 0"),
        (track(0, 2, 2), "no two are equal"),
        (track(0, 1.5), "whole frames"),
        (track(0, np.inf), "whole frames"),
        (track(0, 1 << 24), "whole frames"),
    ],
)
def test_a_track_that_cannot_be_written(bad: KeyTrack, message: str) -> None:
    with pytest.raises(ValueError, match=rf"track of node 1: .*{message}"):
        tracks.build([track(0), bad])


def test_sixteen_bits_number_keys_and_words() -> None:
    assert tracks.build([track(0)] * 0xFFFF).fallbacks[-1] == 0xFFFE
    with pytest.raises(ValueError, match="65536 keys"):
        tracks.build([track(0)] * 0x10000)
    assert tracks.build([track(0, 0xFFFD)] * 2).map_starts[1] == 0xFFFE
    with pytest.raises(ValueError, match="would start at 65535"):
        tracks.build([track(0, 0xFFFE)] * 2)
    with pytest.raises(ValueError, match="0 frames"):
        tracks.build([track(0, 1)], frame_count=0)


times = st.lists(st.integers(1, 30), max_size=5, unique=True).map(lambda found: [0, *sorted(found)])


@given(st.lists(times, min_size=1, max_size=6))
def test_what_is_built_comes_apart_again(lists: Sequence[Sequence[int]]) -> None:
    pool = tracks.build([track(*found) for found in lists])
    apart = tracks.split(stored(pool), pool.keys, pool.words, pool.frame_count)
    assert [part.keys["time"].tolist() for part in apart] == [list(found) for found in lists]
    again = tracks.build(apart, pool.frame_count)
    assert again.keys.tobytes() == pool.keys.tobytes()
    assert again.words.tobytes() == pool.words.tobytes()


def test_words_of_untouched_tracks_stay_and_move_with_their_keys() -> None:
    pool = tracks.build([track(0, 2), track(0, 3)])
    words = pool.words.copy()
    words[4 + 3] = 0xABCD
    first, second = tracks.split(stored(pool), pool.keys, words, pool.frame_count)
    assert tracks.build([first, second]).words.tolist() == words.tolist()
    longer = KeyTrack(keys_at(0, 1, 2), is_animated=True)
    assert tracks.build([longer, second]).words.tolist() == [0, 1, 2, 2, 3, 3, 3, 0xABCD]
    near = KeyTrack(second.keys, is_animated=True, words=np.array([2, 4, 9, 3]), first_key=2, is_stored=True)
    assert tracks.build([track(*range(6)), near], 4).words.tolist()[4:] == [6, 7, 9, 7]
    assert tracks.build([track(*range(9)), near], 4).words.tolist()[4:] == [9, 10, 10, 10]


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("fallback_key", 9, "A02"),
        ("fallback_key", 0, "A07"),
        ("map_start", 2, "A03"),
        ("map_start", 0, "A11"),
    ],
)
def test_what_is_no_row_of_tracks_is_not_taken_apart(field: str, value: int, rule: str) -> None:
    pool = tracks.build([track(0), track(0, 1), track(0, 1)])
    nodes = stored(pool)
    nodes[field][2] = value
    if field == "map_start" and value == 2:
        nodes[field][2] = len(pool.words) - 1
    with pytest.raises(FormatError) as caught:
        tracks.split(nodes, pool.keys, pool.words, pool.frame_count)
    assert (caught.value.rule, caught.value.index, caught.value.field) == (rule, 2, field)


def test_every_animation_of_the_corpora_comes_apart_and_together(files: Path) -> None:
    count = 0
    for path in sorted(files.glob("*/game/*.rlb")):
        data = path.read_bytes()
        if data[:4] != nres.MAGIC:
            continue
        for model in _models(nres.Archive.read(data)):
            pool = tracks.build(
                tracks.split(model.nodes, model.keys, model.frame_map, model.frame_count), model.frame_count
            )
            assert pool.keys.tobytes() == bytes(model.payload(KEYS))
            assert pool.words.tobytes() == bytes(model.payload(FRAME_MAP))
            assert np.array_equal(pool.fallbacks, model.nodes["fallback_key"])
            assert np.array_equal(pool.map_starts, model.nodes["map_start"])
            count += 1
    assert count > 10


def _models(archive: nres.Archive) -> list[Model]:
    nested = [archive.payload(entry.index) for entry in archive.entries]
    nested = [payload for payload in nested if bytes(payload[:4]) == nres.MAGIC]
    found = [Model.read(payload) for payload in nested]
    return [model for model in found if model.variant is Variant.MODEL and model.has(NODES)]
