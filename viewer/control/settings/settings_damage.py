"""A settings file that cannot be used as a whole, and what is said of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from viewer.translation import _

MOST_NAMED: Final = 8
"""Unusable fields that are named."""


class SettingsDamage(NamedTuple):
    """A settings file that holds something unusable.

    Attributes
    ----------
    kept
        The file as it was found; None if it could not be renamed.
    fields
        The unusable fields; empty if nothing could be read.
    """

    kept: Path | None
    fields: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """The message about unusable members, and the new path of the file."""
        named = ", ".join(self.fields[:MOST_NAMED]) + ", …" * (len(self.fields) > MOST_NAMED)
        values = {"fields": named, "path": self.kept}
        if self.fields and self.kept:
            words = _("Settings that cannot be used: {fields}; the file as found is set aside as {path}")
        elif self.fields:
            words = _("Settings that cannot be used: {fields}; the file cannot be set aside")
        elif self.kept:
            words = _("The settings cannot be read and are set aside as {path}")
        else:
            words = _("The settings cannot be read, and the file cannot be set aside")
        return words.format(**values)
