"""FLAC files of silence: hours in a few bytes, as every block is one constant."""

from __future__ import annotations

import struct
from typing import Final

BLOCK: Final = 65535
"""Samples of a block, the most."""
RATE: Final = 44_100


def _checksum(data: bytes, bits: int, polynomial: int) -> int:
    """The checksum of a header (8 bits) or a block (16 bits)."""
    value, top = 0, 1 << bits - 1
    for byte in data:
        value ^= byte << bits - 8
        for _ignored in range(8):
            value = (value << 1 ^ polynomial if value & top else value << 1) & (top << 1) - 1
    return value


def silence(blocks: int) -> bytes:
    """A stereo file of some blocks, at most 65,536."""
    stated = RATE << 44 | 1 << 41 | 15 << 36 | blocks * BLOCK
    information = struct.pack(">HH6xQ16x", BLOCK, BLOCK, stated)
    made = b"fLaC\x80" + len(information).to_bytes(3, "big") + information
    for number in range(blocks):
        header = b"\xff\xf8\x79\x18" + chr(number).encode("utf-8", "surrogatepass")
        header += struct.pack(">H", BLOCK - 1)
        block = header + bytes([_checksum(header, 8, 0x07)]) + bytes(6)
        made += block + struct.pack(">H", _checksum(block, 16, 0x8005))
    return made
