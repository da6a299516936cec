"""``mshview.toml``: values of options that hold unless the command line gives others.

The nearest file in the working folder or above it overrides that of the user. Options of many verbs
stand at the top, those of one verb in a table with its name::

    game = "/games/parkan"

    [render]
    size = "1920x1080"
    transparent = true

A file that came with a folder must not decide what is written, removed or run: only the options of `ALLOWED`
are taken from one, and only from files of this user. What is wrong in one is a warning, and the rest holds:
it may lie above the working folder, where the user cannot repair it.
"""

from __future__ import annotations

import os
import sys
from argparse import Action
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from viewer.cli.output import PROGRAM
from viewer.cli.usage.values import taken_by
from viewer.cli.usage.verbs import VERBS
from viewer.errors import UsageError, reason_of, suggestion
from viewer.translation import _

NAME: Final = "mshview.toml"
SHARED: Final = (
    *("game", "jobs", "json", "no-clobber", "quiet", "reading", "results"),
    *("strict", "tolerant", "verbose", "wear"),
)
"""Options that several verbs have, which may stand at the top."""
ALLOWED: Final = frozenset({
    *SHARED,
    *("animation", "as", "cells", "current-lod", "cutaway", "distance", "exact", "explode", "eye"),
    *("fade-portals",),
    *("field", "format", "fps", "frames", "ground", "group", "head-light", "hour", "ids", "info", "keys"),
    *("light", "lights", "list", "lod", "look", "machinery", "microtextures", "mips", "mode", "most"),
    *("no-models", "no-textures", "own-view", "pitch", "portals", "rate", "recursive", "rest", "root"),
    *("scene", "second-materials", "seed", "shading", "show", "size", "spawn", "speed", "stage", "stat"),
    *("steps", "strength", "target", "time", "title"),
    *("tolerance", "transparent", "tree", "turn", "turntable", "variant", "walk", "y-up", "yaw", "z-up"),
    *("zoom"),
})  # fmt: skip
"""Options that a file may set: how something is read, drawn or printed, never what is changed, or where."""
_LARGEST: Final = 1 << 20
"""Bytes of a file that is read."""


class Setting(NamedTuple):
    """A value of an option, as the command line would have it.

    Attributes
    ----------
    option
        With its dashes.
    values
        One text, none for a switch, or several for an option that may be repeated.
    source
        The file and the key, for messages.
    """

    option: str
    values: tuple[str, ...] | None
    source: str


class Configuration:
    """The values in the files of the options that a verb has.

    Attributes
    ----------
    problems
        What is wrong in them, a line each; more are found by `settings`.
    """

    def __init__(self, paths: Iterable[Path] = ()) -> None:
        self.problems: list[str] = []
        self._documents: dict[Path, Mapping[str, Any]] = {}
        for path in dict.fromkeys(paths):
            try:
                self._documents[path] = _read(path)
            except UsageError as error:
                self.problems.append(str(error))

    @classmethod
    def found(cls) -> Configuration:
        """The files of the working folder and of the user."""
        user = _user_folder() / NAME
        return cls(path for path in (_nearest(), user if user.is_file() else None) if path is not None)

    @property
    def paths(self) -> list[Path]:
        """The files, the one that overrides the others first."""
        return [*self._documents]

    def settings(self, verb: str, actions: Mapping[str, Action]) -> list[Setting]:
        """The values for a verb, those that override others last.

        Parameters
        ----------
        actions
            The options of the verb by their spellings.
        """
        found: list[Setting] = []
        for path, document in reversed([*self._documents.items()]):
            named = [("", name, value) for name, value in document.items()]
            own = document.get(verb)
            named += [
                (f"{verb}.", name, value) for name, value in (own.items() if isinstance(own, dict) else ())
            ]
            for prefix, name, value in named:
                try:
                    if prefix or _is_shared(path, name, value):
                        found += _settings(path, prefix, name, value, actions)
                except UsageError as error:
                    self.problems.append(str(error))
        return found


def _nearest() -> Path | None:
    try:
        folder = Path.cwd()
    except OSError:  # removed meanwhile
        return None
    return next((path for path in (it / NAME for it in (folder, *folder.parents)) if path.is_file()), None)


def _user_folder() -> Path:
    """The folder of the user's settings; on Linux without the library, whose import takes 20 ms."""
    if sys.platform.startswith("linux"):
        return xdg_folder("XDG_CONFIG_HOME", "~/.config") / PROGRAM
    else:  # noqa: RET505 mypy takes what follows for unreachable
        from platformdirs import user_config_path  # noqa: PLC0415

        return user_config_path(PROGRAM, appauthor=False)


def xdg_folder(variable: str, usual: str) -> Path:
    """A folder of the user on Linux: of an environment variable, else the usual one."""
    given = os.environ.get(variable, "").strip()
    return Path(given) if given else Path(usual).expanduser()


def _read(path: Path) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415

    try:
        found = path.stat()
        if found.st_uid != getattr(os, "getuid", lambda: found.st_uid)():
            raise UsageError("is not read: it belongs to another user", source=path)
        if found.st_size > _LARGEST:
            raise UsageError(_("is larger than {largest} bytes", largest=_LARGEST), source=path)
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(_("cannot be read: {reason}", reason=reason_of(error)), source=path) from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(_("is not TOML: {error}", error=error.args[0]), source=path) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(_("is not TOML: {error}", error=reason_of(error)), source=path) from error


def _is_shared(path: Path, name: str, value: object) -> bool:
    """Whether a name at the top of a file is an option, not a verb; raises `UsageError` if it is neither."""
    if isinstance(value, dict):
        if name not in VERBS:
            words = _("[{name}] is not a verb{suggestion}", name=name, suggestion=suggestion(name, VERBS))
            raise UsageError(words, source=path)
        return False
    if name not in SHARED:
        words = _("is not one of {shared}", shared=", ".join(SHARED))
        raise UsageError(
            _("{name} {words}; options of one verb stand below [VERB]", name=name, words=words), source=path
        )
    return True


def _settings(
    path: Path, prefix: str, name: str, value: object, actions: Mapping[str, Action]
) -> Iterator[Setting]:
    """Yield what a value sets, nothing if the verb does not have a shared option; raises `UsageError`."""
    source = f"{path}: {prefix}{name}"
    action = actions.get(f"--{name}")
    if action is None:
        if not prefix:
            return
        hint = suggestion(name, (it.removeprefix("--") for it in actions if it.startswith("--")))
        raise UsageError(_("there is no option --{name}{hint}", name=name, hint=hint), source=source)
    if name not in ALLOWED:
        raise UsageError("is only on the command line", source=source)
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise UsageError("is a switch: true or false", source=source)
        if value:
            yield Setting(f"--{name}", None, source)
        return
    listed = value if isinstance(value, list) else [value]
    if not listed or not all(isinstance(it, str | int | float) and not isinstance(it, bool) for it in listed):
        raise UsageError("is not a text, a number or a list of them", source=source)
    is_path = any(it.is_path for it in taken_by(action))
    texts = (str(path.parent / str(it)) if is_path else str(it) for it in listed)
    yield Setting(f"--{name}", tuple(texts), source)
