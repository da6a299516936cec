"""``mshview.toml``: values of options that hold unless the command line gives others.

The nearest file in the working folder or above it overrides that of the user. Options of many verbs
stand at the top, those of one verb in a table with its name::

    game = "/games/parkan"

    [render]
    size = "1920x1080"
    transparent = true

What is unknown is refused by name, and so are options that decide where files are written or replaced: a file
that lies in a folder must not do that.
"""

from __future__ import annotations

import os
import sys
from argparse import Action
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from viewer.cli.output import PROGRAM
from viewer.cli.usage.verbs import VERBS
from viewer.dataclass import dataclass
from viewer.errors import UsageError, reason_of, suggestion
from viewer.translation import _

NAME: Final = "mshview.toml"
SHARED: Final = (
    *("game", "jobs", "json", "no-clobber", "quiet", "reading", "results"),
    *("strict", "tolerant", "verbose", "wear"),
)
"""Options that several verbs have, which may stand at the top."""
NEVER: Final = (
    "output",
    "in-place",
    "force",
    "replace",
    "into",
    "script",
    "watch",
    "no-config",
    "help",
    "version",
)
"""Options that only the command line has."""
PATHS: Final = ("FOLDER", "PATH", "REF")
"""Placeholders of values that are paths, which start from the folder of the file."""
_LARGEST: Final = 1 << 20
"""Bytes of a file that is read."""


@dataclass(frozen=True, slots=True)
class Setting:
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
    """The values in the files of the options that a verb has."""

    def __init__(self, documents: Mapping[Path, Mapping[str, Any]]) -> None:
        self._documents = documents

    @classmethod
    def found(cls) -> Configuration:
        """The files of the working folder and of the user; raises `UsageError` if one cannot be read."""
        user = _user_folder() / NAME
        paths = [path for path in (_nearest(), user if user.is_file() else None) if path is not None]
        return cls({path: _read(path) for path in dict.fromkeys(paths)})

    @property
    def paths(self) -> list[Path]:
        """The files, the one that overrides the others first."""
        return [*self._documents]

    def settings(self, verb: str, actions: Mapping[str, Action]) -> list[Setting]:
        """The values for a verb, those that override others last; raises `UsageError` for what is unknown.

        Parameters
        ----------
        actions
            The options of the verb by their spellings.
        """
        found = []
        for path, document in reversed([*self._documents.items()]):
            _refuse_unknown(path, document)
            shared = {it: value for it, value in document.items() if f"--{it}" in actions and it in SHARED}
            own = document.get(verb, {})
            found += [*_settings(path, "", shared, actions), *_settings(path, f"{verb}.", own, actions)]
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
        if path.stat().st_size > _LARGEST:
            raise UsageError(_("is larger than {largest} bytes", largest=_LARGEST), source=path)
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(_("cannot be read: {reason}", reason=reason_of(error)), source=path) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(_("is not TOML: {error}", error=error), source=path) from error


def _refuse_unknown(path: Path, document: Mapping[str, Any]) -> None:
    """Refuse what no verb has at the top of a file; raises `UsageError`."""
    for name, value in document.items():
        if isinstance(value, Mapping) and name not in VERBS:
            raise UsageError(
                _("[{name}] is not a verb{suggestion}", name=name, suggestion=suggestion(name, VERBS)),
                source=path,
            )
        if not isinstance(value, Mapping) and name not in SHARED:
            words = (
                "is only on the command line"
                if name in NEVER
                else _("is not one of {shared}", shared=", ".join(SHARED))
            )
            raise UsageError(
                _("{name} {words}; options of one verb stand below [VERB]", name=name, words=words),
                source=path,
            )


def _settings(
    path: Path, prefix: str, values: Mapping[str, Any], actions: Mapping[str, Action]
) -> Iterator[Setting]:
    for name, value in values.items():
        source = f"{path}: {prefix}{name}"
        if name in NEVER:
            raise UsageError("is only on the command line", source=source)
        action = actions.get(f"--{name}")
        if action is None:
            hint = suggestion(name, (it.removeprefix("--") for it in actions if it.startswith("--")))
            raise UsageError(_("there is no option --{name}{hint}", name=name, hint=hint), source=source)
        if action.nargs == 0:
            if not isinstance(value, bool):
                raise UsageError("is a switch: true or false", source=source)
            if value:
                yield Setting(f"--{name}", None, source)
            continue
        listed = value if isinstance(value, list) else [value]
        if not listed or not all(
            isinstance(it, str | int | float) and not isinstance(it, bool) for it in listed
        ):
            raise UsageError("is not a text, a number or a list of them", source=source)
        is_path = str(action.metavar).partition("[")[0] in PATHS
        texts = (str(path.parent / str(it)) if is_path else str(it) for it in listed)
        yield Setting(f"--{name}", tuple(texts), source)
