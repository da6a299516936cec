"""Res8: the golden key bytes and both orders of the components.

Tracks: key pool and frame map from the keys of each node, and back.

Res11 and Res21: the worked example of land.md.
"""

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
from viewer.formats.msh.keys import (
    KEY,
    WORD,
    QuaternionOrder,
    decode_quaternion,
    encode_block,
    encode_quaternion,
)
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.tables import FRAME_MAP, KEYS, NODES
from viewer.formats.msh.terrain import DRAW, FACE, drawn_faces
from viewer.formats.msh.tracks import KeyTrack
from viewer.formats.msh.triangles import decode_selectors
from viewer.formats.record import Rows
from viewer.model.mesh.model import Model, Variant

GOLDEN = bytes.fromhex("00000040 00008040 0000C0C0 00008040 0000 0000 825A 825A")
orders = pytest.mark.parametrize("order", QuaternionOrder)


def test_the_golden_key() -> None:
    key = KEY.view(GOLDEN)
    assert key["position"].tolist() == [[2.0, 4.0, -6.0]]
    assert key["time"].tolist() == [4.0]
    assert key["quaternion"].tolist() == [[0, 0, 23170, 23170]]
    assert decode_quaternion(key["quaternion"], QuaternionOrder.XYZW)[0] == pytest.approx(
        (0.7071139, 0, 0, 0.7071139), abs=1e-6
    )


@pytest.mark.parametrize(
    ("order", "expected"), [(QuaternionOrder.XYZW, [4, 1, 2, 3]), (QuaternionOrder.WXYZ, [1, 2, 3, 4])]
)
def test_the_order_says_where_w_lies(order: QuaternionOrder, expected: list[int]) -> None:
    raw = np.array([[1, 2, 3, 4]], "<i2")
    assert np.rint(decode_quaternion(raw, order) * 32767).tolist() == [expected]


@orders
@given(raw=st.lists(st.tuples(*[st.integers(-32767, 32767)] * 4), min_size=1))
def test_every_value_but_minus_32768_survives(order: QuaternionOrder, raw: list[tuple[int, ...]]) -> None:
    stored = np.array(raw, "<i2")
    assert np.array_equal(encode_quaternion(decode_quaternion(stored, order), order), stored)


@orders
def test_encoding_is_clamped_and_nothing_is_normalised(order: QuaternionOrder) -> None:
    assert decode_quaternion(encode_quaternion([[2, 0, 0, -2]], order), order).tolist() == [[1, 0, 0, -1]]
    assert decode_quaternion(np.full((1, 4), -32768, "<i2"), order).min() < -1


@orders
def test_no_keys_are_no_quaternions(order: QuaternionOrder) -> None:
    assert decode_quaternion(encode_quaternion(np.empty((0, 4)), order), order).shape == (0, 4)


def test_the_golden_map() -> None:
    words = encode_block(np.array([0, 4, 8]), 0, 9)
    assert words.tobytes() == bytes.fromhex("0000 0000 0000 0000 0100 0100 0100 0100 0200")
    assert WORD.view(words.tobytes())["key"].tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2]


@given(
    st.sets(st.integers(0, 30), min_size=1).map(sorted),
    st.integers(0, 100),
    st.integers(1, 40),
)
def test_a_block_is_what_the_spec_says(times: list[int], first: int, frame_count: int) -> None:
    words = encode_block(np.array(times, np.float32), first, frame_count).tolist()
    last = len(times) - 1
    for frame, word in enumerate(words):
        if frame < times[0] or frame >= times[last]:
            assert word == first + last
        else:
            assert word == first + max(k for k in range(last) if times[k] <= frame)
    assert len(words) == frame_count


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
    with pytest.raises(ValueError, match="room for 65534 frames of 2 animated nodes, not for 65535"):
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
    ("field", "value", "rule", "words"),
    [
        ("fallback_key", 9, "A02", "key 9 of 5"),
        ("fallback_key", 0, "A07", "key 0 belongs to the previous track"),
        ("map_start", 2, "A03", "1 of 2 words are present"),
        ("map_start", 0, "A11", "has key 1, the track starts at 3"),
    ],
)
def test_what_is_no_row_of_tracks_is_not_taken_apart(field: str, value: int, rule: str, words: str) -> None:
    pool = tracks.build([track(0), track(0, 1), track(0, 1)])
    nodes = stored(pool)
    nodes[field][2] = value
    if field == "map_start" and value == 2:
        nodes[field][2] = len(pool.words) - 1
    with pytest.raises(FormatError, match=words) as caught:
        tracks.split(nodes, pool.keys, pool.words, pool.frame_count)
    assert (caught.value.rule, caught.value.where) == (rule, f"nodes[2].{field}")


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


EXAMPLE = bytes.fromhex("08000200 03FF FFFF 0A000B000C00 0500FFFF0700 00000000FF7F 24 00")


def test_the_worked_example() -> None:
    face = FACE.read(EXAMPLE)
    assert FACE.row(face) == {
        "flags": 0x20008,
        "material_a": 3,
        "material_b": None,
        "opaque6": 0xFFFF,
        "vertices": [10, 11, 12],
        "neighbours": [5, None, 7],
        "normal": [0, 0, 32767],
        "edges": 0x24,
        "opaque27": 0,
    }
    assert decode_selectors(face["edges"]).tolist() == [0, 1, 2]


def test_the_draw_list_pairs_a_face_with_flags() -> None:
    assert DRAW.view(bytes.fromhex("0000 5800 0100 4800")).tolist() == [(0, 0x58), (1, 0x48)]


@pytest.mark.parametrize(
    ("halves", "faces"),
    [
        ([(0, 0x58), (1, 0x48), (2, 0x48)], [0, 1, 2]),
        ([(7, 0), (7, 1), (4, 2)], [0, 1, 2]),
        ([(2, 9), (0, 9), (1, 8)], [2, 0, 1]),
        ([], []),
    ],
)
def test_the_half_that_counts_names_the_face(halves: list[tuple[int, int]], faces: list[int]) -> None:
    assert drawn_faces(np.array(halves, DRAW.dtype)).tolist() == faces
