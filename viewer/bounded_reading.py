"""Reading of open files with a bound; loads nothing, as the help lists installs by it."""

from __future__ import annotations

from io import BytesIO
from typing import IO, Final

_PIECE: Final = 256 << 10
"""Bytes that are read at once of what has no known size."""


def read_at_most(file: IO[bytes], most: int) -> bytes:
    """The bytes from the position of an open file to its end, at most `most`; also raises `OSError`.

    Memory is taken for what the file has, where ``file.read(most)`` takes `most` first, which Windows clears.
    """
    read = BytesIO()
    while (left := most - read.tell()) and (piece := file.read(min(left, _PIECE))):
        read.write(piece)
    return read.getvalue()
