"""Adaptive Huffman: the initial codes, and streams written by an encoder that mirrors the tree."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.archive import lzhuf


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
