"""The text of OBJ files and their libraries: its lines, a block at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BufferedReader, RawIOBase, TextIOWrapper
from typing import TYPE_CHECKING, Final

from viewer.errors import FormatError
from viewer.formats.record import Bytes
from viewer.translation import Sentence

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BLOCK: Final = 1 << 20
"""Letters that are decoded together."""
MOST_JOINED: Final = 1 << 16
"""Most lines that backslashes join to one."""
_COMMENT: Final = re.compile(r"(^|\s+)#.*$")
"""Names may have the sign inside."""
_FILES: Final = ("mtllib ", "map_")
"""Statements that end in the name of a file, which may have the sign after a space too."""


class _Stream(RawIOBase):
    """Bytes as a stream that does not copy all of them, as `BytesIO` does."""

    def __init__(self, data: Bytes) -> None:
        self._left = memoryview(data)

    def readable(self) -> bool:
        """Whether it can be read from."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Put the next bytes into a buffer; return their number."""
        into = memoryview(buffer)
        count = min(len(into), len(self._left))
        into[:count], self._left = self._left[:count], self._left[count:]
        return count


def blocks(data: Bytes) -> Iterator[list[str]]:
    """The lines of a text without comments and tabs, some at a time, UTF-8 or UTF-16 with its mark.

    Those that go on are joined, the others of them are empty. Raises `FormatError` for too many of them.
    """
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    stream = TextIOWrapper(BufferedReader(_Stream(data)), encoding, "replace")
    while text := stream.read(BLOCK) + stream.readline():
        parts = [text]
        while parts[-1].rstrip().endswith("\\") and (following := stream.readline()):
            parts.append(following)
            if len(parts) > MOST_JOINED:
                raise FormatError(
                    Sentence("more than {limit} lines are joined", limit=MOST_JOINED), table="line"
                )
        yield _cleaned("".join(parts).removesuffix("\n"))


def _cleaned(text: str) -> list[str]:
    """The lines of a text without comments, tabs and ends."""
    lines = [line.strip() for line in text.replace("\t", " ").split("\n")]
    if "\\" in text:
        _join(lines)
    if "#" in text:
        lines = [line if line.startswith(_FILES) else without_comment(line) for line in lines]
    return lines


def without_comment(line: str) -> str:
    """A line up to its comment."""
    return _COMMENT.sub("", line)


def _join(lines: list[str]) -> None:
    """Append to each line that ends in a backslash those that follow."""
    at = 0
    while at < len(lines):
        first, parts = at, [lines[at]]
        while parts[-1].endswith("\\") and at + 1 < len(lines):
            at += 1
            parts.append(lines[at])
            lines[at] = ""
        lines[first] = " ".join(part.removesuffix("\\") for part in parts).strip()
        at += 1
