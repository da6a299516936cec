"""LZSS: the worked example, copies that overlap themselves, and streams that end too early."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.archive import lz_matches, lzhuf, lzss

EXAMPLE = bytes.fromhex("BF 5041524B414E EDFB 21")
TEXT = b"PARKAN PARKAN PARKAN!"


def test_the_worked_example() -> None:
    assert lzss.decode(EXAMPLE, 21) == TEXT


def test_decoding_stops_inside_a_copy() -> None:
    assert lzss.decode(EXAMPLE, 9) == TEXT[:9]


def test_a_stream_that_ends_early_gives_what_it_has() -> None:
    assert lzss.decode(EXAMPLE[:-1], 21) == TEXT[:-1]
    assert lzss.decode(EXAMPLE[:-2], 21) == TEXT[:6]


def test_a_copy_of_the_write_position_reads_the_oldest_byte_of_the_ring() -> None:
    position = lzss.RING_START
    assert lzss.decode(bytes([0, position & 0xFF, position >> 4 & 0xF0]), 3) == b"   "


def test_a_copy_overlaps_what_it_writes() -> None:
    start = lzss.RING_START
    stream = bytes([0b011, ord("a"), ord("b"), start & 0xFF, (start >> 4 & 0xF0) | 15])
    assert lzss.decode(stream, 20) == b"ab" * 10


@given(st.binary(max_size=400), st.integers(0, 2000))
def test_any_bytes_agree_with_a_ring(packed: bytes, size: int) -> None:
    assert lzss.decode(packed, size) == _through_a_ring(packed, size)


def _through_a_ring(packed: bytes, size: int) -> bytes:
    """The specification word by word."""
    ring, place, out = bytearray(b" " * 4096), 0xFEE, bytearray()
    source = iter(packed)

    def put(byte: int) -> None:
        nonlocal place
        out.append(byte)
        ring[place] = byte
        place = (place + 1) & 0xFFF

    for control in source:
        for bit in range(8):
            if control >> bit & 1:
                if (literal := next(source, None)) is not None:
                    put(literal)
                continue
            low, high = next(source, None), next(source, None)
            if low is None or high is None:
                return bytes(out[:size])
            for step in range((high & 15) + 3):
                put(ring[((low | (high & 0xF0) << 4) + step) & 0xFFF])
    return bytes(out[:size])


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
