"""The fields of values that are replaced, never changed, and so compared by identity."""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from typing import Any


def parts_of(value: Any, *but: str) -> tuple[object, ...]:
    """The values of all fields of an object of a class, in their order, except for some."""
    kind: Any = type(value)
    found: tuple[object, ...] = _getter(kind, but)(value)
    return found


@cache
def _getter(kind: Any, but: tuple[str, ...]) -> Any:
    # One call for all of them: panels compare hundreds of fields in every frame.
    return attrgetter(*(it for it in kind.__struct_fields__ if it not in but))
