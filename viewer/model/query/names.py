"""Names of a directory as arrays, as there may be a million of them, and the filter of a text field."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.text import decode, encode, fold, folded_bytes
from viewer.progress import checkpoint


class NameFilter(Struct, frozen=True, dict=True):
    """A filter text: words that must all match, in any order.

    A word with ``*``, ``?`` or ``[`` in it is a pattern for the whole name. Case never matters.
    An empty text lets everything through.
    """

    text: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether every name passes."""
        return not self._words

    @cached_property
    def _words(self) -> tuple[re.Pattern[str], ...]:
        return tuple(_pattern(word.casefold()) for word in self.text.split())

    def matches(self, name: str) -> bool:
        """Whether a name passes the filter."""
        folded = name.casefold()
        return all(word.search(folded) for word in self._words)


def _pattern(word: str) -> re.Pattern[str]:
    if any(sign in word for sign in "*?["):
        # `translate` anchors the end alone, and words are found by search: the start needs an anchor too.
        return re.compile(r"\A" + translate(word))
    return re.compile(re.escape(word))


PIECE: Final = 1 << 16
"""Names that are compared between two checks of the progress."""
_WILDCARDS: Final = re.compile(r"[*?]|\[[^\]]*\]|\[")
_PRIME: Final = np.uint64(0x9E3779B97F4A7C15)


def _fold_table() -> npt.NDArray[np.uint8]:
    """The byte of each letter without its case, if it has one in the game's encoding."""
    table = np.arange(256, dtype=np.uint8)
    for code in range(256):
        try:
            # The micro sign, 0xB5, folds to a Greek letter that CP1251 does not have: it stays as it is.
            folded = encode(decode(bytes([code])).casefold())
        except ValueError:
            continue
        table[code] = folded[0] if len(folded) == 1 else code
    return table


_FOLDED: Final = _fold_table()


class NameTable:
    """Names as bytes in fields of equal size.

    Parameters
    ----------
    names
        The bytes of each name, zero after its end, (n, size); the size is a multiple of four.
    """

    def __init__(self, names: npt.NDArray[np.uint8]) -> None:
        self.names = names

    def __len__(self) -> int:
        return len(self.names)

    def raw(self, index: int) -> bytes:
        """The bytes of a name."""
        return bytes(self.names[index]).rstrip(b"\0")

    def __getitem__(self, index: int) -> str:
        return decode(self.raw(index))

    def matching(self, requested: NameFilter) -> npt.NDArray[np.bool_]:
        """The names that a filter lets through, (n,) bool."""
        parts = [part for word in requested.text.split() for part in _WILDCARDS.split(word)]
        found = np.ones(len(self), bool)
        for start in range(0, len(self), PIECE):
            checkpoint()
            some, folded = found[start : start + PIECE], _FOLDED[self.names[start : start + PIECE]]
            for part in parts:
                some &= _having(folded, part)
            # The pieces between wildcards are only what a name must have; few names are left for the pattern
            # itself.
            if _WILDCARDS.search(requested.text):
                candidates = np.flatnonzero(some)
                some[candidates] = [requested.matches(self[start + it]) for it in candidates.tolist()]
        return found

    @cached_property
    def order(self) -> npt.NDArray[np.int64]:
        """The indices of the names in alphabetical order without regard to case, (n,)."""
        folded = np.ascontiguousarray(_FOLDED[self.names])
        # Each row of bytes as one value; numpy compares such values byte by byte, as zeros at the end are
        # dropped.
        keys = folded.view(f"S{folded.shape[1]}").ravel()
        return np.argsort(keys, kind="stable")

    @cached_property
    def _hashes(self) -> npt.NDArray[np.uint64]:
        """A number per name that is the same for names that are the same to the engine, (n,)."""
        return _hashes_of(self.names)

    @cached_property
    def is_unique(self) -> npt.NDArray[np.bool_]:
        """Whether no other name is the same to the engine, (n,)."""
        _, index, count = np.unique(self._hashes, return_inverse=True, return_counts=True)
        is_alone: npt.NDArray[np.bool_] = count == 1
        return is_alone[index]

    def find(self, name: bytes) -> int | None:
        """The first name that is the same as another one to the engine, or None."""
        size = self.names.shape[1]
        if len(name) > size or not len(self):
            return None
        field = np.frombuffer(name.ljust(size, b"\0"), np.uint8)[None, :]
        # Two names may have one hash by accident, so the bytes have the last word.
        candidates = np.flatnonzero(self._hashes == _hashes_of(field)[0])
        same = (index for index in candidates.tolist() if fold(self.raw(index)) == fold(name))
        return next(same, None)


def _hashes_of(names: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """Numbers for names of a multiple of four bytes; a sum, as every step may wait for another thread."""
    words = folded_bytes(np.ascontiguousarray(names)).view("<u4").astype(np.uint64)
    # Modulo 2^64, as uint64 wraps. The factors are odd, so words that differ stay different; zeros after the
    # end of a name add nothing, whatever the size of the field.
    factors = _PRIME ** np.arange(1, words.shape[1] + 1, dtype=np.uint64)
    hashes: npt.NDArray[np.uint64] = (words * factors).sum(axis=1, dtype=np.uint64)
    return hashes


def _having(folded: npt.NDArray[np.uint8], part: str) -> npt.NDArray[np.bool_]:
    """The folded names that contain a text, (n,) bool."""
    try:
        letters = _FOLDED[np.frombuffer(encode(part), np.uint8)]
    except ValueError:
        return np.zeros(len(folded), bool)
    room = folded.shape[1] - len(letters) + 1
    if room <= 0:
        return np.zeros(len(folded), bool)
    is_start = np.ones((len(folded), room), bool)
    for place, letter in enumerate(letters):
        is_start &= folded[:, place : place + room] == letter
    return np.asarray(is_start.any(axis=1), bool)
