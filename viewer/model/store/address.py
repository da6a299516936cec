r"""Addresses: ``PATH``, ``PATH::ENTRY`` or ``PATH::#N``, nested like the archives.

A ``::`` in the name of a file is written ``\::``, as in ``old\::new.rlb::walker.msh``. Like in the command
lines of Windows, backslashes are doubled only in front of ``::``: the archive ``old\`` has the entry
``old\\::walker.msh``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from msgspec import Struct

from viewer.errors import FormatError, UsageError
from viewer.model.store.disk import real_path
from viewer.translation import _

SEPARATOR: Final = "::"
_SEPARATORS: Final = re.compile(r"(\\*)::")
STANDARD_INPUT: Final = Path("-")
"""The path of what was read from standard input; it is in no folder, so nothing is next to it."""


class Address(Struct, frozen=True, cache_hash=True):
    """The location of a payload: a file, and the entries to follow inside it.

    An entry is a name as the engine looks it up, or ``#`` and a directory index. The hash is kept: rows of
    panels look up theirs in every frame.
    """

    path: Path
    entries: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Address:
        """The address of a text; raises `UsageError` for an empty part."""
        # An odd number of backslashes before "::" makes it part of the path; each pair is one backslash.
        found = next((it for it in _SEPARATORS.finditer(text) if len(it[1]) % 2 == 0), None)
        path = text if found is None else text[: found.end()]
        entries = [] if found is None else text[found.end() :].split(SEPARATOR)
        path = _SEPARATORS.sub(lambda it: it[1][: len(it[1]) // 2] + SEPARATOR, path)
        path = path if found is None else path.removesuffix(SEPARATOR)
        if not path or not all(entries):
            raise UsageError(_("{text!r} is not an address: a part of it is empty", text=text))
        return cls(Path(path), tuple(entries))

    @classmethod
    def given(cls, text: str) -> Address:
        """The address of a text that the user has typed; a file that exists needs no backslashes."""
        parts = text.split(SEPARATOR)
        # The shortest path that exists is the file: with ``a.rlb`` there, ``a.rlb::b`` is an entry of it,
        # even if a file has that name.
        for count in range(1, len(parts)):
            path = SEPARATOR.join(parts[: count + 1])
            if os.path.exists(SEPARATOR.join(parts[:count])):  # noqa: PTH110 false for odd names
                break
            if os.path.isfile(path) and all(parts[count + 1 :]):  # noqa: PTH113
                return cls(Path(path), tuple(parts[count + 1 :]))
        return cls.parse(text)

    @classmethod
    def from_json(cls, value: object) -> Address:
        """The address of a text in a JSON file; raises `FormatError`."""
        try:
            return cls.parse(value if isinstance(value, str) else "")
        except UsageError as error:
            raise FormatError(error.message) from None

    def to_json(self) -> str:
        """The text of the address in a JSON file."""
        return str(self)

    def __str__(self) -> str:
        if self == CURRENT:
            return ""
        path = _SEPARATORS.sub(lambda it: f"{it[1] * 2}\\{SEPARATOR}", str(self.path))
        # ``old\`` in front of an entry is ``old\\::x``, as ``old\::x`` would be one name.
        backslashes = len(path) - len(path.rstrip("\\"))
        return SEPARATOR.join((path + "\\" * (backslashes if self.entries else 0), *self.entries))

    def __contains__(self, other: Address) -> bool:
        """Whether another address is that of an entry of this payload, at any depth; not of itself."""
        depth = len(self.entries)
        return (
            self.path == other.path and depth < len(other.entries) and other.entries[:depth] == self.entries
        )

    def child(self, *entries: str) -> Address:
        """The address of an entry in this archive, or of one in archives in it, the outermost first."""
        return Address(self.path, (*self.entries, *entries))

    def absolute(self) -> Address:
        """The address whatever the working folder is later."""
        return Address(self.path.absolute(), self.entries)

    @property
    def real(self) -> Address:
        """The address with an absolute path without links, by which edits are found."""
        return Address(real_path(self.path), self.entries)

    @property
    def parent(self) -> Address:
        """The address of the container; of the file itself for a file."""
        return Address(self.path, self.entries[:-1])

    @property
    def container(self) -> Address:
        """The address of the archive or folder that it is in."""
        return self.parent if self.entries else Address(self.path.parent)

    @property
    def name(self) -> str:
        """The last part: entry or file name."""
        return self.entries[-1] if self.entries else self.path.name


CURRENT: Final = Address(Path(), ("",))
"""The address of the current file, whichever that is; it has no text."""


def is_same(one: Address, other: Address) -> bool:
    """Whether two addresses are equal, or spelled otherwise in a folder that ignores case."""
    if one == other:
        return True
    folded = (str(it.path).casefold() for it in (one, other))
    if one.entries != other.entries or len({*folded}) != 1:
        return False
    try:
        return one.path.samefile(other.path)
    except (OSError, ValueError):  # of two files one at least is gone
        return False
