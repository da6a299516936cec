"""Names of users and of their folders, and texts without them."""

from __future__ import annotations

import getpass
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import quote

from msgspec import Struct

HOME: Final = "~"
USER: Final = "USER"
SHORTEST: Final = 3
"""Letters of a user's name that is replaced anywhere; shorter ones are words, and replaced in paths alone."""
_VARIABLES: Final = ("HOME", "USERPROFILE", "LOGNAME", "USER", "LNAME", "USERNAME")
_HOMES: Final = {"HOME", "USERPROFILE"}
# The folder of any user; other names of one included, as the short ones of Windows: IVANIV~1.
_ANY_HOME: Final = re.compile(
    r"(?i)((?:[\\/]|%5c|%2f)(?:users|home|documents and settings)(?:[\\/]+|%5c|%2f))"
    r"(?:[^\\/\r\n\"'<>|%:;*?]+(?=[\\/]|%5c|%2f)|[^\\/\s\"'<>|%:;*?]+)"
)


class PrivateNames(Struct, frozen=True):
    """The names that are removed from texts.

    Attributes
    ----------
    homes
        Home folders, in each spelling.
    users
        Names of users.
    """

    homes: tuple[str, ...] = ()
    users: tuple[str, ...] = ()

    @classmethod
    def of_user(cls) -> Self:
        """The names of the user of this process, as the system and the environment have them."""
        variables = {name: os.environ.get(name, "") for name in _VARIABLES}
        homes = [variables[name] for name in _VARIABLES if name in _HOMES]
        users = [variables[name] for name in _VARIABLES if name not in _HOMES]
        try:
            homes.append(str(Path.home()))
            users.append(getpass.getuser())
        except (OSError, RuntimeError, KeyError, ImportError):  # a user without an entry in the system
            pass
        homes += [os.path.realpath(it) for it in homes if it]
        users += [Path(it).name for it in homes]
        return cls(_once(it.rstrip("\\/") for it in homes), _once(users))

    def cleaned(self, value: Any) -> Any:
        """A text, or JSON with the texts in it, without the names; names of members stay."""
        match value:
            case str():
                return self._cleaned(value)
            case Mapping():
                return {name: self.cleaned(it) for name, it in value.items()}
            case list() | tuple():
                return [self.cleaned(it) for it in value]
        return value

    def _cleaned(self, text: str) -> str:
        for home in self.homes:
            for spelling in _spellings(home):
                # Not the start of a longer name: the folder of ann is not that of anna.
                text = re.sub(rf"(?i){re.escape(spelling)}(?!\w)", HOME, text)
        text = _ANY_HOME.sub(rf"\1{USER}", text)
        for user in self.users:
            for spelling in _once([user, quote(user)]):
                edges = (r"(?<!\w)", r"(?!\w)") if len(user) >= SHORTEST else (r"(?<=[\\/])", r"(?=[\\/]|$)")
                text = re.sub(rf"(?i){edges[0]}{re.escape(spelling)}{edges[1]}", USER, text)
        return text


def _spellings(path: str) -> tuple[str, ...]:
    """The spellings of a folder: of each system, in JSON and in links."""
    slashes, doubled = path.replace("\\", "/"), path.replace("\\", "\\\\")
    return _once([path, slashes, doubled, quote(path, safe="/:#,"), quote(path)])


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    """Texts that are not empty, the longest first: a folder goes before the one that it is in."""
    return tuple(sorted({it for it in texts if it}, key=lambda it: (-len(it), it)))
