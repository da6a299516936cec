"""Adaptive Huffman over LZSS, for the RsLi methods 0x080 and 0x0A0.

Source: spec/rsli.md 4.2.
Status: open; no known file uses it, so nothing is written with it.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from operator import itemgetter

from viewer.formats.archive import lz_matches
from viewer.formats.record import Bytes
from viewer.progress import checkpoint

RING_SIZE = 4096
MAX_COPY = 60
LEAF_COUNT = 256 - 2 + MAX_COPY
NODE_COUNT = 2 * LEAF_COUNT - 1
ROOT = NODE_COUNT - 1
REBUILD_LIMIT = 0x8000
_SENTINEL = 0xFFFF
"""The frequency after the last node, larger than any other, so that the search in `_move_up` ends there."""
_FIRST_COPY = 256  # symbols 0 to 255 are literals, 256 is a copy of 3 bytes, 313 one of 60
_COPY_BIAS = 253

_GROUPS = ((1, 32, 3), (3, 16, 4), (8, 8, 5), (12, 4, 6), (24, 2, 7), (16, 1, 8))
"""Prefix groups of a copy's position: number of groups, bytes per group, and bits of the prefix."""

_LENGTHS = bytes(bits for count, run, bits in _GROUPS for _ in range(count * run))
_RUNS = [run for count, run, _ in _GROUPS for _ in range(count)]
_CODES = bytes(group for group, run in enumerate(_RUNS) for _ in range(run))


class BitReader:
    """Bits of a byte string, most significant first; past the end they are 0 and `is_exhausted` is set."""

    def __init__(self, data: Bytes) -> None:
        self._data = data
        self._cursor = 0
        self._left = 0
        self._byte = 0
        self.is_exhausted = False

    def bit(self) -> int:
        """The next bit; 0 after the end."""
        if self._left == 0:
            self.is_exhausted = self._cursor >= len(self._data)
            self._byte = 0 if self.is_exhausted else self._data[self._cursor]
            self._cursor += 1
            self._left = 8
        self._left -= 1
        return self._byte >> self._left & 1

    def bits(self, count: int) -> int:
        """The next `count` bits as a number."""
        value = 0
        for _ in range(count):
            value = value << 1 | self.bit()
        return value


class BitWriter:
    """Writes bits to a byte string, most significant first; the last byte is filled with zeros."""

    def __init__(self) -> None:
        self._out = bytearray()
        self._pending = 0
        self._count = 0

    def write(self, value: int, count: int) -> None:
        """Append the lowest `count` bits of `value`."""
        # - binds before <<, & before |: 3 bits 101 behind a waiting 1 make 1101.
        self._pending = self._pending << count | value & (1 << count) - 1
        self._count += count
        while self._count >= 8:
            self._count -= 8
            self._out.append(self._pending >> self._count)
            # At most 7 bits wait; without the mask the number would grow with the stream.
            self._pending &= (1 << self._count) - 1

    def close(self) -> bytes:
        """The bytes that were written; the bits missing from the last one are 0."""
        if self._count:
            self.write(0, 8 - self._count)
        return bytes(self._out)


class HuffmanTree:
    """The adaptive Huffman tree; nodes are kept in order of frequency.

    ``son[n] >= NODE_COUNT`` marks a leaf; otherwise the children of n are ``son[n]`` and the next node.
    """

    def __init__(self) -> None:
        frequency, son, parent = _first_tables()
        self.frequency, self.son, self.parent = [*frequency], [*son], [*parent]

    def read(self, bits: BitReader) -> int:
        """The next symbol of a stream."""
        node = self.son[ROOT]
        while node < NODE_COUNT:
            node = self.son[node + bits.bit()]  # siblings are neighbors: bit 0 is `node`, bit 1 the next
        symbol = node - NODE_COUNT
        self.count(symbol)
        return symbol

    def write(self, bits: BitWriter, symbol: int) -> None:
        """Append a symbol to a stream; of two siblings the second has the odd number."""
        code = length = 0
        node = self.parent[NODE_COUNT + symbol]
        while node != ROOT:
            # Children start at even numbers, so the lowest bit of a node says which of the two it is.
            # The walk is from the leaf to the root: the last bit of the code comes first.
            code |= (node & 1) << length
            length += 1
            node = self.parent[node]
        bits.write(code, length)
        self.count(symbol)

    def count(self, symbol: int) -> None:
        """Raise the frequency of `symbol` and keep the nodes in order."""
        if self.frequency[ROOT] == REBUILD_LIMIT:
            self._rebuild()
        node = self.parent[NODE_COUNT + symbol]
        while True:
            self.frequency[node] += 1
            node = self.parent[self._move_up(node)]
            if node == 0:  # the parent of the root; node 0 itself is a leaf and never a parent
                return

    def _move_up(self, node: int) -> int:
        """Swap `node` with the last one that is now rarer; returns its new index."""
        frequency = self.frequency[node]
        last = node
        while frequency > self.frequency[last + 1]:
            last += 1
        if last != node:
            # Whole subtrees change places: 2 2 2 3 with the first raised becomes 2 2 3 3, ascending again.
            for table in (self.frequency, self.son):
                table[node], table[last] = table[last], table[node]
            self._link(node)
            self._link(last)
        return last

    def _link(self, node: int) -> None:
        child = self.son[node]
        self.parent[child] = node
        if child < NODE_COUNT:
            self.parent[child + 1] = node

    def _rebuild(self) -> None:
        """Halve all frequencies and rebuild the tree from its leaves."""
        pairs = zip(self.frequency, self.son, strict=False)
        nodes = [((frequency + 1) // 2, son) for frequency, son in pairs if son >= NODE_COUNT]
        # Pairs are joined from the rarest on; a joined node goes behind all that are as frequent, as in the
        # initial tree. `nodes` grows during the loop, from the leaves to all nodes.
        for first in range(0, NODE_COUNT - 1, 2):
            frequency = nodes[first][0] + nodes[first + 1][0]
            nodes.insert(bisect_right(nodes, frequency, key=itemgetter(0)), (frequency, first))
        self.frequency = [frequency for frequency, _ in nodes] + [_SENTINEL]
        self.son = [son for _, son in nodes]
        for node in range(NODE_COUNT):
            self._link(node)
        self.parent[ROOT] = 0


@cache
def _first_tables() -> tuple[list[int], list[int], list[int]]:
    """Frequency, son and parent of every node of the initial tree."""
    frequency = [1] * LEAF_COUNT
    son = [NODE_COUNT + leaf for leaf in range(LEAF_COUNT)]
    parent = [0] * NODE_COUNT + [*range(LEAF_COUNT)]
    for node in range(LEAF_COUNT, NODE_COUNT):
        first = 2 * (node - LEAF_COUNT)
        frequency.append(frequency[first] + frequency[first + 1])
        son.append(first)
        parent[first] = parent[first + 1] = node
    return [*frequency, _SENTINEL], son, parent


def decode(packed: Bytes, size: int) -> bytes:
    """The decoded bytes of a packed stream, at most `size`; fewer if the stream ends early."""
    out = bytearray(b" " * RING_SIZE)
    bits, tree = BitReader(packed), HuffmanTree()
    while len(out) < RING_SIZE + size:
        checkpoint()
        symbol = tree.read(bits)
        distance = 0 if symbol < _FIRST_COPY else _position(bits) + 1
        if bits.is_exhausted:
            break
        if symbol < _FIRST_COPY:
            out.append(symbol)
        else:
            for _ in range(symbol - _COPY_BIAS):  # one by one, as a copy may overlap what it appends
                out.append(out[-distance])
    return bytes(out[RING_SIZE : RING_SIZE + size])


def _position(bits: BitReader) -> int:
    """Distance of a copy minus one: six high bits by prefix code, six low bits uncoded."""
    # Prefixes have 3 to 8 bits: a table over all bytes finds one, and what of the byte is behind the prefix
    # belongs to the six low bits. Prefix 000 (3 bits) leaves 5 of them, so that one more bit is read.
    value = bits.bits(8)
    high = _CODES[value]
    low = value << (_LENGTHS[value] - 2) | bits.bits(_LENGTHS[value] - 2)
    return high << 6 | low & 0x3F


def encode(data: Bytes) -> bytes:
    """A packed stream that decodes to `data`; for tests, no archive is written with it."""
    bits, tree = BitWriter(), HuffmanTree()
    cursor = 0
    for distance, length in lz_matches.find(data, window=RING_SIZE - MAX_COPY, longest=MAX_COPY):
        if distance:
            tree.write(bits, length + _COPY_BIAS)
            _write_position(bits, distance - 1)
        else:
            tree.write(bits, data[cursor])
        cursor += length
    return bits.close()


def _write_position(bits: BitWriter, position: int) -> None:
    first = _CODES.index(position >> 6)  # the first byte with the prefix: behind the prefix it is zero
    # - binds before >>: a prefix of 3 bits is the top 3 bits of the byte.
    bits.write(first >> 8 - _LENGTHS[first], _LENGTHS[first])
    bits.write(position, 6)
