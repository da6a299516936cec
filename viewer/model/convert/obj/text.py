"""The lines of OBJ files and their libraries: their encoding, comments, and lines that are joined."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from io import BufferedReader, RawIOBase, TextIOWrapper
from typing import TYPE_CHECKING, Final

from viewer.errors import FormatError
from viewer.formats.record import Bytes
from viewer.translation import _

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CODE_PAGE: Final = "cp1251"
BLOCK: Final = 1 << 20
"""Letters that are decoded together."""
MOST_JOINED: Final = 1 << 16
"""Most lines that backslashes join to one."""
_COMMENT: Final = re.compile(r"(^|\s+)#.*$")
"""Names may have the sign inside."""
_FILES: Final = ("mtllib ", "map_")
"""Statements that end in the name of a file, which may have the sign after a space too."""


def encoding_of(data: Bytes) -> str:
    """The encoding of a text: UTF-16 with its mark, UTF-8, else the code page of the game."""
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    # Incremental, since a letter of two bytes may lie across the ends of two blocks.
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for at in range(0, len(data), BLOCK):
            decoder.decode(bytes(data[at : at + BLOCK]), final=at + BLOCK >= len(data))
    except UnicodeDecodeError:
        return CODE_PAGE
    # Drops the mark at the start that Windows programs write, and reads texts without it as well.
    return "utf-8-sig"


def blocks(data: Bytes, encoding: str) -> Iterator[list[str]]:
    """The lines of a text without comments and tabs, some at a time.

    Those that go on are joined, the others of them are empty. Raises `FormatError` for too many of them.
    """
    stream = TextIOWrapper(BufferedReader(_Stream(data)), encoding, "replace")
    # A block goes on to the end of its last line. The wrapper turns all three kinds of ends of lines into
    # one.
    while text := stream.read(BLOCK) + stream.readline():
        parts = [text]
        while parts[-1].rstrip().endswith("\\") and (following := stream.readline()):
            parts.append(following)
            if len(parts) > MOST_JOINED:
                raise FormatError(_("more than {limit} lines are joined", limit=MOST_JOINED), table="line")
        yield _cleaned("".join(parts).removesuffix("\n"))


class _Stream(RawIOBase):
    """Bytes as a stream that does not copy all of them, as `BytesIO` does."""

    def __init__(self, data: Bytes) -> None:
        self._left = memoryview(data)

    def readable(self) -> bool:
        """Whether the stream can be read from."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """The number of bytes that were put into a buffer."""
        into = memoryview(buffer)
        count = min(len(into), len(self._left))
        into[:count], self._left = self._left[:count], self._left[count:]
        return count


def _cleaned(text: str) -> list[str]:
    """The lines of a text without comments, tabs and ends."""
    lines = [line.strip() for line in text.replace("\t", " ").split("\n")]
    if "\\" in text:
        # A joined line leaves empty ones, so that the numbers of lines in messages stay right.
        at = 0
        while at < len(lines):
            first, parts = at, [lines[at]]
            while parts[-1].endswith("\\") and at + 1 < len(lines):
                at += 1
                parts.append(lines[at])
                lines[at] = ""
            lines[first] = " ".join(part.removesuffix("\\") for part in parts).strip()
            at += 1
    if "#" in text:
        lines = [line if line.startswith(_FILES) else without_comment(line) for line in lines]
    return lines


def without_comment(line: str) -> str:
    """A line up to its comment."""
    return _COMMENT.sub("", line)
