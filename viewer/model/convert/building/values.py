"""Values from other programs, checked before they are written into fields of the game's records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from viewer.errors import FormatError
from viewer.formats import text
from viewer.model.convert.scene import Fields
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class Spot:
    """A row of a table that is being made, for messages."""

    table: str
    index: int | None = None

    def over(self, field: str, value: object, limit: int) -> FormatError:
        """The error of a value that the field cannot hold."""
        message = Sentence("{value} exceeds {limit}", value=value, limit=limit)
        return FormatError(message, table=self.table, index=self.index, field=field)

    def limited(self, field: str, value: int, limit: int) -> int:
        """A number from 0 to a limit; raises `FormatError` for another one."""
        if not 0 <= value <= limit:
            raise self.over(field, value, limit)
        return value


def word(fields: Fields, name: str, default: int, spot: Spot, limit: int = 0xFFFF) -> int:
    """A field of a record as a whole number from 0 to `limit`; raises `FormatError` for anything else."""
    value = fields.get(name, default)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        message = Sentence("{value!r} is not a whole number", value=value)
        raise FormatError(message, table=spot.table, index=spot.index, field=name)
    return spot.limited(name, value, limit)


def words(value: Any, count: int, name: str, spot: Spot) -> list[int]:
    """A field of several 32-bit words; raises `FormatError` for anything else."""
    if not isinstance(value, list | tuple) or len(value) != count:
        message = Sentence("{value!r} is not a list of {count} numbers", value=value, count=count)
        raise FormatError(message, table=spot.table, index=spot.index, field=name)
    return [word({name: item}, name, 0, spot, 0xFFFFFFFF) for item in value]


def finite(values: npt.NDArray[np.floating], table: str, field: str) -> None:
    """Raise `FormatError` for the first row of (n, ...) with a number that is not finite."""
    if not np.isfinite(values).all():
        index = int(np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(axis=1))[0])
        message = Sentence("{value} is not finite", value=values[index].tolist())
        raise FormatError(message, table=table, index=index, field=field)


@dataclass(slots=True)
class Losses:
    """What a scene has and the game's format cannot hold, as sentences in the order of their discovery."""

    sentences: list[str] = field(default_factory=list)

    def add(self, template: str, count: int = 1, **values: object) -> None:
        """Add a sentence with its values, unless what it counts is nothing."""
        if count:
            self.sentences.append(Sentence(template, count=count, **values))


def game_text(name: str, size: int | None = None) -> bytes:
    """A name as the game stores it: underscores for other letters, cut to `size` bytes."""
    try:
        raw = text.encode(name)
    except ValueError:
        raw = b"".join(_letter(letter) for letter in name)
    raw = raw.replace(b"\0", b"_")
    return raw if size is None else raw[:size]


def _letter(letter: str) -> bytes:
    try:
        return text.encode(letter)
    except ValueError:
        return b"_"
