"""LZSS of RsLi: literals, and copies from a ring of 4096 bytes that is initially filled with blanks.

Source: spec/rsli.md 4.1.
Status: proven.
"""

from __future__ import annotations

from viewer.formats.archive import lz_matches
from viewer.formats.record import Bytes
from viewer.progress import checkpoint

RING_SIZE = 4096
RING_START = 0xFEE
MIN_COPY = 3
MAX_COPY = 18
ALL_LITERALS = 0xFF
"""The control byte before eight literals."""


def decode(packed: Bytes, size: int) -> bytes:
    """The decoded bytes of a packed stream, at most `size`; fewer if the stream ends early.

    The output itself is the ring: a position in the ring is a distance back from its end.
    """
    out = bytearray(b" " * RING_SIZE)
    limit = RING_SIZE + size
    packed = bytes(packed)
    cursor, end = 0, len(packed)
    while cursor < end and len(out) < limit:
        checkpoint()
        control = packed[cursor]
        cursor += 1
        if control == ALL_LITERALS:
            out += packed[cursor : cursor + 8]
            cursor += 8
            continue
        for bit in range(8):  # lowest first; 1 is a literal, 0 a copy of two bytes
            if control >> bit & 1:
                out += packed[cursor : cursor + 1]
                cursor += 1
            elif cursor + 1 < end:
                low, high = packed[cursor], packed[cursor + 1]
                # 12 bits of position and 4 of length: bytes 34 5A are position 0x534, length 0xA + 3
                _copy(out, low | (high & 0xF0) << 4, (high & 0x0F) + MIN_COPY)
                cursor += 2
            else:
                cursor = end
    return bytes(out[RING_SIZE:limit])


def encode(data: Bytes) -> bytes:
    """A packed stream that decodes to `data`."""
    out = bytearray()
    group: list[bytes] = []
    control = cursor = 0
    for distance, length in lz_matches.find(data, window=RING_SIZE - MAX_COPY, longest=MAX_COPY):
        if distance:
            position = (RING_START + cursor - distance) % RING_SIZE
            # 12 bits of the ring position, 4 of the length - 3: position 0xABC, length 5 is BC A2.
            group.append(bytes((position & 0xFF, position >> 4 & 0xF0 | length - MIN_COPY)))
        else:
            control |= 1 << len(group)
            group.append(bytes(data[cursor : cursor + 1]))
        cursor += length
        if len(group) == 8:
            out += bytes((control, *b"".join(group)))
            group, control = [], 0
    if group:
        out += bytes((control, *b"".join(group)))
    return bytes(out)


def _copy(out: bytearray, position: int, count: int) -> None:
    """Append `count` bytes from ring `position`; a copy may overlap what it appends."""
    # The blanks in front of `out` are one whole ring, which does not change the remainder. A distance of 0 is
    # that of the byte that is about to be overwritten, a whole ring back.
    distance = (RING_START + len(out) - position) % RING_SIZE or RING_SIZE
    start = len(out) - distance
    if count <= distance:
        out += out[start : start + count]
    else:
        # The copied bytes repeat with the distance: 5 bytes at distance 2 of ..ab are ababa.
        out += (out[start:] * (count // distance + 1))[:count]
