"""Raw Deflate: as much as is asked for, and what comes out of a broken stream.

LZSS: the worked example, copies that overlap themselves, and streams that end too early.

Adaptive Huffman: the initial codes, and streams written by an encoder that mirrors the tree.

Dividing a data area among payloads, against a byte by byte account.
"""

from __future__ import annotations

import random
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.broken.libraries import deflated
from viewer.formats.archive import deflate, lz_matches, lzhuf, lzss
from viewer.formats.archive.stretches import StretchParts, divide
from viewer.formats.part import listing


@given(st.binary(max_size=300))
def test_what_was_packed_comes_out(data: bytes) -> None:
    assert deflate.decode(deflated(data), len(data)) == data


def test_more_than_stated_is_one_byte_more() -> None:
    assert deflate.decode(deflated(b"abcdef"), 3) == b"abcd"


def test_a_broken_stream_gives_its_beginning() -> None:
    data = bytes(range(256)) * 4096
    packed = deflated(data)
    found = deflate.decode(packed[: len(packed) // 2], len(data))
    assert 0 < len(found) < len(data)
    assert data.startswith(found)


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


@pytest.mark.parametrize("distance", [64, 65, 200, 500, 1000, 2000, 3000, 4000])
@pytest.mark.parametrize("codec", [lzss, lzhuf])
def test_copies_reach_back_over_the_whole_ring(codec: ModuleType, distance: int) -> None:
    noise = np.random.default_rng(distance).bytes(distance)
    packed = codec.encode(2 * noise)
    assert codec.decode(packed, 2 * distance) == 2 * noise
    assert len(packed) < 1.4 * distance  # the second time it was copied


def test_repetitions_get_shorter_and_noise_hardly_longer() -> None:
    assert len(lzss.encode(b"abcdefgh" * 500)) < 600
    noise = bytes((i * 167 + (i * i >> 3)) & 0xFF for i in range(1000))
    assert len(lzss.encode(noise)) <= 1000 + 1000 // 8 + 1


class Writer:
    """Bits collected most significant first."""

    def __init__(self) -> None:
        self.text = ""
        self.tree = lzhuf.HuffmanTree()

    def symbol(self, symbol: int) -> None:
        """The code of a symbol: from its leaf up to the root, reversed."""
        node = self.tree.parent[lzhuf.NODE_COUNT + symbol]
        path = ""
        while node != lzhuf.ROOT:
            parent = self.tree.parent[node]
            path += str(node - self.tree.son[parent])
            node = parent
        self.text += path[::-1]
        self.tree.count(symbol)

    def position(self, position: int) -> None:
        """Six high bits by prefix code, six low bits as they are."""
        prefix = next(byte for byte in range(256) if _prefix(byte)[0] == position >> 6)
        length = _prefix(prefix)[1]
        self.text += f"{prefix >> (8 - length):0{length}b}{position & 63:06b}"

    @property
    def data(self) -> bytes:
        """The bits, filled up to whole bytes."""
        bits = self.text + "0" * (-len(self.text) % 8)
        return bytes(int(bits[start : start + 8], 2) for start in range(0, len(bits), 8))


def _prefix(byte: int) -> tuple[int, int]:
    """Group and prefix length of the first byte of a position, by the classic table of runs."""
    start, group = 0, 0
    for count, run, bits in ((1, 32, 3), (3, 16, 4), (8, 8, 5), (12, 4, 6), (24, 2, 7), (16, 1, 8)):
        if byte < start + count * run:
            return group + (byte - start) // run, bits
        start, group = start + count * run, group + count
    raise AssertionError(byte)


def test_nothing_comes_from_nothing() -> None:
    assert lzhuf.decode(b"", 10) == b""


def test_the_first_symbols_have_the_codes_of_a_balanced_tree() -> None:
    writer = Writer()
    writer.symbol(0)
    assert len(writer.text) in {8, 9}


def test_literals_and_copies() -> None:
    writer = Writer()
    for letter in b"PARKAN ":
        writer.symbol(letter)
    writer.symbol(253 + 13)
    writer.position(6)
    writer.symbol(ord("!"))
    assert lzhuf.decode(writer.data, 21) == b"PARKAN PARKAN PARKAN!"


def test_a_copy_from_before_the_start_is_blank() -> None:
    writer = Writer()
    writer.symbol(256)
    writer.position(4095)
    assert lzhuf.decode(writer.data, 3) == b"   "


def test_every_distance_is_read_back() -> None:
    for position in range(0, 4096, 61):
        writer = Writer()
        writer.position(position)
        assert lzhuf._position(lzhuf.BitReader(writer.data)) == position


def test_the_tree_survives_being_rebuilt() -> None:
    letters = random.Random(3).choices(b"aaaaaaabbbcd", k=0x8000 + 500)
    writer = Writer()
    for letter in letters:
        writer.symbol(letter)
    assert writer.tree.frequency[lzhuf.ROOT] < lzhuf.REBUILD_LIMIT
    assert lzhuf.decode(writer.data, len(letters)) == bytes(letters)


@given(st.binary(max_size=300), st.integers(0, 1000))
def test_any_bytes_give_at_most_what_is_asked(packed: bytes, size: int) -> None:
    assert len(lzhuf.decode(packed, size)) <= size


AREA = (16, 80)
payloads = st.lists(st.tuples(st.integers(*AREA), st.integers(0, 30)), max_size=8)


def owners(spans: list[tuple[int, int]]) -> list[int | None]:
    """The owner of every byte: the payload that starts first, the shorter one before the longer."""
    order = sorted(range(len(spans)), key=lambda entry: (*spans[entry], entry))
    return [
        next((entry for entry in order if spans[entry][0] <= place < spans[entry][1]), None)
        for place in range(*AREA)
    ]


@given(payloads, st.sampled_from((1, 8)))
def test_every_byte_goes_to_the_payload_that_starts_first(
    sizes: list[tuple[int, int]], alignment: int
) -> None:
    spans = [(start, min(start + size, AREA[1])) for start, size in sizes]
    offsets, ends = np.array(spans, np.int64).reshape(-1, 2).T
    found = divide(offsets, ends, np.arange(len(spans)), AREA, alignment)
    given_to = [found.owner(place) for place in range(len(found)) for _ in range(*found.span(place))]
    assert given_to == owners(spans)
    assert {found.owner(place) for place in range(len(found))} - {None} == set(range(len(spans)))
    data = bytes(range(100))
    parts = StretchParts(memoryview(data), found)
    tree = listing("data", parts, AREA[0])
    assert b"".join(bytes(part.data) for part in parts) == data[slice(*AREA)]
    assert (tree.start, tree.end) == AREA
    assert list(parts[1:3]) == [] or parts[1:3][0].start == parts[1].start


def test_a_gap_up_to_an_aligned_offset_is_padding() -> None:
    offsets, ends = np.array([16, 32]), np.array([21, 40])
    found = divide(offsets, ends, np.arange(2), (16, 56), 8)
    parts = StretchParts(memoryview(bytes(56)), found)
    assert [(part.name, part.start, part.end) for part in parts] == [
        ("resource_0", 16, 21),
        ("unindexed", 21, 32),
        ("resource_1", 32, 40),
        ("unindexed", 40, 56),
    ]
    found = divide(offsets - [0, 8], ends - [0, 8], np.arange(2), (16, 32), 8)
    assert [found.part(memoryview(bytes(56)), place).name for place in range(len(found))] == [
        "resource_0",
        "padding",
        "resource_1",
    ]
