"""Repetitions: what is found says how to make the data again, and both LZSS formats do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.archive import lz_matches, lzhuf, lzss

WINDOW = 64
LONGEST = 18
texts = st.one_of(
    st.binary(max_size=200),
    st.text("ab ", max_size=300).map(str.encode),
    st.builds(lambda piece, times: piece * times, st.binary(max_size=9), st.integers(0, 60)),
)


@given(texts)
def test_copies_and_literals_make_the_data_again(data: bytes) -> None:
    out = bytearray(b" " * WINDOW)
    for distance, length in lz_matches.find(data, window=WINDOW, longest=LONGEST):
        if distance == 0:
            assert length == 1
            out.append(data[len(out) - WINDOW])
            continue
        assert 1 <= distance <= WINDOW
        assert 3 <= length <= LONGEST
        for _ in range(length):
            out.append(out[-distance])
    assert out[WINDOW:] == data


def test_blanks_before_the_data_and_the_data_itself_are_copied() -> None:
    assert list(lz_matches.find(b"   ab", window=WINDOW, longest=LONGEST)) == [(1, 3), (0, 1), (0, 1)]
    assert list(lz_matches.find(b"abcabcabc", window=WINDOW, longest=LONGEST)) == [(0, 1)] * 3 + [(3, 6)]


@given(texts)
def test_lzss_decodes_what_it_encodes(data: bytes) -> None:
    assert lzss.decode(lzss.encode(data), len(data)) == data


@given(texts)
def test_adaptive_huffman_decodes_what_it_encodes(data: bytes) -> None:
    assert lzhuf.decode(lzhuf.encode(data), len(data)) == data


def test_the_worked_examples_are_packed_as_the_specification_has_them() -> None:
    text = b"PARKAN PARKAN PARKAN!"
    assert lzss.encode(text).hex(" ").upper() == "BF 50 41 52 4B 41 4E ED FB 21"
    assert lzhuf.encode(text).hex(" ").upper() == "EE 73 7B DD 7C 4E D4 B8 1B 5A"


@pytest.mark.parametrize("codec", [lzss, lzhuf])
def test_long_data_crosses_the_ring_and_rebuilds_the_tree(codec: object) -> None:
    data = bytes((i * i >> 7) & 0x3F for i in range(40_000))
    if codec is lzss:
        assert lzss.decode(lzss.encode(data), len(data)) == data
    else:
        assert lzhuf.decode(lzhuf.encode(data), len(data)) == data


def test_repetitions_get_shorter_and_noise_hardly_longer() -> None:
    assert len(lzss.encode(b"abcdefgh" * 500)) < 600
    noise = bytes((i * 167 + (i * i >> 3)) & 0xFF for i in range(1000))
    assert len(lzss.encode(noise)) <= 1000 + 1000 // 8 + 1
