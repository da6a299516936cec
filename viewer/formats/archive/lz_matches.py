"""Match finding for the encoders of both LZSS formats.

Source: spec/rsli.md 4.1, 4.2 (window filled with blanks before the first byte).
Status: proven.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator

from viewer.formats.record import Bytes

BLANK = b" "
CANDIDATES = 24
"""Earlier positions that are tried for each match; more give better packing and take longer."""

# The shortest copy of both formats: the lengths that they store count from 3.
_KEY = 3


def find(data: Bytes, *, window: int, longest: int) -> Iterator[tuple[int, int]]:
    """Cut `data` into copies and literals, in order.

    Yields distance back and length; distance 0 and length 1 for a literal. Copies are 3 to
    `longest` bytes, from at most `window` bytes back, and may start in the blanks before the data.
    """
    text = BLANK * window + bytes(data)
    positions: defaultdict[bytes, deque[int]] = defaultdict(lambda: deque(maxlen=CANDIDATES))
    cursor = window
    # No more blanks than a copy is long: copies from further back would have the same bytes.
    for position in range(max(0, window - longest), window):
        positions[text[position : position + _KEY]].appendleft(position)
    while cursor < len(text):
        distance, length = _longest(text, cursor, positions[text[cursor : cursor + _KEY]], window, longest)
        yield distance, length
        for position in range(cursor, cursor + length):
            # The newest first, so that of equal copies the nearest is taken and a search ends at the edge of
            # the window.
            positions[text[position : position + _KEY]].appendleft(position)
        cursor += length


def _longest(text: bytes, cursor: int, positions: deque[int], window: int, longest: int) -> tuple[int, int]:
    """Distance and length of the longest match, the nearest of equal ones; (0, 1) if there is none."""
    best = (0, 1)
    limit = min(longest, len(text) - cursor)
    for position in positions:
        if cursor - position > window or limit < _KEY:
            break
        length = _common(text, position, cursor, limit)
        if length > best[1] and length >= _KEY:
            best = (cursor - position, length)
            if length == limit:
                break
    return best


def _common(text: bytes, first: int, second: int, limit: int) -> int:
    """Number of equal bytes at two positions, up to `limit`."""
    if text[first : first + limit] == text[second : second + limit]:
        return limit
    length = 0
    while text[first + length] == text[second + length]:
        length += 1
    return length
