"""Text as a terminal may show it: characters that control it or cannot be seen are escaped, styles are added.

Names in files and names of files hold any character: one that moves the cursor, reverses the text, or
separates lines would let a file change what the program seems to say.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from enum import StrEnum
from functools import cache
from typing import Final, Self, TextIO

from viewer.translation import readable

_PROCESS_SEQUENCES: Final = 4
"""``ENABLE_VIRTUAL_TERMINAL_PROCESSING``."""
_INVISIBLE: Final = (
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Pattern of blank characters that `str.isprintable` accepts; not compiled before a text needs it."""
_RAW: Final = "[\\udc80-\\udcff]+"
"""Pattern of bytes of file names that are not UTF-8."""
_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Style(StrEnum):
    """The use of a style; its value holds the parameters of the terminal sequence."""

    HEADING = "1"
    ERROR = "1;31"
    WARNING = "33"
    ADDED = "32"
    REMOVED = "31"
    CHANGED = "36"


class Styled(str):
    """A line in which `before` and `after` are plain and the text between them has a style on terminals."""

    __slots__ = ("span", "style")
    span: tuple[int, int]
    style: Style

    def __new__(cls, text: str, style: Style, before: str = "", after: str = "") -> Self:
        """Return a line of three parts."""
        line = super().__new__(cls, f"{before}{text}{after}")
        line.span = len(before), len(before) + len(text)
        line.style = style
        return line

    def __radd__(self, before: str) -> Styled:
        start, stop = self.span
        return Styled(self[start:stop], self.style, before + self[:start], self[stop:])


def is_safe(text: str) -> bool:
    """Whether every character of a text can be seen and none controls a terminal."""
    return text.isprintable() and (text.isascii() or not re.search(_INVISIBLE, text))


def printable(text: str) -> str:
    r"""Return a text on one line in which what cannot be seen is escaped: ``\x1b``, ``\u202e``.

    Bytes of file names that are not UTF-8 are letters of CP1251.
    """
    if is_safe(text):
        return text
    return _translated(readable(text), _escape)


def on_disk(path: str) -> bytes:
    """Return a path as `printable`, but with the bytes that are not UTF-8: letters would name no file."""
    raw = iter(re.findall(_RAW, path))
    return b"".join(printable(it).encode() + os.fsencode(next(raw, "")) for it in re.split(_RAW, path))


def json_printable(text: str) -> str:
    r"""Return a piece of JSON with the same content: what cannot be seen is escaped: ``\u202e``."""
    if is_safe(text):
        return text
    import json  # noqa: PLC0415 rarely needed

    return _translated(text, lambda letter: json.dumps(letter)[1:-1])


def _translated(text: str, escape: Callable[[str], str]) -> str:
    """A text with escapes in place of the letters that are not safe, each of which is looked at once."""
    return text.translate({ord(letter): escape(letter) for letter in set(text) if not is_safe(letter)})


def _escape(letter: str) -> str:
    code = ord(letter)
    digits = 2 if code < 0x100 else 4 if code < 0x10000 else 8
    return _SHORT.get(letter, f"\\{ {2: 'x', 4: 'u', 8: 'U'}[digits] }{code:0{digits}x}")


def rendered(line: str, *, has_color: bool) -> str:
    """Return a line as it is written: escaped, and with the sequences of its style if there is color."""
    if not (has_color and isinstance(line, Styled)):
        return printable(line)
    start, stop = line.span
    before, text, after = map(printable, (line[:start], line[start:stop], line[stop:]))
    return f"{before}\x1b[{line.style}m{text}\x1b[0m{after}"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal, of any kind."""
    try:
        if not stream or not stream.isatty():
            return False
        return sys.platform != "win32" or _console(stream.fileno()) is not None
    except ValueError:  # closed
        return False


def takes_sequences(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal that understands sequences, such as those of colors."""
    if not stream or not is_terminal(stream) or os.environ.get("TERM") == "dumb":
        return False
    return sys.platform != "win32" or bool(_console(stream.fileno()))


@cache
def _console(descriptor: int) -> bool | None:
    """Whether a console of Windows understands sequences, as it is asked to; None for another device.

    Windows 10 does from 2016 on, and only for a program that asks; consoles before would print them.
    """
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415 Windows only
        import msvcrt  # noqa: PLC0415 Windows only

        console, mode = ctypes.c_void_p(msvcrt.get_osfhandle(descriptor)), ctypes.c_ulong()
        system = ctypes.windll.kernel32
        if not system.GetConsoleMode(console, ctypes.byref(mode)):
            return None  # such as NUL, which Python takes for a terminal
        return bool(system.SetConsoleMode(console, mode.value | _PROCESS_SEQUENCES))
    return True  # it is a terminal


def has_color(stream: TextIO | None) -> bool:
    """Whether styles are shown on a stream: a terminal, unless ``NO_COLOR`` is set to anything."""
    return not os.environ.get("NO_COLOR") and takes_sequences(stream)
