"""Addresses: ``PATH``, ``PATH::ENTRY`` or ``PATH::#N``, nested like the archives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from viewer.errors import UsageError
from viewer.translation import Sentence

SEPARATOR = "::"


@dataclass(frozen=True, slots=True)
class Address:
    """The location of a payload: a file, and the entries to follow inside it.

    An entry is a name as the engine looks it up, or ``#`` and a directory index.
    """

    path: Path
    entries: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Address:
        """The address of a text; raises `UsageError` for an empty part."""
        path, *entries = text.split(SEPARATOR)
        if not path or not all(entries):
            raise UsageError(Sentence("{text!r} is not an address: a part of it is empty", text=text))
        return cls(Path(path), tuple(entries))

    def __str__(self) -> str:
        return SEPARATOR.join((str(self.path), *self.entries))

    def child(self, entry: str) -> Address:
        """The address of an entry in this archive."""
        return Address(self.path, (*self.entries, entry))

    @property
    def parent(self) -> Address:
        """The address of the container; of the file itself for a file."""
        return Address(self.path, self.entries[:-1])

    @property
    def name(self) -> str:
        """The last part: entry or file name."""
        return self.entries[-1] if self.entries else self.path.name
