"""Names and texts of the game: CP1251, made bijective so that every byte is preserved.

Source: spec/nres.md 2, spec/msh.md 7.
Status: proven (ASCII case folding), inferred (CP1251).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from viewer.translation import _

_UNDEFINED = 0x98
_LETTERS = chr(_UNDEFINED).join(
    bytes(codes).decode("cp1251") for codes in (range(_UNDEFINED), range(_UNDEFINED + 1, 256))
)
_CODES = {letter: code for code, letter in enumerate(_LETTERS)}
# A byte of a file name that is not UTF-8 is this byte here too.
_BYTES = _CODES | {chr(0xDC00 + code): code for code in range(0x80, 0x100)}
# 0x1A ends texts of DOS, 0x7F and 0x98 have no letter.
_NOT_TEXT = bytes(code for code in range(0x20) if code not in b"\t\n\f\r\x1a") + b"\x7f\x98"
# Only A to Z, as the engine compares: Cyrillic capitals and small letters are different names (spec/nres.md
# 2).
_FOLD = bytes(code + 32 if 0x41 <= code <= 0x5A else code for code in range(256))

# Letters of both alphabets; those whose small letter is not in CP1251 stay.
_UNCASED = bytes(_CODES.get(letter.lower(), code) for code, letter in enumerate(_LETTERS))
_FOLD_TABLE = np.frombuffer(_FOLD, np.uint8)


def decode(raw: bytes) -> str:
    """Decode bytes; 0x98, which CP1251 leaves undefined, becomes U+0098."""
    return raw.decode("ascii") if raw.isascii() else "".join(_LETTERS[code] for code in raw)


def encode(text: str) -> bytes:
    """Bytes of `text`; raises `ValueError` for a character that is not in CP1251."""
    try:
        return bytes(_BYTES[letter] for letter in text)
    except KeyError as error:
        raise ValueError(_("{letter!r} is not in CP1251", letter=error.args[0])) from None


def fold(name: bytes) -> bytes:
    """A name for comparison: only ``A..Z`` are folded, as the engine does."""
    return name.translate(_FOLD)


def uncased(text: bytes) -> bytes:
    """A text for a search that ignores case, Cyrillic letters included; its length stays."""
    return text.translate(_UNCASED)


def folded_bytes(names: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Bytes of names for comparison, as `fold` does it."""
    folded: npt.NDArray[np.uint8] = _FOLD_TABLE[names]
    return folded


def names_of(fields: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Names in fields of equal size as bytes, zero from the first NUL on, (n, size)."""
    names = np.frombuffer(fields.tobytes(), np.uint8).reshape(-1, fields.dtype.itemsize)
    # Few names have bytes behind the NUL; tables without any are not copied.
    has_tail = ((names[:, :-1] == 0) & (names[:, 1:] != 0)).any(axis=1)
    if has_tail.any():
        names = names.copy()
        # A B 0 C becomes 1 1 0 0: all from the first zero on.
        names[has_tail] *= np.logical_and.accumulate(names[has_tail] != 0, axis=1)
    return names


def padded(name: bytes, size: int) -> bytes:
    """`name` as a NUL-padded field of `size` bytes; raises `ValueError` if it does not fit before a NUL."""
    if len(name) >= size or b"\0" in name:
        raise ValueError(_("{name!r} does not fit a name of {size} bytes", name=name, size=size - 1))
    return name.ljust(size, b"\0")


def until_nul(raw: bytes) -> bytes:
    """The bytes before the first NUL; all of them if there is none."""
    return raw.partition(b"\0")[0]


def is_text(data: bytes | bytearray | memoryview) -> bool:
    """Whether bytes are a text of one character or more: white space, and no other control characters."""
    raw = bytes(data)
    return bool(raw.strip()) and len(raw.translate(None, _NOT_TEXT)) == len(raw)
