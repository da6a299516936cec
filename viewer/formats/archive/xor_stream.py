"""The XOR stream of packed libraries: it hides the directory, and payloads of some methods.

Source: spec/rsli.md.
Status: proven.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from viewer.formats.record import Bytes


def transform(data: Bytes, key: int) -> bytes:
    """Apply the XOR stream of a key; applying it twice restores the bytes."""
    # The state has 16 bits; the engine ignores the rest of a key.
    stream = _key_stream(key & 0xFFFF, len(data))
    return (np.frombuffer(data, np.uint8) ^ stream).tobytes()


@cache
def _states_after(doublings: int) -> npt.NDArray[np.uint16]:
    """What each of the 65,536 states is after ``2 ** doublings`` steps; low byte first, as the keys are."""
    if doublings:
        half = _states_after(doublings - 1)
        return half[half]  # 2 ** n steps are twice 2 ** (n - 1) steps
    states = np.arange(0x10000, dtype=np.uint32)
    # One step of all states: the low byte is what the payload is combined with.
    low = states >> 8 ^ (states << 1 & 0xFF)
    high = low ^ states >> 9
    return (high << 8 | low).astype(np.uint16)


def _key_stream(key: int, count: int) -> npt.NDArray[np.uint8]:
    """The first `count` bytes of the stream; each round doubles their number."""
    states = _states_after(0)[[key]]
    # 5 bytes need 1, 2, 4, 8 states: (5 - 1).bit_length() is 3 rounds; 4 bytes need 2, 1 byte none.
    for doublings in range(max(count - 1, 0).bit_length()):
        states = np.concatenate((states, _states_after(doublings)[states]))
    # The low byte of each state; the last round may have made more states than are needed.
    return (states[:count] & 0xFF).astype(np.uint8)
