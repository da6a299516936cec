"""A JSON object of a file and its path, what is lost of a file, and how many values may be read from it.

Every value is checked when it is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final, Self, TypeVar

from viewer.errors import FormatError
from viewer.translation import Sentence

T = TypeVar("T")

LARGEST: Final = 1 << 53
"""Whole numbers above it are not exact in JSON."""
SHOWN: Final = 40
"""Characters of a wrong value that its error shows."""
MOST: Final = 100
"""Sentences; further ones are counted."""
ALLOWANCE: Final = 1 << 24
"""Values that any file may have."""
VALUES_PER_BYTE: Final = 2
PER_OBJECT: Final = 256
"""Values that an object of the file counts as, beside its arrays."""


class JsonItem:
    """An object of the file.

    Attributes
    ----------
    path
        Where it is, for example ``meshes[0].primitives[2]``; empty for the file itself.
    index
        Its index in its list, -1 outside of lists.
    values
        As the file has them. ``null`` counts as absent.
    """

    __slots__ = ("index", "path", "values")

    def __init__(self, values: Mapping[str, Any], path: str = "", index: int = -1) -> None:
        self.values = values
        self.path = path
        self.index = index

    def __contains__(self, key: str) -> bool:
        return self.values.get(key) is not None

    def wrong(self, key: str, message: str) -> FormatError:
        """The error about one of its values."""
        return FormatError(message, table=self.path, field=key or None)

    def _unexpected(self, key: str, expected: str) -> FormatError:
        value = repr(self.values.get(key))
        shown = value if len(value) <= SHOWN else f"{value[:SHOWN]}..."
        return self.wrong(key, Sentence("{value} is not {expected}", value=shown, expected=expected))

    def _path(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def item(self, key: str) -> Self:
        """An object; an empty one if it is absent."""
        value = self.values.get(key)
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise self._unexpected(key, "an object")
        return type(self)(value, self._path(key))

    def entries(self, key: str) -> list[Any]:
        """A list as the file has it; an empty one if it is absent."""
        value = self.values.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self._unexpected(key, "a list")
        return value

    def items(self, key: str) -> Iterator[Self]:
        """The objects of a list."""
        for index in range(len(self.entries(key))):
            yield self.nth(key, index)

    def nth(self, key: str, index: int) -> Self:
        """One object of a list, which has it."""
        value = self.entries(key)[index]
        path = f"{self._path(key)}[{index}]"
        if not isinstance(value, dict):
            raise FormatError(Sentence("is not {expected}", expected="an object"), table=path)
        return type(self)(value, path, index)

    def indices(self, key: str, count: int) -> list[int]:
        """A list of indices below `count`."""
        values = self.entries(key)
        found = [_whole(value) for value in values]
        for at, value in enumerate(found):
            if type(value) is not int or not 0 <= value < count:
                raise JsonItem({"": value}, f"{self._path(key)}[{at}]").not_index("", count)
        return found

    def index_of(self, key: str, count: int) -> int | None:
        """An index below `count`; None if it is absent."""
        value = _whole(self.values.get(key))
        if value is None:
            return None
        if type(value) is not int or not 0 <= value < count:
            raise self.not_index(key, count)
        return value

    def not_index(self, key: str, count: int) -> FormatError:
        """The error about an index that leads nowhere."""
        value = repr(self.values.get(key))[:SHOWN]
        return self.wrong(key, Sentence("{value} is not an index of {count} items", value=value, count=count))

    def text(self, key: str, default: str = "") -> str:
        """A text, without the halves of characters that JSON can hold."""
        value = self.values.get(key)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self._unexpected(key, "a text")
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")

    @property
    def name(self) -> str:
        """What it is called; empty if that is no text, as it means nothing to other objects."""
        return self.text("name") if isinstance(self.values.get("name"), str) else ""

    def flag(self, key: str) -> bool:
        """A truth value; False if it is absent."""
        value = self.values.get(key)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise self._unexpected(key, "true or false")
        return value

    def whole(self, key: str, default: int | None = None) -> int:
        """A whole number of 0 or more."""
        value = _whole(self.values.get(key, default))
        if type(value) is not int or not 0 <= value < LARGEST:
            raise self._unexpected(key, "a whole number of 0 or more")
        return value

    def number(self, key: str, default: float) -> float:
        """A finite number."""
        value = self.values.get(key)
        if value is None:
            return default
        if not _is_number(value):
            raise self._unexpected(key, "a finite number")
        return float(value)

    def numbers(self, key: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """As many finite numbers as the default has."""
        value = self.values.get(key)
        if value is None:
            return default
        if not isinstance(value, list) or len(value) != len(default) or not all(map(_is_number, value)):
            raise self._unexpected(key, Sentence("{count} finite numbers", count=len(default)))
        return tuple(map(float, value))

    def choice(self, key: str, choices: Mapping[Any, T], default: Any = None) -> T:
        """What a value stands for."""
        value = _whole(self.values.get(key, default))
        if type(value) not in {int, str} or value not in choices:
            raise self._unexpected(key, "one of " + ", ".join(str(it) for it in choices))
        return choices[value]


def _whole(value: Any) -> Any:
    """A whole number for one that is written like 1.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_number(value: Any) -> bool:
    """Whether a value is a number that a float can hold."""
    if type(value) is int:
        return abs(value) < 1 << 1000
    return type(value) is float and math.isfinite(value)


class FileLosses:
    """Losses in the order in which they were found, each with the first place that has it."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, int]] = {}

    def add(self, what: str, where: str = "") -> None:
        """Add a loss; the same one at another place is counted."""
        first, count = self._found.get(what, (where, 0))
        self._found[what] = first, count + 1

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each loss."""
        made = [_sentence(what, where, count) for what, (where, count) in self._found.items()]
        if len(made) <= MOST:
            return tuple(made)
        return *made[:MOST], Sentence("and {count} more", count=len(made) - MOST)


def _sentence(what: str, where: str, count: int) -> str:
    """A loss and where it is."""
    if not where:
        return what
    if count == 1:
        return Sentence("{place}: {message}", place=where, message=Sentence.of(what))
    return Sentence(
        "{place} and {count} more: {message}", place=where, count=count - 1, message=Sentence.of(what)
    )


class Budget:
    """Values that may still be read: data that is used many times over is counted each time."""

    def __init__(self, size: int) -> None:
        self._limit = self._left = ALLOWANCE + VALUES_PER_BYTE * size

    def add(self, size: int) -> None:
        """Allow what bytes of one more file justify."""
        self._limit += VALUES_PER_BYTE * size
        self._left += VALUES_PER_BYTE * size

    def spend(self, count: int, path: str) -> None:
        """Take values before they are made; raises `FormatError` if there are not as many."""
        if count > self._left:
            message = Sentence("more than the {limit} values that its size allows", limit=self._limit)
            raise FormatError(message, table=path)
        self._left -= count
