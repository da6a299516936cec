"""A cache with a stated bound that keeps what was used last; for several threads."""

from __future__ import annotations

from _thread import allocate_lock  # the lock of `threading`, which takes long to load
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class RecentlyUsed(Generic[Key, Value]):
    """Values by key, without those that were not used for the longest time once there are too many.

    Parameters
    ----------
    most
        Number of values that are kept.
    capacity
        Size of all values together; the value used last is kept however large it is.
    size_of
        Size of a value.
    """

    def __init__(self, most: int, capacity: int = 0, size_of: Callable[[Value], int] = lambda _: 0) -> None:
        self._most = most
        self._capacity = capacity
        self._size_of = size_of
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._size = 0
        self._lock = allocate_lock()

    def __contains__(self, key: Key) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Key]:
        """The keys, those used last at the end."""
        with self._lock:
            # A copy, as other threads may put values while the caller goes through the keys.
            keys = list(self._values)
        return iter(keys)

    def values(self) -> list[Value]:
        """All values, those used last at the end."""
        with self._lock:
            return list(self._values.values())

    def items(self) -> list[tuple[Key, Value]]:
        """All keys with their values, those used last at the end."""
        with self._lock:
            return list(self._values.items())

    @property
    def size(self) -> int:
        """Size of all values together."""
        return self._size

    def get(self, key: Key) -> Value | None:
        """The value of a key, which is then the one used last; or None."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Key, value: Value) -> None:
        """Keep a value in place of the one that the key has, and drop what is too much."""
        with self._lock:
            self._drop(key)
            self._values[key] = value
            self._size += self._size_of(value)
            # The first of the ordered dictionary was not used for the longest time; the last one is kept in
            # any case.
            while len(self._values) > 1 and (len(self._values) > self._most or self._size > self._capacity):
                self._drop(next(iter(self._values)))

    def forget(self, key: Key) -> None:
        """Drop the value of a key, if it has one."""
        with self._lock:
            self._drop(key)

    def _drop(self, key: Key) -> None:
        if key in self._values:
            self._size -= self._size_of(self._values.pop(key))
