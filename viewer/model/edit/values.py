"""Values of fields as bytes: from what ``inspect`` prints, and refused if the field cannot hold them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.errors import EditError
from viewer.formats.record import Field
from viewer.formats.text import encode
from viewer.translation import Sentence

SPECIAL: Final = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}
"""How floats are written that JSON does not have."""
_FIELD: Final = re.compile(r"([^\[\]]+)((?:\[\d{1,18}\])*)")

Stored = npt.NDArray[Any]
"""One value of a field as it is stored: a scalar array, or an array of the field's shape."""


def field_path(text: str) -> tuple[str, tuple[int, ...]]:
    """Split ``aabb_min[1]`` into the name of a field and the indices of an element; raises `EditError`."""
    found = _FIELD.fullmatch(text)
    if found is None:
        raise EditError(Sentence("{text!r} is not a field or an element of one", text=text))
    return found[1], tuple(int(index) for index in re.findall(r"\d+", found[2]))


def stored(field: Field, value: Any, before: Stored, element: Sequence[int] = ()) -> Stored:
    """Return the value that is stored after `value` is set.

    Parameters
    ----------
    value
        As ``inspect`` prints it: numbers, nested lists of them, None for the value that means none, a name
        of the enumeration, a text, or bytes in hexadecimal.
    before
        The stored value, of the field's type and shape.
    element
        Indices of the element to set; empty for the whole field.

    Raises
    ------
    EditError
        If the field cannot hold the value; it says the limits.
    """
    after = np.array(before)
    if np.dtype(field.dtype).kind in "SV":
        if element:
            raise EditError(Sentence("{field} has no elements", field=field.name))
        after[...] = np.frombuffer(_bytes(field, value), after.dtype)[0]
        return after
    try:
        target = after[tuple(element)] if element else after
    except IndexError:
        raise EditError(
            Sentence("{field} has no element {index}", field=field.name, index=[*element])
        ) from None
    numbers = _numbers(field, value)
    if numbers.shape != np.shape(target):
        expected = " x ".join(map(str, np.shape(target))) or "1"
        raise EditError(
            Sentence("{count} values are needed, not {value}", count=expected, value=_shown(value))
        )
    after[tuple(element)] = numbers.astype(after.dtype)
    return after


def _numbers(field: Field, value: Any) -> npt.NDArray[Any]:
    """The numbers of a value, checked against the limits of the field's type."""
    if isinstance(value, list | tuple):
        items = [_numbers(field, item) for item in value]
        if len({item.shape for item in items}) > 1:
            raise EditError(Sentence("its rows have different lengths: {value}", value=_shown(value)))
        return np.array(items)
    number = _number(field, value)
    return np.array(number, np.float64 if isinstance(number, float) else object)


def _number(field: Field, value: Any) -> int | float:
    if value is None and field.none is not None:
        return field.none
    dtype = np.dtype(field.dtype)
    if isinstance(value, str):
        named = {name: number for number, name in field.values.items()}
        value = SPECIAL.get(value, named.get(value, value)) if dtype.kind == "f" else named.get(value, value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise EditError(Sentence("{value} is not a number", value=_shown(value)))
    if dtype.kind == "f":
        limit = float(np.finfo(dtype).max)
        if isfinite(value) and abs(value) > limit:
            raise EditError(Sentence("{value} exceeds {low}..{high}", value=value, low=-limit, high=limit))
        return float(value)
    if isinstance(value, float) and not (isfinite(value) and value.is_integer()):
        raise EditError(Sentence("{value} is not a whole number", value=value))
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    if not low <= value <= high:
        raise EditError(Sentence("{value} exceeds {low}..{high}", value=int(value), low=low, high=high))
    return int(value)


def _bytes(field: Field, value: Any) -> bytes:
    """A text with NULs after it, or bytes in hexadecimal, as wide as the field."""
    if not isinstance(value, str):
        raise EditError(Sentence("{value} is not a text", value=_shown(value)))
    if field.is_text:
        try:
            raw = encode(value)
        except ValueError as error:
            raise EditError(str(error)) from None
        if len(raw) > field.size or b"\0" in raw:
            raise EditError(
                Sentence(
                    "{value!r} has {size} bytes, at most {limit} fit",
                    value=value,
                    size=len(raw),
                    limit=field.size,
                )
            )
        return raw.ljust(field.size, b"\0")
    try:
        raw = bytes.fromhex(value)
    except ValueError:
        raise EditError(Sentence("{value!r} is not hexadecimal", value=value)) from None
    if len(raw) != field.size:
        raise EditError(Sentence("{size} bytes, the field has {limit}", size=len(raw), limit=field.size))
    return raw


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
