"""How many values are read from a file of some size, so that a small file cannot fill memory."""

from __future__ import annotations

from typing import Final

from viewer.errors import FormatError
from viewer.translation import Sentence

ALLOWANCE: Final = 1 << 24
"""Values that any file may have."""
VALUES_PER_BYTE: Final = 2
PER_OBJECT: Final = 256
"""Values that an object of the file counts as, beside its arrays."""


class Budget:
    """Values that may still be read: data that is used many times over is counted each time."""

    def __init__(self, size: int) -> None:
        self._limit = self._left = ALLOWANCE + VALUES_PER_BYTE * size

    def add(self, size: int) -> None:
        """Allow what bytes of one more file justify."""
        self._limit += VALUES_PER_BYTE * size
        self._left += VALUES_PER_BYTE * size

    def spend(self, count: int, path: str) -> None:
        """Take values before they are made; raises `FormatError` if there are not as many."""
        if count > self._left:
            message = Sentence("more than the {limit} values that its size allows", limit=self._limit)
            raise FormatError(message, table=path)
        self._left -= count
