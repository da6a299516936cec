"""The values that arguments may have, by their names: options of the shell, parameters of the library.

Each is checked here alone, so that both refuse the same values with the same words. Numpy is not imported:
verbs that need none check options too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from operator import index
from pathlib import Path
from typing import Any, Final

from viewer.errors import UsageError, shown
from viewer.translation import _

LARGEST: Final = 3.4028234663852886e38
"""The largest number of single precision."""
LARGEST_WHOLE: Final = (1 << 63) - 1
"""The largest whole number where nothing else limits it."""
LARGEST_SEED: Final = (1 << 32) - 1
"""The last seed: random numbers are drawn from 32 bits of it."""
LARGEST_SIDE: Final = 8192
MOST_PIXELS: Final = 4096 * 4096
"""Bounds of a picture: the longest side and the area, pixels."""
FASTEST: Final = 1e6
"""Most moments a second."""
LODS: Final = 3
GROUPS: Final = 5
"""Rows and columns of the slot matrix."""


def plain(value: Any) -> Any:
    """A number or an array of numpy, and what stands for a number, as one of Python; else as it is."""
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    return index(value) if hasattr(type(value), "__index__") and not isinstance(value, int) else value


class Numbers:
    """Numbers within bounds, by default those of single precision, or whole numbers of 64 bits.

    Attributes
    ----------
    is_whole
        Only whole numbers.
    is_above
        `least` itself is not one of them.
    """

    def __init__(
        self,
        least: float = -LARGEST,
        most: float = LARGEST,
        *,
        is_whole: bool = False,
        is_above: bool = False,
    ) -> None:
        self.least = least
        self.most = most
        self.is_whole = is_whole
        self.is_above = is_above

    def __call__(self, value: Any) -> float:
        """The number that a value of Python or numpy is; raises `UsageError`."""
        number = _whole(value) if self.is_whole else plain(value)
        # A bool is an int to Python: True must not become node 1.
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise UsageError(_("{value} is not a number", value=shown(value)))
        if isinstance(number, float) and not isfinite(number):
            raise UsageError(_("{value} is not a finite number", value=number))
        if self.is_above and number <= self.least:
            raise UsageError(_("{value} is not above {least:g}", value=shown(number), least=self.least))
        least, most = self.least, self.most
        if self.is_whole:
            least, most = max(least, -LARGEST_WHOLE - 1), min(most, LARGEST_WHOLE)
        if number < least and self.most == LARGEST != -self.least:
            raise UsageError(_("{value} is below {least:g}", value=shown(number), least=self.least))
        if not least <= number <= most:
            form = "d" if self.is_whole else "g"
            words = _(
                "{value} is not from {least} to {most}",
                value=shown(number),
                least=f"{least:{form}}",
                most=f"{most:{form}}",
            )
            raise UsageError(words)
        return int(number) if self.is_whole else float(number)


def _whole(value: Any) -> int:
    """The whole number that a value of Python or numpy is; raises `UsageError`."""
    number = plain(value)
    if isinstance(number, bool) or not isinstance(number, int):
        raise UsageError(_("{value} is not a whole number", value=shown(value)))
    return number


COUNT: Final = Numbers(0, is_whole=True)
FINITE: Final = Numbers()


class OneOf:
    """Choice of a text from a list."""

    def __init__(self, known: tuple[str, ...]) -> None:
        self.known = known

    def __call__(self, value: Any) -> str:
        """The text; raises `UsageError` for another one."""
        if not isinstance(value, str) or value not in self.known:
            words = "{value} is none of {names}"
            raise UsageError(_(words, value=shown(value), names=", ".join(self.known)))
        return str(value)


def flag(value: Any) -> bool:
    """True or false; raises `UsageError` for anything else."""
    found = plain(value)
    if not isinstance(found, bool):
        raise UsageError(_("{value} is neither true nor false", value=shown(value)))
    return found


def text(value: Any) -> str:
    """A text; raises `UsageError` for anything else."""
    if not isinstance(value, str):
        raise UsageError(_("{value} is not a text", value=shown(value)))
    return str(value)


def file_name(value: Any) -> Path:
    """The path of a text or a path; raises `UsageError` for anything else, and for what no file can have."""
    return Path(path_text(value))


def path_text(value: Any) -> str:
    """The text of a text or a path; raises `UsageError` like `file_name`."""
    found = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(found, str):
        raise UsageError(_("{value} is neither a text nor a path", value=shown(value)))
    if not found:
        raise UsageError(_("the name is empty"))
    if "\0" in found:
        raise UsageError(_("embedded null byte"), source=shown(found))
    return found


def size(value: Any) -> tuple[int, int]:
    """Width and height of a picture in pixels; raises `UsageError` beyond the bounds."""
    found = plain(value)
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise UsageError(_("{value} is not a width and a height", value=shown(value)))
    width, height = map(_whole, found)
    if not all(0 < side <= LARGEST_SIDE for side in (width, height)) or width * height > MOST_PIXELS:
        words = "{width} x {height} is not within 1 to {side} a side and {most} pixels"
        raise UsageError(
            _(words, width=shown(width), height=shown(height), side=LARGEST_SIDE, most=MOST_PIXELS)
        )
    return width, height


def index_or_name(value: Any) -> int | str:
    """A whole number from 0 on, or a name; raises `UsageError`."""
    return str(value) if isinstance(value, str) else int(COUNT(value))


Argument = Callable[[Any], Any]
"""Returns the value of an argument, of numpy as one of Python; raises `UsageError` without a source."""
ARGUMENTS: Final[Mapping[str, Argument]] = {
    **dict.fromkeys(("time", "yaw"), FINITE),
    "pitch": Numbers(-90, 90),
    "zoom": Numbers(0, is_above=True),
    "rate": Numbers(0, FASTEST, is_above=True),
    "lod": Numbers(0, LODS - 1, is_whole=True),
    "group": Numbers(0, GROUPS - 1, is_whole=True),
    "mode": Numbers(0, 17, is_whole=True),
    "seed": Numbers(0, LARGEST_SEED, is_whole=True),
    "variant": COUNT,
    "size": size,
    "clip": index_or_name,
    "hour": Numbers(0, 24),
    **dict.fromkeys(("game", "path", "patch"), file_name),
    **dict.fromkeys(("address", "addresses", "before", "after", "sky"), path_text),
    **dict.fromkeys(("force", "reverse"), flag),
    "place": text,
}
"""The arguments whose values mean the same wherever they are given."""


def checked(name: str, value: Any, argument: Argument | None = None) -> Any:
    """The value of an argument; raises `UsageError` that names it.

    Parameters
    ----------
    name
        As the error has it: ``time``, ``render: --time``.
    argument
        What the value may be; by default what `ARGUMENTS` says of the name.
    """
    try:
        return (argument or ARGUMENTS[name.rpartition("--")[2]])(value)
    except UsageError as error:
        error.source = f"{name}: {error.source}" if error.source else name
        raise


def check_options(verb: str, names: Iterable[str], options: object) -> None:
    """Check options of a verb by their names, but for those that are None; raises `UsageError`."""
    for name in names:
        value = getattr(options, name)
        if value is not None:
            checked(f"{verb}: --{name}", value)
