"""Files damaged at random."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

Changes = list[tuple[float, bytes]]
"""What is written over a file, and how far into it, 0 to 1."""

CHANGES: Final[st.SearchStrategy[Changes]] = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=8)), min_size=1, max_size=8
)


def damaged(data: bytes, changes: Changes, kept: float = 1.0) -> bytes:
    """Bytes with some others written over them, then cut to the share that is `kept`."""
    out = bytearray(data)
    for place, change in changes:
        start = int(place * len(out))
        out[start : start + len(change)] = change
    return bytes(out[: int(kept * len(data))])
