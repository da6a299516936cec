"""LZSS: the worked example, copies that overlap themselves, and streams that end too early."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.archive import lzss

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
