"""The settings as one JSON file in the user's configuration folder.

No content of the file stops the program. A file that holds something unusable is set aside as it was found,
and the sound rest is written in its place: that is reported once, and nothing is lost. Fields of a newer
version are kept.
"""

from __future__ import annotations

import errno
import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from platformdirs import user_config_path

from viewer.control.settings import stored_fields, user_files
from viewer.control.settings.settings import Settings
from viewer.control.settings.settings_damage import SettingsDamage
from viewer.control.settings.stored_fields import StoredFields
from viewer.errors import OutputError
from viewer.model.store.backups import set_aside

LARGEST_FILE: Final = 8 << 20
"""Bytes that are read of a settings file: more than its fields can have. Of a larger one nothing is used."""


def default_path() -> Path:
    """The settings file of this user."""
    return user_config_path("mshview", appauthor=False) / "settings.json"


Warn = Callable[[SettingsDamage], object]


def load(path: Path, warn: Warn = lambda _ignored: None) -> Settings:
    """Read settings; what cannot be used is left at its default, and the file is set aside."""
    return _settings(_read(path, warn))


def _read(path: Path, warn: Warn) -> StoredFields:
    """The members of a file; one with unusable members is set aside and replaced by the usable rest."""
    raw: Any = None
    repeated: list[str] = []

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        counts = Counter(name for name, _value in pairs)
        repeated.extend(name for name, count in counts.items() if count > 1)
        return {name: value for name, value in pairs if counts[name] == 1}  # which one counts is not known

    try:
        raw = json.loads(user_files.read(path, LARGEST_FILE).decode(), object_pairs_hook=once)
    except OSError as error:
        if error.errno != errno.EFBIG:
            return StoredFields()
    except (ValueError, RecursionError):
        pass
    if not isinstance(raw, dict):
        warn(SettingsDamage(_set_aside(path)))
        return StoredFields()
    stored = stored_fields.take(Settings, raw)
    stored = stored._replace(odd=(*stored.odd, *repeated))
    if stored.odd:
        kept = _set_aside(path)
        if kept is not None:
            with suppress(OutputError):  # the next change of a setting writes everything, and reports errors
                _write(path, _settings(stored), stored)
        warn(SettingsDamage(kept, stored.odd))
    return stored


def _set_aside(path: Path) -> Path | None:
    with suppress(OSError, OutputError):
        return set_aside(path)
    return None


def _settings(stored: StoredFields, settings: Settings = Settings()) -> Settings:  # noqa: B008 never changes
    """Settings with what is usable of a file."""
    members = stored_fields.members(Settings)
    for name, value in stored.usable.items():
        settings = members[name].set(settings, value)
    return settings.in_order


def _write(path: Path, settings: Settings, stored: StoredFields) -> None:
    fields = stored_fields.with_newer(stored_fields.form(settings), stored.newer)
    user_files.write(path, json.dumps(fields, indent=1).encode())


def save(
    path: Path, settings: Settings, base: Settings | None = None, warn: Warn = lambda _ignored: None
) -> Settings:
    """Write settings so that a crash leaves the old file or the new one; raises `OutputError`.

    Parameters
    ----------
    base
        What the file held when it was last read or written: fields that are still the same are left as
        another window has written them meanwhile, and the addresses that it opened are remembered too.
    warn
        Takes what another program has left unusable in the file.

    Returns
    -------
    What the file holds now.
    """
    stored = _read(path, warn)
    if base is not None:
        # The changes of two windows since `base`; ours win.
        members = stored_fields.members(Settings)
        theirs = {name: it for name, it in stored.usable.items() if name != "recent"}
        kept = {
            name: it for name, it in theirs.items() if members[name].of(settings) == members[name].of(base)
        }
        opened = [address for address in stored.usable.get("recent", ()) if address not in base.recent]
        settings = _settings(stored._replace(usable=kept), settings).with_recent(opened)
    _write(path, settings, stored)
    return settings
