"""The roles of the rows of a sky's wear table (``sky.wea``): the number of a row is its role.

Source: spec/field-notes.md 10.
Status: inferred.
"""

from __future__ import annotations

from typing import Final

from viewer.formats.text import fold
from viewer.translation import Text, _

TABLE: Final = b"sky.wea"
ROLES: Final[tuple[Text, ...]] = (
    _("nebula"),
    _("stars, never drawn"),
    _("clouds"),
    _("sun"),
    _("moon"),
    _("lens flare"),
    _("lens flare 2"),
    _("snow"),
    _("rain"),
)
"""The role of each row of the wear table."""


def roles_of(name: bytes) -> tuple[Text, ...]:
    """The roles of the rows of a wear table with a name; empty if it is not that of a sky."""
    return ROLES if fold(name) == TABLE else ()
