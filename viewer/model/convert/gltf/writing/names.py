"""Names in a file: each is used once among its kind, and within what Blender keeps."""

from __future__ import annotations

from typing import Final

LONGEST: Final = 63
"""Most bytes of a name in Blender, UTF-8."""


class UniqueNames:
    """The names of one kind of object."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._next: dict[str, int] = {}

    def add(self, name: str, otherwise: str) -> str:
        """Take a name, or one that begins like it; `otherwise` is taken instead of an empty one."""
        wanted = "".join(letter if letter.isprintable() else "?" for letter in name).strip() or otherwise
        found = cut(wanted, LONGEST)
        number = self._next.get(found, 2)
        base = found
        while found in self._used:
            tail = f"~{number}"
            found = cut(base, LONGEST - len(tail)) + tail
            number += 1
        self._next[base] = number
        self._used.add(found)
        return found


def cut(text: str, size: int) -> str:
    """The beginning of a text within some bytes, whole letters."""
    return text.encode()[:size].decode(errors="ignore")
