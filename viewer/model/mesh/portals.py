"""Portals, the batches between the rooms of a building: their kinds, and which of them are drawn.

Source: spec/field-notes.md 3.
Status: inferred: counted on 633 portals of retail models and read in the engine.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.msh.batches import FLAG_OPEN, FLAG_PORTAL, FLAG_SIGN
from viewer.geometry.transforms import Indices
from viewer.translation import _


class PortalKind(StrEnum):
    """The kinds of portals; the values are printed."""

    SIGN = "sign"
    OPEN = "open"
    DOORWAY = "doorway"


WORDS: Final = {
    PortalKind.SIGN: _("sign"),
    PortalKind.OPEN: _("open portal"),
    PortalKind.DOORWAY: _("doorway"),
}
KINDS: Final = tuple(PortalKind)
NO_PORTAL: Final = -1
SIGN: Final = KINDS.index(PortalKind.SIGN)
"""The kind that is drawn: what the others show is the room behind them."""
DOORWAY: Final = KINDS.index(PortalKind.DOORWAY)


def portal_kinds(flags: npt.ArrayLike) -> Indices:
    """The kind of each batch by its flags, an index in `KINDS` or `NO_PORTAL`, in the shape of `flags`."""
    flags = np.asarray(flags, np.int64)
    # The engine looks for a sign first.
    of_portal = np.select(
        [flags & FLAG_SIGN != 0, flags & FLAG_OPEN != 0], [SIGN, KINDS.index(PortalKind.OPEN)], DOORWAY
    )
    return np.where(flags & FLAG_PORTAL != 0, of_portal, NO_PORTAL)


def portal_kind(flags: int) -> PortalKind | None:
    """The kind of one batch by its flags; None if it is no portal."""
    kind = int(portal_kinds(flags))
    return None if kind == NO_PORTAL else KINDS[kind]
