"""Values that rows show in every frame, made once for each revision of what they show."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

from viewer.translation import language

Value = TypeVar("Value")
_NOTHING: Final = object()
"""Source of a value before it is made the first time: equal to nothing else."""


class Cached(Generic[Value]):
    """A value that is made again when what it is made of changes, or the language; owner: a panel.

    Parameters
    ----------
    make
        Makes the value.
    """

    def __init__(self, make: Callable[..., Value]) -> None:
        self._make = make
        self._made_of: object = _NOTHING
        self._value: Value

    def of(self, made_of: tuple[object, ...], *arguments: object) -> Value:
        """Return the value, which `make` makes of the arguments if `made_of` differs from before.

        Parameters
        ----------
        made_of
            Compared with ``==``: identity and revision of a document, never the document with its arrays.
        """
        made_of = (*made_of, language())
        if made_of != self._made_of:
            self._made_of, self._value = made_of, self._make(*arguments)
        return self._value


class CachedByKey(Generic[Value]):
    """Values as that of `Cached`, one for each key; owner: a panel.

    Parameters
    ----------
    most
        How many are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[Hashable, tuple[tuple[object, ...], Value]] = {}

    def of(self, key: Hashable, made_of: tuple[object, ...], make: Callable[[], Value]) -> Value:
        """Return the value of a key, made again if `made_of` or the language differs from before."""
        made_of, kept = (*made_of, language()), self._kept.get(key)
        if kept is None or kept[0] != made_of:
            if len(self._kept) >= self._most:
                self._kept.clear()
            kept = self._kept[key] = made_of, make()
        return kept[1]
