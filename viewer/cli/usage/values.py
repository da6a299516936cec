"""Kinds of values of arguments: declared where they are added, read by completion and settings files."""

from __future__ import annotations

from argparse import Action
from enum import StrEnum
from typing import Final

_TAKEN: Final = "takes"


class Value(StrEnum):
    """Kind of value of an argument; names in a file are called as ``complete`` calls them."""

    OTHER = ""
    FILE = "file"
    FOLDER = "folder"
    ADDRESS = "address"
    """A file, or an entry of an archive."""
    ENTRY = "entry"
    NODE = "node"
    CHANNEL = "channel"
    CLIP = "clip"
    MATERIAL = "material"
    TABLE = "table"
    FIELD = "field"
    COLUMN = "column"

    @property
    def is_path(self) -> bool:
        """Whether it names a file or a folder."""
        return self in (Value.FILE, Value.FOLDER, Value.ADDRESS)

    @property
    def is_in_file(self) -> bool:
        """Whether it names something inside the file that the command line names before it."""
        return not self.is_path and self is not Value.OTHER


def takes(action: Action, *values: Value) -> Action:
    """Declare what an argument takes: each of its values, or all of them."""
    setattr(action, _TAKEN, values)
    return action


def taken_by(action: Action) -> tuple[Value, ...]:
    """Kinds of the values of an argument, in their order; none for a switch."""
    declared: tuple[Value, ...] = getattr(action, _TAKEN, ())
    count = 0 if action.nargs == 0 else action.nargs if isinstance(action.nargs, int) else 1
    return (*declared, *[Value.OTHER] * count)[:count]
