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
    states = _states_after(0)[[key & 0xFFFF]]
    # Each round doubles the states. 5 bytes need 1, 2, 4, 8: (5 - 1).bit_length() is 3 rounds; 4 need 2.
    for doublings in range(max(len(data) - 1, 0).bit_length()):
        states = np.concatenate((states, _states_after(doublings)[states]))
    # The stream is the low byte of each state; the last round may have made more states than are needed.
    stream = (states[: len(data)] & 0xFF).astype(np.uint8)
    return (np.frombuffer(data, np.uint8) ^ stream).tobytes()


@cache
def _states_after(doublings: int) -> npt.NDArray[np.uint16]:
    """The 65,536 states after ``2 ** doublings`` steps each; low byte first, as the keys are."""
    if doublings:
        half = _states_after(doublings - 1)
        return half[half]  # 2 ** n steps are twice 2 ** (n - 1) steps
    states = np.arange(0x10000, dtype=np.uint32)
    # One step of all states: the low byte is what the payload is combined with.
    low = states >> 8 ^ (states << 1 & 0xFF)
    high = low ^ states >> 9
    return (high << 8 | low).astype(np.uint16)
